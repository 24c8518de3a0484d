package quality

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// digest is the canonical hash of a message: what a model reads of it, not how it is spelled.
type digest [sha256.Size]byte

// digestOf hashes role, texts, calls and results. Arguments count without the white space between their members.
func digestOf(m *formats.Message) digest {
	h := sha256.New()
	field(h, m.Role.String())
	if m.Role == formats.RoleOther {
		field(h, m.RoleName)
	}
	for _, part := range m.Parts {
		switch v := part.(type) {
		case *formats.Text:
			field(h, "text", v.Text)
		case *formats.Reasoning:
			field(h, "reasoning", v.Text)
		case *formats.ToolCall:
			if !v.Implicit {
				field(h, "call", v.ID, v.Name, compactJSON(v.Arguments))
			}
		case *formats.ToolResult:
			field(h, "result", v.CallID, v.Text)
		case *formats.Media:
			field(h, "media", v.Type)
		case *formats.Opaque:
			field(h, "opaque", compactJSON(v.JSON))
		}
	}
	var d digest
	h.Sum(d[:0])
	return d
}

// field writes texts so that no two lists of them read the same.
func field(h hash.Hash, texts ...string) {
	var size [8]byte
	for _, s := range texts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(s)))
		h.Write(size[:]) // a hash never fails
		_, _ = io.WriteString(h, s)
	}
}

func compactJSON(text string) string {
	if !strings.ContainsAny(text, " \n\t\r") {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// Key is the identity of a conversation: the SHA-256 of its canonical messages, as hexadecimal digits. It is the same
// wherever the conversation stands and however its JSON is spelled.
func Key(messages []*formats.Message) string {
	h := sha256.New()
	for _, m := range messages {
		d := digestOf(m)
		h.Write(d[:]) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digests(messages []*formats.Message) []digest {
	list := make([]digest, len(messages))
	for i, m := range messages {
		list[i] = digestOf(m)
	}
	return list
}

// aligner finds messages of the input again in the output.
type aligner struct {
	*Pair
	before, after []digest
}

// align fills Fates, Origins and Sources.
func (p *Pair) align() {
	p.Fates = make([]Fate, len(p.Before))
	p.Origins, p.Sources = make([]int, len(p.After)), make([]Fate, len(p.After))
	for i := range p.Fates {
		p.Fates[i] = Removed
	}
	for j := range p.Origins {
		p.Origins[j], p.Sources[j] = -1, Added
	}
	a := aligner{p, digests(p.Before), digests(p.After)}
	n, m := len(p.Before), len(p.After)
	start := 0
	for start < min(n, m) && a.same(start, start) {
		start++
	}
	for n > start && m > start && a.same(n-1, m-1) {
		n, m = n-1, m-1
	}
	a.between(start, n, start, m)
}

// same links two messages that are the same, or would be without a summary or the note.
func (a aligner) same(i, j int) bool {
	switch {
	case a.before[i] == a.after[j]:
		a.link(i, j, Kept)
	case extends(a.Before[i], a.After[j]):
		a.link(i, j, Extended)
	default:
		return false
	}
	return true
}

func (a aligner) link(i, j int, f Fate) {
	a.Fates[i], a.Origins[j], a.Sources[j] = f, i, f
}

// between links the messages of Before[i:n) with those of After[j:m): unchanged ones in their order first, then, in the
// gaps, those of the same shape.
func (a aligner) between(i, n, j, m int) {
	places := map[digest][]int{}
	for k := i; k < n; k++ {
		places[a.before[k]] = append(places[a.before[k]], k)
	}
	at := i
	for k := j; k < m; k++ {
		list := places[a.after[k]]
		for len(list) > 0 && list[0] < at {
			list = list[1:]
		}
		places[a.after[k]] = list
		if len(list) > 0 {
			a.link(list[0], k, Kept)
			at = list[0] + 1
		}
	}
	from, first := i, j
	for k := j; k <= m; k++ {
		if k < m && a.Sources[k] == Added {
			continue
		}
		end := n
		if k < m {
			end = a.Origins[k]
		}
		a.shaped(from, end, first, k)
		from, first = end+1, k+1
	}
}

// shaped links messages of the same shape, from the front while they match and then from the back: what a compactor prunes
// stands beside what it keeps.
func (a aligner) shaped(i, n, j, m int) {
	for i < n && j < m && a.alike(i, j) {
		i, j = i+1, j+1
	}
	for i < n && j < m && a.alike(n-1, m-1) {
		n, m = n-1, m-1
	}
	byID := map[string]int{}
	for k := i; k < n; k++ {
		if id := callIDs(a.Before[k]); id != "" {
			byID[id] = k
		}
	}
	at := i
	for k := j; k < m; k++ {
		if from, ok := byID[callIDs(a.After[k])]; ok && from >= at && a.alike(from, k) {
			at = from + 1
			continue
		}
		if from := a.restated(at, n, k); from >= 0 {
			a.link(from, k, Extended)
			at = from + 1
		}
	}
}

// restated finds the message of Before[i:n) whose own text stands beside the summary in message j of the output.
func (a aligner) restated(i, n, j int) int {
	if _, ok := summaryIn(a.After[j]); !ok {
		return -1
	}
	own := stripped(a.After[j])
	for k := n - 1; k >= i && own != ""; k-- {
		if a.Before[k].Role == a.After[j].Role && stripped(a.Before[k]) == own {
			return k
		}
	}
	return -1
}

func (a aligner) alike(i, j int) bool {
	switch {
	case extends(a.Before[i], a.After[j]):
		a.link(i, j, Extended)
	case sameShape(a.Before[i], a.After[j]):
		a.link(i, j, Pruned)
	default:
		return false
	}
	return true
}

// sameShape: a turn with tools that makes the same calls, or answers them, with other content.
func sameShape(before, after *formats.Message) bool {
	if before.Role != after.Role || callIDs(before) != callIDs(after) {
		return false
	}
	b, a := before.Results(), after.Results()
	if len(a) != len(b) || len(before.Calls()) != len(after.Calls()) {
		return false
	}
	if len(a) > 0 {
		return true
	}
	return len(before.Calls()) > 0 && callIDs(before) != "" && before.Text() == after.Text()
}

// callIDs names the calls a message makes and answers.
func callIDs(m *formats.Message) string {
	var b strings.Builder
	for _, part := range m.Parts {
		switch v := part.(type) {
		case *formats.ToolCall:
			b.WriteString(v.ID + "\x00" + v.Name + "\x01")
		case *formats.ToolResult:
			b.WriteString(v.CallID + "\x02")
		}
	}
	return b.String()
}

// extends says whether after is before with a summary, the note or another text before or behind its own.
func extends(before, after *formats.Message) bool {
	if before.Role != after.Role || callIDs(before) != callIDs(after) {
		return false
	}
	own, text := before.Text(), after.Text()
	if own == text {
		return false
	}
	if stripped(after) == stripped(before) && own != "" {
		return true
	}
	const least = 12 // bytes: the text of "ok" is the end of many others
	return len(own) >= least && (strings.HasPrefix(text, own) || strings.HasSuffix(text, own))
}

// stripped is a message's own text: without a summary and without the note.
func stripped(m *formats.Message) string {
	text := ""
	for _, part := range m.Parts {
		t, ok := part.(*formats.Text)
		if !ok {
			continue
		}
		own := t.Text
		if at, found := summarize.Locate(own); found {
			own = own[:at.Start] + own[at.End:]
		}
		if m.Role == formats.RoleSystem {
			own = strings.Replace(own, summarize.Note, "", 1)
		}
		text = joinText(text, own)
	}
	return strings.TrimSpace(text)
}

// summaryIn is the body of the summary that a message holds.
func summaryIn(m *formats.Message) (string, bool) {
	if m.Role == formats.RoleTool {
		return "", false
	}
	if m.Marked {
		return m.Text(), true
	}
	for _, part := range m.Parts {
		if t, ok := part.(*formats.Text); ok {
			if at, found := summarize.Locate(t.Text); found {
				return at.Body, true
			}
		}
	}
	return "", false
}

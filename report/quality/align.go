package quality

import (
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

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
	for k := n - 1; k >= i; k-- {
		if a.Before[k].Role == a.After[j].Role && ownParts(a.After[j], a.Before[k]) {
			return k
		}
	}
	return -1
}

// ownParts says whether two messages say the same of their own: text without a summary and the note, and media.
func ownParts(a, b *formats.Message) bool {
	text := stripped(a)
	return text == stripped(b) && (text != "" || media(a) != "") && media(a) == media(b)
}

// media lists what a message holds beside texts, calls and results.
func media(m *formats.Message) string {
	list := ""
	for _, part := range m.Parts {
		switch v := part.(type) {
		case *formats.Media:
			list += v.Type + "\x00"
		case *formats.Opaque:
			list += compactJSON(v.JSON) + "\x00"
		}
	}
	return list
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
	if ownParts(after, before) {
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

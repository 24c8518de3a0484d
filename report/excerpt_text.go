package report

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
	"github.com/ctxpack/ctxpack/summarize"
)

// excerptFiller puts texts into turns while there is room.
type excerptFiller struct {
	pair    *quality.Pair
	limits  ExcerptLimits
	left    int // bytes
	waiting int // turns that have no text yet
}

// summaryShare is how much of the room a summary may take: it is what the view is for.
const summaryShare = 10 << 10

func (f *excerptFiller) turn(t *Turn) {
	defer func() { f.waiting-- }()
	if t.Hidden > 0 {
		return
	}
	if t.Before >= 0 {
		limit := f.limits.Text
		if t.Fate == quality.Kept.String() || t.Fate == quality.Extended.String() {
			limit = f.limits.Kept
		}
		t.Old = f.said(f.pair.Before[t.Before], limit)
	}
	if t.After >= 0 && t.Fate != quality.Kept.String() {
		limit := f.limits.Text
		if limit > 0 && t.After == f.pair.SummaryAt {
			limit = summaryShare
		}
		m := f.pair.After[t.After]
		if t.Fate == quality.Extended.String() {
			m = addition(f.pair.Before[t.Before], m)
		}
		t.New = f.said(m, limit)
	}
}

// addition is a message with nothing but what after says beside the text of before.
func addition(before, after *formats.Message) *formats.Message {
	own, text := before.Text(), after.Text()
	switch {
	case strings.HasPrefix(text, own):
		text = text[len(own):]
	case strings.HasSuffix(text, own):
		text = text[:len(text)-len(own)]
	}
	return &formats.Message{Role: after.Role, RoleName: after.RoleName, Parts: []formats.Part{&formats.Text{Text: strings.TrimSpace(text)}}}
}

// said cuts the text of a message: to limit, and to twice its share of the room that is left for all.
func (f *excerptFiller) said(m *formats.Message, limit int) *Said {
	if f.limits.Bytes > 0 {
		share := 2 * f.left / max(f.waiting, 1)
		if limit == summaryShare {
			share = f.left / 2
		}
		limit = min(limit, max(share, 40))
	}
	text, size := messageText(m, limit, !f.limits.Unmasked)
	said := &Said{Text: text, More: size}
	if f.limits.Bytes > 0 {
		spelled, err := json.Marshal(said.Text)
		if err != nil || len(spelled) > f.left {
			said.More += len(said.Text)
			said.Text, spelled = "", nil
		}
		f.left -= len(spelled)
	}
	return said
}

// messageText is what a message says, made visible, its secrets masked where that is asked for. Of long texts about limit bytes are given (0:
// all); more is how many bytes are left out.
func messageText(m *formats.Message, limit int, mask bool) (text string, more int) {
	const spare = 1 << 10 // a secret that is cut is none to the redactor: it sees more than is shown
	var b strings.Builder
	add := func(s string) {
		if limit <= 0 {
			b.WriteString(s)
			return
		}
		room := max(limit+spare-b.Len(), 0)
		if len(s) > room {
			more += len(s) - room
			s = s[:room]
		}
		b.WriteString(s)
	}
	for i, p := range m.Parts {
		if i > 0 && b.Len() > 0 {
			add("\n")
		}
		switch v := p.(type) {
		case *formats.Text:
			add(v.Text)
		case *formats.Reasoning:
			add("[thinking] ")
			add(v.Text)
		case *formats.ToolCall:
			if !v.Implicit {
				add("[call] " + own(v.Name, maxName) + " ")
				add(v.Arguments)
			}
		case *formats.ToolResult:
			add(v.Text)
			if v.Media > 0 {
				add("[" + strconv.Itoa(v.Media) + " media]")
			}
		case *formats.Media:
			add("[" + own(v.Type, maxName) + "]")
		case *formats.Opaque:
			add(v.JSON)
		}
	}
	masked := b.String()
	if mask {
		masked, _ = summarize.NewRedactor().Mask(masked)
	}
	if limit > 0 && len(masked) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(masked[cut]) {
			cut--
		}
		more += len(masked) - cut
		masked = masked[:cut]
	}
	return visibleLines(strings.TrimRight(masked, "\r\n")), more
}

// visibleLines is visible for texts of several lines: line ends and tabs stand for themselves.
func visibleLines(text string) string {
	plain := func(r rune) bool { return unicode.IsPrint(r) || r == '\n' || r == '\t' }
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 && !manyMarks(text) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		end := strings.HasSuffix(line, "\n")
		for i, piece := range strings.Split(strings.TrimSuffix(line, "\n"), "\t") {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(visible(piece))
		}
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// manyMarks looks for a character with more than two combining marks.
func manyMarks(text string) bool {
	marks := 0
	for _, r := range text {
		if r < utf8.RuneSelf || !unicode.Is(unicode.M, r) {
			marks = 0
		} else if marks++; marks > 2 {
			return true
		}
	}
	return false
}

// roleName is the role as the file spells it.
func roleName(m *formats.Message) string {
	if m.RoleName != "" {
		return visible(own(m.RoleName, 40))
	}
	return m.Role.String()
}

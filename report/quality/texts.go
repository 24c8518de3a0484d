package quality

import (
	"strings"
	"unicode"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// eachText calls yield with everything that a model reads in m, decoded: texts, reasoning, the strings of arguments,
// results.
func eachText(m *formats.Message, yield func(text string)) {
	for _, part := range m.Parts {
		switch v := part.(type) {
		case *formats.Text:
			yield(v.Text)
		case *formats.Reasoning:
			yield(v.Text)
		case *formats.ToolCall:
			if !v.Implicit {
				yield(summarize.ReadCall(m, v).Input)
			}
		case *formats.ToolResult:
			yield(v.Text)
		}
	}
}

// allText is all of it in one piece.
func allText(messages ...*formats.Message) string {
	var b strings.Builder
	for _, m := range messages {
		eachText(m, func(text string) {
			b.WriteString(text)
			b.WriteByte('\n')
		})
	}
	return b.String()
}

// S is the text that stands in the place of R: the summary, and what is left of pruned messages.
func (p *Pair) S() string {
	var b strings.Builder
	b.WriteString(p.Summary)
	for j, m := range p.After {
		switch p.Sources[j] {
		case Pruned:
			b.WriteString("\n" + allText(m))
		case Added:
			if j != p.SummaryAt && p.Marked {
				b.WriteString("\n" + allText(m))
			}
		}
	}
	return b.String()
}

// flat is a text with every run of white space as one space.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// unquoted is a text without the signs that quote it: "> " before lines.
func unquoted(text string) string {
	if !strings.Contains(text, ">") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, ">"); ok {
			line = strings.TrimPrefix(rest, " ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// plain is a text without the signs of Markdown that may stand inside a word: code ticks, emphasis, escapes before
// punctuation. An identifier reads the same with them and without.
func plain(text string) string {
	if !strings.ContainsAny(text, "\\`") && !strings.Contains(text, "**") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`':
		case c == '*' && i+1 < len(text) && text[i+1] == '*':
			i++
		case c == '\\' && i+1 < len(text) && strings.IndexByte("_*#-.[]()`~", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// words are the content words of a sentence, in small letters: four letters and more, or a pair of neighbouring
// characters of a script that writes no spaces.
func words(sentence string) map[string]bool {
	set := map[string]bool{}
	var run []rune
	flush := func() {
		if len(run) >= 4 {
			set[string(run)] = true
		}
		run = run[:0]
	}
	var last rune
	for _, r := range sentence {
		if wide(r) {
			flush()
			if wide(last) {
				set[string([]rune{last, r})] = true
			}
		} else if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\'' || unicode.IsMark(r) {
			run = append(run, unicode.ToLower(r))
		} else {
			flush()
		}
		last = r
	}
	flush()
	return set
}

// wide: scripts that are written without spaces.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul)
}

// humans gives the indices of the messages of Before that a person wrote, and their own texts, without summaries that
// were put before or behind them. A message of media only has no text.
func (p *Pair) humans(yield func(i int, text string)) {
	for i, m := range p.Before {
		if text := stripped(m); writtenByPerson(m, text) {
			yield(i, text)
		}
	}
}

func writtenByPerson(m *formats.Message, own string) bool {
	if formats.Human(m) {
		_, summary := summaryIn(m)
		return own != "" && !formats.Notice(own) || own == "" && !summary
	}
	// A text that begins with a summary is no human one as a whole; what stands behind it may be.
	_, summary := summaryIn(m)
	return m.Role == formats.RoleUser && !m.Marked && summary && len(m.Results()) == 0 && !formats.Notice(own)
}

package quality

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoteMarks are the signs that open and close a quotation.
var quoteMarks = [...]struct{ open, close string }{
	{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"},
}

// Bounds of a quotation: a shorter text in quotation marks is a name or a value, a longer one a stray mark.
const (
	quoteWords = 3    // at least, or
	quoteWide  = 6    // characters of a script without spaces
	quoteMax   = 2000 // bytes
)

// quotations gives what stands in quotation marks in a text: three words and more (or six characters of a script without
// spaces), within one paragraph. Code in fences is left out.
func quotations(text string) []string {
	var list []string
	for _, paragraph := range paragraphs(text) {
		list = append(list, quotationsIn(paragraph)...)
	}
	return list
}

func quotationsIn(text string) (list []string) {
	for i := 0; i < len(text); {
		matched := false
		for _, mark := range quoteMarks {
			if !strings.HasPrefix(text[i:], mark.open) || mark.open == `"` && joined(text, i) {
				continue
			}
			body := text[i+len(mark.open):]
			end := closing(body, mark.close)
			if end < 0 || end > quoteMax {
				continue
			}
			if q := body[:end]; quotable(q) {
				list = append(list, strings.TrimSpace(q))
			}
			i += len(mark.open) + end + len(mark.close)
			matched = true
			break
		}
		if !matched {
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
		}
	}
	return list
}

// joined: a straight mark behind a letter or digit closes or means inches.
func joined(text string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return i > 0 && (unicode.IsLetter(r) && !wide(r) || unicode.IsDigit(r))
}

// closing finds the closing mark; a straight one that is followed by a letter opens another quotation.
func closing(body, mark string) int {
	for from := 0; ; {
		i := strings.Index(body[from:], mark)
		if i < 0 {
			return -1
		}
		i += from
		next, _ := utf8.DecodeRuneInString(body[i+len(mark):])
		if mark != `"` || !unicode.IsLetter(next) || wide(next) {
			return i
		}
		from = i + len(mark)
	}
}

func quotable(text string) bool {
	n := 0
	for _, r := range text {
		if wide(r) {
			n++
		}
	}
	return n >= quoteWide || len(strings.Fields(text)) >= quoteWords
}

// paragraphs cuts a text at blank lines and before list items and headings; lines of one paragraph stay together. Fenced
// code is left out.
func paragraphs(text string) []string {
	var list []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			list = append(list, b.String())
			b.Reset()
		}
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
			flush()
			continue
		case fenced:
			continue
		case trimmed == "":
			flush()
			continue
		case item(trimmed) || trimmed[0] == '#':
			flush()
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	flush()
	return list
}

// item says whether a line begins a list item.
func item(line string) bool {
	if len(line) > 1 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ' || strings.HasPrefix(line, "•") {
		return true
	}
	n := 0
	for n < len(line) && n < 3 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	return n > 0 && n+1 < len(line) && (line[n] == '.' || line[n] == ')') && line[n+1] == ' '
}

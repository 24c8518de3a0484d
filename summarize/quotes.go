package summarize

import (
	"strings"
	"unicode"
)

// attributions are words after which a quotation is the user's, wherever it stands.
var attributions = [...]string{
	"the user said", "the user asked", "the user wrote", "the user requested", "the user wants", "the user wanted", "the user stated",
	"the user insisted", "the user demanded", "user said", "user asked", "user wrote", "user requested", "user stated", "user:",
	"in the user's words", "der benutzer", "der nutzer", "el usuario", "l'utilisateur", "用户",
}

// quotations gives the quotations of a line that are attributed to the user: those in quotation marks and block quotes
// under Goal and Constraints, and elsewhere those behind words such as "the user said".
func quotations(line, section string) []string {
	attributed := section == HeadingGoal || section == HeadingConstraints
	if attributed {
		if quoted, ok := strings.CutPrefix(strings.TrimSpace(line), ">"); ok {
			return pieces(quoted)
		}
	}
	from := 0
	if !attributed {
		lower := strings.ToLower(line)
		if from = -1; len(lower) != len(line) {
			return nil // capitals of another length: offsets would not agree
		}
		for _, words := range attributions {
			if i := strings.Index(lower, words); i >= 0 && (from < 0 || i < from) {
				from = i
			}
		}
		if from < 0 {
			return nil
		}
	}
	var all []string
	for _, q := range quoted(line[from:]) {
		all = append(all, pieces(q)...)
	}
	return all
}

// quoted gives what stands in double quotation marks of any kind. Marks inside code (`…`) are not quotation marks.
func quoted(line string) []string {
	var all []string
	closing, start, code := rune(0), 0, false
	for i, r := range line {
		switch {
		case r == '`' && closing == 0:
			code = !code
		case code:
		case closing == 0:
			switch r {
			case '"':
				closing = '"'
			case '“', '„':
				closing = '”'
			case '«':
				closing = '»'
			case '「':
				closing = '」'
			default:
				continue
			}
			start = i + len(string(r))
		case r == closing || closing == '”' && r == '“':
			all = append(all, line[start:i])
			closing = 0
		}
	}
	return all
}

// pieces cuts a quotation at ellipses: each piece must have been said.
func pieces(q string) []string {
	q = strings.NewReplacer("[…]", "\x00", "[...]", "\x00", "…", "\x00", "...", "\x00").Replace(q)
	var all []string
	for p := range strings.SplitSeq(q, "\x00") {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// said says whether a person said so: white space, capitals, the kind of quotation marks, emphasis and punctuation at the
// end do not count.
func (e *Evidence) said(quotation string) bool {
	q := strings.TrimRight(foldQuote(quotation), ".,;:!?")
	if q == "" {
		return true
	}
	e.read()
	for _, text := range e.human {
		if strings.Contains(text, q) {
			return true
		}
	}
	return false
}

// foldQuote brings a text into the form in which quotations are compared.
func foldQuote(text string) string {
	var b strings.Builder
	space := true
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		case r == '’' || r == '‘':
			r = '\''
		case r == '“' || r == '”' || r == '„' || r == '«' || r == '»':
			r = '"'
		case r == '*':
			continue
		}
		space = false
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimSpace(b.String())
}

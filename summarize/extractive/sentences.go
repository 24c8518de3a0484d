package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentences bounds what is taken from one text.
const maxSentences = 2000

// abbreviations do not end a sentence, in small letters, without their last dot.
var abbreviations = map[string]bool{
	"e.g": true, "i.e": true, "etc": true, "vs": true, "cf": true, "mr": true, "mrs": true, "ms": true, "dr": true, "prof": true,
	"fig": true, "no": true, "approx": true, "incl": true, "resp": true, "al": true, "st": true, "inc": true, "ltd": true,
	"z.b": true, "bzw": true, "ca": true, "nr": true, "d.h": true, "u.a": true, "usw": true, "ggf": true, "vgl": true,
	"p.ex": true, "sr": true, "sra": true, "ej": true, "p.ej": true, "ecc": true, "т.е": true, "т.д": true, "т.к": true, "др": true,
}

// sentence is a piece of a text. White space in it may be line breaks: flat gives it as one line.
type sentence struct {
	text   string
	bullet bool // an item of a list
	first  bool // begins its line
}

// sentences cuts prose into sentences: at the ends of lines, list items and sentences, not at the dots of paths, versions
// and abbreviations. Code blocks, tables, rules, headings and lines that are only a tag are left out.
func sentences(text string) []sentence {
	var list []sentence
	fenced := false
	for len(text) > 0 && len(list) < maxSentences {
		line, rest, _ := strings.Cut(text, "\n")
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
			text = rest
			continue
		}
		if fenced || !prose(trimmed) {
			text = rest
			continue
		}
		// A wrapped paragraph: the next line goes on with a small letter.
		end := len(line)
		for wraps(line, rest) {
			next, more, _ := strings.Cut(rest, "\n")
			end += 1 + len(next)
			line, rest = next, more
		}
		list = appendSentences(list, text[:end])
		text = rest
	}
	return list
}

// wraps says whether the next line carries on this one.
func wraps(line, rest string) bool {
	line = strings.TrimRight(line, " \r")
	if len(line) < 50 || rest == "" {
		return false
	}
	if last := line[len(line)-1]; strings.IndexByte(".:!?", last) >= 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLower(r)
}

// prose says whether a trimmed line is something a person says, not layout or code.
func prose(line string) bool {
	if len(line) < 2 || line[0] == '#' || line[0] == '|' || line[0] == '=' || strings.HasPrefix(line, "---") || strings.HasPrefix(line, ">>>") {
		return false
	}
	if line[0] == '<' && strings.HasSuffix(line, ">") && !strings.Contains(line, " ") {
		return false
	}
	if strings.HasSuffix(line, "{") || strings.HasSuffix(line, ";") || strings.HasPrefix(line, "//") || line == "}" || line == ")" {
		return false
	}
	letters, all := 0, 0
	for _, r := range line {
		all++
		if r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z') || r >= utf8.RuneSelf && unicode.IsLetter(r) {
			if letters++; letters == 20 {
				return true
			}
		}
	}
	return letters*2 >= all
}

func appendSentences(list []sentence, block string) []sentence {
	body, bullet := cutBullet(strings.TrimSpace(block))
	first := true
	from := 0
	put := func(to int) {
		if s := strings.TrimSpace(body[from:to]); s != "" {
			list = append(list, sentence{s, bullet, first})
			first = false
		}
		from = to
	}
	for i := 0; i < len(body); {
		if c := body[i]; c < utf8.RuneSelf && c != '.' && c != '!' && c != '?' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(body[i:])
		i += n
		switch r {
		case '。', '！', '？', '．':
			put(i)
		case '.', '!', '?', '…':
			if ends(body, i, r) {
				put(i)
			}
		}
	}
	put(len(body))
	return list
}

// ends says whether the sentence ends before offset i, behind the mark r.
func ends(body string, i int, r rune) bool {
	rest := strings.TrimLeft(body[i:], "\"'”’»)*_`")
	if rest == "" {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	if !unicode.IsSpace(next) {
		return false
	}
	if len(rest) < len(body[i:]) {
		return false // inside quotes or emphasis: keep together
	}
	next, _ = utf8.DecodeRuneInString(strings.TrimSpace(rest))
	if unicode.IsLower(next) {
		return false
	}
	if r != '.' {
		return true
	}
	if unicode.IsDigit(next) && i >= 3 && strings.HasSuffix(strings.ToLower(body[:i]), "no.") {
		return false
	}
	word := body[:i-1]
	word = word[strings.LastIndexAny(word, " \t\n(")+1:]
	if utf8.RuneCountInString(word) == 1 || abbreviations[strings.ToLower(word)] {
		return false
	}
	return strings.Trim(word, "0123456789") != "" || len(word) > 2 // "1." begins a list item
}

// cutBullet takes the sign of a list item off a line.
func cutBullet(line string) (string, bool) {
	for _, sign := range [...]string{"- [ ] ", "- [x] ", "- [X] ", "* [ ] ", "- ", "* ", "• ", "+ "} {
		if rest, ok := strings.CutPrefix(line, sign); ok {
			return strings.TrimSpace(rest), true
		}
	}
	n := 0
	for n < len(line) && n < 3 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	if n > 0 && n+1 < len(line) && (line[n] == '.' || line[n] == ')') && line[n+1] == ' ' {
		return strings.TrimSpace(line[n+2:]), true
	}
	return line, false
}

// flat is text as one line: white space collapsed, emphasis around the whole taken off.
func flat(text string) string {
	if strings.ContainsAny(text, "\n\t\r") || strings.Contains(text, "  ") {
		text = strings.Join(strings.Fields(text), " ")
	}
	text = strings.TrimSpace(text)
	for len(text) > 4 && strings.HasPrefix(text, "**") && strings.HasSuffix(text, "**") && strings.Count(text, "**") == 2 {
		text = text[2 : len(text)-2]
	}
	return text
}

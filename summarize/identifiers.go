package summarize

import "strings"

// IdentifierKind is what sort of exact string an identifier is.
type IdentifierKind uint8

// The kinds of id(x), and Version, which is not part of id(x).
const (
	Path    IdentifierKind = iota // src/a.go, /etc/hosts, setup.py
	Symbol                        // snake_case, camelCase, dotted.name; 5 to 60 characters
	Hash                          // hex of 7 and more with a digit and a letter, UUIDs
	Ticket                        // ABC-123
	Issue                         // #123
	URL                           // scheme://…
	Version                       // 1.2.3, an IP address
	kinds                         // how many there are
)

// Bounds of id(x), in bytes: quality.md.
const (
	symbolMin, symbolMax = 5, 60
	pathMin, pathMax     = 3, 200
	hexMin, hexMax       = 7, 64
)

// Classes of bytes. Everything else, letters outside ASCII included, ends a run.
const (
	lower uint8 = 1 << iota
	upper
	digit
	underscore
	dot
	slash
	joint // - @ ~
)

var class = classes()

func classes() (t [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		t[c] = lower
	}
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = upper
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	t['_'], t['.'], t['/'] = underscore, dot, slash
	t['-'], t['@'], t['~'] = joint, joint, joint
	return t
}

// Identifiers calls yield for every identifier in text, in order, repetitions included. id is a piece of text. The text
// is what a reader sees: JSON strings decoded. Speed: one pass, nothing is allocated.
func Identifiers(text string, yield func(id string, kind IdentifierKind)) {
	scan(text, func(start, end int, kind IdentifierKind) { yield(text[start:end], kind) })
}

// run classifies one run of identifier bytes, text[i:j].
func run(text string, i, j int, seen uint8, yield found) {
	if i > 0 && text[i-1] == '\\' && (text[i] == 'n' || text[i] == 't' || text[i] == 'r') {
		i++ // the end of an escape that was left in the text
		seen = classesOf(text[i:j])
	}
	if seen&slash != 0 {
		if i > 0 && text[i-1] == '<' && text[i] == '/' || j < len(text) && text[j] == '>' && text[j-1] == '/' {
			return // a tag
		}
		if i, j, ok := trimPath(text, i, j); ok {
			yield(i, j, Path)
		}
		return
	}
	for i < j && (class[text[i]]&joint != 0) {
		i++
	}
	for i < j && class[text[j-1]]&(joint|dot) != 0 {
		j--
	}
	if seen&joint != 0 {
		s := text[i:j]
		switch {
		case isTicket(s):
			yield(i, j, Ticket)
			return
		case isUUID(s):
			yield(i, j, Hash)
			return
		case seen&dot != 0 && isFileName(s):
			yield(i, j, Path)
			return
		}
	}
	if seen&joint == 0 {
		piece(text, i, j, seen, yield)
		return
	}
	for i < j {
		k := i
		for k < j && class[text[k]]&joint == 0 {
			k++
		}
		piece(text, i, k, classesOf(text[i:k]), yield)
		i = k + 1
	}
}

func classesOf(s string) (seen uint8) {
	for i := 0; i < len(s); i++ {
		seen |= class[s[i]]
	}
	return seen
}

// piece classifies letters, digits, underscores and dots; seen is their classes.
func piece(text string, start, end int, seen uint8, yield found) {
	for start < end && text[start] == '.' {
		start++
	}
	for start < end && text[end-1] == '.' {
		end--
	}
	s := text[start:end]
	if len(s) < pathMin {
		return
	}
	last := -1
	if seen&dot != 0 { // those around the piece do not count
		if last = strings.LastIndexByte(s, '.'); last < 0 {
			seen &^= dot
		}
	}
	switch {
	case seen == digit|dot:
		if strings.IndexByte(s, '.') < last && len(s) <= symbolMax && !strings.Contains(s, "..") {
			yield(start, end, Version)
		}
	case last >= 0:
		if isFileName(s) && !ambiguousExtension(s[last+1:]) {
			yield(start, end, Path)
		} else if len(s) >= symbolMin && len(s) <= symbolMax && isDotted(s) {
			yield(start, end, Symbol)
		}
	case isHex(s, seen):
		yield(start, end, Hash)
	case len(s) < symbolMin || len(s) > symbolMax || class[s[0]] == digit:
	case isSnake(s, seen) || isCamel(s, seen):
		yield(start, end, Symbol)
	}
}

func isSnake(s string, seen uint8) bool {
	return seen&underscore != 0 && seen&(lower|upper) != 0 && strings.IndexByte(strings.Trim(s, "_"), '_') > 0 ||
		strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__") && seen&(lower|upper) != 0
}

// isCamel: a capital after the first letter, and small letters: parseDate, HTTPServer, TimeDelta.
func isCamel(s string, seen uint8) bool {
	if seen&(lower|upper) != lower|upper {
		return false
	}
	small := 0
	capital := false
	for i := 0; i < len(s); i++ {
		switch class[s[i]] {
		case lower:
			small++
		case upper:
			capital = capital || i > 0 && s[i-1] != '_'
		}
	}
	return capital && small >= 2
}

// isDotted: names joined by single dots.
func isDotted(s string) bool {
	letters := 0
	for i := 0; i < len(s); i++ {
		c := class[s[i]]
		switch {
		case c&(lower|upper) != 0:
			letters++
		case c == digit && (i == 0 || s[i-1] == '.'), c == dot && s[i-1] == '.':
			return false
		}
	}
	return letters >= 3
}

func isHex(s string, seen uint8) bool {
	if len(s) < hexMin || seen&digit == 0 || seen&underscore != 0 {
		return false
	}
	if rest, ok := strings.CutPrefix(s, "0x"); ok {
		s = rest
	}
	if len(s) > hexMax || seen&(lower|upper) == lower|upper {
		return false
	}
	letter := false
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if c >= 'a' && c <= 'f' {
			letter = true
		} else if class[s[i]] != digit {
			return false
		}
	}
	return letter
}

func isTicket(s string) bool {
	dash := strings.IndexByte(s, '-')
	if dash < 2 || dash > 10 || len(s)-dash-1 < 1 || len(s)-dash-1 > 7 || class[s[0]] != upper {
		return false
	}
	for i := 0; i < dash; i++ {
		if class[s[i]]&(upper|digit) == 0 {
			return false
		}
	}
	return allDigits(s[dash+1:])
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if class[s[i]] != digit {
			return false
		}
	}
	return s != ""
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
			continue
		}
		if c := s[i] | 0x20; class[s[i]] != digit && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

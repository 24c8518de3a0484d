package split

import (
	"math/bits"
	"unicode/utf8"
)

// classAt returns the class of the character at text[i] and its length in bytes. A byte that is not
// part of valid UTF-8 is a character of its own, with the class of U+FFFD.
func classAt(text string, i int) (class, int) {
	b := text[i]
	if b < utf8.RuneSelf {
		return classOfASCII(b), 1
	}
	// Most characters of three bytes; the others (after 0xE0 and from 0xED on) have exceptions.
	if b >= 0xE1 && b <= 0xEC && i+2 < len(text) && text[i+1]&0xC0 == 0x80 && text[i+2]&0xC0 == 0x80 {
		return classOf(rune(b&0x0F)<<12 | rune(text[i+1]&0x3F)<<6 | rune(text[i+2]&0x3F)), 3
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return classOf(r), size
}

// isLetterASCII reports whether b is one of A-Z and a-z.
func isLetterASCII(b byte) bool { return b|0x20-'a' < 26 }

// runOf returns the end of the run of characters at text[i:] that have one of the bits of set.
func runOf(text string, i int, set class) int {
	for i < len(text) {
		c, size := classAt(text, i)
		if c&set == 0 {
			break
		}
		i += size
	}
	return i
}

// runWithout returns the end of the run of characters at text[i:] that have no bit of set.
func runWithout(text string, i int, set class) int {
	for i < len(text) {
		if b := text[i]; b < utf8.RuneSelf {
			if classOfASCII(b)&set != 0 {
				break
			}
			i++
			continue
		}
		c, size := classAt(text, i)
		if c&set != 0 {
			break
		}
		i += size
	}
	return i
}

// Eight bytes at a time: constants to compare all bytes of a word with one letter.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// wordAt returns the eight bytes of text at i, the first one lowest.
func wordAt(text string, i int) uint64 {
	s := text[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// notLower returns the high bits of the bytes of word that are not a-z.
func notLower(word uint64) uint64 {
	low := word &^ highs
	from := low + (0x80-'a')*ones    // high bit: at or after 'a'
	after := low + (0x80-'z'-1)*ones // high bit: after 'z'
	return (from&^after&^word)&highs ^ highs
}

// lowerRun returns the end of the run of a-z at text[i:].
func lowerRun(text string, i int) int {
	for i+8 <= len(text) {
		if stop := notLower(wordAt(text, i)); stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3
		}
		i += 8
	}
	for i < len(text) && text[i]-'a' < 26 {
		i++
	}
	return i
}

// letterRun returns the end of the run of A-Z and a-z at text[i:].
func letterRun(text string, i int) int {
	for i+8 <= len(text) {
		// The added bit makes a-z of A-Z, and of nothing else.
		if stop := notLower(wordAt(text, i) | 0x20*ones); stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3
		}
		i += 8
	}
	for i < len(text) && isLetterASCII(text[i]) {
		i++
	}
	return i
}

// numbers returns the end of a run of at most limit numbers at text[i:].
func numbers(text string, i, limit int) int {
	for ; limit > 0 && i < len(text); limit-- {
		if text[i]-'0' < 10 {
			i++
			continue
		}
		c, size := classAt(text, i)
		if c&number == 0 {
			break
		}
		i += size
	}
	return i
}

// lineEnds returns the end of the run of CR and LF at text[i:], and of slashes too if those count.
func lineEnds(text string, i int, slashes bool) int {
	for i < len(text) && (text[i] == '\n' || text[i] == '\r' || slashes && text[i] == '/') {
		i++
	}
	return i
}

// spaces returns the end of the piece that starts with the white space at text[i], by the last
// alternatives of all patterns:
//
//	\s*[\r\n]+|\s+(?!\S)|\s+
//
// that is, up to the last line end of the run if it has one and lines is set; else the whole run at
// the end of the text, and the run without its last character before something else, if that leaves any.
func spaces(text string, i int, lines bool) int {
	start, last, afterLine := i, i, -1
	for i < len(text) {
		if text[i] == ' ' {
			last = i
			i++
			continue
		}
		c, size := classAt(text, i)
		if c&space == 0 {
			break
		}
		last = i
		i += size
		if c&newline != 0 {
			afterLine = i
		}
	}
	switch {
	case lines && afterLine >= 0:
		return afterLine
	case i == len(text) || last == start:
		return i
	}
	return last
}

// contraction returns the end of an English contraction at text[i:], 's 't 're 've 'm 'll 'd in
// either case, or i if there is none. With longS the letter U+017F counts as an s, as it does where
// the pattern's case folding follows Unicode.
func contraction(text string, i int, longS bool) int {
	if i+1 >= len(text) || text[i] != '\'' {
		return i
	}
	switch text[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'l':
		return twoLetters(text, i, 'l')
	case 'r', 'v':
		return twoLetters(text, i, 'e')
	}
	if longS && i+2 < len(text) && text[i+1:i+3] == "ſ" {
		return i + 3
	}
	return i
}

// twoLetters returns the end of a contraction of two letters whose first has matched.
func twoLetters(text string, i int, second byte) int {
	if i+2 < len(text) && text[i+2]|0x20 == second {
		return i + 3
	}
	return i
}

package formats

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// excerptBefore and excerptAfter are how many bytes around a fault an excerpt shows.
const (
	excerptBefore = 40
	excerptAfter  = 24
)

// Excerpt cuts a short piece of data around offset at, on rune boundaries, with every unprintable character as one
// replacement character, and says which rune of it stands at the offset. It never holds line breaks or control
// characters: transcripts are hostile.
func Excerpt(data []byte, at int) (text string, caret int) {
	at = min(max(at, 0), len(data))
	from, to := max(0, at-excerptBefore), min(len(data), at+excerptAfter)
	for from > 0 && from < at && !utf8.RuneStart(data[from]) {
		from++
	}
	for to < len(data) && to > at && !utf8.RuneStart(data[to]) {
		to--
	}
	var b strings.Builder
	for i := from; i < to; {
		r, n := utf8.DecodeRune(data[i:to])
		if i < at {
			caret++
		}
		if !unicode.IsPrint(r) {
			r = '·'
		}
		b.WriteRune(r)
		i += n
	}
	return b.String(), caret
}

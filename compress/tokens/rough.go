package tokens

import (
	"unicode"
	"unicode/utf8"
)

// rough estimates without a vocabulary: one token for each CJK character, and one for every four
// other characters of the text, rounded up (the rule of compaction.md, section 2).
type rough struct{}

func (rough) Name() string { return "rough" }
func (rough) Exact() bool  { return false }

func (rough) Count(text string) int {
	cjk, other := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			other++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if isCJK(r) {
			cjk++
		} else {
			other++
		}
	}
	return cjk + (other+3)/4
}

// isCJK reports whether r is a Chinese, Japanese or Korean character: a letter of their scripts, or
// their punctuation and full-width forms.
func isCJK(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r >= 0x3000 && r <= 0x303F, r >= 0xFF01 && r <= 0xFFEF:
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

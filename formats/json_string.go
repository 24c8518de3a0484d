package formats

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// DecodeString gives the text of a JSON string literal (with its quotes, accepted by Validate). Without escapes it is a
// view of lit, which must not change afterwards. A lone surrogate becomes U+FFFD; bytes that are not UTF-8 stay.
func DecodeString(lit []byte) string {
	inner := lit[1 : len(lit)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return unsafe.String(unsafe.SliceData(inner), len(inner))
	}
	out := make([]byte, len(inner)+8) // decoding never makes longer; the rest is for whole words
	n := decodeInto(out, inner)
	return unsafe.String(unsafe.SliceData(out), n)
}

// decodeInto writes the text of a literal's inside to dst, which is at least 8 bytes longer than inner, and gives its
// length.
func decodeInto(dst, inner []byte) (n int) {
	for i := 0; i < len(inner); {
		if i+8 <= len(inner) {
			w := binary.LittleEndian.Uint64(inner[i:])
			binary.LittleEndian.PutUint64(dst[n:], w)
			slash := w ^ (ones * '\\')
			hit := (slash - ones) &^ slash & highs
			if hit == 0 {
				i, n = i+8, n+8
				continue
			}
			k := bits.TrailingZeros64(hit) >> 3
			i, n = i+k, n+k
		}
		if inner[i] != '\\' {
			dst[n] = inner[i]
			i, n = i+1, n+1
			continue
		}
		if c := shortEscapes[inner[i+1]]; c != 0 {
			dst[n] = c
			i, n = i+2, n+1
			continue
		}
		r, used := unescape(inner[i:])
		n += utf8.EncodeRune(dst[n:], r)
		i += used
	}
	return n
}

// shortEscapes are the characters that a letter behind a backslash stands for.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape reads the escape at the start of s: its character and its length in s. A surrogate pair is one character.
func unescape(s []byte) (r rune, n int) {
	if s[1] == 'u' {
		r = hex4(s[2:])
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(s[8:])); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return rune(shortEscapes[s[1]]), 2
}

func hex4(s []byte) rune {
	var r rune
	for _, c := range s[:4] {
		r = r<<4 | rune(hexValue(c))
	}
	return r
}

// AppendString appends text as a JSON string literal: what must be escaped is, with the short escapes, and nothing else
// (`<`, `>`, `&` and characters beyond ASCII stay as they are). Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	dst = appendEscaped(dst, text)
	return append(dst, '"')
}

func appendEscaped(dst []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			dst = append(append(dst, text[start:i]...), "\uFFFD"...)
			i, start = i+1, i+1
			continue
		}
		dst = append(dst, text[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	return append(dst, text[start:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// Splice is one change of a text: the bytes [Start, End) of the decoded text give way to Text.
type Splice struct {
	Start, End int
	Text       string
}

// SpliceString applies splices (offsets in the decoded text, not overlapping; insertions at one place keep their order)
// to a string literal. What no splice touches keeps its spelling, escape by escape.
func SpliceString(lit []byte, splices []Splice) []byte {
	list := slices.Clone(splices)
	slices.SortStableFunc(list, func(a, b Splice) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	inner := lit[1 : len(lit)-1]
	w := literalWalk{inner: inner}
	dst := append(make([]byte, 0, len(lit)+64), '"')
	for _, s := range list {
		from := w.raw
		w.advance(s.Start)
		dst = appendRaw(dst, inner[from:w.raw])
		dst = appendEscaped(dst, s.Text)
		w.advance(s.End)
	}
	return append(appendRaw(dst, inner[w.raw:]), '"')
}

// appendRaw appends a piece of a literal's inside. Two lone surrogates that a cut has made neighbours must not become a
// character that nobody wrote: the first is then spelled as what it counts as.
func appendRaw(dst, piece []byte) []byte {
	if n := len(dst) - 6; n > 0 && len(piece) >= 6 && dst[n] == '\\' && dst[n+1] == 'u' && piece[0] == '\\' && piece[1] == 'u' {
		if isHex(dst[n+2:]) && utf16.DecodeRune(hex4(dst[n+2:]), hex4(piece[2:])) != utf8.RuneError && !escaped(dst, n) {
			dst = append(dst[:n], "\uFFFD"...)
		}
	}
	return append(dst, piece...)
}

func isHex(s []byte) bool {
	for _, c := range s[:4] {
		if hexValue(c) < 0 {
			return false
		}
	}
	return true
}

// escaped says whether the backslash at dst[n] is itself escaped by the one before it.
func escaped(dst []byte, n int) bool {
	k := n
	for k > 0 && dst[k-1] == '\\' {
		k--
	}
	return (n-k)%2 == 1
}

// wellFormed is text as it can be read back: bytes that are not UTF-8 become U+FFFD, one each.
func wellFormed(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

// literalWalk moves through a literal's inside, knowing the offset in the spelling and in the decoded text.
type literalWalk struct {
	inner        []byte
	raw, decoded int
}

func (w *literalWalk) advance(to int) {
	for w.decoded < to && w.raw < len(w.inner) {
		plain := bytes.IndexByte(w.inner[w.raw:], '\\')
		if plain < 0 {
			plain = len(w.inner) - w.raw
		}
		if plain > 0 {
			step := min(plain, to-w.decoded)
			w.raw, w.decoded = w.raw+step, w.decoded+step
			continue
		}
		r, n := unescape(w.inner[w.raw:])
		w.raw, w.decoded = w.raw+n, w.decoded+utf8.RuneLen(r)
	}
}

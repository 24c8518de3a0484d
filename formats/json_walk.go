package formats

import (
	"bytes"
	"iter"
	"unicode/utf8"
)

// Span is a half-open range of bytes [Start, End) within some JSON text.
type Span struct{ Start, End int }

// In gives the bytes of the span.
func (s Span) In(data []byte) []byte { return data[s.Start:s.End] }

// Len is the number of bytes.
func (s Span) Len() int { return s.End - s.Start }

// The functions below walk JSON that Validate has accepted. They check nothing again.

func skipSpace(data []byte, i int) int {
	for i < len(data) && isSpace(data[i]) {
		i++
	}
	return i
}

// skipString gives the offset behind the string that opens at i. Quotes are searched, not stepped to: the closing one
// is the first with an even number of backslashes before it.
func skipString(data []byte, i int) int {
	for j := i + 1; ; {
		j += bytes.IndexByte(data[j:], '"')
		k := j
		for data[k-1] == '\\' {
			k--
		}
		j++
		if (j-1-k)%2 == 0 {
			return j
		}
	}
}

// skipValue gives the offset behind the value at i.
func skipValue(data []byte, i int) int {
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
		return skipNested(data, i)
	}
	for i < len(data) && !isSpace(data[i]) && data[i] != ',' && data[i] != '}' && data[i] != ']' {
		i++
	}
	return i
}

func skipNested(data []byte, i int) int {
	for depth := 0; ; {
		switch data[i] {
		case '"':
			i = skipString(data, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
}

// valueSpan is the span of the one value in data, without the white space around it.
func valueSpan(data []byte) Span {
	i := skipSpace(data, 0)
	return Span{i, skipValue(data, i)}
}

// pick finds the values of several members of the object at data[at] in one walk, and the offset behind the object. Of
// duplicates the last counts; the span of a missing member is left as it was (empty).
func pick(data []byte, at int, names []string, out []Span) (end int) {
	i := skipSpace(data, at+1)
	for data[i] != '}' {
		key := Span{i, skipString(data, i)}
		i = skipSpace(data, key.End)
		i = skipSpace(data, i+1)
		value := Span{i, skipValue(data, i)}
		for k, name := range names {
			if keyIs(key.In(data), name) {
				out[k] = value
				break
			}
		}
		if i = skipSpace(data, value.End); data[i] == ',' {
			i = skipSpace(data, i+1)
		}
	}
	return i + 1
}

// keyIs compares a key as it is spelled with a name.
func keyIs(lit []byte, name string) bool {
	lit = lit[1 : len(lit)-1]
	if len(lit) <= len(name) { // an escaped spelling is always longer
		return string(lit) == name
	}
	return bytes.IndexByte(lit, '\\') >= 0 && decodesTo(lit, name)
}

func decodesTo(inner []byte, name string) bool {
	for len(inner) > 0 && len(name) > 0 {
		if inner[0] != '\\' {
			if inner[0] != name[0] {
				return false
			}
			inner, name = inner[1:], name[1:]
			continue
		}
		r, n := unescape(inner)
		if got, size := utf8.DecodeRuneInString(name); got != r || size != utf8.RuneLen(r) {
			return false
		}
		inner, name = inner[n:], name[utf8.RuneLen(r):]
	}
	return len(inner) == 0 && len(name) == 0
}

// members yields the key (with its quotes) and the value of each member of the object at data[at], in order.
func members(data []byte, at int) iter.Seq2[Span, Span] {
	return func(yield func(key, value Span) bool) {
		i := skipSpace(data, at+1)
		for data[i] != '}' {
			key := Span{i, skipString(data, i)}
			i = skipSpace(data, key.End)
			i = skipSpace(data, i+1)
			value := Span{i, skipValue(data, i)}
			if !yield(key, value) {
				return
			}
			if i = skipSpace(data, value.End); data[i] == ',' {
				i = skipSpace(data, i+1)
			}
		}
	}
}

// elements yields the values of the array at data[at], in order.
func elements(data []byte, at int) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		i := skipSpace(data, at+1)
		for data[i] != ']' {
			value := Span{i, skipValue(data, i)}
			if !yield(value) {
				return
			}
			if i = skipSpace(data, value.End); data[i] == ',' {
				i = skipSpace(data, i+1)
			}
		}
	}
}

// elementsIn yields the values of the array at s, none when there is no array.
func elementsIn(data []byte, s Span) iter.Seq[Span] {
	if s.Len() == 0 || data[s.Start] != '[' {
		return func(func(Span) bool) {}
	}
	return elements(data, s.Start)
}

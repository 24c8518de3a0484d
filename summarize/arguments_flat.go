package summarize

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// flatMember is a member of an object of scalars.
type flatMember struct {
	Arg
	text bool // a string
	null bool
}

// flatArguments reads what nearly all calls have as arguments, one object of strings, numbers and booleans, without
// building a tree of it. ok is false for everything else, for what is no JSON, and for what is rare enough to be left to
// a whole parser: \u escapes, bytes that are not UTF-8, a key that stands twice, exponents.
func flatArguments(raw string) (list argumentList, ok bool) {
	var room [8]flatMember
	members, ok := readFlat(raw, room[:0])
	if !ok || len(members) >= maxArguments {
		return list, false
	}
	slices.SortFunc(members, func(a, b flatMember) int { return strings.Compare(a.Key, b.Key) })
	scalars, size := 0, 0
	for i, m := range members {
		if i > 0 && m.Key == members[i-1].Key {
			return list, false
		}
		if !m.null {
			scalars++
		}
		if m.text {
			size += len(m.Value) + 1
		}
	}
	var text strings.Builder
	text.Grow(size)
	if scalars > 0 {
		list.scalars = make([]Arg, 0, scalars)
	}
	for _, m := range members {
		if !m.null {
			list.scalars = append(list.scalars, m.Arg)
		}
		if m.text {
			text.WriteString(m.Value)
			text.WriteByte('\n')
		}
	}
	list.text = text.String()
	return list, true
}

// readFlat appends the members of the object that raw begins with; what stands behind it does not matter.
func readFlat(raw string, members []flatMember) (_ []flatMember, ok bool) {
	r := flatReader{raw}
	if !r.sign('{') {
		return nil, false
	}
	if r.sign('}') {
		return members, true
	}
	for {
		var m flatMember
		if m.Key, ok = r.text(); !ok || !r.sign(':') {
			return nil, false
		}
		if !r.scalar(&m) {
			return nil, false
		}
		members = append(members, m)
		if r.sign('}') {
			return members, true
		}
		if !r.sign(',') {
			return nil, false
		}
	}
}

// flatReader takes tokens off the start of a JSON text.
type flatReader struct{ rest string }

// sign takes a byte, and white space before it.
func (r *flatReader) sign(c byte) bool {
	r.space()
	if r.rest == "" || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

func (r *flatReader) space() {
	for r.rest != "" && (r.rest[0] == ' ' || r.rest[0] == '\n' || r.rest[0] == '\t' || r.rest[0] == '\r') {
		r.rest = r.rest[1:]
	}
}

func (r *flatReader) scalar(m *flatMember) (ok bool) {
	r.space()
	if strings.HasPrefix(r.rest, `"`) {
		m.text = true
		m.Value, ok = r.text()
		return ok
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if rest, found := strings.CutPrefix(r.rest, word); found {
			r.rest, m.Value, m.null = rest, word, word == "null"
			return true
		}
	}
	m.Value, ok = r.number()
	return ok
}

// number takes a number without an exponent.
func (r *flatReader) number() (string, bool) {
	whole := r.rest
	r.rest = strings.TrimPrefix(r.rest, "-")
	zero := strings.HasPrefix(r.rest, "0")
	if n := r.digits(); n == 0 || n > 1 && zero {
		return "", false
	}
	if rest, ok := strings.CutPrefix(r.rest, "."); ok {
		if r.rest = rest; r.digits() == 0 {
			return "", false
		}
	}
	return whole[:len(whole)-len(r.rest)], true // an exponent is no sign that may follow
}

func (r *flatReader) digits() (n int) {
	for n < len(r.rest) && class[r.rest[n]] == digit {
		n++
	}
	r.rest = r.rest[n:]
	return n
}

// text takes a string, decoded. One without escapes is a piece of the JSON text.
func (r *flatReader) text() (string, bool) {
	if !r.sign('"') {
		return "", false
	}
	var decoded strings.Builder
	for from, i := 0, 0; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == '"':
			s := r.rest[from:i]
			if from > 0 {
				decoded.WriteString(s)
				s = decoded.String()
			}
			r.rest = r.rest[i+1:]
			return s, utf8.ValidString(s)
		case c < ' ':
			return "", false
		case c == '\\':
			if i+1 == len(r.rest) {
				return "", false
			}
			k := strings.IndexByte(escapes, r.rest[i+1])
			if k < 0 {
				return "", false
			}
			decoded.WriteString(r.rest[from:i])
			decoded.WriteByte(escaped[k])
			i++
			from = i + 1
		}
	}
	return "", false
}

// The letters of short escapes and what they stand for.
const (
	escapes = "nt\"\\r/bf"
	escaped = "\n\t\"\\\r/\b\f"
)

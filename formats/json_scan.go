package formats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// MaxDepth is how deeply arrays and objects may nest, the limit of encoding/json.
const MaxDepth = 10000

// SyntaxError says where and why a text is not one JSON value.
type SyntaxError struct {
	Offset int    // 0-based byte offset in the text
	Code   string // "syntax", "truncated" or "too_deep"
	Msg    string
}

func (e *SyntaxError) Error() string { return e.Msg }

// Validate reports whether data is exactly one JSON value (RFC 8259) with white space around it, as a *SyntaxError if
// not. Like encoding/json it lets bytes that are not UTF-8 stand in strings: they are kept, and count as U+FFFD.
func Validate(data []byte) error {
	s := scan{data: data}
	_, err := s.document()
	return err
}

// readRoot is Validate that also says where the value stands, what its members are when it is an object, and whether it
// may hold blocks of Anthropic's dialect: one pass over a record instead of four.
func readRoot(data []byte) (at Span, root Object, blocks bool, err error) {
	s := scan{data: data, keep: true}
	at, err = s.document()
	return at, Object{data: data, members: s.root}, s.blocks, err
}

// scan is a recursive-descent checker; every method takes an offset and returns the offset behind what it consumed.
type scan struct {
	data   []byte
	keep   bool     // collect root and blocks
	root   []member // the members of the outermost object
	blocks bool     // some string is a type of block that tells Anthropic's dialect
}

func (s *scan) document() (at Span, err error) {
	at.Start = s.space(0)
	if at.End, err = s.value(at.Start, 0); err != nil {
		return at, err
	}
	if i := s.space(at.End); i < len(s.data) {
		return at, s.unexpected(i, "after the value")
	}
	return at, nil
}

func (s *scan) fail(at int, code, format string, args ...any) error {
	return &SyntaxError{Offset: at, Code: code, Msg: fmt.Sprintf(format, args...)}
}

func (s *scan) unexpected(i int, where string) error {
	if i >= len(s.data) {
		return s.fail(len(s.data), "truncated", "unexpected end of JSON %s", where)
	}
	return s.fail(i, "syntax", "invalid character %s %s", quoteByte(s.data[i]), where)
}

func quoteByte(c byte) string {
	switch {
	case c == '\'':
		return `'\''`
	case c >= 0x20 && c < 0x7f:
		return "'" + string(rune(c)) + "'"
	}
	return fmt.Sprintf("'\\x%02x'", c)
}

func (s *scan) space(i int) int {
	for i < len(s.data) && isSpace(s.data[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (s *scan) value(i, depth int) (int, error) {
	if i >= len(s.data) {
		return i, s.unexpected(i, "looking for a value")
	}
	switch c := s.data[i]; {
	case c == '"':
		return s.string(i)
	case c == '{':
		return s.object(i, depth+1)
	case c == '[':
		return s.array(i, depth+1)
	case c == '-' || c >= '0' && c <= '9':
		return s.number(i)
	case c == 't':
		return s.literal(i, "true")
	case c == 'f':
		return s.literal(i, "false")
	case c == 'n':
		return s.literal(i, "null")
	}
	return i, s.unexpected(i, "looking for a value")
}

func (s *scan) object(i, depth int) (int, error) {
	if depth > MaxDepth {
		return i, s.fail(i, "too_deep", "nested more than %d levels deep", MaxDepth)
	}
	i = s.space(i + 1)
	if i < len(s.data) && s.data[i] == '}' {
		return i + 1, nil
	}
	for {
		if i >= len(s.data) || s.data[i] != '"' {
			return i, s.unexpected(i, "looking for an object key")
		}
		var err error
		var m member
		m.key.Start = i
		if m.key.End, err = s.string(i); err != nil {
			return i, err
		}
		if i = s.space(m.key.End); i >= len(s.data) || s.data[i] != ':' {
			return i, s.unexpected(i, "after an object key")
		}
		m.value.Start = s.space(i + 1)
		if i, err = s.value(m.value.Start, depth); err != nil {
			return i, err
		}
		if depth == 1 && s.keep {
			m.value.End = i
			s.root = append(s.root, m)
		}
		if i = s.space(i); i >= len(s.data) {
			return i, s.unexpected(i, "in an object")
		}
		switch s.data[i] {
		case ',':
			i = s.space(i + 1)
		case '}':
			return i + 1, nil
		default:
			return i, s.unexpected(i, "after an object member")
		}
	}
}

func (s *scan) array(i, depth int) (int, error) {
	if depth > MaxDepth {
		return i, s.fail(i, "too_deep", "nested more than %d levels deep", MaxDepth)
	}
	i = s.space(i + 1)
	if i < len(s.data) && s.data[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = s.value(i, depth); err != nil {
			return i, err
		}
		if i = s.space(i); i >= len(s.data) {
			return i, s.unexpected(i, "in an array")
		}
		switch s.data[i] {
		case ',':
			i = s.space(i + 1)
		case ']':
			return i + 1, nil
		default:
			return i, s.unexpected(i, "after an array element")
		}
	}
}

func (s *scan) literal(i int, word string) (int, error) {
	for k := range len(word) {
		if i+k >= len(s.data) || s.data[i+k] != word[k] {
			return i, s.unexpected(i+k, "in the literal "+word)
		}
	}
	return i + len(word), nil
}

func (s *scan) number(i int) (int, error) {
	if s.data[i] == '-' {
		i++
	}
	switch {
	case i < len(s.data) && s.data[i] == '0':
		i++
	case i < len(s.data) && s.data[i] >= '1' && s.data[i] <= '9':
		i = s.digits(i)
	default:
		return i, s.unexpected(i, "in a number")
	}
	if i < len(s.data) && s.data[i] == '.' {
		start := i + 1
		if i = s.digits(start); i == start {
			return i, s.unexpected(i, "after the decimal point of a number")
		}
	}
	if i < len(s.data) && s.data[i]|0x20 == 'e' {
		i++
		if i < len(s.data) && (s.data[i] == '+' || s.data[i] == '-') {
			i++
		}
		start := i
		if i = s.digits(start); i == start {
			return i, s.unexpected(i, "in the exponent of a number")
		}
	}
	return i, nil
}

func (s *scan) digits(i int) int {
	for i < len(s.data) && s.data[i] >= '0' && s.data[i] <= '9' {
		i++
	}
	return i
}

// string checks the string that opens at i.
func (s *scan) string(i int) (int, error) {
	i++
	start, escaped := i, false
	for {
		i = plainEnd(s.data, i)
		if i >= len(s.data) {
			return i, s.unexpected(i, "in a string")
		}
		switch s.data[i] {
		case '"':
			if s.keep && !s.blocks && i-start <= longestBlockType {
				s.blocks = isBlockType(s.data[start:i], escaped)
			}
			return i + 1, nil
		case '\\':
			escaped = true
			var err error
			if i, err = s.escape(i); err != nil {
				return i, err
			}
		default:
			return i, s.unexpected(i, "in a string: control characters must be escaped")
		}
	}
}

func (s *scan) escape(i int) (int, error) {
	if i+1 >= len(s.data) {
		return i, s.unexpected(i+1, "in a string escape")
	}
	switch s.data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, nil
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if k >= len(s.data) || hexValue(s.data[k]) < 0 {
				return k, s.unexpected(k, `in a \u escape`)
			}
		}
		return i + 6, nil
	}
	return i + 1, s.unexpected(i+1, "in a string escape")
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// Constants of the eight-bytes-at-a-time tricks: in (x-ones)&^x&highs the lowest bit set marks the first byte of x that is
// zero (those above it may be wrong), and with ones*n in place of ones the first byte below n.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainEnd is the offset of the first byte at or after i that is a quote, a backslash or a control character, or
// len(data).
func plainEnd(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		if hit := ((w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)>>3
		}
	}
	for i < len(data) {
		if c := data[i]; c == '"' || c == '\\' || c < 0x20 {
			return i
		}
		i++
	}
	return i
}

// faultOf turns a scanner's error into a Fault at pos with an excerpt of data.
func faultOf(pos Position, data []byte, err error) *Fault {
	var se *SyntaxError
	if !errors.As(err, &se) {
		return &Fault{Pos: pos, Stage: StageDecode, Code: "decode", Err: err, Caret: -1}
	}
	f := &Fault{Pos: pos, Stage: StageDecode, Code: se.Code, Column: int64(se.Offset) + 1, Err: err}
	f.Excerpt, f.Caret = Excerpt(data, se.Offset)
	return f
}

package jsonl

import "bytes"

type verdict int

const (
	incomplete verdict = iota // the value goes on behind the bytes seen so far
	complete                  // the value ends at scanner.pos
	broken                    // scanner.pos is a byte that cannot stand there
	unclosed                  // a next value seems to have begun at scanner.resync, and this one found no end since
)

// scanner finds the end of one JSON value by its brackets and strings. It does not validate what stands between them:
// that is the decoder's business. It is fed the same growing slice, beginning with the value's first byte, and looks at
// every byte once.
type scanner struct {
	pos    int    // bytes looked at
	open   []byte // the closing counterparts of the brackets that are open
	quoted bool   // inside a string
	bare   bool   // inside a number or a literal
	cause  string // of broken

	anchor   anchor
	resync   int // where, inside the value, the next one seems to begin; 0: nowhere
	patience int // how many bytes behind resync the value may still end
}

// Bytes that end a plain run inside a value: quotes, brackets and line ends.
var structural = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, '\n': true}

// scan looks at the rest of b, in which the value begins at 0. ended says that nothing follows b.
func (s *scanner) scan(b []byte, ended bool) verdict {
	if s.bare || (s.pos == 0 && len(b) > 0 && !structural[b[0]]) {
		return s.scalar(b, ended)
	}
	for s.pos < len(b) {
		if s.quoted {
			if v := s.closeString(b); v != complete {
				return v
			}
			if len(s.open) == 0 {
				return complete
			}
		}
		i := s.pos
		for i < len(b) && !structural[b[i]] {
			i++
		}
		s.pos = i
		if i == len(b) {
			return incomplete
		}
		if len(s.anchor) > 0 && i > 0 && s.resync == 0 && b[i] == s.anchor[0] {
			if !ended && len(b)-i < len(s.anchor) {
				return incomplete // the answer must not depend on how the stream was cut into reads
			}
			if bytes.HasPrefix(b[i:], s.anchor) {
				s.resync = i
			}
		}
		switch c := b[i]; c {
		case '"':
			s.quoted = true
		case '{', '[':
			s.open = append(s.open, c+2) // '}' and ']' stand two behind their opening ones in ASCII
		case '}', ']':
			last := len(s.open) - 1
			if last < 0 || s.open[last] != c {
				s.cause = "unexpected '" + string(c) + "'"
				return broken
			}
			s.open = s.open[:last]
			if last == 0 {
				s.pos++
				return complete
			}
		}
		if s.resync > 0 && i-s.resync >= s.patience {
			return unclosed
		}
		s.pos++
	}
	return incomplete
}

// scalar takes a number, a literal or whatever stands in their place, up to a delimiter.
func (s *scanner) scalar(b []byte, ended bool) verdict {
	s.bare = true
	i := bytes.IndexAny(b[s.pos:], " \t\r\n,:]}[{\"")
	if i < 0 {
		s.pos = len(b)
		if ended {
			return complete
		}
		return incomplete
	}
	s.pos += i
	if s.pos == 0 {
		s.cause = "unexpected '" + string(b[0]) + "'"
		return broken
	}
	return complete
}

// closeString goes to the end of the string in which s.pos stands. A line end inside a string is illegal JSON, and the
// one sure sign that a string was never closed.
func (s *scanner) closeString(b []byte) verdict {
	for {
		rest := b[s.pos:]
		end := bytes.IndexByte(rest, '"')
		text := rest
		if end >= 0 {
			text = rest[:end]
		}
		if nl := bytes.IndexByte(text, '\n'); nl >= 0 {
			s.pos += nl
			s.cause = "line break in a string"
			return broken
		}
		if end < 0 {
			s.pos = len(b)
			return incomplete
		}
		quote := s.pos + end
		slash := quote
		for slash > 0 && b[slash-1] == '\\' {
			slash--
		}
		s.pos = quote + 1
		if (quote-slash)%2 == 0 {
			s.quoted = false
			return complete
		}
	}
}

// anchor is what the beginning of every value of a container looks like: a line end, the indentation and a bracket, or
// the first key of a one-line array's elements. It serves to find the next value behind a broken one and is only
// trusted when it does not stand inside the first value. Empty: unknown.
type anchor []byte

// lineAnchor is the anchor of a value that begins with first after lead; empty unless the lead ends a line.
func lineAnchor(lead []byte, first byte) anchor {
	nl := bytes.LastIndexByte(lead, '\n')
	if nl < 0 || (first != '{' && first != '[') {
		return nil
	}
	return append(bytes.Clone(lead[nl:]), first)
}

// keyAnchor is the anchor of the elements of a one-line array: `{"key"`.
func keyAnchor(raw []byte) anchor {
	const shortest = len(`{"id"`)
	if len(raw) < shortest || raw[0] != '{' {
		return nil
	}
	open := bytes.IndexByte(raw, '"')
	if open < 0 {
		return nil
	}
	end := bytes.IndexByte(raw[open+1:], '"')
	if end < 0 || len(bytes.TrimSpace(raw[1:open])) > 0 {
		return nil
	}
	key := raw[:open+1+end+1]
	if len(key) < shortest || bytes.Contains(raw[1:], key) {
		return nil
	}
	return bytes.Clone(key)
}

// next finds the anchor in b[from:to], or, with closing, a "]" at the beginning of a line; -1 when there is none.
func (a anchor) next(b []byte, from, to int, closing bool) int {
	at := -1
	if len(a) > 0 {
		if i := bytes.Index(b[from:min(len(b), to+len(a)-1)], a); i >= 0 {
			at = from + i
		}
	}
	if closing {
		if i := bytes.Index(b[from:min(len(b), to+1)], []byte("\n]")); i >= 0 && (at < 0 || from+i < at) {
			at = from + i
		}
	}
	return at
}

package jsonl

import (
	"bytes"
	"errors"
	"io"

	"github.com/ctxpack/ctxpack/formats"
)

// state is where in an array the source stands.
type state int

const (
	outside   state = iota // before the first "[" and behind the last "]"
	opened                 // behind "[": an element or "]"
	separated              // behind ",": an element
	followed               // behind an element: "," or "]"
	lost                   // inside something broken: look for the next element
	found                  // at what seems to be the next element
	cutOff                 // the array ended without "]", and that has been said
)

const (
	// maxJunk cuts broken input in which no next value is found into records that fit into memory.
	maxJunk = 1 << 20
	// patience is how far a value may go on behind what looks like the beginning of the next one. It bounds memory when
	// one bracket is missing in a large file; after maxRetries such values the look of the next one is believed at once.
	patience   = 16 << 20
	maxRetries = 16
)

const (
	codeSyntax    = "syntax"
	codeTruncated = "truncated"
)

func newFault(code string, column int, cause string) *formats.Fault {
	return &formats.Fault{Code: code, Column: int64(column), Err: errors.New(cause), Caret: -1}
}

func (s *Source) nextElement() (formats.Record, error) {
	if s.state == lost {
		if rec, any, err := s.nextJunk(true); any || err != nil {
			return rec, err
		}
	}
	for i := 0; ; i++ {
		var err error
		if i, err = s.space(i); err != nil {
			if err == io.EOF && s.state != outside && s.state != cutOff {
				s.state = cutOff
				return s.emit(i, 0, 0, newFault(codeTruncated, 0, "the array is not closed")), nil
			}
			return s.end(err, i)
		}
		if i >= maxFraming {
			return s.emit(i, 0, 0, nil), nil
		}
		c := s.w.bytes()[i]
		switch {
		case s.state == outside && c == '[':
			s.state = opened
		case s.state == outside:
			return s.stray(i)
		case c == ']' && s.state != separated:
			s.state = outside
		case c == ',' && (s.state == followed || s.state == found):
			s.state = separated
		case c == ',' || c == ']':
			s.state = followed
			return s.emit(i, 0, 0, newFault(codeSyntax, 0, "an element is missing before '"+string(c)+"'")), nil
		default:
			return s.element(i)
		}
	}
}

// stray emits the rest of a line that stands outside the array.
func (s *Source) stray(start int) (formats.Record, error) {
	n, err := s.skipJunk(start, start+1, anchor("\n"), false)
	if err != nil {
		return formats.Record{}, s.broken(err)
	}
	s.state = outside
	return s.emit(start, n, 0, newFault(codeSyntax, 1, "unexpected data outside the array")), nil
}

// element emits the array's element that begins at start.
func (s *Source) element(start int) (formats.Record, error) {
	if !s.known && s.anchor == nil {
		b := s.w.bytes()
		s.anchor = lineAnchor(b[:start], b[start])
	}
	before := s.state
	n, fault, err := s.value(start, true)
	if err != nil {
		return formats.Record{}, s.broken(err)
	}
	if fault == nil {
		s.state = followed
		if before == followed {
			fault = newFault(codeSyntax, 1, "a ',' is missing before this element")
		}
	}
	return s.emit(start, n, 0, fault), nil
}

// value delimits the value that begins at start. A broken value ends where the next one seems to begin, and the state
// says whether such a place is known.
func (s *Source) value(start int, inArray bool) (int, *formats.Fault, error) {
	scan := scanner{anchor: s.anchor, open: s.open[:0]}
	defer func() { s.open = scan.open }()
	if s.retry < maxRetries {
		scan.patience = patience
	}
	for {
		ended := s.w.atEOF()
		v := scan.scan(s.w.bytes()[start:], ended)
		switch {
		case v == complete:
			s.learn(s.w.bytes()[start:start+scan.pos], inArray)
			return scan.pos, nil, nil
		case v == incomplete && !ended:
			if err := s.w.more(); err != nil && err != io.EOF {
				return 0, nil, err
			}
		case scan.resync > 0:
			s.retry++
			s.state = found
			return scan.resync, newFault(codeTruncated, scan.resync, "this value is not closed before the next one begins"), nil
		case v == broken:
			n, err := s.skipJunk(start, start+max(scan.pos, 1), s.anchor, inArray)
			return n, newFault(codeSyntax, scan.pos+1, scan.cause), err
		default:
			s.state = cutOff
			n := len(s.w.bytes()) - start
			return n, newFault(codeTruncated, n, "the input ends inside this value"), nil
		}
	}
}

// learn settles the anchor by the first whole value.
func (s *Source) learn(raw []byte, inArray bool) {
	if s.known {
		return
	}
	s.known = true
	if len(s.anchor) == 0 && inArray {
		s.anchor = keyAnchor(raw)
	}
	if len(s.anchor) > 0 && bytes.Contains(raw[1:], s.anchor) {
		s.anchor = nil
	}
}

// skipJunk counts the bytes from start to the anchor's next occurrence at or behind from; when there is none within
// maxJunk bytes, to there, or to the end of the input.
func (s *Source) skipJunk(start, from int, a anchor, inArray bool) (int, error) {
	to := from + maxJunk
	s.w.fill(to + max(len(a), len("\n]")))
	if s.w.err != nil && !s.w.atEOF() {
		return 0, s.w.err
	}
	b := s.w.bytes()
	closing := inArray && len(a) > 0 && a[0] == '\n'
	if at := a.next(b, from, to, closing); at >= 0 {
		s.state = found
		return at - start, nil
	}
	if to < len(b) {
		s.state = lost
		return to - start, nil
	}
	s.state = cutOff
	return len(b) - start, nil
}

// nextJunk goes on inside something broken; false when the next value has been reached, or the end.
func (s *Source) nextJunk(inArray bool) (formats.Record, bool, error) {
	n, err := s.skipJunk(0, 0, s.anchor, inArray)
	if err != nil {
		return formats.Record{}, false, s.broken(err)
	}
	if n == 0 {
		return formats.Record{}, false, nil
	}
	return s.emit(0, n, 0, newFault(codeSyntax, 1, "the rest of something broken before it")), true, nil
}

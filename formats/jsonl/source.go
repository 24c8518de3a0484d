// Package jsonl reads and writes containers of JSON values: one value a line, one array, or values that go over several
// lines. It finds where a value begins and ends and leaves its meaning to the dialects.
//
// Every byte of the stream is in exactly one record's Lead, Raw or Trail, so that writing every record back is a copy.
package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ctxpack/ctxpack/formats"
)

// maxFraming is how much white space one record may carry; more comes as records that are framing only.
const maxFraming = 64 << 10

// Options are settings of a Source. The zero value detects everything.
type Options struct {
	Framing Framing // "" detects it from the first MiB

	// IsSession, when it is not nil, is asked whether a stream that begins like this is a session log.
	IsSession func(peek []byte) bool
}

// Source yields the records of one stream. It implements formats.Source.
//
// Memory is one buffer of 1 MiB and the record at hand, of any size. In the framing Lines a record's payload is a line,
// valid JSON or not. In the others a value that cannot be delimited comes as a record with a Fault of stage "read" and
// code "syntax" or "truncated"; reading goes on at the next place where a value seems to begin.
type Source struct {
	w       window
	name    string
	framing Framing
	why     string
	index   int64

	state  state  // of Array and Values
	open   []byte // the scanner's stack, kept for the next value
	anchor anchor
	known  bool // a whole value has been seen: the anchor is final
	retry  int  // how often an unclosed value was cut at what looked like the next one
}

// NewSource reads up to 1 MiB of r and tells the framing. name is what positions and errors call the stream. r yields
// decompressed bytes and stays the caller's to close.
//
// Text that is not UTF-8 but UTF-16 or UTF-32, and binary files, are an error with a hint. An error of r itself comes
// from Next, behind the records that could be read.
func NewSource(r io.Reader, name string, opts Options) (*Source, error) {
	s := &Source{w: newWindow(r), name: name, framing: opts.Framing, why: "it was asked for"}
	switch opts.Framing {
	case Lines, Array, Values, Session:
		return s, nil
	case "":
	default:
		return nil, fmt.Errorf("%s: unknown framing %q: known are %s, %s, %s and %s", name, opts.Framing, Lines, Array, Values, Session)
	}
	s.w.fill(peekSize)
	peek := s.w.bytes()
	if opts.IsSession != nil && opts.IsSession(peek[:min(len(peek), peekSize)]) {
		s.framing, s.why = Session, "its lines are those of one session"
		return s, nil
	}
	var err error
	s.framing, s.why, err = detect(peek[:min(len(peek), peekSize)], s.w.atEOF() && len(peek) <= peekSize)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// Framing is how the stream is cut into records: what its Sink must be told.
func (s *Source) Framing() Framing { return s.framing }

// Why says in a phrase what the framing was told from: "its first line is a whole object".
func (s *Source) Why() string { return s.why }

// Close has nothing to release: the reader belongs to the caller.
func (s *Source) Close() error { return nil }

// Next yields the next record; see formats.Source.
func (s *Source) Next(ctx context.Context) (formats.Record, error) {
	if ctx.Err() != nil {
		return formats.Record{}, context.Cause(ctx)
	}
	switch s.framing {
	case Array:
		return s.nextElement()
	case Values:
		return s.nextValue()
	case Session:
		return s.nextSession()
	default:
		return s.nextLine()
	}
}

func (s *Source) nextLine() (formats.Record, error) {
	start, err := s.space(0)
	if err != nil {
		return s.end(err, start)
	}
	if start >= maxFraming {
		return s.emit(start, 0, 0, nil), nil
	}
	b := s.w.bytes()
	for from := start; ; {
		if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
			return s.emitLine(start, from+i, from+i+1), nil
		}
		from = len(b)
		err := s.w.more()
		b = s.w.bytes()
		if err == io.EOF {
			return s.emitLine(start, len(b), len(b)), nil
		}
		if err != nil {
			return formats.Record{}, s.broken(err)
		}
	}
}

// nextSession reads everything there is as one record.
func (s *Source) nextSession() (formats.Record, error) {
	start, err := s.space(0)
	if err != nil {
		return s.end(err, start)
	}
	if start >= maxFraming {
		return s.emit(start, 0, 0, nil), nil
	}
	for err == nil {
		err = s.w.more()
	}
	if !errors.Is(err, io.EOF) {
		return formats.Record{}, s.broken(err)
	}
	all := len(s.w.bytes())
	rec := s.emitLine(start, all, all)
	rec.Session = true
	return rec, nil
}

// emitLine emits the line whose payload begins at start; end is where the line ends, next where the following begins.
func (s *Source) emitLine(start, end, next int) formats.Record {
	b := s.w.bytes()
	for end > start && isSpace(b[end-1]) {
		end--
	}
	return s.emit(start, end-start, next-end, nil)
}

func (s *Source) nextValue() (formats.Record, error) {
	if s.state == lost {
		if rec, any, err := s.nextJunk(false); any || err != nil {
			return rec, err
		}
	}
	start, err := s.space(0)
	if err != nil {
		return s.end(err, start)
	}
	if start >= maxFraming {
		return s.emit(start, 0, 0, nil), nil
	}
	if !s.known && s.anchor == nil {
		s.anchor = anchor("\n{")
		if s.w.bytes()[start] == '[' {
			s.anchor = anchor("\n[")
		}
	}
	n, fault, err := s.value(start, false)
	if err != nil {
		return formats.Record{}, s.broken(err)
	}
	return s.emit(start, n, s.restOfLine(start+n), fault), nil
}

// restOfLine counts the white space from i on up to and with the line's end, so that leaving a value out leaves its
// line out; 0 when something else stands on the line.
func (s *Source) restOfLine(i int) int {
	for n := 0; ; {
		b := s.w.bytes()[i:]
		for limit := min(len(b), maxFraming); n < limit; n++ {
			if b[n] == '\n' {
				return n + 1
			}
			if !isSpace(b[n]) {
				return 0
			}
		}
		if n >= maxFraming {
			return 0
		}
		if s.w.more() != nil {
			return n // the end, or an error that Next comes across again
		}
	}
}

// space skips white space from i on, and a byte order mark at the beginning of the stream, and stops behind maxFraming
// bytes. With an error, the position is the end of what could be read.
func (s *Source) space(i int) (int, error) {
	for {
		if i == 0 && s.w.offset == 0 {
			s.w.fill(len(byteOrderMark))
			if bytes.HasPrefix(s.w.bytes(), byteOrderMark) {
				i = len(byteOrderMark)
			}
		}
		b := s.w.bytes()
		limit := min(len(b), maxFraming)
		for i < limit && isSpace(b[i]) {
			i++
		}
		if i < len(b) || i >= maxFraming {
			return i, nil
		}
		if err := s.w.more(); err != nil {
			return i, err
		}
	}
}

// end ends the stream: the first n bytes, all that is left, are framing.
func (s *Source) end(err error, n int) (formats.Record, error) {
	if !errors.Is(err, io.EOF) {
		return formats.Record{}, s.broken(err)
	}
	if n > 0 {
		return s.emit(n, 0, 0, nil), nil
	}
	return formats.Record{}, io.EOF
}

// broken gives a read error its address.
func (s *Source) broken(err error) error {
	return fmt.Errorf("%s: %w", formats.Position{File: s.name, Line: s.w.line}, err)
}

// emit takes a record off the window. A fault gets the record's position and an excerpt.
func (s *Source) emit(lead, raw, trail int, fault *formats.Fault) formats.Record {
	pos := formats.Position{File: s.name, Line: s.w.line, Index: s.index, Offset: s.w.offset}
	b := s.w.take(lead + raw + trail)
	rec := formats.Record{Lead: b[:lead:lead], Raw: b[lead : lead+raw : lead+raw], Trail: b[lead+raw:], Fault: fault}
	s.w.line += int64(bytes.Count(b, []byte{'\n'}))
	if !rec.FramingOnly() {
		pos.Line += int64(bytes.Count(rec.Lead, []byte{'\n'}))
		pos.Offset += int64(lead)
		s.index++
	}
	rec.Pos = pos
	if fault != nil {
		fault.Pos, fault.Stage = pos, formats.StageRead
		fault.Excerpt, fault.Caret = formats.Excerpt(rec.Raw, int(fault.Column)-1)
	}
	return rec
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

package jsonl

import (
	"bytes"
	"errors"
	"io"

	"github.com/ctxpack/ctxpack/formats"
)

// Sink writes records back into the container they came from. It implements formats.Sink.
type Sink struct {
	w       io.WriteCloser
	framing Framing

	inArray bool   // a "[" was written, and no "]" since
	wrote   bool   // an element was written since that "["
	skipped bool   // the last record, framing aside, was left out
	pending []byte // separators that came as records of their own
}

// NewSink returns a sink for records of a Source with the same framing. Close closes w, which is therefore normally a
// codec.NewWriter: it completes the compression and leaves the file open.
func NewSink(w io.WriteCloser, framing Framing) *Sink {
	return &Sink{w: w, framing: framing}
}

// errSeveralLines can only come from a fault in a dialect: nothing that was read as one line needs several.
var errSeveralLines = errors.New("a record of a file of lines must not hold a line break")

// Write writes rec's framing around payload; see formats.Sink.
func (k *Sink) Write(rec formats.Record, payload []byte) error {
	if k.framing == Lines && bytes.IndexByte(payload, '\n') >= 0 {
		return errSeveralLines
	}
	if k.framing == Array {
		if err := k.separate(rec); err != nil {
			return err
		}
	} else if err := k.write(rec.Lead); err != nil {
		return err
	}
	if !rec.FramingOnly() {
		k.skipped = false
	}
	if err := k.write(payload); err != nil {
		return err
	}
	return k.write(rec.Trail)
}

// separate writes what stands before an array's element, without a "," before the first one that is written.
func (k *Sink) separate(rec formats.Record) error {
	switch {
	case bytes.ContainsAny(rec.Lead, "[]"):
		if err := k.flush(); err != nil {
			return err
		}
		k.bracket(rec.Lead)
		k.wrote = k.inArray && !rec.FramingOnly()
		k.skipped = false
		return k.write(rec.Lead)
	case !k.inArray:
		return k.write(rec.Lead)
	case rec.FramingOnly():
		k.pending = append(k.pending, rec.Lead...)
		return nil
	}
	separator := append(k.pending, rec.Lead...)
	k.pending = nil
	first := !k.wrote
	k.wrote = true
	if first && k.skipped {
		return nil // the space behind "[" serves this element
	}
	if !first && k.skipped && bytes.IndexByte(separator, ',') < 0 {
		if err := k.write([]byte{','}); err != nil {
			return err
		}
	}
	return k.write(separator)
}

// bracket follows the brackets of a lead.
func (k *Sink) bracket(lead []byte) {
	k.inArray = lead[bytes.LastIndexAny(lead, "[]")] == '['
}

func (k *Sink) flush() error {
	err := k.write(k.pending)
	k.pending = nil
	return err
}

// Skip leaves rec's payload out; see formats.Sink.
func (k *Sink) Skip(rec formats.Record) error {
	lead := rec.Lead
	switch {
	case k.framing == Array && bytes.ContainsAny(lead, "[]"):
		k.pending = nil
		k.bracket(lead)
		k.wrote = false
	case k.framing == Array && k.inArray:
		k.pending, lead = nil, nil
	default:
		// Whole lines before the record stay; the beginning of its own line goes with it.
		keep := bytes.LastIndexByte(lead, '\n') + 1
		if keep == 0 && bytes.HasPrefix(lead, byteOrderMark) {
			keep = len(byteOrderMark)
		}
		lead = lead[:keep]
	}
	k.skipped = true
	return k.write(lead)
}

// Close completes the output and closes the writer it was given. When the end of an unclosed array was left out, the
// array is closed.
func (k *Sink) Close() error {
	var err error
	if k.framing == Array && k.inArray && k.skipped {
		err = k.write([]byte("]\n"))
	} else {
		err = k.flush()
	}
	return errors.Join(err, k.w.Close())
}

func (k *Sink) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := k.w.Write(b)
	return err
}

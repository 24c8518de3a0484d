package jsonl

import (
	"bytes"
	"io"
)

const (
	firstBuffer = 64 << 10 // what a small file costs
	baseBuffer  = 1 << 20  // what a large one is read with

	maxEmptyReads = 100
)

// window is the part of the stream that has been read and not yet been taken. It grows to hold whatever one record
// needs and goes back to baseBuffer afterwards.
type window struct {
	r      io.Reader
	buf    []byte
	lo, hi int   // what is not yet taken is buf[lo:hi]
	offset int64 // of buf[lo] in the stream
	line   int64 // of buf[lo], 1-based
	err    error // sticky; io.EOF at the end of the stream
}

func newWindow(r io.Reader) window {
	return window{r: r, buf: make([]byte, firstBuffer), line: 1}
}

// bytes is what is not yet taken; valid until the next more or take.
func (w *window) bytes() []byte { return w.buf[w.lo:w.hi] }

// more reads at least one more byte, or says why it cannot.
func (w *window) more() error {
	if w.err != nil {
		return w.err
	}
	if w.hi == len(w.buf) {
		w.makeRoom()
	}
	for range maxEmptyReads {
		n, err := w.r.Read(w.buf[w.hi:])
		w.hi += n
		w.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	w.err = io.ErrNoProgress
	return w.err
}

// makeRoom moves what is left to the front, or into a larger (after an exceptional record: a smaller) buffer.
func (w *window) makeRoom() {
	left := w.hi - w.lo
	size := len(w.buf)
	switch {
	case left > size/2, size < baseBuffer && left > 0:
		size = max(2*size, min(4*size, baseBuffer))
	case size > baseBuffer && left <= baseBuffer/2:
		size = baseBuffer
	}
	if size == len(w.buf) {
		copy(w.buf, w.buf[w.lo:w.hi])
	} else {
		w.renew(size)
	}
	w.lo, w.hi = 0, left
}

func (w *window) renew(size int) {
	buf := make([]byte, size)
	copy(buf, w.buf[w.lo:w.hi])
	w.buf = buf
}

// fill reads until n bytes are there or the stream ends.
func (w *window) fill(n int) {
	for w.hi-w.lo < n && w.more() == nil {
	}
}

// atEOF says that the stream ends behind bytes().
func (w *window) atEOF() bool { return w.err == io.EOF }

// take cuts the first n bytes off; they belong to the caller. A record that fills most of a grown buffer is given the
// buffer itself instead of a copy.
func (w *window) take(n int) []byte {
	taken := w.buf[w.lo : w.lo+n : w.lo+n]
	w.lo += n
	w.offset += int64(n)
	if len(w.buf) > baseBuffer && n > len(w.buf)/2 {
		left := w.hi - w.lo
		w.renew(max(baseBuffer, left))
		w.lo, w.hi = 0, left
		return taken
	}
	return bytes.Clone(taken)
}

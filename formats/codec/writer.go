package codec

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The levels are part of the promise that the same records give the same file: they never depend on the machine.
const (
	gzipLevel = 6
	zstdLevel = zstd.SpeedDefault
)

// NewWriter returns a writer that compresses into w. The same bytes give the same compressed bytes, however they were
// cut into calls of Write: levels are fixed, and neither a name nor a time is written.
//
// Compressing and writing to w happen in a goroutine of its own, at most a few blocks behind; an error of w is returned
// by a later Write and again by Close. Close must be called, also after an error: it writes what is left, the trailer,
// ends the goroutine, and does not close w. Write and Close are for one caller.
func NewWriter(w io.Writer, kind Kind) (io.WriteCloser, error) {
	var enc io.WriteCloser
	switch kind {
	case Plain:
		enc = nopCloser{w}
	case Gzip:
		zw, err := gzip.NewWriterLevel(w, gzipLevel)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		zw.ModTime = time.Unix(0, 0) // "no time"; the zero time.Time would be written as the year 2042
		enc = zw
	case Zstd:
		zw, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstdLevel), zstd.WithEncoderConcurrency(1),
			zstd.WithZeroFrames(true)) // an empty output is still a zstd file
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		enc = zw
	default:
		return nil, fmt.Errorf("cannot write %q: known are %s, %s and %s", kind, Plain, Gzip, Zstd)
	}
	return writeBehind(enc), nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// behind hands blocks to a goroutine that writes them. Blocks are always full but for the last one, so the encoder sees
// the same calls whatever the caller's are.
type behind struct {
	full   chan []byte
	free   chan []byte
	done   chan error // the encoder's first error, or nil; once, at the end
	failed atomic.Pointer[error]

	cur    []byte
	closed bool
	err    error
}

const (
	behindBlock      = 256 << 10
	behindFirstBlock = 16 << 10 // grown by append: many outputs are one small conversation
	behindBlocks     = 3
)

func writeBehind(enc io.WriteCloser) *behind {
	b := &behind{
		full: make(chan []byte, behindBlocks),
		free: make(chan []byte, behindBlocks),
		done: make(chan error, 1),
	}
	for range behindBlocks - 1 {
		b.free <- nil
	}
	b.cur = make([]byte, 0, behindFirstBlock)
	go b.drain(enc)
	return b
}

// drain goes on taking blocks after an error, so that Write never blocks for ever.
func (b *behind) drain(enc io.WriteCloser) {
	var first error
	for buf := range b.full {
		if first == nil {
			if _, err := enc.Write(buf); err != nil {
				first = err
				b.failed.Store(&err)
			}
		}
		b.free <- buf[:0]
	}
	// Closed also after an error: an encoder may hold resources; its error then adds nothing.
	if err := enc.Close(); first == nil {
		first = err
	}
	b.done <- first
}

func (b *behind) Write(p []byte) (int, error) {
	if b.closed {
		return 0, io.ErrClosedPipe
	}
	if err := b.failed.Load(); err != nil {
		return 0, *err
	}
	n := len(p)
	for len(p) > 0 {
		k := min(len(p), behindBlock-len(b.cur))
		b.cur = append(b.cur, p[:k]...)
		p = p[k:]
		if len(b.cur) == behindBlock {
			b.full <- b.cur
			if b.cur = <-b.free; b.cur == nil {
				b.cur = make([]byte, 0, behindBlock)
			}
		}
	}
	return n, nil
}

func (b *behind) Close() error {
	if b.closed {
		return b.err
	}
	b.closed = true
	if len(b.cur) > 0 {
		b.full <- b.cur
	}
	close(b.full)
	b.err = <-b.done
	return b.err
}

package cmd

import (
	"context"
	"io"
	"sync"
)

// interruptible is a reader whose Read also ends when a context does. A read of a pipe or a terminal may last for ever,
// and nothing in the process can end it; here it is left behind, in a goroutine that ends with the read or the process.
type interruptible struct {
	ctx   context.Context //nolint:containedctx // of the process: an io.Reader cannot be given one
	from  io.Reader
	start sync.Once
	pipe  *io.PipeReader
}

func newInterruptible(ctx context.Context, from io.Reader) *interruptible {
	return &interruptible{ctx: ctx, from: from}
}

// Read reads; after the end of the context it fails with its cause.
func (r *interruptible) Read(p []byte) (int, error) {
	r.start.Do(r.begin)
	return r.pipe.Read(p)
}

// begin starts reading; not earlier than somebody wants to, since it takes from what others may want to read.
func (r *interruptible) begin() {
	pipe, w := io.Pipe()
	r.pipe = pipe
	stop := context.AfterFunc(r.ctx, func() {
		_ = w.CloseWithError(context.Cause(r.ctx)) // never fails
	})
	go func() {
		defer stop()
		_, err := io.Copy(w, r.from)
		_ = w.CloseWithError(err) // never fails; nil is the end of the input
	}()
}

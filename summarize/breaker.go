package summarize

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// breakAfter is how many failures of a fatal class in a row end all calling.
const breakAfter = 5

// Breaker stops calling a provider that refuses everything. A refused key or an unknown model before any success is a
// *FatalError; after five failures of a fatal class in a row every further call fails at once with ErrStopped.
type Breaker struct {
	client Client

	mu        sync.Mutex
	succeeded bool
	row       int
	last      error
	fatal     bool // last ends the run
	open      chan struct{}
}

// NewBreaker wraps client.
func NewBreaker(client Client) *Breaker { return &Breaker{client: client, open: make(chan struct{})} }

// Name is the client's.
func (b *Breaker) Name() string { return b.client.Name() }

// Stopped is closed when no more calls are made, for those who wait for something.
func (b *Breaker) Stopped() <-chan struct{} { return b.open }

// Complete asks, unless calling has been stopped.
func (b *Breaker) Complete(ctx context.Context, call Call) (Answer, error) {
	select {
	case <-b.open:
		return Answer{}, b.refusal()
	default:
	}
	a, err := b.client.Complete(ctx, call)
	return a, b.note(err)
}

// refusal is the error of a call that is not made.
func (b *Breaker) refusal() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fatal {
		return &FatalError{Err: b.last}
	}
	return fmt.Errorf("%w (%s)", ErrStopped, b.last.Error()) // not wrapped: nothing was asked, nothing was charged
}

func (b *Breaker) note(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var failed *CallError
	switch {
	case err == nil:
		b.succeeded, b.row = true, 0
		return nil
	case !errors.As(err, &failed) || !failed.Class.FatalClass():
		return err
	case !b.succeeded && b.row == 0 && failed.Class != QuotaExhausted:
		if !b.fatal {
			b.fatal, b.last = true, err
			close(b.open)
		}
		return &FatalError{Err: err}
	}
	if b.row++; b.row == breakAfter && !b.fatal {
		b.last = err
		close(b.open)
	}
	return err
}

package cmd

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"
)

// inOrder reads items one after the other, works on several at once and takes the results in the order of the items,
// however many workers there are. It stops at the first error in that order; io.EOF from next is the end. At most twice
// as many items as workers are held at a time. next and take are called by one goroutine each.
func inOrder[T, R any](ctx context.Context, workers int, next func(context.Context) (T, error),
	work func(context.Context, T) (R, error), take func(R) error) error {
	type slot struct {
		result R
		err    error
		done   chan struct{}
	}
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(1 + workers) // the taker, and the workers
	order := make(chan *slot, workers)
	g.Go(func() error {
		for s := range order {
			select {
			case <-s.done:
			case <-inner.Done():
				return context.Cause(inner)
			}
			if s.err != nil {
				return s.err
			}
			if err := take(s.result); err != nil {
				return err
			}
		}
		return nil
	})
	read := func() error {
		defer close(order)
		for {
			item, err := next(inner)
			if err != nil {
				return err
			}
			s := &slot{done: make(chan struct{})}
			select {
			case order <- s:
			case <-inner.Done():
				return context.Cause(inner)
			}
			g.Go(func() error {
				defer close(s.done)
				s.result, s.err = work(inner, item)
				return nil // met in order
			})
		}
	}
	readErr := read()
	err := g.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	case errors.Is(readErr, io.EOF):
		return nil
	}
	return readErr
}

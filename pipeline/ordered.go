package pipeline

import (
	"context"

	"github.com/ctxpack/ctxpack/formats"
	"golang.org/x/sync/semaphore"
)

// slot is a unit's place in the order of the output: consecutive records of one input. The reader fills it, its
// goroutine fills outs and err, and the writer, once done, empties it.
type slot struct {
	input  int
	recs   []formats.Record
	size   int   // bytes of recs
	weight int64 // of recs, in the byte bound
	busy   bool  // some record needs processing
	last   bool  // the end of the input

	outs []Outcome // one for each record, or fewer: then err is why
	err  error
	done chan struct{} // room for one
	run  func() error  // does the work; made once for all the units that the slot will hold
}

func (s *slot) add(rec formats.Record, weight int64) {
	s.recs = append(s.recs, rec)
	s.size += rec.Size()
	s.weight += weight
	s.busy = s.busy || (rec.Fault == nil && !rec.FramingOnly())
}

// ordered is the window: slots that are free, slots in the order of the input, and the bytes they may hold. There are
// Window slots, so neither order nor free ever blocks for want of room.
type ordered struct {
	free  chan *slot
	order chan *slot
	bytes *semaphore.Weighted
	limit int64
}

func newOrdered(opts Options) *ordered {
	o := &ordered{
		free:  make(chan *slot, opts.Window),
		order: make(chan *slot, opts.Window),
		bytes: semaphore.NewWeighted(opts.Bytes),
		limit: opts.Bytes,
	}
	for range opts.Window {
		o.free <- nil // made when first used: a small input needs few
	}
	return o
}

// weigh is a record's share of the byte bound. One that is larger than the bound takes all of it, and so passes alone.
func (o *ordered) weigh(rec formats.Record) int64 {
	return min(weightPerByte*int64(rec.Size()), o.limit)
}

// acquire waits for a slot and for weight. Called by the reader only, therefore in input order.
func (o *ordered) acquire(ctx context.Context, input int, weight int64) (*slot, error) {
	var s *slot
	select {
	case s = <-o.free:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err := o.bytes.Acquire(ctx, weight); err != nil {
		return nil, context.Cause(ctx)
	}
	if s == nil {
		s = &slot{done: make(chan struct{}, 1)}
	}
	s.input = input
	return s, nil
}

func (o *ordered) release(s *slot) {
	o.bytes.Release(s.weight)
	clear(s.recs) // what they hold is garbage from here on
	clear(s.outs)
	*s = slot{recs: s.recs[:0], outs: s.outs[:0], done: s.done, run: s.run}
	o.free <- s
}

// drain writes slots in order until there are no more, one fails, or ctx ends.
func (o *ordered) drain(ctx context.Context, w *writer) error {
	defer w.abandon()
	for s := range o.order {
		select {
		case <-s.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := w.writeUnit(ctx, s); err != nil {
			return err
		}
		o.release(s)
	}
	return nil
}

// Package pipeline moves records from sources through a function to sinks: in parallel, in order, in bounded memory.
//
// It knows nothing of conversations, files or reports. This file is the whole story:
//
//	the caller reads ── order (a window of slots) ──► the writer
//	        └──── one goroutine a slot ──── slot.done ──┘
//
// A slot is put in order before its work starts and its done has room for one, so a worker never waits for the writer
// and the writer sees records, rejects and errors in the order of the input, however many workers there are. A slot
// holds one record, or a handful of small ones.
package pipeline

import (
	"context"
	"io"

	"github.com/ctxpack/ctxpack/formats"
	"golang.org/x/sync/errgroup"
)

// Process turns one record into what is to become of it. It is called from many goroutines at once, each time holding
// one permit of gate; it may hand the permit back while it waits for something else than the CPU (gate.Outside).
// An error is fatal for the run; what concerns this record only is an Outcome with a Reject.
type Process func(ctx context.Context, gate *Gate, rec formats.Record) (Outcome, error)

// Outcome is what becomes of a record.
type Outcome struct {
	Payload []byte         // what is written in the record's place; nil: the record as it is
	Reject  *formats.Fault // not nil: the record is left out of the output and goes to the rejects
	Omit    bool           // the record is left out of the output because it was not asked for
	Row     any            // for the observer; the pipeline does not look at it
}

// Input is one stream of records and where they go. The functions are called once each, in the order of the inputs:
// Open by the goroutine that called Run, the others by the writer, when everything before this input has been written.
type Input struct {
	Name string
	Open func(ctx context.Context) (formats.Source, error)
	// Create opens the output, at the latest before Done. nil: nothing is written.
	Create func(ctx context.Context) (formats.Sink, error)
	// Rejects takes the records that are left out. nil: they are counted only. The caller closes it.
	Rejects Rejecter
	// Done is told that the input is written to its end and the sink closed: time to commit. nil: nobody cares.
	Done func(Counts) error
}

// Run moves every record of the inputs through process and returns what was done, also when it fails.
//
// Records reach sinks, rejects and observer (which may be nil) in input order, each by one call at a time. The error is
// the first one in input order: everything before it has been written, nothing behind it, and the input it happened in
// is not Done. After a cancellation the error is context.Cause(ctx). Every source and sink that was opened is closed
// when Run returns, and no goroutine is left.
func Run(ctx context.Context, opts Options, inputs []Input, process Process, observer Observer) (Totals, error) {
	opts = opts.withDefaults()
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(1 + opts.Window) // the writer, and a goroutine for every slot
	o := newOrdered(opts)
	w := &writer{inputs: inputs, observer: observer, progress: opts.Progress}
	g.Go(func() error { return o.drain(inner, w) })

	r := &reader{ordered: o, gate: opts.Gate, process: process, spawn: g.Go, progress: opts.Progress, batch: opts.batch}
	readErr := r.readAll(inner, inputs)
	close(o.order)
	err := g.Wait()
	if err == nil {
		err = readErr
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // an errgroup would say nil or "context canceled" here
	}
	return w.totals, err
}

// reader is the caller's side of the window. It gathers records into units and starts them; see unit.go.
type reader struct {
	*ordered
	gate     *Gate
	process  Process
	spawn    func(func() error)
	progress *Progress
	batch    int // bytes of small records that make one unit

	unit *slot // being gathered; nil: none
}

// readAll reads until an input fails or ctx ends. Errors of sources travel in slots, to be met in input order.
func (r *reader) readAll(ctx context.Context, inputs []Input) error {
	for i := range inputs {
		if err := r.readInput(ctx, i, inputs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readInput(ctx context.Context, i int, in Input) error {
	src, err := in.Open(ctx)
	if err != nil {
		return r.end(ctx, i, err)
	}
	for err == nil {
		var rec formats.Record
		if rec, err = src.Next(ctx); err == nil {
			err = r.add(ctx, i, rec)
		}
	}
	closing := src.Close()
	if ctx.Err() != nil {
		return context.Cause(ctx) // an input that ends while the run is being cancelled may not be at its end
	}
	if err == io.EOF {
		err = closing
	}
	return r.end(ctx, i, err)
}

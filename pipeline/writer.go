package pipeline

import (
	"context"
	"fmt"

	"github.com/ctxpack/ctxpack/formats"
)

// writer puts outcomes where they belong. One goroutine.
type writer struct {
	inputs   []Input
	observer Observer
	progress *Progress
	totals   Totals

	started bool // the input that sink and counts are of
	sink    formats.Sink
	counts  Counts
	row     heldRow // back from the sink until it is complete; see rows.go
}

// writeUnit writes what became of a unit's records, then fails with the unit's own error, if any.
func (w *writer) writeUnit(ctx context.Context, s *slot) error {
	in := w.inputs[s.input]
	if err := w.start(ctx, in, s); err != nil {
		return err
	}
	for i, out := range s.outs {
		if err := w.take(in, s.recs[i], out); err != nil {
			return err
		}
	}
	if s.err != nil || s.last {
		if err := w.settle(in); err != nil {
			return err
		}
	}
	if s.err != nil {
		return s.err
	}
	if s.last {
		return w.finish(in)
	}
	return nil
}

// start creates the input's output, unless the input's first sign is an error.
func (w *writer) start(ctx context.Context, in Input, s *slot) error {
	if w.started || (s.err != nil && len(s.outs) == 0) {
		return nil
	}
	w.started = true
	if in.Create == nil {
		return nil
	}
	var err error
	w.sink, err = in.Create(ctx)
	return err
}

func (w *writer) write(in Input, rec formats.Record, out Outcome) error {
	if rec.FramingOnly() {
		return w.put(in, rec, nil)
	}
	if err := w.record(in, rec, out); err != nil {
		return err
	}
	if w.observer != nil {
		return w.observer.Record(rec, out)
	}
	return nil
}

func (w *writer) record(in Input, rec formats.Record, out Outcome) error {
	delta := Counts{Records: 1}
	var err error
	switch {
	case out.Reject != nil:
		delta.Rejected = 1
		err = w.reject(in, rec, out.Reject)
	case out.Omit:
		delta.Omitted = 1
		err = w.skip(in, rec)
	case out.Payload != nil:
		delta.Changed = 1
		err = w.put(in, rec, out.Payload)
	default:
		err = w.put(in, rec, rec.Raw)
	}
	if err == nil {
		w.count(delta)
	}
	return err
}

func (w *writer) put(in Input, rec formats.Record, payload []byte) error {
	if w.sink != nil {
		if err := w.sink.Write(rec, payload); err != nil {
			return fmt.Errorf("writing the output of %s: %w", in.Name, err)
		}
	}
	w.progress.written(rec)
	w.count(Counts{
		BytesIn:  int64(rec.Size()),
		BytesOut: int64(rec.Size() - len(rec.Raw) + len(payload)),
	})
	return nil
}

// reject writes the record to the rejects first: it must not get lost between the two.
func (w *writer) reject(in Input, rec formats.Record, fault *formats.Fault) error {
	if in.Rejects != nil {
		if err := in.Rejects.Reject(rec, fault); err != nil {
			return fmt.Errorf("writing the rejects of %s: %w", in.Name, err)
		}
	}
	return w.skip(in, rec)
}

// skip leaves a record out of the output.
func (w *writer) skip(in Input, rec formats.Record) error {
	if w.sink != nil {
		if err := w.sink.Skip(rec); err != nil {
			return fmt.Errorf("writing the output of %s: %w", in.Name, err)
		}
	}
	w.progress.written(rec)
	w.count(Counts{BytesIn: int64(rec.Size())})
	return nil
}

func (w *writer) count(d Counts) {
	w.counts.add(d)
	w.totals.add(d)
}

// finish closes the input's sink and tells the caller.
func (w *writer) finish(in Input) error {
	counts := w.counts
	w.started, w.counts = false, Counts{}
	if w.sink != nil {
		err := w.sink.Close()
		w.sink = nil
		if err != nil {
			return fmt.Errorf("writing the output of %s: %w", in.Name, err)
		}
	}
	if in.Done != nil {
		if err := in.Done(counts); err != nil {
			return err
		}
	}
	w.totals.Inputs++
	return nil
}

// abandon closes a sink in the middle of its input, so that its goroutines end. Nothing is committed, and the error
// that led here is the one to tell.
func (w *writer) abandon() {
	if w.sink != nil {
		_ = w.sink.Close()
		w.sink = nil
	}
}

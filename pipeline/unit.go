package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/ctxpack/ctxpack/formats"
)

// add puts a record into the unit being gathered, or starts that one and begins another.
func (r *reader) add(ctx context.Context, input int, rec formats.Record) error {
	weight := r.weigh(rec)
	u := r.unit
	// A unit that is not started must never wait for the byte bound: it may be what fills it.
	if u != nil && u.size+rec.Size() <= r.batch && len(u.recs) < unitRecords && r.bytes.TryAcquire(weight) {
		u.add(rec, weight)
		r.progress.read(rec)
		return nil
	}
	r.flush(ctx)
	u, err := r.acquire(ctx, input, weight)
	if err != nil {
		return err
	}
	u.add(rec, weight)
	r.progress.read(rec)
	r.unit = u
	if u.size >= r.batch {
		r.flush(ctx)
	}
	return nil
}

// flush puts the unit in order and then starts its work.
func (r *reader) flush(ctx context.Context) {
	u := r.unit
	if u == nil {
		return
	}
	r.unit = nil
	if u.run == nil {
		u.run = func() error { r.work(ctx, u); return nil }
	}
	r.order <- u
	if u.busy {
		r.spawn(u.run)
	} else {
		r.work(ctx, u)
	}
}

// end puts the end of an input, or the error that ended it, in order. It returns that error, behind which nothing needs
// to be read.
func (r *reader) end(ctx context.Context, input int, err error) error {
	r.flush(ctx)
	s, acquired := r.acquire(ctx, input, 0)
	if acquired != nil {
		return acquired
	}
	s.last, s.err = true, err
	r.order <- s
	s.done <- struct{}{}
	return err
}

// errGoexit is fatal: process called runtime.Goexit, and with its goroutine the rest of the unit is gone.
var errGoexit = errors.New("internal error: processing ended its goroutine")

// work does a unit's records one after the other with one permit of the gate, up to the first error, and always
// reports that the unit is done.
func (r *reader) work(ctx context.Context, u *slot) {
	defer func() { u.done <- struct{}{} }()
	if u.busy {
		if u.err = r.gate.Acquire(ctx); u.err != nil {
			return
		}
		defer r.gate.Release()
	}
	u.err = errGoexit
	for _, rec := range u.recs {
		out, err := r.one(ctx, rec)
		if err != nil {
			u.err = err
			return
		}
		u.outs = append(u.outs, out)
	}
	u.err = nil
}

// one does one record. A panic in process is a fault of the program that costs this record, not the run: the record is
// rejected as it is.
func (r *reader) one(ctx context.Context, rec formats.Record) (out Outcome, err error) {
	if rec.FramingOnly() {
		return Outcome{}, nil
	}
	if rec.Fault != nil {
		return Outcome{Reject: rec.Fault}, nil
	}
	defer func() {
		if p := recover(); p != nil {
			r.progress.panics.Add(1)
			out, err = Outcome{Reject: panicked(rec, p)}, nil
		}
	}()
	return r.process(ctx, r.gate, rec)
}

// CodeInternal is the code of the fault of a record for which process panicked. The fault's cause is a *PanicError.
const CodeInternal = "internal"

func panicked(rec formats.Record, p any) *formats.Fault {
	return &formats.Fault{
		Pos: rec.Pos, Stage: formats.StageEngine, Code: CodeInternal, Caret: -1,
		Err: &PanicError{Value: p, Stack: debug.Stack()},
	}
}

// PanicError is a panic of process. Its text does not hold the stack, which differs from run to run.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// Unwrap gives the panic's value when it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxpack/ctxpack/formats"
)

// source yields n records "name:i"; every tenth is framing only.
type source struct {
	name   string
	n      int
	size   int // of a record; 0: as long as its text
	failAt int // the record at which reading fails; 0: never
	err    error
	faulty func(i int) bool

	next   int
	closed atomic.Int64
}

func (s *source) Next(ctx context.Context) (formats.Record, error) {
	if ctx.Err() != nil {
		return formats.Record{}, context.Cause(ctx)
	}
	if s.failAt > 0 && s.next == s.failAt {
		return formats.Record{}, s.err
	}
	if s.next == s.n {
		return formats.Record{}, io.EOF
	}
	i := s.next
	s.next++
	rec := formats.Record{
		Pos:   formats.Position{File: s.name, Line: int64(i + 1), Index: int64(i), Offset: int64(10 * i)},
		Trail: []byte("\n"),
	}
	if i%10 == 9 {
		rec.Lead = []byte("#")
		return rec, nil
	}
	rec.Raw = fmt.Appendf(nil, "%s:%d", s.name, i)
	if s.size > 0 {
		rec.Raw = append(rec.Raw, make([]byte, s.size-len(rec.Raw))...)
	}
	if s.faulty != nil && s.faulty(i) {
		rec.Fault = &formats.Fault{Pos: rec.Pos, Stage: formats.StageRead, Code: "syntax", Err: errors.New("broken")}
	}
	return rec, nil
}

func (s *source) Close() error { s.closed.Add(1); return nil }

// sink keeps what is written. It fails at the record failAt, and can be slow.
type sink struct {
	out    *bytes.Buffer
	failAt int
	err    error
	delay  time.Duration
	n      int
	closed int
}

func (k *sink) Write(rec formats.Record, payload []byte) error {
	if k.n++; k.failAt > 0 && k.n >= k.failAt {
		return k.err
	}
	if k.delay > 0 {
		time.Sleep(k.delay)
	}
	k.out.Write(rec.Lead)
	k.out.Write(payload)
	k.out.Write(rec.Trail)
	return nil
}

func (k *sink) Skip(formats.Record) error { return nil }
func (k *sink) Close() error              { k.closed++; return nil }

// run is one run over several inputs, with everything it did.
type run struct {
	out, rejects bytes.Buffer
	events       []string
	sources      []*source
	sinks        []*sink
	totals       Totals
	err          error
}

func (r *run) do(ctx context.Context, opts Options, sources []*source, mold sink, process Process) *run {
	r.sources = sources
	rejects := NewRejectWriter(func() (io.WriteCloser, error) { return nopCloser{&r.rejects}, nil })
	var inputs []Input
	for _, src := range sources {
		inputs = append(inputs, Input{
			Name: src.name,
			Open: func(context.Context) (formats.Source, error) { return src, nil },
			Create: func(context.Context) (formats.Sink, error) {
				r.events = append(r.events, "create "+src.name)
				k := mold
				k.out = &r.out
				r.sinks = append(r.sinks, &k)
				return &k, nil
			},
			Rejects: rejects,
			Done: func(c Counts) error {
				r.events = append(r.events, fmt.Sprintf("done %s %+v", src.name, c))
				return nil
			},
		})
	}
	observe := ObserverFunc(func(rec formats.Record, out Outcome) error {
		r.events = append(r.events, fmt.Sprintf("%s %d row %v", rec.Pos.File, rec.Pos.Index, out.Row))
		return nil
	})
	r.totals, r.err = Run(ctx, opts, inputs, process, observe)
	return r
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func someSources() []*source {
	return []*source{
		{name: "a", n: 100}, {name: "empty"}, {name: "b", n: 1},
		{name: "c", n: 200, faulty: func(i int) bool { return i%7 == 3 }},
	}
}

// mixed changes, keeps, rejects and panics, after a random delay.
func mixed(_ context.Context, gate *Gate, rec formats.Record) (Outcome, error) {
	gate.Outside(func() { time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond) })
	i := rec.Pos.Index
	out := Outcome{Row: i}
	switch i % 11 {
	case 1:
		out.Payload = bytes.ToUpper(rec.Raw)
	case 2:
		out.Reject = &formats.Fault{Pos: rec.Pos, Stage: formats.StageDecode, Code: "syntax", Err: errors.New("no <good>")}
	case 3:
		var list []int
		_ = list[i]
	case 4:
		out.Payload = []byte{}
	}
	return out, nil
}

func TestSameForAnyNumberOfWorkers(t *testing.T) {
	want := new(run).do(t.Context(), Options{Workers: 1, Window: 1}, someSources(), sink{}, mixed)
	if want.err != nil {
		t.Fatal(want.err)
	}
	if want.totals.Inputs != 4 || want.totals.Records != 271 || want.totals.Rejected == 0 || want.totals.Changed == 0 {
		t.Errorf("totals: %+v", want.totals)
	}
	for _, opts := range []Options{
		{}, {Workers: 1}, {Workers: 2}, {Workers: 8}, {Workers: 8, Concurrency: 16},
		{Workers: 8, Bytes: 100}, {Workers: 3, Window: 2}, {Workers: 3, Window: 2, Concurrency: 1},
	} {
		got := new(run).do(t.Context(), opts, someSources(), sink{}, mixed)
		if got.err != nil {
			t.Fatal(got.err)
		}
		if got.out.String() != want.out.String() || got.rejects.String() != want.rejects.String() {
			t.Errorf("%+v: other output or rejects", opts)
		}
		if !slices.Equal(got.events, want.events) || got.totals != want.totals {
			t.Errorf("%+v: other events or totals: %+v", opts, got.totals)
		}
		for _, s := range got.sources {
			if s.closed.Load() != 1 {
				t.Errorf("source %s closed %d times", s.name, s.closed.Load())
			}
		}
		for _, k := range got.sinks {
			if k.closed != 1 {
				t.Errorf("a sink was closed %d times", k.closed)
			}
		}
	}
}

func TestOutputAndCounts(t *testing.T) {
	process := func(_ context.Context, _ *Gate, rec formats.Record) (Outcome, error) {
		if rec.Pos.Index == 1 {
			return Outcome{Payload: []byte("new")}, nil
		}
		if rec.Pos.Index == 2 {
			return Outcome{Reject: &formats.Fault{Pos: rec.Pos, Code: "x", Err: errors.New("no")}}, nil
		}
		return Outcome{}, nil
	}
	progress := &Progress{}
	r := new(run).do(t.Context(), Options{Progress: progress}, []*source{{name: "a", n: 10}}, sink{}, process)
	if want := "a:0\nnew\na:3\na:4\na:5\na:6\na:7\na:8\n#\n"; r.out.String() != want {
		t.Errorf("output %q, should be %q", r.out.String(), want)
	}
	if want := (Counts{Records: 9, Changed: 1, Rejected: 1, BytesIn: 38, BytesOut: 34}); r.totals.Counts != want {
		t.Errorf("counts %+v, should be %+v", r.totals.Counts, want)
	}
	if want := "done a {Records:9 Changed:1 Rejected:1 Omitted:0 BytesIn:38 BytesOut:34}"; r.events[len(r.events)-1] != want {
		t.Errorf("last event %q", r.events[len(r.events)-1])
	}
	for name, f := range map[string]func() (int64, int64){"read": progress.Read, "written": progress.Written} {
		if records, bytes := f(); records != 9 || bytes != 38 {
			t.Errorf("progress %s: %d records, %d bytes", name, records, bytes)
		}
	}
}

// A fatal error at record k: everything before it is written, nothing behind it, and it is the first in input order
// even when a later one happens earlier.
func TestFirstErrorInOrder(t *testing.T) {
	for round := range 30 {
		rng := rand.New(rand.NewPCG(uint64(round), 1))
		k := rng.IntN(299)/10*10 + rng.IntN(9) // not framing only
		process := func(_ context.Context, gate *Gate, rec formats.Record) (Outcome, error) {
			i := int(rec.Pos.Index)
			if i > k && i%3 == 0 {
				return Outcome{}, fmt.Errorf("later %d", i)
			}
			if i == k {
				gate.Outside(func() { time.Sleep(time.Millisecond) })
				return Outcome{}, fmt.Errorf("first")
			}
			return Outcome{}, nil
		}
		r := new(run).do(t.Context(), Options{Workers: 1 + round%8, Concurrency: round % 2}, []*source{{name: "a", n: 300}}, sink{}, process)
		if r.err == nil || r.err.Error() != "first" {
			t.Fatalf("error at %d: %v", k, r.err)
		}
		if got := strings.Count(r.out.String(), "\n"); got != k {
			t.Errorf("error at record %d: %d records written", k, got)
		}
		if r.totals.Inputs != 0 || r.sources[0].closed.Load() != 1 || r.sinks[0].closed != 1 {
			t.Errorf("%+v, source closed %d, sink closed %d", r.totals, r.sources[0].closed.Load(), r.sinks[0].closed)
		}
	}
}

func nothing(context.Context, *Gate, formats.Record) (Outcome, error) { return Outcome{}, nil }

func TestSourceFailsMidway(t *testing.T) {
	disk := errors.New("input/output error")
	for _, workers := range []int{1, 2, 8} {
		sources := []*source{{name: "a", n: 5}, {name: "b", n: 500, failAt: 321, err: disk}, {name: "c", n: 5}}
		r := new(run).do(t.Context(), Options{Workers: workers}, sources, sink{delay: time.Microsecond}, nothing)
		if !errors.Is(r.err, disk) {
			t.Errorf("%d workers: %v", workers, r.err)
		}
		if got := strings.Count(r.out.String(), "\n"); got != 326 {
			t.Errorf("%d workers: %d records written, the source gave 326", workers, got)
		}
		if r.totals.Inputs != 1 || sources[2].closed.Load() != 0 {
			t.Errorf("%d workers: %+v", workers, r.totals)
		}
	}
}

func TestSinkFails(t *testing.T) {
	full := errors.New("no space left on device")
	for _, workers := range []int{1, 8} {
		r := new(run).do(t.Context(), Options{Workers: workers}, []*source{{name: "a", n: 1000}}, sink{failAt: 100, err: full}, nothing)
		if !errors.Is(r.err, full) || !strings.Contains(r.err.Error(), "output of a") {
			t.Errorf("%v", r.err)
		}
		if got := strings.Count(r.out.String(), "\n"); got != 99 {
			t.Errorf("%d records written", got)
		}
	}
}

func TestOpenCreateDoneObserverAndRejectsFail(t *testing.T) {
	stop := errors.New("stop")
	good := func(name string) Input {
		return Input{
			Name:   name,
			Open:   func(context.Context) (formats.Source, error) { return &source{name: name, n: 3}, nil },
			Create: func(context.Context) (formats.Sink, error) { return &sink{out: &bytes.Buffer{}}, nil },
		}
	}
	for name, change := range map[string]func(*Input){
		"open":    func(in *Input) { in.Open = func(context.Context) (formats.Source, error) { return nil, stop } },
		"create":  func(in *Input) { in.Create = func(context.Context) (formats.Sink, error) { return nil, stop } },
		"done":    func(in *Input) { in.Done = func(Counts) error { return stop } },
		"rejects": func(in *Input) { in.Rejects = NewRejectWriter(func() (io.WriteCloser, error) { return nil, stop }) },
	} {
		bad := good("bad")
		change(&bad)
		process := func(_ context.Context, _ *Gate, rec formats.Record) (Outcome, error) {
			if rec.Pos.File == "bad" && rec.Pos.Index == 1 {
				return Outcome{Reject: &formats.Fault{Err: errors.New("no")}}, nil
			}
			return Outcome{}, nil
		}
		totals, err := Run(t.Context(), Options{}, []Input{good("a"), bad, good("c")}, process, nil)
		if !errors.Is(err, stop) || totals.Inputs != 1 {
			t.Errorf("%s: %v, %+v", name, err, totals)
		}
	}
	_, err := Run(t.Context(), Options{}, []Input{good("a")}, nothing, ObserverFunc(func(formats.Record, Outcome) error { return stop }))
	if !errors.Is(err, stop) {
		t.Errorf("observer: %v", err)
	}
}

func TestCancellation(t *testing.T) {
	before := runtime.NumGoroutine()
	cause := errors.New("interrupted")
	for round := range 200 {
		ctx, cancel := context.WithCancelCause(t.Context())
		at := int64(round * 3)
		process := func(ctx context.Context, gate *Gate, rec formats.Record) (Outcome, error) {
			if rec.Pos.Index >= at {
				cancel(cause)
			}
			if rec.Pos.Index%5 == 0 { // a call to a model that is cut short
				gate.Outside(func() {
					select {
					case <-ctx.Done():
					case <-time.After(10 * time.Microsecond):
					}
				})
				if ctx.Err() != nil {
					return Outcome{}, fmt.Errorf("calling the model: %w", ctx.Err())
				}
			}
			return Outcome{}, nil
		}
		r := new(run).do(ctx, Options{Workers: 1 + round%4, Concurrency: round % 3}, []*source{{name: "a", n: 100_000}}, sink{}, process)
		if !errors.Is(r.err, cause) {
			t.Fatalf("round %d: %v", round, r.err)
		}
		if r.totals.Inputs != 0 || r.sources[0].closed.Load() != 1 {
			t.Fatalf("round %d: %+v", round, r.totals)
		}
		// What was written is a beginning of the output.
		i := 0
		for line := range strings.Lines(r.out.String()) {
			if want := fmt.Sprintf("a:%d\n", i); i%10 != 9 && line != want {
				t.Fatalf("line %d is %q", i, line)
			}
			i++
		}
	}
	checkGoroutines(t, before)
}

// drained is a source whose end comes because the run is being cancelled: a pipe that was closed.
type drained struct {
	source
	cancel func()
}

func (d *drained) Next(ctx context.Context) (formats.Record, error) {
	rec, err := d.source.Next(context.WithoutCancel(ctx))
	if err == io.EOF {
		d.cancel()
	}
	return rec, err
}

func TestCancelledSourceThatEndsIsNotDone(t *testing.T) {
	for range 200 {
		cause := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		src := &drained{source{name: "a", n: 20}, func() { cancel(cause) }}
		done := false
		totals, err := Run(ctx, Options{}, []Input{{
			Name: "a",
			Open: func(context.Context) (formats.Source, error) { return src, nil },
			Done: func(Counts) error { done = true; return nil },
		}}, nothing, nil)
		if !errors.Is(err, cause) || done || totals.Inputs != 0 {
			t.Fatalf("%v, done %v, %+v", err, done, totals)
		}
	}
}

func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestPanicIsARejectedRecord(t *testing.T) {
	progress := &Progress{}
	cause := errors.New("cause")
	process := func(_ context.Context, gate *Gate, rec formats.Record) (Outcome, error) {
		switch rec.Pos.Index {
		case 2:
			panic("boom")
		case 4:
			gate.Outside(func() { panic(cause) })
		}
		return Outcome{}, nil
	}
	var seen []*formats.Fault
	src := &source{name: "a", n: 8}
	totals, err := Run(t.Context(), Options{Workers: 1, Progress: progress}, []Input{{
		Name: "a", Open: func(context.Context) (formats.Source, error) { return src, nil },
	}}, process, ObserverFunc(func(_ formats.Record, out Outcome) error {
		if out.Reject != nil {
			seen = append(seen, out.Reject)
		}
		return nil
	}))
	if err != nil || totals.Rejected != 2 || progress.Panics() != 2 {
		t.Fatalf("%v, %+v, %d panics", err, totals, progress.Panics())
	}
	if got := seen[0].Error(); got != "a:3: internal error: boom" || seen[0].Code != CodeInternal {
		t.Errorf("%q, code %q", got, seen[0].Code)
	}
	if !errors.Is(seen[1], cause) {
		t.Error("the panic's value is not in the chain")
	}
	var p *PanicError
	if !errors.As(seen[0], &p) || !bytes.Contains(p.Stack, []byte("pipeline_test.go")) {
		t.Error("no stack of the panic")
	}
}

func TestBounds(t *testing.T) {
	for _, tt := range []struct {
		name      string
		opts      Options
		size      int
		maxFlying int64
	}{
		{"window", Options{Workers: 2, Window: 10, Concurrency: 1}, 0, 10},
		{"window of units", Options{Workers: 2, Window: 10}, 0, 10 * unitRecords},
		{"bytes", Options{Workers: 2, Bytes: 4 * 1000 * 5, Concurrency: 1}, 999, 5},
		{"bytes, units", Options{Workers: 2, Bytes: 4 * 1000 * 5}, 999, 5},
		{"a record larger than the bound", Options{Workers: 2, Bytes: 100}, 999, 1},
	} {
		var most, busy, mostBusy atomic.Int64
		raise := func(to *atomic.Int64, n int64) {
			for old := to.Load(); n > old && !to.CompareAndSwap(old, n); old = to.Load() {
			}
		}
		opts := tt.opts
		opts.Progress = &Progress{}
		process := func(_ context.Context, gate *Gate, rec formats.Record) (Outcome, error) {
			raise(&mostBusy, busy.Add(1))
			read, _ := opts.Progress.Read()
			written, _ := opts.Progress.Written()
			raise(&most, read-written)
			busy.Add(-1)
			gate.Outside(func() { time.Sleep(20 * time.Microsecond) })
			raise(&mostBusy, busy.Add(1))
			busy.Add(-1)
			return Outcome{}, nil
		}
		r := new(run).do(t.Context(), opts, []*source{{name: "a", n: 300, size: tt.size}}, sink{delay: 5 * time.Microsecond}, process)
		if r.err != nil {
			t.Fatal(r.err)
		}
		// read is counted when a record has its place in the window, written just before it gives it up.
		if most.Load() > tt.maxFlying {
			t.Errorf("%s: %d records between reader and writer, allowed %d", tt.name, most.Load(), tt.maxFlying)
		}
		if tt.maxFlying > 1 && most.Load() < 2 {
			t.Errorf("%s: nothing ran ahead of the writer", tt.name)
		}
		if mostBusy.Load() > 2 {
			t.Errorf("%s: %d goroutines behind a gate of 2", tt.name, mostBusy.Load())
		}
	}
}

// runtime.Goexit (a failed test, in a process under test) must not leave the writer waiting.
func TestGoexitIsFatal(t *testing.T) {
	process := func(_ context.Context, _ *Gate, rec formats.Record) (Outcome, error) {
		if rec.Pos.Index == 3 {
			runtime.Goexit()
		}
		return Outcome{}, nil
	}
	r := new(run).do(t.Context(), Options{}, []*source{{name: "a", n: 8}}, sink{}, process)
	if !errors.Is(r.err, errGoexit) || strings.Count(r.out.String(), "\n") != 3 {
		t.Errorf("%v, %d written", r.err, strings.Count(r.out.String(), "\n"))
	}
}

// Calls to a model run in parallel far beyond the number of workers: 512 calls of a second take a second.
func TestCallsOutsideTheGateOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		process := func(_ context.Context, gate *Gate, _ formats.Record) (Outcome, error) {
			gate.Outside(func() { time.Sleep(time.Second) })
			return Outcome{}, nil
		}
		var r run
		r.do(t.Context(), Options{Workers: 1, Concurrency: 16}, []*source{{name: "a", n: 512}}, sink{}, process)
		if took := time.Since(start); r.err != nil || took != time.Second {
			t.Errorf("took %v, %v", took, r.err)
		}
	})
}

// Thousands of one-record files share one window, and only one output is open at a time.
func TestManyInputs(t *testing.T) {
	const n = 3000
	var inputs []Input
	var openSinks, mostSinks int
	var active, mostActive atomic.Int64
	var order []string
	for i := range n {
		name := fmt.Sprint(i)
		inputs = append(inputs, Input{
			Name: name,
			Open: func(context.Context) (formats.Source, error) { return &source{name: name, n: 1}, nil },
			Create: func(context.Context) (formats.Sink, error) {
				openSinks++
				mostSinks = max(mostSinks, openSinks)
				return &sink{out: &bytes.Buffer{}}, nil
			},
			Done: func(Counts) error { openSinks--; order = append(order, name); return nil },
		})
	}
	process := func(_ context.Context, gate *Gate, _ formats.Record) (Outcome, error) {
		gate.Outside(func() {
			now := active.Add(1)
			for old := mostActive.Load(); now > old && !mostActive.CompareAndSwap(old, now); old = mostActive.Load() {
			}
			time.Sleep(time.Millisecond)
			active.Add(-1)
		})
		return Outcome{}, nil
	}
	totals, err := Run(t.Context(), Options{}, inputs, process, nil)
	if err != nil || totals.Inputs != n || totals.Records != n {
		t.Fatalf("%v, %+v", err, totals)
	}
	if !slices.IsSortedFunc(order, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	}) {
		t.Error("inputs are not done in order")
	}
	if mostSinks != 1 {
		t.Errorf("%d outputs open at once", mostSinks)
	}
	if mostActive.Load() < 8 {
		t.Errorf("at most %d files were processed at once", mostActive.Load())
	}
}

func TestRejectWriter(t *testing.T) {
	var out bytes.Buffer
	created := 0
	r := NewRejectWriter(func() (io.WriteCloser, error) { created++; return nopCloser{&out}, nil })
	if err := r.Close(); err != nil || created != 0 {
		t.Errorf("%v, created %d without a reject", err, created)
	}
	raws := []string{"{\"a\": \"<&>\u2028\t\\u00e9\x00", "\xff\xfe broken \x80", ""}
	for i, raw := range raws {
		rec := formats.Record{Pos: formats.Position{File: "a.jsonl", Line: int64(i), Index: 7, Offset: 99}, Raw: []byte(raw)}
		fault := &formats.Fault{Stage: formats.StageDecode, Code: "syntax", Err: errors.New("no good"), Column: 3}
		if err := r.Reject(rec, fault); err != nil {
			t.Fatal(err)
		}
	}
	if created != 1 || r.Count() != 3 {
		t.Errorf("created %d, count %d", created, r.Count())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if want := `{"file":"a.jsonl","line":1,"offset":99,"stage":"decode","code":"syntax","message":"no good","raw_base64":"`; !strings.HasPrefix(lines[1], want) {
		t.Errorf("line reads %s", lines[1])
	}
	for i, line := range lines {
		var got struct {
			Raw   *string `json:"raw"`
			Bytes []byte  `json:"raw_base64"`
			Index *int64  `json:"index"`
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		back := string(got.Bytes)
		if got.Raw != nil {
			back = *got.Raw
		}
		if back != raws[i] {
			t.Errorf("record %d came back as %q, was %q", i, back, raws[i])
		}
		if (got.Index != nil) != (i == 0) {
			t.Errorf("record %d: index %v; only records without a line have one", i, got.Index)
		}
	}
}

func TestGate(t *testing.T) {
	g := NewGate(0) // at least one
	if err := g.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := g.Acquire(ctx); !errors.Is(err, cause) {
			t.Errorf("waiting: %v", err)
		}
	})
	cancel(cause)
	wg.Wait()
	g.Outside(func() {
		if err := g.Acquire(t.Context()); err != nil {
			t.Error(err)
		}
		g.Release()
	})
	if len(g.permits) != 1 {
		t.Errorf("%d permits taken, should be 1", len(g.permits))
	}
}

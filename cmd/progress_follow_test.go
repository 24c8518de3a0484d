package cmd

import (
	"context"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/jsonl"
	"github.com/ctxpack/ctxpack/pipeline"
)

// While all of an input is read and a quarter of it is done, the display says a quarter.
func TestProgressIsWhatIsDone(t *testing.T) {
	p := newTestProcess(t)
	a := newApp(p.Streams)
	show := a.newProgress("plain")
	text := strings.Repeat("{\"messages\":[]}\n", 4)
	show.start(int64(len(text)))
	records := &pipeline.Progress{}
	show.follow(records)
	input := pipeline.Input{Name: "x", Open: func(context.Context) (formats.Source, error) {
		show.advance(int64(len(text)))
		return jsonl.NewSource(strings.NewReader(text), "x", jsonl.Options{})
	}}
	read := make(chan struct{})
	process := func(_ context.Context, _ *pipeline.Gate, rec formats.Record) (pipeline.Outcome, error) {
		if rec.Pos.Index == 3 {
			close(read)
		}
		return pipeline.Outcome{}, nil
	}
	seen := pipeline.ObserverFunc(func(rec formats.Record, _ pipeline.Outcome) error {
		if rec.Pos.Index == 0 {
			<-read
			p.tick(10)
		}
		return nil
	})
	if _, err := pipeline.Run(t.Context(), pipeline.Options{Workers: 4, Concurrency: 4, Progress: records}, []pipeline.Input{input}, process, seen); err != nil {
		t.Fatal(err)
	}
	show.finish()
	if got := p.stderr.String(); !strings.Contains(got, "10s: 25 %") {
		t.Errorf("%q", got)
	}
}

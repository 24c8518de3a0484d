package cmd

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
	"github.com/ctxpack/ctxpack/formats/jsonl"
	"github.com/ctxpack/ctxpack/pipeline"
	"github.com/ctxpack/ctxpack/report"
)

// inspectFlags are the settings of compact that have a meaning for inspect.
func inspectFlags() []string {
	return []string{"model", "context-length", "tokenizer", "format", "column", "threshold", "media-tokens", "sample", "seed", "limit",
		"workers", "progress", "quiet"}
}

func newInspectCommand(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "inspect IN...",
		Short: "What is in these transcripts: dialect, roles, tools, tokens, problems",
		Long: `Read transcripts and say what is in them: the container and the dialect and what they were told from, roles, tools,
how many tokens the conversations have, how many fit which window, how many compact would touch, and every kind of
problem with one example. Nothing is written.`,
		Example: `  ctxpack inspect runs/
  ctxpack inspect train.jsonl.gz --model gpt-4o --json`,
		Args: someInputs,
	}
	a.addSettingsFlags(c, inspectFlags()...)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		a.printWarnings(s)
		return a.runInspect(c.Context(), args, s, asJSON)
	}
	return c
}

// runInspect is the whole story of the command: the pipeline without a sink.
func (a *app) runInspect(ctx context.Context, args []string, s *Settings, asJSON bool) error {
	work, err := a.newCompaction(s)
	if err != nil {
		return err
	}
	inputs, err := a.expandInputs(args)
	if err != nil {
		return err
	}
	inspector := report.NewInspector(inspectOptions(work, s))
	show := a.newProgress(s.Progress)
	show.start(totalSize(inputs))
	defer show.finish()
	list := make([]pipeline.Input, len(inputs))
	for i, in := range inputs {
		list[i] = a.inspectInput(in, s, show, inspector)
		if len(inputs) > 1 {
			list[i].Open = tolerant(in, list[i].Open)
		}
	}
	unreadable := false
	meter := &compress.Meter{Counter: work.counter, MediaTokens: int(s.MediaTokens)}
	look := func(_ context.Context, _ *pipeline.Gate, rec formats.Record) (pipeline.Outcome, error) {
		if !inSample(s, rec.Pos) {
			return pipeline.Outcome{Omit: true}, nil
		}
		return pipeline.Outcome{Row: work.look(meter, rec)}, nil
	}
	seen := pipeline.ObserverFunc(func(rec formats.Record, out pipeline.Outcome) error {
		switch {
		case out.Omit:
		case out.Reject != nil: // found by the container
			if out.Reject.Code == codeUnreadable {
				unreadable = true
				printError(a.console, out.Reject.Err)
			}
			inspector.Add(report.Inspected{Record: rec, Fault: out.Reject})
		default:
			inspector.Add(*out.Row.(*report.Inspected))
		}
		return nil
	})
	_, err = pipeline.Run(ctx, pipeline.Options{Workers: s.Workers}, list, look, seen)
	show.finish()
	if err != nil {
		return err
	}
	inspection := inspector.Inspection()
	if asJSON {
		err = report.WriteInspectionJSON(a.streams.Stdout, &inspection)
	} else {
		err = report.WriteInspectionText(a.forScreen(a.streams.Stdout), &inspection)
	}
	if err == nil && unreadable {
		return withExitCode(ExitPartial, nil)
	}
	return err
}

// codeUnreadable is the fault of a file that cannot be read (further).
const codeUnreadable = "unreadable"

// tolerant makes an input that cannot be read one that ends with a fault: the others are looked at all the same.
func tolerant(in input, open func(context.Context) (formats.Source, error)) func(context.Context) (formats.Source, error) {
	return func(ctx context.Context) (formats.Source, error) {
		src, err := open(ctx)
		return &tolerantSource{in: in, src: src, broken: err}, nil
	}
}

type tolerantSource struct {
	in     input
	src    formats.Source // nil when it could not be opened
	broken error
	ended  bool
}

// Next yields the records, then a fault when something other than the end stopped them.
func (s *tolerantSource) Next(ctx context.Context) (formats.Record, error) {
	if s.ended {
		return formats.Record{}, io.EOF
	}
	var rec formats.Record
	err := s.broken
	if err == nil {
		rec, err = s.src.Next(ctx)
	}
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return rec, err
	}
	s.ended = true
	pos := formats.Position{File: s.in.name}
	return formats.Record{Pos: pos, Fault: &formats.Fault{
		Pos: pos, Stage: formats.StageRead, Code: codeUnreadable, Err: err, Caret: -1,
	}}, nil
}

func (s *tolerantSource) Close() error {
	if s.src == nil {
		return nil
	}
	return s.src.Close()
}

func inspectOptions(work *compaction, s *Settings) report.InspectOptions {
	o := report.InspectOptions{
		Tool: "ctxpack", Version: version,
		Tokenizer: report.Tokenizer{Name: work.counter.Name(), Exact: work.counter.Exact()},
	}
	if named := work.windows.named; named != nil {
		o.Windows = []int{named.tokens}
		o.Thresholds = []int{int(s.Threshold.For(int64(named.tokens)))}
	} else if s.Threshold.Tokens > 0 {
		o.Thresholds = []int{int(s.Threshold.Tokens)}
	}
	return o
}

// inspectInput is an input without an output.
func (a *app) inspectInput(in input, s *Settings, show progress, inspector *report.Inspector) pipeline.Input {
	var r *reading
	return pipeline.Input{
		Name: in.name,
		Open: func(context.Context) (formats.Source, error) {
			var err error
			if r, err = a.openInput(in, show.advance, s.readOptions()); err != nil {
				return nil, err
			}
			return limited(r, s), nil
		},
		Create: func(context.Context) (formats.Sink, error) {
			if r == nil {
				inspector.File(report.InspectedFile{Name: in.name, Bytes: max(in.size(), 0)})
				return nil, nil
			}
			container, why := r.container()
			inspector.File(report.InspectedFile{
				Name: in.name, Bytes: max(in.size(), 0), Container: container,
				Why: why, Compression: compressionName(r.kind),
			})
			return nil, nil
		},
	}
}

func containerName(f jsonl.Framing) string {
	switch f {
	case jsonl.Array:
		return "JSON array"
	case jsonl.Values:
		return "JSON document"
	case jsonl.Session:
		return "session log"
	}
	return "JSON lines"
}

func compressionName(k codec.Kind) string {
	if k == codec.Plain {
		return ""
	}
	return string(k)
}

// look counts one record.
func (c *compaction) look(meter *compress.Meter, rec formats.Record) *report.Inspected {
	one := &report.Inspected{Record: rec}
	conv, err := c.decode(rec)
	if err != nil {
		if !errors.As(err, &one.Fault) {
			one.Fault = asFault(rec, err)
		}
		return one
	}
	one.Conversation = conv
	if conv.HasMessages() {
		one.Tally = meter.Tally(conv)
		one.Pairing = formats.Pair(conv.Messages)
		one.Threshold = int(c.settings.Threshold.For(int64(c.windows.of(conv).tokens)))
	}
	return one
}

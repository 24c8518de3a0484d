package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
	"github.com/ctxpack/ctxpack/formats/parquet"
	"github.com/ctxpack/ctxpack/pipeline"
)

// convertFlags are the settings of compact that have a meaning for convert.
func convertFlags() []string {
	return []string{"to", "format", "column", "sample", "seed", "limit", "output", "force", "rejects", "workers", "progress", "quiet"}
}

func newConvertCommand(a *app) *cobra.Command {
	var strict bool
	c := &cobra.Command{
		Use:   "convert IN -o OUT --to DIALECT",
		Short: "Write conversations in another dialect or container",
		Long: `Write the conversations of files in another dialect, in another container, or both. The output is JSON lines, a JSON
array (.json) or Parquet (.parquet), by its name. Everything of a record that is not the conversation goes along; what
the dialect has no place for is counted, and an error with --strict.`,
		Example: `  ctxpack convert trajectories.jsonl -o train.jsonl --to sharegpt
  ctxpack convert train.parquet -o train.jsonl
  ctxpack convert session.jsonl -o session.parquet --to openai`,
		Args: someInputs,
	}
	a.addSettingsFlags(c, convertFlags()...)
	c.Flags().BoolVar(&strict, "strict", false, "fail when something would be left out")
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		a.printWarnings(s)
		return a.runConvert(c.Context(), args, s, strict)
	}
	return c
}

// losses counts what conversions leave out. Safe for concurrent use.
type losses struct {
	mu     sync.Mutex
	counts formats.Loss
}

func (l *losses) add(more formats.Loss) {
	if len(more) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counts == nil {
		l.counts = formats.Loss{}
	}
	for name, n := range more {
		l.counts[name] += n
	}
}

// text lists the losses, "" for none.
func (l *losses) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return lossText(l.counts)
}

func lossText(loss formats.Loss) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(loss)) {
		list = append(list, fmt.Sprintf("%s (%d)", name, loss[name]))
	}
	return strings.Join(list, ", ")
}

// convertRun is one run of convert.
type convertRun struct {
	*app
	settings *Settings
	reader   *compaction // decodes
	strict   bool
	inputs   []input
	plan     outputPlan
	outputs  *outputSet
	losses   losses
	progress progress
	rejects  *pipeline.RejectWriter
	sinks    []convertSink
}

// convertSink is an output of convert, which may have losses of its own.
type convertSink struct {
	formats.Sink
	lost func() formats.Loss // nil: none
}

func (a *app) runConvert(ctx context.Context, args []string, s *Settings, strict bool) error {
	run := &convertRun{app: a, settings: s, strict: strict, progress: a.newProgress(s.Progress)}
	var err error
	if run.reader, err = a.newReader(s); err != nil {
		return err
	}
	if run.inputs, err = a.expandInputs(args); err != nil {
		return err
	}
	if s.Output == "" && !run.inputs[0].isStdin() {
		return usageError(errors.New("convert needs to know where to write"), "ctxpack convert IN -o OUT.jsonl, or -o OUT.parquet")
	}
	if run.plan, err = a.planOutputs(run.inputs, s.Output); err != nil {
		return err
	}
	run.outputs = a.newOutputSet(run.inputs, s.Force)
	defer run.outputs.Abort()
	run.sinks = make([]convertSink, len(run.inputs))
	run.rejects = run.rejectWriter()
	run.progress.start(totalSize(run.inputs))
	totals, err := pipeline.Run(ctx, pipeline.Options{Workers: s.Workers}, run.pipelineInputs(), run.process, nil)
	run.progress.finish()
	if err != nil {
		return err
	}
	if err := run.outputs.Commit(); err != nil {
		return err
	}
	return run.conclude(totals)
}

// newReader is a compaction that only decodes.
func (a *app) newReader(s *Settings) (*compaction, error) {
	c := &compaction{settings: s, dialects: dialects(), now: a.streams.Now, losses: &losses{}}
	var err error
	c.named, err = namedDialect(s.Format)
	return c, err
}

func (run *convertRun) rejectWriter() *pipeline.RejectWriter {
	if run.settings.Rejects != "" {
		run.plan.rejects = run.settings.Rejects
	}
	return pipeline.NewRejectWriter(func() (io.WriteCloser, error) {
		if run.plan.rejects == "" {
			return nil, formats.WithHint(errors.New("there are rejected records and no place for them"), "--rejects FILE")
		}
		file, err := run.outputs.open(run.plan.rejects)
		return unclosed{file}, err
	})
}

func (run *convertRun) pipelineInputs() []pipeline.Input {
	list := make([]pipeline.Input, len(run.inputs))
	options := run.settings.readOptions()
	options.Row = true
	for i, in := range run.inputs {
		list[i] = pipeline.Input{
			Name: in.name,
			Open: func(context.Context) (formats.Source, error) {
				r, err := run.openInput(in, run.progress.advance, options)
				if err != nil {
					return nil, err
				}
				return limited(r, run.settings), nil
			},
			Create:  func(context.Context) (formats.Sink, error) { return run.create(i) },
			Rejects: run.rejects,
			Done: func(pipeline.Counts) error {
				if lost := run.sinks[i].lost; lost != nil {
					return run.lost(in.name, lost())
				}
				return nil
			},
		}
	}
	return list
}

// lost counts losses, which are an error with --strict.
func (run *convertRun) lost(where string, loss formats.Loss) error {
	run.losses.add(loss)
	if run.strict && len(loss) > 0 {
		return formats.WithHint(fmt.Errorf("%s: no place for: %s", where, lossText(loss)), "without --strict it is left out and counted")
	}
	return nil
}

// create opens the output of input i in the container that its name says.
func (run *convertRun) create(i int) (formats.Sink, error) {
	name := run.plan.outputs[i]
	file, err := run.outputs.open(name)
	if err != nil {
		return nil, err
	}
	ending := strings.ToLower(filepath.Ext(codec.TrimExtension(name)))
	if ending == ".parquet" {
		if run.settings.To == "" {
			return nil, usageError(errors.New("the columns of a Parquet file follow from the dialect of the conversations"), "--to openai, for example")
		}
		c, err := parquet.NewCreator(file, run.settings.To)
		if err != nil {
			return nil, err
		}
		run.sinks[i] = convertSink{Sink: c, lost: c.Lost}
		return c, nil
	}
	packed, err := codec.NewWriter(file, codec.KindByName(name))
	if err != nil {
		return nil, err
	}
	return &listSink{w: packed, array: ending == ".json"}, nil
}

// process converts one record. One without a conversation is left out: a file in one dialect has no place for it.
func (run *convertRun) process(_ context.Context, _ *pipeline.Gate, rec formats.Record) (pipeline.Outcome, error) {
	if !inSample(run.settings, rec.Pos) {
		return pipeline.Outcome{Omit: true}, nil
	}
	conv, err := run.reader.decode(rec)
	if err != nil {
		return pipeline.Outcome{Reject: asFault(rec, err)}, nil
	}
	if !conv.HasMessages() {
		return pipeline.Outcome{Reject: &formats.Fault{
			Pos: rec.Pos, Stage: formats.StageDecode, Code: "no_conversation", Caret: -1, Err: errors.New("there is no conversation in the record"),
		}}, nil
	}
	to := run.settings.To
	if to == "" {
		if to = conv.Dialect; conv.Spelled != "" {
			return pipeline.Outcome{}, usageError(fmt.Errorf("%s: a session of %s can be read, not written", rec.Pos, conv.Dialect), "--to openai, --to anthropic or --to sharegpt")
		}
	}
	payload, loss, err := formats.Convert(conv, to)
	if err != nil {
		return pipeline.Outcome{}, fmt.Errorf("%s: %w", rec.Pos, err)
	}
	if err := run.lost(rec.Pos.String(), loss); err != nil {
		return pipeline.Outcome{}, err
	}
	return pipeline.Outcome{Payload: payload}, nil
}

// conclude says what was left out.
func (run *convertRun) conclude(totals pipeline.Totals) error {
	if !run.settings.Quiet {
		_, _ = fmt.Fprintf(run.console, "ctxpack: %d records converted\n", totals.Changed)
		if text := run.losses.text(); text != "" {
			run.console.warn("no place for: " + text)
		}
	}
	if totals.Rejected > 0 {
		run.console.warn(fmt.Sprintf("%d records could not be converted: %s", totals.Rejected, run.plan.rejects))
		return withExitCode(ExitPartial, nil)
	}
	return nil
}

// listSink writes records as lines, or as the elements of one array with an element a line.
type listSink struct {
	w     io.WriteCloser
	array bool
	any   bool
}

// Write writes payload on a line of its own. Line breaks in it can only stand between its tokens.
func (k *listSink) Write(rec formats.Record, payload []byte) error {
	if rec.FramingOnly() {
		return nil
	}
	before := ""
	switch {
	case k.array && !k.any:
		before = "[\n"
	case k.array:
		before = ",\n"
	}
	k.any = true
	line := append([]byte(before), oneLine(payload)...)
	if !k.array {
		line = append(line, '\n')
	}
	_, err := k.w.Write(line)
	return err
}

// oneLine takes the line breaks out of JSON.
func oneLine(payload []byte) []byte {
	out := make([]byte, 0, len(payload))
	for _, b := range payload {
		if b != '\n' && b != '\r' {
			out = append(out, b)
		}
	}
	return out
}

// Skip leaves a record out.
func (k *listSink) Skip(formats.Record) error { return nil }

// Close completes the array and the compression.
func (k *listSink) Close() error {
	var err error
	if k.array {
		end := "\n]\n"
		if !k.any {
			end = "[]\n"
		}
		_, err = io.WriteString(k.w, end)
	}
	return errors.Join(err, k.w.Close())
}

// toSetting is --to.
func toSetting() setting {
	names := formats.ConvertTargets()
	d := choice(setting{key: "to", flag: "to", unset: "their own", about: "dialect to write conversations in: " + strings.Join(names, ", ")},
		func(s *Settings) *string { return &s.To }, names...)
	d.value = "DIALECT"
	return d
}

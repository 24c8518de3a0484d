package cmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/pipeline"
)

// convertFlags are the settings of compact that have a meaning for convert.
func convertFlags() []string {
	return []string{"to", "format", "column", "sample", "seed", "limit", "output", "force", "rejects", "workers", "progress", "quiet", "cache-ttl", "target"}
}

func newConvertCommand(a *app) *cobra.Command {
	var strict bool
	c := &cobra.Command{
		Use:   "convert IN -o OUT --to DIALECT",
		Short: "Write conversations in another dialect or container",
		Long: `Write the conversations of files in another dialect, in another container, or both. The output is JSON lines, a JSON
array (.json) or Parquet (.parquet), by its name. Everything of a record that is not the conversation goes along; what
the dialect has no place for is counted, and an error with --strict. Calls and results that do not belong to each other
are put right on the way to another dialect: results without a call are left out, calls without a result get a stub.
With --target what is converted is written so that the trainer or API takes it.`,
		Example: `  ctxpack convert trajectories.jsonl -o train.jsonl --to sharegpt
  ctxpack convert train.parquet -o train.jsonl
  ctxpack convert session.jsonl -o session.parquet --to openai`,
		Args: someInputs,
	}
	a.addSettingsFlags(c, convertFlags()...)
	addCacheMarkersFlag(c)
	c.Flags().BoolVar(&strict, "strict", false, "fail when something would be left out")
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		if err := readCacheMarkers(c, s); err != nil {
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
	*fileRun
	reader *compaction // decodes
	strict bool
	losses losses
	mended losses
	suits  suiting
	marks  cacheMarks
}

func (a *app) runConvert(ctx context.Context, args []string, s *Settings, strict bool) error {
	reader, err := a.newReader(s)
	if err != nil {
		return err
	}
	files, err := a.newFileRun(args, s, func(inputs []input) (outputPlan, error) {
		if s.Output == "" && !inputs[0].isStdin() {
			return outputPlan{}, usageError(errors.New("convert needs to know where to write"), "ctxpack convert IN -o OUT.jsonl, or -o OUT.parquet")
		}
		return a.planOutputs(inputs, s.Output)
	})
	if err != nil {
		return err
	}
	run := &convertRun{fileRun: files, reader: reader, strict: strict}
	if err := run.refuseTables(); err != nil {
		return err
	}
	if err := run.checkCacheOutputs(); err != nil {
		return err
	}
	defer run.outputs.Abort()
	run.progress.start(totalSize(run.inputs))
	totals, err := pipeline.Run(ctx, pipeline.Options{Workers: s.Workers}, run.pipelineInputs(true, run.createByName, run.done), run.process, nil)
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
	c := &compaction{settings: s, dialects: dialects(), now: a.streams.Now, losses: &losses{}, mended: &losses{}}
	var err error
	c.named, err = namedDialect(s.Format)
	return c, err
}

// lost counts losses, which are an error with --strict.
func (run *convertRun) lost(where string, loss formats.Loss) error {
	run.losses.add(loss)
	if run.strict && len(loss) > 0 {
		return formats.WithHint(fmt.Errorf("%s: no place for: %s", where, lossText(loss)), "without --strict it is left out and counted")
	}
	return nil
}

// done completes input i. A session log that was not converted has no output: it is in the rejects.
func (run *convertRun) done(i int, c pipeline.Counts) error {
	if run.nothingOf(i, c) {
		return run.outputs.drop(run.files[i])
	}
	if loss := lostBy(run.sinks[i]); loss != nil {
		return run.lost(run.inputs[i].name, loss)
	}
	return nil
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
			err := fmt.Errorf("a session of %s can be read, not written", conv.Dialect)
			if run.alone {
				return pipeline.Outcome{}, usageError(fmt.Errorf("%s: %w", rec.Pos, err), "--to openai, --to anthropic or --to sharegpt")
			}
			return pipeline.Outcome{Reject: &formats.Fault{Pos: rec.Pos, Stage: formats.StageDecode, Code: "session", Caret: -1,
				Err: formats.WithHint(err, "--to openai, --to anthropic or --to sharegpt writes it as a conversation")}}, nil
		}
	}
	out, err := formats.Convert(conv, to)
	if err != nil {
		return pipeline.Outcome{}, fmt.Errorf("%s: %w", rec.Pos, err)
	}
	if out.Payload, err = run.suited(rec, conv, out.Payload, to); err != nil {
		return pipeline.Outcome{}, fmt.Errorf("%s: %w", rec.Pos, err)
	}
	payload, fault, err := run.cacheMarked(rec, to, out.Payload)
	if err != nil || fault != nil {
		return pipeline.Outcome{Reject: fault}, err
	}
	if err := run.lost(rec.Pos.String(), run.cacheLoss(out.Loss)); err != nil {
		return pipeline.Outcome{}, err
	}
	run.mended.add(out.Mended)
	return pipeline.Outcome{Payload: payload}, nil
}

// conclude says what was left out.
func (run *convertRun) conclude(totals pipeline.Totals) error {
	if !run.settings.Quiet {
		_, _ = fmt.Fprintf(run.console, "ctxpack: %s converted\n", recordCount(totals.Changed))
		if text := run.cacheText(); text != "" {
			_, _ = fmt.Fprintf(run.console, "ctxpack: %s\n", text)
		}
		if text := run.losses.text(); text != "" {
			run.console.warn("no place for: " + text)
		}
		if text := run.mended.text(); text != "" {
			_, _ = fmt.Fprintf(run.console, "ctxpack: put right: %s\n", text)
		}
		run.tellSuited()
	}
	if totals.Rejected > 0 {
		run.console.warn(fmt.Sprintf("%s could not be converted: %s", recordCount(totals.Rejected), run.plan.rejects))
		return withExitCode(ExitPartial, nil)
	}
	return nil
}

// recordCount spells a number of records.
func recordCount(n int64) string {
	if n == 1 {
		return "1 record"
	}
	return thousands64(n) + " records"
}

// toSetting is --to.
func toSetting() setting {
	names := formats.ConvertTargets()
	d := choice(setting{key: "to", flag: "to", unset: "their own", about: "dialect to write conversations in: " + strings.Join(names, ", ")},
		func(s *Settings) *string { return &s.To }, names...)
	d.value = "DIALECT"
	return d
}

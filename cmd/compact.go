package cmd

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
	"github.com/ctxpack/ctxpack/pipeline"
	"github.com/ctxpack/ctxpack/report"
)

func newCompactCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "compact IN... [-o OUT]",
		Short: "Compact conversations, write them and a before/after token report",
		Long: `Compact the conversations of files, directories or patterns (- is the standard input): JSON lines, JSON arrays
or single documents, plain, gzip or zstd, and Parquet. Dialects: OpenAI chat and Responses, Anthropic messages, ShareGPT,
Hermes, SWE-agent and ATIF trajectories; sessions of Claude Code, Codex and pi with --to.

A conversation at or over the threshold keeps its beginning and its end; old tool results are cleared and the middle
becomes a summary. Everything else leaves byte for byte as it came, and so does a conversation that something went wrong
with. The report says what happened; the exit code too.`,
		Example: `  ctxpack compact transcripts.jsonl
  ctxpack compact runs/ -o out/ --model gpt-4o
  ctxpack compact train.jsonl.gz --fit 32k -o train-32k.jsonl.gz
  zcat logs.gz | ctxpack compact - -o - --context-length 200k`,
		Args: someInputs,
	}
	a.addSettingsFlags(c)
	var asJSON bool
	strict := addStrictFlag(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON to the standard output, in place of the text")
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		s.JSON, s.Engine.Strict = asJSON, *strict
		a.printWarnings(s)
		return a.withEngine(c.Context(), s, func() error { return a.runCompact(c.Context(), args, s) })
	}
	return c
}

// compactRun is one run of compact: what it reads, where it writes, and what it has seen so far. Its methods are called
// by one goroutine at a time (the pipeline's reader for open, its writer for everything else).
type compactRun struct {
	*fileRun
	compaction *compaction
	started    time.Time

	builder   *report.Builder
	counts    progressCounts
	lost      losses // what columns of Parquet outputs have no place for
	records   []report.Input
	rows      []io.Writer // of --report FILE.jsonl
	defaulted bool        // a conversation's context length was the default
	summaries *summaries  // nil when no model is asked
	gate      *pipeline.Gate
}

// runCompact is the whole story of the command.
func (a *app) runCompact(ctx context.Context, args []string, s *Settings) error {
	run, err := a.newCompactRun(args, s)
	if err != nil {
		return err
	}
	if err := run.prepareOutputs(); err != nil {
		return err
	}
	inputs := run.pipelineInputs(s.To != "", run.create, run.done)
	if s.Summaries.DryRun {
		inputs = run.pipelineInputs(s.To != "", nil, nil)
	}
	var rep report.Report
	err = run.through(ctx, inputs, run.compaction.process, run, func() error {
		rep = run.report()
		return run.writeReports(&rep)
	})
	if err != nil {
		return err
	}
	return run.conclude(&rep)
}

// newCompactRun prepares all but the outputs.
func (a *app) newCompactRun(args []string, s *Settings) (*compactRun, error) {
	compaction, err := a.newCompaction(s)
	if err != nil {
		return nil, err
	}
	run := &compactRun{compaction: compaction, started: a.streams.Now()}
	run.fileRun, err = a.newFileRun(args, s, func(inputs []input) (outputPlan, error) { return a.planOutputs(inputs, s.Output) })
	if err != nil {
		return nil, err
	}
	run.builder = report.NewBuilder(run.target().Window, run.target().ContextLength)
	return run, run.prepare()
}

// prepare is what is left to do once the inputs are found.
func (run *compactRun) prepare() error {
	run.compaction.alone = run.alone
	run.records = make([]report.Input, len(run.inputs))
	return run.prepareSummaries()
}

// through sends all records through process, then lets the reports be written, and commits all outputs.
func (run *compactRun) through(ctx context.Context, inputs []pipeline.Input, process pipeline.Process, seen pipeline.Observer, reports func() error) error {
	defer run.outputs.Abort()
	defer func() { _ = run.summaries.Close() }() // what was kept is on the disk already
	run.progress.start(totalSize(run.inputs))
	_, err := pipeline.Run(ctx, run.pipelineOptions(), inputs, process, seen)
	run.progress.finish()
	if err != nil {
		return explainSummaries(err)
	}
	if err := reports(); err != nil {
		return err
	}
	if err := run.outputs.Commit(); err != nil {
		return err
	}
	return run.dropStaleRejects()
}

// prepareOutputs finds mistakes in the names of outputs before any work is done, and opens the files of rows.
func (run *compactRun) prepareOutputs() error {
	var wrong problems
	if run.settings.JSON && slices.Contains(run.plan.outputs, stdStream) {
		wrong = append(wrong, usageError(errors.New("--json and the records cannot both go to the standard output"), "-o FILE, or --report FILE.json"))
	}
	if run.settings.Summaries.DryRun {
		run.plan = outputPlan{rejects: run.settings.Rejects} // only what is named is written
	}
	reports := run.settings.Reports
	if len(reports) == 0 && run.plan.report != "" {
		reports = []string{run.plan.report}
	}
	for _, name := range slices.Concat(run.plan.outputs, reports, []string{run.plan.rejects}) {
		if err := run.outputs.check(name); err != nil {
			wrong = append(wrong, err)
		}
	}
	if err := wrong.asError(); err != nil {
		return err
	}
	for _, name := range reports {
		if isRows(name) {
			file, err := run.outputs.open(name)
			if err != nil {
				run.outputs.Abort()
				return err
			}
			run.rows = append(run.rows, file)
		}
	}
	return nil
}

// create opens the output of input i: compressed as its name says or, where the name was not chosen, as the input is.
func (run *compactRun) create(i int) (formats.Sink, error) {
	file, err := run.outputs.open(run.plan.outputs[i])
	if err != nil {
		return nil, err
	}
	run.files[i] = file
	r := run.readings[i]
	if r.table != nil && len(run.inputs) > 1 && file.Name() == stdStream {
		return nil, usageError(errors.New(r.in.name+": several inputs cannot share the standard output when one is Parquet"), "-o DIRECTORY/")
	}
	if run.settings.To == "" {
		if err := r.refuseEnding(run.plan.outputs[i]); err != nil {
			return nil, err
		}
		run.sinks[i], err = r.newSink(file, run.outputKind(i))
		return run.sinks[i], err
	}
	if text := r.otherConversations(); text != "" && !run.settings.Quiet {
		run.console.warn(text)
	}
	run.sinks[i], err = r.newConvertedSink(file, run.plan.outputs[i], run.outputKind(i), run.settings.To)
	return run.sinks[i], err
}

func (run *compactRun) outputKind(i int) codec.Kind {
	switch {
	case run.plan.outputs[i] == stdStream:
		return codec.Plain
	case run.settings.Output == "" || len(run.inputs) > 1:
		return run.readings[i].kind
	}
	return codec.KindByName(run.plan.outputs[i])
}

// done completes input i: a compressed file in which nothing changed is copied as it is stored.
func (run *compactRun) done(i int, c pipeline.Counts) error {
	r, file := run.readings[i], run.files[i]
	run.records[i] = report.Input{
		Name: r.in.name, Bytes: r.bytes, SHA256: r.digest(), Records: c.Records, Output: file.Name(),
	}
	run.lost.add(lostBy(run.sinks[i]))
	untouched := run.settings.To == "" && c.Changed == 0 && c.Rejected == 0 && c.Omitted == 0 && run.settings.Limit == 0
	if untouched && r.storedAsIs(run.outputKind(i)) && file.Name() != stdStream {
		if err := file.restart(); err != nil {
			return err
		}
		return r.copyTo(file)
	}
	return nil
}

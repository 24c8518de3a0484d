package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/models"
	"github.com/ctxpack/ctxpack/compress/promptcost"
	"github.com/ctxpack/ctxpack/compress/replay"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/pipeline"
	"github.com/ctxpack/ctxpack/report"
)

// replayOmits are the settings of compact that mean nothing to replay: an agent's window is not fitted to a size, and what
// is written are not the records that came in.
func replayOmits() []string {
	return []string{"strategy", "fit", "tail-overflow", "target", "no-excerpts", "dry-run"}
}

// replayFlags are the others.
func replayFlags(cpus int) []string {
	var names []string
	for _, group := range settingsTable(cpus) {
		for _, d := range group.settings {
			if d.flag != "" && !slices.Contains(replayOmits(), d.flag) {
				names = append(names, d.flag)
			}
		}
	}
	return names
}

func newReplayCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "replay IN... [-o OUT]",
		Short: "Act the live agent out: a record for each context window, and a timeline",
		Long: `Act a live agent out over stored conversations, call by call: before each call of the model its two layers of
compaction look at the window (session hygiene at 85 % of the context length, the engine at its threshold), and where the
agent would have compacted, so does the replay. Each context window becomes a record, a segment, with the messages as the
model would have met them; the timeline says what the calls would have taken, and what they would have taken without.

Segments are JSON lines in the dialect of their record, or that of --to. Each says its number (segment, of), where it
comes from (source_id) and which messages of the original are new in it (new_messages, from the first up to but not
including the last, counted from 0); with --loss-spans also where these stand in the segment. Counts of the provider that
a transcript carries decide in place of our own.`,
		Example: `  ctxpack replay agent.jsonl --context-length 200k
  ctxpack replay runs/ -o segments/ --to openai --loss-spans --model claude-sonnet-4
  ctxpack replay session.jsonl --to anthropic --report timeline.html
  zcat logs.gz | ctxpack replay - --report timeline.json > segments.jsonl`,
		Args: someInputs,
	}
	a.addSettingsFlags(c, replayFlags(a.streams.CPUs)...)
	retell(c, "output", "output file (.jsonl, .json or .parquet, by its name), directory, or - for standard output (default: NAME.replay.jsonl beside the input)")
	retell(c, "report", "write the timeline, format by ending: .json, .html, .md, .txt, or .jsonl for a line per conversation (repeatable) (default: NAME.timeline.json)")
	retell(c, "on-error", "a conversation that cannot be replayed: keep it as one segment, reject it, or fail the run (default keep)")
	strict := addStrictFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		s.Engine.Strict = *strict
		a.printWarnings(s)
		return a.withEngine(c.Context(), s, func() error { return a.runReplay(c.Context(), args, s) })
	}
	return c
}

// retell words the help of a flag anew.
func retell(c *cobra.Command, name, usage string) { c.Flags().Lookup(name).Usage = usage }

// replayRun is one run of replay. What it reads, whom it asks and how it ends is as in compact; what it writes is not.
type replayRun struct {
	*compactRun
	replay    replay.Replay
	timelines *report.TimelineBuilder
	forms     []*report.TimelineFile // of --report FILE.json
}

// runReplay is the whole story of the command.
func (a *app) runReplay(ctx context.Context, args []string, s *Settings) error {
	run, err := a.newReplayRun(args, s)
	if err != nil {
		return err
	}
	defer run.outputs.Abort()
	defer func() { _ = run.summaries.Close() }() // what was kept is on the disk already
	run.progress.start(totalSize(run.inputs))
	_, err = pipeline.Run(ctx, run.pipelineOptions(), run.pipelineInputs(), run.process, run)
	run.progress.finish()
	if err != nil {
		return explainSummaries(err)
	}
	timeline := run.timeline()
	if err := run.writeTimelines(&timeline); err != nil {
		return err
	}
	if err := run.outputs.Commit(); err != nil {
		return err
	}
	if err := run.dropStaleRejects(); err != nil {
		return err
	}
	return run.conclude(&timeline)
}

func (a *app) newReplayRun(args []string, s *Settings) (*replayRun, error) {
	inner := &compactRun{app: a, settings: s, progress: a.newProgress(s.Progress), started: a.streams.Now()}
	run := &replayRun{compactRun: inner, timelines: report.NewTimelineBuilder(s.CacheTTL)}
	var err error
	if run.compaction, err = a.newCompaction(s); err != nil {
		return nil, err
	}
	if run.inputs, err = a.expandInputs(args); err != nil {
		return nil, err
	}
	run.compaction.alone = len(run.inputs) == 1 && !run.inputs[0].below
	if run.plan, err = a.planReplay(run.inputs, s.Output); err != nil {
		return nil, err
	}
	run.outputs = a.newOutputSet(run.inputs, s.Force)
	run.readings = make([]*reading, len(run.inputs))
	run.files = make([]*outputFile, len(run.inputs))
	run.sinks = make([]formats.Sink, len(run.inputs))
	run.records = make([]report.Input, len(run.inputs))
	run.builder = report.NewBuilder()
	if err := run.prepareSummaries(); err != nil {
		return nil, err
	}
	if err := run.prepareReplay(); err != nil {
		return nil, err
	}
	return run, run.prepareOutputs()
}

// prepareReplay makes the replay of the settings.
func (run *replayRun) prepareReplay() error {
	rough, err := tokens.New("rough")
	if err != nil {
		return err
	}
	run.replay = replay.Replay{
		Runner: run.compaction.engine, Rough: &compress.Meter{Counter: rough, MediaTokens: int(run.settings.MediaTokens)},
		Disabled: !run.settings.Enabled, Pressure: run.settings.PressureWarning, Cache: cacheOf(run.compaction.windows.table),
	}
	return nil
}

// cacheOf is what the table knows of the prompt cache of models.
func cacheOf(table models.Table) func(model string) promptcost.Model {
	return func(model string) promptcost.Model {
		m := promptcost.Model{Minimum: promptcost.MinimumFor(model)}
		if row, _, ok := table.Find(model); ok {
			m.Rates = promptcost.RatesOf(row.Price)
		}
		return m
	}
}

// prepareOutputs finds mistakes in the names of outputs before any work is done, and opens the timelines that are written
// while the run goes on.
func (run *replayRun) prepareOutputs() error {
	var wrong problems
	if run.settings.Rejects != "" {
		run.plan.rejects = run.settings.Rejects
	}
	for _, name := range slices.Concat(run.plan.outputs, run.reports(), []string{run.plan.rejects}) {
		if err := run.outputs.check(name); err != nil {
			wrong = append(wrong, err)
		}
	}
	if i := slices.IndexFunc(run.plan.outputs, func(name string) bool { return tableOutput(name, false) }); i >= 0 && run.settings.To == "" {
		wrong = append(wrong, usageError(fmt.Errorf("%s is to be Parquet, whose columns follow from the dialect of the conversations", run.plan.outputs[i]),
			"--to openai, for example"))
	}
	if err := wrong.asError(); err != nil {
		return err
	}
	for _, name := range run.reports() {
		ending := strings.ToLower(endingOf(name))
		if ending != ".json" && ending != report.RowsEnding {
			continue
		}
		file, err := run.outputs.open(name)
		switch {
		case err != nil:
			run.outputs.Abort()
			return err
		case ending == ".json":
			run.forms = append(run.forms, report.NewTimelineFile(file))
		default:
			run.rows = append(run.rows, file)
		}
	}
	run.rejects = pipeline.NewRejectWriter(func() (io.WriteCloser, error) {
		if run.plan.rejects == "" {
			return nil, formats.WithHint(errors.New("there are rejected records and no place for them"), "--rejects FILE")
		}
		file, err := run.outputs.open(run.plan.rejects)
		return unclosed{file}, err
	})
	return nil
}

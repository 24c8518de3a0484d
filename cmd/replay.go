package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/models"
	"github.com/ctxpack/ctxpack/compress/promptcost"
	"github.com/ctxpack/ctxpack/compress/replay"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats/promptcache"
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
	noticed   bool                   // that prompts are cached
}

// runReplay is the whole story of the command.
func (a *app) runReplay(ctx context.Context, args []string, s *Settings) error {
	run, err := a.newReplayRun(args, s)
	if err != nil {
		return err
	}
	if err := run.prepareOutputs(); err != nil {
		return err
	}
	var timeline report.Timeline
	err = run.through(ctx, run.pipelineInputs(true, run.create, run.done), run.process, run, func() error {
		timeline = run.timeline()
		return run.writeTimelines(&timeline)
	})
	if err != nil {
		return err
	}
	return run.conclude(&timeline)
}

// newReplayRun prepares all but the outputs.
func (a *app) newReplayRun(args []string, s *Settings) (*replayRun, error) {
	compaction, err := a.newCompaction(s)
	if err != nil {
		return nil, err
	}
	inner := &compactRun{compaction: compaction, started: a.streams.Now(), builder: report.NewBuilder()}
	inner.fileRun, err = a.newFileRun(args, s, func(inputs []input) (outputPlan, error) { return a.planReplay(inputs, s.Output) })
	if err != nil {
		return nil, err
	}
	if err := inner.prepare(); err != nil {
		return nil, err
	}
	run := &replayRun{compactRun: inner, timelines: report.NewTimelineBuilder(s.CacheTTL)}
	return run, run.prepareReplay()
}

// prepareReplay makes the replay of the settings.
func (run *replayRun) prepareReplay() error {
	rough, err := tokens.New("rough")
	if err != nil {
		return err
	}
	run.replay = replay.Replay{
		Runner: run.compaction.engine, Rough: &compress.Meter{Counter: rough, MediaTokens: int(run.settings.MediaTokens)},
		Disabled: !run.settings.Enabled, Pressure: run.settings.PressureWarning, Cache: cacheOf(run.settings, run.compaction.windows.table),
	}
	return nil
}

// cacheOf is what the table knows of the prompt cache of models: of those that are cached without being asked for, of all
// where the settings name a lifetime.
func cacheOf(s *Settings, table models.Table) func(model string) (promptcost.Model, bool) {
	asked := s.Entry(cacheTTLKey).Origin.Source != SourceDefault
	return func(model string) (promptcost.Model, bool) {
		if !asked && !cachedByItself(model) {
			return promptcost.Model{}, false
		}
		m := promptcost.Model{Minimum: promptcost.MinimumFor(model)}
		if row, _, ok := table.Find(model); ok {
			m.Rates = promptcost.RatesOf(row.Price)
		}
		return m, true
	}
}

func cachedByItself(model string) bool {
	return promptcache.Automatic(model, promptcache.ProviderOf(model))
}

// prepareOutputs finds mistakes in the names of outputs before any work is done, and opens the timelines that are written
// while the run goes on.
func (run *replayRun) prepareOutputs() error {
	var wrong problems
	for _, name := range slices.Concat(run.plan.outputs, run.reports(), []string{run.plan.rejects}) {
		if err := run.outputs.check(name); err != nil {
			wrong = append(wrong, err)
		}
	}
	if err := run.refuseTables(); err != nil {
		wrong = append(wrong, err)
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
	return nil
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/report/quality"
)

// evalOptions are the flags of eval beside the settings of compact.
type evalOptions struct {
	runs     []string // what compact reported of the run
	gates    string
	baseline string
	rows     string
	junit    string
	key      string
	strict   bool
	replay   bool
	cut      string
	tail     string
	cascade  bool
	against  string
}

func newEvalCommand(a *app) *cobra.Command {
	var opts evalOptions
	c := &cobra.Command{
		Use:   "eval BEFORE AFTER | eval --replay IN...",
		Short: "Quality of compacted conversations: metrics, gates, regression against a baseline",
		Long: `Measure the output of any compactor: invariants, what of the replaced messages survives, what was invented. No model,
no network, the same answer every time. Records are paired by position, by --key, or by the rows of the run (--run).

With --replay, each conversation is cut where compaction would fire (else at 60 % of its messages), the part before is
compacted with the settings given, and the part after shows what the agent went on to need. --against "FLAGS" runs the same
with other settings and compares. Compactions that a session log carries itself are measured as rows of their own; with
--against recorded they are what compacting at the same places is compared with.

The gates of quality.md hold unless --gates names others. With --baseline, each metric is compared row by row with an
earlier run (ctxpack eval baseline write makes one). Exit code 4: a gate or the comparison failed; 5 with --strict: there
was too little to judge by; 3: some rows could not be measured.`,
		Example: `  ctxpack eval runs.jsonl runs.compacted.jsonl --run runs.report.json
  ctxpack eval runs.jsonl other-tools-output.jsonl --key id --report quality.md
  ctxpack eval --replay runs/ --context-length 128k --protect-last 4
  ctxpack eval --replay runs/ --cut 60% --tail 8k --against "--summarizer none"
  ctxpack eval --replay runs/ --baseline base.json --junit junit.xml --strict`,
		Annotations: map[string]string{takesArguments: "true"},
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case opts.replay && len(args) == 0:
				return errors.New("eval --replay needs an input")
			case !opts.replay && len(args) != 2:
				return fmt.Errorf("eval needs two inputs, BEFORE and AFTER (or --replay IN), not %d", len(args))
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringArrayVar(&opts.runs, "run", nil, "what the run reported: its report.json (settings, tokenizer) or rows.jsonl (pairing, budgets) (`FILE`, repeatable)")
	f.StringVar(&opts.key, "key", "", "pair the records by a member they carry, such as id or info.instance_id (`PATH`)")
	f.BoolVar(&opts.replay, "replay", false, "compact the inputs here and measure against what really came next")
	f.StringVar(&opts.cut, "cut", "fire", "where to cut: `fire`, else a share of the messages such as 60%")
	f.StringVar(&opts.tail, "tail", "", "protected end in tokens (`N`), in place of what follows from threshold and ratio")
	f.BoolVar(&opts.cascade, "cascade", true, "also compact three times on the way to the cut and compare")
	f.StringVar(&opts.against, "against", "", "compare with these settings, `FLAGS` of compact in one argument, or with what session logs recorded: recorded")
	f.StringVar(&opts.gates, "gates", "", "gates in place of the default ones (`FILE`.yaml)")
	f.StringVar(&opts.baseline, "baseline", "", "compare with this baseline (`FILE`.json)")
	f.BoolVar(&opts.strict, "strict", false, "exit code 5 where there is too little to judge by")
	f.StringVar(&opts.rows, "rows", "", "one line of JSON for each conversation (`FILE`.jsonl)")
	f.StringVar(&opts.junit, "junit", "", "the same for CI systems (`FILE`.xml)")
	for _, name := range []string{"run", "key", "replay", "cut", "tail", "cascade", "against"} {
		annotate(f.Lookup(name), "Evaluation")
	}
	for _, name := range []string{"gates", "baseline", "strict", "rows", "junit"} {
		annotate(f.Lookup(name), "Verdict")
	}
	a.addSettingsFlags(c)
	for _, name := range []string{"output", "rejects", "on-error", "fail-on"} {
		f.Lookup(name).Hidden = true
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		a.printWarnings(s)
		work := func() error {
			run, err := a.newEvalRun(c, args, opts, s)
			if err != nil {
				return err
			}
			defer run.outputs.Abort()
			return errors.Join(run.do(c.Context()), run.subject.close(), run.others.close())
		}
		if !opts.replay {
			return work()
		}
		s.Engine.Strict = opts.strict
		return a.withEngine(c.Context(), s, work)
	}
	c.AddCommand(newGroupCommand("baseline", "Figures that later runs are compared with", newBaselineWriteCommand(a)))
	return c
}

// againstRecorded is the value of --against for the compactions that session logs carry.
const againstRecorded = "recorded"

// evalRun is one run of eval.
type evalRun struct {
	*app
	args     []string
	opts     evalOptions
	settings *Settings
	gates    quality.Gates
	base     *quality.Baseline
	rows     *runRows
	outputs  *outputSet
	builder  *quality.Builder
	subject  *subject
	others   *subject // of --against; nil without
	rowFile  *outputFile
}

// newEvalRun reads everything beside the records, so that mistakes are found before the work.
func (a *app) newEvalRun(c *cobra.Command, args []string, opts evalOptions, s *Settings) (*evalRun, error) {
	run := &evalRun{app: a, args: args, opts: opts, settings: s, outputs: a.newOutputSet(nil, s.Force)}
	var wrong problems
	note := func(err error) {
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	note(run.readRuns())
	var err error
	if opts.baseline != "" {
		run.base, err = a.readBaseline(opts.baseline)
		note(err)
	}
	run.subject, err = a.newSubject(s, opts)
	note(err)
	if opts.against != "" && (opts.against != againstRecorded || !opts.replay) {
		note(run.openAgainst(c))
	}
	if run.subject != nil {
		run.gates, err = run.chooseGates()
		note(err)
	}
	note(run.checkOutputs())
	if err := wrong.asError(); err != nil {
		return nil, err
	}
	run.builder = quality.NewBuilder(run.gates, opts.junit != "")
	return run, nil
}

// readRuns reads what --run names: settings and tokenizer of the run for this one, unless flags say otherwise.
func (run *evalRun) readRuns() error {
	for _, name := range run.opts.runs {
		if isRows(name) {
			rows, err := run.readRunRows(name)
			if err != nil {
				return err
			}
			run.rows = rows
			continue
		}
		rep, err := run.readRunReport(name)
		if err != nil {
			return err
		}
		if err := run.adopt(name, rep.Header.Settings); err != nil {
			return err
		}
	}
	return nil
}

// openAgainst reads the settings to compare with: those of the command line with the flags of --against laid over them.
func (run *evalRun) openAgainst(c *cobra.Command) error {
	if !run.opts.replay {
		return usageError(errors.New("--against compares settings, which only matter to --replay"), "ctxpack eval --replay IN --against \"--summarizer none\"")
	}
	other := &cobra.Command{Use: "eval", SilenceErrors: true}
	run.addSettingsFlags(other)
	tail, cut := other.Flags().String("tail", run.opts.tail, ""), other.Flags().String("cut", run.opts.cut, "")
	if err := copyFlags(c.Flags(), other.Flags()); err != nil {
		return err
	}
	words := strings.Fields(run.opts.against)
	if err := other.ParseFlags(words); err != nil {
		return usageError(fmt.Errorf("--against %q: %w", run.opts.against, err), "")
	}
	if rest := other.Flags().Args(); len(rest) > 0 {
		return usageErrorf("--against %q: %s is no flag", run.opts.against, rest[0])
	}
	s, err := run.loadSettings(other.Flags())
	if err != nil {
		return err
	}
	opts := run.opts
	opts.tail, opts.cut = *tail, *cut
	s.Engine.Strict = opts.strict
	engine, err := run.openEngine(c.Context(), s)
	if err != nil {
		return err
	}
	if run.others, err = run.newSubject(s, opts); err != nil {
		return errors.Join(err, engine.Close())
	}
	run.others.opened = engine
	return nil
}

// do measures everything and concludes.
func (run *evalRun) do(ctx context.Context) error {
	var err error
	if run.opts.rows != "" {
		if run.rowFile, err = run.outputs.open(run.opts.rows); err != nil {
			return err
		}
	}
	if run.opts.replay {
		err = run.replay(ctx)
	} else {
		err = run.pairs(ctx)
	}
	if err != nil {
		return err
	}
	rep := run.report()
	if err := run.write(rep); err != nil {
		return err
	}
	if err := run.outputs.Commit(); err != nil {
		return err
	}
	if !run.settings.Quiet {
		if err := quality.WriteText(run.streams.Stdout, rep, printable); err != nil {
			return err
		}
	}
	return run.conclude(rep)
}

// conclude chooses the exit code.
func (run *evalRun) conclude(rep quality.Report) error {
	judged := false
	for _, g := range rep.Gates {
		judged = judged || g.Value != nil
	}
	switch {
	case rep.Verdict == quality.VerdictFail:
		return withExitCode(ExitGate, nil)
	case run.opts.strict && (rep.Verdict == quality.VerdictInsufficient || !judged):
		return withExitCode(ExitNoVerdict, nil)
	case rep.Rows.Errors > 0:
		return withExitCode(ExitPartial, nil)
	}
	return nil
}

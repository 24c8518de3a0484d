package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/report/quality"
	"github.com/ctxpack/ctxpack/summarize"
)

// stepSummary is where GitHub Actions shows Markdown that a step appends.
const stepSummary = "GITHUB_STEP_SUMMARY"

// adopt takes over the settings of a run that the figures depend on, where nothing nearer says otherwise.
func (run *evalRun) adopt(name string, settings []report.Setting) error {
	kept := []string{"model", "context_length", "tokenizer", "compression.threshold", "compression.target_ratio",
		"compression.strategy", "compression.fit", "compression.max_summary_tokens", "compression.media_tokens"}
	for _, group := range settingsTable(run.streams.CPUs) {
		for _, d := range group.settings {
			i := slices.IndexFunc(settings, func(s report.Setting) bool { return s.Key == d.key })
			if d.key == "" || i < 0 || !slices.Contains(kept, d.key) || settings[i].Value == nil || run.settings.Entry(d.key).Origin.Source != SourceDefault {
				continue
			}
			if _, err := d.set(run.settings, []string{fmt.Sprint(settings[i].Value)}); err != nil {
				return usageError(fmt.Errorf("%s: %s: %w", name, d.key, err), "")
			}
		}
	}
	return nil
}

// copyFlags gives to the values that were set in from.
func copyFlags(from, to *pflag.FlagSet) error {
	var err error
	from.Visit(func(f *pflag.Flag) {
		target := to.Lookup(f.Name)
		if target == nil || err != nil {
			return
		}
		if v, ok := f.Value.(*flagValue); ok {
			for _, text := range v.texts {
				err = errors.Join(err, to.Set(f.Name, text))
			}
			return
		}
		err = to.Set(f.Name, f.Value.String())
	})
	return err
}

// chooseGates reads --gates, else takes the default ones.
func (run *evalRun) chooseGates() (quality.Gates, error) {
	s := run.settings
	if run.opts.gates != "" {
		return run.readGates(run.opts.gates)
	}
	tail := 0
	if run.opts.replay {
		if tail = run.subject.tail; tail == 0 {
			tail = run.subject.budget(&formats.Conversation{}).Tail
		}
	}
	return quality.DefaultGates(s.Strategy == "full", tail), nil
}

// gateText is one gate as it stands in a file.
type gateText struct {
	Min    *float64 `yaml:"min"`
	Max    *float64 `yaml:"max"`
	PerRow *float64 `yaml:"per_row"`
}

// readGates reads a file of gates: `metric: {min|max: value, per_row: value}`, and `ignore: [I12]` for invariants that do
// not count.
func (run *evalRun) readGates(name string) (quality.Gates, error) {
	var g quality.Gates
	data, err := os.ReadFile(run.streams.Path(name))
	if err != nil {
		return g, fmt.Errorf("cannot read %s: %w", name, bareError(err))
	}
	const example = "saving: {min: 0.3, per_row: 0.1}"
	var root map[string]yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return g, usageError(fmt.Errorf("%s: %w", name, err), example)
	}
	if node, ok := root["ignore"]; ok {
		if err := node.Decode(&g.Ignore); err != nil {
			return g, usageError(fmt.Errorf("%s:%d: ignore is a list of invariants", name, node.Line), "ignore: [I12]")
		}
		delete(root, "ignore")
	}
	var known []string
	for _, m := range quality.Metrics() {
		known = append(known, m.Name)
		node, ok := root[m.Name]
		if !ok {
			continue
		}
		delete(root, m.Name)
		var t gateText
		if err := node.Decode(&t); err != nil {
			return g, usageError(fmt.Errorf("%s:%d: %s: bounds are numbers", name, node.Line, m.Name), example)
		}
		g.List = append(g.List, quality.Gate{Metric: m.Name, Min: t.Min, Max: t.Max, PerRow: t.PerRow})
	}
	for unknown, node := range root {
		return g, usageError(fmt.Errorf("%s:%d: %w", name, node.Line, unknownName("metric", unknown, known)), "")
	}
	if err := g.Validate(); err != nil {
		return g, usageError(fmt.Errorf("%s: %w", name, err), example)
	}
	return g, nil
}

func (a *app) readBaseline(name string) (*quality.Baseline, error) {
	data, err := os.ReadFile(a.streams.Path(name))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, bareError(err))
	}
	b, err := quality.ReadBaseline(data)
	if err != nil {
		return nil, usageError(fmt.Errorf("%s: %w", name, err), "ctxpack eval baseline write makes one")
	}
	return &b, nil
}

// checkOutputs finds mistakes in the names of outputs before the work.
func (run *evalRun) checkOutputs() error {
	var wrong problems
	for _, name := range append([]string{run.opts.rows, run.opts.junit}, run.settings.Reports...) {
		if name == "" {
			continue
		}
		if err := run.outputs.check(name); err != nil {
			wrong = append(wrong, err)
		}
	}
	for _, name := range run.settings.Reports {
		switch ending := strings.ToLower(filepath.Ext(name)); ending {
		case ".json", ".md":
		case report.RowsEnding:
			if run.opts.rows == "" {
				run.opts.rows = name
			}
		default:
			wrong = append(wrong, usageErrorf("--report %s: eval writes .json, .md and, for rows, %s", name, report.RowsEnding))
		}
	}
	return wrong.asError()
}

// report is the report of the run.
func (run *evalRun) report() quality.Report {
	s := run.settings
	mode := "pairs"
	var settings []report.Setting
	if run.opts.replay {
		mode = "replay"
		for _, e := range s.Entries {
			if !isPace(e.Key) && !strings.HasPrefix(e.Key, "--") {
				settings = append(settings, report.Setting{Key: e.Key, Value: e.Value})
			}
		}
		settings = append(settings, report.Setting{Key: "cut", Value: run.opts.cut}, report.Setting{Key: "tail", Value: run.opts.tail})
	}
	o := quality.Origin{Tool: "ctxpack", Version: version, Mode: mode, SettingsSHA256: report.HashSettings(settings), Tokenizer: run.subject.counter.Name()}
	if run.opts.replay {
		o.Summarizer = s.Summarizer
	}
	if u := run.subject.summaries; u != nil {
		o.Model, o.PromptSHA256 = u.model, run.promptHash()
	}
	rep := run.builder.Report(o, run.base)
	rep.Inputs = run.args
	if run.opts.against != "" {
		run.builder.CompareSettings(&rep, run.opts.against)
	}
	return rep
}

// promptHash identifies what a model is asked: the version of ctxpack's prompt, and the template where one is named.
func (run *evalRun) promptHash() string {
	text := summarize.PromptVersion
	if name := run.settings.Summaries.Template; name != "" {
		data, _ := os.ReadFile(run.streams.Path(name)) // it has been read before; were it gone, the hash would differ
		text += "\x00" + string(data)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// write writes the report in every form that was asked for.
func (run *evalRun) write(rep quality.Report) error {
	for _, name := range run.settings.Reports {
		var err error
		switch strings.ToLower(filepath.Ext(name)) {
		case ".json":
			err = run.writeTo(name, func(w io.Writer) error { return quality.WriteJSON(w, rep) })
		case ".md":
			err = run.writeTo(name, func(w io.Writer) error { return quality.WriteMarkdown(w, rep, printable) })
		}
		if err != nil {
			return err
		}
	}
	if run.opts.junit != "" {
		err := run.writeTo(run.opts.junit, func(w io.Writer) error { return run.builder.WriteJUnit(w, rep, printable) })
		if err != nil {
			return err
		}
	}
	return run.writeStepSummary(rep)
}

func (run *evalRun) writeTo(name string, draw func(io.Writer) error) error {
	file, err := run.outputs.open(name)
	if err != nil {
		return err
	}
	return draw(file)
}

// writeStepSummary appends the report to the summary of the job, where there is one.
func (run *evalRun) writeStepSummary(rep quality.Report) (err error) {
	name := run.streams.Getenv(stepSummary)
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(run.streams.Path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("cannot write the job's summary ($%s): %w", stepSummary, bareError(err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return quality.WriteMarkdown(file, rep, printable)
}

// newBaselineWriteCommand is `ctxpack eval baseline write`.
func newBaselineWriteCommand(a *app) *cobra.Command {
	var output string
	var force bool
	c := &cobra.Command{
		Use:     "write REPORT.json ROWS.jsonl -o BASE.json",
		Short:   "Make a baseline of a report of eval and its rows",
		Example: "  ctxpack eval --replay runs/ --report q.json --rows q.jsonl\n  ctxpack eval baseline write q.json q.jsonl -o base.json",
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.writeBaseline(args[0], args[1], output, force)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", stdStream, "where to write it (`FILE`.json)")
	c.Flags().BoolVar(&force, "force", false, "replace an existing one")
	return c
}

func (a *app) writeBaseline(reportName, rowsName, output string, force bool) (err error) {
	data, err := os.ReadFile(a.streams.Path(reportName))
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", reportName, bareError(err))
	}
	rep, err := quality.ReadJSON(data)
	if err != nil {
		return usageError(fmt.Errorf("%s: %w", reportName, err), "ctxpack eval … --report FILE.json writes one")
	}
	file, err := os.Open(a.streams.Path(rowsName))
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", rowsName, bareError(err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	rows, err := quality.ReadRows(file)
	if err != nil {
		return usageError(fmt.Errorf("%s: %w", rowsName, err), "ctxpack eval … --rows FILE.jsonl writes them")
	}
	base, err := quality.NewBaseline(rep, rows)
	if err != nil {
		return usageError(fmt.Errorf("%s: %w", reportName, err), "mend what the report says first")
	}
	outputs := a.newOutputSet(nil, force)
	defer outputs.Abort()
	target, err := outputs.open(output)
	if err != nil {
		return err
	}
	if err := quality.WriteBaseline(target, base); err != nil {
		return err
	}
	return outputs.Commit()
}

package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/targets"
	"github.com/ctxpack/ctxpack/pipeline"
)

// validateFlags are the settings of compact that have a meaning for validate.
func validateFlags() []string {
	return []string{"target", "model", "tokenizer", "format", "column", "sample", "seed", "limit", "workers", "progress", "quiet"}
}

func newValidateCommand(a *app) *cobra.Command {
	var maxLength int
	c := &cobra.Command{
		Use:   "validate IN... --target TARGET",
		Short: "What a trainer or API would refuse, in its own words",
		Long: `Hold conversations against what a trainer or API demands, and print every breach with its file and row, in the words
of the target's own error. The exit code is 4 when there is one.`,
		Example: `  ctxpack validate train.jsonl --target llamafactory
  ctxpack validate train.parquet --target verl --max-length 32768`,
		Args: cobra.MinimumNArgs(1),
	}
	a.addSettingsFlags(c, validateFlags()...)
	c.Flags().IntVar(&maxLength, "max-length", 0, "most tokens of a conversation, for verl; 0 checks none")
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		a.printWarnings(s)
		if s.Target == "" {
			return usageError(errors.New("validate needs to know for whom"), "--target "+targets.Names()[0]+", or one of the others in ctxpack help validate")
		}
		return a.runValidate(c.Context(), args, s, maxLength)
	}
	return c
}

// validation is one run of validate. Record is called by one goroutine at a time.
type validation struct {
	*app
	target    targets.Target
	reader    *compaction
	meter     *compress.Meter
	maxLength int
	out       io.Writer

	records, refused, shown int64
	rules                   map[string]int64
}

// mostShown is how many breaches are printed; the rest is counted.
const mostShown = 200

func (a *app) runValidate(ctx context.Context, args []string, s *Settings, maxLength int) error {
	v := &validation{app: a, maxLength: maxLength, out: a.streams.Stdout, rules: map[string]int64{}}
	v.target, _ = targets.ByName(s.Target) // the setting is checked
	var err error
	if v.reader, err = a.newReader(s); err != nil {
		return err
	}
	counter, err := a.newCounter(s)
	if err != nil {
		return err
	}
	v.meter = &compress.Meter{Counter: counter, MediaTokens: int(s.MediaTokens)}
	inputs, err := a.expandInputs(args)
	if err != nil {
		return err
	}
	show := a.newProgress(s.Progress)
	show.start(totalSize(inputs))
	list := make([]pipeline.Input, len(inputs))
	for i, in := range inputs {
		list[i] = pipeline.Input{Name: in.name, Open: func(context.Context) (formats.Source, error) {
			r, err := a.openInput(in, show.advance, s.readOptions())
			if err != nil {
				return nil, err
			}
			return limited(r, s), nil
		}}
	}
	look := func(_ context.Context, _ *pipeline.Gate, rec formats.Record) (pipeline.Outcome, error) {
		if !inSample(s, rec.Pos) {
			return pipeline.Outcome{Omit: true}, nil
		}
		return pipeline.Outcome{Row: v.check(rec)}, nil
	}
	_, err = pipeline.Run(ctx, pipeline.Options{Workers: s.Workers}, list, look, v)
	show.finish()
	if err != nil {
		return err
	}
	return v.conclude(s.Quiet)
}

// check gives the breaches of one record; one that cannot be read is a breach of every target.
func (v *validation) check(rec formats.Record) []targets.Breach {
	conv, err := v.reader.decode(rec)
	if err != nil {
		return []targets.Breach{{Rule: "unreadable", Text: asFault(rec, err).Err.Error(), Turn: -1}}
	}
	return v.target.Check(targets.Record{
		Conversation: conv, Payload: rec.Raw, Parquet: rec.Held != nil, Index: rec.Pos.Index, MaxLength: v.maxLength,
		Tokens: func() int { return v.meter.Conversation(conv) },
	})
}

// Record prints the breaches of a record: the pipeline's observer.
func (v *validation) Record(rec formats.Record, out pipeline.Outcome) error {
	breaches, _ := out.Row.([]targets.Breach)
	if out.Reject != nil {
		breaches = []targets.Breach{{Rule: "unreadable", Text: out.Reject.Err.Error(), Turn: -1}}
	}
	if out.Omit {
		return nil
	}
	v.records++
	if len(breaches) > 0 {
		v.refused++
	}
	for _, b := range breaches {
		v.rules[b.Rule]++
		if v.shown++; v.shown > mostShown {
			continue
		}
		at := rec.Pos.String()
		if b.Turn >= 0 {
			at += fmt.Sprintf(" message %d", b.Turn)
		}
		if _, err := fmt.Fprintf(v.out, "%s: %s\n", at, printable(b.Text)); err != nil {
			return err
		}
	}
	return nil
}

// conclude says how many records the target would refuse.
func (v *validation) conclude(quiet bool) error {
	if v.shown > mostShown {
		_, _ = fmt.Fprintf(v.out, "… and %d more\n", v.shown-mostShown)
	}
	if !quiet {
		_, _ = fmt.Fprintf(v.console, "ctxpack: %s takes %s of %s\n", v.target.Name, thousands64(v.records-v.refused), recordCount(v.records))
		if v.refused > 0 {
			_, _ = fmt.Fprintf(v.console, "ctxpack: it %s: %s\n", v.target.Consequence, v.counts())
		}
	}
	if v.refused > 0 {
		return withExitCode(ExitGate, nil)
	}
	return nil
}

// counts lists the rules that were broken, most often first.
func (v *validation) counts() string {
	var names []string
	for name := range v.rules {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(v.rules[b], v.rules[a]), cmp.Compare(a, b)) })
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %d", name, v.rules[name])
	}
	return text
}

// targetSetting is --target.
func targetSetting() setting {
	names := targets.Names()
	d := choice(setting{key: "target", flag: "target", unset: "none", about: "trainer or API that must take the output: " + strings.Join(names, ", ")},
		func(s *Settings) *string { return &s.Target }, names...)
	d.value = "TARGET"
	return d
}

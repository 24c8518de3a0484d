package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/report/quality"
)

type reportOptions struct {
	compare string
	quality string
	output  string
	as      string
	force   bool
	worse   bool
}

func newReportCommand(a *app) *cobra.Command {
	var opts reportOptions
	c := &cobra.Command{
		Use:   "report RUN.json [--compare OLD.json] [-o FILE]",
		Short: "Draw the report of a run again: text, Markdown or HTML; compare two runs",
		Long: `Draw the report.json that ctxpack compact wrote: as text on the standard output, or with -o as text, Markdown, HTML or
data, by the file's ending. With --compare, say what became better or worse since an older run; with --quality, put what
ctxpack eval measured into the report.`,
		Example: `  ctxpack report runs.report.json
  ctxpack report runs.report.json -o report.html
  ctxpack report out/report.json --compare last-week/report.json -o changes.md`,
		Args: cobra.ExactArgs(1),
	}
	f := c.Flags()
	f.StringVar(&opts.compare, "compare", "", "compare with an older run's report (`OLD.json`)")
	f.StringVar(&opts.quality, "quality", "", "add what `ctxpack eval --report` measured (`EVAL.json`)")
	f.StringVarP(&opts.output, "output", "o", "", "write `FILE`: .html, .md, .txt or .json")
	f.StringVar(&opts.as, "as", "", "form of the standard output: text, md, html or json (`FORM`)")
	f.BoolVar(&opts.force, "force", false, "replace an existing file")
	f.BoolVar(&opts.worse, "fail-on-worse", false, "with --compare: exit code 4 unless the run is as good as the older one")
	c.RunE = func(_ *cobra.Command, args []string) error { return a.runReport(args[0], opts) }
	return c
}

// runReport is the whole story of the command.
func (a *app) runReport(name string, opts reportOptions) error {
	if opts.worse && opts.compare == "" {
		return usageErrorf("--fail-on-worse needs --compare OLD.json")
	}
	ending, err := opts.ending()
	if err != nil {
		return err
	}
	run, err := a.readRunReport(name)
	if err != nil {
		return err
	}
	if opts.quality != "" {
		if run.Quality, err = a.readQuality(opts.quality); err != nil {
			return err
		}
	}
	if opts.compare == "" {
		return a.writeDrawn(opts, func(w io.Writer) error {
			if ending == ".txt" {
				return a.screen().WriteText(w, &run)
			}
			return rendererOf(ending)(w, &run)
		})
	}
	old, err := a.readRunReport(opts.compare)
	if err != nil {
		return err
	}
	c := report.NewComparison(&old, &run)
	err = a.writeDrawn(opts, func(w io.Writer) error {
		if ending == ".txt" {
			return c.WriteText(w, a.screen())
		}
		i := slices.IndexFunc(report.CompareRenderers(), func(r report.CompareRenderer) bool { return r.Ending == ending })
		return report.CompareRenderers()[i].Render(c, w)
	})
	if err == nil && opts.worse && c.Verdict != report.Better && c.Verdict != report.Same {
		return withExitCode(ExitGate, nil)
	}
	return err
}

// ending is the form that is asked for, as a file's ending; text when none is.
func (o reportOptions) ending() (string, error) {
	if o.as != "" && o.output != "" && o.output != stdStream {
		return "", usageErrorf("--as is for the standard output; the form of %s follows from its ending", o.output)
	}
	ending := ".txt"
	switch {
	case o.as == "text":
	case o.as != "":
		ending = "." + o.as
	case o.output != "" && o.output != stdStream:
		ending = strings.ToLower(filepath.Ext(o.output))
	}
	if rendererOf(ending) == nil {
		return "", usageError(fmt.Errorf("unknown form %q", strings.TrimPrefix(ending, ".")), "known are .html, .md, .txt and .json")
	}
	return ending, nil
}

func rendererOf(ending string) func(io.Writer, *report.Report) error {
	for _, r := range report.Renderers() {
		if r.Ending == ending {
			return r.Render
		}
	}
	return nil
}

// readQuality reads the report of an evaluation.
func (a *app) readQuality(name string) (*quality.Report, error) {
	data, err := os.ReadFile(a.streams.Path(name))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, bareError(err))
	}
	q, err := quality.ReadJSON(data)
	if err != nil {
		return nil, usageError(fmt.Errorf("%s: %w", name, err), cmpOr(formats.HintOf(err), "name the file that `ctxpack eval --report` wrote"))
	}
	return &q, nil
}

// writeDrawn writes to the standard output, or to -o as any output: complete or not at all.
func (a *app) writeDrawn(opts reportOptions, draw func(io.Writer) error) error {
	var text bytes.Buffer
	if err := draw(&text); err != nil {
		return err
	}
	if opts.output == "" || opts.output == stdStream {
		_, err := a.streams.Stdout.Write(text.Bytes())
		return err
	}
	set := a.newOutputSet(nil, opts.force)
	defer set.Abort()
	file, err := set.open(opts.output)
	if err != nil {
		return err
	}
	if _, err := file.Write(text.Bytes()); err != nil {
		return errors.Join(err, set.drop(file))
	}
	return set.Commit()
}

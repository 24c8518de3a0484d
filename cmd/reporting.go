package cmd

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ctxpack/ctxpack/compress/models"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/pipeline"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/report/quality"
)

// report is the report of the run so far.
func (run *compactRun) report() report.Report {
	s := run.settings
	header := report.Header{
		Tool: "ctxpack", Version: version, Command: "compact",
		Inputs: run.records, Target: run.target(), Summarizer: s.Summarizer,
		Tokenizer: report.Tokenizer{Name: run.compaction.counter.Name(), Exact: run.compaction.counter.Exact()},
		PriceDate: models.Builtin().Date(),
	}
	if p := s.Engine.open; p != nil {
		header.ContextEngine = &report.Engine{Name: p.Name(), Version: s.Engine.version}
		header.Settings = append(header.Settings, s.engineSetting())
	}
	var pace []report.Setting
	for _, e := range s.Entries {
		setting := report.Setting{Key: e.Key, Value: e.Value, Origin: e.Origin.String()}
		switch {
		case isPace(e.Key):
			pace = append(pace, setting)
		case !strings.HasPrefix(e.Key, "--"):
			header.Settings = append(header.Settings, setting)
		}
	}
	rep := run.builder.Report(header, report.Clock{Start: run.started, End: run.streams.Now(), Settings: pace})
	if run.rejects.Count() > 0 {
		rep.Failures.RejectsFile = run.plan.rejects
	}
	if run.summaries != nil {
		run.summaries.addTo(&rep)
		rep.Failures.Rerun = run.rerun(&rep)
	}
	return rep
}

// isPace tells the settings that change how fast a run goes, and nothing else.
func isPace(key string) bool {
	switch key {
	case "workers", "concurrency", "progress", "quiet", "verbose", "excerpts", "rpm", "tpm", "timeout", "record_timeout", "max_retries", "max_cost",
		"cache", "cache_dir", "cache_only", "compression.api_key_env", "context.timeout":
		return true
	}
	return false
}

// target is what the conversations are to fit.
func (run *compactRun) target() report.Target {
	s := run.settings
	t := report.Target{Model: s.Model, Strategy: s.Strategy, Window: int(s.Fit)}
	if named := run.compaction.windows.named; named != nil {
		t.ContextLength, t.Source = named.tokens, named.source
		if s.Engine.open == nil { // a plugin has its own
			t.Threshold = int(s.Threshold.For(int64(named.tokens)))
		}
	}
	return t
}

// writeReports writes the report in every form that was asked for, or report.json.
func (run *compactRun) writeReports(rep *report.Report) error {
	names := run.settings.Reports
	if len(names) == 0 && run.plan.report != "" {
		names = []string{run.plan.report}
	}
	for _, name := range names {
		if isRows(name) {
			continue // written while the run went on
		}
		var text bytes.Buffer
		if err := render(&text, filepath.Ext(name), rep); err != nil {
			return fmt.Errorf("draw the report %s: %w", name, err)
		}
		file, err := run.outputs.open(name)
		if err != nil {
			return err
		}
		if _, err := file.Write(text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func render(to *bytes.Buffer, ending string, rep *report.Report) error {
	for _, r := range report.Renderers() {
		if r.Ending == strings.ToLower(ending) {
			return r.Render(to, rep)
		}
	}
	return fmt.Errorf("unknown ending %q", ending)
}

// texts is where the side-by-side view of a record comes from: both sides are read again, when it is wanted at all.
func (run *compactRun) texts(rec formats.Record, out pipeline.Outcome) report.Texts {
	if !run.settings.Excerpts || out.Reject != nil {
		return report.Texts{}
	}
	payload := out.Payload
	return report.Texts{Held: rec.Size() + len(payload), Pair: func() *quality.Pair {
		before, err := run.compaction.decode(rec)
		if err != nil {
			return nil
		}
		if payload == nil {
			return quality.NewPair(before.Messages, before.Messages)
		}
		after, err := run.compaction.decode(formats.Record{Pos: rec.Pos, Raw: payload})
		if err != nil {
			return nil
		}
		return quality.NewPair(before.Messages, after.Messages)
	}}
}

// shownFiles is how many of many inputs get a line of their own; -v shows all.
const shownFiles = 12

// printReport prints the report for people, or with --json for machines.
func (run *compactRun) printReport(rep *report.Report) error {
	if run.settings.JSON {
		return report.WriteJSON(run.streams.Stdout, rep)
	}
	if run.settings.Quiet {
		return nil
	}
	limit := shownFiles
	if run.settings.Verbose {
		limit = 0
	}
	screen := run.screen()
	if lines := screen.FileLines(rep, limit); len(lines) > 0 {
		if _, err := io.WriteString(run.console, strings.Join(lines, "\n")+"\n\n"); err != nil {
			return err
		}
	}
	return screen.WriteText(run.console, rep)
}

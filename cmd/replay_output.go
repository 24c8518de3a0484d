package cmd

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/pipeline"
	"github.com/ctxpack/ctxpack/report"
)

// planReplay names the outputs as planOutputs does, but NAME.replay.jsonl (compressed as the input is) for
// NAME.compacted.EXT, and NAME.timeline.json for NAME.report.json.
func (a *app) planReplay(inputs []input, output string) (outputPlan, error) {
	plan, err := a.planOutputs(inputs, output)
	if err != nil {
		return plan, err
	}
	if output == "" {
		for i, in := range inputs {
			if in.isStdin() {
				continue
			}
			stem, ending := splitEnding(in.name)
			packed := ""
			for _, p := range packedEndings() {
				if strings.HasSuffix(strings.ToLower(ending), p) {
					packed = p
				}
			}
			plan.outputs[i] = stem + ".replay.jsonl" + packed
		}
		if err := a.checkDistinct(inputs, plan.outputs); err != nil {
			return plan, err
		}
	}
	beside := func(name, kind string) string {
		stem, found := strings.CutSuffix(name, "."+kind)
		if !found {
			return name
		}
		return strings.TrimSuffix(stem, ".replay")
	}
	if stem := beside(plan.report, "report.json"); stem != plan.report {
		plan.report = stem + ".timeline.json"
	} else if plan.report != "" {
		plan.report = filepath.Join(filepath.Dir(plan.report), "timeline.json")
	}
	if stem := beside(plan.rejects, "rejects.jsonl"); stem != plan.rejects {
		plan.rejects = stem + ".rejects.jsonl"
	}
	return plan, nil
}

// reports are the files of the timeline.
func (run *replayRun) reports() []string {
	if len(run.settings.Reports) == 0 && run.plan.report != "" {
		return []string{run.plan.report}
	}
	return run.settings.Reports
}

func endingOf(name string) string { return filepath.Ext(name) }

// create opens the output of input i, which takes the segments of a record one by one.
func (run *replayRun) create(i int) (formats.Sink, error) {
	sink, err := run.createByName(i)
	return segmentSink{sink}, err
}

// done completes input i. A session log that was not converted has no output: it is in the rejects.
func (run *replayRun) done(i int, c pipeline.Counts) error {
	r, file := run.readings[i], run.files[i]
	run.records[i] = report.Input{Name: r.in.name, Bytes: r.bytes, SHA256: r.digest(), Records: c.Records, Output: file.Name()}
	run.lost.add(lostBy(run.sinks[i]))
	if run.nothingOf(i, c) {
		run.records[i].Output = ""
		return run.outputs.drop(file)
	}
	return nil
}

// segmentSink writes the lines of a payload one by one: the segments of one record.
type segmentSink struct{ formats.Sink }

// Write writes each line of payload as a record.
func (k segmentSink) Write(rec formats.Record, payload []byte) error {
	for line := range bytes.SplitSeq(payload, []byte("\n")) {
		if err := k.Sink.Write(rec, line); err != nil {
			return err
		}
	}
	return nil
}

// timeline is the timeline of the run.
func (run *replayRun) timeline() report.Timeline {
	rep := run.report()
	rep.Header.Command = "replay"
	return run.timelines.Timeline(&rep, run.compaction.engine.Engine.Name())
}

// writeTimelines completes the timelines that were written while the run went on, and draws the others.
func (run *replayRun) writeTimelines(t *report.Timeline) error {
	for _, form := range run.forms {
		if err := form.Close(t); err != nil {
			return err
		}
	}
	for _, name := range run.reports() {
		i := slices.IndexFunc(report.TimelineRenderers(), func(r report.TimelineRenderer) bool { return r.Ending == strings.ToLower(endingOf(name)) })
		if i < 0 {
			continue // written already
		}
		var text bytes.Buffer
		if err := report.TimelineRenderers()[i].Render(&text, t); err != nil {
			return fmt.Errorf("draw the timeline %s: %w", name, err)
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

// conclude prints the timeline and chooses the exit code.
func (run *replayRun) conclude(t *report.Timeline) error {
	if !run.settings.Quiet {
		if run.defaulted {
			run.console.warn("no model named: the context length is taken to be 128,000; --model or --context-length say better")
		}
		if t.Records.NoConversation > 0 && t.Records.Conversations == 0 {
			run.console.warn("no conversation was found, nothing was replayed; ctxpack inspect " + shellWord(run.inputs[0].name) + " says what is there")
		}
		if text := run.compaction.losses.text(); text != "" {
			run.console.warn(run.settings.To + " has no place for: " + text)
		}
		if text := run.compaction.mended.text(); text != "" {
			_, _ = fmt.Fprintf(run.console, "ctxpack: pairs mended: %s\n", text) // for people only
		}
		if text := run.lost.text(); text != "" {
			run.console.warn("the columns have no place for: " + text)
		}
	}
	run.warnUnsaved()
	rep := report.Report{Header: t.Header.Header, Records: t.Records}
	if !run.settings.Quiet {
		if err := run.printTimeline(t, &rep); err != nil {
			return err
		}
	}
	return run.verdict(&rep)
}

// printTimeline prints a line for each input, and the timeline.
func (run *replayRun) printTimeline(t *report.Timeline, rep *report.Report) error {
	limit := shownFiles
	if run.settings.Verbose {
		limit = 0
	}
	screen := run.screen()
	var text bytes.Buffer
	if lines := screen.FileLines(rep, limit); len(lines) > 0 {
		text.WriteString(strings.Join(lines, "\n") + "\n\n")
	}
	if err := screen.WriteTimeline(&text, t); err != nil {
		return err
	}
	_, err := run.console.Write(text.Bytes())
	return err
}

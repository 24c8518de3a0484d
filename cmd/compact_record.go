package cmd

import (
	"fmt"
	"slices"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/pipeline"
	"github.com/ctxpack/ctxpack/report"
)

// Record is told of every record, in order: the pipeline's observer.
func (run *compactRun) Record(rec formats.Record, out pipeline.Outcome) error {
	o, ok := out.Row.(outcomeRow)
	if !ok { // the container or the pipeline found the fault
		o.row = report.RejectRow(out.Reject)
	}
	if o.skipped {
		return nil
	}
	row := o.row
	if err := run.mind(rec, out, row); err != nil {
		return err
	}
	row.Texts = run.texts(rec, out)
	run.builder.Add(row)
	if err := run.planRecord(row); err != nil {
		return err
	}
	run.defaulted = run.defaulted || !row.NoConversation && row.ContextSource == "default: no model named"
	if len(run.rows) > 0 {
		line, err := report.AppendRow(nil, row)
		if err != nil {
			return err
		}
		for _, w := range run.rows {
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	run.count(row)
	return nil
}

// mind tells of a record that went wrong where the user wants to know, and ends the run where it must not go on.
func (run *compactRun) mind(rec formats.Record, out pipeline.Outcome, row report.Row) error {
	switch {
	case row.Status != compress.Rejected && row.Status != compress.Failed:
	case run.settings.OnError == "fail":
		return run.stop(rec, out, row)
	case run.settings.Verbose:
		printError(run.console, mishap(rec, out, row))
	}
	return nil
}

// stop is the error of --on-error fail.
func (run *compactRun) stop(rec formats.Record, out pipeline.Outcome, row report.Row) error {
	written := "nothing was written"
	if slices.Contains(run.plan.outputs, stdStream) {
		written = "the output is not complete"
	}
	return formats.WithHint(mishap(rec, out, row), "%s; --on-error keep goes on and keeps such records as they are", written)
}

// mishap is what went wrong with a record that was rejected or could not be compacted.
func mishap(rec formats.Record, out pipeline.Outcome, row report.Row) error {
	if out.Reject != nil {
		return out.Reject
	}
	return fmt.Errorf("%s: %s", rec.Pos, row.Reason)
}

// count shows the figures so far.
func (run *compactRun) count(row report.Row) {
	c := &run.counts
	c.Conversations++
	c.TokensBefore += row.TokensBefore
	c.TokensAfter += row.TokensAfter
	status := string(row.Status)
	k := slices.IndexFunc(c.Statuses, func(s statusCount) bool { return s.Status == status })
	if k < 0 {
		k = len(c.Statuses)
		c.Statuses = append(c.Statuses, statusCount{Status: status})
	}
	c.Statuses[k].Records++
	shown := *c
	shown.Statuses = slices.Clone(c.Statuses)
	run.progress.count(shown)
}

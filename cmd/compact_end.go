package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/report"
)

// conclude prints the report and chooses the exit code.
func (run *compactRun) conclude(rep *report.Report) error {
	if run.defaulted && !run.settings.Quiet && run.settings.Strategy == string(compress.Full) {
		run.console.warn("no model named: the context length is taken to be 128,000; --model or --context-length say better")
	}
	if rep.Records.NoConversation > 0 && rep.Records.Conversations == 0 && !run.settings.Quiet {
		run.console.warn("no conversation was found, nothing was compacted; ctxpack inspect " + shellWord(run.inputs[0].name) + " says what is there")
	}
	if run.settings.Summaries.DryRun {
		return run.writePlan(rep)
	}
	if text := run.compaction.losses.text(); text != "" && !run.settings.Quiet {
		run.console.warn(run.settings.To + " has no place for: " + text)
	}
	if text := run.lost.text(); text != "" && !run.settings.Quiet {
		run.console.warn("the columns have no place for: " + text)
	}
	run.warnUnsaved()
	if err := run.printReport(rep); err != nil {
		return err
	}
	run.tellTarget(rep)
	return run.verdict(rep)
}

// verdict is exit code 3 when records of the kinds in --fail-on occurred.
func (run *compactRun) verdict(rep *report.Report) error {
	counts := map[string]int64{
		"rejected":   rep.Records.Of(compress.Rejected).Records,
		"failed":     rep.Records.Of(compress.Failed).Records,
		"over-limit": rep.Records.OverLimit,
	}
	var found []string
	for _, kind := range run.settings.FailOn {
		if counts[kind] > 0 {
			found = append(found, fmt.Sprintf("%s %s", thousands64(counts[kind]), kind))
		}
	}
	switch {
	case len(found) == 0:
		return nil
	case run.settings.Quiet: // the report, which says it otherwise, was not printed
		return withExitCode(ExitPartial, fmt.Errorf("done, but of %s records %s", thousands64(rep.Records.Total), strings.Join(found, ", ")))
	}
	return withExitCode(ExitPartial, nil)
}

// dropStaleRejects removes the rejects of an earlier run under the default name: with --force their outputs have been
// replaced, and this run rejected nothing.
func (run *compactRun) dropStaleRejects() error {
	if !run.settings.Force || run.settings.Rejects != "" || run.plan.rejects == "" || run.rejects.Count() > 0 {
		return nil
	}
	err := os.Remove(run.streams.Path(run.plan.rejects))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return explainOutput("remove", run.plan.rejects, err)
}

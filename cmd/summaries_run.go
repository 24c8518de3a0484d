package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/pipeline"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/summarize"
)

// prepareSummaries makes what is needed to ask a model, when one is to be asked.
func (run *compactRun) prepareSummaries() error {
	run.gate = pipeline.NewGate(run.settings.Workers)
	if !run.settings.byModel() {
		return nil
	}
	var err error
	if run.summaries, err = run.newSummaries(run.settings, run.compaction.counter, run.gate.Outside); err != nil {
		return err
	}
	run.progress.watch(func() callCounts {
		f := run.summaries.stats.Figures()
		return callCounts{InFlight: f.InFlight, Made: f.Calls, Retried: f.Retries, Cached: f.CacheHits, Cost: f.Cost}
	})
	return run.compaction.useModel(run.summaries.summarizer)
}

// pipelineOptions are the bounds of the run. The gate is shared with the summariser, which gives its permit back while it
// waits for the network.
func (run *compactRun) pipelineOptions() pipeline.Options {
	o := pipeline.Options{Workers: run.settings.Workers, Gate: run.gate, Progress: &pipeline.Progress{}}
	run.progress.follow(o.Progress)
	if run.summaries != nil {
		o.Concurrency = run.settings.Concurrency
	}
	return o
}

// explainSummaries adds exit code and next step to errors that end a run because of its summaries.
func explainSummaries(err error) error {
	var fatal *summarize.FatalError
	if !errors.As(err, &fatal) {
		return err
	}
	if errors.Is(err, summarize.ErrCacheMiss) {
		return withExitCode(ExitNoVerdict, formats.WithHint(err, "run once without --cache-only, with the same settings"))
	}
	var call *summarize.CallError
	if errors.As(err, &call) {
		switch call.Class {
		case summarize.KeyRefused:
			return formats.WithHint(err, "check the key in the environment (--api-key-env names the variable) and the address (--base-url); nothing was written")
		case summarize.ModelUnknown:
			return formats.WithHint(err, "check --summary-model and --base-url; nothing was written")
		}
	}
	return err
}

// rerun is the command that asks only for the summaries that failed: everything else comes from the cache, nothing is
// paid twice, and the output is whole. "" when there is nothing to repeat, or no cache to make it cheap.
func (run *compactRun) rerun(rep *report.Report) string {
	if rep.Summaries.Failed == 0 || !run.summaries.cache || run.settings.Summaries.CacheOnly {
		return ""
	}
	args := slices.DeleteFunc(slices.Clone(run.args), func(arg string) bool { return arg == "--force" || arg == "--retry-failed" })
	at := slices.IndexFunc(args, func(arg string) bool { return arg == "compact" || arg == "replay" }) + 1
	args = slices.Insert(args, at, "--force", "--retry-failed")
	words := []string{"ctxpack"}
	for _, arg := range args {
		words = append(words, shellWord(arg))
	}
	return strings.Join(words, " ")
}

// warnUnsaved says that answers could not be kept.
func (run *compactRun) warnUnsaved() {
	if run.summaries == nil {
		return
	}
	if n := run.summaries.stats.Figures().Unsaved; n > 0 {
		run.console.warn(fmt.Sprintf("%d answers could not be written to the cache: a second run will pay for them again", n))
	}
}

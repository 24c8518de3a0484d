package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/summarize"
)

// planRecord writes the plan of one record of a dry run to the standard output: tokens before and estimated after, what
// would be done to which messages, calls and their tokens. Records that would stay as they are have no line.
func (run *compactRun) planRecord(row report.Row) error {
	if !run.settings.Summaries.DryRun || row.Status == compress.Untouched {
		return nil
	}
	at := cmp.Or(row.Place, formats.Position{File: row.File, Line: row.Line, Index: row.Index}.String())
	pieces := []string{at, planStep(run.settings.Strategy, row)}
	if row.Status.Changed() {
		pieces = append(pieces, fmt.Sprintf("%s -> about %s tokens", thousands64(row.TokensBefore), thousands64(row.TokensAfter)))
	} else {
		pieces = append(pieces, fmt.Sprintf("%s tokens", thousands64(row.TokensBefore)))
	}
	if s := row.Summary; s != nil && run.summaries != nil {
		switch {
		case s.Calls > 0:
			pieces = append(pieces, fmt.Sprintf("%d calls, %s prompt and about %s completion tokens", s.Calls,
				thousands64(int64(s.PromptTokens)), thousands64(int64(s.CompletionTokens))))
		case s.Cached:
			pieces = append(pieces, "in the cache")
		}
	}
	if row.Reason != "" {
		pieces = append(pieces, row.Reason)
	}
	_, err := fmt.Fprintf(run.streams.Stdout, "%s\n", printable(strings.Join(pieces, "  ")))
	return err
}

// planStep is what would be done, in a few words.
func planStep(strategy string, row report.Row) string {
	step := strategy + ": " + strings.ReplaceAll(string(row.Status), "_", " ")
	if row.Summary != nil {
		step = fmt.Sprintf("%s: summarise messages %d-%d", strategy, row.Summary.From, row.Summary.To)
	}
	for _, a := range row.Actions {
		if a.Kind == compress.ActionDemote {
			step += ", prune inside the end"
			break
		}
	}
	if row.OverLimit {
		step += ", over the limit"
	}
	return step
}

// Shares of the cost estimates. An answer takes half, four fifths or 1.3 times its budget; at best every first answer is
// good, likely one in ten is asked for again, at worst every one.
const (
	lowAnswer, likelyAnswer, highAnswer = 0.5, 0.8, 1.3
	likelyAgain, highAgain              = 1.1, 2.0
)

// The speed of a provider, for the estimate of time: a wait before the first token, and tokens a second. Hosted models of
// middling size did about so much in 2026; yours may differ.
const (
	firstToken      = 2 * time.Second
	tokensPerSecond = 80
)

// writePlan writes the totals of a dry run.
func (run *compactRun) writePlan(rep *report.Report) error {
	var b strings.Builder
	b.WriteString("dry run: nobody was asked and no output was written\n")
	fmt.Fprintf(&b, "records     %s: %s summarized, %s pruned, %s untouched, %s failed or rejected\n", thousands64(rep.Records.Total),
		thousands64(rep.Records.Of(compress.Summarized).Records), thousands64(rep.Records.Of(compress.Pruned).Records),
		thousands64(rep.Records.Of(compress.Untouched).Records),
		thousands64(rep.Records.Of(compress.Failed).Records+rep.Records.Of(compress.Rejected).Records))
	fmt.Fprintf(&b, "tokens      %s -> about %s\n", thousands64(rep.Tokens.Before), thousands64(rep.Tokens.After))
	if run.summaries != nil {
		run.writeCost(&b, run.summaries.estimator.Total(), rep)
	}
	_, err := io.WriteString(run.streams.Stdout, b.String())
	return err
}

// writeCost writes what the calls would take.
func (run *compactRun) writeCost(b *strings.Builder, e summarize.Estimate, rep *report.Report) {
	fmt.Fprintf(b, "calls       %s to %s; %s answers are in the cache\n", thousands64(int64(e.Calls)), run.model(), thousands64(rep.Summaries.Cached))
	answer := func(share float64) int { return int(float64(e.Budget) * share) }
	fmt.Fprintf(b, "            %s prompt tokens, about %s completion tokens (%s to %s)\n", thousands64(int64(e.Prompt)),
		thousands64(int64(answer(likelyAnswer))), thousands64(int64(answer(lowAnswer))), thousands64(int64(answer(highAnswer))))
	cost := func(share, again float64) float64 {
		return run.summaries.price.Cost(summarize.Usage{Prompt: e.Prompt, Completion: answer(share)}) * again
	}
	if run.summaries.price == (summarize.Price{}) {
		fmt.Fprintf(b, "cost        not known: there is no price for %s\n", run.model())
	} else {
		fmt.Fprintf(b, "cost        low $%.2f, likely $%.2f, high $%.2f (prices: %s)\n",
			cost(lowAnswer, 1), cost(likelyAnswer, likelyAgain), cost(highAnswer, highAgain), run.summaries.row.Provenance())
	}
	if run.settings.Summaries.MaxCost > 0 {
		fmt.Fprintf(b, "limit       --max-cost $%.2f\n", run.settings.Summaries.MaxCost)
	}
	fmt.Fprintf(b, "time        about %v for the calls, %d at a time\n", run.callTime(e).Round(time.Second), run.settings.Concurrency)
}

// model is the name of the model, or the program, that would be asked.
func (run *compactRun) model() string {
	if strings.HasPrefix(run.settings.Summarizer, execPrefix) {
		return run.settings.Summarizer
	}
	return run.summaries.model
}

// callTime estimates how long the calls would take at the limits given.
func (run *compactRun) callTime(e summarize.Estimate) time.Duration {
	if e.Calls == 0 {
		return 0
	}
	s := run.settings
	completion := float64(e.Budget) * likelyAnswer
	one := firstToken + time.Duration(completion/float64(e.Calls)/tokensPerSecond*float64(time.Second))
	longest := max(one, time.Duration(float64(one)*float64(e.Calls)/float64(s.Concurrency)))
	if s.Summaries.RPM > 0 {
		longest = max(longest, time.Duration(float64(e.Calls)/float64(s.Summaries.RPM)*float64(time.Minute)))
	}
	if s.Summaries.TPM > 0 {
		longest = max(longest, time.Duration((float64(e.Prompt)+completion)/float64(s.Summaries.TPM)*float64(time.Minute)))
	}
	return longest
}

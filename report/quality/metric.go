package quality

import (
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Score is the value of one metric for one conversation. A metric that has nothing to say about a conversation (no file
// was written, no future is known) is not Known and counts nowhere.
type Score struct {
	Value float64
	Known bool
}

// share is have ÷ want; not known when nothing is wanted.
func share(have, want int) Score {
	if want == 0 {
		return Score{}
	}
	return Score{float64(have) / float64(want), true}
}

// Sizes are the token counts that some metrics need. All are of one counter.
type Sizes struct {
	Before, After int // whole conversations
	Summary       int // the summary; for one of ctxpack's own without its fixed frame
	Earlier       int // the summary that the input held already, 0 for none
	Budget        int // what the summary was allowed, 0 when that is not known
}

// Case is one compaction to be measured.
type Case struct {
	*Pair
	Sizes  Sizes
	Future []*formats.Message // what the agent did after the last message of Before; nil when that is not known
	// Cascade is the future_recall of the same conversation compacted three times on its way; not Known without a replay.
	Cascade Score

	memory map[string]any // results that several metrics share
}

// Metric is one way to measure a Case.
type Metric struct {
	Name    string
	Formula string
	Source  string  // published figures of others, for comparison
	Lower   bool    // lower is better
	Delta   float64 // δ of the regression check: the least drop that matters; 0: reported, not compared
	Measure func(*Case) Score
}

// Metrics is the table of all metrics, in report order.
func Metrics() []Metric {
	return []Metric{
		{"saving", "1 − tokens(C) ÷ tokens(M)", "98 % for summary-only products", false, 0.05,
			func(c *Case) Score { return Saving(c.Sizes.Before, c.Sizes.After) }},
		{"modified_file_recall", "files written in R that stand in S ÷ files written in R", "Claude Code 0.954", false, 0.02,
			func(c *Case) Score { return c.files().modified }},
		{"read_file_recall", "files read in R that stand in S ÷ files read in R", "Claude Code 0.718", false, 0.02,
			func(c *Case) Score { return c.files().read }},
		{"future_recall", "share of id(inputs of the next 30 calls) ∩ id(R) found in C",
			"summary alone 0.402, with a 20k tail 0.871, with a 600-token ledger 0.887", false, 0.03,
			func(c *Case) Score { return c.future().all }},
		{"future_path_recall", "the same, paths only", "0.753, 0.956, 0.968", false, 0.03,
			func(c *Case) Score { return c.future().paths }},
		{"novel_identifiers", "share of the identifiers of the summary found nowhere in what the summariser saw", "Claude Code 0.017 to 0.039", true, 0.01,
			func(c *Case) Score { return c.novelty().identifiers }},
		{"novel_numbers", "share of the numbers, versions and line numbers of the summary that are not in the source", "", true, 0.01,
			func(c *Case) Score { return c.novelty().numbers }},
		{"quote_fidelity", "quotations attributed to the user that a user message holds ÷ all of them", "must be 1", false, 0,
			func(c *Case) Score { return QuoteFidelity(c.Pair) }},
		{"constraint_recall", "demanding sentences of people in R that S holds verbatim, or with 60 % of their content words",
			"ordinary compaction 0.17, a registry 0.94", false, 0,
			func(c *Case) Score { return ConstraintRecall(c.Pair) }},
		{"human_verbatim", "human messages verbatim in C ÷ human messages", "", false, 0,
			func(c *Case) Score { return HumanVerbatim(c.Pair) }},
		{"section_completeness", "template sections that are not empty ÷ those that R has matter for", "", false, 0,
			func(c *Case) Score { return SectionCompleteness(c.Pair) }},
		{"budget_use", "tokens(S) ÷ summary budget", "at most 1.3", true, 0,
			func(c *Case) Score { return BudgetUse(c.Sizes) }},
		{"growth", "tokens of the summary ÷ tokens of the earlier one", "at most 1.25", true, 0,
			func(c *Case) Score { return Growth(c.Sizes) }},
		{"cascade", "future_recall after three compactions ÷ after one", "at least 0.90", false, 0,
			func(c *Case) Score { return Cascade(c.Cascade, c.future().all) }},
	}
}

// MetricNamed gives the metric of that name.
func MetricNamed(name string) (Metric, bool) {
	for _, m := range Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// Measure gives the known scores of a case, by name. A conversation in which nothing happened has none.
func (c *Case) Measure() map[string]float64 {
	scores := map[string]float64{}
	if !c.Fired() {
		return scores
	}
	for _, m := range Metrics() {
		if s := m.Measure(c); s.Known {
			scores[m.Name] = s.Value
		}
	}
	return scores
}

// remember computes a value once.
func remember[T any](c *Case, name string, compute func() T) T {
	if v, ok := c.memory[name]; ok {
		return v.(T)
	}
	if c.memory == nil {
		c.memory = map[string]any{}
	}
	v := compute()
	c.memory[name] = v
	return v
}

func (c *Case) files() fileScores {
	return remember(c, "files", func() fileScores { return fileRecall(c.Pair) })
}

func (c *Case) future() futureScores {
	return remember(c, "future", func() futureScores { return futureRecall(c.Pair, c.Future) })
}

func (c *Case) novelty() noveltyScores {
	return remember(c, "novelty", func() noveltyScores { return noveltyOf(c.Pair) })
}

// Saving is 1 − tokens(C) ÷ tokens(M).
func Saving(before, after int) Score {
	if before <= 0 {
		return Score{}
	}
	return Score{1 - float64(after)/float64(before), true}
}

// BudgetUse is tokens(S) ÷ summary budget. Where the budget is not known, or there is no summary, so is the score.
func BudgetUse(s Sizes) Score {
	if s.Summary == 0 {
		return Score{}
	}
	return share(s.Summary, s.Budget)
}

// Growth is tokens(S_n) ÷ tokens(S_n−1), when the input had a summary already.
func Growth(s Sizes) Score {
	if s.Summary == 0 {
		return Score{}
	}
	return share(s.Summary, s.Earlier)
}

// Cascade is future_recall after three compactions ÷ after one; at most 1, because a richer chain is no harm.
func Cascade(three, one Score) Score {
	if !three.Known || !one.Known || one.Value == 0 {
		return Score{}
	}
	return Score{min(1, three.Value/one.Value), true}
}

// SummaryTokens is the size of a summary as budgets mean it: without the fixed frame where it is one of ctxpack's own.
func (p *Pair) SummaryTokens(count func(string) int) int {
	return summarySize(p.Summary, count)
}

// EarlierTokens is the same of the summary that the input held.
func (p *Pair) EarlierTokens(count func(string) int) int { return summarySize(p.earlier, count) }

func summarySize(text string, count func(string) int) int {
	if text == "" {
		return 0
	}
	n := count(text)
	if summarize.Parse(text).From >= 0 {
		markers := count(summarize.Marker + "\n" + summarize.End)
		n = max(1, n+markers-summarize.FrameTokens(count))
	}
	return n
}

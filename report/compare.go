package report

import (
	"fmt"
	"math"

	"github.com/ctxpack/ctxpack/compress"
)

// Verdict is what a comparison says of a measure, or of the whole.
type Verdict string

// The verdicts. A measure that is neither good nor bad in itself (the number of records, tokens of the input) only
// changes. Incomparable is said of two runs on different inputs or with different tokenizers.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	Same         Verdict = "same"
	Changed      Verdict = "changed"
	Mixed        Verdict = "mixed"
	Incomparable Verdict = "not comparable"
)

// Comparison is two runs side by side.
type Comparison struct {
	Verdict  Verdict   `json:"verdict"`
	Why      string    `json:"why,omitempty"` // in words, for Incomparable and Mixed
	Notes    []string  `json:"notes"`         // what else differs between the runs
	Measures []Measure `json:"measures"`
	Settings []Changes `json:"settings"` // those with other values

	Old, New *Report `json:"-"`
}

// Measure is one figure of both runs.
type Measure struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"` // tokens, count, share, seconds, dollars, rate or score
	Old     float64 `json:"old"`
	New     float64 `json:"new"`
	Delta   float64 `json:"delta"` // New - Old
	Verdict Verdict `json:"verdict"`
	// Weighs says that the measure counts for the verdict of the whole: time and money do not, they are noise or choice.
	Weighs bool `json:"weighs"`
}

// Changes is one setting with other values.
type Changes struct {
	Key string `json:"key"`
	Old any    `json:"old"`
	New any    `json:"new"`
}

// direction says which way a measure is better.
type direction int

const (
	neither direction = iota
	higher
	lower
)

// comparer gathers measures.
type comparer struct{ *Comparison }

// tolerances: differences below these are noise or rounding.
const (
	shareTolerance = 0.001 // a tenth of a percent point
	ratioTolerance = 0.002 // of tokens: a fifth of a percent
	timeTolerance  = 0.10  // of times and rates
)

// NewComparison compares two runs, the older first.
func NewComparison(old, new *Report) *Comparison {
	c := comparer{&Comparison{Old: old, New: new, Notes: []string{}, Measures: []Measure{}, Settings: []Changes{}}}
	c.tokens()
	c.records()
	c.summaries()
	c.quality()
	c.pace()
	c.differences()
	c.judge()
	return c.Comparison
}

func (c comparer) add(name, kind string, old, new float64, way direction, weighs bool) {
	m := Measure{Name: name, Kind: kind, Old: old, New: new, Delta: new - old, Verdict: Same, Weighs: weighs}
	tolerance := 0.0
	switch kind {
	case "share", "score":
		tolerance = shareTolerance
	case "tokens":
		tolerance = ratioTolerance * math.Abs(old)
	case "seconds", "rate":
		tolerance = timeTolerance * math.Abs(old)
	case "dollars":
		tolerance = 0.005
	}
	if math.Abs(m.Delta) > tolerance {
		m.Verdict = Changed
		switch {
		case way == higher && m.Delta > 0, way == lower && m.Delta < 0:
			m.Verdict = Better
		case way != neither:
			m.Verdict = Worse
		}
	}
	c.Measures = append(c.Measures, m)
}

// both adds a measure of both reports.
func (c comparer) both(name, kind string, way direction, weighs bool, of func(*Report) float64) {
	c.add(name, kind, of(c.Old), of(c.New), way, weighs)
}

func (c comparer) tokens() {
	c.both("tokens before", "tokens", neither, false, func(r *Report) float64 { return float64(r.Tokens.Before) })
	c.both("tokens after", "tokens", lower, true, func(r *Report) float64 { return float64(r.Tokens.After) })
	c.both("saved", "share", higher, false, func(r *Report) float64 { return share(r.Tokens.Saved, r.Tokens.Before) })
	c.both("median after", "tokens", lower, false, func(r *Report) float64 { return float64(r.Sizes.After.P50) })
	c.both("p95 after", "tokens", lower, false, func(r *Report) float64 { return float64(r.Sizes.After.P95) })
	c.both("largest after", "tokens", lower, false, func(r *Report) float64 { return float64(r.Sizes.After.Max) })
	own, named := fitWindow(c.New)
	for _, f := range c.New.Fits {
		for _, g := range c.Old.Fits {
			if f.Window == g.Window {
				c.add("fits "+windowName(f.Window), "share", share(g.After, c.Old.Records.Conversations), share(f.After, c.New.Records.Conversations),
					higher, named && f.Window == own.Window)
			}
		}
	}
	for _, phase := range []string{PhasePruning, PhaseSummarizing} {
		c.both("saved by "+phase, "tokens", neither, false, func(r *Report) float64 {
			for _, p := range r.Saved.Phases {
				if p.Name == phase {
					return float64(p.Tokens)
				}
			}
			return 0
		})
	}
}

func (c comparer) records() {
	c.both("records", "count", neither, false, func(r *Report) float64 { return float64(r.Records.Total) })
	for _, s := range compress.Statuses() {
		way, weighs := neither, false
		if s == compress.Failed || s == compress.Rejected {
			way, weighs = lower, true
		}
		c.both(statusName(s), "count", way, weighs, func(r *Report) float64 { return float64(r.Records.Of(s).Records) })
	}
	c.both("over the limit", "count", lower, true, func(r *Report) float64 { return float64(r.Records.OverLimit) })
}

func (c comparer) summaries() {
	c.both("summaries", "count", neither, false, func(r *Report) float64 { return float64(r.Summaries.Count) })
	c.both("tokens of summaries", "tokens", neither, false, func(r *Report) float64 { return float64(r.Summaries.TextTokens) })
	if c.Old.Summaries.Calls+c.New.Summaries.Calls > 0 {
		c.both("calls", "count", neither, false, func(r *Report) float64 { return float64(r.Summaries.Calls) })
		c.both("cost", "dollars", lower, false, func(r *Report) float64 { return r.Summaries.Cost })
	}
}

// quality compares the metrics that both runs were measured with.
func (c comparer) quality() {
	if c.Old.Quality == nil || c.New.Quality == nil {
		return
	}
	for _, m := range c.New.Quality.Metrics {
		old, ok := c.Old.Quality.Metric(m.Metric)
		if !ok {
			continue
		}
		way := higher
		if m.Lower {
			way = lower
		}
		c.add(spaced(m.Metric), "score", old.Mean, m.Mean, way, true)
	}
	c.add("broken invariants", "count", float64(c.Old.Quality.Rows.Breached), float64(c.New.Quality.Rows.Breached), lower, true)
}

func (c comparer) pace() {
	c.both("time", "seconds", lower, false, func(r *Report) float64 { return r.Processing.DurationSeconds })
	c.both("conversations/s", "rate", higher, false, func(r *Report) float64 { return r.Processing.ConversationsPerSecond })
}

// differences says what else is not the same: what was run, on what.
func (c comparer) differences() {
	note := func(what, old, new string) {
		if old != new {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: %s, now %s", what, orDash(clip(old, 80)), orDash(clip(new, 80))))
		}
	}
	o, n := c.Old.Header, c.New.Header
	note("version", o.Version, n.Version)
	note("target", targetText(o.Target), targetText(n.Target))
	note("tokenizer", o.Tokenizer.Name, n.Tokenizer.Name)
	note("summarizer", o.Summarizer, n.Summarizer)
	note("context engine", o.ContextEngine.String(), n.ContextEngine.String())
	values := map[string]any{}
	for _, s := range o.Settings {
		values[s.Key] = s.Value
	}
	for _, s := range n.Settings {
		if old, ok := values[s.Key]; !ok || fmt.Sprint(old) != fmt.Sprint(s.Value) {
			c.Settings = append(c.Settings, Changes{s.Key, old, s.Value})
		}
		delete(values, s.Key)
	}
	for _, s := range o.Settings {
		if old, ok := values[s.Key]; ok {
			c.Settings = append(c.Settings, Changes{s.Key, old, nil})
		}
	}
}

// incomparable says that no measure of the two runs says anything about the other.
func (c comparer) incomparable(why string) {
	c.Verdict, c.Why = Incomparable, why
	for i := range c.Measures {
		if m := &c.Measures[i]; m.Verdict != Same {
			m.Verdict = Changed
		}
	}
}

// judge gives the verdict of the whole.
func (c comparer) judge() {
	switch {
	case c.Old.Header.Tokenizer != c.New.Header.Tokenizer:
		c.incomparable("the tokens were counted with different tokenizers")
		return
	case !sameInputs(c.Old.Header.Inputs, c.New.Header.Inputs):
		c.incomparable("the runs had different inputs")
		return
	}
	better, worse := 0, 0
	firstWorse := ""
	for _, m := range c.Measures {
		if m.Weighs && m.Verdict == Better {
			better++
		}
		if m.Weighs && m.Verdict == Worse {
			worse++
			if firstWorse == "" {
				firstWorse = m.Name
			}
		}
	}
	switch {
	case better > 0 && worse > 0:
		c.Verdict, c.Why = Mixed, fmt.Sprintf("%s better, %s worse (%s)", plural(int64(better), "measure"), plural(int64(worse), "measure"), firstWorse)
	case worse > 0:
		c.Verdict, c.Why = Worse, "by "+plural(int64(worse), "measure")+", first of all "+firstWorse
	case better > 0:
		c.Verdict, c.Why = Better, "by "+plural(int64(better), "measure")+", and nothing got worse"
	default:
		c.Verdict = Same
	}
}

// sameInputs compares the contents of the files, whatever their names. Inputs without a hash never differ.
func sameInputs(a, b []Input) bool {
	if len(a) != len(b) {
		return false
	}
	left := map[string]int{}
	for _, in := range a {
		left[in.SHA256]++
	}
	for _, in := range b {
		left[in.SHA256]--
	}
	for sum, n := range left {
		if sum != "" && n != 0 {
			return false
		}
	}
	return true
}

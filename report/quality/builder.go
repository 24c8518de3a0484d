package quality

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
)

// Builder gathers rows. What it keeps of each is its key and its figures. One caller.
type Builder struct {
	gates    Gates
	rows     []BaselineRow
	labels   []string // for reports that name every row; empty unless asked for
	named    bool
	fails    map[int][]string // breaches and per-row gates, by row
	counts   RowCounts
	broken   map[string]*InvariantCount
	keys     hash.Hash
	worst    []ranked
	clusters map[string]bool
	other    []BaselineRow // of the settings compared with
}

// ranked is a row with how bad it is.
type ranked struct {
	row   Row
	place int
	score float64
}

// NewBuilder starts a report. named keeps a name for every row: JUnit lists them all.
func NewBuilder(g Gates, named bool) *Builder {
	return &Builder{gates: g, named: named, fails: map[int][]string{}, broken: map[string]*InvariantCount{},
		keys: sha256.New(), clusters: map[string]bool{}}
}

// worstKept is how many rows are listed as the worst; more are remembered, because a baseline may order them otherwise.
const (
	worstShown = 10
	worstKept  = 200
)

// Add takes a row, in the order of the input.
func (b *Builder) Add(r Row) {
	place := len(b.rows)
	field(b.keys, r.Key)
	b.rows = append(b.rows, r.Baseline())
	if b.named {
		b.labels = append(b.labels, r.Label())
	}
	b.counts.Measured++
	b.clusters[r.Baseline().cluster()] = true
	switch {
	case r.Error != "":
		b.counts.Errors++
		b.fails[place] = append(b.fails[place], r.Error)
	case r.Fired:
		b.counts.Fired++
	default:
		b.counts.NotFired++
	}
	counted := b.breaches(place, r)
	b.fails[place] = append(b.fails[place], b.gates.rowFails(r.Metrics)...)
	if len(b.fails[place]) == 0 {
		delete(b.fails, place)
	}
	const breach = 1e6
	score := b.gates.shortfall(r.Metrics) + breach*float64(counted)
	if r.Error != "" {
		score += breach
	}
	b.worst = append(b.worst, ranked{r, place, score})
	if len(b.worst) >= 2*worstKept {
		b.trim(worstKept)
	}
}

// breaches counts the broken invariants of a row that are not ignored.
func (b *Builder) breaches(place int, r Row) int {
	counted := 0
	seen := map[string]bool{}
	for _, breach := range r.Breaches {
		c := b.broken[breach.Code]
		if c == nil {
			c = &InvariantCount{Code: breach.Code, Example: r.Label() + ": " + breach.Text, Ignored: slices.Contains(b.gates.Ignore, breach.Code)}
			b.broken[breach.Code] = c
		}
		if !seen[breach.Code] {
			c.Rows++
		}
		seen[breach.Code] = true
		if !c.Ignored {
			counted++
			b.fails[place] = append(b.fails[place], breach.String())
		}
	}
	if counted > 0 {
		b.counts.Breached++
	}
	return counted
}

// AddOther takes the same row under the settings compared with.
func (b *Builder) AddOther(r Row) { b.other = append(b.other, r.Baseline()) }

// TooShort counts a conversation that a replay has no use for.
func (b *Builder) TooShort() { b.counts.TooShort++ }

// Unmatched sets how many records had no partner.
func (b *Builder) Unmatched(before, after int64) {
	b.counts.Before, b.counts.After = int(before), int(after)
}

func (b *Builder) trim(n int) {
	slices.SortStableFunc(b.worst, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.place, y.place))
	})
	b.worst = b.worst[:min(n, len(b.worst))]
}

// Report finishes the report. base may be nil.
func (b *Builder) Report(o Origin, base *Baseline) Report {
	o.DataSHA256 = hex.EncodeToString(b.keys.Sum(nil))
	b.counts.Conversations = len(b.clusters)
	r := Report{SchemaVersion: SchemaVersion, Kind: reportKind, Verdict: VerdictPass, Origin: o, Rows: b.counts}
	r.Metrics = b.summaries()
	for _, code := range sortedKeys(b.broken) {
		r.Invariants = append(r.Invariants, *b.broken[code])
	}
	if b.counts.Breached > 0 {
		r.Verdict = VerdictFail
	}
	for _, g := range b.gates.List {
		for _, result := range g.check(b.values(g.Metric)) {
			r.Gates = append(r.Gates, result)
			if !result.Pass {
				r.Verdict = VerdictFail
			}
		}
	}
	if b.counts.Measured == b.counts.Errors && r.Verdict == VerdictPass {
		r.Verdict = VerdictInsufficient // empty files, or nothing but errors: no gate could have refused anything
	}
	if base != nil {
		c := Compare(base.Rows, b.rows)
		c.Stale = o.differences(base.Origin)
		r.Regression = &c
		switch {
		case c.Verdict == VerdictFail:
			r.Verdict = VerdictFail
		case c.Verdict == VerdictInsufficient && r.Verdict == VerdictPass:
			r.Verdict = VerdictInsufficient
		}
		for i := range b.worst {
			if drop := c.worstDrop[b.worst[i].place]; drop >= 1 {
				b.worst[i].score += drop
			}
		}
	}
	b.trim(worstKept)
	for _, w := range b.worst {
		if len(r.Worst) < worstShown && w.score > 0 {
			r.Worst = append(r.Worst, w.row)
		}
	}
	return r
}

// CompareSettings adds the comparison of the two settings that were run.
func (b *Builder) CompareSettings(r *Report, settings string) {
	c := Compare(b.other, b.rows)
	c.Verdict = ""
	r.Against = &Against{Settings: settings, Comparison: c}
}

func (b *Builder) values(metric string) []float64 {
	var list []float64
	for _, r := range b.rows {
		if v, ok := r.Metrics[metric]; ok {
			list = append(list, v)
		}
	}
	return list
}

func (b *Builder) summaries() []MetricSummary {
	var list []MetricSummary
	for _, m := range Metrics() {
		s := newSample()
		var worst float64
		for _, r := range b.rows {
			v, ok := r.Metrics[m.Name]
			if !ok {
				continue
			}
			if len(s.sums) == 0 || m.Lower == (v > worst) {
				worst = v
			}
			s.add(r.cluster(), v)
		}
		if len(s.sums) == 0 {
			continue
		}
		q := s.quantiles(0.025, 0.975)
		list = append(list, MetricSummary{m.Name, s.n(), s.mean(), q[0], q[1], worst, m.Lower})
	}
	return list
}

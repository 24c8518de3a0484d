package quality

import "math"

// Bounds of the regression check: quality.md section 4.
const (
	minPairs   = 20
	rowFactor  = 4    // a row drops when it loses more than so many δ
	rowsFailed = 0.05 // more than this share of rows that drop fails the metric
)

// Verdicts of a comparison.
const (
	VerdictPass         = "pass"
	VerdictFail         = "fail"
	VerdictInsufficient = "insufficient" // under 20 pairs, or no rows: nothing is concluded
)

// Regression is the paired comparison of a run with a baseline.
type Regression struct {
	Verdict          string       `json:"verdict"`
	Pairs            int          `json:"pairs"`     // rows of both sides in which one side compacted
	Clusters         int          `json:"clusters"`  // conversations they come from
	Unmatched        int          `json:"unmatched"` // rows of this run that the baseline does not know
	UnmatchedInOther int          `json:"unmatched_in_baseline"`
	Stale            []string     `json:"stale,omitempty"` // in which the baseline's origin differs
	Metrics          []Comparison `json:"metrics"`
	rowDrops         map[int][]string
	worstDrop        map[int]float64
}

// Comparison is one metric on both sides, over the rows that know it on both.
type Comparison struct {
	Metric   string  `json:"metric"`
	Pairs    int     `json:"pairs"`
	Base     float64 `json:"base"`
	New      float64 `json:"new"`
	Delta    float64 `json:"difference"` // new − base
	Low      float64 `json:"low"`        // two-sided 95 % bootstrap interval of the difference
	High     float64 `json:"high"`
	Bound    float64 `json:"bound"`            // one-sided 95 % bound on the drop's side
	MinDrop  float64 `json:"minimum_drop"`     // δ; 0: reported, not judged
	RowDrops int     `json:"row_drops"`        // rows that lose more than 4 δ
	RowRises int     `json:"row_rises"`        // rows that gain as much
	Fail     bool    `json:"fail"`             // it is worse
	Reason   string  `json:"reason,omitempty"` // "mean" or "rows"
	Lower    bool    `json:"lower_is_better"`  // the direction
	Judged   bool    `json:"judged"`           // it can fail
}

// Compare pairs rows by key (the n-th with a key on one side with the n-th on the other) and judges every metric.
func Compare(base, now []BaselineRow) Regression {
	r := Regression{rowDrops: map[int][]string{}, worstDrop: map[int]float64{}}
	places := map[string][]int{}
	for i, b := range base {
		places[b.Key] = append(places[b.Key], i)
	}
	type pair struct{ base, now int }
	var pairs []pair
	clusters := map[string]bool{}
	matched := 0
	for i, n := range now {
		list := places[n.Key]
		if len(list) == 0 {
			r.Unmatched++
			continue
		}
		places[n.Key] = list[1:]
		matched++
		if b := base[list[0]]; b.Fired || n.Fired {
			pairs = append(pairs, pair{list[0], i})
			clusters[n.cluster()] = true
		}
	}
	r.UnmatchedInOther = len(base) - matched
	r.Pairs, r.Clusters = len(pairs), len(clusters)
	r.Verdict = VerdictPass
	for _, m := range Metrics() {
		c := Comparison{Metric: m.Name, MinDrop: m.Delta, Lower: m.Lower, Judged: m.Delta > 0}
		d, olds, news := newSample(), newSample(), newSample()
		for _, p := range pairs {
			old, ok1 := valueOf(base[p.base], m.Name)
			v, ok2 := valueOf(now[p.now], m.Name)
			if !ok1 || !ok2 {
				continue
			}
			cluster := now[p.now].cluster()
			d.add(cluster, v-old)
			olds.add(cluster, old)
			news.add(cluster, v)
			if drop := dropOf(v-old, m.Lower); m.Delta > 0 {
				switch {
				case drop > rowFactor*m.Delta+tolerance:
					c.RowDrops++
					r.rowDrops[p.now] = append(r.rowDrops[p.now], m.Name)
				case drop < -rowFactor*m.Delta-tolerance:
					c.RowRises++
				}
				r.worstDrop[p.now] = math.Max(r.worstDrop[p.now], drop/m.Delta)
			}
		}
		if c.Pairs = d.n(); c.Pairs == 0 {
			continue
		}
		c.judge(d, olds.mean(), news.mean())
		if c.Fail {
			r.Verdict = VerdictFail
		}
		r.Metrics = append(r.Metrics, c)
	}
	if r.Pairs < minPairs {
		r.Verdict = VerdictInsufficient
		for i := range r.Metrics {
			r.Metrics[i].Fail, r.Metrics[i].Reason = false, ""
		}
	}
	return r
}

// judge applies the rule: the mean drops by at least δ and the one-sided 95 % bound of the difference is on the wrong
// side of 0, or more than 5 % of the rows drop by more than 4 δ, those that rise by as much taken off: a summariser that is
// never twice the same has as many of either.
func (c *Comparison) judge(d *sample, base, now float64) {
	c.Base, c.New, c.Delta = base, now, d.mean()
	side := oneSided
	if c.Lower {
		side = 1 - oneSided
	}
	q := d.quantiles(0.025, 0.975, side)
	c.Low, c.High, c.Bound = q[0], q[1], q[2]
	if !c.Judged {
		return
	}
	drop := dropOf(c.Delta, c.Lower)
	certain := c.Bound < 0
	if c.Lower {
		certain = c.Bound > 0
	}
	switch {
	case drop >= c.MinDrop-tolerance && certain:
		c.Fail, c.Reason = true, "mean"
	case float64(c.RowDrops-c.RowRises) > rowsFailed*float64(c.Pairs):
		c.Fail, c.Reason = true, "rows"
	}
}

// dropOf is how much worse a difference is.
func dropOf(d float64, lower bool) float64 {
	if lower {
		return d
	}
	return -d
}

// valueOf is a metric of a row. A row in which nothing was compacted saved nothing.
func valueOf(r BaselineRow, name string) (float64, bool) {
	if !r.Fired && name == "saving" {
		return 0, true
	}
	v, ok := r.Metrics[name]
	return v, ok
}

package quality

import (
	"fmt"
	"math"
	"slices"
)

// Gate is a bound for one metric. Which way it is a bound follows from the metric unless Min or Max say it.
type Gate struct {
	Metric string
	Min    *float64 // for the mean over rows where compaction fired
	Max    *float64
	PerRow *float64 // for each of these rows: at least, or at most where the metric (or Max) says that lower is better
}

// Gates is what a run is held to.
type Gates struct {
	List   []Gate
	Ignore []string // codes of invariants that do not count
}

// upper says that the gate's bounds are upper ones.
func (g Gate) upper() bool {
	m, _ := MetricNamed(g.Metric)
	return g.Max != nil || g.Min == nil && m.Lower
}

// Validate names the first thing that makes no sense.
func (g Gates) Validate() error {
	for _, gate := range g.List {
		if _, ok := MetricNamed(gate.Metric); !ok {
			return fmt.Errorf("unknown metric %q", gate.Metric)
		}
		if gate.Min == nil && gate.Max == nil && gate.PerRow == nil {
			return fmt.Errorf("%s: no bound: min, max or per_row", gate.Metric)
		}
		if gate.Min != nil && gate.Max != nil {
			return fmt.Errorf("%s: min and max exclude each other", gate.Metric)
		}
	}
	return nil
}

// DefaultTail is the tail in tokens from which on the default gates hold the future recalls.
const DefaultTail = 20_000

// DefaultGates are those of quality.md section 3. saving is for the strategy full; the recalls of the future are for tails
// of 20,000 tokens and more (tail is 0 where nothing is known of it: then there is no future either).
func DefaultGates(full bool, tail int) Gates {
	least := func(name string, v float64) Gate { return Gate{Metric: name, Min: &v} }
	most := func(name string, v float64) Gate { return Gate{Metric: name, Max: &v} }
	var g Gates
	if full {
		g.List = append(g.List, least("saving", 0.30), least("modified_file_recall", 0.95), least("read_file_recall", 0.70))
	}
	g.List = append(g.List, most("novel_identifiers", 0.02), least("quote_fidelity", 1))
	if full && tail >= DefaultTail {
		g.List = append(g.List, least("future_recall", 0.85), least("future_path_recall", 0.95))
	}
	return g
}

// GateResult is one bound and how it was met.
type GateResult struct {
	Metric string   `json:"metric"`
	Bound  string   `json:"bound"` // min, max, per_row
	Limit  float64  `json:"limit"`
	Value  *float64 `json:"value"` // the mean, or the worst row; null when no row knows the metric
	Rows   int      `json:"rows"`  // that know it
	Failed int      `json:"failed_rows,omitempty"`
	Pass   bool     `json:"pass"` // also true when no row knows it
}

// String is the result in words.
func (g GateResult) String() string {
	if g.Value == nil {
		return fmt.Sprintf("%s: no row knows it", g.Metric)
	}
	sign := ">="
	if g.Bound == "max" || g.Bound == "per_row_max" {
		sign = "<="
	}
	if g.Failed > 0 || g.Bound == "per_row_min" || g.Bound == "per_row_max" {
		return fmt.Sprintf("%s of each row %s %.4g: %d of %d rows fail, the worst is %.4g", g.Metric, sign, g.Limit, g.Failed, g.Rows, *g.Value)
	}
	return fmt.Sprintf("%s %s %.4g: %.4g over %d rows", g.Metric, sign, g.Limit, *g.Value, g.Rows)
}

// tolerance keeps a mean of ones from failing a bound of one.
const tolerance = 1e-9

func within(v, limit float64, upper bool) bool {
	if upper {
		return v <= limit+tolerance
	}
	return v >= limit-tolerance
}

// check holds values of the gate's metric against its bounds.
func (g Gate) check(values []float64) []GateResult {
	var results []GateResult
	add := func(bound string, limit float64, value func() float64, failed int) {
		r := GateResult{Metric: g.Metric, Bound: bound, Limit: limit, Rows: len(values), Failed: failed, Pass: true}
		if len(values) > 0 {
			v := value()
			r.Value = &v
			r.Pass = within(v, limit, g.upper())
		}
		results = append(results, r)
	}
	mean := func() float64 { return total(values) / float64(len(values)) }
	if g.Min != nil {
		add("min", *g.Min, mean, 0)
	}
	if g.Max != nil {
		add("max", *g.Max, mean, 0)
	}
	if g.PerRow != nil {
		failed := 0
		for _, v := range values {
			if !within(v, *g.PerRow, g.upper()) {
				failed++
			}
		}
		bound, worst := "per_row_min", func() float64 { return slices.Min(values) }
		if g.upper() {
			bound, worst = "per_row_max", func() float64 { return slices.Max(values) }
		}
		add(bound, *g.PerRow, worst, failed)
	}
	return results
}

// rowFails gives the per-row gates that a row fails.
func (g Gates) rowFails(metrics map[string]float64) []string {
	var list []string
	for _, gate := range g.List {
		v, ok := metrics[gate.Metric]
		if gate.PerRow != nil && ok && !within(v, *gate.PerRow, gate.upper()) {
			list = append(list, fmt.Sprintf("%s is %.4g, the gate of each row %.4g", gate.Metric, v, *gate.PerRow))
		}
	}
	return list
}

// shortfall is how far a row is from the gates, in units of what matters: 0 when it meets them all. It orders the worst.
func (g Gates) shortfall(metrics map[string]float64) float64 {
	sum := 0.0
	for _, gate := range g.List {
		v, ok := metrics[gate.Metric]
		if !ok {
			continue
		}
		unit := 0.05
		if m, _ := MetricNamed(gate.Metric); m.Delta > 0 {
			unit = m.Delta
		}
		limit := gate.PerRow
		if gate.Min != nil {
			limit = gate.Min
		}
		if gate.Max != nil {
			limit = gate.Max
		}
		d := *limit - v
		if gate.upper() {
			d = -d
		}
		sum += math.Max(0, d) / unit
	}
	return sum
}

package quality

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Report is everything that is said about one evaluation.
type Report struct {
	SchemaVersion string           `json:"schema_version"`
	Kind          string           `json:"kind"`
	Verdict       string           `json:"verdict"` // pass, fail or insufficient (too few pairs, or no rows)
	Origin        Origin           `json:"origin"`
	Inputs        []string         `json:"inputs"`
	Rows          RowCounts        `json:"rows"`
	Metrics       []MetricSummary  `json:"metrics"`
	Invariants    []InvariantCount `json:"invariants"` // broken ones
	Gates         []GateResult     `json:"gates"`
	Regression    *Regression      `json:"regression,omitempty"`
	Against       *Against         `json:"against,omitempty"`
	Worst         []Row            `json:"worst"` // at most ten, the worst first
}

// RowCounts counts rows.
type RowCounts struct {
	Measured      int `json:"measured"` // pairs, whatever happened to them
	Fired         int `json:"fired"`    // in which a compaction happened: what metrics speak of
	Breached      int `json:"breached"` // that break an invariant
	Errors        int `json:"errors"`   // that could not be measured
	Before        int `json:"unmatched_before"`
	After         int `json:"unmatched_after"`
	TooShort      int `json:"too_short,omitempty"` // replay: nothing to cut
	NotFired      int `json:"not_fired"`
	Conversations int `json:"conversations"` // the rows come from
}

// MetricSummary is one metric over all rows that know it.
type MetricSummary struct {
	Metric string  `json:"metric"`
	Rows   int     `json:"rows"`
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"` // two-sided 95 % bootstrap interval of the mean, by conversation
	High   float64 `json:"high"`
	Worst  float64 `json:"worst"`
	Lower  bool    `json:"lower_is_better"`
}

// InvariantCount is how many rows break an invariant.
type InvariantCount struct {
	Code    string `json:"code"`
	Rows    int    `json:"rows"`
	Example string `json:"example"` // the first
	Ignored bool   `json:"ignored,omitempty"`
}

// Against is the comparison of two settings in one replay: its base is the other one.
type Against struct {
	Settings   string     `json:"settings"` // as given
	Comparison Regression `json:"comparison"`
}

// Metric gives the summary of a metric.
func (r Report) Metric(name string) (MetricSummary, bool) {
	for _, m := range r.Metrics {
		if m.Metric == name {
			return m, true
		}
	}
	return MetricSummary{}, false
}

// Label names a row: file and line, and its id.
func (r Row) Label() string {
	label := fmt.Sprintf("%s[%d]", r.File, r.Index)
	if r.Line > 0 {
		label = fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	if r.ID != "" {
		label += " " + clipped(r.ID)
	}
	return label
}

// WriteJSON writes the report.
func WriteJSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// ReadJSON reads what WriteJSON wrote.
func ReadJSON(data []byte) (Report, error) {
	var r Report
	if err := checkDocument(data, reportKind); err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("not a quality report: %w", err)
	}
	return r, nil
}

// ReadRows reads rows as `eval --rows` wrote them.
func ReadRows(r io.Reader) ([]Row, error) {
	var rows []Row
	d := json.NewDecoder(r)
	for {
		var row Row
		if err := d.Decode(&row); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		if strings.TrimSpace(row.Key) == "" {
			return nil, fmt.Errorf("row %d: not a row of `ctxpack eval`", len(rows)+1)
		}
		rows = append(rows, row)
	}
}

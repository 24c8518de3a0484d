package quality

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes the report for a terminal: lines of at most 80 columns where figures allow it. show makes texts of
// transcripts and file names printable.
func WriteText(w io.Writer, r Report, show func(string) string) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	c := r.Rows
	line("ctxpack %s   %s   %d rows   %d compacted   %d unchanged   %d errors",
		show(r.Origin.Version), r.Origin.Mode, c.Measured, c.Fired, c.NotFired, c.Errors)
	if c.TooShort > 0 {
		line("too short to cut: %d", c.TooShort)
	}
	if c.Before+c.After > 0 {
		line("without a partner: %d before, %d after", c.Before, c.After)
	}
	if len(r.Metrics) > 0 {
		line("%-22s %8s   %-17s %8s %6s", "metric", "mean", "95 % of the mean", "worst", "rows")
	}
	for _, m := range r.Metrics {
		line("  %-20s %8.4f   %7.4f – %7.4f %8.4f %6d", m.Metric, m.Mean, m.Low, m.High, m.Worst, m.Rows)
	}
	for _, i := range r.Invariants {
		mark := "BROKEN"
		if i.Ignored {
			mark = "ignored"
		}
		line("%-8s %s in %d rows, such as %s", mark, i.Code, i.Rows, show(i.Example))
	}
	for _, g := range r.Gates {
		line("%-8s %s", map[bool]string{true: "ok", false: "FAIL"}[g.Pass], g)
	}
	regressionText(line, r.Regression)
	againstText(line, r.Against)
	if len(r.Worst) > 0 {
		line("worst rows")
	}
	for _, w := range r.Worst[:min(len(r.Worst), 5)] {
		line("  %s%s", show(w.Label()), show(why(w)))
	}
	line("verdict  %s", r.Verdict)
	_, err := io.WriteString(w, b.String())
	return err
}

func regressionText(line func(string, ...any), r *Regression) {
	if r == nil {
		return
	}
	line("against the baseline: %s, %d pairs of %d conversations, %d unmatched", r.Verdict, r.Pairs, r.Clusters, r.Unmatched+r.UnmatchedInOther)
	if len(r.Stale) > 0 {
		line("  the baseline differs in: %s", strings.Join(r.Stale, ", "))
	}
	comparisonText(line, "FAIL", r.Metrics)
}

func againstText(line func(string, ...any), a *Against) {
	if a == nil {
		return
	}
	line("difference to the settings %q: %d pairs of %d conversations", a.Settings, a.Comparison.Pairs, a.Comparison.Clusters)
	comparisonText(line, "worse", a.Comparison.Metrics) // to know more, not to judge
}

func comparisonText(line func(string, ...any), word string, list []Comparison) {
	for _, c := range list {
		mark := ""
		if c.Fail {
			mark = "  " + word + " (" + c.Reason + ")"
		}
		line("  %-20s %8.4f -> %8.4f   %+7.4f [%+.4f, %+.4f]%s", c.Metric, c.Base, c.New, c.Delta, c.Low, c.High, mark)
	}
}

// why says in a few words what is wrong with a row.
func why(r Row) string {
	var list []string
	for _, b := range r.Breaches {
		list = append(list, b.String())
	}
	if r.Error != "" {
		list = append(list, r.Error)
	}
	for _, name := range [...]string{"saving", "modified_file_recall", "future_recall", "novel_identifiers", "quote_fidelity"} {
		if v, ok := r.Metrics[name]; ok {
			list = append(list, fmt.Sprintf("%s %.3g", name, v))
		}
	}
	if len(r.Invented) > 0 {
		list = append(list, "invented "+r.Invented[0])
	}
	return "   " + strings.Join(list, "; ")
}

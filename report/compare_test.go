package report

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/report/quality"
)

// comparedRuns are two runs on the same inputs: the newer one saves more, and more of its records fail.
func comparedRuns() (old, new Report) {
	old, new = testReport(600), testReport(600)
	new.Tokens.After -= 2_000_000
	new.Tokens.Saved += 2_000_000
	new.Sizes.After.P95 = 180_000
	new.Processing.DurationSeconds, new.Processing.ConversationsPerSecond = 400, 1.5
	new.Processing.StartTime = "2026-11-21T08:30:00Z"
	new.Header.Version = "0.2.0"
	new.Header.Settings = append([]Setting{}, new.Header.Settings...)
	new.Header.Settings[2].Value = 0.3
	for i, s := range new.Records.Statuses {
		if s.Status == "failed" {
			new.Records.Statuses = append([]StatusTotals{}, new.Records.Statuses...)
			new.Records.Statuses[i].Records += 3
		}
	}
	return old, new
}

func TestGoldenComparison(t *testing.T) {
	old, new := comparedRuns()
	c := NewComparison(&old, &new)
	for _, renderer := range CompareRenderers() {
		var out bytes.Buffer
		if err := renderer.Render(c, &out); err != nil {
			t.Fatal(err)
		}
		if renderer.Ending != ".html" {
			golden(t, "comparison"+renderer.Ending, out.Bytes())
		}
	}
	if c.Verdict != Mixed || !strings.Contains(c.Why, "failed") {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(old, new *Report)
		want   Verdict
	}{
		{"nothing", func(_, _ *Report) {}, Same},
		{"time only", func(_, n *Report) { n.Processing.DurationSeconds *= 3 }, Same},
		{"rounding", func(_, n *Report) { n.Tokens.After += 10 }, Same},
		{"fewer tokens", func(_, n *Report) { n.Tokens.After -= 3_000_000 }, Better},
		{"more tokens", func(_, n *Report) { n.Tokens.After += 3_000_000 }, Worse},
		{"more over the limit", func(_, n *Report) { n.Records.OverLimit++ }, Worse},
		{"both", func(_, n *Report) { n.Tokens.After -= 3_000_000; n.Records.OverLimit++ }, Mixed},
		{"fits", func(_, n *Report) {
			n.Fits = append([]Fit{}, n.Fits...)
			for i := range n.Fits {
				n.Fits[i].After -= 9
			}
		}, Worse},
		{"tokenizer", func(_, n *Report) { n.Header.Tokenizer.Name = "cl100k_base" }, Incomparable},
		{"inputs", func(_, n *Report) { n.Header.Inputs = n.Header.Inputs[:1] }, Incomparable},
		{"other bytes", func(_, n *Report) {
			n.Header.Inputs = append([]Input{}, n.Header.Inputs...)
			n.Header.Inputs[0].SHA256 = "cc33"
		}, Incomparable},
		{"other names", func(_, n *Report) {
			n.Header.Inputs = []Input{n.Header.Inputs[1], n.Header.Inputs[0]}
			n.Header.Inputs[0].Name = "x"
		}, Same},
		{"quality", func(o, n *Report) {
			o.Quality = &quality.Report{Metrics: []quality.MetricSummary{{Metric: "novel_identifiers", Mean: 0.01, Lower: true}}}
			n.Quality = &quality.Report{Metrics: []quality.MetricSummary{{Metric: "novel_identifiers", Mean: 0.04, Lower: true}}}
		}, Worse},
	} {
		old, new := testReport(600), testReport(600)
		c.change(&old, &new)
		if got := NewComparison(&old, &new); got.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got.Verdict, got.Why, c.want)
		}
	}
}

// A comparison turned round has the opposite differences and verdicts, and can always be written.
func TestComparisonTurnedRound(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		one, two := testReport(rapid.IntRange(0, 120).Draw(t, "one")), testReport(rapid.IntRange(0, 120).Draw(t, "two"))
		there, back := NewComparison(&one, &two), NewComparison(&two, &one)
		opposite := map[Verdict]Verdict{Better: Worse, Worse: Better}
		for i, m := range there.Measures {
			n := back.Measures[i]
			want := m.Verdict
			if o, ok := opposite[want]; ok {
				want = o
			}
			relative := m.Kind == "tokens" || m.Kind == "seconds" || m.Kind == "rate" // their tolerance is of the older value
			if m.Name != n.Name || m.Delta != -n.Delta || n.Verdict != want && !relative {
				t.Fatalf("%+v and %+v", m, n)
			}
			if math.IsNaN(m.Delta) || math.IsInf(m.Delta, 0) {
				t.Fatalf("%+v", m)
			}
		}
		var out bytes.Buffer
		if err := there.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		var read Comparison
		if err := json.Unmarshal(out.Bytes(), &read); err != nil || !reflect.DeepEqual(read.Measures, there.Measures) {
			t.Fatalf("%v", err)
		}
		var text bytes.Buffer
		if err := there.WriteText(&text, Screen{}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			checkLine(outer, strings.TrimSuffix(line, "\n"))
		}
	})
}

package quality_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/fixtures/synth"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

// inventive is a summariser that names files nobody ever saw.
type inventive struct{ extractive.Summarizer }

func (s inventive) Summarize(ctx context.Context, req summarize.Request) (summarize.Prose, error) {
	p, err := s.Summarizer.Summarize(ctx, req)
	p.Text = strings.Replace(p.Text, summarize.HeadingFiles+"\n", summarize.HeadingFiles+"\n- read `src/ghost_writer.go`, `pkg/phantom_limb.go`\n", 1)
	return p, err
}

// forgetful is a summariser that now and then loses a line, as a model does: another one in every run.
type forgetful struct {
	extractive.Summarizer
	run uint64
}

func (s forgetful) Summarize(ctx context.Context, req summarize.Request) (summarize.Prose, error) {
	p, err := s.Summarizer.Summarize(ctx, req)
	r := rand.New(rand.NewPCG(s.run, uint64(req.To)))
	var kept []string
	for line := range strings.SplitSeq(p.Text, "\n") {
		if strings.HasPrefix(line, "- ") && r.IntN(50) == 0 {
			continue
		}
		kept = append(kept, line)
	}
	p.Text = strings.Join(kept, "\n")
	return p, err
}

// replayAll compacts the first 60 % of generated coding sessions and measures each against the rest.
func replayAll(t testing.TB, n int, o compress.Options, s summarize.Summarizer) []quality.Row {
	t.Helper()
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	o.Threshold, o.TargetRatio, o.ProtectLast, o.NoNote = 2000, 0.2, 1, true
	var rows []quality.Row
	generator := synth.New(7)
	for i := range n {
		rec := formats.Record{Raw: generator.Conversation(synth.Options{Tokens: 9_000})}
		whole := decodeRecord(t, rec)
		cut, ok := quality.FindCut(whole.Messages, make([]int, len(whole.Messages)), 0, 0, quality.CutShare)
		if !ok {
			continue
		}
		rows = append(rows, replayOne(t, i, whole, cut.At, counter, o, s))
	}
	return rows
}

func decodeRecord(t testing.TB, rec formats.Record) *formats.Conversation {
	t.Helper()
	c, err := formats.Decode(rec, []formats.Dialect{formats.OpenAI{}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func replayOne(t testing.TB, i int, whole *formats.Conversation, at int, counter tokens.Counter, o compress.Options, s summarize.Summarizer) quality.Row {
	t.Helper()
	past := whole.With(whole.Messages[:at]).Bytes()
	before, given := decodeRecord(t, formats.Record{Raw: past}), decodeRecord(t, formats.Record{Raw: past})
	meter := &compress.Meter{Counter: counter}
	engine, err := compress.NewCompressor(o, meter, s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := engine.Compact(context.Background(), given, 0)
	if err != nil {
		t.Fatal(err)
	}
	row := quality.Row{File: "synth", Index: int64(i), Key: quality.Key(before.Messages), Status: result.Status}
	after := before.Messages
	if result.Status.Changed() {
		after = result.Messages
	} else if result.Status == compress.Failed {
		t.Fatalf("conversation %d: %s", i, result.Reason)
	}
	pair := quality.NewPair(before.Messages, after)
	c := &quality.Case{Pair: pair, Future: whole.Messages[at:], Sizes: quality.Sizes{
		Before: result.Before.Tokens, After: result.After.Tokens, Summary: pair.SummaryTokens(counter.Count),
	}}
	row.Fill(c)
	row.Breaches = pair.Breaches(result.Before.Tokens, result.After.Tokens)
	return row
}

// verdict compares two runs over the conversations of a draw.
func verdict(base, now []quality.Row, draw []int) quality.Regression {
	var b, n []quality.BaselineRow
	for _, i := range draw {
		b, n = append(b, base[i].Baseline()), append(n, now[i].Baseline())
	}
	return quality.Compare(b, n)
}

const (
	pool  = 120
	drawn = 50
	runs  = 100
)

func draws() [][]int {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([][]int, runs)
	for i := range list {
		list[i] = r.Perm(pool)[:drawn]
	}
	return list
}

// TestWorsenedSummariserIsCaught: with 50 conversations, each of three ways to get worse fails against a baseline in 100
// of 100 draws, and honest runs never do.
func TestWorsenedSummariserIsCaught(t *testing.T) {
	good := replayAll(t, pool, compress.Options{}, extractive.Summarizer{})
	if len(good) < pool {
		t.Fatalf("%d of %d conversations", len(good), pool)
	}
	for _, test := range []struct {
		name    string
		options compress.Options
		by      summarize.Summarizer
		caught  bool
	}{
		{"without a ledger", compress.Options{LedgerTokens: -1}, extractive.Summarizer{}, true},
		{"half the budget", compress.Options{SummaryCap: 1000}, extractive.Summarizer{}, true},
		{"invented paths", compress.Options{}, inventive{}, true},
		{"all three", compress.Options{LedgerTokens: -1, SummaryCap: 1000}, inventive{}, true},
		{"the same again", compress.Options{}, extractive.Summarizer{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := replayAll(t, pool, test.options, test.by)
			caught := 0
			why := map[string]int{}
			for _, draw := range draws() {
				rep := verdict(good, now, draw)
				if rep.Verdict == quality.VerdictFail {
					caught++
				}
				for _, c := range rep.Metrics {
					if c.Fail {
						why[c.Metric]++
					}
				}
			}
			t.Logf("caught in %d of %d draws, by %v", caught, runs, why)
			if want := map[bool]int{true: runs, false: 0}[test.caught]; caught != want {
				t.Errorf("caught in %d of %d draws, want %d", caught, runs, want)
			}
		})
	}
}

// TestHonestRunsPass: a summariser that is never twice the same does not fail against itself.
func TestHonestRunsPass(t *testing.T) {
	one, two := replayAll(t, pool, compress.Options{}, forgetful{run: 1}), replayAll(t, pool, compress.Options{}, forgetful{run: 2})
	differ := false
	for _, draw := range draws() {
		for _, rep := range []quality.Regression{verdict(one, two, draw), verdict(two, one, draw)} {
			for _, c := range rep.Metrics {
				differ = differ || c.Delta != 0
			}
			if rep.Verdict != quality.VerdictPass {
				t.Fatalf("%+v", rep)
			}
		}
	}
	if !differ {
		t.Error("the two runs are the same: the test shows nothing")
	}
}

func rowsOf(n int, metric string, value func(i int) float64) []quality.Row {
	rows := make([]quality.Row, n)
	for i := range rows {
		rows[i] = quality.Row{Key: fmt.Sprint(i), Fired: true, Metrics: map[string]float64{metric: value(i)}}
	}
	return rows
}

func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestRegressionRule: both conditions of the mean, and the one of the rows, at their bounds.
func TestRegressionRule(t *testing.T) {
	flat := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	tests := []struct {
		name      string
		n         int
		metric    string
		base, now func(int) float64
		want      string
	}{
		{"drop of δ", 40, "future_recall", flat(0.9), flat(0.87), quality.VerdictFail},
		{"less than δ", 40, "future_recall", flat(0.9), flat(0.871), quality.VerdictPass},
		{"better", 40, "future_recall", flat(0.8), flat(0.9), quality.VerdictPass},
		{"upwards where lower is better", 40, "novel_identifiers", flat(0), flat(0.01), quality.VerdictFail},
		{"downwards there", 40, "novel_identifiers", flat(0.05), flat(0), quality.VerdictPass},
		{"as many up as down", 40, "future_recall", flat(0.5), func(i int) float64 { return 0.5 + 0.1*float64(i%2*2-1) }, quality.VerdictPass},
		{"two of forty rows collapse", 40, "future_recall", flat(0.9), func(i int) float64 { return map[bool]float64{true: 0.5, false: 0.93}[i < 2] }, quality.VerdictPass},
		{"three of forty rows collapse", 40, "future_recall", flat(0.9), func(i int) float64 { return map[bool]float64{true: 0.5, false: 0.95}[i < 3] }, quality.VerdictFail},
		{"19 pairs", 19, "future_recall", flat(0.9), flat(0.1), quality.VerdictInsufficient},
		{"20 pairs", 20, "future_recall", flat(0.9), flat(0.1), quality.VerdictFail},
		{"a metric without δ", 40, "human_verbatim", flat(1), flat(0), quality.VerdictPass},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rep := verdict(rowsOf(test.n, test.metric, test.base), rowsOf(test.n, test.metric, test.now), all(test.n))
			if rep.Verdict != test.want {
				t.Errorf("%s, want %s: %+v", rep.Verdict, test.want, rep.Metrics)
			}
		})
	}
}

// TestClustersWiden: rows of one conversation are no independent observations.
func TestClustersWiden(t *testing.T) {
	base := rowsOf(200, "future_recall", func(int) float64 { return 0.8 })
	now := rowsOf(200, "future_recall", func(i int) float64 { return 0.8 + 0.02*float64(i/10%5-2) })
	width := func() float64 {
		c := verdict(base, now, all(200)).Metrics[0]
		return c.High - c.Low
	}
	alone := width()
	for i := range base {
		base[i].Cluster, now[i].Cluster = fmt.Sprint(i/10), fmt.Sprint(i/10)
	}
	if together := width(); together < 2*alone {
		t.Errorf("interval %v with clusters, %v without", together, alone)
	}
}

// TestCollapseIsSeen: compaction that stops working has no recall to compare; what it saved tells.
func TestCollapseIsSeen(t *testing.T) {
	base := rowsOf(30, "saving", func(int) float64 { return 0.6 })
	now := rowsOf(30, "saving", func(int) float64 { return 0 })
	for i := range now {
		now[i].Fired, now[i].Metrics = false, nil
	}
	if rep := verdict(base, now, all(30)); rep.Verdict != quality.VerdictFail {
		t.Errorf("%+v", rep)
	}
}

func TestBaselineRoundTrip(t *testing.T) {
	rows := rowsOf(3, "saving", func(i int) float64 { return float64(i) / 10 })
	b := quality.NewBuilder(quality.Gates{}, false)
	for _, r := range rows {
		b.Add(r)
	}
	rep := b.Report(quality.Origin{Version: "1"}, nil)
	base, err := quality.NewBaseline(rep, rows)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := quality.WriteBaseline(&file, base); err != nil {
		t.Fatal(err)
	}
	again, err := quality.ReadBaseline(file.Bytes())
	if err != nil || fmt.Sprint(again) != fmt.Sprint(base) {
		t.Errorf("%v: %v, want %v", err, again, base)
	}
	if _, err := quality.NewBaseline(rep, rows[:2]); err == nil {
		t.Error("rows of another report were taken")
	}
	rep.Rows.Errors = 1
	if _, err := quality.NewBaseline(rep, rows); err == nil {
		t.Error("a report with errors was taken")
	}
	other := again
	other.Origin.Tokenizer = "else"
	if stale := b.Report(quality.Origin{Version: "1"}, &other).Regression.Stale; fmt.Sprint(stale) != "[tokenizer]" {
		t.Errorf("stale: %v", stale)
	}
}

func TestGates(t *testing.T) {
	v := func(f float64) *float64 { return &f }
	rows := rowsOf(4, "saving", func(i int) float64 { return []float64{0.2, 0.4, 0.4, 0.4}[i] })
	tests := []struct {
		gate quality.Gate
		want string
	}{
		{quality.Gate{Metric: "saving", Min: v(0.35)}, quality.VerdictPass},
		{quality.Gate{Metric: "saving", Min: v(0.36)}, quality.VerdictFail},
		{quality.Gate{Metric: "saving", Max: v(0.34)}, quality.VerdictFail},
		{quality.Gate{Metric: "saving", PerRow: v(0.2)}, quality.VerdictPass},
		{quality.Gate{Metric: "saving", PerRow: v(0.21)}, quality.VerdictFail},
		{quality.Gate{Metric: "saving", Max: v(0.9), PerRow: v(0.4)}, quality.VerdictPass},
		{quality.Gate{Metric: "novel_identifiers", Max: v(0)}, quality.VerdictPass}, // nobody knows it
	}
	for _, test := range tests {
		b := quality.NewBuilder(quality.Gates{List: []quality.Gate{test.gate}}, true)
		for _, r := range rows {
			b.Add(r)
		}
		rep := b.Report(quality.Origin{}, nil)
		if rep.Verdict != test.want {
			t.Errorf("%+v: %s, want %s", test.gate, rep.Verdict, test.want)
		}
		var out bytes.Buffer
		if err := b.WriteJUnit(&out, rep, strings.ToUpper); err != nil {
			t.Fatal(err)
		}
		var suites struct {
			Failures int `xml:"failures,attr"`
		}
		if err := xml.Unmarshal(out.Bytes(), &suites); err != nil || (suites.Failures > 0) != (test.want == quality.VerdictFail) {
			t.Errorf("%+v: %v, %d failures in\n%s", test.gate, err, suites.Failures, out.String())
		}
	}
	if rep := quality.NewBuilder(quality.Gates{}, true).Report(quality.Origin{}, nil); rep.Verdict != quality.VerdictInsufficient {
		t.Errorf("no rows: %s", rep.Verdict)
	}
	if err := (quality.Gates{List: []quality.Gate{{Metric: "savings", Min: v(1)}}}).Validate(); err == nil {
		t.Error("an unknown metric was taken")
	}
	if err := (quality.Gates{List: []quality.Gate{{Metric: "saving"}}}).Validate(); err == nil {
		t.Error("a gate without a bound was taken")
	}
	if err := quality.DefaultGates(true, 20_000).Validate(); err != nil || len(quality.DefaultGates(true, 20_000).List) != 7 {
		t.Errorf("default gates: %v", err)
	}
}

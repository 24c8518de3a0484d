package quality_test

import (
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/fixtures/synth"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

// BenchmarkScore scores one compacted conversation of about 100 KB, tokens not counted: align, invariants, all metrics.
func BenchmarkScore(b *testing.B) {
	rec := formats.Record{Raw: synth.New(3).Conversation(synth.Options{Tokens: 27_000})}
	whole := decodeRecord(b, rec)
	counter, err := tokens.New("rough")
	if err != nil {
		b.Fatal(err)
	}
	cut, ok := quality.FindCut(whole.Messages, make([]int, len(whole.Messages)), 0, 0, 0.8)
	if !ok {
		b.Fatal("nothing to cut")
	}
	past := whole.With(whole.Messages[:cut.At]).Bytes()
	engine, err := compress.NewCompressor(compress.Options{Threshold: 4000, ProtectLast: 4}, &compress.Meter{Counter: counter}, extractive.Summarizer{})
	if err != nil {
		b.Fatal(err)
	}
	given := decodeRecord(b, formats.Record{Raw: past})
	result, err := engine.Compact(b.Context(), given, 0)
	if err != nil || !result.Status.Changed() {
		b.Fatal(err, result.Status)
	}
	before := decodeRecord(b, formats.Record{Raw: past})
	after := decodeRecord(b, formats.Record{Raw: given.With(result.Messages).Bytes()})
	b.SetBytes(int64(len(past)))
	b.ReportAllocs()
	for b.Loop() {
		pair := quality.NewPair(before.Messages, after.Messages)
		c := &quality.Case{Pair: pair, Future: whole.Messages[cut.At:], Sizes: quality.Sizes{Before: 2, After: 1}}
		var row quality.Row
		row.Fill(c)
		row.Breaches = pair.Breaches(2, 1)
		if len(row.Breaches) > 0 {
			b.Fatal(row.Breaches)
		}
	}
}

// BenchmarkCompare compares 1,000 rows with a baseline: all metrics, 2,000 resamples each.
func BenchmarkCompare(b *testing.B) {
	base := rowsOf(1000, "future_recall", func(i int) float64 { return float64(i%10) / 10 })
	now := rowsOf(1000, "future_recall", func(i int) float64 { return float64(i%9) / 9 })
	for b.Loop() {
		if r := verdict(base, now, all(1000)); r.Pairs != 1000 {
			b.Fatal(r.Pairs)
		}
	}
}

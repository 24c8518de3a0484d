package quality_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

// TestEngineKeepsTheInvariants: what the built-in engine makes of the fixtures, at several settings, breaks nothing that
// is checked here, invents nothing and misquotes nobody. It holds the engine to rules written apart from it, and the
// rules to an engine that keeps them.
func TestEngineKeepsTheInvariants(t *testing.T) {
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	settings := []compress.Options{
		{Threshold: 300, ProtectLast: 2},
		{Threshold: 300, ProtectLast: 1, ProtectFirst: -1, NoNote: true},
		{Threshold: 1000, ProtectLast: 4, ProtectFirst: 3},
		{Threshold: 1000, ProtectLast: 4, NoSummary: true},
		{Strategy: compress.Fit, Window: 1500, ProtectLast: 2},
	}
	fired := 0
	for _, name := range []string{"coding", "support", "hermes", "sharegpt", "again", "orphans", "legacy"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "fixtures", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			for k, o := range settings {
				if checkEngine(t, name, i, k, line, counter, o) {
					fired++
				}
			}
		}
	}
	if fired < 45 {
		t.Errorf("only %d compactions", fired)
	}
}

func checkEngine(t *testing.T, name string, i, k int, line []byte, counter tokens.Counter, o compress.Options) bool {
	t.Helper()
	dialects := []formats.Dialect{formats.OpenAI{}, formats.Hermes{}, formats.ShareGPT{}}
	decode := func(raw []byte) *formats.Conversation {
		c, err := formats.Decode(formats.Record{Raw: raw}, dialects)
		if err != nil {
			t.Fatalf("%s %d: %v", name, i, err)
		}
		return c
	}
	before, given := decode(line), decode(line)
	var s summarize.Summarizer
	if !o.NoSummary {
		s = extractive.Summarizer{}
	}
	engine, err := compress.NewCompressor(o, &compress.Meter{Counter: counter}, s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := engine.Compact(t.Context(), given, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !result.Status.Changed() {
		return false
	}
	after := decode(given.With(result.Messages).Bytes())
	pair := quality.NewPair(before.Messages, after.Messages)
	breaches := append(pair.Breaches(result.Before.Tokens, result.After.Tokens), quality.RecordBreaches(before, after)...)
	for _, b := range breaches {
		t.Errorf("%s %d, settings %d: %s\nfates %s", name, i, k, b, fates(pair))
	}
	c := &quality.Case{Pair: pair, Sizes: quality.Sizes{Before: result.Before.Tokens, After: result.After.Tokens}}
	var row quality.Row
	row.Fill(c)
	for metric, want := range map[string]float64{"novel_identifiers": 0, "novel_numbers": 0, "quote_fidelity": 1} {
		if v, ok := row.Metrics[metric]; ok && v != want {
			t.Errorf("%s %d, settings %d: %s is %v: invented %q, misquoted %q", name, i, k, metric, v, row.Invented, row.Misquoted)
		}
	}
	return true
}

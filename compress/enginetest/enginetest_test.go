package enginetest

import (
	"context"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

func meter(t *testing.T) *compress.Meter {
	t.Helper()
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	return &compress.Meter{Counter: counter}
}

// The built-in engine keeps the contract, by any of its strategies, however tokens are counted.
func TestCompressor(t *testing.T) {
	for name, o := range map[string]compress.Options{
		"full": {}, "fit": {Strategy: compress.Fit, Window: 4000}, "without a summary": {NoSummary: true}, "short tail": {ProtectLast: 1, ProtectFirst: 1},
		"exact": {}, "long head": {ProtectFirst: 6}, "no note": {NoNote: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := meter(t)
			if name == "exact" {
				counter, err := tokens.New("o200k_base")
				if err != nil {
					t.Fatal(err)
				}
				m.Counter = counter
			}
			engine, err := compress.NewCompressor(o, m, extractive.Summarizer{})
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range Run(context.Background(), engine, Options{Meter: m}) {
				if one.Verdict != OK {
					t.Errorf("%s: %s: %s", one.Rule, one.Verdict, one.Reason)
				}
			}
		})
	}
}

// The conversations are what they say: readable, and large enough that there is something to compact.
func TestConversations(t *testing.T) {
	m := meter(t)
	engine, err := compress.NewCompressor(compress.Options{}, m, extractive.Summarizer{})
	if err != nil {
		t.Fatal(err)
	}
	all := conversations()
	for i, c := range all {
		conv, err := c.decode(c.raw)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		large := i < len(all)-2
		if n := m.Conversation(conv); (n > DefaultLength/2) != large {
			t.Errorf("%s has %d tokens", c.name, n)
		}
		r, err := engine.Compact(context.Background(), conv, DefaultLength)
		if err != nil || r.Status.Changed() != large {
			t.Errorf("%s: %s %v", c.name, r.Status, err)
		}
	}
	if len(all) != 13 {
		t.Errorf("%d conversations", len(all))
	}
}

// Every rule of lists is a rule of the suite, and every rule is reached by an engine that keeps them.
func TestRules(t *testing.T) {
	names := map[string]bool{}
	for _, r := range rules() {
		if names[r.name] || r.about == "" {
			t.Errorf("%s is there twice, or says nothing", r.name)
		}
		names[r.name] = true
	}
	for _, rule := range compress.Rules() {
		if !names[string(rule)] {
			t.Errorf("%s is missing", rule)
		}
	}
}

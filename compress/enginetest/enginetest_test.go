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

// Windows grow: each time beyond what they may hold, with calls that were never made before.
func TestGrown(t *testing.T) {
	m := meter(t)
	all := growing()
	if len(all) != 3 {
		t.Fatalf("%d conversations", len(all))
	}
	for _, c := range all {
		for n := 1; n <= growths; n++ {
			before, err := c.decode(c.raw)
			if err != nil {
				t.Fatal(err)
			}
			if c.raw, err = grown(c.raw, n); err != nil {
				t.Fatal(err)
			}
			after, err := c.decode(c.raw)
			if err != nil {
				t.Fatal(err)
			}
			if more := m.Conversation(after) - m.Conversation(before); more <= DefaultLength {
				t.Errorf("%s grew by %d tokens", c.name, more)
			}
			if err := compress.CheckOutput(after.Messages, after.Messages); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			ids := map[string]bool{}
			for _, message := range after.Messages {
				for _, call := range message.Calls() {
					if ids[call.ID] {
						t.Errorf("%s: %s is called twice", c.name, call.ID)
					}
					ids[call.ID] = true
				}
			}
		}
	}
}

package quality_test

import (
	"testing"

	"github.com/ctxpack/ctxpack/report/quality"
)

// FuzzMetrics: whatever a summary and a person say, measuring ends, and every share is one.
func FuzzMetrics(f *testing.F) {
	f.Add("## Goal\n> quoted\n\"said \\_this and that\" in src/a_b.go:12", "Never touch \"the old thing\".\n必须保留。")
	f.Add("Reference material, not instructions: it covers messages 1–2 of the original conversation; numbers in brackets are message numbers.\n## Ledger\nRead: a.go (1)", "```\nfenced")
	f.Add("> \n>\n[1, 2] (3) ,,,1,234,5", "„a b c“ «d e f» 「」\"")
	f.Fuzz(func(t *testing.T, body, said string) {
		before := session(user(said), assistant(said), call("a", "bash", object{"command": said}), result("a", body))
		p := pairOf(t, before, compacted(body))
		c := quality.Case{Pair: p, Future: p.Before, Sizes: quality.Sizes{Before: 2, After: 1}}
		for name, v := range c.Measure() {
			if !(v >= 0 && v <= 1) {
				t.Errorf("%s is %v", name, v)
			}
		}
		p.Breaches(2, 1)
		p.Losses()
	})
}

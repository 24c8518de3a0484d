package cmd

import (
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// A sample is a fair share of any stretch of a file, neighbours are chosen one by one, and another seed is another sample.
func TestSampleIsFair(t *testing.T) {
	const stretch, stretches = 100, 200
	for _, share := range []float64{0.15, 0.5} {
		for _, seed := range []int64{0, 42} {
			s := &Settings{Sample: share, Seed: seed}
			var all, pairs int
			for k := range int64(stretches) {
				n := 0
				for i := k * stretch; i < (k+1)*stretch; i++ {
					if inSample(s, formats.Position{Index: i}) {
						n++
						if inSample(s, formats.Position{Index: i + 1}) {
							pairs++
						}
					}
				}
				if all += n; float64(n) < share*stretch-25 || float64(n) > share*stretch+25 {
					t.Errorf("seed %d: %d of records %d to %d, not about %.0f", seed, n, k*stretch, (k+1)*stretch, share*stretch)
				}
			}
			const total = stretch * stretches
			if got := float64(all) / total; got < share-0.02 || got > share+0.02 {
				t.Errorf("seed %d: %.3f of all, not %.2f", seed, got, share)
			}
			if got := float64(pairs) / float64(all); got < share-0.03 || got > share+0.03 {
				t.Errorf("seed %d: the next one is chosen as well in %.3f, not %.2f", seed, got, share)
			}
		}
	}
	a, b := &Settings{Sample: 0.5, Seed: 1}, &Settings{Sample: 0.5, Seed: 2}
	same := 0
	for i := range int64(1000) {
		if inSample(a, formats.Position{Index: i}) == inSample(b, formats.Position{Index: i}) {
			same++
		}
	}
	if same < 400 || same > 600 {
		t.Errorf("two seeds agree on %d of 1000", same)
	}
}

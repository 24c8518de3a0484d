package promptcost_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/compress/promptcost"
)

// run is a random run of an agent: full prompts, and the same as calls that say what they keep.
type run struct {
	prompts [][]promptcost.Block
	calls   []promptcost.Call
}

func randomRun(t *rapid.T) run {
	var r run
	next := uint64(0)
	block := func(system bool) promptcost.Block {
		next++
		return promptcost.Block{
			ID: next, System: system, Tokens: rapid.SampledFrom([]int{0, 1, 40, 400, 1200, 3000}).Draw(t, "tokens"),
			Unmarked: rapid.IntRange(0, 4).Draw(t, "unmarked") == 0, Positions: rapid.SampledFrom([]int{0, 1, 2, 7, 25}).Draw(t, "positions"),
		}
	}
	var prompt []promptcost.Block
	for range rapid.IntRange(0, 2).Draw(t, "system") {
		prompt = append(prompt, block(true))
	}
	keep, now := 0, at(0)
	timed := rapid.Bool().Draw(t, "timed")
	for range rapid.IntRange(1, 12).Draw(t, "calls") {
		for range rapid.IntRange(0, 4).Draw(t, "new") {
			prompt = append(prompt, block(false))
		}
		c := promptcost.Call{Keep: keep, Blocks: slices.Clone(prompt[keep:]), Output: rapid.IntRange(0, 99).Draw(t, "output")}
		if timed && rapid.IntRange(0, 5).Draw(t, "unknown") > 0 {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Minute, 5 * time.Minute, 6 * time.Minute, 2 * time.Hour}).Draw(t, "pause"))
			c.At = now
		}
		r.prompts, r.calls = append(r.prompts, slices.Clone(prompt)), append(r.calls, c)
		keep = len(prompt)
		if keep > 0 && rapid.IntRange(0, 3).Draw(t, "change") == 0 { // what follows is compacted away, or changes
			keep = rapid.IntRange(0, keep-1).Draw(t, "keep")
			prompt = prompt[:keep:keep]
		}
	}
	return r
}

// reference is the rules once more, in the plainest way: whole prompts, prefixes spelled out.
type reference struct {
	lifetime time.Duration
	used     map[string]time.Time
}

func (r *reference) call(prompt []promptcost.Block, at time.Time) (written, read, uncached int) {
	tokens := func(n int) (sum int) {
		for _, b := range prompt[:n] {
			sum += b.Tokens
		}
		return sum
	}
	var marks []int // lengths of prefixes
	leading := 0
	for leading < len(prompt) && prompt[leading].System {
		leading++
	}
	for n := leading; n > 0 && len(marks) == 0; n-- {
		if !prompt[n-1].Unmarked {
			marks = append(marks, n)
		}
	}
	for n := len(prompt); n > leading && len(marks) < 4; n-- {
		if !prompt[n-1].Unmarked {
			marks = append(marks, n)
		}
	}
	slices.Sort(marks)
	marks = slices.DeleteFunc(marks, func(n int) bool { return tokens(n) < promptcost.DefaultMinimum })
	hit := 0
	for _, mark := range marks {
		distance := 0
		for n := mark; n > 0 && distance < promptcost.DefaultLookback; n-- {
			used, ok := r.used[spell(prompt[:n])]
			if ok && (used.IsZero() || at.IsZero() || at.Sub(used) <= r.lifetime) {
				hit = max(hit, n)
				break
			}
			distance += max(prompt[n-1].Positions, 1)
		}
	}
	if hit > 0 {
		r.used[spell(prompt[:hit])] = at
	}
	end := 0
	for _, mark := range marks {
		r.used[spell(prompt[:mark])] = at
		end = mark
	}
	return tokens(end) - tokens(hit), tokens(hit), tokens(len(prompt)) - tokens(end)
}

func spell(blocks []promptcost.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		fmt.Fprintf(&b, "%d ", block.ID)
	}
	return b.String()
}

func TestAgainstTheRules(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		run := randomRun(r)
		s, whole := promptcost.Model{}.NewSession(), promptcost.Model{}.NewSession()
		five := reference{5 * time.Minute, map[string]time.Time{}}
		hour := reference{time.Hour, map[string]time.Time{}}
		var written, read, prompts int
		for i, c := range run.calls {
			got := s.Add(c)
			if again := whole.Add(promptcost.Call{Blocks: run.prompts[i], Output: c.Output, At: c.At}); again != got {
				r.Fatalf("call %d: %+v, but with the whole prompt %+v", i, got, again)
			}
			for _, test := range []struct {
				ref *reference
				got promptcost.Cost
			}{{&five, got.FiveMinutes}, {&hour, got.OneHour}} {
				w, rd, u := test.ref.call(run.prompts[i], c.At)
				if test.got.Written != w || test.got.Read != rd || test.got.Uncached != u {
					r.Fatalf("call %d of %v: %+v, want %d %d %d", i, run.calls, test.got, w, rd, u)
				}
				if w < 0 || rd < 0 || u < 0 || test.got.Tokens() != got.Prompt {
					r.Fatalf("call %d: %+v of %d", i, test.got, got.Prompt)
				}
			}
			if i == 0 && (got.FiveMinutes.Equivalents < got.NoCaching.Equivalents || got.OneHour.Equivalents < got.FiveMinutes.Equivalents) {
				r.Fatalf("a first call that caching makes cheaper: %+v", got)
			}
			if got.FiveMinutes.Read > got.OneHour.Read {
				r.Fatalf("five minutes hold more than an hour: %+v", got)
			}
			written, read, prompts = written+got.FiveMinutes.Written, read+got.FiveMinutes.Read, prompts+got.Prompt
		}
		if total := s.Total(); total.FiveMinutes.Written != written || total.FiveMinutes.Read != read || total.Prompt != prompts || total.NoCaching.Uncached != prompts {
			r.Fatalf("%+v", total)
		}
	})
}

// The same prompt again and again: the first call writes what the others read, so that caching costs a write and a tenth
// for each repetition.
func TestRepeatedPrompt(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		prompt := randomRun(r).prompts[0]
		n := rapid.IntRange(2, 6).Draw(r, "times")
		s := promptcost.Model{}.NewSession()
		first := s.Add(promptcost.Call{Blocks: prompt})
		for range n - 1 {
			if c := s.Add(promptcost.Call{Keep: len(prompt)}); c.FiveMinutes.Read != first.FiveMinutes.Written || c.FiveMinutes.Written != 0 {
				r.Fatalf("%+v after %+v", c, first)
			}
		}
		if total := s.Total(); total.FiveMinutes.Equivalents > total.NoCaching.Equivalents || n > 2 && total.OneHour.Equivalents > total.NoCaching.Equivalents {
			r.Fatalf("dearer with caching: %+v", total)
		}
	})
}

// A run of 5,000 turns and 10,000 messages: what a call costs does not grow with the prompt.
func BenchmarkLongRun(b *testing.B) {
	for b.Loop() {
		s := promptcost.Model{}.NewSession()
		s.Add(promptcost.Call{Blocks: []promptcost.Block{{ID: 1, Tokens: 5000, System: true}, {ID: 2, Tokens: 100}}})
		for i := range uint64(5000) {
			s.Add(promptcost.Call{Keep: int(2 + 2*i), Blocks: []promptcost.Block{{ID: 3 + 2*i, Tokens: 50}, {ID: 4 + 2*i, Tokens: 500}}, At: at(0).Add(time.Duration(i) * time.Minute)})
		}
	}
}

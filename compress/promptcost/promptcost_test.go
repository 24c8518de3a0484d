package promptcost_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/compress/models"
	"github.com/ctxpack/ctxpack/compress/promptcost"
)

// Names of the blocks of the example.
const (
	system = iota
	u1
	a1
	t1
	a2
	t2
	summary
	u4
	a4
	u4edited
	u5
	t5
)

func at(minute int) time.Time { return time.Date(2026, 11, 21, 12, minute, 0, 0, time.UTC) }

// example is a run of five calls: it begins, goes on, pauses for six minutes, is compacted, and then something in the
// middle changes.
func example() []promptcost.Call {
	sys := promptcost.Block{ID: system, Tokens: 2000, System: true}
	return []promptcost.Call{
		{Blocks: []promptcost.Block{sys, {ID: u1, Tokens: 100}}, Output: 50, At: at(0)},
		{Keep: 2, Blocks: []promptcost.Block{{ID: a1, Tokens: 50}, {ID: t1, Tokens: 3000}}, Output: 20, At: at(1)},
		{Keep: 4, Blocks: []promptcost.Block{{ID: a2, Tokens: 150}, {ID: t2, Tokens: 700}}, Output: 30, At: at(7)},
		{Keep: 1, Blocks: []promptcost.Block{{ID: summary, Tokens: 500}, {ID: u4, Tokens: 40}, {ID: a4, Tokens: 60}}, Output: 40, At: at(8)},
		{Keep: 2, Blocks: []promptcost.Block{{ID: u4edited, Tokens: 45}, {ID: a4, Tokens: 60}, {ID: u5, Tokens: 10}, {ID: t5, Tokens: 10, Unmarked: true}}, Output: 10, At: at(9)},
	}
}

// The example by hand. W written, R read, U neither; a write costs 1.25 (5m) or 2 (1h), a read 0.1.
//
//	call  prompt             5m                                     1h
//	1     2000+100 = 2100    W 2100             2625                W 2100             4200
//	2     +50+3000 = 5150    R 2100 (u1) W 3050  210 + 3812.5       R 2100 W 3050       210 + 6100
//	3     +150+700 = 6000    six minutes later:                     the hour lives on:
//	                         W 6000             7500                R 5150 (t1) W 850   515 + 1700
//	4     2000+500+40+60     only the system prompt is as it was, and was used at breakpoint 1 a minute ago:
//	      = 2600             R 2000 W 600        200 + 750          R 2000 W 600        200 + 1200
//	5     2000+500+45+60     found behind the summary, the first of the last three of call 4; t5 carries no marker:
//	      +10+10 = 2625      R 2500 W 115 U 10   250 + 143.75 + 10  R 2500 W 115 U 10   250 + 230 + 10
//	sum   18475              W 11865 R 6600 U 10                    W 6715 R 11750 U 10
//	                         14831.25 + 660 + 10 = 15501.25         13430 + 1175 + 10 = 14615
func TestExample(t *testing.T) {
	s := promptcost.Model{}.NewSession()
	want := []struct {
		prompt     int
		five, hour promptcost.Cost
	}{
		{2100, promptcost.Cost{Written: 2100, Equivalents: 2625}, promptcost.Cost{Written: 2100, Equivalents: 4200}},
		{5150, promptcost.Cost{Written: 3050, Read: 2100, Equivalents: 4022.5}, promptcost.Cost{Written: 3050, Read: 2100, Equivalents: 6310}},
		{6000, promptcost.Cost{Written: 6000, Equivalents: 7500}, promptcost.Cost{Written: 850, Read: 5150, Equivalents: 2215}},
		{2600, promptcost.Cost{Written: 600, Read: 2000, Equivalents: 950}, promptcost.Cost{Written: 600, Read: 2000, Equivalents: 1400}},
		{2625, promptcost.Cost{Written: 115, Read: 2500, Uncached: 10, Equivalents: 403.75}, promptcost.Cost{Written: 115, Read: 2500, Uncached: 10, Equivalents: 490}},
	}
	for i, c := range example() {
		got := s.Add(c)
		if got.Prompt != want[i].prompt || !same(got.FiveMinutes, want[i].five) || !same(got.OneHour, want[i].hour) || got.NoCaching.Equivalents != float64(want[i].prompt) {
			t.Errorf("call %d: %+v", i+1, got)
		}
	}
	total := s.Total()
	if total.Calls != 5 || total.Prompt != 18475 || total.Output != 150 || total.NoCaching.Uncached != 18475 ||
		!same(total.FiveMinutes, promptcost.Cost{Written: 11865, Read: 6600, Uncached: 10, Equivalents: 15501.25}) ||
		!same(total.OneHour, promptcost.Cost{Written: 6715, Read: 11750, Uncached: 10, Equivalents: 14615}) {
		t.Errorf("%+v", total)
	}
	if got := (promptcost.Model{}).Account(slices.Values(example())); got != total {
		t.Errorf("at once: %+v", got)
	}
	// 3 dollars a million tokens of input, 15 of output: 46,503.75 + 2,250 millionths.
	price := models.Price{Input: 3, Output: 15}
	if dollars, ok := total.Dollars(promptcost.FiveMinutes, price); !ok || math.Abs(dollars-0.04875375) > 1e-12 {
		t.Errorf("%v %v", dollars, ok)
	}
	if _, ok := total.Dollars(promptcost.NoCaching, models.Price{}); ok {
		t.Error("a price that is not known")
	}
	if saved := total.Saved(promptcost.OneHour); math.Abs(saved-(1-14615.0/18475)) > 1e-12 || (promptcost.CallCost{}).Saved(promptcost.OneHour) != 0 {
		t.Errorf("%v", saved)
	}
}

func same(a, b promptcost.Cost) bool {
	return a.Written == b.Written && a.Read == b.Read && a.Uncached == b.Uncached && math.Abs(a.Equivalents-b.Equivalents) < 1e-9
}

// Without times entries live on: the pause of the example costs nothing.
func TestUnknownTimes(t *testing.T) {
	calls := example()
	for i := range calls {
		calls[i].At = time.Time{}
	}
	got := promptcost.Model{}.Account(slices.Values(calls))
	if got.FiveMinutes.Read != 11750 || got.OneHour.Read != 11750 || got.FiveMinutes.Written != got.OneHour.Written {
		t.Errorf("%+v", got)
	}
}

// A use keeps an entry alive, to the second; a call that says it was made earlier does not age it.
func TestLifetime(t *testing.T) {
	prompt := []promptcost.Block{{ID: 1, Tokens: 2000, System: true}, {ID: 2, Tokens: 10}}
	for _, test := range []struct {
		name       string
		after      []time.Duration
		five, hour []int // read by each call
	}{
		{"refreshed", []time.Duration{0, 4 * time.Minute, 8 * time.Minute, 13 * time.Minute}, []int{0, 2010, 2010, 2010}, []int{0, 2010, 2010, 2010}},
		{"a second too late", []time.Duration{0, 5*time.Minute + time.Second}, []int{0, 0}, []int{0, 2010}},
		{"an hour", []time.Duration{0, time.Hour, 2*time.Hour + time.Second}, []int{0, 0, 0}, []int{0, 2010, 0}},
		{"out of order", []time.Duration{10 * time.Minute, 5 * time.Minute, 15 * time.Minute}, []int{0, 2010, 2010}, []int{0, 2010, 2010}},
	} {
		s := promptcost.Model{}.NewSession()
		for i, d := range test.after {
			c := s.Add(promptcost.Call{Blocks: prompt, At: at(0).Add(d)})
			if c.FiveMinutes.Read != test.five[i] || c.OneHour.Read != test.hour[i] {
				t.Errorf("%s: call %d: %+v", test.name, i, c)
			}
		}
	}
}

// An entry is found from 20 positions, each breakpoint searching anew.
func TestLookback(t *testing.T) {
	for _, test := range []struct {
		name      string
		model     promptcost.Model
		more      int // messages that follow the one whose entry is to be found
		positions int // of each
		want      int // read
	}{
		{"the last of the window", promptcost.Model{}, 19, 0, 2100},
		{"found from the third breakpoint", promptcost.Model{}, 21, 1, 2100},
		{"out of sight of all three", promptcost.Model{}, 22, 1, 2000},
		{"messages of many blocks", promptcost.Model{}, 3, 20, 2000},
		{"of one fewer", promptcost.Model{}, 3, 19, 2100},
		{"a model that looks further", promptcost.Model{Lookback: 30}, 22, 1, 2100},
	} {
		s := test.model.NewSession()
		s.Add(promptcost.Call{Blocks: []promptcost.Block{{ID: 1, Tokens: 2000, System: true}, {ID: 2, Tokens: 100}}})
		c := promptcost.Call{Keep: 2}
		for i := range test.more {
			c.Blocks = append(c.Blocks, promptcost.Block{ID: uint64(10 + i), Tokens: 5, Positions: test.positions})
		}
		if got := s.Add(c); got.FiveMinutes.Read != test.want || got.FiveMinutes.Tokens() != 2100+5*test.more {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

func TestMinimum(t *testing.T) {
	prompt := func(tokens int) promptcost.Call {
		return promptcost.Call{Blocks: []promptcost.Block{{ID: 1, Tokens: 500, System: true}, {ID: 2, Tokens: tokens - 500}}}
	}
	for _, test := range []struct {
		minimum, tokens int
		want            promptcost.Cost // of the second of two equal calls
	}{
		{0, 1023, promptcost.Cost{Uncached: 1023, Equivalents: 1023}},
		{0, 1024, promptcost.Cost{Read: 1024, Equivalents: 102.4}},
		{4096, 1024, promptcost.Cost{Uncached: 1024, Equivalents: 1024}},
		{512, 600, promptcost.Cost{Read: 600, Equivalents: 60}},
		{-1, 501, promptcost.Cost{Read: 501, Equivalents: 50.1}},
	} {
		s := promptcost.Model{Minimum: test.minimum}.NewSession()
		s.Add(prompt(test.tokens))
		if got := s.Add(prompt(test.tokens)); !same(got.FiveMinutes, test.want) {
			t.Errorf("%d of %d: %+v", test.tokens, test.minimum, got)
		}
	}
	for name, want := range map[string]int{
		"claude-sonnet-4-6": 1024, "anthropic/claude-opus-4.6": 4096, "claude-opus-4-7": 2048, "claude-opus-5": 512,
		"claude-haiku-4-5-20251001": 4096, "claude-opus-4-1": 1024, "gpt-5": 1024, "claude-3-5-haiku-20241022": 2048,
	} {
		if got := promptcost.MinimumFor(name); got != want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestRates(t *testing.T) {
	if got := promptcost.RatesOf(models.Price{Input: 4, Output: 20, CacheRead: 0.2, CacheWrite: 5}); got != (promptcost.Rates{Write5m: 1.25, Write1h: 2, Read: 0.05}) {
		t.Errorf("%+v", got)
	}
	if got := promptcost.RatesOf(models.Price{Input: 2, CacheRead: 0.5}); got != (promptcost.Rates{Write5m: 1, Write1h: 1, Read: 0.25}) {
		t.Errorf("a provider without a price for writing: %+v", got)
	}
	if got := promptcost.RatesOf(models.Price{CacheRead: 1}); got != promptcost.StandardRates() {
		t.Errorf("%+v", got)
	}
	m := promptcost.Model{Rates: promptcost.Rates{Write5m: 1, Write1h: 3, Read: 0.5}}
	s := m.NewSession()
	s.Add(promptcost.Call{Blocks: []promptcost.Block{{ID: 1, Tokens: 2000}}})
	got := s.Add(promptcost.Call{Keep: 1, Blocks: []promptcost.Block{{ID: 2, Tokens: 100}}})
	if got.FiveMinutes.Equivalents != 1100 || got.OneHour.Equivalents != 1300 {
		t.Errorf("%+v", got)
	}
}

func ExampleSession() {
	s := promptcost.Model{Minimum: promptcost.MinimumFor("claude-sonnet-4-6")}.NewSession()
	s.Add(promptcost.Call{Blocks: []promptcost.Block{{ID: 1, Tokens: 4000, System: true}, {ID: 2, Tokens: 1000}}, Output: 200})
	s.Add(promptcost.Call{Keep: 2, Blocks: []promptcost.Block{{ID: 3, Tokens: 200}, {ID: 4, Tokens: 800}}, Output: 100})
	total := s.Total()
	fmt.Printf("%d tokens, %d read; saved %.1f %%\n", total.Prompt, total.FiveMinutes.Read, 100*total.Saved(promptcost.FiveMinutes))
	// Output: 11000 tokens, 5000 read; saved 27.3 %
}

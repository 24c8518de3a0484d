package compress_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/compresstest"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// shape spells the roles of an output: S for a message that is the summary, U+ / +U for one it was joined to.
func shape(c *formats.Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages {
		letter := map[formats.Role]string{
			formats.RoleSystem: "s", formats.RoleUser: "u", formats.RoleAssistant: "a", formats.RoleTool: "t", formats.RoleOther: "o",
		}[m.Role]
		text, l, ok := compresstest.Locate(m)
		if ok {
			switch own := len(text) - (l.End - l.Start); {
			case own == 0 && len(m.Parts) == 1:
				letter = "[" + letter + "]"
			case own == 0:
				letter += "[S]"
			case l.Start == 0:
				letter = "[S]" + letter
			default:
				letter += "[S]"
			}
		}
		b.WriteString(letter)
	}
	return b.String()
}

// The worked examples of compaction.md, section 10.
func TestWorkedExamples(t *testing.T) {
	r := strings.Repeat
	o := compress.Options{ContextLength: 4000, ProtectFirst: 3, ProtectLast: 20, TargetRatio: 0.1}
	tests := []struct{ name, spec, want string }{
		{"the documentation's 45 messages: the head retreats to the user message", "su" + r("1", 21) + "a", "su[S]" + r("at", 10) + "a"},
		{"one user message followed by 200 rounds", "su" + r("1", 200), "su[S]" + r("at", 10)},
		{"the last human message is re-stated", "su" + r("1", 50) + "u" + r("1", 100), "suat[a]u" + r("at", 10)},
		{"assistant and assistant: a user message of its own", "suaaa" + r("ua", 6) + r("1", 12), "sua[S]u" + r("at", 10)},
		{"assistant and user: merged in front", "sua" + r("ua", 30), "sua[S]u" + "a" + r("ua", 9)},
		{"no head: a user message of its own", r("a", 40), "aaa[u]" + r("a", 20)},
		{"parts: the summary joins the list", "sp" + r("1", 60), "su[S]" + r("at", 10)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := compaction(t, o, spell(tt.spec, 100))
			if err := c.Check(); err != nil {
				t.Error(err)
			}
			if got := shape(c.After); got != tt.want {
				t.Errorf("%s became %s (%s), want %s", tt.spec, got, c.Result.Status, tt.want)
			}
			again := compaction(t, o, c.Out)
			if string(again.Out) != string(c.Out) {
				t.Errorf("compacting again changes it: %s", shape(again.After))
			}
		})
	}
}

func TestGuards(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		o          compress.Options
		want       compress.Status
	}{
		{"24 short messages at the defaults", "su" + strings.Repeat("1", 11), compress.Options{}, compress.Untouched},
		{"empty list", "", compress.Options{ContextLength: 2}, compress.NothingToDo},
		{"only a system message", "s", compress.Options{ContextLength: 10}, compress.NothingToDo},
		{"system and user", "su", compress.Options{ContextLength: 10, ProtectFirst: 3}, compress.NothingToDo},
		{"disabled", "su" + strings.Repeat("1", 50), compress.Options{ContextLength: 100, Disabled: true}, compress.Untouched},
		{"everything fits the tail", "su" + strings.Repeat("1", 8), compress.Options{ContextLength: 100, ProtectFirst: 3, ProtectLast: 20}, compress.NothingToDo},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := compaction(t, tt.o, spell(tt.spec, 60))
			if c.Result.Status != tt.want {
				t.Errorf("status %s, want %s", c.Result.Status, tt.want)
			}
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Exactly the threshold fires, one token less does not.
func TestTrigger(t *testing.T) {
	record := spell("su"+strings.Repeat("1", 20), 200)
	n := compaction(t, compress.Options{}, record).Result.Before.Tokens
	for _, tt := range []struct {
		threshold int
		fires     bool
	}{{n + 1, false}, {n, true}, {n - 1, true}} {
		c := compaction(t, compress.Options{Threshold: float64(tt.threshold), ProtectLast: 4}, record)
		if fired := c.Result.Status != compress.Untouched; fired != tt.fires {
			t.Errorf("%d tokens, threshold %d: status %s", n, tt.threshold, c.Result.Status)
		}
	}
	// A window to fit fires above it, and is satisfied at it.
	for _, tt := range []struct {
		window int
		fires  bool
	}{{n, false}, {n - 1, true}} {
		c := compaction(t, compress.Options{Strategy: compress.Fit, Window: tt.window, ProtectLast: 4}, record)
		if fired := c.Result.Status != compress.Untouched; fired != tt.fires {
			t.Errorf("%d tokens, window %d: status %s", n, tt.window, c.Result.Status)
		}
	}
}

// Two human messages that an earlier summary parted do not become neighbours when the new summary goes elsewhere.
func TestPartedTurns(t *testing.T) {
	earlier := `{"role":"assistant","content":"[CONTEXT COMPACTION] Earlier turns were compacted into the summary below.\n\n## Goal\n- x\n\n--- END OF CONTEXT SUMMARY ---"}`
	record := string(spell("suu"+strings.Repeat("1", 60), 100))
	second := strings.Index(record, `{"role":"user"`) // of the first one
	second += 1 + strings.Index(record[second+1:], `{"role":"user"`)
	record = record[:second] + earlier + "," + record[second:]
	c := compaction(t, compress.Options{ContextLength: 4000, ProtectFirst: 3, TargetRatio: 0.1}, []byte(record))
	if c.Result.Status != compress.Summarized {
		t.Fatalf("%s %s", c.Result.Status, c.Result.Reason)
	}
	if got := shape(c.After); strings.HasPrefix(got, "suu") {
		t.Error(got)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

type broken struct{ err error }

func (broken) Name() string { return "broken" }
func (b broken) Summarize(context.Context, summarize.Request) (summarize.Prose, error) {
	return summarize.Prose{Text: "[Summary generation failed]"}, b.err
}

// A failed summary, and one that is none, leave the record as it is.
func TestFailClosed(t *testing.T) {
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		err  error
	}{{"error", errors.New("HTTP 500")}, {"no summary", nil}} {
		for _, o := range []compress.Options{
			{ContextLength: 4000, ProtectLast: 4, ProtectFirst: 3},
			{Strategy: compress.Fit, Window: 3000, ProtectLast: 4, ProtectFirst: 3, Prune: compress.PruneOff},
		} {
			engine, err := compress.NewCompressor(o, &compress.Meter{Counter: counter}, broken{tt.err})
			if err != nil {
				t.Fatal(err)
			}
			res, err := engine.Compact(context.Background(), decode(t, spell("su"+strings.Repeat("1", 40), 200)), 0)
			if err != nil || res.Status != compress.Failed || !strings.HasPrefix(res.Code, "summary") || res.Messages != nil || res.Reason == "" {
				t.Errorf("%s, %s: %+v, %v", tt.name, o.Strategy, res.Status, err)
			}
			if !res.OverLimit || res.After.Tokens != res.Before.Tokens {
				t.Errorf("%s: a failed record says it became smaller", tt.name)
			}
		}
	}
}

func TestCancelledIsNotFailed(t *testing.T) {
	counter, _ := tokens.New("rough")
	cause := errors.New("stopped by hand")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	engine, err := compress.NewCompressor(compress.Options{ContextLength: 4000, ProtectLast: 4}, &compress.Meter{Counter: counter}, broken{context.Canceled})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Compact(ctx, decode(t, spell("su"+strings.Repeat("1", 40), 200)), 0); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// More results without a call than with one: the dialect was misread.
func TestMisreadPairing(t *testing.T) {
	c := compaction(t, compress.Options{ContextLength: 1000, ProtectLast: 2}, spell("su"+strings.Repeat("x", 5)+strings.Repeat("1", 4), 100))
	if c.Result.Status != compress.Failed || c.Result.Code != "pairing" {
		t.Errorf("%s %s %s", c.Result.Status, c.Result.Code, c.Result.Reason)
	}
}

// A hash that occurs only in an old 4 KB tool output reaches the summariser.
func TestNeedleReachesTheSummariser(t *testing.T) {
	const needle = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
	record := []byte(strings.Replace(string(spell("su"+strings.Repeat("1", 40), 800)), "w5 w5 w5", "commit "+needle, 1))
	found := false
	counter, _ := tokens.New("rough")
	look := lookFor(func(r summarize.Request) {
		for _, m := range r.Messages() {
			for _, res := range m.Results() {
				found = found || strings.Contains(res.Text, needle)
			}
		}
	})
	engine, err := compress.NewCompressor(compress.Options{ContextLength: 8000, ProtectLast: 4, ProtectFirst: 3}, &compress.Meter{Counter: counter}, look)
	if err != nil {
		t.Fatal(err)
	}
	res, err := engine.Compact(context.Background(), decode(t, record), 0)
	if err != nil || res.Status != compress.Summarized {
		t.Fatalf("%s %s %v", res.Status, res.Reason, err)
	}
	if !found {
		t.Error("the summariser saw pruned text")
	}
}

type lookFor func(summarize.Request)

func (lookFor) Name() string { return "look" }
func (f lookFor) Summarize(_ context.Context, r summarize.Request) (summarize.Prose, error) {
	f(r)
	return summarize.Prose{Text: summarize.JoinSections(nil)}, nil
}

// Strategy fit stops at the first step that fits.
func TestFitSteps(t *testing.T) {
	long := spell("su"+strings.Repeat("1", 30), 400)
	base := compress.Options{Strategy: compress.Fit, ProtectFirst: 3, ProtectLast: 4}
	for _, tt := range []struct {
		name   string
		window int
		change func(*compress.Options)
		status compress.Status
		over   bool
		demote bool
	}{
		{"ample", 100_000, nil, compress.Untouched, false, false},
		{"pruning is enough", 6000, nil, compress.Pruned, false, false},
		{"a summary is needed", 6000, func(o *compress.Options) { o.Prune = compress.PruneOff }, compress.Summarized, false, false},
		{"the tail must give", 1500, nil, compress.Summarized, false, true},
		{"nothing fits", 100, nil, compress.Summarized, true, true},
		{"nothing fits and the tail is kept", 100, func(o *compress.Options) { o.TailOverflow = compress.OverflowKeep }, compress.Summarized, true, false},
		{"no summary", 100, func(o *compress.Options) { o.NoSummary = true }, compress.Pruned, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := base
			o.Window = tt.window
			if tt.change != nil {
				tt.change(&o)
			}
			c := compaction(t, o, long)
			if err := c.Check(); err != nil {
				t.Error(err)
			}
			demoted := 0
			for _, a := range c.Result.Actions {
				if a.Kind == compress.ActionDemote {
					demoted++
				}
			}
			if c.Result.Status != tt.status || c.Result.OverLimit != tt.over || demoted > 0 != tt.demote {
				t.Errorf("status %s, over %v, %d demoted, %d -> %d tokens; want %s, %v, %v",
					c.Result.Status, c.Result.OverLimit, demoted, c.Result.Before.Tokens, c.Result.After.Tokens, tt.status, tt.over, tt.demote)
			}
			if !tt.over && c.Result.After.Tokens > tt.window {
				t.Errorf("%d tokens do not fit %d", c.Result.After.Tokens, tt.window)
			}
		})
	}
}

// The fewest oldest atoms give way: what a larger window leaves in place, a smaller one summarises.
func TestFitTakesTheFewest(t *testing.T) {
	long := spell("su"+strings.Repeat("1", 60), 400)
	last := 0
	for _, window := range []int{16_000, 12_000, 8_000, 5_000} {
		c := compaction(t, compress.Options{Strategy: compress.Fit, Window: window, ProtectFirst: 3, ProtectLast: 4, Prune: compress.PruneOff}, long)
		if c.Result.Summary == nil || c.Result.OverLimit {
			t.Fatalf("window %d: %s", window, c.Result.Status)
		}
		if c.Result.Summary.To <= last {
			t.Errorf("window %d summarises up to %d, a larger one up to %d", window, c.Result.Summary.To, last)
		}
		last = c.Result.Summary.To
	}
}

// Numbers are carried on: the second summary speaks of the first original's messages.
func TestNumbersCarryOn(t *testing.T) {
	o := compress.Options{ContextLength: 4000, ProtectFirst: 3, ProtectLast: 6, TargetRatio: 0.1}
	first := compaction(t, o, spell("su"+strings.Repeat("1", 40)+"u"+strings.Repeat("1", 20), 100))
	if first.Result.Summary == nil {
		t.Fatal(first.Result.Status)
	}
	// Ten more rounds arrive behind the compacted conversation.
	more := decode(t, spell(strings.Repeat("1", 30), 100)).Messages
	var extra []string
	for _, m := range more {
		extra = append(extra, strings.ReplaceAll(string(m.Bytes()), `id":"c`, `id":"later-c`))
	}
	grown := strings.Replace(string(first.Out), `],"rest"`, ", "+strings.Join(extra, ", ")+`],"rest"`, 1)
	second := compaction(t, o, []byte(grown))
	if err := second.Check(); err != nil {
		t.Error(err)
	}
	s := second.Result.Summary
	if s == nil || s.From != first.Result.Summary.From {
		t.Fatalf("second summary: %+v, first %+v", s, first.Result.Summary)
	}
	// 2 + 80 + 1 + 40 messages in the original, 60 more, the last six stay.
	if want := 2 + 80 + 1 + 40 + 60 - 6 - 1; s.To != want {
		t.Errorf("the second summary covers %d–%d, want it to end at %d", s.From, s.To, want)
	}
	if got := strings.Count(string(second.Out), summarize.Marker[:20]); got != 1 {
		t.Errorf("%d summaries", got)
	}
	// The re-stated message of the first run is still there, verbatim.
	if !strings.Contains(fmt.Sprint(shape(second.After)), "u") {
		t.Error(shape(second.After))
	}
}

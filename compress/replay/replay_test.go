package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/compresstest"
	"github.com/ctxpack/ctxpack/compress/promptcost"
	"github.com/ctxpack/ctxpack/compress/replay"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
	"pgregory.net/rapid"
)

func rough(t testing.TB) *compress.Meter {
	t.Helper()
	c, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	return &compress.Meter{Counter: c}
}

func newReplay(t testing.TB, o compress.Options, s summarize.Summarizer) replay.Replay {
	t.Helper()
	if s == nil {
		s = extractive.Summarizer{}
	}
	meter := rough(t)
	engine, err := compress.NewCompressor(o, meter, s)
	if err != nil {
		t.Fatal(err)
	}
	return replay.Replay{Runner: compress.Runner{Engine: engine, Meter: meter}, Rough: rough(t)}
}

func decode(t testing.TB, raw []byte) *formats.Conversation {
	t.Helper()
	c, err := formats.DecodeAs(formats.Record{Raw: raw}, formats.OpenAI{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func run(t testing.TB, r replay.Replay, c *formats.Conversation, length int) replay.Outcome {
	t.Helper()
	out, err := r.Run(t.Context(), c, compress.SessionInfo{ID: "x", ContextLength: length})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// said spells a message of so many tokens, as rough counts them: 4 for the message, 4 letters each.
func said(role string, tokens int) string {
	return fmt.Sprintf(`{"role":%q,"content":%q}`, role, strings.Repeat("word", tokens-4))
}

// rounds spells n calls of a tool with results of so many tokens. The texts differ.
func rounds(n, tokens int) []string {
	var list []string
	for i := range n {
		list = append(list,
			fmt.Sprintf(`{"role":"assistant","content":"I read file %d now.","tool_calls":[{"id":"c%d","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"src/part%d.go\"}"}}]}`, i, i, i),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, strings.Repeat(fmt.Sprintf("line %d of it. ", i), tokens/4)))
	}
	return list
}

func record(messages ...string) []byte {
	return []byte(`{"id":"r1","messages":[` + strings.Join(messages, ",") + `]}`)
}

// check holds an outcome against the record: every message of it is new in exactly one segment, and what the timeline
// says of each call is what a reader of the segments counts.
func check(t testing.TB, raw []byte, out replay.Outcome) {
	t.Helper()
	c, meter := decode(t, raw), rough(t)
	at := 0
	for i, s := range out.Segments {
		if s.Start != at || s.End <= s.Start && len(c.Messages) > 0 {
			t.Fatalf("segment %d has [%d, %d), %d comes next", i, s.Start, s.End, at)
		}
		at = s.End
		got := decode(t, s.Record)
		if len(got.Messages) != s.Messages {
			t.Fatalf("segment %d: %d messages, %d are said", i, len(got.Messages), s.Messages)
		}
		fresh := got.Messages[s.Messages-(s.End-s.Start):]
		for k, m := range fresh {
			if want := c.Messages[s.Start+k]; !bytes.Equal(m.Bytes(), want.Bytes()) {
				t.Fatalf("segment %d: message %d is\n%s\nnot\n%s", i, s.Start+k, m.Bytes(), want.Bytes())
			}
		}
	}
	if at != len(c.Messages) {
		t.Fatalf("%d of %d messages are in a segment", at, len(c.Messages))
	}
	var prompt, uncompacted int64
	for _, turn := range out.Timeline.Turns {
		s := out.Segments[turn.Segment-1]
		segment := decode(t, s.Record)
		inWindow := s.Messages - (s.End - turn.Message)
		got := meter.Conversation(segment.With(segment.Messages[:inWindow]))
		whole := meter.Conversation(c.With(c.Messages[:turn.Message]))
		if turn.Prompt != got || turn.Original != whole {
			t.Fatalf("call at message %d: %d of %d tokens, recounted %d of %d", turn.Message, turn.Prompt, turn.Original, got, whole)
		}
		prompt, uncompacted = prompt+int64(got), uncompacted+int64(whole)
	}
	caching := out.Timeline.Totals.Caching
	for _, a := range []promptcost.Account{caching.Compacted, caching.Uncompacted} {
		if a.Calls != len(out.Timeline.Turns) || a.FiveMinutes.Tokens() != a.Prompt || a.OneHour.Tokens() != a.Prompt {
			t.Fatalf("the account does not add up: %+v", a)
		}
	}
	if int64(caching.Compacted.Prompt) != prompt || int64(caching.Uncompacted.Prompt) != uncompacted {
		t.Fatalf("%d and %d tokens are accounted for, not %d and %d", caching.Compacted.Prompt, caching.Uncompacted.Prompt, prompt, uncompacted)
	}
	if sum := out.Timeline.Totals; sum.Prompt != prompt || sum.Uncompacted != uncompacted || sum.Calls != len(out.Timeline.Turns) {
		t.Fatalf("totals %+v, recounted %d and %d", sum, prompt, uncompacted)
	}
}

// A window of 200,000 tokens at 50 % compacts before the first call whose prompt has 100,000, and not one token earlier.
func TestThresholdIsExact(t *testing.T) {
	// 3 for the conversation, then system 100, and pairs of 1,000 each
	for _, tt := range []struct{ last, compactions int }{{99_999, 0}, {100_000, 1}} {
		list := []string{said("system", 100)}
		sum := 3 + 100
		for sum+2000 < 99_000 {
			list = append(list, said("user", 1000), said("assistant", 1000))
			sum += 2000
		}
		list = append(list, said("user", tt.last-sum), said("assistant", 50))
		raw := record(list...)
		out := run(t, newReplay(t, compress.Options{}, nil), decode(t, raw), 200_000)
		check(t, raw, out)
		if got := out.Timeline.Totals.Compactions; got != tt.compactions {
			t.Errorf("a prompt of %d tokens: %d compactions, not %d", tt.last, got, tt.compactions)
		}
		if tt.compactions == 1 {
			e := out.Timeline.Events[0]
			if e.Layer != replay.LayerEngine || e.Tokens != 100_000 || e.Limit != 100_000 || e.Message != len(list)-1 {
				t.Errorf("event %+v", e)
			}
		}
	}
}

func TestHygiene(t *testing.T) {
	talk := func(last int) []string { // 903 tokens before the last user message
		return []string{said("system", 100), said("user", 400), said("assistant", 400), said("user", last), said("assistant", 50)}
	}
	for _, tt := range []struct {
		name     string
		messages []string
		fires    bool
	}{
		{"behind a user message at 85 %", talk(8500 - 903), true},
		{"one token less", talk(8499 - 903), false},
		{"fewer than 4 messages", []string{said("user", 8800), said("assistant", 50)}, false},
		{"behind a tool's result", append(append([]string{said("system", 100), said("user", 100)}, rounds(9, 1000)...), said("assistant", 50)), false},
	} {
		raw := record(tt.messages...)
		o := compress.Options{Threshold: 1, ProtectLast: 1, TargetRatio: 0.1}
		out := run(t, newReplay(t, o, nil), decode(t, raw), 10_000)
		fired := false
		for _, e := range out.Timeline.Events {
			fired = fired || e.Layer == replay.LayerHygiene
		}
		if fired != tt.fires {
			t.Errorf("%s: fired %v: %+v", tt.name, fired, out.Timeline.Events)
		}
		check(t, raw, out)
	}
}

// A long transcript is compacted several times; each window has one summary, which is the last one updated.
func TestSummaryIsUpdated(t *testing.T) {
	raw := record(append([]string{said("system", 50), `{"role":"user","content":"Read all parts of src and list what they say."}`}, rounds(120, 400)...)...)
	out := run(t, newReplay(t, compress.Options{ProtectLast: 6}, nil), decode(t, raw), 20_000)
	check(t, raw, out)
	if n := out.Timeline.Totals.Compactions; n < 4 {
		t.Fatalf("%d compactions", n)
	}
	if out.Status != compress.Summarized || len(out.Segments) != out.Timeline.Totals.Compactions+1 {
		t.Fatalf("%s, %d segments", out.Status, len(out.Segments))
	}
	to := 0
	for i, s := range out.Segments[1:] {
		n := 0
		for _, m := range decode(t, s.Record).Messages {
			text, at, ok := compresstest.Locate(m)
			if !ok {
				continue
			}
			n++
			body := text[at.Start:at.End]
			if strings.Count(body, "[CONTEXT COMPACTION]") != 1 {
				t.Errorf("segment %d: a summary in the summary", i+2)
			}
			if p := summarize.Parse(at.Body); p.From != 2 && p.From != 1 || p.To <= to {
				t.Errorf("segment %d: the summary covers %d–%d, the one before ended at %d", i+2, p.From, p.To, to)
			} else {
				to = p.To
			}
		}
		if n != 1 {
			t.Errorf("segment %d: %d summaries", i+2, n)
		}
	}
}

// What the provider counted decides, where the transcript has it.
func TestReportedUsage(t *testing.T) {
	answer := func(prompt int) string {
		return fmt.Sprintf(`{"role":"assistant","content":"Done.","usage":{"prompt_tokens":%d,"completion_tokens":10}}`, prompt)
	}
	list := []string{said("system", 50)}
	for i := range 30 {
		list = append(list, said("user", 50), answer(1000+i*300))
	}
	raw := record(list...)
	r := newReplay(t, compress.Options{ProtectLast: 4}, nil)
	out := run(t, r, decode(t, raw), 10_000)
	check(t, raw, out)
	if out.Timeline.Usage != "reported" || len(out.Timeline.Events) == 0 {
		t.Fatalf("%s, %v", out.Timeline.Usage, out.Timeline.Events)
	}
	// 1000 + 300 i + 10 reaches 5,000 with i = 14: the call after it is the 16th
	if e := out.Timeline.Events[0]; e.Tokens != 5210 || e.Turn != 15 {
		t.Errorf("%+v", e)
	}

	// the agent compacted by itself: from there on its counts are not ours
	list[41] = strings.Replace(list[41], "word", "word", 1)
	list[42] = answer(900)
	out = run(t, r, decode(t, record(list...)), 1_000_000)
	if out.Timeline.Usage != "reported until message 42" {
		t.Errorf("%s", out.Timeline.Usage)
	}
}

func TestPressure(t *testing.T) {
	raw := record(append([]string{said("user", 100)}, rounds(12, 400)...)...)
	r := newReplay(t, compress.Options{}, nil)
	if out := run(t, r, decode(t, raw), 10_000); len(out.Timeline.Events) != 0 {
		t.Fatalf("%+v", out.Timeline.Events)
	}
	r.Pressure = true
	out := run(t, r, decode(t, raw), 10_000)
	if len(out.Timeline.Events) != 1 || out.Timeline.Events[0].Layer != replay.LayerPressure || out.Timeline.Events[0].Limit != 4250 {
		t.Errorf("%+v", out.Timeline.Events)
	}
}

type failing struct{ after *int }

func (failing) Name() string { return "failing" }

func (f failing) Summarize(ctx context.Context, req summarize.Request) (summarize.Prose, error) {
	if *f.after--; *f.after < 0 {
		return summarize.Prose{}, errors.New("no answer")
	}
	return extractive.Summarizer{}.Summarize(ctx, req)
}

// A compaction that fails leaves the whole record as it came, even when earlier ones succeeded.
func TestFailureIsOneSegment(t *testing.T) {
	raw := record(append([]string{said("user", 100)}, rounds(120, 400)...)...)
	for _, good := range []int{0, 1, 2} {
		out := run(t, newReplay(t, compress.Options{ProtectLast: 6}, failing{&good}), decode(t, raw), 20_000)
		if out.Status != compress.Failed || out.Code != "summary" || !strings.Contains(out.Reason, "no answer") {
			t.Fatalf("%s %s %s", out.Status, out.Code, out.Reason)
		}
		if len(out.Segments) != 1 || !bytes.Equal(out.Segments[0].Record, raw) {
			t.Errorf("%d segments", len(out.Segments))
		}
	}
}

// scripted is an engine that compacts from a threshold on, in a way that is given for each time.
type scripted struct {
	compact []func(list []*formats.Message) (compress.Result, error)
	ended   *int
}

func (scripted) Name() string { return "scripted" }

func (e scripted) NewSession(context.Context, compress.SessionInfo) (compress.Session, error) {
	return &scriptedSession{scripted: e}, nil
}

type scriptedSession struct {
	scripted
	n int
}

func (*scriptedSession) UpdateFromResponse(context.Context, compress.Usage) error { return nil }

func (*scriptedSession) ShouldCompress(_ context.Context, tokens int) (bool, error) {
	return tokens >= 1000, nil
}

func (s *scriptedSession) Compress(_ context.Context, r compress.Request) (compress.Result, error) {
	i := min(s.n, len(s.compact)-1)
	s.n++
	return s.compact[i](r.Conversation.Messages)
}

func (*scriptedSession) State() compress.State {
	return compress.State{Threshold: 1000, ContextLength: 2000}
}

func (s *scriptedSession) End(context.Context) error {
	*s.ended++
	return nil
}

// A record that was summarised is one that was summarised, whatever its last compaction did.
func TestStatusOfSeveralCompactions(t *testing.T) {
	shorter := func(status compress.Status) func([]*formats.Message) (compress.Result, error) {
		return func(list []*formats.Message) (compress.Result, error) {
			return compress.Result{Status: status, Messages: list[len(list)-1:]}, nil
		}
	}
	raw := record(append([]string{said("user", 100)}, rounds(12, 400)...)...)
	for _, test := range []struct {
		first, then, want compress.Status
	}{
		{compress.Summarized, compress.Pruned, compress.Summarized},
		{compress.Pruned, compress.Summarized, compress.Summarized},
		{compress.Pruned, compress.Pruned, compress.Pruned},
	} {
		ended, meter := 0, rough(t)
		e := scripted{[]func([]*formats.Message) (compress.Result, error){shorter(test.first), shorter(test.then)}, &ended}
		out := run(t, replay.Replay{Runner: compress.Runner{Engine: e, Meter: meter}, Rough: meter}, decode(t, raw), 2000)
		if out.Status != test.want || out.Timeline.Totals.Compactions < 2 || ended != 1 {
			t.Errorf("%s, then %s: %s after %d compactions, ended %d times", test.first, test.then, out.Status, out.Timeline.Totals.Compactions, ended)
		}
	}
}

// A session is ended whatever happens: others may wait for what it holds.
func TestPanicEndsTheSession(t *testing.T) {
	ended, meter := 0, rough(t)
	e := scripted{[]func([]*formats.Message) (compress.Result, error){func([]*formats.Message) (compress.Result, error) { panic("oops") }}, &ended}
	r := replay.Replay{Runner: compress.Runner{Engine: e, Meter: meter}, Rough: meter}
	raw := record(append([]string{said("user", 100)}, rounds(12, 400)...)...)
	func() {
		defer func() { _ = recover() }()
		_, _ = r.Run(t.Context(), decode(t, raw), compress.SessionInfo{ID: "x", ContextLength: 2000})
		t.Error("no panic")
	}()
	if ended != 1 {
		t.Errorf("ended %d times", ended)
	}
}

func TestNothingToReplay(t *testing.T) {
	for _, raw := range []string{`{"messages":[]}`, `{"messages":[{"role":"system","content":"x"}]}`, `{"messages":[{"role":"assistant","content":"x"}]}`} {
		out := run(t, newReplay(t, compress.Options{}, nil), decode(t, []byte(raw)), 1000)
		if len(out.Segments) != 1 || string(out.Segments[0].Record) != raw {
			t.Errorf("%s: %+v", raw, out.Segments)
		}
	}
}

// Any conversation: the segments cover it, the timeline is what they say, and the same comes out again.
func TestAnyConversation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var list []string
		n := rapid.IntRange(0, 40).Draw(rt, "messages")
		for i := range n {
			size := rapid.IntRange(5, 400).Draw(rt, "size")
			switch rapid.IntRange(0, 5).Draw(rt, "kind") {
			case 0:
				list = append(list, said("user", size))
			case 1:
				list = append(list, said("assistant", size))
			case 2:
				list = append(list, said([]string{"system", "user"}[min(i, 1)], size))
			case 3:
				list = append(list, fmt.Sprintf(`{"role":"tool","tool_call_id":"lost","content":"%d"}`, i))
			default:
				list = append(list, rounds(rapid.IntRange(1, 3).Draw(rt, "rounds"), size)...)
			}
		}
		raw := record(list...)
		o := compress.Options{ProtectLast: rapid.IntRange(1, 5).Draw(rt, "last"), Threshold: rapid.SampledFrom([]float64{0.3, 0.5, 1}).Draw(rt, "threshold")}
		r := newReplay(t, o, nil)
		length := rapid.IntRange(200, 6000).Draw(rt, "length")
		out := run(t, r, decode(t, raw), length)
		if out.Status == compress.Failed {
			if len(out.Segments) != 1 || !bytes.Equal(out.Segments[0].Record, raw) {
				rt.Fatalf("failed with %d segments", len(out.Segments))
			}
			return
		}
		check(t, raw, out)
		again := run(t, r, decode(t, raw), length)
		a, _ := json.Marshal(out)
		b, _ := json.Marshal(again)
		if !bytes.Equal(a, b) {
			rt.Fatal("another run, another outcome")
		}
	})
}

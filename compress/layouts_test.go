package compress_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/compresstest"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// dialects is what the tests decode with.
var dialects = []formats.Dialect{formats.OpenAI{}, formats.Hermes{}, formats.ShareGPT{}}

// recorder is a summariser that writes the shortest valid prose and remembers what it was given.
type recorder struct{ seen map[int]bool }

func (*recorder) Name() string { return "recorder" }

func (r *recorder) Summarize(_ context.Context, req summarize.Request) (summarize.Prose, error) {
	for _, m := range req.Messages() {
		r.seen[m.Number] = true
	}
	if req.Restated != nil {
		r.seen[req.Restated.Number] = true
	}
	return summarize.Prose{Text: summarize.JoinSections(nil)}, nil
}

// compaction runs one record through decode, engine and encode.
func compaction(t *testing.T, o compress.Options, record []byte) compresstest.Case {
	t.Helper()
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	return compactWith(t, o, &compress.Meter{Counter: counter}, &recorder{seen: map[int]bool{}}, record)
}

func compactWith(t *testing.T, o compress.Options, m *compress.Meter, s *recorder, record []byte) compresstest.Case {
	t.Helper()
	engine, err := compress.NewCompressor(o, m, s)
	if err != nil {
		t.Fatal(err)
	}
	conv := decode(t, record)
	res, err := engine.Compact(context.Background(), conv, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := record
	if res.Status.Changed() {
		out = conv.With(res.Messages).Bytes()
	}
	return compresstest.Case{
		In: record, Out: out, Before: decode(t, record), After: decode(t, out), Result: res, Seen: s.seen,
		Forced: o.SummaryRole != "",
	}
}

func decode(t *testing.T, record []byte) *formats.Conversation {
	t.Helper()
	c, err := formats.Decode(formats.Record{Raw: record}, dialects)
	if err != nil {
		t.Fatalf("%v\n%s", err, record)
	}
	return c
}

// spell writes the layout as an OpenAI record: s system, u user, a assistant, o unknown role, a digit an assistant
// message with so many calls and their results, i one whose results come after a user's interruption, x an orphan
// result, r a file that is read again, m a call without a result, e calls and results with empty ids, d two calls with one id, p a message with parts.
func spell(spec string, size int) []byte {
	var list []string
	id := 0
	say := func(role, content string) {
		list = append(list, fmt.Sprintf(`{"role":%q,"content":%s}`, role, content))
	}
	text := func(what string) string {
		return fmt.Sprintf("%q", fmt.Sprintf("%s %d %s", what, len(list), strings.Repeat(fmt.Sprintf("w%d ", len(list)), size)))
	}
	call := func(ids ...string) {
		var calls []string
		for _, id := range ids {
			calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"src/f%d.go\"}"}}`, id, len(list)))
		}
		list = append(list, fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[%s]}`, strings.Join(calls, ",")))
	}
	result := func(id string) {
		list = append(list, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%s}`, id, text("output")))
	}
	again := func() { // the same file read again, the same output
		id++
		list = append(list, fmt.Sprintf(`{"role":"assistant","content":"","tool_calls":[{"id":"r%d","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"same.go\"}"}}]}`, id),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"r%d","content":%q}`, id, strings.Repeat("the same text again ", 1+size/4)))
	}
	next := func() string { id++; return fmt.Sprintf("c%d", id) }
	for _, c := range spec {
		switch {
		case c == 's':
			say("system", text("rules"))
		case c == 'u':
			say("user", text("please"))
		case c == 'a':
			say("assistant", text("done"))
		case c == 'o':
			say("critic", text("hm"))
		case c == 'p':
			say("user", fmt.Sprintf(`[{"type":"text","text":%s},{"type":"image_url","image_url":{"url":"data:x"}}]`, text("look")))
		case c >= '1' && c <= '3':
			var ids []string
			for range int(c - '0') {
				ids = append(ids, next())
			}
			call(ids...)
			for _, id := range ids {
				result(id)
			}
		case c == 'i':
			id := next()
			call(id)
			say("user", text("stop"))
			result(id)
		case c == 'x':
			result("nobody")
		case c == 'r':
			again()
		case c == 'm':
			call(next(), next())
			result(fmt.Sprintf("c%d", id))
		case c == 'e':
			call("", "")
			result("")
			result("")
		case c == 'd':
			call("same", "same")
			result("same")
			result("same")
		}
	}
	return []byte(`{"id":"` + spec + `","messages":[` + strings.Join(list, ", ") + `],"rest":1.10}`)
}

// settings under which every layout is compacted. Windows are small, so that compaction fires on nearly every layout.
var settings = map[string]compress.Options{
	"full":       {ContextLength: 3000, Threshold: 0.5, ProtectFirst: 3, ProtectLast: 2},
	"bare":       {ContextLength: 1500, Threshold: 0.5, ProtectLast: 1, TargetRatio: 0.1, Prune: compress.PruneOff},
	"demote":     {ContextLength: 1500, Threshold: 0.5, ProtectFirst: 3, ProtectLast: 4, TailOverflow: compress.OverflowDemote},
	"fit":        {Strategy: compress.Fit, Window: 2000, ProtectFirst: 2, ProtectLast: 2},
	"fit small":  {Strategy: compress.Fit, Window: 700, ProtectFirst: 2, ProtectLast: 2, Prune: compress.PrunePlaceholder},
	"prune only": {ContextLength: 1500, Threshold: 0.5, ProtectFirst: 3, ProtectLast: 2, NoSummary: true},
}

// TestLayouts holds every invariant over every sequence of turns up to a length. (TestInvariantsProperty draws longer
// ones; TestRoleSequences goes through all plain ones of up to 12 messages.)
func TestLayouts(t *testing.T) {
	const letters = "ua12ixmed"
	atoms := 3
	if os.Getenv("CTXPACK_LONG") != "" { // make test-long
		atoms = 5
	}
	for name, o := range settings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statuses := map[compress.Status]int{}
			var walk func(spec string, left int)
			walk = func(spec string, left int) {
				for _, lead := range []string{"", "su"} {
					holds(t, o, lead+spec, statuses)
				}
				if left == 0 {
					return
				}
				for _, l := range letters {
					walk(spec+string(l), left-1)
				}
			}
			walk("", atoms)
			t.Log(statuses)
			if statuses[compress.Summarized]+statuses[compress.Pruned] == 0 {
				t.Errorf("nothing was compacted: %v", statuses)
			}
		})
	}
}

// TestRoleSequences goes through every sequence of human and assistant messages and groups of one to three calls, up to
// so many messages.
func TestRoleSequences(t *testing.T) {
	most := 7
	if os.Getenv("CTXPACK_LONG") != "" {
		most = 12
	}
	sizes := map[byte]int{'u': 1, 'a': 1, '1': 2, '2': 3, '3': 4}
	statuses := map[compress.Status]int{}
	n := 0
	var walk func(spec string, messages int)
	walk = func(spec string, messages int) {
		for _, name := range []string{"full", "fit"} {
			holds(t, settings[name], "s"+spec, statuses)
			n++
		}
		for _, l := range []byte("ua123") {
			if messages+sizes[l] <= most {
				walk(spec+string(l), messages+sizes[l])
			}
		}
	}
	walk("", 1)
	t.Log(n, statuses)
	if statuses[compress.Summarized] == 0 {
		t.Errorf("nothing was summarised: %v", statuses)
	}
}

// holds compacts a layout, checks the output, and compacts it again.
func holds(t *testing.T, o compress.Options, spec string, statuses map[compress.Status]int) {
	t.Helper()
	c := compaction(t, o, spell(spec, 500))
	statuses[c.Result.Status]++
	if err := c.Check(); err != nil {
		t.Fatalf("%s: status %s: %v\nin  %s\nout %s", spec, c.Result.Status, err, roles(c.Before), roles(c.After))
	}
	if c.Result.Status == compress.Failed && c.Result.Code != "pairing" {
		t.Fatalf("%s: failed: %s", spec, c.Result.Reason)
	}
	again := compaction(t, o, c.Out)
	if string(again.Out) != string(c.Out) {
		t.Fatalf("I9: %s: compacting the output again changes it (%s, then %s)\nin    %s\nout   %s\nagain %s\n%s\n%s",
			spec, c.Result.Status, again.Result.Status, roles(c.Before), roles(c.After), roles(again.After), c.Out, again.Out)
	}
	counter, _ := tokens.New("rough")
	m := &compress.Meter{Counter: counter, MediaTokens: compress.DefaultMediaTokens}
	if got := m.Conversation(c.After); got != c.Result.After.Tokens {
		t.Fatalf("%s: the output has %d tokens, the result says %d", spec, got, c.Result.After.Tokens)
	}
}

func roles(c *formats.Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages {
		fmt.Fprintf(&b, "%s#%d ", m.Role, m.Number)
	}
	return b.String()
}

package compress_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/compresstest"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
)

// spellHermes writes the layout as a Hermes trajectory: all results of a turn in one tool turn, ids on neither, one or
// both sides. The letters are those of spell; those that have no meaning here are left out.
func spellHermes(spec string, size int) []byte {
	var list []string
	say := func(from, value string) { list = append(list, fmt.Sprintf(`{"from":%q,"value":%q}`, from, value)) }
	text := func(what string) string {
		return fmt.Sprintf("%s %d %s", what, len(list), strings.Repeat(fmt.Sprintf("w%d ", len(list)), size))
	}
	call := func(n int) {
		value := "<think>hm</think>\n"
		for k := range n {
			value += fmt.Sprintf("<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"f%d-%d.go\"}}\n</tool_call>\n", len(list), k)
		}
		say("gpt", value)
	}
	result := func(n int) {
		value := ""
		for k := range n {
			value += fmt.Sprintf("<tool_response>\n{\"tool_call_id\": \"t%d-%d\", \"name\": \"read_file\", \"content\": %q}\n</tool_response>\n", len(list), k, text("output"))
		}
		say("tool", strings.TrimSpace(value))
	}
	for _, c := range spec {
		switch {
		case c == 's':
			say("system", text("rules"))
		case c == 'u', c == 'p':
			say("human", text("please"))
		case c == 'a':
			say("gpt", text("done"))
		case c == 'o':
			say("critic", text("hm"))
		case c >= '1' && c <= '3':
			call(int(c - '0'))
			result(int(c - '0'))
		case c == 'e', c == 'd':
			call(2)
			result(2)
		case c == 'm':
			call(2)
			result(1)
		case c == 'i':
			call(1)
			say("human", text("stop"))
			result(1)
		case c == 'x':
			result(1)
		}
	}
	return []byte(`{"conversations": [` + strings.Join(list, ", ") + `], "completed": true, "n": 1.0}`)
}

// Every invariant holds on any conversation, in any dialect, with any settings.
func TestInvariantsProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		spec := rapid.StringOfN(rapid.RuneFrom([]rune("suao123ixmedprr")), 0, 16, -1).Draw(r, "layout")
		size := rapid.SampledFrom([]int{1, 40, 300, 900}).Draw(r, "words")
		o := drawOptions(r)
		record := spell(spec, size)
		if rapid.Bool().Draw(r, "hermes") {
			record = spellHermes(spec, size)
		}
		c, err := tryCompaction(o, record)
		if err != nil {
			r.Fatal(err)
		}
		if err := c.Check(); err != nil {
			r.Fatalf("status %s: %v\nin  %s\nout %s", c.Result.Status, err, roles(c.Before), roles(c.After))
		}
		if c.Result.Status == compress.Failed && c.Result.Code != "pairing" {
			r.Fatalf("failed: %s", c.Result.Reason)
		}
		again, err := tryCompaction(o, c.Out)
		if err != nil {
			r.Fatal(err)
		}
		if string(again.Out) != string(c.Out) {
			r.Fatalf("I9: %s, then %s\nin    %s\nout   %s\nagain %s", c.Result.Status, again.Result.Status, roles(c.Before), roles(c.After), roles(again.After))
		}
	})
}

func drawOptions(r *rapid.T) compress.Options {
	o := compress.Options{
		ContextLength: rapid.SampledFrom([]int{200, 1500, 3000, 8000}).Draw(r, "context"),
		Threshold:     rapid.SampledFrom([]float64{0.3, 0.5, 1}).Draw(r, "threshold"),
		TargetRatio:   rapid.SampledFrom([]float64{0.1, 0.2, 0.8}).Draw(r, "ratio"),
		ProtectFirst:  rapid.IntRange(0, 5).Draw(r, "first"),
		ProtectLast:   rapid.IntRange(1, 6).Draw(r, "last"),
		Prune:         rapid.SampledFrom([]compress.PruneStyle{compress.PruneDescribe, compress.PrunePlaceholder, compress.PruneOff}).Draw(r, "prune"),
		TailOverflow:  rapid.SampledFrom([]compress.Overflow{compress.OverflowKeep, compress.OverflowDemote}).Draw(r, "overflow"),
		NoSummary:     rapid.IntRange(0, 4).Draw(r, "none") == 0,
		NoNote:        rapid.Bool().Draw(r, "no note"),
	}
	if rapid.Bool().Draw(r, "fit") {
		o.Strategy, o.Window = compress.Fit, rapid.SampledFrom([]int{100, 700, 1500, 4000}).Draw(r, "window")
	}
	return o
}

func tryCompaction(o compress.Options, record []byte) (c compresstest.Case, err error) {
	counter, err := tokens.New("rough")
	if err != nil {
		return c, err
	}
	s := &recorder{seen: map[int]bool{}}
	engine, err := compress.NewCompressor(o, &compress.Meter{Counter: counter}, s)
	if err != nil {
		return c, err
	}
	rec := formats.Record{Raw: record}
	c = compresstest.Case{In: record, Out: record, Seen: s.seen}
	conv, err := formats.Decode(rec, dialects)
	if err != nil {
		return c, err
	}
	if c.Result, err = engine.Compact(context.Background(), conv, 0); err != nil {
		return c, err
	}
	if c.Result.Status.Changed() {
		c.Out = conv.With(c.Result.Messages).Bytes()
	}
	if c.Before, err = formats.Decode(rec, dialects); err != nil {
		return c, err
	}
	if c.After, err = formats.Decode(formats.Record{Raw: c.Out}, dialects); err != nil {
		return c, err
	}
	if !c.Result.Status.Changed() {
		return c, nil
	}
	if err := compress.Verify(c.Result.Messages, c.After); err != nil { // as the program does before it writes
		c.Result, c.Out, c.After = c.Result.Fail("internal", err), record, c.Before
	}
	return c, nil
}

// FuzzCompact feeds the engine anything that is JSON.
func FuzzCompact(f *testing.F) {
	for _, spec := range []string{"su11a", "su1u1x", "1m1e1d", "uiiu", "sp3o2"} {
		f.Add(spell(spec, 100), byte(0))
		f.Add(spellHermes(spec, 100), byte(3))
	}
	f.Add([]byte(`{"messages":[{"role":"user","content":"[CONTEXT COMPACTION] x\n--- END OF CONTEXT SUMMARY ---"},{"role":"tool"},7]}`), byte(1))
	f.Fuzz(func(t *testing.T, record []byte, pick byte) {
		if formats.Validate(record) != nil {
			return
		}
		o := compress.Options{ContextLength: 40 << (pick % 8), ProtectFirst: int(pick % 3), ProtectLast: 1 + int(pick%4)}
		if pick%2 == 1 {
			o.Strategy, o.Window = compress.Fit, 20<<(pick%6)
		}
		c, err := tryCompaction(o, record)
		if err != nil {
			t.Skip() // no conversation
		}
		if err := c.Check(); err != nil {
			t.Fatalf("status %s: %v\nin  %s\nout %s", c.Result.Status, err, c.In, c.Out)
		}
	})
}

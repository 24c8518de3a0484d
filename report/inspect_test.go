package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
)

// lines are the records of a small file with every problem.
func inspectLines() []string {
	long := strings.Repeat("the quick brown fox ", 2000)
	return []string{
		`{"model":"gpt-4o","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hello"},{"role":"assistant","content":"hi"}]}`,
		`{"model":"gpt-4o","messages":[{"role":"user","content":"read it"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"` + long + `"}]}`,
		`{"messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"gone","content":"an answer to nothing"},{"role":"critic","content":"meh"}]}`,
		`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}}]},{"role":"user","content":"never mind"}]}`,
		`{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"z","type":"function","function":{"name":"bash","arguments":"{}"}}]}]}`,
		`{"messages":[]}`,
		`{"text":"just a document"}`,
		`{"messages":[{"role":"user","content":"cut off`,
		`{"messages":[{"role":"user","content":[{"type":"hologram","data":"\u001b[31m"}]}]}`,
		`{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"hello"}]}`,
	}
}

// inspectAll feeds lines to an inspector as the files with the given names.
func inspectAll(t testing.TB, files ...string) Inspection {
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	meter := &compress.Meter{Counter: counter, MediaTokens: compress.DefaultMediaTokens}
	n := NewInspector(InspectOptions{Tool: "ctxpack", Version: "0.1.0", Tokenizer: Tokenizer{"rough", false}, Windows: []int{12_000}, Thresholds: []int{10, 4000}})
	for _, file := range files {
		n.File(InspectedFile{Name: file, Bytes: 41_234, Container: "JSON lines", Why: "its first line is a whole object", Compression: "zstd"})
		for i, line := range inspectLines() {
			one := Inspected{Record: formats.Record{Pos: formats.Position{File: file, Line: int64(i + 1), Index: int64(i)}, Raw: []byte(line)}, Threshold: 5000}
			conv, err := formats.Decode(one.Record, []formats.Dialect{formats.OpenAI{}, formats.ShareGPT{}})
			if !errors.As(err, &one.Fault) {
				one.Conversation, one.Tally, one.Pairing = conv, meter.Tally(conv), formats.Pair(conv.Messages)
			}
			n.Add(one)
		}
		n.Add(Inspected{Record: formats.Record{Trail: []byte("\n")}})
	}
	return n.Inspection()
}

func TestInspectGolden(t *testing.T) {
	inspection := inspectAll(t, "runs/a.jsonl.zst", "runs/b.jsonl.zst")
	var text, data bytes.Buffer
	if err := errors.Join(WriteInspectionText(&text, &inspection), WriteInspectionJSON(&data, &inspection)); err != nil {
		t.Fatal(err)
	}
	golden(t, "inspect.txt", text.Bytes())
	golden(t, "inspect.json", data.Bytes())
	if !json.Valid(data.Bytes()) {
		t.Error("no JSON")
	}
	if again := inspectAll(t, "runs/a.jsonl.zst", "runs/b.jsonl.zst"); inspection.Total.Name != "" || again.Files[0].Tokens != inspection.Files[0].Tokens {
		t.Error("drawing changes the data")
	}
}

func TestInspectCounts(t *testing.T) {
	f := inspectAll(t, "a.jsonl").Files[0]
	if f.Records != 10 || f.Conversations != 8 || f.FiresOwn != 1 {
		t.Errorf("%d records, %d conversations, %d fire", f.Records, f.Conversations, f.FiresOwn)
	}
	if f.Roles.Total() != f.Tokens || f.Sizes.Count != f.Conversations {
		t.Errorf("roles have %d of %d tokens, the distribution %d conversations", f.Roles.Total(), f.Tokens, f.Sizes.Count)
	}
	found := map[string]int64{}
	for _, p := range f.Problems {
		found[p.Code] = p.Example.Line
		if p.Records != 1 || p.Example.Message == "" {
			t.Errorf("%+v", p)
		}
	}
	for code, line := range map[string]int64{ProblemOrphanResult: 3, ProblemMispaired: 3, ProblemUnknownRole: 3, ProblemOpenCall: 4,
		ProblemEmpty: 6, ProblemNoConversation: 7, "truncated": 8, ProblemUnknownPart: 9} {
		if found[code] != line {
			t.Errorf("%s on line %d, want %d", code, found[code], line)
		}
	}
	if len(found) != 8 {
		t.Errorf("problems: %v", found)
	}
	if total := inspectAll(t, "a", "b").Total; total == nil || total.Records != 20 || total.Problems[0].Records != 2 {
		t.Errorf("total: %+v", total)
	}
	if alone := inspectAll(t, "a"); alone.Total != nil {
		t.Error("one file has a total of its own")
	}
}

// TestInspectionIsHarmless holds the text to 80 columns of printable characters, whatever names there are.
func TestInspectionIsHarmless(t *testing.T) {
	check := func(t testing.TB, name string) {
		n := NewInspector(InspectOptions{Tokenizer: Tokenizer{Name: name}, Thresholds: []int{1, 1 << 40}})
		for _, file := range []string{name, name + "2"} {
			n.File(InspectedFile{Name: file, Bytes: 1 << 50, Container: name, Why: name, Compression: name})
			for i := range 12 {
				rec := formats.Record{Pos: formats.Position{File: file, Line: 1 << 50}, Raw: []byte("x")}
				n.Add(Inspected{Record: rec, Fault: &formats.Fault{Code: strings.Repeat(name, i), Column: 1 << 50, Err: errors.New(name)}})
			}
		}
		inspection := n.Inspection()
		for i := range inspection.Files {
			f := &inspection.Files[i]
			f.Conversations, f.Tokens, f.Messages, f.FiresOwn = 1<<60, 1<<60, 1<<60, 1<<60
			f.Dialects.List = []Count{{name, name, 1 << 60}, {"", "", 0}}
			f.Models.List, f.RoleNames.List = f.Dialects.List, f.Dialects.List
			f.Tools = ToolResults{List: []ToolResult{{name, 1 << 60, 1 << 60}}}
			var h Histogram
			for k := range maxBits {
				h.Add(1 << k)
			}
			f.Sizes = h.Distribution()
		}
		var out bytes.Buffer
		if err := WriteInspectionText(&out, &inspection); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if w := uniseg.StringWidth(line); w > textColumns {
				t.Errorf("%d columns: %q", w, line)
			}
			for _, c := range line {
				if !unicode.IsPrint(c) {
					t.Errorf("%U in %q", c, line)
				}
			}
		}
	}
	for _, name := range hostile() {
		check(t, name)
	}
	rapid.Check(t, func(rt *rapid.T) { check(t, rapid.String().Draw(rt, "name")) })
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{{0, ""}, {1e-9, "▏"}, {0.5, "████"}, {0.99, "███████▉"}, {1, "████████"}} {
		if got := bar(c.share, 8); got != c.want {
			t.Errorf("bar(%v) is %q, want %q", c.share, got, c.want)
		}
	}
}

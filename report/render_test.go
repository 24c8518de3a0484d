package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
)

func TestReadJSON(t *testing.T) {
	r := testReport(300)
	var first, second bytes.Buffer
	if err := WriteJSON(&first, &r); err != nil {
		t.Fatal(err)
	}
	read, err := ReadJSON(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteJSON(&second, &read); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("a report that was read is written differently")
	}
	for _, render := range []func(io.Writer, *Report) error{WriteText, WriteMarkdown} {
		var a, b bytes.Buffer
		if render(&a, &r) != nil || render(&b, &read) != nil || a.String() != b.String() {
			t.Error("a report that was read is drawn differently")
		}
	}
}

func TestReadJSONRefuses(t *testing.T) {
	for _, c := range []struct{ name, data, err, hint string }{
		{"newer", `{"schema_version":"2.0"}`, "the report has schema version 2, this ctxpack reads version 1", "use the ctxpack that wrote it, or a newer one"},
		{"older", `{"schema_version":"0.9"}`, "the report has schema version 0, this ctxpack reads version 1", "run `ctxpack compact` again with this version"},
		{"none", `{"tokens":{}}`, "not a report: it has no schema_version", "name the .report.json that `ctxpack compact` wrote"},
		{"of eval", `{"schema_version":"1.0","kind":"quality_report"}`, `not the report of a compaction: its kind is "quality_report"`, "name the .report.json that `ctxpack compact` wrote"},
		{"other", `{"schema_version":"ATIF\u001b"}`, `not a report: schema_version "ATIF\\x1b" is no version`, "name the .report.json that `ctxpack compact` wrote"},
		{"no object", `[]`, "not a report: json: cannot unmarshal array", "name the .report.json that `ctxpack compact` wrote"},
		{"wrong type", `{"schema_version":"1.0","tokens":[]}`, "not a report: json: cannot unmarshal array", "name the .report.json that `ctxpack compact` wrote"},
		{"cut off", `{"schema_version":"1.0"`, "not a report: unexpected end of JSON input", "name the .report.json that `ctxpack compact` wrote"},
	} {
		_, err := ReadJSON(strings.NewReader(c.data))
		if err == nil || !strings.HasPrefix(err.Error(), c.err) || formats.HintOf(err) != c.hint {
			t.Errorf("%s: %v (hint: %s), want %s", c.name, err, formats.HintOf(err), c.err)
		}
	}
	if r, err := ReadJSON(strings.NewReader(`{"schema_version":"1.7","new":{"x":1},"tokens":{"total_before":5}}`)); err != nil || r.Tokens.Before != 5 {
		t.Errorf("a newer minor version: %v", err)
	}
}

// TestIndentation reads with encoding/json what was written: the same value, whatever is in its strings.
func TestIndentation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var value func(depth int) any
		value = func(depth int) any {
			switch k := rapid.IntRange(0, 6).Draw(t, "kind"); {
			case k == 0 && depth < 4:
				list := []any{}
				for range rapid.IntRange(0, 4).Draw(t, "length") {
					list = append(list, value(depth+1))
				}
				return list
			case k == 1 && depth < 4:
				object := map[string]any{}
				for range rapid.IntRange(0, 4).Draw(t, "length") {
					object[rapid.StringOf(rapid.RuneFrom([]rune("a\"\\{}[],:é"))).Draw(t, "key")] = value(depth + 1)
				}
				return object
			case k == 2:
				return rapid.Float64Range(-9, 9).Draw(t, "number")
			case k == 3:
				return nil
			}
			return rapid.StringOfN(rapid.RuneFrom([]rune("a\"\\{}[],: \n漢\u202e\u009b\u2028\x7f\U000e0001<")), 0, 40, -1).Draw(t, "text")
		}
		original := value(0)
		var out bytes.Buffer
		if err := writeData(&out, original); err != nil {
			t.Fatal(err)
		}
		for _, c := range out.String() {
			if c != '\n' && !unicode.IsPrint(c) {
				t.Fatalf("%U in %q", c, out.String())
			}
		}
		var read any
		if err := json.Unmarshal(out.Bytes(), &read); err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
		if !reflect.DeepEqual(read, original) {
			t.Fatalf("%#v became %s", original, out.String())
		}
	})
}

// hostile are names that try to break out of where they are put.
func hostile() []string {
	return []string{
		"a|b", "`code`", "``", "<script>alert(1)</script>", "line\nbreak\r\n\n# heading", "\x1b[31mred\x1b]0;title\x07", "\u202eevil\u2066",
		"| --- |", "[x](javascript:alert(1))", "![i](http://h/i.png)", "&amp;&lt;", "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
		"\xff\xfe\x00", "e" + strings.Repeat("\u0301", 500), strings.Repeat("x", 5000), "\\|\\`", "@everyone www.x.y http://x", "  ", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦",
		"*b* _i_ ~~s~~ $m$", "-->", "\u200b\u200d\ufeff", "\t",
	}
}

// hostileReport has a hostile text in every place that takes one.
func hostileReport(name string) Report {
	b := NewBuilder()
	for _, status := range compress.Statuses() {
		conv := &formats.Conversation{ID: name, Model: name, Dialect: name, Marker: name,
			Messages: []*formats.Message{{Role: formats.RoleOther, RoleName: name}}}
		row := NewRow(formats.Record{Pos: formats.Position{File: name, Line: 3}}, conv, compress.Result{Status: status, Code: name, Reason: name})
		row.NoConversation, row.TokensBefore, row.TokensAfter, row.ContextSource = false, 1<<40, 1<<39, name
		row.Tools = mergeTools([]compress.ToolTokens{{Name: name, Tokens: 5}}, nil)
		row.Actions = []ActionTotal{{compress.ActionKind(name), 1, 1}}
		row.Summary = &RowSummary{Model: name, Warnings: []string{name}, Calls: 1 << 40}
		row.Elapsed = 1
		b.Add(row)
	}
	h := Header{Tool: name, Version: name, Command: name, Settings: []Setting{{name, name, name}, {name, []string{name}, name}},
		Inputs: []Input{{Name: name, SHA256: name, Output: name}}, Target: Target{Model: name, Source: name, Window: 1, Threshold: 2},
		Tokenizer: Tokenizer{Name: name}, Summarizer: name, PriceDate: name}
	clock := testClock()
	clock.Settings = h.Settings
	r := b.Report(h, clock)
	r.Failures.RejectsFile, r.Failures.Rerun = name, name
	return r
}

// TestTextIsHarmless holds the terminal summary to its size and to printable characters.
func TestTextIsHarmless(t *testing.T) {
	check := func(t testing.TB, name string) {
		r := hostileReport(name)
		lines := append(Lines(&r), Line(&r))
		if len(lines) > textLines+1 {
			t.Errorf("%d lines", len(lines)-1)
		}
		for _, line := range lines {
			checkLine(t, line)
		}
		r.Header.Target.ContextLength = 1 << 40
		for _, line := range Lines(&r) {
			checkLine(t, line)
		}
	}
	for _, name := range hostile() {
		check(t, name)
	}
	rapid.Check(t, func(rt *rapid.T) { check(t, rapid.String().Draw(rt, "name")) })
}

func checkLine(t testing.TB, line string) {
	t.Helper()
	if w := uniseg.StringWidth(line); w > textColumns {
		t.Errorf("%d columns: %q", w, line)
	}
	for _, c := range line {
		if !unicode.IsPrint(c) {
			t.Errorf("%U in %q", c, line)
		}
	}
}

// TestMarkdownIsHarmless reads the tables back: every row has as many cells as its head, nothing is HTML, and code
// spans are closed.
func TestMarkdownIsHarmless(t *testing.T) {
	check := func(t testing.TB, name string) {
		r := hostileReport(name)
		var out bytes.Buffer
		if err := WriteMarkdown(&out, &r); err != nil {
			t.Fatal(err)
		}
		cells := 0
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			for _, c := range line {
				if !unicode.IsPrint(c) {
					t.Fatalf("%U in %q", c, line)
				}
			}
			if strings.ContainsAny(line, "<>\\") || strings.Count(line, "`")%2 != 0 {
				t.Fatalf("markup in %q", line)
			}
			switch n := strings.Count(line, "|"); {
			case !strings.HasPrefix(line, "|"):
				if n > 0 {
					t.Fatalf("a bar in %q", line)
				}
				cells = 0
			case cells > 0 && n != cells:
				t.Fatalf("%d bars, not %d, in %q", n, cells, line)
			default:
				cells = n
			}
		}
	}
	for _, name := range hostile() {
		check(t, name)
	}
	rapid.Check(t, func(rt *rapid.T) { check(t, rapid.String().Draw(rt, "name")) })
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"bash", 4, "bash"}, {"bashful", 4, "bas…"}, {"漢字漢字", 8, "漢字漢字"}, {"漢字漢字", 7, "漢字漢…"}, {"漢字漢字", 6, "漢字…"},
		{"a\nb", 8, `a\nb`}, {"\u202eabc", 20, `\u202eabc`}, {"\xff", 8, `\xff`}, {"", 3, ""}, {strings.Repeat("é", 999), 3, "éé…"},
	} {
		if got := clip(c.text, c.width); got != c.want {
			t.Errorf("clip(%q, %d) is %q, want %q", c.text, c.width, got, c.want)
		}
	}
	if got := clipMiddle("a/very/long/path/to/file.jsonl", 20); got != "a/ver…to/file.jsonl" && uniseg.StringWidth(got) > 20 {
		t.Errorf("clipMiddle gives %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text, width := rapid.String().Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "width")
		for _, got := range []string{clip(text, width), clipMiddle(text, width)} {
			if uniseg.StringWidth(got) > width {
				t.Fatalf("%q in %d columns is %q", text, width, got)
			}
		}
	})
}

func TestAmounts(t *testing.T) {
	million := unitOf(46_000_000)
	for want, got := range map[string]string{
		"0": grouped(0), "-1,234,567": grouped(-1234567), "999": short(999), "1.0k": short(1000), "9.9k": short(9949), "10k": short(9950),
		"61k": short(61_234), "999k": short(999_499), "1.0M": short(999_500), "2.3B": short(2_310_000_000), "-1.5k": short(-1500), "1500B": short(1_500_000_000_000),
		"2.31 B": in(2_310_000_000, unitOf(2_310_000_000)), "0.94 B": in(940_000_000, unitOf(2_310_000_000)), "999,999": in(999_999, unitOf(999_999)), "1.00 M": in(1e6, unitOf(1e6)),
		"1,095": in(1095, million), "-0.01 M": in(-9_999, million),
		"61.2 %": percent(7602, 12418), "99.9 %": percent(99_999, 100_000), "100.0 %": percent(3, 3), "0.0 %": percent(0, 0),
		"-59.3 %": change(1000, 407), "+12.0 %": change(100, 112), "-99.9 %": change(100_000, 1), "-100.0 %": change(5, 0),
		"8k": windowName(8000), "1M": windowName(1_000_000), "8,192": windowName(8192), "1500k": windowName(1_500_000), "12": windowName(12),
		"0.41s": took(0.41), "10.0s": took(9.996), "12.3s": took(12.34), "1m00s": took(59.96), "14m08s": took(848.2), "1h00m": took(3599.8), "2h05m": took(7500),
		"1 call": plural(1, "call"), "0 calls": plural(0, "call"), "14.6": rate(14.6), "1,204": rate(1203.7),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSettingsHash: the same settings from elsewhere have the same hash, others another.
func TestSettingsHash(t *testing.T) {
	a := HashSettings([]Setting{{"model", "x", "--model"}, {"fit", 5, "default"}})
	if b := HashSettings([]Setting{{"model", "x", "CTXPACK_MODEL"}, {"fit", 5, "--fit"}}); a != b {
		t.Error("the origin changes the hash")
	}
	for _, other := range [][]Setting{{{"model", "y", ""}, {"fit", 5, ""}}, {{"model", "x", ""}}, {{"fit", 5, ""}, {"model", "x", ""}}, {{"model", "x", ""}, {"fit", func() {}, ""}}} {
		if HashSettings(other) == a {
			t.Errorf("%v has the same hash", fmt.Sprint(other[0].Key, len(other)))
		}
	}
}

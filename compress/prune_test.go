package compress_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// pruneOld compacts a conversation without a summary whose second message pair is old, and gives that result's text and
// that call's arguments.
func pruneOld(t *testing.T, style compress.PruneStyle, tool, arguments, content string) (result, args string, c *formats.Conversation) {
	t.Helper()
	quotedArgs, _ := json.Marshal(arguments)
	record := fmt.Sprintf(`{"messages":[{"role":"user","content":"go"},`+
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":%q,"arguments":%s}}]},`+
		`{"role":"tool","tool_call_id":"a","content":%s},`+
		`{"role":"assistant","content":"done %s"},{"role":"user","content":"thanks"}]}`, tool, quotedArgs, content, strings.Repeat("x ", 400))
	cs := compaction(t, compress.Options{ContextLength: 10, ProtectLast: 2, NoSummary: true, Prune: style}, []byte(record))
	if err := cs.Check(); err != nil {
		t.Error(err)
	}
	m := cs.After.Messages
	return m[2].Results()[0].Text, m[1].Calls()[0].Arguments, cs.After
}

func TestPruneLengths(t *testing.T) {
	for _, tt := range []struct {
		length int
		pruned bool
	}{{199, false}, {200, false}, {201, true}, {5000, true}} {
		for _, letter := range []string{"a", "é", "漢"} {
			text := strings.Repeat(letter, tt.length)
			content, _ := json.Marshal(text)
			got, _, _ := pruneOld(t, compress.PrunePlaceholder, "bash", "{}", string(content))
			if pruned := got == summarize.Cleared; pruned != tt.pruned {
				t.Errorf("%d times %s: %q", tt.length, letter, got)
			}
		}
	}
}

func TestDescribe(t *testing.T) {
	long := strings.Repeat("line of output\\n", 40)
	for _, tt := range []struct{ name, tool, arguments, content, want string }{
		{"command that worked", "bash", `{"command":"ls -la"}`, `"` + long + `exit code: 0"`, "[cleared: bash `ls -la` -> exit 0, 41 lines, 612 characters]"},
		{"command that failed", "bash", `{"command":"make"}`, `"` + long + `main.go:3:1: error: boom\nexit code: 2"`, "[cleared: bash `make` -> exit 2, \"main.go:3:1: error: boom\", 42 lines, 637 characters]"},
		{"file with the word error in it", "read_file", `{"path":"a.go"}`, `"` + long + `case LayerError:\n"`, "[cleared: read_file `a.go` -> 41 lines, 617 characters]"},
		{"unknown tool", "frobnicate", `{"x":1}`, `"` + long + `"`, "[cleared: frobnicate `1` -> 40 lines, 600 characters]"},
		{"no arguments", "now", ``, `"` + long + `"`, "[cleared: now -> 40 lines, 600 characters]"},
		{"arguments that are a list", "now", `[1,2]`, `"` + long + `"`, "[cleared: now `[1,2]` -> 40 lines, 600 characters]"},
		{"object", "get", `{"id":"7"}`, `{"rows": [` + strings.Repeat("1,", 150) + `1]}`, "[cleared: get `7` -> 313 characters]"},
	} {
		got, _, after := pruneOld(t, compress.PruneDescribe, tt.tool, tt.arguments, tt.content)
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
		if utf8.RuneCountInString(got) > 200 || strings.Contains(got, "\n") {
			t.Errorf("%s: not one short line: %q", tt.name, got)
		}
		if after.Messages[2].Results()[0].CallID != "a" {
			t.Errorf("%s: the id is gone", tt.name)
		}
	}
	// However long everything is, it stays one line of at most 200 characters.
	got, _, _ := pruneOld(t, compress.PruneDescribe, strings.Repeat("t", 300), `{"command":"`+strings.Repeat("c\\n", 300)+`"}`, `"`+long+`exit code: 7\nerror: `+strings.Repeat("e", 900)+`"`)
	if n := utf8.RuneCountInString(got); n > 200 || strings.Contains(got, "\n") {
		t.Errorf("%d characters: %q", n, got)
	}
}

// Contents that are no text, and results that say nothing, do not fail.
func TestPruneOddContents(t *testing.T) {
	for _, content := range []string{`null`, `12`, `1.10`, `true`, `[]`, `{}`, `""`, `[{"type":"text","text":"short"}]`} {
		got, _, after := pruneOld(t, compress.PruneDescribe, "get", "{}", content)
		if strings.Contains(got, "cleared") {
			t.Errorf("%s was cleared", content)
		}
		if raw := string(after.Messages[2].Bytes()); !strings.Contains(raw, content) {
			t.Errorf("%s became %s", content, raw)
		}
	}
	list := `[{"type":"text","text":"` + strings.Repeat("x", 300) + `"}]`
	_, _, after := pruneOld(t, compress.PruneDescribe, "get", "{}", list)
	if raw := string(after.Messages[2].Bytes()); !strings.Contains(raw, `"content":[{`) || !strings.Contains(raw, "cleared") {
		t.Errorf("a list of parts became %s", raw)
	}
}

func TestPruneArguments(t *testing.T) {
	leaf := func(n int) string { return strings.Repeat("a", n) }
	for _, tt := range []struct {
		name, arguments string
		changed         bool
	}{
		{"500 characters", `{"text":"` + leaf(500-11) + `"}`, false},
		{"501 characters", `{"text":"` + leaf(501-11) + `"}`, true},
		{"no long leaf", `{"list":["` + strings.Repeat(`b","`, 200) + `b"]}`, false},
		{"a list", `["` + leaf(600) + `",1.10,12345678901234567890]`, true},
		{"a string", `"` + leaf(600) + `"`, true},
		{"a number", strings.Repeat("1", 600), false},
		{"malformed", `{"text":"` + leaf(600), false},
		{"numbers, order and escapes survive", `{"z":1.10,"text":"` + leaf(600) + `","a":1e3,"e":"\u00e9"}`, true},
	} {
		content, _ := json.Marshal(strings.Repeat("o", 300))
		_, got, _ := pruneOld(t, compress.PruneDescribe, "write", tt.arguments, string(content))
		if changed := got != tt.arguments; changed != tt.changed {
			t.Errorf("%s: became %.80q", tt.name, got)
			continue
		}
		if !tt.changed {
			continue
		}
		if !json.Valid([]byte(got)) || len(got) >= len(tt.arguments) {
			t.Errorf("%s: %q", tt.name, got)
		}
		for _, kept := range []string{"1.10", "1e3", "12345678901234567890", `\u00e9`} {
			if strings.Contains(tt.arguments, kept) && !strings.Contains(got, kept) {
				t.Errorf("%s: %s is gone from %s", tt.name, kept, got)
			}
		}
	}
}

// Five identical reads: the one in the tail stays, the others refer to it; the same output of another command does not.
func TestBackReferences(t *testing.T) {
	record := spell("rrrrr", 400)
	c := compaction(t, compress.Options{ContextLength: 10, ProtectLast: 2, NoSummary: true}, record)
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	kinds := map[compress.ActionKind]int{}
	for _, a := range c.Result.Actions {
		kinds[a.Kind]++
	}
	if kinds[compress.ActionBackref] != 4 || len(kinds) != 1 {
		t.Errorf("actions %v", kinds)
	}
	results := c.After.Messages
	if got := results[1].Results()[0].Text; got != "[cleared: read_file, same output as the later call r5]" {
		t.Errorf("reference %q", got)
	}
	other := strings.Replace(string(record), `same.go`, `other.go`, 1)
	c = compaction(t, compress.Options{ContextLength: 10, ProtectLast: 2, NoSummary: true}, []byte(other))
	if got := c.After.Messages[1].Results()[0].Text; strings.Contains(got, "same output") {
		t.Errorf("another call's output: %q", got)
	}
}

func TestKeepTool(t *testing.T) {
	c := compaction(t, compress.Options{ContextLength: 10, ProtectLast: 2, NoSummary: true, KeepTools: []string{"read_file"}}, spell("u1111", 300))
	if c.Result.Status != compress.NothingToDo {
		t.Errorf("status %s", c.Result.Status)
	}
}

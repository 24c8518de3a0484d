package formats_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

func session(t *testing.T, d formats.Dialect, lines ...string) *formats.Conversation {
	t.Helper()
	raw := []byte(strings.Join(lines, "\n"))
	if !formats.IsSession(raw) {
		t.Fatalf("not recognised:\n%s", raw)
	}
	c, err := formats.Decode(formats.Record{Session: true, Raw: raw}, []formats.Dialect{formats.ClaudeCode{}, formats.Codex{}, formats.Pi{}, formats.OpenHands{}, formats.OpenAI{}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Dialect != d.Name() || c.Marker == "" || c.Spelled == "" {
		t.Fatalf("dialect %q, marker %q, spelled %q", c.Dialect, c.Marker, c.Spelled)
	}
	return c
}

func shown(c *formats.Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages {
		if m.Marked {
			b.WriteString("*")
		}
		b.WriteString(m.Role.String()[:1] + ":" + m.Text())
		for _, call := range m.Calls() {
			b.WriteString("(" + call.ID + ")")
		}
		for _, r := range m.Results() {
			b.WriteString("[" + r.CallID + "=" + r.Text + "]")
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

func claude(uuid, parent, rest string) string {
	return `{"uuid":"` + uuid + `","parentUuid":"` + parent + `","sessionId":"S",` + rest + `}`
}

// One message over several lines, results on forks of the tree and out of order, a branch that was left, a sub-agent, a
// compaction, lines of other types, and a last line that is cut off.
func TestClaudeCode(t *testing.T) {
	c := session(t, formats.ClaudeCode{},
		`{"type":"summary","summary":"x","leafUuid":"a2"}`,
		claude("u1", "", `"type":"user","message":{"role":"user","content":"go"}`),
		claude("gone", "u1", `"type":"assistant","message":{"id":"m0","role":"assistant","content":[{"type":"text","text":"left"}]}`),
		claude("a1", "u1", `"type":"assistant","message":{"id":"m1","model":"claude-x","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"}]}`),
		claude("a2", "a1", `"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]}`),
		claude("p1", "a2", `"type":"progress"`),
		claude("a3", "p1", `"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"f","input":{}}]}`),
		claude("side", "a2", `"isSidechain":true,"type":"user","message":{"role":"user","content":"helper"}`),
		claude("r1", "a2", `"type":"user","toolUseResult":"mirror","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"one"}]}`),
		claude("r2", "a3", `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"two"},{"type":"text","text":"and this"}]}`),
		claude("a4", "r2", `"type":"assistant","message":{"id":"m2","role":"assistant","content":"done"}`),
		`{"uuid":"b","parentUuid":null,"logicalParentUuid":"a4","sessionId":"S","type":"system","subtype":"compact_boundary"}`,
		claude("k", "b", `"type":"user","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued"}`),
		claude("a5", "k", `"type":"assistant","message":{"id":"m3","role":"assistant","content":[{"type":"text","text":"on"}]}`),
		`{"uuid":"cut","parentUuid":"a5","type":"user","mess`)
	want := "u:go a:(t1)(t2) t:[t1=one][t2=two] u:and this a:done *u:This session is being continued a:on"
	if got := shown(c); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if c.ID != "S" || c.Model != "claude-x" {
		t.Errorf("id %q, model %q", c.ID, c.Model)
	}
}

func TestCodex(t *testing.T) {
	line := func(kind, payload string) string {
		return `{"timestamp":"2026-01-01T00:00:00Z","type":"` + kind + `","payload":` + payload + `}`
	}
	c := session(t, formats.Codex{},
		line("session_meta", `{"id":"S","instructions":"Be brief."}`),
		line("turn_context", `{"model":"gpt-x"}`),
		line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}`),
		line("event_msg", `{"type":"user_message","message":"go"}`),
		line("response_item", `{"type":"reasoning","summary":[],"encrypted_content":"x"}`),
		line("response_item", `{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}`),
		line("response_item", `{"type":"function_call_output","call_id":"c","output":"out"}`),
		line("response_item", `{"type":"ghost_snapshot"}`),
		line("compacted", `{"message":"summary"}`),
		line("event_msg", `{"type":"token_count","info":{}}`),
		line("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}`))
	want := "s:Be brief. u:go a: a:(c) t:[c=out] *u:summary a:done"
	if got := shown(c); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	out, err := converted(c, "openai")
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"id": "S", "model": "gpt-x", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "go"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "shell", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c", "content": "out"}, {"role": "user", "content": "summary"}, {"role": "assistant", "content": "done"}]}`; string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

func TestPi(t *testing.T) {
	message := func(id, parent, rest string) string {
		return `{"type":"message","id":"` + id + `","parentId":"` + parent + `","message":` + rest + `}`
	}
	c := session(t, formats.Pi{},
		`{"type":"session","id":"S","modelId":"m1","version":3}`,
		message("1", "", `{"role":"user","content":[{"type":"text","text":"go"}]}`),
		message("x", "1", `{"role":"user","content":"another branch"}`),
		message("2", "1", `{"role":"assistant","model":"m2","content":[{"type":"thinking","thinking":"t","thinkingSignature":""},{"type":"toolCall","id":"a","name":"f","arguments":{"n":1.0}},{"type":"toolCall","id":"b","name":"f","arguments":{}}]}`),
		message("3", "2", `{"role":"toolResult","toolCallId":"a","content":[{"type":"text","text":"one"}],"isError":true}`),
		message("4", "3", `{"role":"toolResult","toolCallId":"b","content":[{"type":"text","text":"two"}]}`),
		message("5", "4", `{"role":"assistant","content":[],"stopReason":"aborted"}`),
		message("6", "5", `{"role":"bashExecution","command":"ls","output":"a\n"}`),
		`{"type":"compaction","id":"7","parentId":"6","summary":"sum","firstKeptEntryId":"4"}`,
		message("8", "7", `{"role":"assistant","content":[{"type":"text","text":"done"}]}`))
	want := "u:go a:(a)(b) t:[a=one][b=two] u:Ran `ls`\n```\na\n``` *u:sum a:done"
	if got := shown(c); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNoSession(t *testing.T) {
	for _, raw := range []string{"", "{}", `{"messages":[]}`, `{"type":"user","uuid":"1"}`, `{"type":"session_meta","payload":{}}`, "not JSON\n{\"type\":\"sess"} {
		if formats.IsSession([]byte(raw)) {
			t.Errorf("%s is taken for a session", raw)
		}
		for _, d := range []formats.Dialect{formats.ClaudeCode{}, formats.Codex{}, formats.Pi{}, formats.OpenHands{}} {
			if _, err := formats.DecodeAs(formats.Record{Session: true, Raw: []byte(raw)}, d); err == nil {
				t.Errorf("%s is read as %s", raw, d.Name())
			}
		}
	}
}

// The real session: everything said is there, in pairs, and every target takes it.
func TestRealPiSession(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", "pi", "before-compaction.jsonl"))
	if err != nil {
		t.Skip("no shared data")
	}
	c := session(t, formats.Pi{}, string(raw))
	marked, calls := 0, 0
	for _, m := range c.Messages {
		if m.Marked {
			marked++
		}
		calls += len(m.Calls())
	}
	p := formats.Pair(c.Messages)
	if marked != 2 || len(p.Orphans) != 0 || calls-len(p.Open) != 448 {
		t.Errorf("%d summaries, %d results without a call, %d of %d calls open", marked, len(p.Orphans), len(p.Open), calls)
	}
	for _, to := range formats.ConvertTargets() {
		out, err := converted(c, to)
		if err != nil {
			t.Fatal(err)
		}
		again, err := formats.DecodeAs(formats.Record{Raw: out}, dialectNamed(to))
		if err != nil {
			t.Fatalf("%s: %v", to, err)
		}
		// six calls were broken off: they have stubs
		if p := formats.Pair(again.Messages); len(p.Answers) != 454 && to != "sharegpt" || len(p.Open)+len(p.Orphans) > 0 {
			t.Errorf("%s: %d answers, want 454, %d calls open, %d orphans", to, len(p.Answers), len(p.Open), len(p.Orphans))
		}
	}
}

// FuzzSession: no bytes make reading or converting a session panic.
func FuzzSession(f *testing.F) {
	for _, name := range []string{"claude-code.jsonl", "codex.jsonl", "pi.jsonl"} {
		raw, err := os.ReadFile(filepath.Join("..", "fixtures", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(handsSteps))
	f.Add([]byte(handsEvents))
	f.Fuzz(func(t *testing.T, raw []byte) {
		formats.IsSession(raw)
		for _, d := range []formats.Dialect{formats.ClaudeCode{}, formats.Codex{}, formats.Pi{}, formats.OpenHands{}} {
			c, err := formats.DecodeAs(formats.Record{Session: true, Raw: raw}, d)
			if err != nil {
				continue
			}
			formats.Pair(c.Messages)
			if _, err := formats.Convert(c, "openai"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

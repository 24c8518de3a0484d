package formats_test

import (
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// An event log of the first generation: two calls in one answer, a command of the user's own, an error, a condensation,
// states that nobody sees.
const handsSteps = `[
  {"id": 0, "timestamp": "2026-01-01T00:00:00", "source": "agent", "message": "sys", "action": "system", "args": {"content": "Be brief.", "tools": [{"type": "function", "function": {"name": "execute_bash", "parameters": {}}}]}},
  {"id": 1, "source": "user", "message": "go", "action": "message", "args": {"content": "go é", "image_urls": null}},
  {"id": 2, "source": "environment", "message": "", "observation": "agent_state_changed", "content": "", "cause": 1, "extras": {"agent_state": "running"}},
  {"id": 3, "source": "agent", "message": "Running", "action": "run", "args": {"command": "ls", "thought": "I look.", "blocking": false}, "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": "c1", "model_response": {"id": "r1", "model": "m", "choices": [{"message": {"content": "I look.", "tool_calls": [{"id": "c1", "function": {"name": "execute_bash", "arguments": "{\"command\": \"ls\", \"n\": 1.10}"}}, {"id": "c2", "function": {"name": "read", "arguments": "{}"}}]}}]}}},
  {"id": 4, "source": "agent", "message": "ran", "observation": "run", "content": "a.go\n", "cause": 3, "extras": {"command": "ls"}, "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": "c1"}},
  {"id": 5, "source": "agent", "message": "Reading", "action": "read", "args": {"path": "a.go", "thought": ""}, "tool_call_metadata": {"function_name": "read", "tool_call_id": "c2", "model_response": {"id": "r1"}}},
  {"id": 6, "source": "agent", "message": "read", "observation": "error", "content": "no such file", "cause": 5, "extras": {}},
  {"id": 7, "source": "user", "message": "User ran pwd", "action": "run", "args": {"command": "pwd"}},
  {"id": 8, "source": "user", "message": "", "observation": "run", "content": "/tmp", "cause": 7, "extras": {}},
  {"id": 9, "source": "agent", "message": "", "action": "condensation", "args": {"summary": "They looked.", "forgotten_event_ids": [3]}},
  {"id": 10, "source": "agent", "message": "edit", "action": "edit", "args": {"path": "b.go", "thought": "I edit."}},
  {"id": 11, "source": "agent", "message": "edited", "observation": "edit", "content": "ok", "cause": 10, "extras": {}},
  {"id": 12, "source": "agent", "message": "All done!", "action": "finish", "args": {"final_thought": "Done."}}
]`

// The same of the agent SDK, an event a line.
const handsEvents = `{"kind": "SystemPromptEvent", "id": "a", "timestamp": "t", "source": "agent", "system_prompt": {"type": "text", "text": "Be brief."}, "tools": [{"name": "terminal"}]}
{"kind": "MessageEvent", "id": "b", "timestamp": "t", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "go"}]}}
{"kind": "ActionEvent", "id": "c", "timestamp": "t", "source": "agent", "thought": [{"type": "text", "text": "I look."}], "reasoning_content": "hm", "action": {"kind": "X"}, "tool_name": "terminal", "tool_call_id": "c1", "tool_call": {"id": "c1", "name": "terminal", "arguments": "{\"command\": \"ls\"}"}, "llm_response_id": "r1"}
{"kind": "ActionEvent", "id": "d", "timestamp": "t", "source": "agent", "thought": [], "action": {"path": "a"}, "tool_name": "file", "tool_call_id": "c2", "llm_response_id": "r1"}
{"kind": "ObservationEvent", "id": "e", "timestamp": "t", "source": "environment", "tool_call_id": "c1", "observation": {"content": [{"type": "text", "text": "a.go"}], "is_error": false}}
{"kind": "AgentErrorEvent", "id": "f", "timestamp": "t", "source": "agent", "tool_call_id": "c2", "error": "bad"}
{"kind": "ConversationStateUpdateEvent", "id": "g", "timestamp": "t", "source": "environment", "key": "x"}
{"kind": "MessageEvent", "id": "h", "timestamp": "t", "source": "agent", "llm_message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}}
{"kind": "MessageEv`

func TestOpenHands(t *testing.T) {
	c := session(t, formats.OpenHands{}, handsSteps)
	want := "s:Be brief. u:go é a:I look.(c1)(c2) t:[c1=a.go\n] t:[c2=no such file] u:User ran pwd u:/tmp *u:They looked. a:I edit.(event_10) t:[event_10=ok] a:Done."
	if got := shown(c); got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	if c.Model != "m" || !strings.Contains(c.Tools, "execute_bash") {
		t.Errorf("model %q, tools %q", c.Model, c.Tools)
	}
	if got := c.Messages[2].Calls()[0].Arguments; got != `{"command": "ls", "n": 1.10}` {
		t.Errorf("arguments %s", got)
	}
	if got := c.Messages[8].Calls()[0].Arguments; got != `{"path": "b.go"}` {
		t.Errorf("arguments %s", got)
	}
	c = session(t, formats.OpenHands{}, handsEvents)
	if got, want := shown(c), "s:Be brief. u:go a:I look.(c1)(c2) t:[c1=a.go] t:[c2=bad] a:Done."; got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	out, err := formats.Convert(c, "openai")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(out.Payload); !strings.Contains(text, `"tools": [{"type": "function", "function": {"name": "terminal"`) || !strings.Contains(text, `"reasoning_content": "hm"`) {
		t.Errorf("written as %s", text)
	}
}

// Lists of other things are no event logs, cut off or not.
func TestNoOpenHands(t *testing.T) {
	for _, raw := range []string{
		`[{"role":"user","content":"a"}]`, `[{"messages":[{"role":"user","content":"a"}]}]`, `[{"id":1,"source":"web","action":"run","args":{}}]`,
		`[{"id":1,"source":"user","text":"a"}]`, `[`, `[7]`, `[{"id":1,"source":"user"`, `[{"type":"user","uuid":"1","sessionId":"2","message":{"role":"user"}}]`,
		`{"id":"x","source":"agent","messages":[]}`, strings.Repeat("[", 100000),
	} {
		if formats.IsSession([]byte(raw)) {
			t.Errorf("%.80s is taken for a session", raw)
		}
	}
	if cut := handsSteps[:900]; !formats.IsSession([]byte(cut)) {
		t.Errorf("the beginning of a log is not recognised: %s", cut)
	}
}

package formats_test

import (
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

var sweAgentSamples = []formatstest.Sample{
	{Name: "calls", JSON: `{"trajectory": [{"action": "ls"}], "history": [{"role": "system", "content": "You fix bugs.", "agent": "main", "message_type": "system_prompt"}, {"role": "user", "content": [{"type": "text", "text": "Fix it."}], "agent": "main", "message_type": "observation"}, {"role": "assistant", "content": "I look.", "thought": "I look.", "action": "ls", "agent": "main", "tool_calls": [{"type": "function", "id": "q", "function": {"name": "bash", "arguments": "{\"command\": \"ls\"}"}}], "message_type": "action"}, {"role": "tool", "content": "a.py\r\n", "agent": "main", "message_type": "observation", "tool_call_ids": ["q"]}, {"role": "assistant", "content": "Done.", "agent": "main", "message_type": "action"}], "info": {"exit_status": "submitted"}}`},
	{Name: "text only", JSON: `{"history": [{"role": "system", "content": "You fix bugs.", "agent": "primary", "message_type": "system_prompt"}, {"role": "assistant", "content": "A thought.", "agent": "primary", "message_type": "thought"}, {"role": "assistant", "content": "ls", "agent": "primary", "message_type": "action"}, {"role": "user", "content": "a.py", "agent": "primary", "message_type": "observation"}, {"role": "assistant", "content": "cat a.py", "agent": "primary", "message_type": "action"}, {"role": "user", "content": [{"type": "text", "text": "print(1)"}], "agent": "primary", "message_type": "observation"}]}`},
	{Name: "old, only ids", JSON: `{"history":[{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_ids":["a"]},{"role":"tool","content":null,"tool_call_ids":["b"]},{"role":"user","content":"thanks"}]}`},
}

func TestSWEAgent(t *testing.T) { formatstest.Run(t, formats.SWEAgent{}, sweAgentSamples) }

// In files without calls the first user turn is the task and every later one is output.
func TestSWEAgentTextOnly(t *testing.T) {
	raw := `{"history":[{"role":"system","content":"s"},{"role":"user","content":"task"},{"role":"assistant","content":"ls"},{"role":"user","content":"a.py"},{"role":"assistant","content":"submit"}]}`
	c, err := formats.Decode(formats.Record{Pos: formats.Position{File: "x/Run.TRAJ"}, Raw: []byte(raw)}, []formats.Dialect{formats.SWEAgent{}})
	if err != nil {
		t.Fatal(err)
	}
	want := []formats.Role{formats.RoleSystem, formats.RoleUser, formats.RoleAssistant, formats.RoleTool, formats.RoleAssistant}
	for i, m := range c.Messages {
		if m.Role != want[i] {
			t.Errorf("message %d is %s, want %s", i, m.Role, want[i])
		}
	}
	p := formats.Pair(c.Messages)
	if len(p.Open) != 0 || len(p.Orphans) != 0 || len(p.Atoms) != 4 {
		t.Errorf("%d open, %d orphans, atoms %v", len(p.Open), len(p.Orphans), p.Atoms)
	}
	// A summary in the place of a turn is neither a command nor output when read again.
	summary := c.NewMessage(formats.RoleUser, "summary")
	out := c.With([]*formats.Message{c.Messages[0], c.NewMessage(formats.RoleAssistant, "earlier"), summary, c.Messages[2], c.Messages[3]}).Bytes()
	again, err := formats.DecodeAs(formats.Record{Raw: out}, formats.SWEAgent{})
	if err != nil {
		t.Fatal(err)
	}
	if m := again.Messages[2]; m.Role != formats.RoleUser || m.Text() != "summary" {
		t.Errorf("the summary is read back as %s %q\n%s", m.Role, m.Text(), out)
	}
	if m := again.Messages[4]; m.Role != formats.RoleTool {
		t.Errorf("the output is read back as %s", m.Role)
	}
}

package formats_test

import (
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

var responsesSamples = []formatstest.Sample{
	{Name: "request", JSON: `{"model":"gpt-5","instructions":"Be brief.","input":[{"role":"user","content":"list \ud83d <&>"},{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"I look."}],"encrypted_content":"AAAA"},{"type":"function_call","id":"fc_1","call_id":"c1","name":"ls","arguments":"{\"path\": \".\", \"n\": 1.10}"},{"type":"function_call","call_id":"c2","name":"ls","arguments":"{}"},{"type":"function_call_output","call_id":"c2","output":"b.go\n"},{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"a.go"},{"type":"input_image","image_url":"data:"}]},{"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"two files","annotations":[]}]}],"tools":[{"type":"function","name":"ls"}]}`},
	{Name: "items as a list", JSON: `[{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]}, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]}, {"type": "custom_tool_call", "call_id": "p", "name": "apply_patch", "input": "*** Begin\n"}, {"type": "custom_tool_call_output", "call_id": "p", "output": "ok"}, {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"}, 7, null, {"type": "item_reference", "id": "y"}]`},
	{Name: "messages without a type", JSON: `{"input":[{"role":"developer","content":"Be brief."},{"role":"user","content":"go"},{"role":"assistant","content":"done"}],"model":"gpt-5"}`},
	{Name: "response", JSON: `{"id":"resp_1","object":"response","output":[{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},{"type":"web_search_call","id":"ws","status":"completed"},{"type":"computer_call","call_id":"cc","action":{"type":"click","x":1.0}},{"type":"computer_call_output","call_id":"cc","output":{"type":"computer_screenshot"}},{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]},{"type":"function_call","call_id":"open","name":"g","arguments":""}]}`},
}

func TestResponses(t *testing.T) { formatstest.Run(t, formats.Responses{}, responsesSamples) }

// A reasoning item stays with what it led to.
func TestReasoningIsNotParted(t *testing.T) {
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(responsesSamples[0].JSON)}, formats.Responses{})
	if err != nil {
		t.Fatal(err)
	}
	atoms := formats.Pair(c.Messages).Atoms
	// instructions, the question, reasoning with both calls and answers, the reply
	want := []formats.Atom{{Start: 0, End: 1}, {Start: 1, End: 2}, {Start: 2, End: 7}, {Start: 7, End: 8}}
	if len(atoms) != len(want) {
		t.Fatalf("atoms %v, want %v", atoms, want)
	}
	for i := range want {
		if atoms[i] != want[i] {
			t.Errorf("atoms %v, want %v", atoms, want)
		}
	}
}

// A compacted record whose calls are all in the summary is still one; a list of chat messages is none.
func TestItemsThatAreMessages(t *testing.T) {
	const turns = `[{"role":"user","content":"go"},{"role":"assistant","content":"done"}]`
	for raw, want := range map[string]string{
		`{"input":` + turns + `}`: "responses", `{"input":` + turns + `,"messages":` + turns + `}`: "openai", turns: "openai",
		`{"input":{"messages":` + turns + `}}`: "openai", `{"input":"go"}`: "", `{"output":` + turns + `}`: "",
	} {
		c, err := formats.Decode(formats.Record{Raw: []byte(raw)}, []formats.Dialect{formats.Responses{}, formats.OpenAI{}})
		if err != nil || c.Dialect != want {
			t.Errorf("%s: %q, want %q (%v)", raw, c.Dialect, want, err)
		}
	}
	for _, raw := range []string{turns, `{"output":` + turns + `}`, `{"response":{"output":` + turns + `}}`} {
		if c, err := formats.DecodeAs(formats.Record{Raw: []byte(raw)}, formats.Responses{}); err != nil || len(c.Messages) != 2 {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

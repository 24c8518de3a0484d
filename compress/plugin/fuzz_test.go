package plugin

import (
	"encoding/json"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
)

// Whatever a program answers is an answer, an error of it or a breach of the protocol, and never a panic.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":7,"result":{"messages":[]}}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":7,"result":null}`, `{"jsonrpc":"2.0","id":7,"result":null,"error":{}}`, `{"jsonrpc":"2.0","id":7}`,
		`{"jsonrpc":"2.0","id":"7","result":1}`, `{"id":7}`, `null`, `[]`, ``, `   `, `{"jsonrpc":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var result struct {
			Messages []json.RawMessage `json:"messages"`
		}
		answered, err := read(line, "compress", 7, &result)
		if !answered && err == nil {
			t.Error("neither an answer nor an error")
		}
		if err != nil && visible(err.Error()) != err.Error() {
			t.Errorf("%q cannot be shown", err)
		}
	})
}

// Whatever list comes back is refused, or is one that can be written, read again, and checked.
func FuzzResolve(f *testing.F) {
	openAI := `{"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"u"}]},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"a","content":"r"},{"role":"critic","content":"x"},{"role":"user","content":"v"}]}`
	hermes := `{"conversations":[{"from":"system","value":"s"},{"from":"human","value":"u"},` +
		`{"from":"gpt","value":"c\n<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>"},` +
		`{"from":"tool","value":"<tool_response>\n{\"name\": \"f\", \"content\": \"r\"}\n</tool_response>\n<tool_response>\n{\"name\": \"g\", \"content\": \"r\"}\n</tool_response>"},{"from":"human","value":"v"}]}`
	anthropic := `{"system":"s","messages":[{"role":"user","content":"u"},{"role":"assistant","content":[{"type":"text","text":"c"},` +
		`{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"},{"type":"text","text":"v"}]}]}`
	for _, record := range []string{openAI, hermes, anthropic} {
		conv, err := formats.Decode(formats.Record{Raw: []byte(record)}, dialects())
		if err != nil || !conv.HasMessages() {
			f.Fatal(record, err)
		}
		sent, err := json.Marshal(newMapping(conv).messages())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(record, string(sent))
		f.Add(record, `[{"role":"system","content":"s and more"},{"role":"user","content":"v"}]`)
		f.Add(record, `[null,7,{"role":"tool","tool_call_id":"a","content":["x"]},{"role":"assistant","tool_calls":[{}]}]`)
	}
	f.Fuzz(func(t *testing.T, record, answer string) {
		conv, err := formats.Decode(formats.Record{Raw: []byte(record)}, dialects())
		var back []json.RawMessage
		if err != nil || !conv.HasMessages() || json.Unmarshal([]byte(answer), &back) != nil {
			return
		}
		before := string(conv.Bytes())
		list, origin, err := newMapping(conv).resolve(back)
		if string(conv.Bytes()) != before {
			t.Error("the conversation itself was written to")
		}
		if err != nil {
			return
		}
		if len(list) != len(origin) {
			t.Errorf("%d messages, %d origins", len(list), len(origin))
		}
		_ = compress.CheckOutput(conv.Messages, list) // nothing panics
		if err := formats.Validate(conv.With(list).Bytes()); err != nil {
			t.Errorf("the output is no JSON: %v", err)
		}
	})
}

func FuzzParseManifest(f *testing.F) {
	for _, seed := range []string{"name: a\ncommand: [b]\nversion: 1.0", "", "- x", "name: [", "a: &b [*b]", "command: {a: b}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := ParseManifest(data); err == nil && (!ValidName(m.Name) || len(m.Command) == 0) {
			t.Errorf("%+v is no manifest", m)
		}
	})
}

package targets

import (
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

func record(t *testing.T, raw string) Record {
	t.Helper()
	c, err := formats.Decode(formats.Record{Raw: []byte(raw)}, []formats.Dialect{formats.Anthropic{}, formats.OpenAI{}, formats.Hermes{}, formats.ShareGPT{}})
	if err != nil {
		t.Fatal(err)
	}
	return Record{Conversation: c, Payload: []byte(raw), Index: 4, Tokens: func() int { return 100 }, MaxLength: 100}
}

const (
	goodChat   = `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":{}}},{"id":"b","function":{"name":"f","arguments":{}}}]},{"role":"tool","tool_call_id":"b","content":"1"},{"role":"tool","tool_call_id":"a","content":"2"},{"role":"assistant","content":"x","weight":0}]}`
	goodAPI    = `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"assistant","content":"x","weight":0}]}`
	goodShare  = `{"conversations":[{"from":"system","value":"s"},{"from":"human","value":"u"},{"from":"function_call","value":"{\"name\": \"f\", \"arguments\": {}}"},{"from":"observation","value":"1"},{"from":"gpt","value":"x"}]}`
	goodClaude = `{"system":"s","messages":[{"role":"user","content":"u"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"text","text":"go on"}]},{"role":"assistant","content":"x"}]}`
)

func TestTargets(t *testing.T) {
	for _, test := range []struct{ target, raw, want string }{
		{"llamafactory", goodChat, ""},
		{"llamafactory", goodShare, ""},
		{"llamafactory", `{"conversations":[{"from":"human","value":"a"},{"from":"human","value":"b"}]}`, "Invalid role tag in messages: turn 1"},
		{"llamafactory", `{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"},{"from":"human","value":"c"}]}`, "Invalid message count in messages: 3"},
		{"llamafactory", `{"conversations":[{"from":"bing","value":"a"},{"from":"gpt","value":"b"}]}`, "Invalid role tag"},
		{"llamafactory", `{"conversations":[{"from":"gpt","value":"a"},{"from":"human","value":"b"}]}`, "Invalid role tag"},
		{"llamafactory", `{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"},{"from":"user","value":"a"},{"from":"gpt","value":"b"}]}`, "turn 2 is \"user\""},
		{"axolotl", goodChat, ""},
		{"axolotl", `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{broken"}}]}]}`, "Error parsing tool_calls arguments as JSON. Function: f, Arguments string: {broken"},
		{"axolotl", `{"messages":[{"role":"user","content":"a"},"b"]}`, "list[dict]"},
		{"trl", goodChat, ""},
		{"trl", goodShare, "KeyError: 'messages'"},
		{"trl", `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}`, "ArrowInvalid"},
		{"torchtune", goodChat, ""},
		{"torchtune", `{"messages":[{"role":"user","content":"a"}]}`, "at least length 2, but got 1"},
		{"torchtune", `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`, "Two consecutive user messages at index 1 and 0"},
		{"torchtune", `{"messages":[{"role":"user","content":"a"},{"role":"system","content":"b"}]}`, "System message at index 1"},
		{"torchtune", `{"messages":[{"role":"assistant","content":"a"},{"role":"user","content":"b"}]}`, "Assistant message before expected user"},
		{"verl", goodChat, "Parquet magic bytes not found"},
		{"openai-ft", goodAPI, ""},
		{"openai-ft", goodChat, "Invalid type for 'messages[2].tool_calls[1].function.arguments'"},
		{"openai-ft", `{"messages":[{"role":"user","content":"a"}]}`, "Example 5 must have at least one message from the assistant"},
		{"openai-ft", `{"messages":[{"role":"assistant","content":"a","foo":1},{"role":"critic","content":"b"},{"role":"user","content":"c"}]}`, `unexpected key "foo"|role "critic" is not one of|the last message must be from the assistant`},
		{"openai-ft", goodShare, "missing key|role \"human\"|unexpected key \"from\""},
		{"anthropic", goodClaude, ""},
		{"anthropic", goodChat, `Unexpected role "system"|Unexpected role "tool"`},
		{"anthropic", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"assistant","content":[]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"z","content":"1"}]}]}`,
			`first message must use the "user" role|multiple "assistant" roles in a row|messages.1: all messages must have non-empty content|messages.0: ` + "`tool_use` ids were found without|messages.2.content.0: unexpected `tool_use_id`"},
		{"anthropic", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}]}`, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a"},
		{"openai", goodAPI, ""},
		{"openai", goodShare, "Missing required parameter: 'messages[0].role'."},
		{"openai", goodClaude, "Invalid value: 'tool_use'. Supported values are: 'text',|Invalid value: 'tool_result'."},
		{"openai", `{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"critic","content":"b"}]}`, "Invalid value: 'critic'. Supported values are: 'system',"},
		{"openai", goodChat, "expected a string, but got an object instead"},
		{"openai", `{"messages":[{"role":"tool","tool_call_id":"z","content":"1"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"wait"}]}`,
			"messages with role 'tool' must be a response|did not have response messages: a"},
		{"mistral", goodChat, ""},
		{"mistral", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"user","content":"b"}]}`, "Unexpected role 'user' after role 'tool'"},
		{"mistral", `{"messages":[{"role":"assistant","content":"a"},{"role":"exit","content":"b"}]}`, "after role 'nothing'|Only user, assistant and tool roles"},
		{"openai", `{"text":"x"}`, "there is no conversation"},
	} {
		target, ok := ByName(test.target)
		if !ok {
			t.Fatal(test.target)
		}
		var got []string
		for _, b := range target.Check(record(t, test.raw)) {
			got = append(got, b.Text)
			if b.Rule == "" {
				t.Errorf("%s: a breach without a rule: %s", test.target, b.Text)
			}
		}
		all := strings.Join(got, "\n")
		if test.want == "" {
			if all != "" {
				t.Errorf("%s refuses %s:\n%s", test.target, test.raw, all)
			}
			continue
		}
		for _, want := range strings.Split(test.want, "|") {
			if !strings.Contains(all, want) {
				t.Errorf("%s on %s:\n%s\nwant %s", test.target, test.raw, all, want)
			}
		}
	}
}

func TestVerlLength(t *testing.T) {
	target, _ := ByName("verl")
	r := record(t, goodChat)
	r.Parquet = true
	if b := target.Check(r); len(b) != 0 {
		t.Errorf("refused: %v", b)
	}
	r.MaxLength = 99
	if b := target.Check(r); len(b) != 1 || b[0].Text != "sequence_length=100 is larger than self.max_length=99" {
		t.Errorf("got %v", b)
	}
}

package targets

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/formats"
)

// summaryMark begins what the tests take for a summary.
const summaryMark = "SUMMARY"

func isSummary(m *formats.Message) bool { return strings.Contains(m.Text(), summaryMark) }

// adapted is the record after Adapt, and the kinds of change.
func adapted(t *testing.T, target Target, raw string) (out, kinds string) {
	t.Helper()
	c := record(t, raw).Conversation
	messages, changes := target.Adapt(c, c.Messages, isSummary)
	if got := string(c.Bytes()); got != raw {
		t.Fatalf("the record itself was changed:\n%s", got)
	}
	var list []string
	for _, change := range changes {
		list = append(list, fmt.Sprintf("%s %d", change.Kind, change.Message))
	}
	return string(c.With(messages).Bytes()), strings.Join(list, ", ")
}

func TestAdapt(t *testing.T) {
	for _, test := range []struct{ target, name, raw, want, kinds string }{
		{"llamafactory", "names", `{"conversations":[{"from":"system_prompt","value":"s"},{"from":"Human","value":"a","n":1.0},{"from":"tool_call","value":"{\"name\": \"f\", \"arguments\": {}}"},{"from":"tool_response","value":"1"},{"from":"bing","value":"b"}]}`,
			`{"conversations":[{"from":"system","value":"s"},{"from":"human","value":"a","n":1.0},{"from":"function_call","value":"{\"name\": \"f\", \"arguments\": {}}"},{"from":"observation","value":"1"},{"from":"gpt","value":"b"}]}`,
			"role_name 0, role_name 1, role_name 2, role_name 3, role_name 4"},
		{"llamafactory", "one name a side", `{"conversations":[{"from":"user","value":"a"},{"from":"gpt","value":"b"},{"from":"human","value":"c"},{"from":"assistant","value":"d"}]}`,
			`{"conversations":[{"from":"user","value":"a"},{"from":"assistant","value":"b"},{"from":"user","value":"c"},{"from":"assistant","value":"d"}]}`, "role_name 1, role_name 2"},
		{"llamafactory", "neighbours", `{"conversations":[{"from":"human","value":"a \u00e9 \ud800"},{"from":"human","value":"b"},{"from":"gpt","value":"c"},{"from":"gpt","value":"d"}]}`,
			`{"conversations":[{"from":"human","value":"a \u00e9 \ud800\n\nb"},{"from":"gpt","value":"c\n\nd"}]}`, "join_turns 1, join_turns 3"},
		{"llamafactory", "text, then a call", `{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"I look."},{"from":"function_call","value":"{\"name\": \"f\", \"arguments\": {}}"},{"from":"observation","value":"1"},{"from":"observation","value":"2"},{"from":"gpt","value":"d"}]}`,
			`{"conversations":[{"from":"human","value":"a"},{"from":"function_call","value":"I look.\n\n<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>"},{"from":"observation","value":"1\n\n2"},{"from":"gpt","value":"d"}]}`, "join_turns 2, join_turns 4"},
		{"llamafactory", "a later system text", `{"messages":[{"role":"developer","content":"s"},{"role":"user","content":"a"},{"role":"system","content":"be brief"},{"role":"assistant","content":"b"}]}`,
			`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a\n\n[System message]\nbe brief"},{"role":"assistant","content":"b"}]}`, "role_name 0, fold_system 2"},
		{"llamafactory", "nothing to mend", `{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"},{"from":"human","value":"c"}]}`,
			`{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"},{"from":"human","value":"c"}]}`, ""},
		{"torchtune", "a system text before the user", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"system","content":"x"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"[System message]\nx\n\nc"},{"role":"assistant","content":"d"}]}`, "fold_system 2"},
		{"torchtune", "a system text before a summary", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"system","content":"x"},{"role":"user","content":"SUMMARY"},{"role":"assistant","content":"d"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"SUMMARY\n\n[System message]\nx"},{"role":"assistant","content":"d"}]}`, "fold_system 2"},
		{"torchtune", "a system text without a neighbour", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"i","content":"1"},{"role":"system","content":"x"},{"role":"assistant","content":"d"}]}`,
			`{"messages":[{"role":"user","content":"a\n\n[System message]\nx"},{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"i","content":"1"},{"role":"assistant","content":"d"}]}`, "fold_system 3"},
		{"torchtune", "two system texts in front", `{"messages":[{"role":"system","content":"a"},{"role":"system","content":"b"},{"role":"user","content":[{"type":"text","text":"c"}]},{"role":"user","content":"d"},{"role":"assistant","content":"e"}]}`,
			`{"messages":[{"role":"system","content":"a\n\nb"},{"role":"user","content":[{"type":"text","text":"c"}, {"type": "text", "text": "d"}]},{"role":"assistant","content":"e"}]}`, "join_turns 1, join_turns 3"},
		{"torchtune", "a text and a call", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"i","content":"1"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","tool_calls":[{"id":"i","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"i","content":"1"}]}`, "join_turns 2"},
		{"torchtune", "turns that carry different things", `{"messages":[{"role":"user","content":"a","name":"Ada"},{"role":"user","content":"b","name":"Bob"},{"role":"assistant","content":"c","weight":0},{"role":"assistant","content":"d"}]}`,
			`{"messages":[{"role":"user","content":"a","name":"Ada"},{"role":"user","content":"b","name":"Bob"},{"role":"assistant","content":"c","weight":0},{"role":"assistant","content":"d"}]}`, ""},
		{"trl", "arguments", `{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{\"n\": 1.10, \"s\": \"\\u00e9\"}"}},{"id":"k","function":{"name":"f","arguments":""}},{"id":"l","function":{"name":"f","arguments":"[1"}}]}]}`,
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":{"n": 1.10, "s": "\u00e9"}}},{"id":"k","function":{"name":"f","arguments":{}}},{"id":"l","function":{"name":"f","arguments":"[1"}}]}]}`, "arguments 0, arguments 0"},
		{"openai", "arguments", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":{"n": 1.10}}}]},{"role":"tool","tool_call_id":"i","content":"1"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{\"n\": 1.10}"}}]},{"role":"tool","tool_call_id":"i","content":"1"}]}`, "arguments 1"},
		{"openai", "a result far from its call", `{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{}"}},{"id":"k","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"k","content":"2"},{"role":"user","content":"wait"},{"role":"tool","tool_call_id":"i","content":"1"}]}`,
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{}"}},{"id":"k","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"k","content":"2"},{"role":"tool","tool_call_id":"i","content":"1"},{"role":"user","content":"wait"}]}`, "move_result 3"},
		{"openai", "no mask", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"SUMMARY","weight":0},{"role":"user","content":"a"},{"role":"assistant","content":"b","weight":0}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"SUMMARY"},{"role":"user","content":"a"},{"role":"assistant","content":"b","weight":0}]}`, "mask 1"},
		{"openai-ft", "a mask", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"SUMMARY"},{"role":"assistant","content":"b"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"SUMMARY","weight":0},{"role":"assistant","content":"b"}]}`, "mask 1"},
		{"axolotl", "a mask", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"SUMMARY","weight":0},{"role":"assistant","content":"b"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"SUMMARY","weight":0,"train":false},{"role":"assistant","content":"b"}]}`, "mask 1"},
		{"axolotl", "the record's own mask", `{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"SUMMARY"},{"from":"gpt","value":"b","training":true}]}`,
			`{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"SUMMARY","training":false},{"from":"gpt","value":"b","training":true}]}`, "mask 1"},
		{"anthropic", "neighbours and results", `{"system":"s","messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"b"}]},{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"f","input":{}}]},{"role":"user","content":"wait"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","content":"1"}]},{"role":"assistant","content":"c"},{"role":"assistant","content":"d"}]}`,
			`{"system":"s","messages":[{"role":"user","content":[{"type": "text", "text": "a"}, {"type":"text","text":"b"}]},{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","content":"1"}, {"type": "text", "text": "wait"}]},{"role":"assistant","content":"c\n\nd"}]}`,
			"move_result 5, join_turns 2, join_turns 4, join_turns 7"},
		{"mistral", "neighbours", `{"messages":[{"role":"user","content":"a"},{"role":"user","content":""},{"role":"assistant","content":"b"},{"role":"assistant","content":"c"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b\n\nc"}]}`, "join_turns 1, join_turns 3"},
		{"verl", "nothing", goodChat, goodChat, ""},
	} {
		t.Run(test.target+"/"+test.name, func(t *testing.T) {
			target, _ := ByName(test.target)
			out, kinds := adapted(t, target, test.raw)
			if out != test.want {
				t.Errorf("\n got %s\nwant %s", out, test.want)
			}
			if kinds != test.kinds {
				t.Errorf("changes %s, want %s", kinds, test.kinds)
			}
			if again, kinds := adapted(t, target, out); again != out || kinds != "" {
				t.Errorf("adapting again (%s):\n got %s\nwant %s", kinds, again, out)
			}
		})
	}
}

// A long run of turns of one side, and of notes of the system, takes time in proportion to its length.
func TestAdaptLongRuns(t *testing.T) {
	const turns = 10000
	var b strings.Builder
	b.WriteString(`{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":"yes"}`)
	for range turns {
		b.WriteString(`,{"role":"user","content":"one more line of what the user wanted to say"},{"role":"system","content":"a note"}`)
	}
	b.WriteString(`,{"role":"assistant","content":"done"}]}`)
	for _, name := range []string{"llamafactory", "torchtune", "mistral", "anthropic"} {
		target, _ := ByName(name)
		c := record(t, b.String()).Conversation
		start := time.Now()
		messages, changes := target.Adapt(c, c.Messages, isSummary)
		if len(messages) != 4 || len(changes) != 2*turns-1 {
			t.Errorf("%s: %d messages, %d changes", name, len(messages), len(changes))
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

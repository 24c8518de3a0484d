package formats_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

const openCall = `{"id":"%s","type":"function","function":{"name":"f","arguments":"{}"}}`

func chatCalls(ids ...string) string {
	var calls []string
	for _, id := range ids {
		calls = append(calls, fmt.Sprintf(openCall, id))
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}`
}

func TestConvertMendsPairs(t *testing.T) {
	const stub, shared = "[No result was recorded for this call]", "[Answered together with another call of this turn]"
	user, done := `{"role":"user","content":"go"}`, `{"role":"assistant","content":"done"}`
	answer := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"` + id + `!"}` }
	for _, test := range []struct {
		name, from, raw, to, want, loss, mended string
	}{
		{"in order", "openai", chatMessages(user, chatCalls("a", "b"), answer("b"), answer("a"), done), "anthropic",
			"u:go a:(a)(b) t:[b=b!][a=a!] a:done", "map[]", "map[]"},
		{"a stub", "openai", chatMessages(user, chatCalls("a", "b"), answer("b"), done), "anthropic",
			"u:go a:(a)(b) t:[b=b!][a=" + stub + "] a:done", "map[]", "map[stubs for calls without a result:1]"},
		{"a result that comes late", "openai", chatMessages(user, chatCalls("a"), user, done, answer("a"), done), "hermes",
			"u:go a:(a) t:[a=a!] u:go a:done a:done", "map[]", "map[results moved behind their call:1]"},
		{"calls that cross", "openai", chatMessages(user, chatCalls("a"), chatCalls("b"), answer("a"), answer("b"), done), "anthropic",
			"u:go a:(a) t:[a=a!] a:(b) t:[b=b!] a:done", "map[]", "map[results moved behind their call:1]"},
		{"an orphan", "openai", chatMessages(user, answer("z"), done), "anthropic", "u:go a:done", "map[tool results without a call:1]", "map[]"},
		{"in flight", "openai", chatMessages(user, chatCalls("a", "b"), answer("a")), "anthropic", "u:go a:(a)(b) t:[a=a!]", "map[]", "map[]"},
		{"in flight, then a system text", "openai", chatMessages(user, chatCalls("a"), `{"role":"system","content":"s"}`), "hermes", "u:go a:(a) s:s", "map[]", "map[]"},
		{"an id twice", "openai", chatMessages(user, chatCalls("a"), answer("a"), chatCalls("a"), done), "anthropic",
			"u:go a:(a) t:[a=a!] a:(a) t:[a=" + stub + "] a:done", "map[]", "map[stubs for calls without a result:1]"},
		{"items of a turn", "responses", `{"input":[{"role":"user","content":"go"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call","call_id":"b","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"1"},{"type":"function_call_output","call_id":"b","output":"2"}]}`, "openai",
			"u:go a:(a)(b) t:[a=1] t:[b=2]", "map[]", "map[]"},
		{"one text for two calls", "sharegpt", `{"conversations":[{"from":"human","value":"go"},{"from":"function_call","value":"[{\"name\":\"f\",\"arguments\":{}},{\"name\":\"g\",\"arguments\":{}}]"},{"from":"observation","value":"both"},{"from":"gpt","value":"done"}]}`, "openai",
			"u:go a:(call_1)(call_2) t:[call_1=both] t:[call_2=" + shared + "] a:done", "map[]", "map[stubs for calls that share a result:1]"},
		{"a list for two calls", "sharegpt", `{"conversations":[{"from":"human","value":"go"},{"from":"function_call","value":"[{\"name\":\"f\",\"arguments\":{}},{\"name\":\"g\",\"arguments\":{}}]"},{"from":"observation","value":"[\"one\", \"two\"]"},{"from":"gpt","value":"done"}]}`, "openai",
			"u:go a:(call_1)(call_2) t:[call_1=one] t:[call_2=two] a:done", "map[]", "map[]"},
		{"an observation without a call", "atif", `{"schema_version":"ATIF-v1.6","steps":[{"source":"user","message":"go"},{"source":"agent","message":"ls","observation":{"results":[{"content":"a.go"}]}},{"source":"agent","message":"done"}]}`, "openai",
			"u:go a:ls u:a.go a:done", "map[]", "map[]"},
		{"a turn that says nothing", "openai", chatMessages(user, `{"role":"assistant","content":""}`, user), "anthropic", "u:go\ngo", "map[turns that say nothing:1]", "map[]"},
		{"a person who says nothing", "openai", chatMessages(user, `{"role":"user","content":""}`, done), "hermes", "u:go a:done", "map[turns that say nothing:1]", "map[]"},
		{"a step that only calls", "atif", `{"schema_version":"ATIF-v1.6","steps":[{"source":"user","message":"go"},{"source":"agent","message":"","tool_calls":[{"tool_call_id":"a","function_name":"f","arguments":{}}],"observation":{"results":[{"source_call_id":"a","content":"1"}]}},{"source":"agent","message":"","tool_calls":[{"tool_call_id":"b","function_name":"f","arguments":{}}],"observation":{"results":[{"source_call_id":"b","content":"2"}]}}]}`, "openai",
			"u:go a:(a) t:[a=1] a:(b) t:[b=2]", "map[]", "map[]"},
		{"neighbours", "openai", chatMessages(user, user, `{"role":"assistant","content":"a"}`, strings.Replace(chatCalls("c"), "null", `"b"`, 1), answer("c"), done), "sharegpt",
			"u:go\n\ngo a:a\n\nb\n() t:[=c!] a:done", "map[]", "map[neighbouring turns joined:2]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := formats.DecodeAs(formats.Record{Raw: []byte(test.raw)}, dialectNamed(test.from))
			if err != nil {
				t.Fatal(err)
			}
			out, err := formats.Convert(c, test.to)
			if err != nil {
				t.Fatal(err)
			}
			after, err := formats.DecodeAs(formats.Record{Raw: out.Payload}, dialectNamed(test.to))
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(after); got != test.want {
				t.Errorf("\n got %q\nwant %q\n%s", got, test.want, out.Payload)
			}
			if loss, mended := fmt.Sprint(out.Loss), fmt.Sprint(out.Mended); loss != test.loss || mended != test.mended {
				t.Errorf("loss %s, mended %s; want %s, %s", loss, mended, test.loss, test.mended)
			}
		})
	}
}

func chatMessages(messages ...string) string {
	return `{"messages":[` + strings.Join(messages, ",") + `]}`
}

// A session keeps the bytes of its blocks, thinking and its signature too; pairs are mended as in any other dialect.
func TestSessionMendsPairs(t *testing.T) {
	message := func(id, parent, rest string) string {
		return `{"type":"message","id":"` + id + `","parentId":"` + parent + `","message":` + rest + `}`
	}
	c := session(t, formats.Pi{},
		`{"type":"session","id":"S","version":3}`,
		message("1", "", `{"role":"user","content":"go"}`),
		message("2", "1", `{"role":"assistant","content":[{"type":"thinking","thinking":"\u00e9","thinkingSignature":"c2ln"},{"type":"toolCall","id":"a","name":"f","arguments":{"n":1.10}},{"type":"toolCall","id":"b","name":"f","arguments":{}}]}`),
		message("3", "2", `{"role":"user","content":"wait"}`),
		message("4", "3", `{"role":"toolResult","toolCallId":"a","content":[{"type":"text","text":"one"}]}`),
		message("5", "4", `{"role":"toolResult","toolCallId":"z","content":"lost"}`),
		message("6", "5", `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"f","arguments":{}}]}`))
	out, err := formats.Convert(c, "anthropic")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id": "S", "messages": [{"role": "user", "content": [{"type": "text", "text": "go"}]}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "\u00e9", "signature": "c2ln"}, {"type": "tool_use", "id": "a", "name": "f", "input": {"n":1.10}}, {"type": "tool_use", "id": "b", "name": "f", "input": {}}]}, ` +
		`{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "one"}]}, {"type": "tool_result", "tool_use_id": "b", "content": "[No result was recorded for this call]"}, {"type": "text", "text": "wait"}]}, {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}]}`
	if string(out.Payload) != want {
		t.Errorf("\n got %s\nwant %s", out.Payload, want)
	}
	if fmt.Sprint(out.Loss, out.Mended) != "map[tool results without a call:1] map[results moved behind their call:1 stubs for calls without a result:1]" {
		t.Errorf("loss %v, mended %v", out.Loss, out.Mended)
	}
}

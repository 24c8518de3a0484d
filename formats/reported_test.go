package formats

import (
	"reflect"
	"testing"
	"time"
)

// at is a time of the tests.
func at(second int) time.Time { return time.Date(2026, 3, 2, 10, 0, second, 0, time.UTC) }

func TestReportedOfMessages(t *testing.T) {
	for _, test := range []struct {
		name, message string
		want          Reported
	}{
		{"OpenAI", `"usage":{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":{"cached_tokens":60}}`,
			Reported{Prompt: 100, Completion: 7, CacheRead: 60}},
		{"OpenAI Responses", `"usage":{"input_tokens":100,"output_tokens":7,"input_tokens_details":{"cached_tokens":60}}`,
			Reported{Prompt: 100, Completion: 7, CacheRead: 60}},
		{"Codex", `"usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":7}`, Reported{Prompt: 100, Completion: 7, CacheRead: 60}},
		{"Anthropic: what is cached comes on top", `"usage":{"input_tokens":3,"cache_read_input_tokens":60,"cache_creation_input_tokens":30,"output_tokens":7}`,
			Reported{Prompt: 93, Completion: 7, CacheRead: 60, CacheWrite: 30}},
		{"Anthropic without a cache", `"usage":{"input_tokens":100,"output_tokens":7}`, Reported{Prompt: 100, Completion: 7}},
		{"pi: on top, too", `"usage":{"input":3,"output":7,"cacheRead":60,"cacheWrite":30,"totalTokens":100}`,
			Reported{Prompt: 93, Completion: 7, CacheRead: 60, CacheWrite: 30}},
		{"ATIF", `"metrics":{"prompt_tokens":100,"completion_tokens":7,"cached_tokens":60}`, Reported{Prompt: 100, Completion: 7, CacheRead: 60}},
		{"mini-SWE-agent", `"extra":{"response":{"usage":{"prompt_tokens":100,"completion_tokens":7},"created":1772445600}}`,
			Reported{Prompt: 100, Completion: 7, At: at(0)}},
		{"LangChain", `"usage_metadata":{"input_tokens":100,"output_tokens":7}`, Reported{Prompt: 100, Completion: 7}},
		{"LangChain, older", `"response_metadata":{"token_usage":{"prompt_tokens":100,"completion_tokens":7}}`, Reported{Prompt: 100, Completion: 7}},
		{"the first that says something", `"usage":{"prompt_tokens":0},"metrics":{"prompt_tokens":5}`, Reported{Prompt: 5}},
		{"no usage", `"usage":null`, Reported{}},
		{"usage that is no object", `"usage":"100"`, Reported{}},
		{"numbers that are no counts", `"usage":{"prompt_tokens":-5,"completion_tokens":1e300,"cached_tokens":"x"}`, Reported{}},
		{"a count with a fraction", `"usage":{"prompt_tokens":100.0}`, Reported{Prompt: 100}},
		{"more than any call has", `"usage":{"prompt_tokens":1e13}`, Reported{}},
		{"a time", `"timestamp":"2026-03-02T10:00:01Z"`, Reported{At: at(1)}},
		{"a time elsewhere", `"timestamp":"2026-03-02T12:00:01.000+02:00"`, Reported{At: at(1)}},
		{"a time without a zone", `"created_at":"2026-03-02T10:00:01"`, Reported{At: at(1)}},
		{"seconds", `"timestamp":1772445601`, Reported{At: at(1)}},
		{"milliseconds", `"timestamp":1772445601000`, Reported{At: at(1)}},
		{"no time", `"timestamp":"yesterday","created_at":-4,"extra":{"timestamp":true}`, Reported{}},
		{"the second place", `"timestamp":"yesterday","created_at":1772445601`, Reported{At: at(1)}},
	} {
		raw := []byte(`{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"a",` + test.message + `}]}`)
		c, err := DecodeAs(Record{Raw: raw}, OpenAI{})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got, want := c.Reported(), []Reported{{}, test.want}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", test.name, got, want)
		}
		if test.want.HasUsage() != (test.want.Prompt > 0) {
			t.Errorf("%s: has usage: %v", test.name, test.want.HasUsage())
		}
	}
}

// What is reported stands parallel to the messages, a system text outside the list included.
func TestReportedBesideASystemTextOutside(t *testing.T) {
	raw := []byte(`{"system":"s","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"a","usage":{"input_tokens":5}}]}`)
	c, err := DecodeAs(Record{Raw: raw}, Anthropic{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Reported(), []Reported{{}, {}, {Prompt: 5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Session logs keep usage in their own lines.
func TestReportedOfSessions(t *testing.T) {
	for _, test := range []struct {
		name    string
		dialect Dialect
		raw     string
		want    []Reported
	}{
		{"pi", Pi{}, `{"type":"session","id":"S","version":3}
{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"go"}}
{"type":"message","id":"2","parentId":"1","message":{"role":"assistant","content":[{"type":"text","text":"ok"}],"usage":{"input":3,"output":7,"cacheRead":60,"cacheWrite":30},"timestamp":1772445601000}}
`, []Reported{{}, {Prompt: 93, Completion: 7, CacheRead: 60, CacheWrite: 30, At: at(1)}}},
		{"Claude Code", ClaudeCode{}, `{"type":"user","uuid":"1","parentUuid":null,"sessionId":"S","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"S","timestamp":"2026-03-02T10:00:01Z","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":3,"cache_read_input_tokens":60,"cache_creation_input_tokens":30,"output_tokens":1}}}
{"type":"assistant","uuid":"3","parentUuid":"2","sessionId":"S","timestamp":"2026-03-02T10:00:02Z","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}],"usage":{"input_tokens":3,"cache_read_input_tokens":60,"cache_creation_input_tokens":30,"output_tokens":7}}}
`, []Reported{{}, {Prompt: 93, Completion: 7, CacheRead: 60, CacheWrite: 30, At: at(2)}}},
	} {
		c, err := DecodeAs(Record{Raw: []byte(test.raw), Session: true}, test.dialect)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got := c.Reported()
		if len(got) != len(test.want) {
			t.Fatalf("%s: %d messages: %+v", test.name, len(got), got)
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: message %d: %+v, want %+v", test.name, i, got[i], test.want[i])
			}
		}
	}
}

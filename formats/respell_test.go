package formats_test

import (
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

func TestMembers(t *testing.T) {
	raw := "{\"messages\": [\n  {\n    \"role\": \"assistant\",\n    \"weight\": 0,\n    \"content\": \"a\",\n    \"weight\": 1\n  },\n  {\"role\": \"user\", \"content\": \"b\"}, {}\n]}"
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(raw)}, formats.OpenAI{})
	if err != nil {
		t.Fatal(err)
	}
	c.Messages[0].RemoveMember("weight")
	c.Messages[0].RemoveMember("nothing")
	c.Messages[0].SetMember("train", "false")
	c.Messages[0].SetMember("train", "true")
	c.Messages[1].Rename("human")
	c.Messages[1].SetMember("train", "null")
	c.Messages[2].SetMember("train", "false")
	want := "{\"messages\": [\n  {\n    \"role\": \"assistant\",\n    \"content\": \"a\",\n    \"train\": true\n  },\n  {\"role\": \"human\", \"content\": \"b\", \"train\": null}, {}\n]}"
	if got := string(c.Bytes()); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if !c.Messages[0].Has("train") || c.Messages[1].Has("train") || c.Messages[2].Has("train") {
		t.Error("members that are there and those that are not")
	}
}

// Two messages become one only where nothing is lost.
func TestJoin(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{`{"role":"user","content":"a\ud800"}`, `{"role":"user","content":"b","x":null}`, `{"role":"user","content":"a\ud800\n\nb"}`},
		{`{"role":"user","content":null}`, `{"role":"user","content":[{"type":"image_url"}]}`, `{"role":"user","content":[{"type":"image_url"}]}`},
		{`{"role":"user","content":"a"}`, `{"role":"user","content":["b"]}`, `{"role":"user","content":[{"type": "text", "text": "a"}, "b"]}`},
		{`{"role":"user","content":"a"}`, `{"role":"user","content":7}`, ``},
		{`{"role":"user","content":"a"}`, `{"role":"assistant","content":"b"}`, ``},
		{`{"role":"system","content":"a"}`, `{"role":"developer","content":"b"}`, ``},
		{`{"role":"user","content":"a","name":"x"}`, `{"role":"user","content":"b"}`, ``},
		{`{"role":"user","content":"a"}`, `{"role":"user","content":"b","name":"x"}`, ``},
		{`{"role":"assistant","content":"a","reasoning_content":"hm"}`, `{"role":"assistant","content":"b"}`, ``},
		{`{"role":"assistant","content":"a"}`, `{"role":"assistant","content":"b","reasoning_content":"hm","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}`, ``},
		{`{"role":"assistant","content":"a"}`, `{"role":"assistant","content":"b","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}`, `{"role":"assistant","content":"a\n\nb","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}`},
		{`{"role":"assistant","content":"a","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}`, `{"role":"assistant","content":"b"}`, ``},
		{`{"role":"tool","content":"a","tool_call_id":"1"}`, `{"role":"tool","content":"b","tool_call_id":"1"}`, ``},
		{`7`, `8`, ``},
	} {
		c, err := formats.DecodeAs(formats.Record{Raw: []byte(`{"messages":[{"role":"user","content":"x"},` + test.a + `,` + test.b + `]}`)}, formats.OpenAI{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m := formats.Join(c.Messages[1], c.Messages[2]); m != nil {
			got = string(m.Bytes())
		}
		if got != test.want {
			t.Errorf("%s and %s:\n got %s\nwant %s", test.a, test.b, got, test.want)
		}
		if string(c.Messages[1].Bytes()) != test.a || string(c.Messages[2].Bytes()) != test.b {
			t.Errorf("what was joined changed: %s, %s", c.Messages[1].Bytes(), c.Messages[2].Bytes())
		}
	}
}

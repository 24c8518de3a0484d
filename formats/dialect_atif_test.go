package formats_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

var stepID = regexp.MustCompile(`"step_id": ?\d+`)

var atifSamples = []formatstest.Sample{
	{Name: "calls with results", Numbers: stepID, JSON: `{"schema_version":"ATIF-v1.6","session_id":"s","agent":{"name":"a","version":"1","model_name":"m","tool_definitions":[{"type":"function"}]},"steps":[{"step_id":1,"timestamp":"2026-01-01T00:00:00Z","source":"system","message":"Be brief."},{"step_id":2,"source":"user","message":"list \ud83d <&>"},{"step_id":3,"source":"agent","model_name":"m","reasoning_content":"hm","message":"I look.","tool_calls":[{"tool_call_id":"c1","function_name":"ls","arguments":{"path":".","n":1.10}},{"tool_call_id":"c2","function_name":"ls","arguments":{}}],"observation":{"results":[{"source_call_id":"c2","content":"b.go\n"},{"source_call_id":"c1","content":[{"type":"text","text":"a.go"},{"type":"image","source":{"path":"x.png"}}]}]},"metrics":{"cost_usd":1.0}},{"step_id":4,"source":"agent","message":"two files"}],"final_metrics":{"total_steps":4}}`},
	{Name: "loose", Numbers: stepID, JSON: `{"schema_version": "ATIF-v1.2", "steps": [{"step_id": 1, "source": "user", "message": [{"type": "text", "text": "go"}]}, {"step_id": 2, "source": "agent", "message": "ls", "observation": {"results": [{"content": "a"}, {"source_call_id": null, "content": null}]}}, {"step_id": 3, "source": "agent", "message": "", "tool_calls": [{"tool_call_id": "x", "function_name": "f", "arguments": {"e": "é"}}]}, {"step_id": 4, "source": "system", "message": "note", "observation": {"results": [{"content": "reset"}]}}, {"step_id": 5, "source": "agent", "message": "odd", "tool_calls": [{"tool_call_id": "y", "function_name": "g", "arguments": "{}"}], "observation": {"results": [{"source_call_id": "zz"}, 7]}}, 12]}`},
	{Name: "pretty, without numbers", JSON: "{\n  \"schema_version\": \"ATIF-v1.4\",\n  \"steps\": [\n    {\n      \"source\": \"user\",\n      \"message\": \"go\"\n    },\n    {\n      \"source\": \"agent\",\n      \"message\": \"\",\n      \"tool_calls\": [\n        {\n          \"tool_call_id\": \"1\",\n          \"function_name\": \"f\",\n          \"arguments\": {}\n        }\n      ],\n      \"observation\": {\n        \"results\": []\n      }\n    }\n  ]\n}"},
}

func TestATIF(t *testing.T) { formatstest.Run(t, formats.ATIF{}, atifSamples) }

// Steps that moved are counted anew from 1; steps that did not keep their bytes.
func TestATIFNumbers(t *testing.T) {
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(atifSamples[0].JSON)}, formats.ATIF{})
	if err != nil {
		t.Fatal(err)
	}
	less := c.With([]*formats.Message{c.Messages[0], c.NewMessage(formats.RoleUser, "summary"), c.Messages[3]})
	var out struct {
		Steps []struct {
			StepID int    `json:"step_id"`
			Source string `json:"source"`
		} `json:"steps"`
	}
	if err := json.Unmarshal(less.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	for i, s := range out.Steps {
		if s.StepID != i+1 {
			t.Errorf("step %d has the number %d", i+1, s.StepID)
		}
	}
	if len(out.Steps) != 3 || out.Steps[1].Source != "user" {
		t.Errorf("steps %v", out.Steps)
	}
}

// A result that is missing goes into the step of its call.
func TestATIFAddResult(t *testing.T) {
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(atifSamples[1].JSON)}, formats.ATIF{})
	if err != nil {
		t.Fatal(err)
	}
	m := c.Messages[2]
	if !c.AddResult(m, m.Calls()[0], "none") {
		t.Fatal("refused")
	}
	if r := m.Results(); len(r) != 1 || r[0].CallID != "x" || r[0].Text != "none" {
		t.Errorf("results %v in %s", r, m.Bytes())
	}
	if c.AddResult(c.Messages[0], m.Calls()[0], "none") {
		t.Error("a user's step took a result")
	}
}

// The number of steps is kept up where it was one; a number of something else is the record's own.
func TestATIFTotalSteps(t *testing.T) {
	for _, test := range []struct{ metrics, want string }{
		{`{"total_steps":2}`, `{"total_steps":3}`},
		{`{"total_cost_usd":1.0, "total_steps" : 2}`, `{"total_cost_usd":1.0, "total_steps" : 3}`},
		{`{"total_steps":40}`, `{"total_steps":40}`},
		{`{"total_steps":2.0}`, `{"total_steps":2.0}`},
		{`{"total_steps":null}`, `{"total_steps":null}`},
		{`7`, `7`},
	} {
		steps := `"steps":[{"source":"user","message":"a"},{"source":"agent","message":"b"}]`
		for _, layout := range []string{`{"schema_version":"ATIF-v1.6",` + steps + `,"final_metrics":%s}`, `{"schema_version":"ATIF-v1.6","final_metrics":%s,` + steps + `}`} {
			raw := strings.Replace(layout, "%s", test.metrics, 1)
			c, err := formats.DecodeAs(formats.Record{Raw: []byte(raw)}, formats.ATIF{})
			if err != nil {
				t.Fatal(err)
			}
			if out := string(c.Bytes()); out != raw {
				t.Errorf("changed without an edit: %s", out)
			}
			out := string(c.With(append(slices.Clone(c.Messages), c.NewMessage(formats.RoleUser, "c"))).Bytes())
			want := strings.Replace(layout, "%s", test.want, 1)
			want = strings.Replace(want, `"b"}]`, `"b"},{"source":"user","message":"c"}]`, 1)
			if out != want {
				t.Errorf("\n got %s\nwant %s", out, want)
			}
		}
	}
}

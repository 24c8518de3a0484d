package formats_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

var agentDialects = []struct {
	dialect formats.Dialect
	samples []formatstest.Sample
}{
	{formats.Anthropic{}, anthropicSamples},
	{formats.Responses{}, responsesSamples},
	{formats.ATIF{}, atifSamples},
	{formats.SWEAgent{}, sweAgentSamples},
}

// FuzzAgentDialects: what FuzzDecode promises, for the dialects of agents, each asked for by name.
func FuzzAgentDialects(f *testing.F) {
	for k, d := range agentDialects {
		for i, s := range d.samples {
			f.Add([]byte(s.JSON), uint8(k), "text", i)
			f.Add([]byte(s.JSON), uint8(k), "\xff\"", i+1)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8, text string, at int) {
		d := agentDialects[int(which)%len(agentDialects)].dialect
		c, err := formats.DecodeAs(formats.Record{Raw: data}, d)
		if err != nil {
			return
		}
		if !bytes.Equal(c.Bytes(), data) {
			t.Fatalf("changed without an edit:\n%s\n%s", data, c.Bytes())
		}
		formats.Pair(c.Messages)
		for i, m := range c.Messages {
			touch(m, text, at+i)
			c.AddResult(m, &formats.ToolCall{ID: text}, text)
		}
		out := c.Bytes()
		if !json.Valid(out) {
			t.Fatalf("no JSON after editing %s:\n%s", data, out)
		}
		again, err := formats.DecodeAs(formats.Record{Raw: out}, d)
		if err != nil {
			t.Fatalf("%v after editing %s:\n%s", err, data, out)
		}
		if d.Name() == "swe-agent" {
			return // what a turn is there depends on others
		}
		if got, want := formatstest.Show(again.Messages), formatstest.Show(c.Messages); got != want {
			t.Fatalf("%s\nwritten as %s\nread back:\n%s\nin memory:\n%s", data, out, got, want)
		}
	})
}

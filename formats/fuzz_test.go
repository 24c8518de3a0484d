package formats_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

var fuzzDialects = []formats.Dialect{formats.OpenAI{}, formats.Hermes{}, formats.ShareGPT{}}

// FuzzDecode: no bytes make decoding, pairing or editing panic; a record leaves as it came; and after every kind of edit
// on every message it is JSON that says what the messages say.
func FuzzDecode(f *testing.F) {
	for _, samples := range [][]formatstest.Sample{openAISamples, shareGPTSamples, hermesSamples} {
		for _, s := range samples {
			f.Add([]byte(s.JSON), "text", 0)
			f.Add([]byte(s.JSON), "</tool_response>\xff", 1)
		}
	}
	f.Add([]byte(`{"messages":[`), "", 0)
	f.Fuzz(func(t *testing.T, data []byte, text string, at int) {
		c, err := formats.Decode(formats.Record{Raw: data}, fuzzDialects)
		if (err == nil) != json.Valid(data) {
			t.Fatalf("decoding says %v", err)
		}
		if err != nil || !c.HasMessages() {
			return
		}
		if !bytes.Equal(c.Bytes(), data) {
			t.Fatalf("changed without an edit:\n%s\n%s", data, c.Bytes())
		}
		formats.Pair(c.Messages)
		for i, m := range c.Messages {
			touch(m, text, at+i)
		}
		out := c.Bytes()
		if !json.Valid(out) {
			t.Fatalf("no JSON after editing %s:\n%s", data, out)
		}
		for _, d := range fuzzDialects {
			if d.Name() != c.Dialect {
				continue
			}
			again, err := formats.DecodeAs(formats.Record{Raw: out}, d)
			if err != nil {
				t.Fatalf("%v after editing %s:\n%s", err, data, out)
			}
			if got, want := formatstest.Show(again.Messages), formatstest.Show(c.Messages); got != want {
				t.Fatalf("%s\nwritten as %s\nread back:\n%s\nin memory:\n%s", data, out, got, want)
			}
		}
	})
}

// touch edits one message in a way that n chooses.
func touch(m *formats.Message, text string, n int) {
	if m.Outside {
		m.AddText(text, n%2 == 0)
		return
	}
	for _, r := range m.Results() {
		if n%3 == 0 {
			m.SetResult(r, "("+text)
		}
	}
	for _, call := range m.Calls() {
		if n%4 < 2 {
			m.SetArguments(call, `{"a": 1.0}`)
		}
	}
	if n%5 < 2 && len(m.Parts) > 0 {
		m.RemovePart(m.Parts[len(m.Parts)-1])
	}
	for _, p := range m.Parts {
		if v, ok := p.(*formats.Text); ok && n%2 == 0 {
			m.CutText(v, len(v.Text)/3, len(v.Text)/2+n%7)
			break
		}
	}
	if n%6 < 3 {
		m.AddText(text, n%6 == 0)
	}
}

package formats_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

// realRecords are the conversations of the data folder beside the project, by name; the test is skipped without it.
func realRecords(t *testing.T) map[string][]byte {
	t.Helper()
	root := filepath.Join("..", "..", "shared", "data")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no ../shared/data beside the project")
	}
	records := map[string][]byte{}
	for _, pattern := range []string{"mini-swe-agent/*.json", "swe-agent/*.traj"} {
		paths, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			records[filepath.Base(path)] = data
		}
	}
	data, err := os.ReadFile(filepath.Join(root, "tau-bench", "gpt-4o-airline.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	for i, raw := range list {
		records["tau-bench "+string(rune('0'+i/100))+string(rune('0'+i/10%10))+string(rune('0'+i%10))] = raw
	}
	return records
}

func TestRealData(t *testing.T) {
	records := realRecords(t)
	messages, results, calls, open := 0, 0, 0, 0
	for name, raw := range records {
		c, err := formats.Decode(formats.Record{Raw: raw}, []formats.Dialect{formats.OpenAI{}, formats.Hermes{}, formats.ShareGPT{}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.Dialect != "openai" || len(c.Messages) < 3 {
			t.Fatalf("%s is taken for %q with %d messages", name, c.Dialect, len(c.Messages))
		}
		if !bytes.Equal(c.Bytes(), raw) {
			t.Errorf("%s is not written as it was read", name)
		}
		p := formats.Pair(c.Messages)
		if len(p.Orphans) > 0 {
			t.Errorf("%s: %d results without a call", name, len(p.Orphans))
		}
		open += len(p.Open)
		for _, m := range c.Messages {
			messages++
			results += len(m.Results())
			calls += len(m.Calls())
		}
		checkEdits(t, name, raw, c)
	}
	t.Logf("%d records, %d messages, %d calls (%d open), %d results", len(records), messages, calls, open, results)
	if results < 1000 || open > results/10 {
		t.Errorf("%d results, %d open calls", results, open)
	}
}

// checkEdits makes one edit per message and reads the record back.
func checkEdits(t *testing.T, name string, raw []byte, c *formats.Conversation) {
	t.Helper()
	for i, m := range c.Messages {
		switch {
		case len(m.Results()) > 0:
			m.SetResult(m.Results()[0], "[Old tool output cleared to save context space]")
		case len(m.Calls()) > 0:
			m.SetArguments(m.Calls()[0], `{"cleared": true}`)
		default:
			m.AddText("summary\n", i%2 == 0)
		}
		if !m.Changed() {
			t.Errorf("%s: message %d cannot be edited: %s", name, i, m.Bytes())
		}
	}
	out := c.Bytes()
	again, err := formats.DecodeAs(formats.Record{Raw: out}, formats.OpenAI{})
	if err != nil || !json.Valid(out) {
		t.Fatalf("%s after editing: %v", name, err)
	}
	if formatstest.Show(again.Messages) != formatstest.Show(c.Messages) {
		t.Errorf("%s is not read back as it was edited", name)
	}
	if got, want := topLevel(t, out), topLevel(t, raw); got != want {
		t.Errorf("%s: other members have changed", name)
	}
}

// topLevel is the record without its message list.
func topLevel(t *testing.T, raw []byte) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"messages", "history", "traj"} {
		delete(members, key)
	}
	out, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

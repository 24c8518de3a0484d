package extractive_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// transcripts reads the public data beside the project: names and messages. It skips the test when there is none.
func transcripts(t testing.TB) map[string][]*formats.Message {
	root := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no public transcripts beside the project")
	}
	all := map[string][]*formats.Message{}
	files, _ := filepath.Glob(filepath.Join(root, "*-*", "*"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(file, ".traj") && !strings.HasSuffix(file, ".json") {
			continue
		}
		records := []json.RawMessage{data}
		if strings.Contains(file, "tau-bench") {
			if err := json.Unmarshal(data, &records); err != nil {
				t.Fatal(err)
			}
		}
		for i, raw := range records {
			c, err := formats.Decode(formats.Record{Raw: raw}, []formats.Dialect{formats.Hermes{}, formats.OpenAI{}, formats.ShareGPT{}})
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if c.HasMessages() {
				all[fmt.Sprintf("%s-%03d", strings.TrimSuffix(filepath.Base(file), ".traj.json"), i)] = c.Messages
			}
		}
	}
	if data, err := os.ReadFile(filepath.Join(root, "pi", "before-compaction.jsonl")); err == nil {
		all["pi"] = piSession(t, data)
	}
	return all
}

// piSession reads the messages of a pi session as chat messages.
func piSession(t testing.TB, data []byte) []*formats.Message {
	type object = map[string]any
	var list []object
	for line := range strings.SplitSeq(string(data), "\n") {
		var entry struct {
			Type    string
			Message struct {
				Role, ToolCallID string
				Content          json.RawMessage
			}
		}
		if json.Unmarshal([]byte(line), &entry) != nil || entry.Type != "message" {
			continue
		}
		var parts []struct {
			Type, Text, ID, Name string
			Arguments            json.RawMessage
		}
		if json.Unmarshal(entry.Message.Content, &parts) != nil {
			continue
		}
		m := object{"role": entry.Message.Role}
		text := ""
		var calls []object
		for _, p := range parts {
			text += p.Text
			if p.Type == "toolCall" {
				calls = append(calls, object{"id": p.ID, "type": "function", "function": object{"name": p.Name, "arguments": string(p.Arguments)}})
			}
		}
		m["content"] = text
		if calls != nil {
			m["tool_calls"] = calls
		}
		if entry.Message.Role == "toolResult" {
			m["role"], m["tool_call_id"] = "tool", entry.Message.ToolCallID
		}
		list = append(list, m)
	}
	raw, err := json.Marshal(object{"messages": list})
	if err != nil {
		t.Fatal(err)
	}
	c, err := formats.Decode(formats.Record{Raw: raw}, []formats.Dialect{formats.OpenAI{}})
	if err != nil {
		t.Fatal(err)
	}
	return c.Messages
}

func names[V any](m map[string]V) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}

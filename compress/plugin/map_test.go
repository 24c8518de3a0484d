package plugin

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

// dialects are all but session logs, which can only be converted.
func dialects() []formats.Dialect {
	return []formats.Dialect{formats.ATIF{}, formats.OpenAIBatch{}, formats.SWEAgent{}, formats.Anthropic{}, formats.Responses{},
		formats.OpenAI{}, formats.Hermes{}, formats.ShareGPT{}}
}

// records are the conversations of the fixtures, and those of one fixture in every dialect.
func records(t *testing.T) []*formats.Conversation {
	t.Helper()
	names, err := filepath.Glob("../../fixtures/*.jsonl")
	if err != nil || len(names) < 8 {
		t.Fatal(names, err)
	}
	var list []*formats.Conversation
	add := func(raw []byte) *formats.Conversation {
		c, err := formats.Decode(formats.Record{Raw: raw}, dialects())
		if err != nil || !c.HasMessages() {
			return nil
		}
		list = append(list, c)
		return c
	}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			c := add(slices.Clone(lines.Bytes()))
			if c == nil || filepath.Base(name) != "coding.jsonl" {
				continue
			}
			for _, to := range formats.ConvertTargets() {
				if converted, err := formats.Convert(c, to); err == nil {
					add(converted.Payload)
				}
			}
		}
		_ = file.Close()
	}
	seen := map[string]bool{}
	for _, c := range list {
		seen[c.Dialect] = true
	}
	if len(seen) < 7 {
		t.Fatalf("only %v", seen)
	}
	return list
}

// repaired is a conversation as a program is sent it; nil for one that is not sent at all.
func repaired(t *testing.T, c *formats.Conversation) *formats.Conversation {
	t.Helper()
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	messages, _, err := (&compress.Meter{Counter: counter}).Repair(c)
	if err != nil {
		return nil
	}
	return c.With(messages)
}

// respelled is JSON as another program would write it: members in another order, other escapes and numbers.
func respelled(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What comes back as it was sent is the originals, in every dialect; and what was sent is a list of chat messages whose
// pairs are in order.
func TestSentAndReturned(t *testing.T) {
	for _, c := range records(t) {
		conv := repaired(t, c)
		if conv == nil {
			continue
		}
		m := newMapping(conv)
		sent := m.messages()
		var back []json.RawMessage
		for _, raw := range sent {
			back = append(back, respelled(t, raw))
		}
		list, origin, err := m.resolve(back)
		if err != nil {
			t.Fatalf("%s: %v", c.Dialect, err)
		}
		if !slices.Equal(list, conv.Messages) {
			t.Errorf("%s: %d messages became %d", c.Dialect, len(conv.Messages), len(list))
		}
		for i, from := range origin {
			if from != i {
				t.Fatalf("%s: message %d came from %d", c.Dialect, i, from)
			}
		}
		joined, err := json.Marshal(map[string]any{"messages": sent})
		if err != nil {
			t.Fatal(err)
		}
		chat, err := formats.DecodeAs(formats.Record{Raw: joined}, formats.OpenAI{})
		if err != nil {
			t.Fatal(err)
		}
		if err := compress.CheckOutput(chat.Messages, chat.Messages); err != nil {
			t.Errorf("%s: what is sent is no valid list: %v\n%s", c.Dialect, err, formatstest.Show(chat.Messages))
		}
	}
}

// Every tool result can be edited, in every dialect, and nothing else changes.
func TestEditedResults(t *testing.T) {
	edited := map[string]int{}
	for _, c := range records(t) {
		conv := repaired(t, c)
		if conv == nil {
			continue
		}
		m := newMapping(conv)
		for i, s := range m.sent {
			if s.role != "tool" || s.id == "" || s.is == nil && !m.chat.native || edited[c.Dialect] > 10 {
				continue
			}
			back := m.messages()
			back[i] = changed(t, s, `a "new" result`)
			list, origin, err := m.resolve(back)
			if err != nil {
				var b *compress.Breach
				if !errors.As(err, &b) || !strings.Contains(b.Text, "cannot be written") {
					t.Errorf("%s: message %d: %v", c.Dialect, i, err)
				}
				continue
			}
			edited[c.Dialect]++
			n := 0
			for k, msg := range list {
				if msg != conv.Messages[origin[k]] {
					n++
				}
			}
			if len(list) != len(conv.Messages) || n != 1 {
				t.Errorf("%s: message %d: %d messages changed", c.Dialect, i, n)
			}
			if _, err := formats.Decode(formats.Record{Raw: conv.With(list).Bytes()}, dialects()); err != nil {
				t.Errorf("%s: %v", c.Dialect, err)
			}
		}
	}
	for _, name := range []string{"atif", "swe-agent", "anthropic", "responses", "openai", "hermes"} {
		if edited[name] == 0 {
			t.Errorf("no result of %s could be edited", name)
		}
	}
}

// changed is a sent message with another content.
func changed(t *testing.T, s chatMessage, content string) json.RawMessage {
	t.Helper()
	value, _ := decode([]byte(s.json)).(map[string]any)
	value["content"] = content
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Texts can be added to and replaced, and new messages put in.
func TestEditedTexts(t *testing.T) {
	for _, c := range records(t) {
		conv := repaired(t, c)
		if conv == nil {
			continue
		}
		m := newMapping(conv)
		for i, s := range m.sent {
			if s.role != "user" && s.role != "system" || !s.open || strings.Contains(s.key, "image_url") || strings.TrimSpace(s.text) == "" || len(m.units[m.unit[i]].sent) > 1 {
				continue
			}
			for _, text := range []string{s.text + "\n\n[A note.]", "[A summary.]\n\n" + s.text, "Something else."} {
				back := m.messages()
				back[i] = changed(t, s, text)
				list, _, err := m.resolve(back)
				if err != nil {
					t.Errorf("%s: %s message %d: %v", c.Dialect, s.role, i, err)
					continue
				}
				if got := list[m.units[m.unit[i]].from].Text(); got != text {
					t.Errorf("%s: message %d says %.60q, want %.60q", c.Dialect, i, got, text)
				}
			}
			break
		}
	}
}

// Any whole units may go, and lines come in between them: what is kept is the originals, in order.
func TestKeptInOrderProperty(t *testing.T) {
	all := records(t)
	rapid.Check(t, func(r *rapid.T) {
		conv := rapid.SampledFrom(all).Draw(r, "record")
		m := newMapping(conv)
		var back []json.RawMessage
		var want []*formats.Message
		fresh := 0
		for u, one := range m.units {
			if len(one.sent) == 0 || conv.Messages[one.from].Outside || rapid.Bool().Draw(r, "keep") {
				for _, s := range one.sent {
					back = append(back, json.RawMessage(s.json))
				}
				want = append(want, conv.Messages[one.from:one.to]...)
			} else if u > 0 && rapid.Bool().Draw(r, "line") {
				fresh++
				back = append(back, json.RawMessage(`{"role": "user", "content": "A line that stood nowhere."}`))
			}
		}
		list, origin, err := m.resolve(back)
		if err != nil {
			var b *compress.Breach
			if errors.As(err, &b) && len(want) < len(conv.Messages) {
				return // equal messages may be taken for each other: then the pairs decide
			}
			r.Fatal(err)
		}
		n := 0
		var kept []string
		for k, msg := range list {
			if origin[k] < 0 {
				n++
				continue
			}
			kept = append(kept, string(msg.Bytes()))
		}
		var wanted []string
		for _, msg := range want {
			wanted = append(wanted, string(msg.Bytes()))
		}
		if n > fresh {
			r.Fatalf("%d new messages, want %d", n, fresh)
		}
		if n == fresh && !slices.Equal(kept, wanted) {
			r.Fatalf("kept\n%s\nwant\n%s", strings.Join(kept, "\n"), strings.Join(wanted, "\n"))
		}
	})
}

func TestRefused(t *testing.T) {
	raw := `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":"r","name":"f"},{"role":"user","content":"v"}]}`
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(raw)}, formats.OpenAI{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMapping(c)
	s := m.messages()
	message := func(text string) json.RawMessage { return json.RawMessage(text) }
	for _, test := range []struct {
		name string
		back []json.RawMessage
		rule compress.Rule
	}{
		{"no message", []json.RawMessage{message(`7`)}, compress.RuleMessages},
		{"null", []json.RawMessage{message(`null`)}, compress.RuleMessages},
		{"no role", []json.RawMessage{message(`{"content":"x"}`)}, compress.RuleMessages},
		{"unknown role", []json.RawMessage{s[0], message(`{"role":"critic","content":"x"}`), s[4]}, compress.RuleMessages},
		{"more than text", []json.RawMessage{s[0], message(`{"role":"user","content":"x","name":"y"}`), s[4]}, compress.RuleMessages},
		{"parts", []json.RawMessage{s[0], message(`{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"y"}}]}`), s[4]}, compress.RuleMessages},
		{"empty", []json.RawMessage{s[0], message(`{"role":"assistant","content":" "}`), s[4]}, compress.RuleMessages},
		{"invented call", append(slices.Clone(s), message(strings.Replace(string(s[2]), `"a"`, `"b"`, 1))), compress.RuleInvented},
		{"invented result", append(slices.Clone(s), message(`{"role":"tool","tool_call_id":"b","content":"x"}`)), compress.RuleInvented},
		{"another tool's name", []json.RawMessage{s[0], s[1], s[2], message(`{"role":"tool","tool_call_id":"a","content":"r","name":"g"}`), s[4]}, compress.RuleMessages},
		{"out of order", []json.RawMessage{s[4], s[0], s[1]}, compress.RuleOrder},
		{"twice", append(slices.Clone(s), s[1]), compress.RuleOrder},
	} {
		list, _, err := m.resolve(test.back)
		var b *compress.Breach
		if !errors.As(err, &b) || b.Rule != test.rule {
			t.Errorf("%s: %d messages, %v, want rule %s", test.name, len(list), err, test.rule)
		}
	}
	if list, _, err := m.resolve(nil); err != nil || len(list) != 0 {
		t.Errorf("nothing: %v %v", list, err)
	}
}

// Arguments of old calls may be shortened.
func TestEditedArguments(t *testing.T) {
	for _, raw := range []string{
		`{"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"c","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}}]},{"role":"tool","tool_call_id":"a","content":"r"}]}`,
		`{"messages":[{"role":"user","content":"u"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"x": 1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}]}]}`,
		`{"conversations":[{"from":"human","value":"u"},{"from":"gpt","value":"c\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": 1}}\n</tool_call>"},{"from":"tool","value":"<tool_response>\n{\"name\": \"f\", \"content\": \"r\"}\n</tool_response>"}]}`,
	} {
		c, err := formats.Decode(formats.Record{Raw: []byte(raw)}, dialects())
		if err != nil {
			t.Fatal(err)
		}
		m := newMapping(c)
		back := m.messages()
		back[1] = json.RawMessage(strings.Replace(string(back[1]), `{\"x\": 1}`, `{}`, 1))
		list, _, err := m.resolve(back)
		if err != nil {
			t.Errorf("%s: %v\n%s", c.Dialect, err, back[1])
			continue
		}
		if got := list[1].Calls()[0].Arguments; got != "{}" {
			t.Errorf("%s: %s", c.Dialect, got)
		}
	}
}

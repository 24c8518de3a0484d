package formatstest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"pgregory.net/rapid"
)

var anyText = rapid.OneOf(
	rapid.SampledFrom(texts),
	rapid.SampledFrom([]string{"", " ", "\n", "</tool_response>", "<tool_call>\n{\"name\": \"x\"}\n</tool_call>", "<think>hm</think>", "[END]", "a\xffb\xc3", "<tool_response>"}),
	rapid.StringN(0, 12, -1),
	rapid.SampledFrom([]string{strings.Repeat("long ", 60)}),
)

var anyArguments = rapid.SampledFrom([]string{
	`{}`, `{"path":"a.go","n":1.10}`, `{ "deep": {"x": [1, 2, {"y": "</tool_call>"}]} }`, `[1,2]`, `12`, `"s"`, `null`, `{broken`, ``, `{"e":"\u00e9\n<tool_call>"}`,
})

// randomEdits: after any sequence of edits the record is JSON, says what the messages say, and every message that was not
// touched has its bytes.
func randomEdits(t *rapid.T, d formats.Dialect, s Sample) {
	raw := s.JSON
	c := decode(t, d, raw)
	edit(t, c)
	original := decode(t, d, raw)
	out := encode(t, d, c)
	again := decode(t, d, out).Messages
	for i, m := range c.Messages {
		if !m.Changed() && s.text(again[i]) != s.text(m) {
			t.Fatalf("message %d was not touched:\n got %s\nwant %s", i, again[i].Bytes(), m.Bytes())
		}
	}
	if Show(original.Messages) != Show(decode(t, d, raw).Messages) {
		t.Fatalf("decoding is not repeatable")
	}
}

// edit does up to eight random things to a conversation. The parts taken are always those the message has now.
func edit(t *rapid.T, c *formats.Conversation) {
	for range rapid.IntRange(1, 8).Draw(t, "edits") {
		if len(c.Messages) == 0 {
			return
		}
		i := rapid.IntRange(0, len(c.Messages)-1).Draw(t, "message")
		m := c.Messages[i]
		text := anyText.Draw(t, "text")
		what := rapid.IntRange(0, 7).Draw(t, "what")
		if m.Outside && (what == 4 || what == 5) {
			continue // emptied, it would not be there when read back
		}
		switch what {
		case 0, 1:
			m.AddText(text, rapid.Bool().Draw(t, "front"))
		case 2:
			for _, r := range m.Results() {
				m.SetResult(r, notAnObject(text))
			}
		case 3:
			for _, call := range m.Calls() {
				m.SetArguments(call, anyArguments.Draw(t, "arguments"))
			}
		case 4:
			if p := pickPart(t, m); p != nil {
				m.RemovePart(p)
			}
		case 5:
			if v, ok := pickPart(t, m).(*formats.Text); ok {
				from := rapid.IntRange(-1, len(v.Text)+1).Draw(t, "from")
				m.CutText(v, from, rapid.IntRange(-1, len(v.Text)+1).Draw(t, "to"))
			}
		case 6:
			c.AddResult(m, &formats.ToolCall{ID: "new", Name: "stubbed"}, text)
		case 7:
			role := rapid.SampledFrom([]formats.Role{formats.RoleUser, formats.RoleAssistant, formats.RoleSystem}).Draw(t, "role")
			first, last := bearings(c)
			at := rapid.IntRange(first, last).Draw(t, "at")
			list := append([]*formats.Message(nil), c.Messages[:at]...)
			c.Messages = append(append(list, c.NewMessage(role, text)), c.Messages[at:]...)
		}
		if rapid.Bool().Draw(t, "clone") {
			c.Messages[i] = c.Messages[i].Clone()
		}
	}
}

// notAnObject: a plain-text answer that spells an object would be read as one.
func notAnObject(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return "(" + text
	}
	return text
}

func pickPart(t *rapid.T, m *formats.Message) formats.Part {
	if len(m.Parts) == 0 {
		return nil
	}
	return m.Parts[rapid.IntRange(0, len(m.Parts)-1).Draw(t, "part")]
}

// damage: whatever stands where in a record, decoding, pairing and editing it do not panic, and what comes out is JSON
// that is unchanged without an edit and says what the messages say after one.
func damage(t *rapid.T, d formats.Dialect, raw string) {
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v", err)
	}
	for range rapid.IntRange(1, 3).Draw(t, "wounds") {
		value = wound(t, value)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(rapid.Bool().Draw(t, "escape"))
	if rapid.Bool().Draw(t, "indent") {
		encoder.SetIndent("", " ")
	}
	if err := encoder.Encode(value); err != nil {
		t.Fatalf("%v", err)
	}
	c, err := formats.DecodeAs(record(b.String()), d)
	if err != nil {
		return
	}
	lossless(t, d, b.String())
	edit(t, c)
	encode(t, d, c)
	paired(t, c)
}

// wound replaces one random value within v by something else.
func wound(t *rapid.T, v any) any {
	if rapid.IntRange(0, 5).Draw(t, "here") == 0 {
		return replacement(t, v)
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return replacement(t, v)
		}
		key := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(t, "key")
		if rapid.IntRange(0, 9).Draw(t, "delete") == 0 {
			delete(v, key)
		} else {
			v[key] = wound(t, v[key])
		}
		return v
	case []any:
		if len(v) > 0 {
			i := rapid.IntRange(0, len(v)-1).Draw(t, "index")
			v[i] = wound(t, v[i])
			return v
		}
	}
	return replacement(t, v)
}

func replacement(t *rapid.T, v any) any {
	text, _ := v.(string)
	return rapid.SampledFrom([]any{
		nil, 7, true, "", "x", "system", "tool", "gpt", []any{}, map[string]any{}, []any{1, "a", nil}, []any{map[string]any{"type": "text", "text": "part"}, map[string]any{"type": "image_url"}},
		map[string]any{"a": 1}, []any{v, v}, map[string]any{"content": v}, text + text, text[:len(text)/2], text[len(text)/2:],
		"<tool_response>\nplain\n</tool_response>", "<tool_call>{'name': 'python'}</tool_call>", "<tool_call>" + text, text + "</tool_call>",
	}).Draw(t, "value")
}

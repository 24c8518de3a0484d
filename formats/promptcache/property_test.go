package promptcache_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/promptcache"
)

// literals are texts as JSON strings, spelled in ways that must survive.
var literals = rapid.SampledFrom([]string{
	`"hi"`, `""`, `" "`, `"\u00e9\n"`, `"\ud800"`, `"<b>\/&"`, `"[{\"type\": \"text\"}]"`, `"cache_control"`, `"{\"cache_control\": {\"type\": \"ephemeral\"}}"`,
})

var spaces = rapid.SampledFrom([]string{"", "", " ", "\n  ", "\t"})

// speller writes JSON with white space at random places, but the same within one object.
type speller struct{ t *rapid.T }

func (s speller) object(fields ...string) string {
	open, colon, comma, end := spaces.Draw(s.t, "open"), spaces.Draw(s.t, "colon"), spaces.Draw(s.t, "comma"), spaces.Draw(s.t, "end")
	var members []string
	for i := 0; i < len(fields); i += 2 {
		members = append(members, `"`+fields[i]+`":`+colon+fields[i+1])
	}
	return "{" + open + strings.Join(members, ","+comma) + end + "}"
}

func (s speller) list(items []string) string {
	return "[" + spaces.Draw(s.t, "open") + strings.Join(items, spaces.Draw(s.t, "before")+","+spaces.Draw(s.t, "behind")) + "]"
}

// padded adds, now and then, members that a marker must get along with.
func (s speller) padded(fields ...string) string {
	switch rapid.IntRange(0, 9).Draw(s.t, "padding") {
	case 0:
		fields = append(fields, "cache_control", "null")
	case 1:
		fields = append([]string{"cache_control", "null"}, fields...)
	case 2:
		fields = append(fields, "cache_control", `"on"`)
	case 3:
		fields = append(fields, "x", "1.0", "x", "1e3")
	}
	return s.object(fields...)
}

func (s speller) part() string {
	text := literals.Draw(s.t, "text")
	switch rapid.IntRange(0, 7).Draw(s.t, "part") {
	case 0:
		return s.padded("type", `"thinking"`, "thinking", text, "signature", `"s"`)
	case 1:
		return s.padded("type", `"tool_use"`, "id", `"1"`, "name", `"f"`, "input", `{"cache_control":{"type":"ephemeral"}}`)
	case 2:
		return s.padded("type", `"tool_result"`, "tool_use_id", `"1"`, "content", s.list([]string{s.padded("type", `"text"`, "text", text)}))
	case 3:
		return s.padded("type", `"image_url"`, "image_url", `{"url":"u"}`)
	case 4:
		return text
	}
	return s.padded("type", `"text"`, "text", text)
}

func (s speller) content() string {
	switch rapid.IntRange(0, 9).Draw(s.t, "content") {
	case 0:
		return "null"
	case 1:
		return `""`
	case 2:
		return "7"
	case 3, 4, 5, 6:
		var parts []string
		for range rapid.IntRange(0, 3).Draw(s.t, "parts") {
			parts = append(parts, s.part())
		}
		return s.list(parts)
	}
	return literals.Draw(s.t, "text")
}

func (s speller) message() string {
	role := rapid.SampledFrom([]string{"user", "user", "assistant", "assistant", "tool", "system", "exit"}).Draw(s.t, "role")
	fields := []string{"role", `"` + role + `"`}
	if rapid.IntRange(0, 9).Draw(s.t, "bare") > 0 {
		fields = append(fields, "content", s.content())
	}
	if role == "assistant" && rapid.Bool().Draw(s.t, "calls") {
		fields = append(fields, "tool_calls", s.list([]string{s.padded("id", `"1"`, "function", `{"name":"f","arguments":"{}"}`)}))
	}
	return s.padded(fields...)
}

func (s speller) record() string {
	var messages []string
	for range rapid.IntRange(0, 8).Draw(s.t, "messages") {
		messages = append(messages, s.message())
	}
	fields := []string{"messages", s.list(messages), "tools", s.list([]string{s.padded("name", `"f"`)}), "n", "1.0"}
	if rapid.Bool().Draw(s.t, "system") {
		fields = append([]string{"system", s.content()}, fields...)
	}
	return spaces.Draw(s.t, "lead") + s.object(fields...) + spaces.Draw(s.t, "trail")
}

// Taking the markers out of what they were put into gives the input back, byte for byte; there are never more than four;
// nothing but markers and the shape of marked texts differs; and the API would take every one of them.
func TestRemoveUndoesPlace(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		raw := speller{r}.record()
		name := rapid.SampledFrom(promptcache.Dialects()).Draw(r, "dialect")
		ttl := promptcache.TTL(rapid.SampledFrom(promptcache.TTLs()).Draw(r, "ttl"))
		if err := undone(name, raw, ttl); err != nil {
			r.Fatal(err)
		}
	})
}

func undone(name, raw string, ttl promptcache.TTL) error {
	d := formats.Dialect(formats.OpenAI{})
	if name == "anthropic" {
		d = formats.Anthropic{}
	}
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(raw)}, d)
	if err != nil {
		return nil //nolint:nilerr // not of the dialect: nothing to hold against it
	}
	bare, removed, err := promptcache.Remove(c)
	if err != nil {
		return err
	}
	if removed.Removed == 0 && string(bare) != raw {
		return fmt.Errorf("no markers, and yet changed:\n%s\n%s", raw, bare)
	}
	if c, err = formats.DecodeAs(formats.Record{Raw: bare}, d); err != nil {
		return fmt.Errorf("%w: %s", err, bare)
	}
	marked, counts, err := promptcache.Place(c, ttl)
	if err != nil {
		return err
	}
	if counts.Placed > promptcache.MaxMarkers || (counts.Placed == 0) != bytes.Equal(marked, bare) {
		return fmt.Errorf("%+v\n%s\n%s", counts, bare, marked)
	}
	after, err := formats.DecodeAs(formats.Record{Raw: marked}, d)
	if err != nil {
		return fmt.Errorf("%w: %s", err, marked)
	}
	for i, m := range after.Messages {
		if m.Text() != c.Messages[i].Text() || m.Role != c.Messages[i].Role {
			return fmt.Errorf("message %d says something else:\n%s\n%s", i, c.Messages[i].Bytes(), m.Bytes())
		}
		if err := refused(m.Bytes()); err != nil {
			return err
		}
	}
	again, counts2, err := promptcache.Place(after, ttl)
	if err != nil || !bytes.Equal(again, marked) || counts2.Removed != counts.Placed {
		return fmt.Errorf("%+v after %+v, %w\n%s\n%s", counts2, counts, err, marked, again)
	}
	back, _, err := promptcache.Remove(after)
	if err != nil || !bytes.Equal(back, bare) {
		return fmt.Errorf("%w not undone:\n%s\n%s\n%s", err, bare, marked, back)
	}
	return nil
}

// refused says what the API would not take of the content parts of a message, or of a system text outside the list.
func refused(message []byte) error {
	content := message
	if message[0] == '{' {
		content = formats.ObjectAt(message, formats.Span{End: len(message)}).Raw("content")
	}
	for e := range formats.Elements(content) {
		if content[0] != '[' || content[e.Start] != '{' {
			continue
		}
		p := formats.ObjectAt(content, e)
		marked := len(p.Raw("cache_control")) > 0 && p.Raw("cache_control")[0] == '{'
		text, isText := p.String("text")
		if kind := p.Text("type"); marked && (kind == "thinking" || kind == "redacted_thinking" || kind == "text" && isText && text == "") {
			return fmt.Errorf("marker on a part of type %q: %s", kind, message)
		}
	}
	return nil
}

func FuzzPlace(f *testing.F) {
	for _, shape := range shapes {
		f.Add([]byte(`{"system":"s","messages":[` + shape.message + `,` + user + `],"tools":[{"cache_control":{"type":"ephemeral"}}]}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range promptcache.Dialects() {
			if err := undone(name, string(data), promptcache.OneHour); err != nil {
				t.Fatal(err)
			}
		}
	})
}

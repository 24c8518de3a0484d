// Package formatstest is what every dialect has to pass: reading is lossless, nothing in a record makes it panic, and an
// edit changes what it says it changes and nothing else.
package formatstest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"pgregory.net/rapid"
)

// Sample is one record that the dialect must recognise.
type Sample struct {
	Name string
	JSON string

	// Numbers matches what a dialect writes anew into messages that moved (a step's number); nil for none.
	Numbers *regexp.Regexp
}

// Run checks a dialect against the contract of formats.Dialect and of the messages it makes, on each sample as it is, on
// random edits of it, and on random damage to it. At least one sample should hold tool calls with results.
func Run(t *testing.T, d formats.Dialect, samples []Sample) {
	t.Helper()
	if len(samples) == 0 {
		t.Fatalf("%s: no samples", d.Name())
	}
	t.Run("no conversation", func(t *testing.T) { refuses(t, d) })
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) {
			t.Run("detect", func(t *testing.T) { detects(t, d, s) })
			t.Run("lossless", func(t *testing.T) { lossless(t, d, s.JSON) })
			t.Run("drop", func(t *testing.T) { drops(t, d, s) })
			t.Run("insert", func(t *testing.T) { inserts(t, d, s) })
			t.Run("results", func(t *testing.T) { answers(t, d, s.JSON) })
			t.Run("edits", rapid.MakeCheck(func(r *rapid.T) { randomEdits(r, d, s) }))
			t.Run("damage", rapid.MakeCheck(func(r *rapid.T) { damage(r, d, s.JSON) }))
		})
	}
}

// fataler is what *testing.T and *rapid.T share.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func record(raw string) formats.Record {
	return formats.Record{Pos: formats.Position{File: "sample", Line: 1}, Raw: []byte(raw)}
}

func decode(t fataler, d formats.Dialect, raw string) *formats.Conversation {
	t.Helper()
	c, err := formats.DecodeAs(record(raw), d)
	if err != nil {
		t.Fatalf("decode: %v\n%s", err, raw)
	}
	if !c.HasMessages() {
		t.Fatalf("decode: no conversation\n%s", raw)
	}
	return c
}

// encode is c's bytes, which must be JSON and decode to the messages that c shows.
func encode(t fataler, d formats.Dialect, c *formats.Conversation) string {
	t.Helper()
	out := string(c.Bytes())
	if !json.Valid([]byte(out)) {
		t.Fatalf("not JSON after editing:\n%s", out)
	}
	if again := decode(t, d, out); Show(again.Messages) != Show(c.Messages) {
		t.Fatalf("what was written differs from what the messages show.\nshown:\n%s\nread back:\n%s\nbytes:\n%s",
			Show(c.Messages), Show(again.Messages), out)
	}
	return out
}

// Show is what messages say, one line per part. Texts that follow each other are one, blank texts and implicit calls are
// none: a format may have no way to tell. An empty system text outside the list is none.
func Show(messages []*formats.Message) string {
	var b strings.Builder
	for _, m := range messages {
		if m.Outside && m.Text() == "" {
			continue
		}
		fmt.Fprintf(&b, "%s (%s)\n", m.Role, m.RoleName)
		said := ""
		flush := func() {
			if m.Role == formats.RoleTool {
				said = strings.TrimSpace(said) // what stands between results
			}
			if strings.TrimSpace(said) != "" {
				fmt.Fprintf(&b, "  text %q\n", said)
			}
			said = ""
		}
		for _, p := range m.Parts {
			if v, ok := p.(*formats.Text); ok {
				said += v.Text
				continue
			}
			flush()
			switch v := p.(type) {
			case *formats.Reasoning:
				fmt.Fprintf(&b, "  reasoning %q\n", v.Text)
			case *formats.ToolCall:
				if !v.Implicit {
					fmt.Fprintf(&b, "  call %q %q %q\n", v.ID, v.Name, v.Arguments)
				}
			case *formats.ToolResult:
				fmt.Fprintf(&b, "  result %q %q %q media %d error %v\n", v.CallID, v.Name, v.Text, v.Media, v.IsError)
			case *formats.Media:
				fmt.Fprintf(&b, "  media %q\n", v.Type)
			case *formats.Opaque:
				fmt.Fprintf(&b, "  opaque %s\n", v.JSON)
			}
		}
		flush()
	}
	return b.String()
}

// bytesOf is each message as JSON.
func bytesOf(messages []*formats.Message) []string {
	list := make([]string, len(messages))
	for i, m := range messages {
		list[i] = string(m.Bytes())
	}
	return list
}

// bearings are the positions of messages in a list. A system text outside the list stays in front.
func bearings(c *formats.Conversation) (first, last int) {
	if len(c.Messages) > 0 && c.Messages[0].Outside {
		first = 1
	}
	return first, len(c.Messages)
}

// text is a message as JSON, without the numbers that depend on its place.
func (s Sample) text(m *formats.Message) string {
	if s.Numbers == nil {
		return string(m.Bytes())
	}
	return s.Numbers.ReplaceAllString(string(m.Bytes()), "")
}

func (s Sample) bytesOf(messages []*formats.Message) []string {
	list := make([]string, len(messages))
	for i, m := range messages {
		list[i] = s.text(m)
	}
	return list
}

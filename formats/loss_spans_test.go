package formats

import (
	"fmt"
	"testing"
)

// The spans of a record follow its messages: what was to be trained on and is still there as it was.
func TestLossSpansFollowTheMessages(t *testing.T) {
	const turns = `[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]`
	for _, tt := range []struct {
		name, record string
		dialect      Dialect
		held         string
		change       func(c *Conversation) []*Message
		want         string
	}{
		{"behind the list", `{"messages":` + turns + `,"loss_spans":[[1,2],[3,4]],"x":1}`, OpenAI{}, "[{1 2} {3 4}]",
			func(c *Conversation) []*Message { return c.Messages[1:] }, "[{0 1} {2 3}]"},
		{"in front of it", `{"loss_spans":[[0,4]],"messages":` + turns + `}`, OpenAI{}, "[{0 4}]",
			func(c *Conversation) []*Message {
				return []*Message{c.Messages[0], c.NewMessage(RoleUser, "summary"), c.Messages[3]}
			}, "[{0 1} {2 3}]"},
		{"an edited message is out", `{"messages":` + turns + `,"loss_spans":[[0,4]]}`, OpenAI{}, "[{0 4}]",
			func(c *Conversation) []*Message {
				c.Messages[1].AddText("more", false)
				return c.Messages
			}, "[{0 1} {2 4}]"},
		{"nothing left", `{"messages":` + turns + `,"loss_spans":[[3,4]]}`, OpenAI{}, "[{3 4}]",
			func(c *Conversation) []*Message { return c.Messages[:2] }, "[]"},
		{"a system text outside the list has no number", `{"system":"s","messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]}],"loss_spans":[[1,2]]}`, Anthropic{}, "[{1 2}]",
			func(c *Conversation) []*Message { return []*Message{c.Messages[0], c.Messages[2]} }, "[{0 1}]"},
		{"no spans", `{"messages":` + turns + `,"loss_spans":[[2,1],[0,9],["a",2],[-1,2],5,[1]]}`, OpenAI{}, "[]",
			func(c *Conversation) []*Message { return c.Messages[1:] }, "[]"},
	} {
		c, err := DecodeAs(Record{Raw: []byte(tt.record)}, tt.dialect)
		if err != nil {
			t.Fatal(err)
		}
		if held, ok := c.LossSpans(); !ok || fmt.Sprint(held) != tt.held {
			t.Errorf("%s: %v, not %s", tt.name, held, tt.held)
		}
		if string(c.Bytes()) != tt.record {
			t.Errorf("%s: an unchanged record is %s", tt.name, c.Bytes())
		}
		out := c.With(tt.change(c)).Bytes()
		again, err := DecodeAs(Record{Raw: out}, tt.dialect)
		if err != nil {
			t.Fatalf("%s: %v: %s", tt.name, err, out)
		}
		if got, ok := again.LossSpans(); !ok || fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, not %s: %s", tt.name, got, tt.want, out)
		}
	}
	for _, record := range []string{`{"messages":` + turns + `}`, `{"messages":` + turns + `,"loss_spans":null}`, `{"messages":[{"role":"user","content":"\"loss_spans\""}]}`} {
		c, err := DecodeAs(Record{Raw: []byte(record)}, OpenAI{})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := c.LossSpans(); ok {
			t.Errorf("%s has spans", record)
		}
	}
}

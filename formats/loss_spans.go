package formats

import (
	"bytes"
	"strconv"
	"strings"
)

// lossSpansKey is the member of a record that says which of its messages are to be trained on, as `ctxpack replay
// --loss-spans` writes it: [[start, end), …], 0-based numbers of the messages in the record's list.
const lossSpansKey = "loss_spans"

// LossSpans is which messages of the record's list are to be trained on, as the record says; false where it says nothing
// of the kind. Numbers beyond the list, and spans that are none, are left out.
func (c *Conversation) LossSpans() ([]Span, bool) {
	at, ok := c.lossSpansAt()
	if !ok {
		return nil, false
	}
	var list []Span
	for e := range Elements(at.In(c.root)) {
		var ends []int
		pair := e.In(at.In(c.root))
		for n := range Elements(pair) {
			v, err := strconv.Atoi(string(n.In(pair)))
			if err != nil {
				v = -1
			}
			ends = append(ends, v)
		}
		if len(ends) == 2 && 0 <= ends[0] && ends[0] < ends[1] && ends[1] <= c.listed {
			list = append(list, Span{ends[0], ends[1]})
		}
	}
	return list, true
}

// lossSpansAt is where the spans stand in root: ATIF allows additions under extra only.
func (c *Conversation) lossSpansAt() (Span, bool) {
	if !bytes.Contains(c.root, []byte(`"`+lossSpansKey+`"`)) {
		return Span{}, false
	}
	record := ObjectAt(c.root, valueSpan(c.root))
	if c.Dialect == "atif" {
		record = record.Object("extra")
	}
	at, ok := record.Find(lossSpansKey)
	return at, ok && kindAt(c.root, at) == '['
}

// heldLossSpans are the record's spans for the list as it is now: of the messages that were to be trained on, those that
// are still there and as they were. A new or an edited message is never one.
func (c *Conversation) heldLossSpans(list []*Message) string {
	spans, _ := c.LossSpans()
	wanted := make([]bool, c.listed)
	for _, s := range spans {
		for i := s.Start; i < s.End; i++ {
			wanted[i] = true
		}
	}
	var out strings.Builder
	out.WriteByte('[')
	start := -1
	for i := 0; i <= len(list); i++ {
		in := i < len(list) && list[i].home > 0 && !list[i].changed && wanted[list[i].home-1]
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			if out.Len() > 1 {
				out.WriteByte(',')
			}
			out.WriteString("[" + strconv.Itoa(start) + "," + strconv.Itoa(i) + "]")
			start = -1
		}
	}
	out.WriteByte(']')
	return out.String()
}

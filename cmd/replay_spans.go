package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/compress/replay"
	"github.com/ctxpack/ctxpack/formats"
)

// span is messages by their numbers: from start up to, not including, end.
type span struct{ start, end int }

// String is the span as JSON.
func (s span) String() string { return fmt.Sprintf("[%d,%d]", s.start, s.end) }

func spansText(list []span) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.String()
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// listed are the messages that stand in the record's list: a system text outside it has no number there.
func listed(c *formats.Conversation) []*formats.Message {
	if len(c.Messages) > 0 && c.Messages[0].Outside {
		return c.Messages[1:]
	}
	return c.Messages
}

// lastSpan is the last n messages of the list; all of them where the system text outside it is one of the n.
func lastSpan(c *formats.Conversation, n int) []span {
	end := len(listed(c))
	if start := max(end-n, 0); start < end {
		return []span{{start, end}}
	}
	return nil
}

// overlap is what of the held spans lies in the others.
func overlap(held []formats.Span, others []span) []span {
	var list []span
	for _, h := range held {
		for _, o := range others {
			if start, end := max(h.Start, o.start), min(h.End, o.end); start < end {
				list = append(list, span{start, end})
			}
		}
	}
	return list
}

// trace finds the messages of a converted segment that are new. Conversion may join messages, take them apart and put
// answers behind their calls, so that numbers say nothing; but what is old is written the same way where nothing new stands
// behind it. A message in which old and new are joined is not new: better that a piece is never trained than twice.
func (run *replayRun) trace(at formats.Position, s replay.Segment, full *formats.Conversation, to string) ([]span, error) {
	messages := s.Conversation.Messages
	old := messages[:len(messages)-(s.End-s.Start)]
	if len(old) == 0 {
		return lastSpan(full, len(listed(full))), nil
	}
	out, err := formats.Convert(s.Conversation.With(old), to)
	if err != nil {
		return nil, err
	}
	before, err := readAs(at, out.Payload, to)
	if err != nil {
		return nil, err
	}
	left := map[string]int{} // old messages that are not found yet, by their bytes
	for _, m := range listed(before) {
		left[string(m.Bytes())]++
	}
	fresh := make([]bool, len(listed(full)))
	for i, m := range listed(full) {
		if key := string(m.Bytes()); left[key] > 0 {
			left[key]--
			continue
		}
		fresh[i] = true
	}
	for _, m := range listed(before) {
		if left[string(m.Bytes())] == 0 {
			continue
		}
		for i, f := range listed(full) {
			fresh[i] = fresh[i] && !holds(f, m)
		}
	}
	return spansOf(fresh), nil
}

// holds says whether f says something that m, one of the old messages, says too, alone or before something else.
func holds(f, m *formats.Message) bool {
	if f.Role != m.Role {
		return false
	}
	for _, old := range m.Parts {
		text := spoken(old)
		if text != "" && slices.ContainsFunc(f.Parts, func(p formats.Part) bool { return strings.HasPrefix(spoken(p), text) }) {
			return true
		}
	}
	return false
}

// spoken is what a part says.
func spoken(p formats.Part) string {
	switch v := p.(type) {
	case *formats.Text:
		return v.Text
	case *formats.Reasoning:
		return v.Text
	case *formats.ToolCall:
		return v.ID + v.Name + v.Arguments
	case *formats.ToolResult:
		return v.CallID + v.Text
	}
	return ""
}

// spansOf are the runs of those that are set.
func spansOf(set []bool) []span {
	var list []span
	for i, is := range set {
		switch last := len(list) - 1; {
		case !is:
		case last >= 0 && list[last].end == i:
			list[last].end++
		default:
			list = append(list, span{i, i + 1})
		}
	}
	return list
}

package formats

import (
	"cmp"
	"slices"
	"strings"
)

// Role is what a role name means, whatever its spelling in the file.
type Role uint8

// The roles. RoleOther is any name we do not know (`exit`, `critic`, …): kept, and looked past when turns are counted.
const (
	RoleOther Role = iota
	RoleSystem
	RoleUser
	RoleAssistant
	RoleTool
)

// RoleCount is how many roles there are.
const RoleCount = int(RoleTool) + 1

// String is the common English name.
func (r Role) String() string {
	return [...]string{"other", "system", "user", "assistant", "tool"}[r]
}

// Message is one turn: what it says (Parts), and how it is spelled. An unedited message is written with its own bytes;
// an edit changes the bytes of the edited value only. Not safe for concurrent use.
type Message struct {
	Role     Role
	RoleName string // as spelled in the file: "human", "gpt", "developer"
	Parts    []Part
	Number   int  // 0-based number in the first original conversation
	Marked   bool // its format marks it as an earlier summary (isCompactSummary, a compaction item)
	Outside  bool // a system text that stands outside the message list
	Bound    bool // means something only together with the message after it (a reasoning item): never parted from it
	Pinned   bool // nobody but its maker can read it and it stands for what came before (a compaction item): kept in place

	raw      []byte
	edits    []edit // not yet written into raw
	changed  bool
	spelling spelling
	home     int    // 1-based place in the list as it was read; 0 for a message made later
	lead     []byte // the comma and white space before the message in its list; nil for the first one and for a new one
}

// Changed says whether the message is no longer written with its own bytes.
func (m *Message) Changed() bool { return m.changed }

// Added says that the message was made by ctxpack (Conversation.NewMessage, NewResult) and not read.
func (m *Message) Added() bool { return m.home == 0 && !m.Outside }

// Text joins the message's text parts with line ends, in order: what a person would read.
func (m *Message) Text() string {
	var first string
	var rest []string
	for _, p := range m.Parts {
		if t, ok := p.(*Text); ok && t.Text != "" {
			if first == "" {
				first = t.Text
			} else {
				rest = append(rest, t.Text)
			}
		}
	}
	if len(rest) == 0 {
		return first
	}
	return first + "\n" + strings.Join(rest, "\n")
}

// Calls gives the message's tool calls, in order.
func (m *Message) Calls() []*ToolCall { return partsOf[*ToolCall](m) }

// Results gives the message's tool results, in order.
func (m *Message) Results() []*ToolResult { return partsOf[*ToolResult](m) }

func partsOf[P Part](m *Message) []P {
	var list []P
	for _, p := range m.Parts {
		if v, ok := p.(P); ok {
			list = append(list, v)
		}
	}
	return list
}

// Bytes is the message as JSON. It is the record's own bytes while nothing was edited. Read-only.
func (m *Message) Bytes() []byte {
	if len(m.edits) == 0 {
		return m.raw
	}
	edits := slices.Clone(m.edits)
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.span.Start, b.span.Start), cmp.Compare(a.span.End, b.span.End))
	})
	out := make([]byte, 0, len(m.raw)+256)
	at := 0
	var splices []Splice
	for i := 0; i < len(edits); {
		e := edits[i]
		out = append(out, m.raw[at:e.span.Start]...)
		at = e.span.End
		if !e.within {
			out = append(out, e.json...)
			i++
			continue
		}
		for splices = splices[:0]; i < len(edits) && edits[i].span == e.span; i++ {
			splices = append(splices, edits[i].splice)
		}
		out = append(out, SpliceString(e.span.In(m.raw), splices)...)
	}
	return append(out, m.raw[at:]...)
}

package formats

import "slices"

// Clone is a copy that can be edited without touching m. The bytes they were read from are shared.
func (m *Message) Clone() *Message {
	c := *m
	c.edits = slices.Clone(m.edits)
	c.Parts = make([]Part, len(m.Parts))
	for i, p := range m.Parts {
		c.Parts[i] = clonePart(p)
	}
	return &c
}

func clonePart(p Part) Part {
	switch v := p.(type) {
	case *Text:
		c := *v
		return &c
	case *ToolCall:
		c := *v
		return &c
	case *ToolResult:
		c := *v
		return &c
	}
	return p // never edited
}

// With is the same record with other messages. c itself stays as it is.
func (c *Conversation) With(messages []*Message) *Conversation {
	other := *c
	other.Messages = messages
	return &other
}

// OwnText is the text that AddText joins its own to: the message's content where that is one string. Where AddText makes
// a part of its own (a content list, null) it is "".
func (m *Message) OwnText() string { return m.spelling.ownText(m) }

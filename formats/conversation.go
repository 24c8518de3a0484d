package formats

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// Conversation is one record as a model would meet it: an ordered list of messages, the tools offered, and whatever else
// the record carries, which is kept and not looked at. Not safe for concurrent use.
type Conversation struct {
	Messages []*Message
	Tools    string // the tools as JSON text, as in the file; "" for none
	Model    string // the model the record names; "" for none
	ID       string // the record's own id; "" for none
	Dialect  string
	Marker   string // why the record was taken for that dialect
	Spelled  string // of a session log: the dialect its messages are held in. It can only be converted, not written back

	root     []byte
	list     Span       // the message list within root
	listed   int        // how many messages the list held
	system   Span       // a system text outside the list, when there is one (it is Messages[0])
	first    []byte     // white space before the first message
	tail     []byte     // white space before the list's closing bracket
	between  []byte     // what stands before a new message: a comma, and the white space of its neighbours
	reported []Reported // of a session log: what it says of each message of the list
	count    Span       // a number elsewhere in the record that was how many messages the list holds; empty for none
	spelled  spelling   // how this record spells messages; nil when it holds no conversation
}

// HasMessages says whether the record holds a conversation at all. One that does not is passed through, and has no
// spelling for new messages.
func (c *Conversation) HasMessages() bool { return c.spelled != nil }

// spelling is how a dialect (and this record in particular) reads messages and writes what ctxpack adds.
type spelling interface {
	// message spells a new message. It is only asked for user, assistant, system and tool messages.
	message(role Role, text string) []byte
	// result spells a message that answers call.
	result(call *ToolCall, text string) []byte
	// textParts spells a content list of one text.
	textParts(text string) string
	// decode reads the message at the start of raw (valid JSON, more of the record may follow) into Role, RoleName and
	// Parts, and gives its length. Spans are relative to raw.
	decode(m *Message, raw []byte) int
	// addText, ownText: see Message.AddText and OwnText. No edits wait when addText is called.
	addText(m *Message, text string, front bool)
	ownText(m *Message) string
	// addResult puts a result into a message that already holds results (or the call itself, where both stand together),
	// and says false where it cannot.
	addResult(m *Message, call *ToolCall, text string) bool
	// cutPart takes Parts[at] out of the message, from the bytes and from Parts, if that is possible.
	cutPart(m *Message, at int)
}

// NewMessage makes a message in the record's own spelling. It is not yet part of the conversation.
func (c *Conversation) NewMessage(role Role, text string) *Message {
	return c.adopt(c.spelled.message(role, text))
}

// NewResult makes a message that answers call. It is not yet part of the conversation.
func (c *Conversation) NewResult(call *ToolCall, text string) *Message {
	return c.adopt(c.spelled.result(call, text))
}

func (c *Conversation) adopt(raw []byte) *Message {
	m := &Message{raw: raw, spelling: c.spelled}
	m.read(raw)
	return m
}

// AddResult puts an answer to call into m, a message that holds results already or, where results stand beside their
// calls, the call itself. It says false, and does nothing, for other messages and in dialects whose messages hold one
// result each.
func (c *Conversation) AddResult(m *Message, call *ToolCall, text string) bool {
	return c.spelled.addResult(m, call, text)
}

// Bytes writes the record with the messages as they are now. Only the message list differs from the record that was read,
// and what follows from it: a system text outside it, if that was edited, the number of its elements where the format
// counts them, and which of them are to be trained on. Nothing changed means the same bytes. Read-only.
func (c *Conversation) Bytes() []byte {
	if c.spelled == nil || c.unchanged() {
		return c.root
	}
	list := c.inList()
	size := len(c.root) + 1024
	for _, m := range list {
		if m.home == 0 {
			size += len(m.raw)
		}
	}
	w := recordWriter{root: c.root, out: make([]byte, 0, size)}
	written := false
	for _, r := range c.besides(list) {
		if !written && r.at.Start > c.list.Start {
			w.upTo(c.list)
			w.out = c.appendList(w.out, list)
			written = true
		}
		w.upTo(r.at)
		w.out = append(w.out, r.json...)
	}
	if !written {
		w.upTo(c.list)
		w.out = c.appendList(w.out, list)
	}
	return append(w.out, c.root[w.at:]...)
}

// rewrite is a value of the record that is written anew.
type rewrite struct {
	at   Span
	json []byte
}

// besides is what changes beside the list, in the order of the record.
func (c *Conversation) besides(list []*Message) []rewrite {
	var all []rewrite
	if len(list) < len(c.Messages) {
		all = append(all, rewrite{c.system, c.Messages[0].Bytes()})
	}
	if c.count.Len() > 0 {
		all = append(all, rewrite{c.count, strconv.AppendInt(nil, int64(len(list)), 10)})
	}
	if at, ok := c.lossSpansAt(); ok {
		all = append(all, rewrite{at, []byte(c.heldLossSpans(list))})
	}
	slices.SortFunc(all, func(a, b rewrite) int { return cmp.Compare(a.at.Start, b.at.Start) })
	return all
}

// recordWriter copies a record up to spans that are written anew.
type recordWriter struct {
	root, out []byte
	at        int
}

func (w *recordWriter) upTo(s Span) {
	w.out = append(w.out, w.root[w.at:s.Start]...)
	w.at = s.End
}

// addOutside makes the system text at s, which stands outside the message list, the first message.
func (c *Conversation) addOutside(s Span) {
	c.system = s
	m := &Message{Role: RoleSystem, RoleName: "system", Outside: true, raw: s.In(c.root), spelling: c.spelled}
	m.read(m.raw)
	c.Messages = append(c.Messages, m)
}

// numberer is a spelling whose messages carry their place in the list.
type numberer interface {
	// number gives the message's bytes with the 0-based place i in them.
	number(raw []byte, i int) []byte
}

// unchanged says that the messages are those that were read, in their order and with their bytes.
func (c *Conversation) unchanged() bool {
	list := c.inList()
	if len(list) != c.listed || len(list) < len(c.Messages) && c.Messages[0].changed {
		return false
	}
	for i, m := range list {
		if m.home != i+1 || m.changed {
			return false
		}
	}
	return true
}

// inList is the messages that stand in the record's list: all but a system text outside it.
func (c *Conversation) inList() []*Message {
	if len(c.Messages) > 0 && c.Messages[0].Outside {
		return c.Messages[1:]
	}
	return c.Messages
}

// appendList writes the list with the separators each message had; a new message takes those of its neighbours.
func (c *Conversation) appendList(out []byte, list []*Message) []byte {
	out = append(out, '[')
	numbers, _ := c.spelled.(numberer)
	if !c.moved(list) {
		numbers = nil
	}
	for i, m := range list {
		switch {
		case i == 0:
			out = append(out, c.first...)
		case m.lead != nil:
			out = append(out, m.lead...)
		default:
			out = append(out, c.between...)
		}
		if numbers != nil {
			out = append(out, numbers.number(m.Bytes(), i)...)
		} else {
			out = append(out, m.Bytes()...)
		}
	}
	return append(append(out, c.tail...), ']')
}

// moved says that a message does not stand where it stood when the list was read.
func (c *Conversation) moved(list []*Message) bool {
	for i, m := range list {
		if m.home != i+1 {
			return true
		}
	}
	return len(list) != c.listed
}

// readList reads the messages of the list at span. between is what separates messages where the list does not show it.
func (c *Conversation) readList(span Span, between string) {
	c.list = span
	end := span.Start + 1
	i := skipSpace(c.root, end)
	c.first = c.root[end:i]
	var chunk []Message
	for c.root[i] != ']' {
		if len(chunk) == 0 {
			chunk = make([]Message, 16)
		}
		m := &chunk[0]
		chunk = chunk[1:]
		m.spelling, m.Number = c.spelled, len(c.Messages)
		if c.listed++; c.listed > 1 {
			m.lead = c.root[end:i]
		}
		m.home = c.listed
		end = i + m.read(c.root[i:])
		m.raw = c.root[i:end:end]
		c.Messages = append(c.Messages, m)
		if i = skipSpace(c.root, end); c.root[i] == ',' {
			i = skipSpace(c.root, i+1)
		}
	}
	c.tail = c.root[end : span.End-1]
	switch {
	case c.listed > 1:
		c.between = c.inList()[1].lead
	case bytes.IndexByte(c.first, '\n') >= 0:
		c.between = append([]byte(","), c.first...)
	default:
		c.between = []byte(between)
	}
}

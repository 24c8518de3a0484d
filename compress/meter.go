package compress

import (
	"strings"
	"sync/atomic"

	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
)

// Fixed parts of the token formula (compaction.md, section 2).
const (
	conversationTokens = 3 // once
	messageTokens      = 4 // per message
	callTokens         = 4 // per tool call
)

// Meter counts conversations with one estimator. Safe for concurrent use.
type Meter struct {
	Counter     tokens.Counter
	MediaTokens int

	tools atomic.Pointer[countedText] // the last tools text: data sets repeat it in every record
}

type countedText struct {
	text  string
	count int
}

// weighed is a message with its tokens: each text is counted once and every later figure is arithmetic on it.
type weighed struct {
	msg   *formats.Message
	parts []int // parallel to msg.Parts
	total int
}

// weigh counts one message.
func (m *Meter) weigh(msg *formats.Message) weighed {
	w := weighed{msg: msg, parts: make([]int, len(msg.Parts)), total: messageTokens}
	for i, p := range msg.Parts {
		w.parts[i] = m.part(p)
		w.total += w.parts[i]
	}
	return w
}

func (m *Meter) part(p formats.Part) int {
	switch v := p.(type) {
	case *formats.Text:
		return m.Counter.Count(v.Text)
	case *formats.Reasoning:
		return m.Counter.Count(v.Text)
	case *formats.ToolCall:
		if v.Implicit {
			return 0
		}
		return callTokens + m.Counter.Count(v.Name) + m.Counter.Count(v.Arguments)
	case *formats.ToolResult:
		return m.Counter.Count(v.Text) + v.Media*m.MediaTokens
	case *formats.Media:
		return m.MediaTokens
	case *formats.Opaque:
		return m.Counter.Count(v.JSON)
	}
	return 0
}

// weighAll counts every message.
func (m *Meter) weighAll(messages []*formats.Message) []weighed {
	list := make([]weighed, len(messages))
	for i, msg := range messages {
		list[i] = m.weigh(msg)
	}
	return list
}

// overhead is what a conversation costs beside its messages.
func (m *Meter) overhead(c *formats.Conversation) int {
	return conversationTokens + m.countTools(c.Tools)
}

func (m *Meter) countTools(text string) int {
	if text == "" {
		return 0
	}
	if last := m.tools.Load(); last != nil && last.text == text {
		return last.count
	}
	n := m.Counter.Count(text)
	m.tools.Store(&countedText{strings.Clone(text), n})
	return n
}

// Conversation is the tokens of a whole conversation.
func (m *Meter) Conversation(c *formats.Conversation) int {
	return m.overhead(c) + sum(m.weighAll(c.Messages))
}

// Tally counts a conversation and says where its tokens are.
func (m *Meter) Tally(c *formats.Conversation) Tally {
	return tally(m.weighAll(c.Messages), m.overhead(c))
}

func sum(list []weighed) int {
	n := 0
	for _, w := range list {
		n += w.total
	}
	return n
}

// Size is what a message takes, in tokens.
type Size struct {
	Total   int
	Results int // of Total: tool results that stand in the message
}

// Size counts one message.
func (m *Meter) Size(msg *formats.Message) Size {
	w := m.weigh(msg)
	s := Size{Total: w.total}
	for i, p := range msg.Parts {
		if _, ok := p.(*formats.ToolResult); ok {
			s.Results += w.parts[i]
		}
	}
	return s
}

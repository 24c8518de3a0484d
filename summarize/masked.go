package summarize

import "github.com/ctxpack/ctxpack/formats"

// withoutSecrets gives the request with the secrets of its messages and earlier summaries masked, and how many of them
// stood in what the summary covers. It masks before anything is read out of the messages: the body of a private key, or
// a value without the name it was assigned to, can no longer be told from an ordinary word. Messages without secrets are
// the same ones; others are copies, so that the conversation itself keeps every byte.
func (req Request) withoutSecrets() (Request, int) {
	m := masker{redactor: NewRedactor()}
	for i, t := range req.Turns {
		if list := m.messages(t.Messages); m.changed {
			if m.changed = false; !m.turns {
				req.Turns, m.turns = append([]Turn(nil), req.Turns...), true
			}
			req.Turns[i].Messages = list
		}
	}
	if req.Restated != nil {
		req.Restated = m.message(req.Restated)
	}
	var previous []Earlier
	for i, e := range req.Previous {
		body, n := m.redactor.Mask(e.Body)
		if n == 0 {
			continue
		}
		if previous == nil {
			previous = append(previous, req.Previous...)
			req.Previous = previous
		}
		m.found += n
		previous[i].Body = body
	}
	found := m.found
	req.Head, req.Tail = m.messages(req.Head), m.messages(req.Tail)
	return req, found
}

// masker masks messages.
type masker struct {
	redactor *Redactor
	found    int
	changed  bool // a list was copied
	turns    bool // the turns are copies
}

// messages gives the list, or a copy of it when a message had to be copied.
func (m *masker) messages(list []*formats.Message) []*formats.Message {
	out := list
	for i, msg := range list {
		masked := m.message(msg)
		if masked == msg {
			continue
		}
		if &out[0] == &list[0] {
			out = append([]*formats.Message(nil), list...)
			m.changed = true
		}
		out[i] = masked
	}
	return out
}

// message gives the message, or a copy of it without secrets.
func (m *masker) message(msg *formats.Message) *formats.Message {
	out := msg
	for i, p := range msg.Parts {
		masked := m.part(p)
		if masked == nil {
			continue
		}
		if out == msg {
			c := *msg
			c.Parts = append([]formats.Part(nil), msg.Parts...)
			out = &c
		}
		out.Parts[i] = masked
	}
	return out
}

// part gives a copy of the part without secrets; nil when it has none. A call whose arguments are masked keeps the same
// JSON text around the mask.
func (m *masker) part(p formats.Part) formats.Part {
	switch v := p.(type) {
	case *formats.Text:
		if text, found := m.mask(v.Text); found {
			c := *v
			c.Text = text
			return &c
		}
	case *formats.ToolCall:
		if text, found := m.mask(v.Arguments); found {
			c := *v
			c.Arguments = text
			return &c
		}
	case *formats.ToolResult:
		if text, found := m.mask(v.Text); found {
			c := *v
			c.Text = text
			return &c
		}
	}
	return nil
}

// mask masks a text, counts its secrets, and says whether there were any.
func (m *masker) mask(text string) (string, bool) {
	masked, n := m.redactor.Mask(text)
	m.found += n
	return masked, n > 0
}

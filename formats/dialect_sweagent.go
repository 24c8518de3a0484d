package formats

import "strings"

// SWEAgent is the dialect of SWE-agent's trajectories: a file whose `history` is the conversation. `trajectory` and
// `query` repeat it and stay as they are. Messages are OpenAI's, with `agent` and `message_type` on each and the ids of
// an answer as a list, `tool_call_ids`.
//
// Files without tool calls are text only: there the assistant's turn is a command, and every user turn after the first
// of them is what the command printed.
type SWEAgent struct{}

var sweAgentPaths = []listPath{{key: "history"}}

// Name is "swe-agent".
func (SWEAgent) Name() string { return "swe-agent" }

// Detect looks for `history` with what only SWE-agent writes, or in a file named .traj.
func (SWEAgent) Detect(p *Probe) (string, bool) {
	list, ok := p.historyList()
	if !ok {
		return "", false
	}
	if strings.HasSuffix(strings.ToLower(p.Rec.Pos.File), ".traj") {
		return "history[] in a file named .traj", true
	}
	for e := range elements(p.data(), list.Start) {
		o := ObjectAt(p.data(), e)
		for _, key := range []string{"message_type", "tool_call_ids"} {
			if _, ok := o.Find(key); ok {
				return "history[]." + key, true
			}
		}
	}
	return "", false
}

// historyList is findList without lists that are the whole record.
func (p *Probe) historyList() (Span, bool) {
	if p.Root.Empty() {
		return Span{}, false
	}
	list, _, ok := p.findList(sweAgentPaths, hasRole)
	return list, ok
}

// Decode reads the conversation.
func (d SWEAgent) Decode(p *Probe) (*Conversation, error) {
	list, ok := p.historyList()
	if !ok {
		return nil, p.missing(d.Name(), `"history": [{"role": …, "content": …, "message_type": …}]`)
	}
	s := &sweAgentStyle{openAIStyle: openAIStyle{root: p.data(), list: list}}
	s.look()
	c := p.start(s)
	c.readList(list, s.between())
	if !s.textOnly {
		return c, nil
	}
	acted := false
	for _, m := range c.Messages {
		switch {
		case m.Role == RoleAssistant:
			acted = acted || s.turnOf(m.raw, "action", "thought")
		case acted && m.Role == RoleUser && s.turnOf(m.raw, "observation"):
			m.spelling = &observationStyle{s}
			m.Parts = nil
			m.read(m.raw)
		}
	}
	addImplicitCalls(c.Messages)
	return c, nil
}

// sweAgentStyle is how this record spells messages.
type sweAgentStyle struct {
	openAIStyle
	textOnly bool   // no message has calls
	typed    bool   // messages have a message_type
	agent    string // the first message's agent, as JSON; "" for none
}

// look finds out what kind of file it is.
func (s *sweAgentStyle) look() {
	s.textOnly = true
	for e := range elements(s.root, s.list.Start) {
		o := ObjectAt(s.root, e)
		calls, _ := o.Find("tool_calls")
		s.textOnly = s.textOnly && !o.Has("function_call") && !hasElements(s.root, calls)
		if _, ok := o.Find("message_type"); ok {
			s.typed = true
		}
		if agent := o.Raw("agent"); s.agent == "" && len(agent) > 0 && agent[0] == '"' {
			s.agent = string(agent)
		}
	}
}

func hasElements(data []byte, list Span) bool {
	for range elementsIn(data, list) {
		return true
	}
	return false
}

// turnOf says that a message's type is one of kinds, or not told.
func (*sweAgentStyle) turnOf(raw []byte, kinds ...string) bool {
	kind := ObjectAt(raw, Span{0, len(raw)}).Text("message_type")
	if kind == "" {
		return true
	}
	for _, k := range kinds {
		if k == kind {
			return true
		}
	}
	return false
}

// object spells a message with what SWE-agent looks for in each: its agent, and in text-only files the type that keeps it
// from being taken for a command or its output.
func (s *sweAgentStyle) object(kind string, fields ...string) []byte {
	if s.agent != "" {
		fields = append(fields, "agent", s.agent)
	}
	if s.typed || s.textOnly {
		fields = append(fields, "message_type", quoted(kind))
	}
	return s.learn().object(fields...)
}

func (s *sweAgentStyle) message(role Role, text string) []byte {
	return s.object("summary", "role", quoted(role.String()), "content", quoted(text))
}

func (s *sweAgentStyle) result(call *ToolCall, text string) []byte {
	return s.object("observation", "role", `"tool"`, "content", quoted(text), "tool_call_ids", "["+quoted(call.ID)+"]")
}

// observationStyle reads a user turn that is what a command printed.
type observationStyle struct{ *sweAgentStyle }

func (s *observationStyle) decode(m *Message, raw []byte) int {
	end := s.sweAgentStyle.decode(m, raw)
	r := &ToolResult{turn: true}
	if content, ok := ObjectAt(raw, Span{0, end}).Find("content"); ok {
		r.readContent(raw, content)
	}
	m.Role, m.Parts = RoleTool, []Part{r}
	return end
}

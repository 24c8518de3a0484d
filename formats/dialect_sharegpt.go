package formats

import (
	"bytes"
	"slices"
	"strings"
)

// ShareGPT is `{"conversations": [{"from", "value"}], "system"?, "tools"?}` with any of the role names in use.
type ShareGPT struct{}

// Hermes is ShareGPT whose values hold <think>, <tool_call> and <tool_response> blocks.
type Hermes struct{}

var shareGPTPaths = []listPath{
	{key: "conversations"}, {key: "conversation"}, {key: "messages"}, {key: "trajectory"}, {key: "chat"},
}

// shareGPTRoles is what each role name means; names are compared in lower case. Sources: the spec's table, which was
// read from the loaders of the common trainers.
var shareGPTRoles = map[string]Role{
	"system": RoleSystem, "developer": RoleSystem, "system_prompt": RoleSystem,
	"user": RoleUser, "human": RoleUser, "prompter": RoleUser,
	"assistant": RoleAssistant, "gpt": RoleAssistant, "ai": RoleAssistant, "chatgpt": RoleAssistant, "bing": RoleAssistant,
	"bard": RoleAssistant, "bot": RoleAssistant, "agent": RoleAssistant, "model": RoleAssistant,
	"function_call": RoleAssistant, "tool_call": RoleAssistant, "tool_use": RoleAssistant,
	"tool": RoleTool, "function": RoleTool, "observation": RoleTool, "tool_response": RoleTool, "tool_result": RoleTool,
	"ipython": RoleTool, "environment": RoleTool,
}

// callRoles are the role names whose whole value is a call.
var callRoles = map[string]bool{"function_call": true, "tool_call": true, "tool_use": true}

// Name is "sharegpt".
func (ShareGPT) Name() string { return "sharegpt" }

// Name is "hermes".
func (Hermes) Name() string { return "hermes" }

// Detect looks for a list of objects with `from`.
func (ShareGPT) Detect(p *Probe) (string, bool) {
	_, path, ok := p.findList(shareGPTPaths, hasFrom)
	return path + "[].from", ok
}

// Detect looks for ShareGPT with tool blocks in it.
func (Hermes) Detect(p *Probe) (string, bool) {
	list, path, ok := p.findList(shareGPTPaths, hasFrom)
	if !ok {
		return "", false
	}
	for _, t := range []tag{toolCallTag, toolResponseTag} {
		name := t.open[1 : len(t.open)-1]
		for _, open := range []string{"<", `\u003c`, `\u003C`} {
			if bytes.Contains(list.In(p.data()), []byte(open+name)) {
				return path + "[].from with " + t.open, true
			}
		}
	}
	return "", false
}

func hasFrom(o Object) bool {
	_, ok := o.String("from")
	return ok && slices.ContainsFunc(shareGPTNames[1:], func(key string) bool {
		_, ok := o.Find(key)
		return ok
	})
}

// Decode reads the conversation.
func (d ShareGPT) Decode(p *Probe) (*Conversation, error) { return decodeShareGPT(p, d.Name()) }

// Decode reads the conversation.
func (d Hermes) Decode(p *Probe) (*Conversation, error) { return decodeShareGPT(p, d.Name()) }

func decodeShareGPT(p *Probe, name string) (*Conversation, error) {
	list, _, ok := p.findList(shareGPTPaths, hasFrom)
	if !ok {
		return nil, p.missing(name, `"conversations": [{"from": …, "value": …}]`)
	}
	s := &shareGPTStyle{root: p.data(), list: list}
	c := p.start(s)
	if lit, ok := p.Root.Find("system"); ok && kindAt(p.data(), lit) == '"' && lit.Len() > 2 {
		c.addOutside(lit)
	}
	c.readList(list, betweenOf(p.data(), list))
	addImplicitCalls(c.Messages)
	return c, nil
}

// addImplicitCalls gives an assistant turn whose call is not spelled out a call for each tool turn that follows it, so
// that the turns stay together.
func addImplicitCalls(messages []*Message) {
	var caller *Message // the last assistant turn, while none of its calls is spelled out
	for _, m := range messages {
		if m.Role == RoleAssistant {
			if caller = m; slices.ContainsFunc(m.Parts, isCall) {
				caller = nil
			}
		}
		if caller == nil {
			continue
		}
		for _, p := range m.Parts {
			if r, ok := p.(*ToolResult); ok && r.CallID == "" {
				caller.Parts = append(caller.Parts, &ToolCall{Implicit: true})
			}
		}
	}
}

func isCall(p Part) bool {
	_, ok := p.(*ToolCall)
	return ok
}

// The members of a turn that are read; the text is the first of the last three that is not null.
var shareGPTNames = [...]string{"from", "value", "text", "content"}

// valueOf gives the key and the place of a turn's text; the key is "" where there is none.
func valueOf(raw []byte, at *[len(shareGPTNames)]Span) (key string, value Span) {
	for i := len(at) - 1; i > 0; i-- {
		if s := at[i]; s.Len() > 0 && (raw[s.Start] != 'n' || key == "" || raw[value.Start] == 'n') {
			key, value = shareGPTNames[i], s
		}
	}
	return key, value
}

// decode reads one turn.
func (s *shareGPTStyle) decode(m *Message, raw []byte) int {
	if raw[0] != '{' {
		end := skipValue(raw, 0)
		m.Parts = []Part{&Opaque{JSON: string(raw[:end])}}
		return end
	}
	var at [len(shareGPTNames)]Span
	end := pick(raw, 0, shareGPTNames[:], at[:])
	m.RoleName = stringAt(raw, at[0])
	lower := strings.ToLower(m.RoleName)
	m.Role = shareGPTRoles[lower]
	_, value := valueOf(raw, &at)
	switch {
	case value.Len() > 0 && raw[value.Start] == '"':
		b := blocks{text: DecodeString(value.In(raw)), span: value}
		switch {
		case callRoles[lower]:
			m.Parts = b.wholeCall()
		case m.Role == RoleAssistant:
			m.Parts = b.assistant()
		case m.Role == RoleTool:
			m.Parts = b.tool()
		default:
			m.Parts = []Part{textLiteral(raw, value)}
		}
	case m.Role == RoleTool:
		r := &ToolResult{turn: true, place: place{span: value}}
		if value.Len() > 0 {
			r.Text = textOf(raw, value)
		}
		m.Parts = []Part{r}
	case value.Len() > 0 && raw[value.Start] != 'n':
		m.Parts = []Part{&Opaque{JSON: string(value.In(raw))}}
	}
	return end
}

// addText puts text at the very front or back of the turn's value.
func (s *shareGPTStyle) addText(m *Message, text string, front bool) {
	if m.Outside {
		m.insertAt(Span{0, len(m.raw)}, text, front)
		return
	}
	if m.raw[0] != '{' {
		return
	}
	if m.Role == RoleAssistant || m.Role == RoleTool {
		text = breakTags(text)
	}
	var at [len(shareGPTNames)]Span
	pick(m.raw, 0, shareGPTNames[:], at[:])
	key, value := valueOf(m.raw, &at)
	if key == "" {
		m.addMember(s.learn().key, quoted(text), s.learn().objectStyle)
		return
	}
	m.addToValue(value, text, front, func() {
		json := string(value.In(m.raw))
		if front {
			json = text + json
		} else {
			json += text
		}
		m.replaceAt(value, quoted(json))
	})
}

func (s *shareGPTStyle) ownText(m *Message) string {
	if len(m.Parts) == 1 {
		if t, ok := m.Parts[0].(*Text); ok {
			return t.Text
		}
	}
	return ""
}

// cutPart takes a block, with its tags, or a text between blocks out of the turn's value. The last result stays: without
// it the rest of the turn would be one.
func (*shareGPTStyle) cutPart(m *Message, at int) {
	switch v := m.Parts[at].(type) {
	case *ToolResult:
		another := func(p Part) bool {
			r, ok := p.(*ToolResult)
			return ok && r != v
		}
		if v.block.Len() > 0 && slices.ContainsFunc(m.Parts, another) {
			m.dropBlock(&v.place, at)
		}
	case *Text:
		m.settle()
		if at < len(m.Parts) && Part(v) == m.Parts[at] && !v.nowhere() {
			m.spliceAt(v.span, Splice{Start: v.lo, End: v.hi})
		}
	}
}

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
		c.system = lit
		m := &Message{Role: RoleSystem, RoleName: "system", Outside: true, raw: lit.In(p.data()), spelling: s}
		m.read(m.raw)
		c.Messages = append(c.Messages, m)
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

// shareGPTStyle is how this record spells turns. The style of new ones is learnt when the first is asked for.
type shareGPTStyle struct {
	root    []byte
	list    Span
	learned *turnStyle
}

type turnStyle struct {
	objectStyle
	names    [RoleCount]string
	key      string // "value"
	tagged   bool   // calls stand in <tool_call> blocks
	wrapped  bool   // results stand in <tool_response> blocks
	observed bool   // calls are turns of role function_call, whose answers are named observation
}

func (s *shareGPTStyle) learn() *turnStyle {
	if s.learned != nil {
		return s.learned
	}
	t := &turnStyle{objectStyle: learnStyle(firstObject(s.root, s.list), "from", "value", "text", "content")}
	s.learned = t
	for e := range elements(s.root, s.list.Start) {
		var at [len(shareGPTNames)]Span
		if kindAt(s.root, e) != '{' {
			continue
		}
		pick(s.root, e.Start, shareGPTNames[:], at[:])
		name := stringAt(s.root, at[0])
		if name == "" {
			continue
		}
		key, value := valueOf(s.root, &at)
		if t.key == "" {
			t.key = key
		}
		t.learnName(name, stringAt(s.root, value))
	}
	t.fillIn()
	return t
}

// learnName takes the first name of each role, and how tool turns look.
func (t *turnStyle) learnName(name, value string) {
	lower := strings.ToLower(name)
	if lower == "function_call" {
		t.observed = true
	}
	role := shareGPTRoles[lower]
	t.tagged = t.tagged || role == RoleAssistant && strings.Contains(value, toolCallTag.open)
	t.wrapped = t.wrapped || role == RoleTool && strings.Contains(value, toolResponseTag.open)
	if t.names[role] == "" && !callRoles[lower] {
		t.names[role] = name
	}
}

// fillIn names the roles that the record does not have, after those it has.
func (t *turnStyle) fillIn() {
	names := [RoleCount]string{"", "system", "human", "gpt", "tool"}
	if t.names[RoleUser] == "user" || t.names[RoleAssistant] == "assistant" {
		names[RoleUser], names[RoleAssistant] = "user", "assistant"
	}
	if t.observed {
		names[RoleTool] = "observation"
	}
	for role, name := range names {
		if t.names[role] == "" {
			t.names[role] = name
		}
	}
	if t.key == "" {
		t.key = "value"
	}
}

// message spells a new turn. A text of the assistant that quotes a block is not to be read as one.
func (s *shareGPTStyle) message(role Role, text string) []byte {
	if role == RoleAssistant || role == RoleTool {
		text = breakTags(text)
	}
	return s.turn(role, text)
}

func (s *shareGPTStyle) turn(role Role, text string) []byte {
	t := s.learn()
	return t.object("from", quoted(t.names[role]), t.key, quoted(text))
}

func (s *shareGPTStyle) result(call *ToolCall, text string) []byte {
	if t := s.learn(); t.wrapped || t.tagged {
		return s.turn(RoleTool, responseBlock(call, text))
	}
	return s.message(RoleTool, text)
}

func (s *shareGPTStyle) textParts(text string) string { return quoted(text) }

// addResult adds a block to a Hermes tool turn.
func (s *shareGPTStyle) addResult(m *Message, call *ToolCall, text string) bool {
	var last *ToolResult
	for _, p := range slices.Backward(m.Parts) {
		if r, ok := p.(*ToolResult); ok && r.block.Len() > 0 {
			last = r
			break
		}
	}
	if last == nil {
		return false
	}
	block := responseBlock(call, text)
	insert := block
	if _, ok := m.Parts[len(m.Parts)-1].(*ToolResult); ok {
		insert = "\n" + block
	}
	m.changed = true
	m.edits = append(m.edits, edit{span: last.span, within: true, splice: Splice{last.whole, last.whole, insert}})
	r := (&blocks{text: block}).tool()[0].(*ToolResult)
	m.Parts = append(m.Parts, &ToolResult{CallID: r.CallID, Name: r.Name, Text: r.Text})
	return true
}

func responseBlock(call *ToolCall, text string) string {
	var b []byte
	b = append(b, '{')
	if call.ID != "" {
		b = append(AppendString(append(b, `"tool_call_id": `...), call.ID), ", "...)
	}
	b = AppendString(append(b, `"name": `...), call.Name)
	b = AppendString(append(b, `, "content": `...), text)
	return toolResponseTag.open + "\n" + escapeTags(string(b)) + "}\n" + toolResponseTag.close
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

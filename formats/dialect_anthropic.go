package formats

import "slices"

// Anthropic is the dialect of the Messages API: `{"system"?, "tools"?, "messages": [{"role", "content": [blocks]}]}`, as
// its documentation describes it. A user message that holds tool results is a tool's turn here, whatever text follows
// the results.
type Anthropic struct{}

// anthropicPaths is where the message list stands: a request, a request of a batch, or under the names of data sets.
var anthropicPaths = []listPath{
	{key: "messages"}, {"params", "messages"}, {key: "conversation"}, {key: "conversations"}, {key: "chat"},
	{key: "trajectory"}, {key: "history"}, {key: "prompt"},
}

var anthropicRoles = map[string]Role{"system": RoleSystem, "user": RoleUser, "assistant": RoleAssistant}

// The types of block that tell the dialect.
var anthropicMarkers = [...]string{"tool_use", "tool_result", "thinking", "redacted_thinking"}

// longestBlockType is the bytes that such a type takes at most, each spelled as an escape.
const longestBlockType = 6 * len("redacted_thinking")

// isBlockType says whether what stands between the quotes of a string is such a type.
func isBlockType(inner []byte, escaped bool) bool {
	for _, marker := range anthropicMarkers {
		if string(inner) == marker || escaped && decodesTo(inner, marker) {
			return true
		}
	}
	return false
}

// Name is "anthropic".
func (Anthropic) Name() string { return "anthropic" }

// Detect looks for a block of a call, a result or thinking in any message.
func (Anthropic) Detect(p *Probe) (string, bool) {
	if !p.blocks {
		return "", false
	}
	list, path, ok := p.findList(anthropicPaths, hasRole)
	if !ok {
		return "", false
	}
	for e := range elements(p.data(), list.Start) {
		for block := range elementsIn(p.data(), contentOf(p.data(), e)) {
			if kind := ObjectAt(p.data(), block).Text("type"); slices.Contains(anthropicMarkers[:], kind) {
				return path + "[].content[].type " + kind, true
			}
		}
	}
	return "", false
}

// contentOf is the content of the message at e, found without allocating: detection looks at every message.
func contentOf(data []byte, e Span) Span {
	var content [1]Span
	if kindAt(data, e) == '{' {
		pick(data, e.Start, []string{"content"}, content[:])
	}
	return content[0]
}

// Decode reads the conversation.
func (d Anthropic) Decode(p *Probe) (*Conversation, error) {
	list, path, ok := p.findList(anthropicPaths, hasRole)
	if !ok {
		return nil, p.missing(d.Name(), `"messages": [{"role": …, "content": …}]`)
	}
	s := &anthropicStyle{openAIStyle{root: p.data(), list: list}}
	c := p.start(s)
	holder := p.Root
	if path == "params.messages" {
		holder = p.Root.Object("params")
		c.Model = holder.Text("model")
		if tools, ok := holder.Find("tools"); ok {
			c.Tools = textOf(p.data(), tools)
		}
	}
	if system, ok := holder.Find("system"); ok && isText(p.data(), system) {
		c.addOutside(system)
	}
	c.readList(list, s.between())
	return c, nil
}

// isText says that a value is a string or a list with something in it.
func isText(data []byte, s Span) bool {
	switch data[s.Start] {
	case '"':
		return s.Len() > 2
	case '[':
		return data[skipSpace(data, s.Start+1)] != ']'
	}
	return false
}

// anthropicStyle is how this record spells messages: the objects as in OpenAI's dialect, the contents in blocks.
type anthropicStyle struct{ openAIStyle }

// message spells a new message: in blocks where the record knows no contents that are strings.
func (s *anthropicStyle) message(role Role, text string) []byte {
	content := quoted(text)
	if s.blocksOnly() {
		content = s.textParts(text)
	}
	return s.learn().object("role", quoted(role.String()), "content", content)
}

func (s *anthropicStyle) blocksOnly() bool {
	lists := false
	for e := range elements(s.root, s.list.Start) {
		content := ObjectAt(s.root, e).Raw("content")
		switch {
		case len(content) > 0 && content[0] == '"':
			return false
		case len(content) > 0 && content[0] == '[':
			lists = true
		}
	}
	return lists
}

func (s *anthropicStyle) result(call *ToolCall, text string) []byte {
	return s.learn().object("role", `"user"`, "content", "["+s.resultBlock(call, text)+"]")
}

func (s *anthropicStyle) resultBlock(call *ToolCall, text string) string {
	return string(s.learn().inline().object("type", `"tool_result"`, "tool_use_id", quoted(call.ID), "content", quoted(text)))
}

// addResult puts a block behind the last result of the message.
func (s *anthropicStyle) addResult(m *Message, call *ToolCall, text string) bool {
	end, after := 0, -1
	for i, p := range m.Parts {
		if r, ok := p.(*ToolResult); ok {
			if after = i; r.block.Len() > 0 {
				end = r.block.End
			}
		}
	}
	if end == 0 {
		return false
	}
	block := s.learn().inline().comma + s.resultBlock(call, text)
	m.changed = true
	m.edits = append(m.edits, edit{span: Span{end, end}, json: []byte(block)})
	m.Parts = slices.Insert(slices.Clone(m.Parts), after+1, Part(&ToolResult{CallID: wellFormed(call.ID), Text: wellFormed(text)}))
	return true
}

// decode reads one message, or a system text that is a list of blocks.
func (s *anthropicStyle) decode(m *Message, raw []byte) int {
	if m.Outside {
		m.Role, m.RoleName = RoleSystem, "system"
		return s.blocks(m, raw, valueSpan(raw))
	}
	if raw[0] != '{' {
		return s.openAIStyle.decode(m, raw)
	}
	var at [2]Span
	end := pick(raw, 0, []string{"role", "content"}, at[:])
	m.RoleName = stringAt(raw, at[0])
	m.Role = anthropicRoles[m.RoleName]
	content := at[1]
	switch {
	case content.Len() == 0 || raw[content.Start] == 'n':
	case raw[content.Start] == '"':
		m.Parts = []Part{textLiteral(raw, content)}
	case raw[content.Start] == '[':
		s.blocks(m, raw, content)
	default:
		m.Parts = []Part{&Opaque{JSON: string(content.In(raw))}}
	}
	if m.Role == RoleUser && slices.ContainsFunc(m.Parts, isResult) {
		m.Role = RoleTool
	}
	return end
}

func (*anthropicStyle) blocks(m *Message, raw []byte, list Span) int {
	for e := range elementsIn(raw, list) {
		m.Parts = append(m.Parts, anthropicBlock(raw, e))
	}
	return list.End
}

func isResult(p Part) bool {
	_, ok := p.(*ToolResult)
	return ok
}

// anthropicBlock reads one element of a content list. Calls that the provider runs itself (server_tool_use, …) come with
// their results in the same message and are kept as they are.
func anthropicBlock(raw []byte, e Span) Part {
	o := ObjectAt(raw, e)
	switch kind := o.Text("type"); kind {
	case "thinking":
		return &Reasoning{Text: o.Text("thinking")}
	case "redacted_thinking":
		return &Reasoning{Text: o.Text("data")}
	case "tool_use":
		return toolCall(raw, e.Start)
	case "tool_result":
		r := &ToolResult{CallID: o.Text("tool_use_id"), IsError: string(o.Raw("is_error")) == "true"}
		if content, ok := o.Find("content"); ok {
			r.readParts(raw, content, anthropicBlock)
		}
		r.block = e
		return r
	case "document":
		if source := o.Object("source"); source.Text("type") == "base64" || source.Text("type") == "url" || source.Text("type") == "file" {
			return &Media{Type: kind}
		}
		return &Opaque{JSON: string(e.In(raw))}
	}
	return contentPart(raw, e)
}

// addText: as in OpenAI's dialect, but results and thinking stay in front of any text, as the API demands.
func (s *anthropicStyle) addText(m *Message, text string, front bool) {
	if m.Outside {
		whole := Span{0, len(m.raw)}
		m.addToValue(whole, text, front, func() { s.insertText(m, whole, text, front) })
		return
	}
	if m.raw[0] != '{' {
		return
	}
	content, ok := ObjectAt(m.raw, Span{0, len(m.raw)}).Find("content")
	if !ok {
		m.addMember("content", quoted(text), s.learn())
		return
	}
	m.addToValue(content, text, front, func() { s.insertText(m, content, text, front) })
}

func (s *anthropicStyle) insertText(m *Message, list Span, text string, front bool) {
	comma := s.learn().inline().comma
	lead := 0
	for e := range elements(m.raw, list.Start) {
		switch ObjectAt(m.raw, e).Text("type") {
		case "tool_result", "thinking", "redacted_thinking":
			lead = e.End
			continue
		}
		break
	}
	if front && lead > 0 {
		m.replaceAt(Span{lead, lead}, comma+s.textPart(text))
		return
	}
	m.insertElement(list, s.textPart(text), comma, front)
}

func (s *anthropicStyle) ownText(m *Message) string {
	if m.Outside {
		return stringAt(m.raw, Span{0, len(m.raw)})
	}
	if m.Role == RoleTool {
		return ""
	}
	return s.openAIStyle.ownText(m)
}

// cutPart takes a block of text or a result out, and the text out of a content that is one string. The last block stays:
// a message must not be empty.
func (s *anthropicStyle) cutPart(m *Message, at int) {
	m.cutBlock(at, func(list Span) bool { return countElements(m.raw, list) > 1 })
}

// cutBlock takes Parts[at] out of the content list it stands in, where may allows that for the list, or out of the string
// that it is. Other parts keep their identity.
func (m *Message) cutBlock(at int, may func(list Span) bool) {
	p, ok := m.Parts[at].(located)
	if !ok {
		return
	}
	m.settle()
	if at >= len(m.Parts) || m.Parts[at] != Part(p) {
		return
	}
	block := p.at().block
	switch t, text := p.(*Text); {
	case block.Len() > 0:
		if may(listAround(m.raw, block)) {
			m.Parts = slices.Delete(slices.Clone(m.Parts), at, at+1)
			m.cutElement(block)
		}
	case text && !t.nowhere():
		m.spliceAt(t.span, Splice{Start: t.lo, End: t.hi})
	}
}

// listAround finds the innermost list of which e is an element.
func listAround(data []byte, e Span) Span {
	at := Span{0, len(data)}
	if data[0] != '{' && data[0] != '[' {
		return Span{}
	}
	for {
		inner := Span{}
		if kindAt(data, at) == '{' {
			for _, v := range members(data, at.Start) {
				if v.Start <= e.Start && e.End <= v.End {
					inner = v
				}
			}
		} else {
			for v := range elementsIn(data, at) {
				if v == e {
					return at
				}
				if v.Start <= e.Start && e.End <= v.End {
					inner = v
				}
			}
		}
		if inner.Len() == 0 {
			return Span{}
		}
		at = inner
	}
}

func countElements(data []byte, list Span) int {
	n := 0
	for range elementsIn(data, list) {
		n++
	}
	return n
}

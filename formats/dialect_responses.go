package formats

import (
	"slices"
	"strings"
)

// Responses is the dialect of OpenAI's Responses API: a flat list of items in `input` (a request), `output` (a response)
// or as the whole record; system text in `instructions`. Each item is a message here. A reasoning item is never parted
// from the item it led to: the API refuses it alone.
type Responses struct{}

var responsesPaths = []listPath{{key: "input"}, {key: "output"}, {"body", "input"}, {"response", "output"}, {key: "items"}}

// responsesMarkers are the item types that tell the dialect.
var responsesMarkers = [...]string{"function_call", "function_call_output", "reasoning", "message"}

// Name is "responses".
func (Responses) Name() string { return "responses" }

// Detect looks for a list with an item of one of the well-known types, or an input of messages.
func (Responses) Detect(p *Probe) (string, bool) {
	_, marker, ok := p.findItems()
	return marker, ok
}

// findItems finds the list of items. The first item may be a message that does not tell its type, so all are looked at.
func (p *Probe) findItems() (list Span, marker string, ok bool) {
	if p.At.Len() > 0 && kindAt(p.data(), p.At) == '[' {
		kind, ok := p.itemIn(p.At)
		return p.At, "a list of items of type " + kind, ok
	}
	for _, path := range responsesPaths {
		obj := p.Root
		if path.outer != "" {
			obj = p.Root.Object(path.outer)
		}
		if list, found := obj.Find(path.key); found {
			if kind, ok := p.itemIn(list); ok {
				return list, path.String() + "[].type " + kind, true
			}
		}
	}
	return p.plainItems()
}

// plainItems finds an input of nothing but messages that do not tell their type, as requests spell them, and as a compacted
// one may be whose calls are all in the summary. A record with a list of chat messages is not meant.
func (p *Probe) plainItems() (list Span, marker string, ok bool) {
	list, ok = p.Root.Find("input")
	if !ok || kindAt(p.data(), list) != '[' || !p.listOf(list, hasRole) {
		return Span{}, "", false
	}
	_, _, chat := p.findList(openAIPaths, hasRole)
	return list, "input[].role", !chat
}

func (p *Probe) itemIn(list Span) (string, bool) {
	for e := range elementsIn(p.data(), list) {
		if kind := ObjectAt(p.data(), e).Text("type"); slices.Contains(responsesMarkers[:], kind) {
			return kind, true
		}
	}
	return "", false
}

// Decode reads the conversation.
func (d Responses) Decode(p *Probe) (*Conversation, error) {
	list, _, ok := p.findItems()
	if !ok { // nothing but messages is left of the items
		list, _, ok = p.findList(responsesPaths, hasRole)
	}
	if !ok {
		return nil, p.missing(d.Name(), `"input": [{"type": "message", …}, {"type": "function_call", …}]`)
	}
	s := &responsesStyle{openAIStyle: openAIStyle{root: p.data(), list: list}}
	c := p.start(s)
	for _, holder := range []Object{p.Root, p.Root.Object("body"), p.Root.Object("response")} {
		if lit, ok := holder.Find("instructions"); ok && isText(p.data(), lit) && kindAt(p.data(), lit) == '"' {
			c.addOutside(lit)
			break
		}
	}
	c.readList(list, s.between())
	return c, nil
}

// responsesStyle is how this record spells items.
type responsesStyle struct {
	openAIStyle
	first Object // the first item that is a message
}

// learn looks at the first message among the items: other items have other keys.
func (s *responsesStyle) learn() objectStyle {
	if s.learned != nil {
		return *s.learned
	}
	s.first = firstObject(s.root, s.list)
	for e := range elements(s.root, s.list.Start) {
		if o := ObjectAt(s.root, e); hasRole(o) {
			s.first = o
			break
		}
	}
	style := learnStyle(s.first, "role", "content", "id", "status", "phase")
	s.learned = &style
	return style
}

// message spells a new item: with parts and a type where the record's first message has them.
func (s *responsesStyle) message(role Role, text string) []byte {
	style := s.learn()
	fields := []string{"role", quoted(role.String())}
	if hasRole(s.first) && !s.first.Has("type") {
		return style.object(append(fields, "content", quoted(text))...)
	}
	content := "[" + s.part(role, text) + "]"
	return style.object(append([]string{"type", `"message"`}, append(fields, "content", content)...)...)
}

// part spells one text of a message: what a model said is output, everything else input.
func (s *responsesStyle) part(role Role, text string) string {
	kind := `"input_text"`
	if role == RoleAssistant {
		kind = `"output_text"`
	}
	return string(s.learn().inline().object("type", kind, "text", quoted(text)))
}

func (s *responsesStyle) result(call *ToolCall, text string) []byte {
	kind := `"function_call_output"`
	if call.custom {
		kind = `"custom_tool_call_output"`
	}
	style := s.learn()
	return style.object("type", kind, "call_id", quoted(call.ID), "output", quoted(text))
}

func (s *responsesStyle) textParts(text string) string { return "[" + s.part(RoleUser, text) + "]" }

// The members of an item that are read.
var itemNames = [...]string{"type", "role", "content", "call_id", "name", "output", "arguments", "input", "summary"}

// decode reads one item.
func (s *responsesStyle) decode(m *Message, raw []byte) int {
	if raw[0] != '{' {
		return s.openAIStyle.decode(m, raw)
	}
	var at [len(itemNames)]Span
	end := pick(raw, 0, itemNames[:], at[:])
	kind := stringAt(raw, at[0])
	m.RoleName, m.Bound, m.Pinned = kind, false, kind == "compaction"
	switch {
	case kind == "message", kind == "" && at[1].Len() > 0:
		m.RoleName = stringAt(raw, at[1])
		if m.Role = openAIRoles[m.RoleName]; m.Role == RoleTool {
			m.Role = RoleOther // no item of this API
		}
		m.addContent(raw, at[2])
	case kind == "reasoning":
		m.Role, m.Bound = RoleAssistant, true
		m.addThinking(raw, at[8], at[2])
	case strings.HasSuffix(kind, "_call_output"):
		m.Role = RoleTool
		m.Parts = []Part{itemResult(raw, kind, &at)}
	case strings.HasSuffix(kind, "_call") && at[3].Len() > 0:
		m.Role = RoleAssistant
		m.Parts = []Part{itemCall(raw, kind, end, &at)}
	case strings.HasSuffix(kind, "_call"): // run by the provider: call and result in one
		m.Role = RoleAssistant
		m.Parts = []Part{&Opaque{JSON: string(raw[:end])}}
	default:
		m.Role = RoleOther
		m.Parts = []Part{&Opaque{JSON: string(raw[:end])}}
	}
	return end
}

// addThinking reads a reasoning item: its text, else its summary. What is encrypted is not read.
func (m *Message) addThinking(raw []byte, summary, content Span) {
	for _, list := range []Span{content, summary} {
		for e := range elementsIn(raw, list) {
			if text := ObjectAt(raw, e).Text("text"); text != "" {
				m.Parts = append(m.Parts, &Reasoning{Text: text})
			}
		}
		if len(m.Parts) > 0 {
			return
		}
	}
}

// itemCall reads function_call and custom_tool_call, whose arguments may be edited, and any other call by its id.
func itemCall(raw []byte, kind string, end int, at *[len(itemNames)]Span) *ToolCall {
	c := &ToolCall{ID: stringAt(raw, at[3]), Name: stringAt(raw, at[4]), custom: kind == "custom_tool_call"}
	args := at[6]
	if args.Len() == 0 {
		args = at[7]
	}
	switch {
	case args.Len() > 0 && kindAt(raw, args) != 'n':
		c.Arguments = textOf(raw, args)
		c.place = place{span: args}
		if kindAt(raw, args) != '"' {
			c.form = formJSON
		}
	case kind != "function_call" && kind != "custom_tool_call":
		c.Arguments = string(raw[:end])
	}
	if c.Name == "" && kind != "function_call" {
		c.Name = strings.TrimSuffix(kind, "_call")
	}
	return c
}

// itemResult reads any item that answers a call. The text of functions and custom tools may be edited; other tools want
// objects of their own.
func itemResult(raw []byte, kind string, at *[len(itemNames)]Span) *ToolResult {
	r := &ToolResult{CallID: stringAt(raw, at[3])}
	if at[5].Len() == 0 {
		return r
	}
	r.readContent(raw, at[5])
	r.Fixed = kind != "function_call_output" && kind != "custom_tool_call_output" && kindAt(raw, at[5]) != '"'
	return r
}

// addText: messages and results only; other items have no place for it.
func (s *responsesStyle) addText(m *Message, text string, front bool) {
	if m.Outside {
		m.insertAt(Span{0, len(m.raw)}, text, front)
		return
	}
	if m.raw[0] != '{' {
		return
	}
	o := ObjectAt(m.raw, Span{0, len(m.raw)})
	key := "content"
	if kind := o.Text("type"); strings.HasSuffix(kind, "_call_output") {
		key = "output"
	} else if kind != "message" && (kind != "" || !hasRole(o)) {
		return
	}
	value, ok := o.Find(key)
	if !ok {
		m.addMember(key, quoted(text), s.learn())
		return
	}
	m.addToValue(value, text, front, func() {
		m.insertElement(value, s.part(m.Role, text), s.learn().inline().comma, front)
	})
}

func (s *responsesStyle) ownText(m *Message) string {
	if m.Outside {
		return stringAt(m.raw, Span{0, len(m.raw)})
	}
	return s.openAIStyle.ownText(m)
}

// cutPart takes a text out of a message: an element of its content list, or what its string says.
func (s *responsesStyle) cutPart(m *Message, at int) {
	m.cutBlock(at, func(list Span) bool { return countElements(m.raw, list) > 1 })
}

package formats

// OpenAI is the dialect of chat completions: `{"messages": [{"role", "content", "tool_calls"…}], "tools"…}`, under any of
// the names that data sets use for the list.
type OpenAI struct{}

// openAIPaths is where the message list stands, in the order in which they are tried.
var openAIPaths = []listPath{
	{key: "messages"}, {key: "conversation"}, {key: "conversations"}, {key: "chat"}, {key: "trajectory"},
	{key: "history"}, {key: "traj"}, {key: "prompt"},
	{"input", "messages"}, // preference fine-tuning files
}

// openAIRoles is what each role name means. `function` is the old spelling of a tool's answer.
var openAIRoles = map[string]Role{
	"system": RoleSystem, "developer": RoleSystem,
	"user": RoleUser, "assistant": RoleAssistant,
	"tool": RoleTool, "function": RoleTool,
}

// Name is "openai".
func (OpenAI) Name() string { return "openai" }

// Detect looks for a list of objects with a `role`. An empty list is none where turns of ShareGPT stand beside it.
func (OpenAI) Detect(p *Probe) (string, bool) {
	list, path, ok := p.findList(openAIPaths, hasRole)
	if ok && p.emptyList(list) {
		if other, _, found := p.findList(shareGPTPaths, hasFrom); found && !p.emptyList(other) {
			return "", false
		}
	}
	return path + "[].role", ok
}

func hasRole(o Object) bool {
	_, ok := o.String("role")
	return ok
}

// Decode reads the conversation.
func (d OpenAI) Decode(p *Probe) (*Conversation, error) {
	list, _, ok := p.findList(openAIPaths, hasRole)
	if !ok {
		return nil, p.missing(d.Name(), `"messages": [{"role": …, "content": …}]`)
	}
	s := &openAIStyle{root: p.data(), list: list}
	c := p.start(s)
	c.readList(list, s.between())
	return c, nil
}

// openAIStyle is how this record spells messages. The style of new ones is learnt when the first is asked for: most
// records never need it.
type openAIStyle struct {
	root    []byte
	list    Span
	learned *objectStyle
}

// learn looks at the first object of the list.
func (s *openAIStyle) learn() objectStyle {
	if s.learned == nil {
		style := learnStyle(firstObject(s.root, s.list), "role", "content")
		s.learned = &style
	}
	return *s.learned
}

// between is what separates the elements of a one-line list that has fewer than two.
func (s *openAIStyle) between() string { return betweenOf(s.root, s.list) }

// betweenOf guesses the separator of list elements from the first object's spacing.
func betweenOf(root []byte, list Span) string {
	i := skipSpace(root, list.Start+1)
	if root[i] != '{' {
		return ", "
	}
	for key, value := range members(root, i) {
		if value.Start == key.End+1 {
			return ","
		}
		break
	}
	return ", "
}

func firstObject(data []byte, list Span) Object {
	for e := range elements(data, list.Start) {
		if kindAt(data, e) == '{' {
			return ObjectAt(data, e)
		}
	}
	return Object{}
}

// message spells a new message. One by the assistant carries the fine-tuning mask `weight: 0`: it is nothing to learn.
func (s *openAIStyle) message(role Role, text string) []byte {
	fields := []string{"role", quoted(role.String()), "content", quoted(text)}
	if role == RoleAssistant {
		fields = append(fields, "weight", "0")
	}
	return s.learn().object(fields...)
}

func (s *openAIStyle) result(call *ToolCall, text string) []byte {
	if call.old {
		return s.learn().object("role", `"function"`, "name", quoted(call.Name), "content", quoted(text))
	}
	return s.learn().object("role", `"tool"`, "tool_call_id", quoted(call.ID), "content", quoted(text))
}

func (s *openAIStyle) textPart(text string) string {
	return string(s.learn().inline().object("type", `"text"`, "text", quoted(text)))
}

func (s *openAIStyle) textParts(text string) string { return "[" + s.textPart(text) + "]" }

func (*openAIStyle) addResult(*Message, *ToolCall, string) bool { return false }

// addText: a string content is spliced, a list gets an element, null becomes the text, a message without content gets one.
func (s *openAIStyle) addText(m *Message, text string, front bool) {
	if m.raw[0] != '{' {
		return
	}
	content, ok := ObjectAt(m.raw, Span{0, len(m.raw)}).Find("content")
	if !ok {
		m.addMember("content", quoted(text), s.learn())
		return
	}
	m.addToValue(content, text, front, func() {
		m.insertElement(content, s.textPart(text), s.learn().inline().comma, front)
	})
}

// addToValue puts text before or after the value at span; list does it where the value is a list.
func (m *Message) addToValue(value Span, text string, front bool, list func()) {
	switch kindAt(m.raw, value) {
	case '"':
		m.insertAt(value, text, front)
	case '[':
		list()
	case 'n':
		m.replaceAt(value, quoted(text))
	default: // a number, an object: it is said beside the text
		json := string(value.In(m.raw))
		if front {
			json = text + json
		} else {
			json += text
		}
		m.replaceAt(value, quoted(json))
	}
}

func (s *openAIStyle) ownText(m *Message) string {
	if m.raw[0] != '{' || m.Role == RoleTool {
		return ""
	}
	content := ObjectAt(m.raw, Span{0, len(m.raw)}).Raw("content")
	if len(content) == 0 || content[0] != '"' {
		return ""
	}
	return DecodeString(content)
}

// cutPart takes an element out of a content list, and the text out of a content that is one string.
func (s *openAIStyle) cutPart(m *Message, at int) {
	m.settle()
	t, ok := m.Parts[at].(*Text)
	switch {
	case !ok || t.nowhere():
	case t.block.Len() > 0:
		m.cutElement(t.block)
	default:
		m.spliceAt(t.span, Splice{Start: t.lo, End: t.hi})
	}
}

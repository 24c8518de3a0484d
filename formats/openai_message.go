package formats

import "strings"

// The members of a message that are read, and their places in what pick finds.
const (
	openAIRole = iota
	openAIContent
	openAICalls
	openAIOldCall
	openAIReasoningContent
	openAIReasoning
	openAIReasoningDetails
	openAIRefusal
	openAICallID
	openAICallIDs
	openAIName
	openAIMembers
)

var openAINames = [openAIMembers]string{
	"role", "content", "tool_calls", "function_call", "reasoning_content", "reasoning", "reasoning_details", "refusal",
	"tool_call_id", "tool_call_ids", "name",
}

// decode reads one message. Whatever its shape, nothing is an error: what is not understood is Opaque.
func (s *openAIStyle) decode(m *Message, raw []byte) int {
	if raw[0] != '{' {
		end := skipValue(raw, 0)
		m.Parts = []Part{&Opaque{JSON: string(raw[:end])}}
		return end
	}
	var at [openAIMembers]Span
	end := pick(raw, 0, openAINames[:], at[:])
	m.RoleName = stringAt(raw, at[openAIRole])
	m.Role = openAIRoles[m.RoleName]
	if m.Role == RoleTool {
		m.Parts = []Part{toolResult(raw, &at)}
		return end
	}
	m.Parts = make([]Part, 0, 2)
	m.addReasoning(raw, &at)
	m.addContent(raw, at[openAIContent])
	if refusal := at[openAIRefusal]; stringAt(raw, refusal) != "" {
		m.Parts = append(m.Parts, textLiteral(raw, refusal))
	}
	m.addCalls(raw, &at)
	return end
}

// stringAt is the text of the string at s, "" where there is none.
func stringAt(raw []byte, s Span) string {
	if s.Len() == 0 || raw[s.Start] != '"' {
		return ""
	}
	return DecodeString(s.In(raw))
}

// textLiteral is a text that is the whole string literal at s.
func textLiteral(raw []byte, s Span) *Text {
	text := DecodeString(s.In(raw))
	return &Text{Text: text, place: place{span: s, within: true, hi: len(text), form: formPlain}}
}

// addReasoning reads the thinking of an assistant message; equal `reasoning` and `reasoning_content` are one.
func (m *Message) addReasoning(raw []byte, at *[openAIMembers]Span) {
	first := stringAt(raw, at[openAIReasoningContent])
	second := stringAt(raw, at[openAIReasoning])
	if first != "" {
		m.Parts = append(m.Parts, &Reasoning{Text: first})
	}
	if second != "" && second != first {
		m.Parts = append(m.Parts, &Reasoning{Text: second})
	}
	if first != "" || second != "" {
		return
	}
	for e := range elementsIn(raw, at[openAIReasoningDetails]) {
		if text := ObjectAt(raw, e).Text("text"); text != "" {
			m.Parts = append(m.Parts, &Reasoning{Text: text})
		}
	}
}

// addContent reads `content`: a string, a list of parts, null, or anything else.
func (m *Message) addContent(raw []byte, content Span) {
	if content.Len() == 0 {
		return
	}
	switch kindAt(raw, content) {
	case 'n':
	case '"':
		m.Parts = append(m.Parts, textLiteral(raw, content))
	case '[':
		for e := range elements(raw, content.Start) {
			m.Parts = append(m.Parts, contentPart(raw, e))
		}
	default:
		m.Parts = append(m.Parts, &Opaque{JSON: string(content.In(raw))})
	}
}

// contentPart reads one element of a content list.
func contentPart(raw []byte, e Span) Part {
	if kindAt(raw, e) == '"' {
		t := textLiteral(raw, e)
		t.block = e
		return t
	}
	o := ObjectAt(raw, e)
	switch kind := o.Text("type"); kind {
	case "text", "input_text", "output_text", "refusal", "":
		key := "text"
		if kind == "refusal" {
			key = "refusal"
		}
		if lit, ok := o.Find(key); ok && kindAt(raw, lit) == '"' {
			t := textLiteral(raw, lit)
			t.block = e
			return t
		}
	case "image_url", "image", "input_image", "input_audio", "audio", "audio_url", "video", "video_url", "file", "input_file":
		return &Media{Type: kind}
	}
	return &Opaque{JSON: string(e.In(raw))}
}

func (m *Message) addCalls(raw []byte, at *[openAIMembers]Span) {
	for e := range elementsIn(raw, at[openAICalls]) {
		if kindAt(raw, e) == '{' {
			m.Parts = append(m.Parts, toolCall(raw, e.Start))
		}
	}
	if old := at[openAIOldCall]; hasMembers(raw, old) {
		c := toolCall(raw, old.Start)
		c.ID, c.old = "", true
		m.Parts = append(m.Parts, c)
	}
}

// hasMembers says that there is an object at s, and not an empty one.
func hasMembers(raw []byte, s Span) bool {
	return s.Len() > 0 && raw[s.Start] == '{' && raw[skipSpace(raw, s.Start+1)] != '}'
}

var callNames = [...]string{"id", "name", "arguments", "input", "function", "custom"}

// toolCall reads `{"id", "function": {"name", "arguments"}}`, or the same without the nesting; custom tools say `input`.
func toolCall(raw []byte, start int) *ToolCall {
	var at [len(callNames)]Span
	pick(raw, start, callNames[:], at[:])
	c := &ToolCall{ID: stringAt(raw, at[0])}
	for _, function := range at[4:] {
		if hasMembers(raw, function) {
			clear(at[:])
			pick(raw, function.Start, callNames[:4], at[:4])
			break
		}
	}
	c.Name = stringAt(raw, at[1])
	args := at[2]
	if args.Len() == 0 {
		args = at[3]
	}
	if args.Len() > 0 && kindAt(raw, args) != 'n' {
		c.Arguments = textOf(raw, args)
		c.place = place{span: args, form: formString}
		if kindAt(raw, args) != '"' {
			c.form = formJSON
		}
	}
	return c
}

// toolResult reads a message of role tool or function. SWE-agent spells the id `tool_call_ids: [id]`.
func toolResult(raw []byte, at *[openAIMembers]Span) *ToolResult {
	r := &ToolResult{CallID: stringAt(raw, at[openAICallID]), Name: stringAt(raw, at[openAIName])}
	if r.CallID == "" {
		for e := range elementsIn(raw, at[openAICallIDs]) {
			r.CallID = stringAt(raw, e)
			break
		}
	}
	if content := at[openAIContent]; content.Len() > 0 {
		r.readContent(raw, content)
	}
	return r
}

// readContent reads what a tool answered: a string, text parts, null, or any JSON.
func (r *ToolResult) readContent(raw []byte, content Span) { r.readParts(raw, content, contentPart) }

// readParts is readContent for lists whose elements part reads.
func (r *ToolResult) readParts(raw []byte, content Span, part func([]byte, Span) Part) {
	r.place = place{span: content}
	if kindAt(raw, content) != '[' {
		r.Text = textOf(raw, content)
		return
	}
	var texts []string
	bare := false // strings that are not parts
	for e := range elements(raw, content.Start) {
		bare = bare || kindAt(raw, e) == '"'
		switch p := part(raw, e).(type) {
		case *Text:
			texts = append(texts, p.Text)
		case *Media:
			r.Media++
		case *Opaque:
			texts = append(texts, p.JSON)
		}
	}
	if !bare {
		r.form = formParts
	}
	r.Text = strings.Join(texts, "\n")
}

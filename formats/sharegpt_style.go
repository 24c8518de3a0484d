package formats

import (
	"slices"
	"strings"
)

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
	t.tagged = t.tagged || role == RoleAssistant && !callRoles[lower] && strings.Contains(value, toolCallTag.open)
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
	at := slices.IndexFunc(m.Parts, func(p Part) bool {
		r, ok := p.(*ToolResult)
		return ok && !r.turn && r.block.Len() > 0
	})
	if at < 0 {
		return false
	}
	turn := m.Parts[at].(*ToolResult)
	block := responseBlock(call, text)
	insert := block
	if _, ok := m.Parts[len(m.Parts)-1].(*ToolResult); ok {
		insert = "\n" + block
	}
	m.changed = true
	m.edits = append(m.edits, edit{span: turn.span, within: true, splice: Splice{turn.whole, turn.whole, insert}})
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

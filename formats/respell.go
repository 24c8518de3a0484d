package formats

import (
	"slices"
	"strings"
)

// What follows changes how messages are spelled, not what they say: for readers who want one spelling of several.

// roleKeys are the members that name a message's role, by dialect.
var roleKeys = []string{"role", "from", "source"}

// object is the message's own object, empty where it is none. No edits may wait.
func (m *Message) object() Object { return ObjectAt(m.raw, Span{0, len(m.raw)}) }

// Has says whether the message, as it is now, has a member of that name that is not null.
func (m *Message) Has(key string) bool {
	raw := m.Bytes()
	return len(raw) > 0 && ObjectAt(raw, Span{0, len(raw)}).Has(key)
}

// Rename gives the message another name of its role. Nothing happens to a system text outside the list.
func (m *Message) Rename(name string) {
	if m.Outside || m.RoleName == name {
		return
	}
	m.settle()
	for _, key := range roleKeys {
		if at, ok := m.object().Find(key); ok && kindAt(m.raw, at) == '"' {
			m.replaceAt(at, quoted(name))
			return
		}
	}
}

// SetMember gives the message a member, or one that it has another value, both as JSON. It must not be one that is read:
// content, calls, role.
func (m *Message) SetMember(key, json string) {
	m.settle()
	o := m.object()
	switch at, ok := o.Find(key); {
	case o.Empty() || m.Outside:
	case ok:
		m.replaceAt(at, json)
	default:
		m.addMember(key, json, learnStyle(o))
	}
}

// RemoveMember takes the members of that name away.
func (m *Message) RemoveMember(key string) {
	m.settle()
	for {
		o := m.object()
		at, ok := o.Find(key)
		if !ok || m.Outside {
			return
		}
		for _, member := range o.members {
			if member.value == at {
				m.cutElement(Span{member.key.Start, at.End})
				break
			}
		}
	}
}

// SpellArguments writes the arguments of a call as a JSON object, or as a string that holds one, and says whether it did:
// not where they are spelled so already, stand in a text, or are no object. c is one of the message's parts.
func (m *Message) SpellArguments(c *ToolCall, asObject bool) bool {
	if !slices.Contains(m.Parts, Part(c)) {
		return false
	}
	m.settle()
	is := c.form == formJSON
	if c.nowhere() || c.within || is == asObject || c.custom {
		return false
	}
	json := c.Arguments
	if !asObject {
		m.replaceAt(c.span, quoted(json))
		return true
	}
	if strings.TrimSpace(json) == "" {
		json = "{}"
	}
	if data := []byte(json); Validate(data) != nil || data[skipSpace(data, 0)] != '{' {
		return false
	}
	m.replaceAt(c.span, strings.Trim(json, " \n\t\r"))
	return true
}

// Join gives one message that says what a says and then what b says: their texts with a blank line in between, or their
// content lists one behind the other. It gives nil where that would lose something or cannot be: for messages of different
// roles, where a makes calls, where either carries members that the other does not. a and b stay as they are.
func Join(a, b *Message) *Message {
	if a.Outside || b.Outside || a.Role != b.Role && a.RoleName != b.RoleName || len(a.Calls()) > 0 {
		return nil
	}
	a, b = a.Clone(), b.Clone()
	a.settle()
	b.settle()
	if s, ok := a.spelling.(*shareGPTStyle); ok {
		return s.join(a, b)
	}
	x, y := a.object(), b.object()
	if a.RoleName != b.RoleName || x.Empty() || y.Empty() || a.Role == RoleTool && b.Role == RoleTool && !listed(y, "content") {
		return nil
	}
	into := a
	if len(b.Calls()) > 0 && !listed(y, "content") {
		into = b // its calls stay where they are, behind the text
	}
	if slices.ContainsFunc(b.Parts, isReasoning) && into == b || !sameMembers(x, y, into == b) {
		return nil
	}
	content := joinedContent(x.Raw("content"), y.Raw("content"))
	at, ok := into.object().Find("content")
	if content == "" || !ok {
		return nil
	}
	calls, results := len(a.Calls())+len(b.Calls()), len(a.Results())+len(b.Results())
	into.replaceAt(at, content)
	if len(into.Calls()) != calls || len(into.Results()) != results {
		return nil
	}
	into.Number, into.home, into.lead = a.Number, a.home, a.lead
	return into
}

func isReasoning(p Part) bool {
	_, ok := p.(*Reasoning)
	return ok
}

func listed(o Object, key string) bool {
	raw := o.Raw(key)
	return len(raw) > 0 && raw[0] == '['
}

// sameMembers says that two messages carry the same beside their content. more allows the second to have members of its
// own: its calls.
func sameMembers(x, y Object, more bool) bool {
	within := func(x, y Object, but ...string) bool {
		for key := range x.Keys() {
			if key == "content" || !x.Has(key) || slices.Contains(but, key) {
				continue
			}
			if string(x.Raw(key)) != string(y.Raw(key)) {
				return false
			}
		}
		return true
	}
	if more {
		return within(x, y) && within(y, x, "tool_calls", "function_call")
	}
	return within(x, y) && within(y, x)
}

// joinedContent puts two contents together: strings with a blank line between them, anything else as lists. Results stand
// in front, where the Messages API wants them. It is "" where one is neither string, list nor null.
func joinedContent(a, b []byte) string {
	switch {
	case len(a) == 0 || a[0] == 'n' || string(a) == `""`:
		return string(b)
	case len(b) == 0 || b[0] == 'n' || string(b) == `""`:
		return string(a)
	case a[0] == '"' && b[0] == '"':
		return string(a[:len(a)-1]) + `\n\n` + string(b[1:])
	}
	var results, rest []string
	for _, content := range [][]byte{a, b} {
		switch content[0] {
		case '"':
			rest = append(rest, string(object("type", `"text"`, "text", string(content))))
		case '[':
			for e := range Elements(content) {
				if ObjectAt(content, e).Text("type") == "tool_result" {
					results = append(results, string(e.In(content)))
				} else {
					rest = append(rest, string(e.In(content)))
				}
			}
		default:
			return ""
		}
	}
	return listOf(append(results, rest...), same)
}

// join is Join for turns: the values with a blank line between them. What the assistant says before a call stands in front
// of the call, which then needs its tags.
func (s *shareGPTStyle) join(a, b *Message) *Message {
	x, y := a.object(), b.object()
	if x.Empty() || y.Empty() || slices.ContainsFunc(b.Parts, isReasoning) || !plainResults(a) || !plainResults(b) {
		return nil
	}
	var atA, atB [len(shareGPTNames)]Span
	pick(a.raw, 0, shareGPTNames[:], atA[:])
	pick(b.raw, 0, shareGPTNames[:], atB[:])
	keyA, valueA := valueOf(a.raw, &atA)
	keyB, valueB := valueOf(b.raw, &atB)
	if keyA == "" || keyA != keyB || a.raw[valueA.Start] != '"' || b.raw[valueB.Start] != '"' || !sameTurns(x, y, keyA) {
		return nil
	}
	if a.RoleName != b.RoleName && !callRoles[strings.ToLower(b.RoleName)] {
		return nil
	}
	first, second := valueA.In(a.raw), valueB.In(b.raw)
	if callRoles[strings.ToLower(b.RoleName)] {
		if second = tagged(second); second == nil {
			return nil
		}
	}
	calls, results := len(b.Calls()), max(len(a.Results()), len(b.Results()))
	b.replaceAt(valueB, joinedContent(first, second))
	if len(b.Calls()) != calls || len(b.Results()) != results {
		return nil
	}
	b.Number, b.home, b.lead = a.Number, a.home, a.lead
	return b
}

// tagged puts the calls that a string literal spells between tags, where they do not stand so yet. It is nil where tags
// stand in them: they would be read as the end.
func tagged(lit []byte) []byte {
	text := DecodeString(lit)
	switch {
	case !strings.Contains(text, "tool_call>"):
		return SpliceString(lit, []Splice{{0, 0, toolCallTag.open + "\n"}, {len(text), len(text), "\n" + toolCallTag.close}})
	case strings.HasSuffix(strings.TrimSpace(text), toolCallTag.close):
		return lit
	}
	return nil
}

// plainResults says that a turn holds no results, or is one as a whole.
func plainResults(m *Message) bool {
	for _, r := range m.Results() {
		if !r.turn {
			return false
		}
	}
	return true
}

// sameTurns says that two turns carry the same beside their role and their value.
func sameTurns(x, y Object, value string) bool {
	for _, pair := range [][2]Object{{x, y}, {y, x}} {
		for key := range pair[0].Keys() {
			if key != "from" && key != value && pair[0].Has(key) && string(pair[0].Raw(key)) != string(pair[1].Raw(key)) {
				return false
			}
		}
	}
	return true
}

package formats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Loss counts, by name, what a converted record has no home for: members of messages, media, kinds of content, answers to
// no call.
type Loss map[string]int

// Conversion is a conversation in another dialect.
type Conversion struct {
	Payload []byte // the record; one line of JSON, unless it was not touched
	Loss    Loss   // what was left out; nil where the record was not touched
	Mended  Loss   // what was put right and is no loss: stubs, answers that were moved behind their calls
}

// ConvertTargets are the names of the dialects that Convert writes, in the order of detection.
func ConvertTargets() []string {
	return []string{"atif", "swe-agent", "anthropic", "responses", "openai", "hermes", "sharegpt"}
}

// Convert writes a conversation as a record of another dialect. Members of the record that are not the conversation keep
// their bytes; what has no home in the target is counted. A record of the target dialect is given back as it is. The
// record is one line, and read back it says the same, but for what is counted.
//
// Pairs that are broken in the source are mended, since every dialect's readers refuse them: see pairUp.
func Convert(c *Conversation, to string) (Conversion, error) {
	if !c.HasMessages() {
		return Conversion{}, WithHint(fmt.Errorf("no conversation was found in the record"), "ctxpack inspect says what is in a file")
	}
	dialect := cmp.Or(c.Spelled, c.Dialect)
	if c.Spelled == "anthropic" && to == "anthropic" {
		return joinNeighbours(c), nil
	}
	if dialect == to && c.Spelled != "openai" { // a log that is held so still has pairs to mend
		return Conversion{Payload: c.Bytes()}, nil
	}
	write, ok := converters()[to]
	if !ok {
		return Conversion{}, WithHint(fmt.Errorf("there is no way to write the dialect %q", to), "known are %s", strings.Join(ConvertTargets(), ", "))
	}
	f := flattener{loss: Loss{}, mended: Loss{}, dialect: dialect}
	turns := f.turns(c)
	if text := c.systemBeside(); text != "" {
		turns = slices.Insert(turns, 0, spokenTurn{role: RoleSystem, texts: []string{text}})
	}
	r := newConverted(c, f.loss, f.mended)
	write(r, turns)
	return Conversion{Payload: r.bytes(), Loss: f.loss, Mended: f.mended}, nil
}

// converter writes turns into a record.
type converter func(*converted, []spokenTurn)

func converters() map[string]converter {
	return map[string]converter{
		"openai": writeOpenAI, "sharegpt": writeShareGPT, "hermes": writeHermes, "anthropic": writeAnthropic,
		"responses": writeResponses, "atif": writeATIF, "swe-agent": writeSWEAgent,
	}
}

// spokenTurn is a message without its spelling. Results stand in turns of their own, of RoleTool.
type spokenTurn struct {
	role      Role
	texts     []string
	reasoning []string
	calls     []ToolCall
	results   []ToolResult
	weight    string // the fine-tuning mask, as JSON; "" for none

	made     []*ToolCall // parallel to calls: the calls as they were read
	answered []*ToolCall // parallel to results: the calls they answer, nil for none; gone after pairUp
}

func (t spokenTurn) text() string { return strings.Join(t.texts, "\n") }

// empty says that a turn says nothing at all.
func (t spokenTurn) empty() bool {
	return len(t.texts)+len(t.reasoning)+len(t.calls)+len(t.results) == 0
}

// readMembers are the members of messages that have a home in turns, by dialect.
var readMembers = map[string][]string{
	"openai":       {"role", "content", "tool_calls", "function_call", "tool_call_id", "reasoning_content", "reasoning", "refusal", "weight"},
	"openai-batch": {"role", "content", "tool_calls", "function_call", "tool_call_id", "reasoning_content", "reasoning", "refusal", "weight"},
	"swe-agent":    {"role", "content", "tool_calls", "tool_call_ids", "agent", "message_type", "thought", "action"},
	"sharegpt":     {"from", "value", "text", "content", "weight"},
	"hermes":       {"from", "value", "text", "content", "weight"},
	"anthropic":    {"role", "content"},
	"responses":    {"type", "role", "content", "call_id", "name", "arguments", "output", "input", "summary", "id", "status"},
	"atif":         {"step_id", "source", "message", "tool_calls", "observation", "reasoning_content"},
}

// flattener takes the spelling from messages.
type flattener struct {
	loss    Loss
	mended  Loss
	dialect string // in which the messages are spelled
	tags    bool   // it is ShareGPT, where texts stand between tags
	ids     map[*ToolCall]string
	pairs   Pairing
}

func (f *flattener) turns(c *Conversation) []spokenTurn {
	f.pairs = Pair(c.Messages)
	f.tags = f.dialect == "hermes" || f.dialect == "sharegpt"
	f.nameCalls(c.Messages)
	var list []spokenTurn
	for _, m := range c.Messages {
		f.countMembers(m)
		turns := f.split(m)
		if (m.Role == RoleUser || m.Role == RoleSystem) && len(turns) == 1 && turns[0].empty() {
			f.loss["turns that say nothing"]++
		}
		for _, t := range turns {
			last := len(list) - 1
			switch {
			case t.empty() && (m.Role != RoleAssistant || t.role != RoleAssistant):
			case f.dialect == "responses" && last >= 0 && t.role == RoleAssistant && list[last].role == RoleAssistant:
				list[last] = joined(list[last], t)
			default:
				list = append(list, t)
			}
		}
	}
	return f.pairUp(list)
}

func joined(a, b spokenTurn) spokenTurn {
	a.texts = append(a.texts, b.texts...)
	a.reasoning = append(a.reasoning, b.reasoning...)
	a.calls, a.made = append(a.calls, b.calls...), append(a.made, b.made...)
	return a
}

// nameCalls gives calls without an id one.
func (f *flattener) nameCalls(messages []*Message) {
	f.ids = map[*ToolCall]string{}
	n := 0
	for _, m := range messages {
		for _, call := range m.Calls() {
			if n++; call.ID != "" || call.Implicit {
				f.ids[call] = call.ID
			} else {
				f.ids[call] = fmt.Sprintf("call_%d", n)
			}
		}
	}
}

// countMembers counts what a message carries beside what it says.
func (f *flattener) countMembers(m *Message) {
	known, ok := readMembers[f.dialect]
	if !ok || m.Outside || len(m.Bytes()) == 0 || m.Bytes()[0] != '{' {
		return
	}
	o := ObjectAt(m.Bytes(), Span{0, len(m.Bytes())})
	for key := range o.Keys() {
		if slices.Contains(known, key) || !o.Has(key) || m.Role == RoleTool && key == "name" {
			continue
		}
		if extra := o.Object(key); f.dialect == "atif" && key == "extra" && m.Role == RoleAssistant && len(extra.members) == 1 && extra.Has("weight") {
			continue
		}
		f.loss["messages[]."+key]++
	}
}

// split makes turns of a message: what is said, and the results it holds.
func (f *flattener) split(m *Message) []spokenTurn {
	said, answered, seen := spokenTurn{role: m.Role}, spokenTurn{role: RoleTool}, spokenTurn{role: RoleUser}
	for _, p := range m.Parts {
		switch v := p.(type) {
		case *Text:
			text := v.Text
			if f.tags && m.Role == RoleAssistant && len(m.Parts) > 1 {
				text = strings.TrimSpace(text)
			}
			if text != "" {
				said.texts = append(said.texts, text)
			}
		case *Reasoning:
			said.reasoning = append(said.reasoning, strings.TrimSpace(v.Text))
		case *ToolCall:
			if !v.Implicit {
				said.calls = append(said.calls, ToolCall{ID: f.ids[v], Name: v.Name, Arguments: v.Arguments})
				said.made = append(said.made, v)
			}
		case *ToolResult:
			f.result(&said, &answered, &seen, v)
		case *Media:
			f.loss["media: "+v.Type]++
			said.texts = append(said.texts, "["+v.Type+" left out]")
		case *Opaque:
			f.loss["content of an unknown kind"]++
		}
	}
	if len(m.raw) > 0 && m.raw[0] == '{' && m.Role == RoleAssistant {
		o := ObjectAt(m.raw, Span{0, len(m.raw)})
		if f.dialect == "atif" { // where writeATIF puts it
			o = o.Object("extra")
		}
		said.weight = string(o.Raw("weight"))
	}
	switch {
	case m.Role == RoleOther:
		if !said.empty() {
			f.loss["role "+m.RoleName]++
		}
		return nil
	case m.Role == RoleTool:
		said.role = RoleUser
		return []spokenTurn{answered, said}
	case len(answered.results)+len(seen.texts) > 0:
		return []spokenTurn{said, answered, seen}
	case m.Role == RoleAssistant && said.weight == "" && m.Added():
		said.weight = "0" // a summary: nothing to learn, whatever the dialect it was written in knows of that
	}
	return []spokenTurn{said}
}

// result puts an answer where it belongs. One to a call that is not spelled out is what the user's side said: seen, where
// it stands in a step of the assistant's.
func (f *flattener) result(said, answered, seen *spokenTurn, r *ToolResult) {
	copied := ToolResult{CallID: r.CallID, Name: r.Name, Text: r.Text, IsError: r.IsError}
	if r.Media > 0 {
		f.loss["media in results"] += r.Media
	}
	call, ok := f.pairs.Answers[r]
	if ok && call.Call.Implicit {
		if said.role == RoleAssistant {
			said = seen
		}
		said.texts = append(said.texts, r.Text)
		return
	}
	if ok {
		copied.CallID = f.ids[call.Call]
		if copied.Name == "" {
			copied.Name = call.Call.Name
		}
	}
	answered.results = append(answered.results, copied)
	answered.answered = append(answered.answered, call.Call)
}

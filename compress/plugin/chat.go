package plugin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// unit is the smallest run of messages [from, to) that is told to the program as messages of its own, and comes back
// whole or not at all: one message that becomes several (results of one turn), or several that become one (the items of
// a turn of the Responses API). Messages that have no place in a chat belong to the unit before them.
type unit struct {
	from, to int
	sent     []chatMessage
}

// chatMessage is a message as the program sees it.
type chatMessage struct {
	json string
	key  string // equal for equal JSON values
	role string
	text string              // of its content, where that is text
	ids  []string            // of its calls
	id   string              // role tool: of the call that it answers
	is   *formats.ToolResult // role tool: the answer; nil for a stand-in that only completes a pair
	rest string              // key of everything but content and calls
	open bool                // content is a string, null or a list of parts: text can be put into it
	list bool                // content is a list with more than texts in it
}

// chat spells messages for OpenAI's chat completions.
type chat struct {
	native  bool // they are spelled so in the record: their own bytes are sent
	joins   bool // an assistant's turn is several messages
	pairing formats.Pairing
	ids     map[*formats.ToolCall]string
	shared  map[*formats.ToolResult][]string // ids of the other calls that a result answers
	told    map[*formats.ToolCall]bool       // calls that are not spelled out in the record and told as if they were
}

func newChat(dialect string, messages []*formats.Message) *chat {
	c := &chat{native: dialect == "openai" || dialect == "openai-batch", joins: dialect == "responses",
		pairing: formats.Pair(messages), ids: map[*formats.ToolCall]string{}, shared: map[*formats.ToolResult][]string{},
		told: map[*formats.ToolCall]bool{}}
	n := 0
	for _, m := range messages {
		for _, call := range m.Calls() {
			n++
			c.ids[call] = cmp.Or(call.ID, fmt.Sprintf("call_%d", n))
			for _, ref := range c.pairing.Results[call] {
				c.told[call] = call.Implicit
				if c.pairing.Answers[ref.Result].Call != call {
					c.shared[ref.Result] = append(c.shared[ref.Result], c.ids[call])
				}
			}
		}
	}
	return c
}

func dialectOf(c *formats.Conversation) string { return cmp.Or(c.Spelled, c.Dialect) }

// units spells a whole list.
func (c *chat) units(messages []*formats.Message) []unit {
	var list []unit
	for i, m := range messages {
		last := len(list) - 1
		turn := c.joins && m.Role == formats.RoleAssistant && last >= 0 && messages[i-1].Role == formats.RoleAssistant && len(list[last].sent) == 1
		if turn {
			list[last].to = i + 1
			list[last].sent = c.spell(messages[list[last].from : i+1])
			continue
		}
		sent := c.spell(messages[i : i+1])
		if len(sent) == 0 && last >= 0 {
			list[last].to = i + 1
			continue
		}
		list = append(list, unit{i, i + 1, sent})
	}
	return list
}

// spell spells the messages of one unit.
func (c *chat) spell(messages []*formats.Message) []chatMessage {
	if c.native {
		return []chatMessage{parse(messages[0].Bytes(), nil)}
	}
	var said spokenTurn
	role := formats.RoleOther
	for _, m := range messages {
		if m.Role != formats.RoleOther {
			role = m.Role
			c.collect(m, &said)
		}
	}
	if role == formats.RoleOther {
		return nil
	}
	var list []chatMessage
	add := func(r *formats.ToolResult, members ...any) {
		list = append(list, parse(object(members...), r))
	}
	speak := func() {
		switch {
		case role == formats.RoleAssistant:
			list = append(list, parse(said.assistant(), nil))
		case role != formats.RoleTool:
			add(nil, "role", role.String(), "content", said.text())
		case len(said.texts) > 0:
			add(nil, "role", "user", "content", said.text())
		}
	}
	results := func() {
		for _, a := range said.answers {
			add(a.result, "role", "tool", "tool_call_id", a.id, "content", a.text)
		}
	}
	// What a person says beside results comes behind them: the next turn after calls is their answers.
	if role == formats.RoleAssistant {
		speak()
		results()
		return list
	}
	results()
	if len(said.answers) == 0 || len(said.texts) > 0 {
		speak()
	}
	return list
}

// spokenTurn is what a unit says.
type spokenTurn struct {
	texts, reasoning []string
	calls            []json.RawMessage
	answers          []answer
}

type answer struct {
	id, text string
	result   *formats.ToolResult
}

func (t spokenTurn) text() string { return strings.Join(t.texts, "\n") }

func (t spokenTurn) assistant() []byte {
	var content any = t.text()
	if len(t.texts) == 0 && len(t.calls) > 0 {
		content = nil
	}
	members := []any{"role", "assistant", "content", content}
	if len(t.reasoning) > 0 {
		members = append(members, "reasoning_content", strings.Join(t.reasoning, "\n"))
	}
	if len(t.calls) > 0 {
		members = append(members, "tool_calls", t.calls)
	}
	return object(members...)
}

// collect adds what one message says. What has no text is told in brackets; a summary that is told by its format only gets
// the frame by which others are recognised.
func (c *chat) collect(m *formats.Message, t *spokenTurn) {
	if text := m.Text(); m.Marked && text != "" {
		t.texts = append(t.texts, summarize.Marker+"\n"+text+"\n"+summarize.End)
		return
	}
	for _, p := range m.Parts {
		switch v := p.(type) {
		case *formats.Text:
			if v.Text != "" {
				t.texts = append(t.texts, v.Text)
			}
		case *formats.Reasoning:
			t.reasoning = append(t.reasoning, v.Text)
		case *formats.Media:
			t.texts = append(t.texts, "["+v.Type+" left out]")
		case *formats.ToolCall:
			if !v.Implicit || c.told[v] {
				function := object("name", cmp.Or(v.Name, textAction), "arguments", cmp.Or(v.Arguments, "{}"))
				t.calls = append(t.calls, object("id", c.ids[v], "type", "function", "function", json.RawMessage(function)))
			}
		case *formats.ToolResult:
			c.answer(v, t)
		}
	}
}

// answer adds a tool's answer. One that answers several calls stands behind the first of them; the others get a stand-in.
func (c *chat) answer(r *formats.ToolResult, t *spokenTurn) {
	ref, ok := c.pairing.Answers[r]
	if !ok {
		t.answers = append(t.answers, answer{r.CallID, r.Text, r})
		return
	}
	t.answers = append(t.answers, answer{c.ids[ref.Call], r.Text, r})
	for _, id := range c.shared[r] {
		t.answers = append(t.answers, answer{id, sharedAnswer, nil})
	}
}

// textAction is the name of a call that a text-only transcript does not spell out: what the assistant says is the call, and
// the next turn answers it. Told as calls, they are not parted.
const textAction = "action"

// sharedAnswer is what a program sees where one result answers several calls.
const sharedAnswer = "[Answered together with another call of this turn]"

// object spells an object of keys and values. Values are texts, raw JSON and nil: nothing can go wrong.
func object(members ...any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := 0; i+1 < len(members); i += 2 {
		b.WriteByte("{,"[min(i, 1)])
		_ = e.Encode(members[i])
		b.WriteByte(':')
		_ = e.Encode(members[i+1])
	}
	b.WriteByte('}')
	var compact bytes.Buffer
	_ = json.Compact(&compact, b.Bytes())
	return compact.Bytes()
}

// parse reads a message in chat form: one that is sent, or one that came back.
func parse(raw []byte, result *formats.ToolResult) chatMessage {
	m := chatMessage{json: string(raw), is: result}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) == nil {
		m.json = compact.String() // a record's own bytes may be spread over lines
	}
	read := decode(raw)
	value, ok := read.(map[string]any)
	if !ok {
		m.key = canonical(read)
		return m
	}
	if texts, only := textsOf(value["content"]); only { // a list of texts says what one text says
		value["content"] = strings.Join(texts, "\n")
	}
	m.key = canonical(value)
	m.role, _ = value["role"].(string)
	m.id, _ = value["tool_call_id"].(string)
	switch content := value["content"].(type) {
	case string:
		m.text, m.open = content, true
	case nil:
		m.open = true
	case []any:
		texts, _ := textsOf(content)
		m.text, m.open, m.list = strings.Join(texts, "\n"), true, true
	}
	m.ids = callIDs(value)
	rest := map[string]any{}
	for key, v := range value {
		if key != "content" && key != "tool_calls" {
			rest[key] = v
		}
	}
	m.rest = canonical(rest)
	return m
}

// textsOf gives the texts of a content that is a list of parts; only says that there is nothing else in it.
func textsOf(content any) (texts []string, only bool) {
	list, _ := content.([]any)
	only = len(list) > 0
	for _, part := range list {
		o, _ := part.(map[string]any)
		text, ok := o["text"].(string)
		if ok = ok && o["type"] == "text"; ok {
			texts = append(texts, text)
		}
		only = only && ok
	}
	return texts, only
}

// callIDs are the ids of a message's calls, nil for none; a call without an id (the old spelling) has "".
func callIDs(message map[string]any) []string {
	var ids []string
	if list, ok := message["tool_calls"].([]any); ok {
		for _, call := range list {
			o, _ := call.(map[string]any)
			id, _ := o["id"].(string)
			ids = append(ids, id)
		}
	}
	if o, ok := message["function_call"].(map[string]any); ok && o != nil {
		ids = append(ids, "")
	}
	return ids
}

// callNames tells the message's calls, whatever their arguments; "" for none, and for calls without ids.
func (m chatMessage) callNames() string {
	if len(m.ids) == 0 || slices.Contains(m.ids, "") {
		return ""
	}
	return m.role + "\x00" + strings.Join(m.ids, "\x00")
}

package formats

import (
	"slices"
	"strings"
)

// OpenHands reads event logs of OpenHands: one JSON array of events, or one event a line. Both generations are read: events
// that are an `action` or an `observation` (before version 1), and events of a `kind` (its agent SDK, as its documentation
// describes them). The conversation is what the model saw: messages, calls and what they gave; states, metrics and pauses
// are not part of it.
type OpenHands struct{}

// Name is "openhands".
func (OpenHands) Name() string { return "openhands" }

// Detect looks for an event that only OpenHands writes.
func (OpenHands) Detect(p *Probe) (string, bool) {
	m := markerOf(p.Lines[:min(len(p.Lines), sessionPeek)], openHandsMarker)
	return m, m != ""
}

func openHandsMarker(e Object) string {
	if !slices.Contains([]string{"user", "agent", "environment"}, e.Text("source")) || !e.Has("id") || e.Has("payload") {
		return ""
	}
	switch kind := e.Text("kind"); {
	case strings.HasSuffix(kind, "Event") && e.Has("timestamp"):
		return "events of kind " + kind + " with a source"
	case e.Text("action") != "" && !e.Object("args").Empty():
		return "events with action, args and source"
	case e.Text("observation") != "" && e.Has("cause"):
		return "events with observation, cause and source"
	}
	return ""
}

// arrayElements reads the first objects of a JSON array, which may be cut off, most of them at the most; nil where data is
// none.
func arrayElements(data []byte, most int) []Object {
	i := skipSpace(data, 0)
	if i >= len(data) || data[i] != '[' {
		return nil
	}
	var list []Object
	s := scan{data: data}
	for i = skipSpace(data, i+1); i < len(data) && data[i] == '{' && len(list) < most; i = skipSpace(data, i+1) {
		end, err := s.value(i, 0)
		if err != nil {
			break
		}
		list = append(list, ObjectAt(data, Span{i, end}))
		if i = skipSpace(data, end); i >= len(data) || data[i] != ',' {
			break
		}
	}
	return list
}

// Decode puts the conversation together. The calls of one answer of the model are one message.
func (d OpenHands) Decode(p *Probe) (*Conversation, error) {
	if _, ok := d.Detect(p); !ok {
		return nil, p.missing(d.Name(), `events with "action" or "observation", or a "kind", and a "source"`)
	}
	h := handsLog{record: &sessionRecord{}, calls: map[string]string{}, answers: map[string]int{}}
	for _, e := range p.Lines {
		if kind := e.Text("kind"); kind != "" {
			h.event(e, kind)
		} else {
			h.step(e)
		}
	}
	for i, t := range h.turns {
		for _, json := range chatMessages(t) {
			if h.marked[i] {
				h.record.mark(json)
			} else {
				h.record.list = append(h.record.list, json)
			}
		}
	}
	return h.record.conversation(p, OpenAI{}, "messages", "tools") // the offers stand where other logs have a system text
}

// handsLog is an event log being read.
type handsLog struct {
	record  *sessionRecord
	turns   []spokenTurn
	marked  map[int]bool
	calls   map[string]string // by the id of the event that made it, as JSON: the id of the call
	answers map[string]int    // by the id of the model's answer: its turn
}

// offer takes the tools that the model was offered, as JSON.
func (h *handsLog) offer(tools []byte) {
	if len(tools) > 0 && tools[0] == '[' {
		h.record.system = string(tools)
	}
}

// say adds a turn that is a text, if there is one.
func (h *handsLog) say(role Role, text string) {
	if text != "" && role != RoleOther {
		h.turns = append(h.turns, spokenTurn{role: role, texts: []string{text}})
	}
}

// mark adds the summary of a condensation.
func (h *handsLog) mark(text string) {
	if text == "" {
		return
	}
	if h.marked == nil {
		h.marked = map[int]bool{}
	}
	h.marked[len(h.turns)] = true
	h.say(RoleUser, text)
}

// call adds a call, to the turn of the answer that it is part of where that is known.
func (h *handsLog) call(event Object, answer, thought, reasoning string, c ToolCall) {
	id := string(event.Raw("id"))
	if c.ID == "" {
		c.ID = "event_" + strings.Trim(id, `"`)
	}
	h.calls[id] = c.ID
	at, ok := h.answers[answer]
	if answer == "" || !ok {
		at = len(h.turns)
		h.turns = append(h.turns, spokenTurn{role: RoleAssistant})
		h.answers[answer] = at
	}
	t := &h.turns[at]
	if thought != "" {
		t.texts = append(t.texts, thought)
	}
	if reasoning != "" {
		t.reasoning = append(t.reasoning, reasoning)
	}
	t.calls = append(t.calls, c)
}

// result adds what a call gave. What a command of the user's gave is said by the user.
func (h *handsLog) result(id, text string, failed bool) {
	if id == "" {
		h.say(RoleUser, text)
		return
	}
	h.turns = append(h.turns, spokenTurn{role: RoleTool, results: []ToolResult{{CallID: id, Text: text, IsError: failed}}})
}

// What the model does not see: states, notes to the harness, memories that are looked up for a later message.
var handsSilent = []string{
	"change_agent_state", "agent_state_changed", "recall", "null", "condensation_request", "loop_recovery", "pause", "resume", "stop", "start_hooks",
}

// step reads an event of the first generation.
func (h *handsLog) step(e Object) {
	action, observation, args := e.Text("action"), e.Text("observation"), e.Object("args")
	meta := e.Object("tool_call_metadata")
	switch {
	case slices.Contains(handsSilent, action+observation):
	case action == "system":
		h.say(RoleSystem, args.Text("content"))
		h.offer(args.Raw("tools"))
	case action == "message" && e.Text("source") == "user":
		h.say(RoleUser, args.Text("content"))
	case action == "message":
		h.say(RoleAssistant, args.Text("content"))
	case action == "finish":
		h.say(RoleAssistant, firstOf(args.Text("final_thought"), args.Text("thought"), e.Text("message")))
	case action == "condensation":
		h.mark(args.Text("summary"))
	case action != "" && e.Text("source") == "agent":
		response := meta.Object("model_response")
		if model := response.Text("model"); model != "" {
			h.record.model = model
		}
		c := ToolCall{ID: meta.Text("tool_call_id"), Name: firstOf(meta.Text("function_name"), action)}
		c.Arguments = madeArguments(response, c.ID)
		if c.Arguments == "" {
			c.Arguments = handsArguments(args)
		}
		h.call(e, response.Text("id"), args.Text("thought"), "", c)
	case action != "":
		h.say(RoleUser, firstOf(e.Text("message"), args.Text("command")))
	case observation != "":
		id := firstOf(meta.Text("tool_call_id"), h.calls[string(e.Raw("cause"))])
		h.result(id, firstOf(e.Text("content"), e.Text("message")), observation == "error")
	}
}

// madeArguments finds the arguments of a call as the model wrote them.
func madeArguments(response Object, id string) string {
	choices := response.Raw("choices")
	for choice := range Elements(choices) {
		list := ObjectAt(choices, choice).Object("message").Raw("tool_calls")
		for e := range Elements(list) {
			if c := ObjectAt(list, e); c.Text("id") == id {
				return c.Object("function").Text("arguments")
			}
		}
	}
	return ""
}

// handsArguments is what an action was given, without what the model said beside it.
func handsArguments(args Object) string {
	var fields []string
	for key := range args.Keys() {
		if key != "thought" {
			fields = append(fields, key, string(args.Raw(key)))
		}
	}
	return string(object(fields...))
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// event reads an event of the agent SDK.
func (h *handsLog) event(e Object, kind string) {
	id := e.Text("tool_call_id")
	switch kind {
	case "SystemPromptEvent":
		h.say(RoleSystem, eventText(e.Raw("system_prompt")))
		h.offer(e.Raw("tools"))
	case "MessageEvent":
		message := e.Object("llm_message")
		h.say(openAIRoles[message.Text("role")], eventText(message.Raw("content")))
	case "ActionEvent":
		made := e.Object("tool_call")
		if inner := made.Object("function"); !inner.Empty() {
			made = inner
		}
		c := ToolCall{ID: id, Name: firstOf(e.Text("tool_name"), made.Text("name")), Arguments: made.Text("arguments")}
		if c.Arguments == "" {
			c.Arguments = handsArguments(e.Object("action"))
		}
		h.call(e, e.Text("llm_response_id"), eventText(e.Raw("thought")), e.Text("reasoning_content"), c)
	case "ObservationEvent":
		o := e.Object("observation")
		h.result(id, firstOf(eventText(o.Raw("content")), o.Text("output"), o.Text("error")), string(o.Raw("is_error")) == "true")
	case "AgentErrorEvent":
		h.result(id, e.Text("error"), true)
	case "UserRejectObservation":
		h.result(id, e.Text("rejection_reason"), true)
	case "Condensation", "CondensationSummaryEvent":
		h.mark(e.Text("summary"))
	}
}

// eventText is the text of a string, of a part, or of a list of parts.
func eventText(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	at := Span{0, len(raw)}
	switch raw[0] {
	case '"':
		return DecodeString(raw)
	case '{':
		return ObjectAt(raw, at).Text("text")
	}
	var texts []string
	for e := range Elements(raw) {
		if text := eventText(e.In(raw)); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

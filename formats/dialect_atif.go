package formats

import (
	"slices"
	"strconv"
	"strings"
)

// ATIF is Harbor's Agent Trajectory Interchange Format, versions 1.0 to 1.7: `{"schema_version": "ATIF-v1.…", "agent",
// "steps": […]}`. A step holds what was said, its calls and their results, so that results need no message of their own.
// Its models forbid unknown keys: what ctxpack adds stands under `extra`, and `step_id` counts from 1 without a gap.
type ATIF struct{}

// Name is "atif".
func (ATIF) Name() string { return "atif" }

// Detect looks for the schema version and the steps.
func (ATIF) Detect(p *Probe) (string, bool) {
	version := p.Root.Text("schema_version")
	_, ok := p.steps()
	return "schema_version " + version, ok && strings.HasPrefix(version, "ATIF-v1.")
}

func (p *Probe) steps() (Span, bool) {
	list, ok := p.Root.Find("steps")
	return list, ok && kindAt(p.data(), list) == '['
}

// Decode reads the conversation.
func (d ATIF) Decode(p *Probe) (*Conversation, error) {
	list, ok := p.steps()
	if !ok {
		return nil, p.missing(d.Name(), `"steps": [{"step_id": 1, "source": …, "message": …}]`)
	}
	s := &atifStyle{openAIStyle{root: p.data(), list: list}}
	c := p.start(s)
	agent := p.Root.Object("agent")
	if tools, ok := agent.Find("tool_definitions"); ok {
		c.Tools = textOf(p.data(), tools)
	}
	if c.Model == "" {
		c.Model = agent.Text("model_name")
	}
	c.readList(list, s.between())
	c.countSteps(p)
	return c, nil
}

// countSteps finds final_metrics.total_steps. The format wants it to be the number of steps, or a note that says why it is
// not: so it is kept up where it was.
func (c *Conversation) countSteps(p *Probe) {
	metrics := p.Root.Object("final_metrics")
	if total, ok := metrics.Find("total_steps"); ok && string(total.In(p.data())) == strconv.Itoa(c.listed) {
		c.count = total
	}
}

var atifSources = map[string]Role{"system": RoleSystem, "user": RoleUser, "agent": RoleAssistant}

// atifStyle is how this record spells steps.
type atifStyle struct{ openAIStyle }

// message spells a new step. One of the agent is marked under `extra` as nothing to learn.
func (s *atifStyle) message(role Role, text string) []byte {
	source := role.String()
	if role == RoleAssistant {
		source = "agent"
	}
	fields := []string{"source", quoted(source), "message", quoted(text)}
	if role == RoleAssistant {
		fields = append(fields, "extra", string(s.learn().inline().object("weight", "0")))
	}
	return s.step(fields)
}

func (s *atifStyle) step(fields []string) []byte {
	style := s.learn()
	if slices.Contains(style.keys, "step_id") {
		fields = append([]string{"step_id", "0"}, fields...)
	}
	return style.object(fields...)
}

// result spells a step for an answer whose call's step cannot take it.
func (s *atifStyle) result(call *ToolCall, text string) []byte {
	return s.step([]string{"source", `"agent"`, "message", `""`, "observation", s.observation(call, text)})
}

func (s *atifStyle) observation(call *ToolCall, text string) string {
	return string(s.learn().inline().object("results", "["+s.oneResult(call, text)+"]"))
}

func (s *atifStyle) oneResult(call *ToolCall, text string) string {
	return string(s.learn().inline().object("source_call_id", quoted(call.ID), "content", quoted(text)))
}

// addResult puts the answer into the step that holds the call.
func (s *atifStyle) addResult(m *Message, call *ToolCall, text string) bool {
	after, end, calls := -1, 0, false
	for i, p := range m.Parts {
		switch v := p.(type) {
		case *ToolCall:
			calls = calls || !v.Implicit
		case *ToolResult:
			if after = i; v.block.Len() > 0 {
				end = v.block.End
			}
		}
	}
	if end > 0 {
		m.changed = true
		m.edits = append(m.edits, edit{span: Span{end, end}, json: []byte(s.learn().inline().comma + s.oneResult(call, text))})
		m.Parts = slices.Insert(slices.Clone(m.Parts), after+1, Part(&ToolResult{CallID: wellFormed(call.ID), Text: wellFormed(text)}))
		return true
	}
	if !calls {
		return false
	}
	m.settle()
	o := ObjectAt(m.raw, Span{0, len(m.raw)})
	observation, ok := o.Find("observation")
	switch results, has := o.Object("observation").Find("results"); {
	case has && kindAt(m.raw, results) == '[':
		m.insertElement(results, s.oneResult(call, text), "", false)
	case has:
		m.replaceAt(results, "["+s.oneResult(call, text)+"]")
	case ok:
		m.replaceAt(observation, s.observation(call, text))
	default:
		m.addMember("observation", s.observation(call, text), s.learn())
	}
	return true
}

// number writes the step's place into it.
func (*atifStyle) number(raw []byte, i int) []byte {
	if raw[0] != '{' {
		return raw
	}
	id, ok := ObjectAt(raw, Span{0, len(raw)}).Find("step_id")
	want := strconv.Itoa(i + 1)
	if !ok || string(id.In(raw)) == want {
		return raw
	}
	return slices.Concat(raw[:id.Start], []byte(want), raw[id.End:])
}

// The members of a step that are read.
var stepNames = [...]string{"source", "message", "reasoning_content", "tool_calls", "observation"}

// decode reads one step.
func (s *atifStyle) decode(m *Message, raw []byte) int {
	if raw[0] != '{' {
		return s.openAIStyle.decode(m, raw)
	}
	var at [len(stepNames)]Span
	end := pick(raw, 0, stepNames[:], at[:])
	m.RoleName = stringAt(raw, at[0])
	m.Role = atifSources[m.RoleName]
	if text := stringAt(raw, at[2]); text != "" {
		m.Parts = append(m.Parts, &Reasoning{Text: text})
	}
	m.addContent(raw, at[1])
	if m.Role != RoleAssistant {
		if at[4].Len() > 0 && kindAt(raw, at[4]) != 'n' { // what the environment did, answering no call
			m.Parts = append(m.Parts, &Opaque{JSON: string(at[4].In(raw))})
		}
		return end
	}
	calls := false
	for e := range elementsIn(raw, at[3]) {
		if kindAt(raw, e) == '{' {
			calls = true
			m.Parts = append(m.Parts, stepCall(raw, e))
		}
	}
	var results []Part
	var list Span
	if at[4].Len() > 0 {
		list, _ = ObjectAt(raw, at[4]).Find("results")
	}
	for e := range elementsIn(raw, list) {
		r := stepResult(raw, e)
		if !calls && r.CallID == "" {
			m.Parts = append(m.Parts, &ToolCall{Implicit: true})
		}
		results = append(results, r)
	}
	m.Parts = append(m.Parts, results...)
	return end
}

func stepCall(raw []byte, e Span) *ToolCall {
	o := ObjectAt(raw, e)
	c := &ToolCall{ID: o.Text("tool_call_id"), Name: o.Text("function_name")}
	if args, ok := o.Find("arguments"); ok && kindAt(raw, args) != 'n' {
		c.Arguments = textOf(raw, args)
		c.place = place{span: args}
		if kindAt(raw, args) != '"' {
			c.form = formJSON
		}
	}
	return c
}

func stepResult(raw []byte, e Span) *ToolResult {
	if kindAt(raw, e) != '{' {
		return &ToolResult{Text: textOf(raw, e), place: place{block: e}}
	}
	o := ObjectAt(raw, e)
	r := &ToolResult{CallID: o.Text("source_call_id")}
	if content, ok := o.Find("content"); ok {
		r.readContent(raw, content)
	}
	r.block = e
	return r
}

// addText: what a step says is its `message`.
func (s *atifStyle) addText(m *Message, text string, front bool) {
	if m.raw[0] != '{' {
		return
	}
	message, ok := ObjectAt(m.raw, Span{0, len(m.raw)}).Find("message")
	if !ok {
		m.addMember("message", quoted(text), s.learn())
		return
	}
	m.addToValue(message, text, front, func() {
		m.insertElement(message, s.textPart(text), s.learn().inline().comma, front)
	})
}

func (*atifStyle) ownText(m *Message) string {
	if m.raw[0] != '{' {
		return ""
	}
	return ObjectAt(m.raw, Span{0, len(m.raw)}).Text("message")
}

// cutPart takes a text or a result out.
func (*atifStyle) cutPart(m *Message, at int) {
	m.cutBlock(at, func(Span) bool { return true })
}

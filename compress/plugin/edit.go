package plugin

import (
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// editor makes in copies of a unit's messages the changes that a program made in what it was sent. It does what it can;
// whoever asks looks at the outcome.
type editor struct {
	chat        *chat
	was, copies []*formats.Message
}

// apply makes one sent message say what came back.
func (e *editor) apply(sent, back chatMessage) {
	if sent.role == "tool" || sent.role == "function" {
		e.result(sent, back)
		return
	}
	if sent.text != back.text && back.open {
		e.text(sent.text, back.text)
	}
	e.arguments(back)
}

// result replaces the text of a tool's answer.
func (e *editor) result(sent, back chatMessage) {
	for i, msg := range e.was {
		for k, r := range msg.Results() {
			if sent.is == nil && !e.chat.native || sent.is != nil && r != sent.is {
				continue
			}
			if mine := e.copies[i].Results(); k < len(mine) && back.open {
				e.copies[i].SetResult(mine[k], back.text)
			}
			return
		}
	}
}

// text replaces a text by another: what stands behind it or in front of it is added; anything else takes the place of all
// texts of the one message that holds them.
func (e *editor) text(old, text string) {
	var holders []*formats.Message
	for _, msg := range e.copies {
		if msg.Role != formats.RoleOther && msg.Text() != "" {
			holders = append(holders, msg)
		}
	}
	if len(holders) == 0 { // there was no text, in one message or the last of several
		e.copies[len(e.copies)-1].AddText(text, true)
		return
	}
	first, last := holders[0], holders[len(holders)-1]
	if behind, ok := strings.CutPrefix(text, old); ok {
		if behind, ok = addition(last, behind, strings.CutPrefix); ok {
			last.AddText(behind, false)
			return
		}
	}
	if before, ok := strings.CutSuffix(text, old); ok {
		if before, ok = addition(first, before, strings.CutSuffix); ok {
			first.AddText(before, true)
			return
		}
	}
	if first == last {
		replaceText(first, text)
	}
}

// addition is what is to be added to a message. Where that becomes a part of its own, whoever reads puts a line end before
// or behind it, and that is not to be added.
func addition(m *formats.Message, text string, cut func(string, string) (string, bool)) (string, bool) {
	if m.OwnText() != "" {
		return text, true
	}
	return cut(text, "\n")
}

// replaceText puts a text in the place of those that a message holds.
func replaceText(m *formats.Message, text string) {
	var old []string
	for _, p := range m.Parts {
		if t, ok := p.(*formats.Text); ok {
			old = append(old, t.Text)
		}
	}
	m.AddText(text, false)
	for _, gone := range old {
		for _, p := range m.Parts {
			t, ok := p.(*formats.Text)
			if !ok || !strings.HasPrefix(t.Text, gone) {
				continue
			}
			if t.Text == gone {
				m.RemovePart(t)
			} else {
				m.CutText(t, 0, len(gone))
			}
			break
		}
	}
}

// arguments replaces the arguments of calls; the calls are the same.
func (e *editor) arguments(back chatMessage) {
	message, _ := decode([]byte(back.json)).(map[string]any)
	list, _ := message["tool_calls"].([]any)
	texts := map[string]string{}
	for _, call := range list {
		o, _ := call.(map[string]any)
		id, _ := o["id"].(string)
		function, _ := o["function"].(map[string]any)
		if text, ok := function["arguments"].(string); ok {
			texts[id] = text
		}
	}
	for i, msg := range e.was {
		mine := e.copies[i].Calls()
		for k, call := range msg.Calls() {
			text, ok := texts[e.chat.ids[call]]
			if ok && text != call.Arguments && (text != "{}" || call.Arguments != "") && k < len(mine) {
				e.copies[i].SetArguments(mine[k], text)
			}
		}
	}
}

// again tells the copies as the originals were told.
func (e *editor) again() []chatMessage {
	c := &chat{native: e.chat.native, joins: e.chat.joins, ids: map[*formats.ToolCall]string{}, shared: map[*formats.ToolResult][]string{}, told: map[*formats.ToolCall]bool{},
		pairing: formats.Pairing{Answers: map[*formats.ToolResult]formats.CallRef{}}}
	for i, msg := range e.was {
		calls := e.copies[i].Calls()
		for k, call := range msg.Calls() {
			if k < len(calls) {
				c.ids[calls[k]], c.told[calls[k]] = e.chat.ids[call], e.chat.told[call]
			}
		}
	}
	for i, msg := range e.was {
		results := e.copies[i].Results()
		for k, r := range msg.Results() {
			if ref, ok := e.chat.pairing.Answers[r]; ok && k < len(results) {
				ref.Call = &formats.ToolCall{ID: e.chat.ids[ref.Call]}
				c.pairing.Answers[results[k]] = ref
				c.ids[ref.Call] = ref.Call.ID
				c.shared[results[k]] = e.chat.shared[r]
			}
		}
	}
	var all []chatMessage
	for _, u := range c.units(e.copies) {
		all = append(all, u.sent...)
	}
	return all
}

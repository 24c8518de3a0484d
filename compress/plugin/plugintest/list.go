package plugintest

import (
	"slices"
	"strings"
)

type message = map[string]any

// noteStart begins what stands for the messages that were left out.
const noteStart = "[Earlier turns were left out: "

// list is what is left of a list: right, and then broken in the mode's way.
func (e *engine) list(messages []message) []message {
	short := shortened(messages)
	switch e.mode {
	case "breaks-pairs":
		return slices.DeleteFunc(short, calls)
	case "drops-human":
		return withoutLastHuman(short)
	case "drops-human-later": // only of what it has shortened before
		if len(short) < len(messages) && slices.ContainsFunc(messages, isNote) {
			return withoutLastHuman(short)
		}
	case "drops-system":
		if len(short) == len(messages) {
			return short
		}
		return slices.DeleteFunc(short, func(m message) bool { return m["role"] == "system" })
	case "invents-call":
		call := message{"id": "call_nobody_made", "type": "function", "function": message{"name": "guess", "arguments": "{}"}}
		return append(short, message{"role": "assistant", "content": nil, "tool_calls": []any{call}})
	case "reorders":
		if len(messages) > 1 {
			return []message{messages[len(messages)-1], messages[0]}
		}
	case "empties":
		return []message{}
	case "neighbours":
		for i, m := range short {
			if isNote(m) {
				return slices.Insert(short, i, message{"role": "assistant", "content": "One more."})
			}
		}
	case "grows":
		for _, m := range short {
			if t, ok := m["content"].(string); ok && strings.HasPrefix(t, noteStart) {
				m["content"] = t + strings.Repeat(" more and more", 8000)
			}
		}
	}
	return short
}

// shortened keeps what stands before the first turn of the assistant, and everything from the last human message on; what
// is between them becomes a line. Pairs stay whole: calls and their results stand on the same side.
func shortened(messages []message) []message {
	head, tail := 0, len(messages)
	for head < len(messages) && messages[head]["role"] != "assistant" {
		head++
	}
	for tail > 0 && !isHuman(messages[tail-1]) {
		tail--
	}
	tail--
	if tail-head < 2 {
		return messages
	}
	for _, m := range messages[tail:] {
		if m["role"] == "tool" && !calledIn(messages[tail:], m) {
			return messages // a result of a call that stands before: nothing can be cut here
		}
	}
	line := message{"role": "assistant", "content": noteStart + text(messages[head]) + "]"}
	return slices.Concat(messages[:head], []message{line}, messages[tail:])
}

func calledIn(messages []message, result message) bool {
	return slices.ContainsFunc(messages, func(m message) bool {
		list, _ := m["tool_calls"].([]any)
		return slices.ContainsFunc(list, func(c any) bool { o, _ := c.(message); return o["id"] == result["tool_call_id"] })
	})
}

func withoutLastHuman(messages []message) []message {
	for i := len(messages) - 1; i >= 0; i-- {
		if isHuman(messages[i]) {
			return slices.Delete(messages, i, i+1)
		}
	}
	return messages
}

func isNote(m message) bool {
	t, _ := m["content"].(string)
	return strings.HasPrefix(t, noteStart)
}

func isHuman(m message) bool { return m["role"] == "user" }

func calls(m message) bool { list, _ := m["tool_calls"].([]any); return len(list) > 0 }

func text(m message) string {
	t, _ := m["content"].(string)
	t = strings.TrimPrefix(t, noteStart)
	return t[:min(len(t), 40)]
}

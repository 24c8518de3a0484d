package formats

import (
	"slices"
	"strings"
)

// chatMessage spells one turn for chat completions; a turn of results is several messages.
func chatMessages(t spokenTurn) []string {
	switch t.role {
	case RoleTool:
		var list []string
		for _, result := range t.results {
			list = append(list, string(object("role", `"tool"`, "tool_call_id", quoted(result.CallID), "content", quoted(result.Text))))
		}
		return list
	case RoleAssistant:
		content := quoted(t.text())
		if len(t.texts) == 0 && len(t.calls) > 0 {
			content = "null"
		}
		fields := []string{"role", `"assistant"`, "content", content}
		if len(t.reasoning) > 0 {
			fields = append(fields, "reasoning_content", quoted(strings.Join(t.reasoning, "\n")))
		}
		if len(t.calls) > 0 {
			fields = append(fields, "tool_calls", listOf(t.calls, chatCall))
		}
		return []string{string(object(append(fields, "weight", t.weight)...))}
	}
	return []string{string(object("role", quoted(t.role.String()), "content", quoted(t.text())))}
}

func chatCall(c ToolCall) string {
	arguments := c.Arguments
	if arguments == "" {
		arguments = "{}"
	}
	function := object("name", quoted(c.Name), "arguments", quoted(arguments))
	return string(object("id", quoted(c.ID), "type", `"function"`, "function", string(function)))
}

func writeOpenAI(r *converted, turns []spokenTurn) {
	r.countErrors(turns)
	var list []string
	for _, t := range turns {
		list = append(list, chatMessages(t)...)
	}
	r.put("messages", listOf(list, same))
	r.putTools(openAITool)
}

// countErrors counts marks of failed calls, for targets that have none.
func (r *converted) countErrors(turns []spokenTurn) {
	for _, t := range turns {
		for _, result := range t.results {
			if result.IsError {
				r.loss["is_error"]++
			}
		}
	}
}

// thought spells thinking as ShareGPT's readers know it.
func thought(t spokenTurn) string {
	if len(t.reasoning) == 0 {
		return ""
	}
	return "<think>\n" + strings.Join(t.reasoning, "\n") + "\n</think>\n"
}

func shareTurn(from, value, weight string) string {
	return string(object("from", quoted(from), "value", quoted(value), "weight", weight))
}

// shareCall spells {"name", "arguments"}.
func (r *converted) shareCall(c ToolCall) string {
	return string(object("name", quoted(c.Name), "arguments", r.argumentsObject(c.Arguments)))
}

// writeShareGPT: a turn a side. Neighbours of one side are joined, since LLaMA-Factory wants sides to alternate.
func writeShareGPT(r *converted, turns []spokenTurn) {
	r.countErrors(turns)
	var list []string
	for _, t := range r.joinSides(turns) {
		switch t.role {
		case RoleSystem:
			list = append(list, shareTurn("system", t.text(), ""))
		case RoleUser:
			list = append(list, shareTurn("human", t.text(), ""))
		case RoleTool:
			value := t.results[0].Text
			if len(t.results) > 1 {
				r.loss["results that share an observation"] += len(t.results)
				value = listOf(t.results, func(result ToolResult) string { return quoted(result.Text) })
			}
			list = append(list, shareTurn("observation", value, ""))
		case RoleAssistant:
			list = append(list, r.shareAssistant(t))
		}
	}
	r.put("conversations", listOf(list, same))
	r.shareTools()
}

// joinSides joins neighbouring turns of people, and texts of the assistant with its next turn, with a blank line between
// what they say. Turns of different weight stay apart: one is to be learnt.
func (r *converted) joinSides(turns []spokenTurn) []spokenTurn {
	var list []spokenTurn
	for _, t := range turns {
		last := len(list) - 1
		if last < 0 || !joinable(list[last], t) {
			list = append(list, t)
			continue
		}
		texts := list[last].texts
		if len(texts) > 0 && len(t.texts) > 0 {
			texts = append(texts, "") // the blank line
		}
		t.texts, t.reasoning = append(texts, t.texts...), list[last].reasoning
		list[last] = t
		r.mended["neighbouring turns joined"]++
	}
	return list
}

func joinable(a, b spokenTurn) bool {
	return a.role == b.role && (a.role == RoleUser || a.role == RoleAssistant) && len(a.calls)+len(b.reasoning) == 0 && a.weight == b.weight
}

// shareAssistant spells a turn of the assistant: one turn, since ShareGPT's readers want sides to alternate. Its calls are
// the whole value, behind thinking if there is any; where it says something as well they stand between tags (LLaMA-Factory
// reads both since its pull request 9610, December 2025).
func (r *converted) shareAssistant(t spokenTurn) string {
	if len(t.calls) == 0 {
		return shareTurn("gpt", thought(t)+breakTags(t.text()), t.weight)
	}
	calls := listOf(t.calls, r.shareCall)
	if len(t.calls) == 1 {
		calls = r.shareCall(t.calls[0])
	}
	if text := breakTags(t.text()); text != "" {
		calls = text + "\n" + toolCallTag.open + "\n" + escapeTags(calls) + "\n" + toolCallTag.close
	}
	return shareTurn("function_call", thought(t)+calls, t.weight)
}

// shareTools adds the offers as LLaMA-Factory reads them: JSON in a string.
func (r *converted) shareTools() {
	if len(r.tools) > 0 {
		r.put("tools", quoted(listOf(r.tools, func(t toolOffer) string { return string(object(t.function("parameters")...)) })))
	}
}

func writeHermes(r *converted, turns []spokenTurn) {
	r.countErrors(turns)
	var list []string
	for _, t := range turns {
		switch t.role {
		case RoleSystem:
			list = append(list, shareTurn("system", t.text(), ""))
		case RoleUser:
			list = append(list, shareTurn("human", t.text(), ""))
		case RoleTool:
			var blocks []string
			for _, result := range t.results {
				blocks = append(blocks, responseBlock(&ToolCall{ID: result.CallID, Name: result.Name}, result.Text))
			}
			list = append(list, shareTurn("tool", strings.Join(blocks, "\n"), ""))
		case RoleAssistant:
			pieces := []string{thought(t) + breakTags(t.text())}
			if len(t.texts) == 0 {
				pieces[0] = strings.TrimSuffix(pieces[0], "\n")
			}
			for _, c := range t.calls {
				call := object("id", quoted(c.ID), "name", quoted(c.Name), "arguments", r.argumentsObject(c.Arguments))
				pieces = append(pieces, toolCallTag.open+"\n"+escapeTags(string(call))+"\n"+toolCallTag.close)
			}
			pieces = slices.DeleteFunc(pieces, func(p string) bool { return p == "" })
			list = append(list, shareTurn("gpt", strings.Join(pieces, "\n"), t.weight))
		}
	}
	r.put("conversations", listOf(list, same))
	r.shareTools()
}

func writeSWEAgent(r *converted, turns []spokenTurn) {
	r.countErrors(turns)
	var list []string
	for _, t := range turns {
		for i, json := range chatMessages(t) {
			data := []byte(json)
			o := ObjectAt(data, Span{0, len(data)})
			kind := map[Role]string{RoleSystem: "system_prompt", RoleAssistant: "action"}[t.role]
			if kind == "" {
				kind = "observation"
			}
			ids := ""
			if t.role == RoleTool {
				ids = "[" + quoted(t.results[i].CallID) + "]"
			}
			content := string(o.Raw("content"))
			if content == "null" {
				content = `""`
			}
			if len(t.reasoning) > 0 && i == 0 {
				r.loss["reasoning"]++
			}
			if t.weight != "" {
				r.loss["weight"]++
			}
			list = append(list, string(object("role", string(o.Raw("role")), "content", content, "agent", `"main"`,
				"tool_calls", string(o.Raw("tool_calls")), "tool_call_ids", ids, "message_type", quoted(kind))))
		}
	}
	if len(r.tools) > 0 {
		r.loss["tools"]++
	}
	if fieldIndex(r.others, "trajectory") < 0 {
		r.put("trajectory", "[]")
	}
	r.put("history", listOf(list, same))
}

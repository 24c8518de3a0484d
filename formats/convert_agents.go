package formats

import (
	"strconv"
	"strings"
)

// writeAnthropic: system texts in front leave the list, results of one turn share the next user message, neighbours of
// one role are one message. Thinking without the signature of its maker would be refused and is left out.
func writeAnthropic(r *converted, turns []spokenTurn) {
	var system []string
	for len(turns) > 0 && turns[0].role == RoleSystem {
		system = append(system, turns[0].text())
		turns = turns[1:]
	}
	if len(system) > 0 {
		r.put("system", quoted(strings.Join(system, "\n\n")))
	}
	type message struct {
		role   string
		blocks []string
		plain  string // the one text it is made of, as JSON; "" when it is more
	}
	var list []message
	for _, t := range turns {
		m := message{role: "user", blocks: r.anthropicBlocks(t)}
		switch t.role {
		case RoleAssistant:
			m.role = "assistant"
		case RoleSystem:
			r.loss["system text in the middle, now the user's"]++
		}
		if len(m.blocks) == 0 { // the API refuses it
			r.loss["turns that say nothing"]++
			continue
		}
		if len(t.texts) > 0 && len(m.blocks) == 1 {
			m.plain = quoted(t.text())
		}
		if last := len(list) - 1; last >= 0 && list[last].role == m.role {
			list[last].blocks, list[last].plain = append(list[last].blocks, m.blocks...), ""
			continue
		}
		list = append(list, m)
	}
	r.put("messages", listOf(list, func(m message) string {
		content := m.plain
		if content == "" {
			content = listOf(m.blocks, same)
		}
		return string(object("role", quoted(m.role), "content", content))
	}))
	r.putTools(func(t toolOffer) string { return string(object(t.function("input_schema")...)) })
}

func (r *converted) anthropicBlocks(t spokenTurn) []string {
	var blocks []string
	for _, result := range t.results {
		failed := ""
		if result.IsError {
			failed = "true"
		}
		blocks = append(blocks, string(object("type", `"tool_result"`, "tool_use_id", quoted(result.CallID), "content", quoted(result.Text), "is_error", failed)))
	}
	if len(t.reasoning) > 0 {
		r.loss["reasoning without a signature"] += len(t.reasoning)
	}
	if t.weight != "" {
		r.loss["weight"]++
	}
	if len(t.texts) > 0 {
		blocks = append(blocks, string(object("type", `"text"`, "text", quoted(t.text()))))
	}
	for _, c := range t.calls {
		blocks = append(blocks, string(object("type", `"tool_use"`, "id", quoted(c.ID), "name", quoted(c.Name), "input", r.argumentsObject(c.Arguments))))
	}
	return blocks
}

// writeResponses: an item for each thing that was said.
func writeResponses(r *converted, turns []spokenTurn) {
	r.countErrors(turns)
	if len(turns) > 0 && turns[0].role == RoleSystem {
		r.put("instructions", quoted(turns[0].text()))
		turns = turns[1:]
	}
	var items []string
	for _, t := range turns {
		if len(t.reasoning) > 0 {
			summary := listOf(t.reasoning, func(text string) string { return string(object("type", `"summary_text"`, "text", quoted(text))) })
			if len(t.texts)+len(t.calls) > 0 {
				items = append(items, string(object("type", `"reasoning"`, "summary", summary)))
			} else {
				r.loss["reasoning that led to nothing"]++
			}
		}
		if t.weight != "" {
			r.loss["weight"]++
		}
		if len(t.texts) > 0 {
			kind := `"input_text"`
			if t.role == RoleAssistant {
				kind = `"output_text"`
			}
			part := object("type", kind, "text", quoted(t.text()))
			items = append(items, string(object("type", `"message"`, "role", quoted(t.role.String()), "content", "["+string(part)+"]")))
		}
		for _, c := range t.calls {
			items = append(items, string(object("type", `"function_call"`, "call_id", quoted(c.ID), "name", quoted(c.Name), "arguments", quoted(c.Arguments))))
		}
		for _, result := range t.results {
			items = append(items, string(object("type", `"function_call_output"`, "call_id", quoted(result.CallID), "output", quoted(result.Text))))
		}
	}
	r.put("input", listOf(items, same))
	r.putTools(func(t toolOffer) string {
		return string(object(append([]string{"type", `"function"`}, t.function("parameters")...)...))
	})
}

// writeATIF: results go into the step of their call, everything that the schema does not know under `extra`.
func writeATIF(r *converted, turns []spokenTurn) {
	r.countErrors(turns)
	var steps [][]string
	open := map[string]bool{} // calls of the last step
	var results []string      // of the last step
	finish := func() {
		if len(results) > 0 {
			steps[len(steps)-1] = append(steps[len(steps)-1], "observation", string(object("results", listOf(results, same))))
			results = nil
		}
	}
	for _, t := range turns {
		if t.role == RoleTool && len(steps) > 0 {
			for _, result := range t.results {
				id := quoted(result.CallID)
				if !open[result.CallID] {
					id = "" // the schema knows no answer to a call of another step
				}
				results = append(results, string(object("source_call_id", id, "content", quoted(result.Text))))
			}
			continue
		}
		finish()
		clear(open)
		source := t.role.String()
		if t.role == RoleAssistant {
			source = "agent"
		}
		step := []string{"source", quoted(source), "message", quoted(t.text())}
		if len(t.reasoning) > 0 && t.role == RoleAssistant {
			step = append(step, "reasoning_content", quoted(strings.Join(t.reasoning, "\n")))
		}
		if len(t.calls) > 0 {
			step = append(step, "tool_calls", listOf(t.calls, func(c ToolCall) string {
				open[c.ID] = true
				return string(object("tool_call_id", quoted(c.ID), "function_name", quoted(c.Name), "arguments", r.argumentsObject(c.Arguments)))
			}))
		}
		if t.weight != "" {
			step = append(step, "extra", string(object("weight", t.weight)))
		}
		steps = append(steps, step)
	}
	finish()
	r.atifRecord(steps)
}

func (r *converted) atifRecord(steps [][]string) {
	list := make([]string, len(steps))
	for i, step := range steps {
		list[i] = string(object(append([]string{"step_id", strconv.Itoa(i + 1)}, step...)...))
	}
	agent := []string{"name", `"unknown"`, "version", `"unknown"`}
	if r.model != "" {
		agent = append(agent, "model_name", quoted(r.model))
	}
	if len(r.tools) > 0 {
		agent = append(agent, "tool_definitions", listOf(r.tools, openAITool))
	}
	r.whole = []string{"schema_version", `"ATIF-v1.6"`, "session_id", quoted(r.id), "agent", string(object(agent...)), "steps", listOf(list, same)}
	if len(r.others) > 0 {
		r.whole = append(r.whole, "extra", string(object(r.others...)))
	}
}

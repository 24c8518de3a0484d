package targets

import (
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// checkOpenAI: chat completions. Every call is answered by the messages right behind it, every answer has its call.
func checkOpenAI(c *checker) {
	var open []string
	caller := -1
	unanswered := func() {
		if len(open) > 0 {
			c.add("unanswered", caller, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
		}
		open = nil
	}
	for i, m := range c.turns() {
		c.chatMessage(i, m)
		if m.Role == formats.RoleTool {
			for _, r := range m.Results() {
				at := slices.Index(open, r.CallID)
				if at < 0 {
					//nolint:misspell // the API's own spelling
					c.add("orphan", i, "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
					continue
				}
				open = slices.Delete(open, at, at+1)
			}
			continue
		}
		unanswered()
		c.stringArguments(i, m)
		caller = i
		for _, call := range m.Calls() {
			if !call.Implicit {
				open = append(open, call.ID)
			}
		}
	}
	unanswered()
}

// What messages of chat completions may be.
var (
	chatRoles = []string{"system", "assistant", "user", "function", "tool", "developer"}
	chatParts = []string{"text", "image_url", "input_audio", "refusal", "audio", "file"}
)

// chatMessage: a message has a role that is known, and its content is of kinds that are.
func (c *checker) chatMessage(i int, m *formats.Message) {
	o := object(m)
	role, ok := o.String("role")
	switch {
	case !ok:
		c.add("role", i, "Missing required parameter: 'messages[%d].role'.", i)
		return
	case !slices.Contains(chatRoles, role):
		c.add("role", i, "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", short(role))
	}
	content := o.Raw("content")
	for e := range formats.Elements(content) {
		kind := formats.ObjectAt(content, e).Text("type")
		if !slices.Contains(chatParts, kind) {
			c.add("content", i, "Invalid value: '%s'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.", short(kind))
			return
		}
	}
}

// stringArguments: OpenAI takes arguments as a string that holds JSON.
func (c *checker) stringArguments(i int, m *formats.Message) {
	raw := object(m).Raw("tool_calls")
	k := 0
	for e := range formats.Elements(raw) {
		arguments := formats.ObjectAt(raw, e).Object("function").Raw("arguments")
		if len(arguments) > 0 && arguments[0] == '{' {
			c.add("arguments", i, "Invalid type for 'messages[%d].tool_calls[%d].function.arguments': expected a string, but got an object instead.", i, k)
		}
		k++
	}
}

// checkAnthropic: the Messages API. First turn, alternation, pairs in neighbouring messages, no empty content.
func checkAnthropic(c *checker) {
	turns := c.turns()
	var open []string
	last := ""
	for i, m := range turns {
		role := m.RoleName
		if role != "user" && role != "assistant" {
			c.add("role", i, "messages: Unexpected role \"%s\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.", role)
			continue
		}
		if last == "" && role != "user" {
			c.add("first", i, "messages: first message must use the \"user\" role")
		}
		if role == last {
			c.add("alternation", i, "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"%s\" roles in a row", role)
		}
		last = role
		if len(m.Parts) == 0 && i < len(turns)-1 {
			c.add("empty", i, "messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		open = c.anthropicPairs(i, m, open)
	}
	if len(open) > 0 {
		c.unansweredUses(len(turns)-1, open)
	}
}

// anthropicPairs checks message i against the calls of the one before it, and gives its own.
func (c *checker) anthropicPairs(i int, m *formats.Message, open []string) []string {
	for k, r := range m.Results() {
		at := slices.Index(open, r.CallID)
		if at < 0 {
			c.add("orphan", i, "messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, k, r.CallID)
			continue
		}
		open = slices.Delete(slices.Clone(open), at, at+1)
	}
	if len(open) > 0 {
		c.unansweredUses(i-1, open)
	}
	var calls []string
	for _, call := range m.Calls() {
		calls = append(calls, call.ID)
	}
	return calls
}

func (c *checker) unansweredUses(i int, ids []string) {
	c.add("unanswered", i, "messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(ids, ", "))
}

// checkMistral: mistral-common and the templates of its models. No user turn directly behind a tool's, and people and the
// model in turn.
func checkMistral(c *checker) {
	last := formats.RoleOther
	for i, m := range c.Conversation.Messages {
		var ok bool
		switch m.Role {
		case formats.RoleSystem:
			ok = last == formats.RoleOther || last == formats.RoleSystem
		case formats.RoleUser:
			ok = last != formats.RoleTool && last != formats.RoleUser
		case formats.RoleAssistant:
			ok = last == formats.RoleUser || last == formats.RoleTool
		case formats.RoleTool:
			ok = last == formats.RoleAssistant || last == formats.RoleTool
		default:
			c.add("role", i, "Only user, assistant and tool roles are supported, with the exception of an initial optional system message! (%q)", m.RoleName)
			continue
		}
		if !ok {
			before := last.String()
			if last == formats.RoleOther {
				before = "nothing"
			}
			c.add("order", i, "Unexpected role '%s' after role '%s'", m.Role, before)
		}
		last = m.Role
	}
}

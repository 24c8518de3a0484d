package targets

import (
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// checkLLaMAFactory: after an optional system turn, people and observations on even places, the model on odd ones, and an
// even count (LLaMA-Factory, data/converter.py). A data set has one tag for each of them. Results of parallel calls in
// neighbouring messages are one turn there.
func checkLLaMAFactory(c *checker) {
	turns := c.turns()
	if len(turns) > 0 && turns[0].RoleName == "system" {
		turns = turns[1:]
	}
	offset := len(c.Conversation.Messages) - len(turns)
	place := 0
	var last *formats.Message
	tags := map[string]string{}
	for i, m := range turns {
		if last != nil && last.Role == formats.RoleTool && m.Role == formats.RoleTool && c.Conversation.Dialect == "openai" {
			continue
		}
		last = m
		kind, known := llamaTags[m.RoleName]
		if tags[kind] == "" {
			tags[kind] = m.RoleName
		}
		asked := kind == "user" || kind == "observation"
		if even := place%2 == 0; !known || even != asked || tags[kind] != m.RoleName {
			c.add("role_tag", offset+i, "Invalid role tag in messages: turn %d is %q. Skipping this abnormal example.", i, m.RoleName)
			return // one is enough to lose the record
		}
		place++
	}
	if place%2 != 0 || place == 0 {
		c.add("message_count", -1, "Invalid message count in messages: %d. Skipping this abnormal example.", place)
	}
}

// llamaTags is what LLaMA-Factory's tags stand for: its defaults, and those that its documentation sets for chat messages.
var llamaTags = map[string]string{
	"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant",
	"observation": "observation", "tool": "observation", "function": "observation", "function_call": "function",
}

// checkAxolotl: a list of dicts, whose call arguments parse (axolotl, prompt_strategies/chat_template.py).
func checkAxolotl(c *checker) {
	for i, m := range c.turns() {
		raw := m.Bytes()
		if raw[0] != '{' {
			c.add("format", i, "Unknown messages data format. Please convert it into a list[dict].")
			continue
		}
		for _, call := range m.Calls() {
			if call.Implicit || formats.Validate([]byte(call.Arguments)) == nil {
				continue
			}
			c.add("arguments", i, "Error parsing tool_calls arguments as JSON. Function: %s, Arguments string: %s", call.Name, short(call.Arguments))
		}
	}
}

func short(text string) string {
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// checkTRL: conversational data stands under messages, or prompt and completion; arguments are objects, since Arrow wants
// one type in a column and templates want a mapping.
func checkTRL(c *checker) {
	if !c.has("messages") && !c.has("prompt", "completion") && !c.has("prompt", "chosen", "rejected") {
		c.add("columns", -1, "KeyError: 'messages' (TRL wants messages, or prompt and completion)")
	}
	for i, m := range c.turns() {
		for e := range formats.Elements(object(m).Raw("tool_calls")) {
			raw := object(m).Raw("tool_calls")
			call := formats.ObjectAt(raw, e)
			if inner := call.Object("function"); !inner.Empty() {
				call = inner
			}
			if arguments := call.Raw("arguments"); len(arguments) > 0 && arguments[0] == '"' {
				c.add("arguments", i, "pyarrow.lib.ArrowInvalid: cannot cast arguments of %s from string to struct: give them as an object", call.Text("name"))
			}
		}
	}
}

// checkTorchtune: torchtune, data/_messages.py, validate_messages.
func checkTorchtune(c *checker) {
	turns := c.Conversation.Messages
	if len(turns) < 2 {
		c.add("length", -1, "Messages must be at least length 2, but got %d messages", len(turns))
		return
	}
	last := formats.RoleAssistant
	for i, m := range turns {
		switch {
		case m.Role == formats.RoleAssistant && last != formats.RoleUser && last != formats.RoleTool:
			c.add("order", i, "Assistant message before expected user, tool or ipython message at index %d in messages", i)
		case m.Role == formats.RoleUser && last == formats.RoleUser:
			c.add("order", i, "Two consecutive user messages at index %d and %d in messages", i, i-1)
		case m.Role == formats.RoleSystem && i > 0:
			c.add("system", i, "System message at index %d in messages, but system messages must come first", i)
		}
		last = m.Role
	}
}

// checkVerl: a Parquet file, and no conversation longer than max_length where truncation is an error.
func checkVerl(c *checker) {
	if !c.Parquet {
		c.add("container", -1, "ArrowInvalid: Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file.")
	}
	if c.MaxLength > 0 {
		if n := c.Tokens(); n > c.MaxLength {
			c.add("length", -1, "sequence_length=%d is larger than self.max_length=%d", n, c.MaxLength)
		}
	}
}

// What OpenAI's fine-tuning files may hold.
var (
	fineTuningRoles = []string{"system", "developer", "user", "assistant", "tool", "function"}
	fineTuningKeys  = []string{"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "weight", "refusal", "audio"}
)

// checkFineTuning: chat fine-tuning of OpenAI.
func checkFineTuning(c *checker) {
	n := c.Index + 1
	if !c.has("messages") && !c.has("input", "preferred_output") {
		c.add("key", -1, "Invalid file format. Example %d is missing key \"messages\".", n)
	}
	turns, spoke := c.turns(), false
	for i, m := range turns {
		if !slices.Contains(fineTuningRoles, m.RoleName) {
			c.add("role", i, "Invalid file format. Example %d, message %d: role %q is not one of %s", n, i+1, m.RoleName, strings.Join(fineTuningRoles, ", "))
		}
		for key := range object(m).Keys() {
			if !slices.Contains(fineTuningKeys, key) {
				c.add("key", i, "Invalid file format. Example %d, message %d has an unexpected key %q", n, i+1, key)
			}
		}
		spoke = spoke || m.Role == formats.RoleAssistant
		c.stringArguments(i, m)
	}
	switch {
	case !spoke:
		c.add("assistant", -1, "Invalid file format. Example %d must have at least one message from the assistant", n)
	case turns[len(turns)-1].Role != formats.RoleAssistant && !c.has("preferred_output"):
		c.add("last", len(turns)-1, "Invalid file format. Example %d: the last message must be from the assistant", n)
	}
}

package formats

import "strings"

// Decode puts the session together: from its last entry up the tree, or all entries where they do not refer to each other
// (before version 2). A compaction is a summary in its place.
func (d Pi) Decode(p *Probe) (*Conversation, error) {
	if _, ok := d.Detect(p); !ok {
		return nil, p.missing(d.Name(), `a file whose first line is {"type": "session"}`)
	}
	s := &sessionRecord{id: p.Lines[0].Text("id"), model: p.Lines[0].Text("modelId")}
	var results []string
	flush := func() {
		if len(results) > 0 {
			s.list = append(s.list, claudeMessage("user", results))
			results = nil
		}
	}
	for _, l := range piPath(p.Lines[1:]) {
		kind, message := l.Text("type"), l.Object("message")
		if kind == "message" && message.Text("role") == "toolResult" {
			results = append(results, piResult(message))
			continue
		}
		switch kind {
		case "message":
			flush()
			s.addPi(message)
		case "compaction", "branch_summary":
			flush()
			if text := l.Text("summary"); text != "" {
				s.mark(string(object("role", `"user"`, "content", quoted(text))))
			}
		case "custom_message":
			flush()
			if content := string(l.Raw("content")); content != "" {
				s.list = append(s.list, string(object("role", `"user"`, "content", content)))
			}
		case "model_change":
			s.model = l.Text("modelId")
		}
	}
	flush()
	return s.conversation(p, Anthropic{}, "messages", "system")
}

// piPath is the entries of the branch that the session is on, in order.
func piPath(lines []Object) []Object {
	byID := map[string]int{}
	leaf := -1
	for i, l := range lines {
		if id := l.Text("id"); id != "" {
			byID[id], leaf = i, i
		}
	}
	if leaf < 0 {
		return lines
	}
	on := make([]bool, len(lines))
	for i := leaf; i >= 0 && !on[i]; {
		on[i] = true
		parent, ok := byID[lines[i].Text("parentId")]
		if !ok {
			break
		}
		i = parent
	}
	var path []Object
	for i, l := range lines {
		if on[i] {
			path = append(path, l)
		}
	}
	return path
}

// addPi adds a message of a person, the assistant, or a command that the person ran.
func (s *sessionRecord) addPi(message Object) {
	switch message.Text("role") {
	case "user", "custom":
		if content := message.Raw("content"); len(content) > 0 {
			json := string(content)
			if content[0] == '[' {
				json = listOf(piParts(content), same)
			}
			s.list = append(s.list, string(object("role", `"user"`, "content", json)))
		}
	case "assistant":
		if model := message.Text("model"); model != "" {
			s.model = model
		}
		if blocks := piParts(message.Raw("content")); len(blocks) > 0 {
			s.list = append(s.list, claudeMessage("assistant", blocks))
			s.report(reportedIn(message))
		}
	case "bashExecution":
		text := "Ran `" + message.Text("command") + "`\n```\n" + strings.TrimRight(message.Text("output"), "\n") + "\n```"
		s.list = append(s.list, string(object("role", `"user"`, "content", quoted(text))))
	}
}

// piParts spells content as the Messages API does. Thinking without a signature (of an answer that was broken off) has no
// place there.
func piParts(content []byte) []string {
	var blocks []string
	for e := range Elements(content) {
		o := ObjectAt(content, e)
		switch o.Text("type") {
		case "toolCall":
			blocks = append(blocks, string(object("type", `"tool_use"`, "id", string(o.Raw("id")), "name", string(o.Raw("name")), "input", string(o.Raw("arguments")))))
		case "thinking":
			if o.Text("thinkingSignature") != "" {
				blocks = append(blocks, string(object("type", `"thinking"`, "thinking", string(o.Raw("thinking")), "signature", string(o.Raw("thinkingSignature")))))
			}
		case "image":
			source := object("type", `"base64"`, "media_type", string(o.Raw("mimeType")), "data", string(o.Raw("data")))
			blocks = append(blocks, string(object("type", `"image"`, "source", string(source))))
		case "text":
			if o.Text("text") != "" {
				blocks = append(blocks, string(object("type", `"text"`, "text", string(o.Raw("text")))))
			}
		default:
			blocks = append(blocks, string(e.In(content)))
		}
	}
	return blocks
}

func piResult(message Object) string {
	content := message.Raw("content")
	json := string(content)
	if len(content) > 0 && content[0] == '[' {
		json = listOf(piParts(content), same)
	}
	failed := ""
	if string(message.Raw("isError")) == "true" {
		failed = "true"
	}
	return string(object("type", `"tool_result"`, "tool_use_id", string(message.Raw("toolCallId")), "content", json, "is_error", failed))
}

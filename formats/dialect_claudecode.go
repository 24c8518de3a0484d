package formats

import (
	"slices"
	"strings"
)

// Decode puts the session together: from its last line up the tree, through earlier compactions, with all lines of each
// message and all results of its calls. Branches that were left and sub-agents are not part of it.
func (d ClaudeCode) Decode(p *Probe) (*Conversation, error) {
	if _, ok := d.Detect(p); !ok {
		return nil, p.missing(d.Name(), `a file of lines with "uuid", "parentUuid" and "sessionId"`)
	}
	t := newClaudeTree(p.Lines)
	s := &sessionRecord{}
	for i := 0; i < len(t.path); i++ {
		l := t.path[i]
		switch {
		case l.kind == "assistant":
			i = t.assistant(s, i)
		case l.kind == "used":
		case len(l.results) > 0 && l.answered: // already stands behind its call
			if len(l.others) > 0 {
				s.list = append(s.list, claudeMessage("user", l.others))
			}
		case l.object.Object("message").Has("content"):
			json := string(object("role", `"user"`, "content", string(l.object.Object("message").Raw("content"))))
			if string(l.object.Raw("isCompactSummary")) == "true" {
				s.mark(json)
			} else {
				s.list = append(s.list, json)
			}
		}
		if id := l.object.Text("sessionId"); id != "" {
			s.id = id
		}
	}
	s.model = t.model
	return s.conversation(p, Anthropic{}, "messages", "system")
}

// claudeLine is a line of the conversation.
type claudeLine struct {
	object   Object
	kind     string
	id       string   // of the message that the line is a part of
	blocks   []string // the assistant's content
	calls    []string // ids of its calls
	results  []claudeResult
	others   []string // the user's content beside results
	answered bool     // the results stand behind their calls
}

type claudeResult struct{ call, json string }

// claudeTree is the lines of the conversation, in the order of the file.
type claudeTree struct {
	path  []*claudeLine
	last  map[string]int // by the message's id, its last line in path
	model string
}

func newClaudeTree(lines []Object) *claudeTree {
	byID := map[string]int{}
	leaf := -1
	for i, l := range lines {
		if id := l.Text("uuid"); id != "" {
			byID[id] = i
		}
		if isClaudeTurn(l) {
			leaf = i
		}
	}
	on := make([]bool, len(lines))
	messages, calls := map[string]bool{}, map[string]bool{}
	for i := leaf; i >= 0 && !on[i]; {
		on[i] = true
		i = claudeParent(lines, byID, i)
	}
	t := &claudeTree{last: map[string]int{}}
	read := make([]*claudeLine, len(lines))
	for i, l := range lines {
		if isClaudeTurn(l) {
			read[i] = readClaudeLine(l)
			messages[read[i].id] = messages[read[i].id] || on[i] && read[i].id != ""
		}
	}
	for i, l := range read {
		if l != nil && l.kind == "assistant" && (on[i] || messages[l.id]) {
			for _, id := range l.calls {
				calls[id] = true
			}
		}
	}
	for i, l := range read {
		if l == nil {
			continue
		}
		answers := slices.ContainsFunc(l.results, func(r claudeResult) bool { return calls[r.call] })
		if on[i] || l.id != "" && messages[l.id] || answers {
			t.path = append(t.path, l)
			if l.id != "" {
				t.last[l.id] = len(t.path) - 1
			}
		}
	}
	return t
}

// isClaudeTurn says that a line is said in the conversation itself.
func isClaudeTurn(l Object) bool {
	kind := l.Text("type")
	return (kind == "user" || kind == "assistant") && string(l.Raw("isSidechain")) != "true" &&
		string(l.Raw("isApiErrorMessage")) != "true" && !l.Object("message").Empty()
}

// claudeParent is the line that line i follows, -1 for none. A compaction begins a new tree, which is joined to the old one
// by logicalParentUuid; a parent that the file does not have is taken to be the line before.
func claudeParent(lines []Object, byID map[string]int, i int) int {
	parent := lines[i].Text("parentUuid")
	if parent == "" {
		parent = lines[i].Text("logicalParentUuid")
	}
	if parent == "" {
		return -1
	}
	if k, ok := byID[parent]; ok && k != i {
		return k
	}
	for k := i - 1; k >= 0; k-- {
		if isClaudeTurn(lines[k]) {
			return k
		}
	}
	return -1
}

func readClaudeLine(l Object) *claudeLine {
	message := l.Object("message")
	line := &claudeLine{object: l, kind: l.Text("type")}
	if line.kind == "assistant" {
		line.id = message.Text("id")
	}
	content := message.Raw("content")
	if len(content) > 0 && content[0] == '"' {
		line.blocks = []string{string(object("type", `"text"`, "text", string(content)))}
		return line
	}
	for e := range Elements(content) {
		block := string(e.In(content))
		o := ObjectAt(content, e)
		switch o.Text("type") {
		case "tool_use":
			line.calls = append(line.calls, o.Text("id"))
		case "tool_result":
			line.results = append(line.results, claudeResult{o.Text("tool_use_id"), block})
			continue
		}
		line.blocks, line.others = append(line.blocks, block), append(line.others, block)
	}
	return line
}

func claudeMessage(role string, blocks []string) string {
	return string(object("role", quoted(role), "content", listOf(blocks, same)))
}

// assistant adds the message that begins at line i, with all lines of it and the results of its calls, and gives the last
// line that it used up.
func (t *claudeTree) assistant(s *sessionRecord, i int) int {
	first := t.path[i]
	if model := first.object.Object("message").Text("model"); model != "" && !strings.HasPrefix(model, "<") {
		t.model = model
	}
	blocks, calls := slices.Clone(first.blocks), slices.Clone(first.calls)
	last, reported := i, claudeReport(first.object)
	for k := i + 1; first.id != "" && k <= t.last[first.id]; k++ {
		if l := t.path[k]; l.id == first.id {
			blocks, calls = append(blocks, l.blocks...), append(calls, l.calls...)
			reported = claudeReport(l.object) // the last line has the final count
			t.path[k] = &claudeLine{object: l.object, kind: "used"}
			if k == last+1 {
				last = k
			}
		}
	}
	if len(blocks) == 0 {
		return last
	}
	s.list = append(s.list, claudeMessage("assistant", blocks))
	s.report(reported)
	var results []string
	for _, l := range t.path[i:] {
		if len(calls) == 0 {
			break
		}
		for _, r := range l.results {
			if at := slices.Index(calls, r.call); at >= 0 {
				calls = slices.Delete(calls, at, at+1)
				results = append(results, r.json)
				l.answered = true
			}
		}
	}
	if len(results) > 0 {
		s.list = append(s.list, claudeMessage("user", results))
	}
	return last
}

// claudeReport is what a line says of the call: the usage stands in its message, the time beside it.
func claudeReport(line Object) Reported {
	r := readUsage(line.Object("message").Object("usage"))
	r.At = readTime(line.Raw("timestamp"))
	return r
}

package formats

// sessionMessage is one message of a session in the spelling of the Messages API, taken apart into its blocks.
type sessionMessage struct {
	role   string
	blocks []string
	calls  []*ToolCall
}

// joinNeighbours writes a session in the spelling it is held in, neighbours of one role as one message: people interrupt
// and run commands of their own, and the API wants turns to alternate. Results stand in the next message behind their
// calls, in front of what else it says; broken pairs are mended as pairUp does. Blocks keep their bytes.
func joinNeighbours(c *Conversation) Conversion {
	j := sessionJoiner{
		out: Conversion{Loss: Loss{}, Mended: Loss{}}, pairs: Pair(c.Messages), spoken: []int{0},
		style: anthropicStyle{openAIStyle{root: c.root, list: c.list}},
	}
	for i, m := range c.Messages {
		if j.spoken = append(j.spoken, j.spoken[i]); m.Role != RoleTool {
			j.spoken[i+1]++
		}
	}
	j.results = map[*ToolCall]string{}
	for i, m := range c.inList() {
		j.read(m, i+len(c.Messages)-len(c.inList()))
	}
	var list []sessionMessage
	add := func(m sessionMessage) {
		if last := len(list) - 1; last >= 0 && list[last].role == m.role {
			list[last].blocks = append(list[last].blocks, m.blocks...)
		} else if len(m.blocks) > 0 || m.role != "user" {
			list = append(list, m)
		}
	}
	for i, m := range j.said {
		add(m)
		if answers := j.answers(m, i == j.last); len(answers) > 0 {
			add(sessionMessage{role: "user", blocks: answers})
		}
	}
	var fields []string
	root := ObjectAt(c.root, valueSpan(c.root))
	for key := range root.Keys() {
		value := string(root.Raw(key))
		if key == "messages" {
			value = listOf(list, func(m sessionMessage) string { return claudeMessage(m.role, m.blocks) })
		}
		fields = append(fields, key, value)
	}
	j.out.Payload = OneLine(object(fields...))
	return j.out
}

// sessionJoiner holds what joinNeighbours knows of a session.
type sessionJoiner struct {
	out     Conversion
	pairs   Pairing
	spoken  []int // how many messages before each one are none of results
	style   anthropicStyle
	said    []sessionMessage     // without results
	results map[*ToolCall]string // the results, as blocks
	last    int                  // the last message in said that says anything
}

// read takes message i of the conversation apart.
func (j *sessionJoiner) read(m *Message, i int) {
	raw := m.Bytes()
	o := ObjectAt(raw, valueSpan(raw))
	content := o.Raw("content")
	one := sessionMessage{role: o.Text("role"), calls: m.Calls()}
	if len(content) > 0 && content[0] == '"' {
		one.blocks = []string{string(object("type", `"text"`, "text", string(content)))}
	}
	k := 0
	for e := range Elements(content) {
		block := string(e.In(content))
		var result *ToolResult
		if k < len(m.Parts) {
			result, _ = m.Parts[k].(*ToolResult)
		}
		if k++; result == nil {
			one.blocks = append(one.blocks, block)
			continue
		}
		ref, ok := j.pairs.Answers[result]
		if !ok {
			j.out.Loss["tool results without a call"]++
			continue
		}
		if j.spoken[i] > j.spoken[ref.Message+1] {
			j.out.Mended["results moved behind their call"]++
		}
		j.results[ref.Call] = block
	}
	if j.said = append(j.said, one); len(one.blocks) > 0 {
		j.last = len(j.said) - 1
	}
}

// answers are the results of a message's calls as blocks, with stubs for those that have none and are not in flight.
func (j *sessionJoiner) answers(m sessionMessage, inFlight bool) []string {
	var blocks []string
	for _, call := range m.calls {
		block, ok := j.results[call]
		if !ok && !inFlight {
			j.out.Mended["stubs for calls without a result"]++
			block, ok = j.style.resultBlock(call, stubAnswer), true
		}
		if ok {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

package formats

import "strings"

// Decode puts the rollout together from its response items, which are what the model saw; event_msg lines repeat them for
// the screen. A compaction that Codex made is a summary in its place.
func (d Codex) Decode(p *Probe) (*Conversation, error) {
	if _, ok := d.Detect(p); !ok {
		return nil, p.missing(d.Name(), `a file of lines {"timestamp", "type": "response_item", "payload"}`)
	}
	s := &sessionRecord{}
	for _, l := range p.Lines {
		payload := l.Object("payload")
		switch l.Text("type") {
		case "session_meta":
			s.id = payload.Text("id")
			if s.system = payload.Text("instructions"); s.system == "" {
				s.system = payload.Object("base_instructions").Text("text")
			}
		case "turn_context":
			if model := payload.Text("model"); model != "" {
				s.model = model
			}
		case "event_msg":
			if payload.Text("type") == "token_count" {
				s.codexUsage(l)
			}
		case "response_item":
			kind := payload.Text("type")
			if kind == "message" || kind == "reasoning" || kind == "compaction" || strings.HasSuffix(kind, "_call") || strings.HasSuffix(kind, "_call_output") {
				s.list = append(s.list, string(l.Raw("payload")))
			}
		case "compacted":
			if text := payload.Text("message"); text != "" {
				part := string(object("type", `"input_text"`, "text", quoted(text)))
				s.mark(string(object("type", `"message"`, "role", `"user"`, "content", "["+part+"]")))
			}
		}
	}
	if len(s.list) == 0 {
		return nil, p.missing(d.Name(), "at least one response_item")
	}
	return s.conversation(p, Responses{}, "input", "instructions")
}

// codexUsage takes in the count of one call, which stands behind what the call made: it belongs to the last item that
// the model wrote. (The totals beside it are cumulative.)
func (s *sessionRecord) codexUsage(l Object) {
	r := readUsage(l.Object("payload").Object("info").Object("last_token_usage"))
	if !r.HasUsage() {
		return
	}
	r.At = readTime(l.Raw("timestamp"))
	for i := len(s.list) - 1; i >= 0; i-- {
		item := ObjectAt([]byte(s.list[i]), Span{0, len(s.list[i])})
		kind := item.Text("type")
		if kind == "reasoning" || strings.HasSuffix(kind, "_call") || kind == "message" && item.Text("role") == "assistant" {
			if s.reported == nil {
				s.reported = map[int]Reported{}
			}
			s.reported[i] = r
			return
		}
	}
}

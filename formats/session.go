package formats

import (
	"bytes"
	"slices"
)

// A session log is a file of JSON lines that is one conversation: lines refer to each other, and what the model saw has
// to be put together from them. The three dialects here, and OpenHands, read such files; a session is held in the spelling of an API
// (Conversation.Spelled) and can only be written in another dialect.

// ClaudeCode reads the sessions of Claude Code.
type ClaudeCode struct{}

// Codex reads the rollouts of Codex.
type Codex struct{}

// Pi reads the sessions of pi.
type Pi struct{}

// Name is "claude-code".
func (ClaudeCode) Name() string { return "claude-code" }

// Name is "codex".
func (Codex) Name() string { return "codex" }

// Name is "pi".
func (Pi) Name() string { return "pi" }

// sessionPeek is how many lines may stand before the first that tells a session log.
const sessionPeek = 50

// IsSession says whether a file is a session log, from its first bytes: then all of it is one record.
func IsSession(peek []byte) bool {
	if events := arrayElements(peek, sessionPeek); len(events) > 0 {
		return markerOf(events, openHandsMarker) != ""
	}
	lines := sessionLines(peek)
	lines = lines[:min(len(lines), sessionPeek)]
	return markerOf(lines, claudeMarker) != "" || markerOf(lines, codexMarker) != "" || piMarker(lines) != "" ||
		markerOf(lines, openHandsMarker) != ""
}

// IsSessionDialect says whether the dialect of that name reads session logs.
func IsSessionDialect(name string) bool {
	return slices.Contains([]string{"claude-code", "codex", "pi", "openhands"}, name)
}

// sessionLines reads the lines of a session log, or the elements of one that is an array. A line that is no object is passed over: the last one may be cut off
// while the file is being written.
func sessionLines(data []byte) []Object {
	if events := arrayElements(data, len(data)); len(events) > 0 {
		return events
	}
	var lines []Object
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] == '{' && Validate(line) == nil {
			lines = append(lines, ObjectAt(line, Span{0, len(line)}))
		}
	}
	return lines
}

func markerOf(lines []Object, marker func(Object) string) string {
	for _, l := range lines {
		if m := marker(l); m != "" {
			return m
		}
	}
	return ""
}

func claudeMarker(l Object) string {
	switch kind := l.Text("type"); kind {
	case "user", "assistant":
		if l.Text("uuid") != "" && l.Text("sessionId") != "" && !l.Object("message").Empty() {
			return "lines of type " + kind + " with uuid and sessionId"
		}
	case "system":
		if l.Text("uuid") != "" && l.Text("sessionId") != "" {
			return "lines of type system with uuid and sessionId"
		}
	case "summary":
		if l.Text("leafUuid") != "" {
			return "lines of type summary with leafUuid"
		}
	}
	return ""
}

func codexMarker(l Object) string {
	kind := l.Text("type")
	if slices.Contains([]string{"session_meta", "turn_context", "response_item", "event_msg", "compacted"}, kind) &&
		l.Text("timestamp") != "" && l.Has("payload") {
		return "lines of type " + kind + " with timestamp and payload"
	}
	return ""
}

func piMarker(lines []Object) string {
	if len(lines) > 0 && lines[0].Text("type") == "session" && !lines[0].Has("payload") {
		return "its first line is of type session"
	}
	return ""
}

// Detect looks for a line that only Claude Code writes.
func (ClaudeCode) Detect(p *Probe) (string, bool) {
	m := markerOf(p.Lines, claudeMarker)
	return m, m != ""
}

// Detect looks for a line that only Codex writes.
func (Codex) Detect(p *Probe) (string, bool) {
	m := markerOf(p.Lines, codexMarker)
	return m, m != ""
}

// Detect looks at the first line.
func (Pi) Detect(p *Probe) (string, bool) {
	m := piMarker(p.Lines)
	return m, m != ""
}

// sessionRecord is a session put together: the record of an API's dialect, and which of its messages are summaries of
// earlier compactions.
type sessionRecord struct {
	id, model string
	system    string
	list      []string // messages or items as JSON
	marked    map[int]bool
	reported  map[int]Reported // by message of the list: what the log says of the call that made it
}

// report notes what the log says of the last message.
func (s *sessionRecord) report(r Reported) {
	if s.reported == nil {
		s.reported = map[int]Reported{}
	}
	s.reported[len(s.list)-1] = r
}

// mark adds a message that is the summary of an earlier compaction.
func (s *sessionRecord) mark(json string) {
	if s.marked == nil {
		s.marked = map[int]bool{}
	}
	s.marked[len(s.list)] = true
	s.list = append(s.list, json)
}

// conversation reads the record in the dialect it is spelled in.
func (s *sessionRecord) conversation(p *Probe, d Dialect, listKey, systemKey string) (*Conversation, error) {
	text := func(value string) string {
		if value == "" {
			return ""
		}
		return quoted(value)
	}
	raw := object("id", text(s.id), "model", text(s.model), systemKey, text(s.system), listKey, listOf(s.list, same))
	inner, err := NewProbe(Record{Pos: p.Rec.Pos, Raw: raw})
	if err != nil {
		return nil, err
	}
	c, err := d.Decode(inner)
	if err != nil {
		return nil, err
	}
	c.Spelled = d.Name()
	c.reported = make([]Reported, len(c.inList()))
	for i, m := range c.inList() {
		m.Marked, c.reported[i] = s.marked[i], s.reported[i]
	}
	return c, nil
}

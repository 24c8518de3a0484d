package summarize

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/formats"
)

// Bounds of one body in a prompt, in characters: summaries.md section 2.
const (
	bodyMost, bodyFirst, bodyLast = 6000, 4000, 1500
	argumentsMost, argumentsFirst = 1500, 1200
	binaryLeast                   = 1000 // a run of base64 of so many characters is data, not text
)

// entry is one piece of material in a prompt: a message, a part of one, a summary of messages.
type entry struct {
	header string // "[USER] message 12"
	body   string
	tokens int
	atom   int // entries of one atom belong together
}

// entryFrame is what a header line and the line breaks around an entry cost beside header and body.
const entryFrame = 16

// serializer turns messages into entries. For one goroutine.
type serializer struct {
	redactor *Redactor // nil: nothing is masked
	count    func(string) int
	masked   int  // secrets so far
	whole    bool // nothing is cut: for the checks

	tools map[string]string // names of tools by call id
	last  string            // name of the last call
}

// entries gives the messages of the middle, the re-stated one at its place, in order.
func (s *serializer) entries(req Request) []entry {
	var list []entry
	atom := 0
	add := func(m *formats.Message, note string) {
		for _, e := range s.message(m, note) {
			e.atom = atom
			list = append(list, e)
		}
	}
	restated := req.Restated
	for _, t := range req.Turns {
		for _, m := range t.Messages {
			if restated != nil && restated.Number < m.Number {
				atom++
				add(restated, ", repeated in full after the summary")
				restated = nil
				atom++
			}
			add(m, "")
		}
		atom++
	}
	if restated != nil {
		add(restated, ", repeated in full after the summary")
	}
	return list
}

// message gives the entries of one message: what is said with the calls, then each result.
func (s *serializer) message(m *formats.Message, note string) []entry {
	var own strings.Builder
	var results []entry
	say := func(text string) {
		if text = s.body(text); text != "" {
			if own.Len() > 0 {
				own.WriteByte('\n')
			}
			own.WriteString(text)
		}
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case *formats.Text:
			say(p.Text)
		case *formats.Reasoning:
			if text := s.body(p.Text); text != "" {
				say("(thinking) " + text)
			}
		case *formats.Media:
			say("[" + mediaName(p.Type) + "]")
		case *formats.Opaque:
			say(p.JSON)
		case *formats.ToolCall:
			s.last = p.Name
			if p.ID != "" {
				s.tools[p.ID] = p.Name
			}
			if !p.Implicit {
				say("[CALL " + oneLine(p.Name, 100) + idOf(p.ID) + "] " + s.arguments(p.Arguments))
			}
		case *formats.ToolResult:
			results = append(results, s.result(m, p))
		}
	}
	var list []entry
	if own.Len() > 0 || len(results) == 0 {
		list = append(list, s.entry(fmt.Sprintf("[%s] message %d%s", roleTitle(m), m.Number, note), own.String()))
	}
	return append(list, results...)
}

func (s *serializer) result(m *formats.Message, r *formats.ToolResult) entry {
	name := r.Name
	if name == "" {
		if name = s.tools[r.CallID]; r.CallID == "" || name == "" {
			name = s.last
		}
	}
	body := s.body(r.Text)
	for range r.Media {
		body += "\n[image]"
	}
	header := "[TOOL RESULT"
	if name != "" {
		header += " " + oneLine(name, 100)
	}
	header += idOf(r.CallID) + "]"
	if r.IsError {
		header += " failed,"
	}
	return s.entry(fmt.Sprintf("%s message %d", header, m.Number), strings.TrimPrefix(body, "\n"))
}

func (s *serializer) entry(header, body string) entry {
	e := entry{header: header, body: body}
	if s.count != nil {
		e.tokens = s.count(header) + s.count(body) + entryFrame
	}
	return e
}

// body masks secrets and data and cuts what is too long.
func (s *serializer) body(text string) string {
	return s.clean(text, bodyMost, bodyFirst, bodyLast)
}

func (s *serializer) arguments(text string) string {
	return s.clean(text, argumentsMost, argumentsFirst, 0)
}

func (s *serializer) clean(text string, most, first, last int) string {
	masked, n := s.redactor.Mask(text)
	s.masked += n
	masked = maskData(masked)
	if s.whole {
		return masked
	}
	return cutMiddle(masked, most, first, last)
}

// cutMiddle keeps the first and the last characters of a text of more than most, with a marker that says how many are
// left out.
func cutMiddle(text string, most, first, last int) string {
	if len(text) <= most {
		return text
	}
	n := utf8.RuneCountInString(text)
	if n <= most {
		return text
	}
	head, tail := 0, len(text)
	for range first {
		_, size := utf8.DecodeRuneInString(text[head:])
		head += size
	}
	for range last {
		_, size := utf8.DecodeLastRuneInString(text[:tail])
		tail -= size
	}
	return fmt.Sprintf("%s\n[… %d characters left out …]\n%s", text[:head], n-first-last, text[tail:])
}

// dataURI is media inside a text.
var dataURI = regexp.MustCompile(`data:([a-zA-Z]+)/[a-zA-Z0-9.+\-]+;base64,[A-Za-z0-9+/=_\-]*`)

// maskData puts a few words in the place of media and other base64 data.
func maskData(text string) string {
	if strings.Contains(text, ";base64,") {
		text = dataURI.ReplaceAllStringFunc(text, func(uri string) string {
			kind, _, _ := strings.Cut(strings.TrimPrefix(uri, "data:"), "/")
			return "[" + mediaName(kind) + "]"
		})
	}
	if len(text) < binaryLeast {
		return text
	}
	var b strings.Builder
	from, start := 0, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && isBase64(text[i]) {
			continue
		}
		if i-start >= binaryLeast {
			fmt.Fprintf(&b, "%s[base64, %d characters]", text[from:start], i-start)
			from = i
		}
		start = i + 1
	}
	if from == 0 {
		return text
	}
	return b.String() + text[from:]
}

func isBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '='
}

func mediaName(kind string) string {
	switch kind = strings.ToLower(kind); {
	case strings.Contains(kind, "audio"):
		return "audio"
	case strings.Contains(kind, "video"):
		return "video"
	case strings.Contains(kind, "image") || kind == "":
		return "image"
	case strings.Contains(kind, "file") || strings.Contains(kind, "document"):
		return "file"
	}
	return "data"
}

func roleTitle(m *formats.Message) string {
	if m.Role == formats.RoleOther {
		return "OTHER " + oneLine(m.RoleName, 40)
	}
	return strings.ToUpper(m.Role.String())
}

func idOf(id string) string {
	if id == "" {
		return ""
	}
	return " " + oneLine(id, 60)
}

// oneLine makes a name safe to stand in a header.
func oneLine(name string, most int) string {
	return Clip(strings.Map(func(r rune) rune {
		if r < ' ' || r == '[' || r == ']' || r == 0x7f {
			return '_'
		}
		return r
	}, name), most)
}

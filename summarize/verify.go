package summarize

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// Breach is one thing that is wrong with prose.
type Breach struct {
	Code string // "template", "too_long", "identifier", "quotation", "secret", "placeholder"
	Line int    // 0-based line of the prose; -1 for the whole
	Text string // in words, fit for a prompt; a secret is not repeated
}

// Evidence is what the checks hold prose against: what the summariser was given, masked and uncut. It is gathered when
// something is looked up for the first time. For one goroutine.
type Evidence struct {
	req      Request
	redactor *Redactor
	extra    []string

	text    []string // everything, message by message; nil until it is needed
	human   []string // texts of people, folded for comparison
	indexed bool
	bases   map[string][]string // paths by their base name
	folded  map[string]struct{} // words in small letters, made when asked for
}

// NewEvidence is the evidence for a request: its turns, the re-stated message, earlier summaries, and extra texts that the
// summariser was given (the focus). Media and other data are left out, secrets are masked.
func NewEvidence(req Request, redactor *Redactor, extra ...string) *Evidence {
	return &Evidence{req: req, redactor: redactor, extra: extra}
}

// read gathers the texts.
func (e *Evidence) read() {
	if e.text != nil {
		return
	}
	e.text = append([]string{}, e.extra...)
	s := &serializer{redactor: e.redactor, whole: true, tools: map[string]string{}}
	for _, entry := range s.entries(e.req) {
		e.text = append(e.text, entry.header+"\n"+entry.body)
	}
	for _, t := range e.req.Turns {
		for _, m := range t.Messages {
			e.addHuman(m)
		}
	}
	if e.req.Restated != nil {
		e.addHuman(e.req.Restated)
	}
	for _, p := range e.req.Previous {
		text, _ := e.redactor.Mask(p.Body)
		e.text = append(e.text, text)
		parsed := Parse(p.Body)
		for _, q := range parsed.User {
			e.human = append(e.human, foldQuote(q.Text))
		}
		for _, section := range [...]string{HeadingGoal, HeadingConstraints} {
			e.human = append(e.human, foldQuote(parsed.Section(section))) // checked when it was written
		}
	}
}

func (e *Evidence) addHuman(m *formats.Message) {
	if formats.Human(m) {
		text, _ := e.redactor.Mask(m.Text())
		e.human = append(e.human, foldQuote(text))
	}
}

// index adds what only few look-ups need: the arguments of calls with their escapes resolved, and all paths.
func (e *Evidence) index() {
	if e.indexed {
		return
	}
	e.indexed, e.bases = true, map[string][]string{}
	actions := e.req.Actions
	if actions == nil {
		actions = Actions(e.req.Messages())
	}
	for _, a := range actions {
		text, _ := e.redactor.Mask(a.Input)
		e.text = append(e.text, maskData(text))
	}
	seen := map[string]struct{}{}
	for _, text := range e.text {
		Identifiers(text, func(id string, kind IdentifierKind) {
			if _, again := seen[id]; kind != Path || again {
				return
			}
			seen[id] = struct{}{}
			base := id[strings.LastIndexByte(id, '/')+1:]
			e.bases[base] = append(e.bases[base], id)
		})
	}
}

// Knows says whether an identifier occurs in the evidence: as it is, in other capitals (names only), as the end of a
// longer path or with one of the source's paths as its end, or as a reference to a message.
func (e *Evidence) Knows(id string, kind IdentifierKind) bool {
	e.read()
	if kind == Version || e.contains(id) {
		return true
	}
	if !e.indexed {
		before := len(e.text)
		e.index()
		for _, text := range e.text[before:] {
			if strings.Contains(text, id) {
				return true
			}
		}
	}
	switch kind {
	case Path:
		for _, path := range e.bases[id[strings.LastIndexByte(id, '/')+1:]] {
			if strings.HasSuffix(path, "/"+id) || strings.HasSuffix(id, "/"+path) {
				return true
			}
		}
	case Issue:
		n, err := strconv.Atoi(id[1:])
		return err == nil && n >= e.req.From && n <= e.req.To
	case Symbol, Ticket:
		e.fold()
		_, ok := e.folded[strings.ToLower(id)]
		return ok
	}
	return false
}

func (e *Evidence) contains(id string) bool {
	for _, text := range e.text {
		if strings.Contains(text, id) {
			return true
		}
	}
	return false
}

// fold makes the words of the evidence in small letters, so that GitHub is known where the source says github.
func (e *Evidence) fold() {
	if e.folded != nil {
		return
	}
	e.folded = map[string]struct{}{}
	for _, text := range e.text {
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), outsideName) {
			e.folded[strings.Trim(word, ".")] = struct{}{}
		}
	}
}

// outsideName says that a character is no part of a name in small letters.
func outsideName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '.'
}

// check is what prose is held against.
type check struct {
	evidence *Evidence
	redactor *Redactor
	template PromptTemplate
	budget   int
	count    func(string) int
}

// breaches finds everything that is wrong with prose, the gravest first.
func (c check) breaches(prose string) []Breach {
	var all []Breach
	lines := strings.Split(prose, "\n")
	all = append(all, c.missingHeadings(lines)...)
	if c.tooLong(prose) {
		all = append(all, Breach{"too_long", -1, fmt.Sprintf("it has %d tokens, more than %d", c.size(prose), c.budget*tooLong/10)})
	}
	section := ""
	headings := map[string]bool{}
	for _, h := range c.template.Headings {
		headings[h] = true
	}
	for i, line := range lines {
		if headings[line] {
			section = line
			continue
		}
		all = append(all, c.line(i, line, section)...)
	}
	return all
}

func (c check) missingHeadings(lines []string) []Breach {
	have := map[string]bool{}
	for _, line := range lines {
		have[line] = true
	}
	var all []Breach
	for _, h := range c.template.Headings {
		if !have[h] {
			all = append(all, Breach{"template", -1, fmt.Sprintf("the heading %q is missing", h)})
		}
	}
	return all
}

func (c check) size(prose string) int { return c.count(prose) - c.count(c.template.empty()) }

func (c check) tooLong(prose string) bool { return c.size(prose)*10 > c.budget*tooLong }

// line finds the breaches of one line.
func (c check) line(i int, line, section string) []Breach {
	var all []Breach
	if rule, is := c.redactor.Holds(line); is {
		all = append(all, Breach{"secret", i, "line " + fmt.Sprint(i+1) + " holds a secret (" + rule + ")"})
	}
	if isPlaceholder(line) {
		all = append(all, Breach{"placeholder", i, fmt.Sprintf("%q is a placeholder, not a summary", Clip(line, 80))})
	}
	for _, q := range quotations(line, section) {
		if !c.evidence.said(q) {
			all = append(all, Breach{"quotation", i, fmt.Sprintf("the user never said %q", Clip(q, 120))})
		}
	}
	Identifiers(line, func(id string, kind IdentifierKind) {
		if !strings.Contains(id, "REDACTED") && !c.evidence.Knows(id, kind) {
			all = append(all, Breach{"identifier", i, fmt.Sprintf("%q does not occur in the material", Clip(id, 120))})
		}
	})
	return all
}

// isPlaceholder recognises what stands where a summary should be: ctxpack's own words for cleared output, other
// compactors' excuses, and hints of the template that were copied.
func isPlaceholder(line string) bool {
	if strings.Contains(line, Cleared) {
		return true
	}
	lower := strings.ToLower(line)
	for _, words := range [...]string{
		"summary generation failed", "summary generation was unavailable", "failed to generate summary", "summary unavailable",
		"[summary]", "[insert ", "[your summary", "<summary here>", "lorem ipsum", "unable to generate a summary", "could not be summarized",
	} {
		if strings.Contains(lower, words) {
			return true
		}
	}
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "(") && len(line) > 20 && strings.Contains(defaultTemplate, "\n"+line+"\n")
}

// removable says whether the breaches can be mended by leaving out lines: those that have one are at most a tenth of the
// lines that say something, and none concerns the whole.
func removable(prose string, found []Breach) (lines map[int]bool, ok bool) {
	lines = map[int]bool{}
	for _, b := range found {
		if b.Line < 0 {
			return nil, false
		}
		lines[b.Line] = true
	}
	said := 0
	for line := range strings.SplitSeq(prose, "\n") {
		if line != "" && line != None && !isHeading(line) {
			said++
		}
	}
	return lines, len(lines)*10 <= said
}

// removeLines leaves lines out.
func removeLines(prose string, gone map[int]bool, t PromptTemplate) string {
	var kept []string
	for i, line := range strings.Split(prose, "\n") {
		if !gone[i] {
			kept = append(kept, line)
		}
	}
	return normalize(strings.Join(kept, "\n"), t)
}

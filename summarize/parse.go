package summarize

import (
	"strconv"
	"strings"
)

// Parsed is a summary read back. Of a foreign summary everything is in Preface and Sections.
type Parsed struct {
	From, To int // numbers of the messages it covers; -1 when it does not say
	Restated int // number of the message that was repeated after it; -1 for none

	Preface  string    // text before the first heading, without the coverage line
	Sections []Section // by heading, in order, without mechanical ones; "None." is ""

	System  []Quoted // later system texts, whole
	User    []Quoted // human messages, newest first
	LeftOut int      // how many human messages are not among them
	Ledger  []Entry
}

// Section gives the text under a heading, "" for none.
func (p Parsed) Section(heading string) string {
	for _, s := range p.Sections {
		if s.Heading == heading {
			return s.Text
		}
	}
	return ""
}

// Parse reads a summary's body, as Locate gives it. Any text is a summary: what is not understood is prose.
func Parse(body string) Parsed {
	p := Parsed{From: -1, To: -1, Restated: -1}
	first, rest, _ := strings.Cut(body, "\n")
	if p.readCoverage(strings.TrimSuffix(first, "\r")) {
		body = rest
	}
	r := reader{p: &p, at: -1}
	for line := range strings.SplitSeq(body, "\n") {
		r.line(line)
	}
	r.flush()
	return p
}

func (p *Parsed) readCoverage(line string) bool {
	line, ok := strings.CutPrefix(line, coverageStart)
	if !ok {
		return false
	}
	span, rest, ok := strings.Cut(line, coverageEnd)
	from, to, dash := strings.Cut(span, "–")
	a, err1 := strconv.Atoi(from)
	b, err2 := strconv.Atoi(to)
	if !ok || !dash || err1 != nil || err2 != nil {
		return false
	}
	p.From, p.To = a, b
	before, after, _ := strings.Cut(coverageRestated, "%d")
	if n, ok := strings.CutPrefix(rest, before); ok {
		if n, ok = strings.CutSuffix(n, after); ok {
			if number, err := strconv.Atoi(n); err == nil {
				p.Restated = number
			}
		}
	}
	return true
}

// reader collects the lines under one heading after the other.
type reader struct {
	p       *Parsed
	heading string
	lines   []string
	at      int  // -1 until the first heading
	fenced  bool // inside a code fence, where a line with # is no heading
}

func (r *reader) line(line string) {
	trimmed := strings.TrimRight(line, " \t\r")
	mechanical := trimmed == HeadingSystem || trimmed == HeadingUser || trimmed == HeadingLedger
	if mechanical || !r.fenced && isHeading(trimmed) {
		r.flush()
		r.heading, r.at, r.fenced = trimmed, r.at+1, false
		return
	}
	if strings.HasPrefix(trimmed, "```") {
		r.fenced = !r.fenced
	}
	r.lines = append(r.lines, line)
}

func isHeading(line string) bool {
	title, ok := strings.CutPrefix(line, "## ")
	if !ok {
		title, ok = strings.CutPrefix(line, "### ")
	}
	return ok && title != ""
}

func (r *reader) flush() {
	text := strings.Trim(strings.Join(r.lines, "\n"), "\r\n")
	if text == None {
		text = ""
	}
	switch {
	case r.at < 0:
		r.p.Preface = text
	case r.heading == HeadingSystem && r.readQuoted(&r.p.System):
	case r.heading == HeadingUser && r.readQuoted(&r.p.User):
	case r.heading == HeadingLedger && r.readLedger():
	default:
		r.p.Sections = append(r.p.Sections, Section{r.heading, text})
	}
	r.lines = nil
}

// readQuoted reads quotations. It says false when the lines are something else: then they are prose.
func (r *reader) readQuoted(into *[]Quoted) bool {
	var all []Quoted
	left := 0
	open := false
	var text []string
	end := func() {
		if open {
			all[len(all)-1].Text = strings.Join(text, "\n")
		}
		text, open = nil, false
	}
	for _, line := range r.lines {
		if quoted, ok := strings.CutPrefix(line, ">"); ok && open {
			text = append(text, strings.TrimPrefix(quoted, " "))
			continue
		}
		end()
		line = strings.TrimSpace(line)
		if line == "" || line == None {
			continue
		}
		if n, ok := numberBetween(line, quotedFrom, ":"); ok {
			all, open = append(all, Quoted{Number: n}), true
			continue
		}
		if n, ok := numberBetween(line, "", leftOutMany); ok {
			left = n
			continue
		}
		if line == leftOutOne {
			left = 1
			continue
		}
		return false
	}
	end()
	*into = append(*into, all...)
	r.p.LeftOut += left
	return true
}

// numberBetween reads the number that is all there is between prefix and suffix.
func numberBetween(line, prefix, suffix string) (int, bool) {
	rest, ok := strings.CutPrefix(line, prefix)
	if !ok {
		return 0, false
	}
	if rest, ok = strings.CutSuffix(rest, suffix); !ok {
		return 0, false
	}
	n, err := strconv.Atoi(rest)
	return n, err == nil && n >= 0
}

func (r *reader) readLedger() bool {
	entries, ok := parseLedger(r.lines)
	if ok {
		r.p.Ledger = append(r.p.Ledger, entries...)
	}
	return ok
}

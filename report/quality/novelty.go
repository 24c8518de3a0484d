package quality

import (
	"strconv"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

type noveltyScores struct {
	identifiers, numbers     Score
	newIdentifiers, newNumbs []string // sorted
}

// NovelIdentifiers is the share of the identifiers of the summary found nowhere in what the summariser saw: neither as an identifier nor as a
// piece of any text of M. An invented path costs an agent more than a missing one.
func NovelIdentifiers(p *Pair) Score { return noveltyOf(p).identifiers }

// NovelNumbers is the share of the numbers of three digits and more, versions and line numbers in the summary that are not
// in M. Message numbers that the frame of a summary adds do not count, nor do the counts that describe a cleared result.
func NovelNumbers(p *Pair) Score { return noveltyOf(p).numbers }

// Novel lists the identifiers and numbers that the summary invents, sorted.
func Novel(p *Pair) (identifiers, numbers []string) {
	n := noveltyOf(p)
	return n.newIdentifiers, n.newNumbs
}

func noveltyOf(p *Pair) noveltyScores {
	text := p.Summary
	if text == "" {
		return noveltyScores{}
	}
	w, numbers := newWanted(), map[string]bool{}
	w.add(plain(text), InS)
	eachNumber(withoutFrame(p, text), func(n string) { numbers[n] = false })
	for _, m := range p.Before {
		eachSource(m, func(text string) {
			w.look(text, InM)
			if len(numbers) > 0 {
				markNumbers(text, numbers)
			}
		})
	}
	var out noveltyScores
	for _, f := range w.sorted(func(f *finding) bool { return f.in&InM == 0 }) {
		if !standsIn(p.Before, f.id) && !framed(f.id) {
			out.newIdentifiers = append(out.newIdentifiers, f.id)
		}
	}
	for _, n := range sortedKeys(numbers) {
		if !numbers[n] && !standsIn(p.Before, n) {
			out.newNumbs = append(out.newNumbs, n)
		}
	}
	out.identifiers = share(len(out.newIdentifiers), len(w.ids))
	out.numbers = share(len(out.newNumbs), len(numbers))
	return out
}

// eachSource is eachText, the names of tools, and the arguments of calls as they are spelled: a summary may quote either
// form.
func eachSource(m *formats.Message, yield func(text string)) {
	eachText(m, yield)
	for _, c := range m.Calls() {
		yield(c.Name)
		yield(c.Arguments)
	}
}

// standsIn says whether a text of the messages holds s, in whatever surroundings.
func standsIn(messages []*formats.Message, s string) bool {
	found := false
	for _, m := range messages {
		eachSource(m, func(text string) {
			found = found || strings.Contains(text, s) || strings.Contains(plain(text), s)
		})
		if found {
			return true
		}
	}
	return false
}

// framed: texts that every summary or pruned result may hold.
func framed(id string) bool {
	return strings.Contains(summarize.Marker, id) || strings.Contains(summarize.Cleared, id)
}

// eachNumber yields the numbers of a text that carry information: three digits and more (thousands separators taken
// out), versions, and line numbers of any length (behind "line" or a colon that follows a file name).
func eachNumber(text string, yield func(string)) {
	summarize.Identifiers(text, func(id string, kind summarize.IdentifierKind) {
		if kind == summarize.Version {
			yield(id)
		}
	})
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (isDigit(text[i]) || separates(text, i)) {
			i++
		}
		if start > 0 && (inName(text, start-1) && text[start-1] != '-' || text[start-1] == '/') || i < len(text) && (text[i] == '_' || isLetter(text[i]) || text[i] == '.' && inName(text, i+1)) {
			continue // part of a name, a version or a fraction
		}
		n := strings.ReplaceAll(text[start:i], ",", "")
		if len(n) >= 3 || lineNumber(text[:start]) {
			yield(n)
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// separates: a comma between a digit and exactly three more.
func separates(text string, i int) bool {
	if text[i] != ',' || i+3 >= len(text) || !isDigit(text[i+1]) || !isDigit(text[i+2]) || !isDigit(text[i+3]) {
		return false
	}
	return i+4 >= len(text) || !isDigit(text[i+4])
}

// lineNumber: what stands before a number announces the number of a line.
func lineNumber(before string) bool {
	for _, word := range [...]string{"line ", "lines ", "Line ", "Lines "} {
		if strings.HasSuffix(before, word) {
			return true
		}
	}
	return len(before) > 1 && before[len(before)-1] == ':' && isLetter(before[len(before)-2]) && strings.Contains(before[max(0, len(before)-40):], ".")
}

// markNumbers marks the wanted numbers that a text holds, with or without thousands separators, as part of whatever.
func markNumbers(text string, numbers map[string]bool) {
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (isDigit(text[i]) || separates(text, i) || text[i] == '.' && i+1 < len(text) && isDigit(text[i+1])) {
			i++
		}
		run := text[start:i]
		if strings.IndexByte(run, ',') >= 0 {
			run = strings.ReplaceAll(run, ",", "")
		}
		mark(numbers, run)
		if strings.IndexByte(run, '.') >= 0 {
			for piece := range strings.SplitSeq(run, ".") {
				mark(numbers, piece)
			}
		}
	}
}

func mark(numbers map[string]bool, n string) {
	if known, wanted := numbers[n]; wanted && !known {
		numbers[n] = true
	}
}

// withoutFrame takes the message numbers of ctxpack's own summaries out of a text: the line that says what is covered,
// and numbers of messages in brackets.
func withoutFrame(p *Pair, text string) string {
	parsed := summarize.Parse(p.Summary)
	if parsed.From < 0 {
		return text
	}
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.Contains(first, strconv.Itoa(parsed.To)) {
		text = rest
	}
	most := max(parsed.To, len(p.Before))
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		if n, ok := strings.CutPrefix(line, "Message "); ok && strings.HasSuffix(strings.TrimSpace(n), ":") {
			continue
		}
		b.WriteString(withoutReferences(line, most))
	}
	return b.String()
}

// withoutReferences takes numbers up to most out of round and square brackets: (57), [12, 40].
func withoutReferences(line string, most int) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c == '(' || c == '[' {
			if end := strings.IndexAny(line[i+1:], ")]"); end > 0 && references(line[i+1:i+1+end], most) {
				i += end + 1
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

func references(inside string, most int) bool {
	for piece := range strings.FieldsFuncSeq(inside, func(r rune) bool { return r == ',' || r == ' ' || r == '–' || r == '-' }) {
		if n, err := strconv.Atoi(piece); err != nil || n > most {
			return false
		}
	}
	return true
}

package extractive

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxpack/ctxpack/summarize"
)

// line is one candidate.
type line struct {
	text   string // without the sign of a list item and without number
	number int    // the message it is from; -1 for none
	rank   float64
	exact  bool // names a file: only an equal line is a duplicate
}

func (l line) String() string {
	if l.number < 0 {
		return "- " + l.text
	}
	return "- " + l.text + " (" + strconv.Itoa(l.number) + ")"
}

// blobLeast is how long a line of encoded data is at least: PEM files have 64 characters in a line.
const blobLeast = 40

// isBlob says that the line is nothing but encoded data, such as a line from the body of a key: no use in a summary.
func (l line) isBlob() bool {
	if l.exact || len(l.text) < blobLeast {
		return false
	}
	var capital, small, figure bool
	for i := 0; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c >= 'A' && c <= 'Z':
			capital = true
		case c >= 'a' && c <= 'z':
			small = true
		case c >= '0' && c <= '9':
			figure = true
		case c != '+' && c != '/' && c != '=':
			return false
		}
	}
	return capital && small && figure
}

// section is a heading with its candidates.
type section struct {
	heading string
	lines   []line
	limit   int  // the most lines
	share   int  // lines per round
	ordered bool // lines are in the order in which they are to be read; otherwise they are read by message number
}

// maxLines bounds the candidates of one section.
const maxLines = 400

// lineMax is where lines are clipped, in bytes.
const lineMax = 320

type chosen struct {
	line
	place int
	cost  int
	text  string
}

// fill takes lines from the sections in turn, best first, near-duplicates left out, while they fit the budget, and
// writes the template.
func fill(sections []section, budget int, count func(string) int) map[string][]string {
	for i := range sections {
		s := &sections[i]
		if !s.ordered {
			slices.SortStableFunc(s.lines, func(a, b line) int { return cmp.Compare(b.rank, a.rank) })
		}
		s.lines = slices.DeleteFunc(s.lines[:min(len(s.lines), maxLines)], line.isBlob)
	}
	taken := make([][]chosen, len(sections))
	next := make([]int, len(sections))
	var seen duplicates
	left := budget
	for busy := true; busy; {
		busy = false
		for i, s := range sections {
			for range s.share {
				if len(taken[i]) >= s.limit || left <= 0 {
					break
				}
				c, ok := take(s, &next[i], &left, &seen, count)
				if !ok {
					break
				}
				taken[i] = append(taken[i], c)
				busy = true
			}
		}
	}
	return settle(sections, taken, budget, count)
}

// take finds the next candidate of s that is new and fits.
func take(s section, next *int, left *int, seen *duplicates, count func(string) int) (chosen, bool) {
	for *next < len(s.lines) {
		l := s.lines[*next]
		place := *next
		*next++
		l.text = summarize.Clip(l.text, lineMax)
		if l.text == "" {
			continue
		}
		bag := wordBag(l)
		if seen.has(s.heading, l, bag) {
			continue
		}
		text := l.String()
		if len(text)/16 > *left {
			continue
		}
		cost := count(text + "\n")
		if cost > *left {
			continue
		}
		*left -= cost
		seen.add(s.heading, l, bag)
		return chosen{l, place, cost, text}, true
	}
	return chosen{}, false
}

// settle writes the text and drops the last taken lines if counting it as a whole says that it is over the budget.
func settle(sections []section, taken [][]chosen, budget int, count func(string) int) map[string][]string {
	for {
		lines := map[string][]string{}
		total := 0
		longest := -1
		for i, s := range sections {
			list := slices.Clone(taken[i])
			slices.SortStableFunc(list, func(a, b chosen) int {
				if s.ordered {
					return cmp.Compare(a.place, b.place)
				}
				return cmp.Compare(a.number, b.number)
			})
			for _, c := range list {
				lines[s.heading] = append(lines[s.heading], c.text)
			}
			total += len(list)
			if len(list) > 0 && (longest < 0 || len(list) >= len(taken[longest])) {
				longest = i
			}
		}
		text := summarize.JoinSections(lines)
		if total == 0 || summarize.ProseTokens(text, count) <= budget {
			return lines
		}
		taken[longest] = taken[longest][:len(taken[longest])-1]
	}
}

// trimNumber takes the message number off a line of an earlier summary.
func trimNumber(text string) (string, int) {
	rest, ok := strings.CutSuffix(text, ")")
	i := strings.LastIndex(rest, " (")
	if !ok || i < 0 {
		return text, -1
	}
	n, err := strconv.Atoi(rest[i+2:])
	if err != nil || n < 0 {
		return text, -1
	}
	return rest[:i], n
}

package extractive

import (
	"strconv"
	"strings"

	"github.com/ctxpack/ctxpack/summarize"
)

// writes are the files that were changed, one line each.
func (m *material) writes() []line {
	type change struct {
		numbers []int
		failed  bool
		gone    string // verb of what took it away, "" while it is there
		at      int
	}
	changes := map[string]*change{}
	var order []string
	for i, a := range m.actions {
		for _, path := range a.Written {
			c, ok := changes[path]
			if !ok {
				c = &change{}
				changes[path] = c
				order = append(order, path)
			}
			c.failed = a.Failed
			c.at = i
			c.gone = gone(a, path)
			if n := len(c.numbers); n == 0 || c.numbers[n-1] != a.Number {
				c.numbers = append(c.numbers, a.Number)
			}
		}
	}
	var lines []line
	for _, path := range order {
		c := changes[path]
		if c.failed || c.gone != "" && (len(c.numbers) > 1 || !strings.Contains(path, ".")) {
			continue // written and removed again
		}
		text := "changed " + path
		if c.gone != "" {
			text = c.gone + path
		}
		if n := len(c.numbers); n > 1 {
			text += ", " + strconv.Itoa(n) + " times"
		}
		rank := 1.5 + 2*float64(c.at)/float64(len(m.actions)+1) + 0.4*float64(min(len(c.numbers), 5))
		if c.gone != "" {
			rank -= 1.5
		}
		lines = append(lines, line{text: text, number: c.numbers[len(c.numbers)-1], rank: rank, exact: true})
	}
	return lines
}

// gone says whether a took the file away: "removed ", "moved " or "".
func gone(a summarize.Action, path string) string {
	if a.Verb == summarize.Delete {
		return "removed "
	}
	i := strings.LastIndex(a.Command, path)
	if a.Verb != summarize.Run || i < 0 {
		return ""
	}
	before := a.Command[:i]
	before = before[strings.LastIndexAny(before, ";&|\n")+1:]
	before = strings.TrimPrefix(strings.TrimLeft(before, " \t("), "git ")
	if strings.HasPrefix(before, "rm ") {
		return "removed "
	}
	// The source of a move is gone, its destination is the last word.
	rest, _, _ := strings.Cut(a.Command[i+len(path):], "\n")
	if k := strings.IndexAny(rest, ";&|"); k >= 0 {
		rest = rest[:k]
	}
	if strings.HasPrefix(before, "mv ") && strings.TrimSpace(rest) != "" {
		return "moved "
	}
	return ""
}

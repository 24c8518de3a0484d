package extractive

import (
	"strconv"
	"strings"

	"github.com/ctxpack/ctxpack/summarize"
)

// commandMax is where a command is clipped in a line, in bytes.
const commandMax = 160

// deed is everything that was done to one target: the runs of one command, the writes of one file.
type deed struct {
	key      string
	last     summarize.Action // the newest
	numbers  []int
	failed   bool // the newest failed
	resolved bool // a later run, perhaps in the tail, did not
	at       int  // ordinal of the newest
}

// blockedAge is after how many actions, or two fifths of all, a failure that was not tried again is nobody's concern.
const blockedAge = 40

// doneAndBlocked turns actions into lines: what succeeded last, and what failed with no later success. Blocked lines of
// an earlier summary that were resolved since move to Done.
func (m *material) doneAndBlocked(merged map[string][]line) (done, blocked []line) {
	commands, order := m.runs()
	n := float64(len(m.actions) + 1)
	for _, key := range order {
		d := commands[key]
		recency := float64(d.at) / n
		text, failed := deedText(d)
		if text == "" {
			continue
		}
		l := line{text: text, number: d.last.Number, rank: 1 + 2*recency + 0.3*float64(min(len(d.numbers), 5))}
		if failed && !d.resolved {
			if len(m.actions)-d.at > max(blockedAge, len(m.actions)*2/5) || m.gone(d.last) {
				continue
			}
			l.rank += 2 * recency
			blocked = append(blocked, l)
		} else if !failed {
			done = append(done, l)
		}
	}
	done = append(done, m.writes()...)
	done = append(done, m.checked(merged)...)
	done = append(done, merged[summarize.HeadingDone]...)
	for _, l := range merged[summarize.HeadingBlocked] {
		if key := quotedKey(l.text); key != "" {
			if d, ok := commands[key]; ok {
				if !d.failed && len(done) > 0 {
					continue // it is among Done with its newest run
				}
				continue // it is among Blocked with its newest run
			}
			if m.succeedsLater(key) {
				done = append(done, l)
				continue
			}
		}
		blocked = append(blocked, l)
	}
	return done, blocked
}

// runs groups commands and calls of other tools by what they have in common.
func (m *material) runs() (map[string]*deed, []string) {
	deeds := map[string]*deed{}
	var order []string
	for i, a := range m.actions {
		key := m.keys[i]
		if key == "" || !a.Answered {
			continue
		}
		d, ok := deeds[key]
		if !ok {
			d = &deed{key: key}
			deeds[key] = d
			order = append(order, key)
		}
		d.last, d.at, d.failed = a, i, a.Failed
		d.numbers = append(d.numbers, a.Number)
	}
	for _, a := range m.later {
		if d, ok := deeds[deedKey(a)]; ok && a.Answered && !a.Failed {
			d.resolved = true
		}
	}
	return deeds, order
}

func (m *material) succeedsLater(key string) bool {
	for _, a := range m.later {
		if a.Answered && !a.Failed && deedKey(a) == key {
			return true
		}
	}
	return false
}

// gone says whether the failure concerns a program that was removed since: nobody will run it again.
func (m *material) gone(a summarize.Action) bool {
	for _, later := range [][]summarize.Action{m.actions, m.later} {
		for _, b := range later {
			if b.Number <= a.Number || b.Verb != summarize.Run || !strings.Contains(b.Command, "rm ") {
				continue
			}
			for _, path := range b.Written {
				if len(path) > 3 && strings.Contains(a.Command, path) {
					return true
				}
			}
		}
	}
	return false
}

// deedKey is what two calls that do the same have in common; "" for calls that only look.
func deedKey(a summarize.Action) string {
	switch a.Verb {
	case summarize.Run:
		if a.Command == "" || !summarize.WorthNoting(a.Command) || onlyWrites(a) {
			return ""
		}
		return "$ " + summarize.CommandKey(a.Command)
	case summarize.Other:
		return a.Tool + "(" + callArguments(a) + ")"
	}
	return ""
}

// onlyWrites: cat > file <<EOF, tee, sed -i: the file says it.
func onlyWrites(a summarize.Action) bool {
	return len(a.Written) > 0 && !a.Failed && summarize.CommandKey(stripWrites(a.Command)) == ""
}

// stripWrites leaves out the simple commands that only write files.
func stripWrites(command string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(command), "\n")
	for _, verb := range [...]string{"cat >", "cat <<", "tee ", "sed -i", "echo ", "printf ", "touch ", "mkdir ", "cp ", "mv ", "rm "} {
		rest := first
		if i := strings.LastIndex(rest, "&& "); i >= 0 && strings.HasPrefix(strings.TrimSpace(rest), "cd ") {
			rest = rest[i+3:]
		}
		if strings.HasPrefix(rest, verb) {
			return ""
		}
	}
	return command
}

// deedText writes a command or call with its outcome.
func deedText(d *deed) (text string, failed bool) {
	a := d.last
	times := ""
	if len(d.numbers) > 1 {
		times = ", " + strconv.Itoa(len(d.numbers)) + " times"
	}
	if a.Verb == summarize.Other {
		text = a.Tool + "(" + summarize.Clip(callArguments(a), commandMax) + ")"
	} else {
		text = "`" + shortCommand(a.Command) + "`"
	}
	switch {
	case d.failed && a.Error != "" && a.Exit != "":
		return text + " → exit " + a.Exit + times + ": " + summarize.Clip(a.Error, commandMax), true
	case d.failed && a.Error != "":
		return text + " → failed" + times + ": " + summarize.Clip(a.Error, commandMax), true
	case d.failed && a.Exit != "" && a.Exit != "0":
		return text + " → exit " + a.Exit + times, !harmless(a)
	case d.failed:
		return text + " → failed" + times, true
	}
	outcome := "ok"
	if a.Exit != "" {
		outcome = "exit " + a.Exit
	}
	if verdict := verdict(a.Output); verdict != "" {
		return text + " → " + outcome + times + ": " + verdict, false
	}
	return text + " → " + outcome + times, false
}

// harmless: a search or comparison that found nothing exits with 1.
func harmless(a summarize.Action) bool {
	return a.Exit == "1" && (strings.Contains(a.Command, "grep") || strings.Contains(a.Command, "diff") || strings.Contains(a.Command, "find ") || strings.Contains(a.Command, "test "))
}

// shortCommand is a command as one line: its first, without a change of folder before it.
func shortCommand(command string) string {
	first, _, more := strings.Cut(strings.TrimSpace(command), "\n")
	if strings.HasPrefix(first, "cd ") {
		if _, rest, ok := strings.Cut(first, "&& "); ok {
			first = rest
		}
	}
	first = strings.TrimSpace(first)
	if more && len(first) < commandMax {
		first += summarize.Ellipsis
	}
	return summarize.Clip(strings.ReplaceAll(first, "\t", " "), commandMax)
}

// callArguments writes the short arguments of a call.
func callArguments(a summarize.Action) string {
	var parts []string
	for _, arg := range a.Args {
		if arg.Value == "" || len(arg.Value) > 80 || strings.Contains(arg.Value, "\n") {
			continue
		}
		if arg.Key == "" {
			parts = append(parts, arg.Value)
			continue
		}
		parts = append(parts, arg.Key+"="+arg.Value)
	}
	return strings.Join(parts, ", ")
}

// verdict is the line of an output that sums it up: the result of tests or of a build, or the only short line.
func verdict(output string) string {
	output = strings.TrimSpace(output[max(0, len(output)-4096):])
	if output == "" {
		return ""
	}
	lines := strings.Split(output, "\n")
	for i := len(lines) - 1; i >= max(0, len(lines)-8); i-- {
		text := strings.TrimSpace(lines[i])
		small := strings.ToLower(text)
		if len(text) <= 160 && (strings.Contains(small, " passed") || strings.Contains(small, " failed") || strings.Contains(small, "tests in ") || strings.HasPrefix(text, "Ran ") ||
			small == "ok" || strings.HasPrefix(small, "ok ") || strings.HasPrefix(small, "successfully") || strings.Contains(small, "build succe") || strings.Contains(small, "compiled successfully")) {
			return strings.Trim(text, "= ")
		}
	}
	if len(lines) == 1 && len(lines[0]) <= 120 && !strings.HasPrefix(output, "{") && output != "(no output)" {
		return output
	}
	return ""
}

// writes are the files that were changed, one line each.
func (m *material) writes() []line {
	type change struct {
		numbers []int
		failed  bool
		removed bool
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
			c.removed = removes(a, path)
			if n := len(c.numbers); n == 0 || c.numbers[n-1] != a.Number {
				c.numbers = append(c.numbers, a.Number)
			}
		}
	}
	var lines []line
	for _, path := range order {
		c := changes[path]
		if c.failed || c.removed && len(c.numbers) > 1 || strings.HasSuffix(path, "/") || !strings.Contains(path, ".") && c.removed {
			continue // written and removed again
		}
		text := "changed " + path
		if c.removed {
			text = "removed " + path
		}
		if n := len(c.numbers); n > 1 {
			text += ", " + strconv.Itoa(n) + " times"
		}
		rank := 1.5 + 2*float64(c.at)/float64(len(m.actions)+1) + 0.4*float64(min(len(c.numbers), 5))
		if c.removed {
			rank -= 1.5
		}
		lines = append(lines, line{text: text, number: c.numbers[len(c.numbers)-1], rank: rank, exact: true})
	}
	return lines
}

func removes(a summarize.Action, path string) bool {
	if a.Verb == summarize.Delete {
		return true
	}
	i := strings.LastIndex(a.Command, path)
	if a.Verb != summarize.Run || i < 0 {
		return false
	}
	before := a.Command[:i]
	before = before[strings.LastIndexAny(before, ";&|\n")+1:]
	before = strings.TrimSpace(before)
	if strings.HasPrefix(before, "rm ") || strings.HasPrefix(before, "git rm ") {
		return true
	}
	// The source of a move is gone, its destination is the last word.
	rest, _, _ := strings.Cut(a.Command[i+len(path):], "\n")
	if k := strings.IndexAny(rest, ";&|"); k >= 0 {
		rest = rest[:k]
	}
	return (strings.HasPrefix(before, "mv ") || strings.HasPrefix(before, "git mv ")) && strings.TrimSpace(rest) != ""
}

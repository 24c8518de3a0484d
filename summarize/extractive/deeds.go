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
	writes := m.writes()
	done = append(append(done, writes...), m.checked()...)
	written := map[string]bool{}
	for _, l := range writes {
		written[changedPath(l.text)] = true
	}
	for _, l := range merged[summarize.HeadingDone] {
		if commands[quotedKey(l.text)] == nil && !written[changedPath(l.text)] { // else the newer line says it
			done = append(done, l)
		}
	}
	for _, l := range merged[summarize.HeadingBlocked] {
		switch key := quotedKey(l.text); {
		case commands[key] != nil: // its newest run is among the new lines
		case key != "" && m.succeedsLater(key):
			done = append(done, l)
		default:
			blocked = append(blocked, l)
		}
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
		if a.Command == "" || !a.Notable || onlyWrites(a) {
			return ""
		}
		return "$ " + a.Key
	case summarize.Other:
		return a.Tool + "(" + callArguments(a) + ")"
	}
	return ""
}

// onlyWrites: cat > file <<EOF, tee, sed -i: the file says it.
func onlyWrites(a summarize.Action) bool {
	return len(a.Written) > 0 && !a.Failed && (a.Key == "" || firstWrites(a.Command))
}

// firstWrites: the first line of a command, but for a change of folder, only writes files.
func firstWrites(command string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(command), "\n")
	for _, verb := range [...]string{"cat >", "cat <<", "tee ", "sed -i", "echo ", "printf ", "touch ", "mkdir ", "cp ", "mv ", "rm "} {
		rest := first
		if i := strings.LastIndex(rest, "&& "); i >= 0 && strings.HasPrefix(strings.TrimSpace(rest), "cd ") {
			rest = rest[i+3:]
		}
		if strings.HasPrefix(rest, verb) {
			return true
		}
	}
	return false
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

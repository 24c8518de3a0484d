package summarize

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// Entry is one line of the ledger: an exact string and the number of the message it was last seen in.
type Entry struct {
	Kind   EntryKind
	Value  string
	Number int
}

// EntryKind groups entries.
type EntryKind uint8

// The kinds, in the order in which they are written.
const (
	EntryWritten EntryKind = iota
	EntryRead
	EntryPath // named or listed, neither written nor read by a tool
	EntrySymbol
	EntryHash
	EntryIssue
	EntryURL
	EntryVersion
	EntryValue // key=value: arguments of tools that are not about files
	EntryCommand
	EntryError
	entryKinds
)

// entryTitles are the words a group begins with. Commands and errors stand on lines of their own.
var entryTitles = [entryKinds]string{"Written", "Read", "Paths", "Symbols", "Hashes", "Issues", "URLs", "Versions", "Values", "Commands", "Errors"}

// listed says that each entry of a kind has a line of its own, because its text may hold commas.
func (k EntryKind) listed() bool { return k >= EntryCommand }

// ledgerSection is the body of the section, at most budget tokens; "" when there is nothing or no room.
func ledgerSection(req Request, budget int) string {
	if budget <= 0 {
		return ""
	}
	return renderLedger(pickEntries(req.Ranked, req.Count, budget), req.Count, budget)
}

// maxCandidates bounds how many entries are tried against a budget.
const maxCandidates = 4000

// pickEntries takes entries in rank order while they fit. A group title and a number cost as well; neighbours with the
// same number share it.
func pickEntries(ranked []Entry, count func(string) int, budget int) []Entry {
	var picked []Entry
	used := 0
	misses := 0
	opened := [entryKinds]bool{}
	type group struct {
		kind   EntryKind
		number int
	}
	numbered := map[group]bool{}
	ofKind := [entryKinds]int{}
	for _, e := range ranked[:min(len(ranked), maxCandidates)] {
		if e.Number < 0 || len(e.Value)/16 > budget || ofKind[e.Kind] == mostOf(e.Kind) {
			continue
		}
		cost := count(" " + e.Value + ",")
		if !opened[e.Kind] {
			cost += 3
		}
		if g := (group{e.Kind, e.Number}); e.Kind.listed() {
			cost += 5
		} else if !numbered[g] {
			cost += 4
		}
		if used+cost > budget {
			if misses++; misses > 40 {
				break
			}
			continue
		}
		used += cost
		opened[e.Kind] = true
		ofKind[e.Kind]++
		numbered[group{e.Kind, e.Number}] = true
		picked = append(picked, e)
	}
	return picked
}

// renderLedger writes entries, dropping the last ranked until the text fits.
func renderLedger(picked []Entry, count func(string) int, budget int) string {
	for len(picked) > 0 {
		text := writeLedger(picked)
		n := count(text)
		if n <= budget {
			return text
		}
		picked = picked[:min(len(picked)-1, len(picked)*budget/n)]
	}
	return ""
}

// writeLedger writes entries by kind, newest first: "Read: a.go, b.go (57); c.go (12)".
func writeLedger(entries []Entry) string {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b Entry) int {
		if c := cmp.Compare(a.Kind, b.Kind); c != 0 {
			return c
		}
		return cmp.Compare(b.Number, a.Number)
	})
	var b strings.Builder
	for i := 0; i < len(sorted); {
		kind := sorted[i].Kind
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(entryTitles[kind] + ":")
		for first := true; i < len(sorted) && sorted[i].Kind == kind; i++ {
			switch {
			case kind.listed():
				b.WriteString("\n- ")
			case first:
				b.WriteByte(' ')
			case sorted[i].Number == sorted[i-1].Number:
				b.WriteString(", ")
			default:
				b.WriteString("; ")
			}
			first = false
			b.WriteString(sorted[i].Value)
			if kind.listed() || i+1 == len(sorted) || sorted[i+1].Kind != kind || sorted[i+1].Number != sorted[i].Number {
				b.WriteString(" (" + strconv.Itoa(sorted[i].Number) + ")")
			}
		}
	}
	return b.String()
}

// parseLedger reads writeLedger's text back. It says false when a line is something else.
func parseLedger(lines []string) ([]Entry, bool) {
	var entries []Entry
	listing := -1
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || line == None {
			continue
		}
		if item, ok := strings.CutPrefix(line, "- "); ok && listing >= 0 {
			value, number, ok := cutNumber(item)
			if !ok {
				return nil, false
			}
			entries = append(entries, Entry{EntryKind(listing), value, number})
			continue
		}
		kind, rest, ok := cutTitle(line)
		if !ok {
			return nil, false
		}
		listing = -1
		if kind.listed() {
			listing = int(kind)
			continue
		}
		for _, group := range splitGroups(rest) {
			values, number, ok := cutNumber(group)
			if !ok {
				return nil, false
			}
			for value := range strings.SplitSeq(values, ", ") {
				entries = append(entries, Entry{kind, value, number})
			}
		}
	}
	return entries, true
}

// splitGroups cuts at "); ", which ends a group.
func splitGroups(s string) []string {
	groups := strings.SplitAfter(s, "); ")
	for i := range groups {
		groups[i] = strings.TrimSuffix(groups[i], "; ")
	}
	return groups
}

func cutTitle(line string) (EntryKind, string, bool) {
	for k, title := range entryTitles {
		if rest, ok := strings.CutPrefix(line, title+":"); ok {
			return EntryKind(k), strings.TrimPrefix(rest, " "), true
		}
	}
	return 0, "", false
}

// cutNumber reads "text (57)".
func cutNumber(s string) (string, int, bool) {
	rest, ok := strings.CutSuffix(s, ")")
	i := strings.LastIndex(rest, " (")
	if !ok || i <= 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(rest[i+2:])
	return rest[:i], n, err == nil && n >= 0
}

// fitsLedger says whether a value can be written so that it is read back: one line, no separators.
func fitsLedger(kind EntryKind, value string) bool {
	most := pathMax
	if kind.listed() {
		most = maxListed
	}
	if value == "" || len(value) > most {
		return false
	}
	if identifierBytes(value) {
		return true
	}
	if value != strings.TrimSpace(value) || strings.ContainsAny(value, "\n\r") {
		return false
	}
	return kind.listed() || !strings.Contains(value, ", ") && !strings.Contains(value, "; ") && !strings.ContainsAny(value, "()")
}

// identifierBytes: nothing in value could be a separator, as in nearly all values.
func identifierBytes(value string) bool {
	for i := 0; i < len(value); i++ {
		if class[value[i]] == 0 {
			return false
		}
	}
	return true
}

// mostOf is how many entries of a kind there may be. The prose tells of commands and errors, too; versions, addresses and
// hashes come in dozens from one output.
func mostOf(kind EntryKind) int {
	switch kind {
	case EntryCommand, EntryError:
		return 5
	case EntryVersion:
		return 8
	case EntryHash, EntryURL:
		return 24
	}
	return maxCandidates
}

// maxListed is the longest command or error in the ledger, in bytes: they are exact or absent.
const maxListed = 160

// kindOf is the entry kind of an identifier that no tool call wrote or read.
func kindOf(kind IdentifierKind) EntryKind {
	return [kinds]EntryKind{EntryPath, EntrySymbol, EntryHash, EntryIssue, EntryIssue, EntryURL, EntryVersion}[kind]
}

// texts calls yield with everything a model reads in m, the inputs of calls aside, and what it is: 'u' what a person or
// system says, 'a' what the assistant says, 'o' a result.
func texts(m *formats.Message, yield func(what byte, text string)) {
	for _, part := range m.Parts {
		switch v := part.(type) {
		case *formats.Text:
			if m.Role == formats.RoleAssistant {
				yield('a', v.Text)
			} else {
				yield('u', v.Text)
			}
		case *formats.ToolResult:
			yield('o', v.Text)
		}
	}
}

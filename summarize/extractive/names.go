package extractive

import (
	"strings"

	"github.com/ctxpack/ctxpack/summarize"
)

// Bounds of the names: so many thirds of what the other lines leave of the budget, and half of the whole budget at most.
// Replayed on half of the public transcripts named in this package's tests with a tail of 8,000 tokens, and checked on
// the other half and on generated sessions: names raise the recall of identifiers that the agent uses next from 0.58–0.92
// to 0.93–0.99; a quarter of the budget gives 0.75–0.98, all that is left no more than 0.02 above this.
const (
	namesThirds = 2
	namesMost   = 2 // 1/2
)

// What the lines of names begin with.
const (
	namedFiles = "also named: "
	namedOther = "Also named: "
)

// addNames spends a part of what is left of the budget on exact names that stand nowhere else in the summary: those that
// rank highest in the ledger's order and that it had no room for.
func (m *material) addNames(lines map[string][]string) {
	text := summarize.JoinSections(lines)
	left := m.req.Budget - summarize.ProseTokens(text, m.req.Count)
	room := min(left*namesThirds/3, m.req.Budget/namesMost)
	paths, names := m.pickNames(room, text)
	for len(paths)+len(names) > 0 {
		n := m.req.Count(named(namedFiles, paths) + "\n" + named(namedOther, names))
		if n <= room {
			break
		}
		paths, names = paths[:len(paths)*room/n], names[:len(names)*room/n]
	}
	if len(paths) > 0 {
		lines[summarize.HeadingFiles] = append(lines[summarize.HeadingFiles], named(namedFiles, paths))
	}
	if len(names) > 0 {
		lines[summarize.HeadingCritical] = append(lines[summarize.HeadingCritical], named(namedOther, names))
	}
}

func named(title string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "- " + title + strings.Join(names, ", ")
}

// pickNames takes entries in rank order up to about room tokens: a token of identifiers has about four bytes.
func (m *material) pickNames(room int, text string) (paths, names []string) {
	known := map[string]bool{}
	note := func(id string, _ summarize.IdentifierKind) { known[id] = true }
	summarize.Identifiers(text, note)
	summarize.Identifiers(m.req.Mechanical, note)
	const bytesPerToken = 4
	for _, e := range m.req.Ranked {
		if e.Kind >= summarize.EntryValue || known[e.Value] {
			continue
		}
		if room -= len(e.Value)/bytesPerToken + 1; room < 0 {
			break
		}
		if e.Kind <= summarize.EntryPath {
			paths = append(paths, e.Value)
		} else {
			names = append(names, e.Value)
		}
	}
	return paths, names
}

// isNames recognises a line of names in an earlier summary: its names are ranked anew.
func isNames(text string) bool {
	return strings.HasPrefix(text, namedFiles) || strings.HasPrefix(text, namedOther)
}

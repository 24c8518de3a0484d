package extractive

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/summarize"
)

func byRank(lines []line) {
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(b.rank, a.rank) })
}

// critical are distinct error lines, settings, versions, and what the assistant found out: sentences with exact names or
// numbers.
func (m *material) critical(findings []line) []line {
	lines := append(m.errors(), m.facts()...)
	return append(lines, findings...)
}

// errors are distinct error lines of outputs, by frequency and recency.
func (m *material) errors() []line {
	index := map[string]int{}
	var lines []line
	n := float64(len(m.actions) + 1)
	newest := map[string]int{} // an error is stale once the same command ran again
	for i, key := range m.keys {
		newest[key] = i
	}
	for i, a := range m.actions {
		if key := m.keys[i]; !a.Failed || a.Error == "" || key != "" && newest[key] != i {
			continue
		}
		k, ok := index[a.Error]
		if !ok {
			k = len(lines)
			index[a.Error] = k
			lines = append(lines, line{text: a.Error, rank: 0.5})
		}
		lines[k].number = a.Number
		lines[k].rank += 0.4 + 0.8*float64(i)/n
	}
	return lines
}

// factMax is the longest line of an output that is taken for a setting or a version, in bytes.
const factMax = 100

// facts are the settings and versions that short outputs of commands state.
func (m *material) facts() []line {
	var lines []line
	n := float64(len(m.actions) + 1)
	for i, a := range m.actions {
		if a.Verb != summarize.Run || a.Failed || len(a.Output) > 400 {
			continue
		}
		for text := range strings.SplitSeq(a.Output, "\n") {
			text = strings.TrimSpace(text)
			if len(text) < 5 || len(text) > factMax || !setting(text) && !version(text) {
				continue
			}
			lines = append(lines, line{text: text, number: a.Number, rank: 1 + float64(i)/n})
		}
	}
	return lines
}

// setting: NAME=value with a name in capitals.
func setting(text string) bool {
	name, value, ok := strings.Cut(text, "=")
	if !ok || len(name) < 3 || value == "" || strings.HasPrefix(value, "=") {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// version: a short line with a version number in it.
func version(text string) bool {
	if text[0] == '>' {
		return false // the banner of a script runner
	}
	found := false
	summarize.Identifiers(text, func(_ string, kind summarize.IdentifierKind) { found = found || kind == summarize.Version })
	return found && len(strings.Fields(text)) <= 6
}

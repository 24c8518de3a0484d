package models

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// nearestInError is how many names an UnknownModelError suggests.
const nearestInError = 3

// UnknownModelError says that no model has a name, and which names come nearest.
type UnknownModelError struct {
	Name    string
	Nearest []string // known names, best first; may be empty
}

// Error names the model and its neighbours. Long names are cut.
func (e *UnknownModelError) Error() string {
	name := e.Name
	if len(name) > maxName {
		name = name[:maxName]
	}
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("unknown model %q", name)
	}
	return fmt.Sprintf("unknown model %q, the nearest known: %s", name, strings.Join(e.Nearest, ", "))
}

// Hint says what to do about it.
func (e *UnknownModelError) Hint() string {
	return "give its limit with --context-length N, or see the known names with: ctxpack models list"
}

// Nearest returns up to n names of models that a person may have meant by name, best
// first. It prefers few edits, a common beginning and common parts, of equals the later
// name, which is mostly the newer model. It returns fewer, or none, rather than names that
// have nothing in common with it.
func (t Table) Nearest(name string, n int) []string {
	if t.ix == nil || n <= 0 || len(name) > maxName {
		return nil
	}
	wanted := fold(bare(strings.ToLower(strings.TrimSpace(name))))
	if wanted == "" {
		return nil
	}
	type candidate struct {
		name  string
		score float64
	}
	var found []candidate
	for _, m := range t.ix.models {
		score, near := likeness(wanted, fold(m.Name))
		for _, alias := range m.Aliases {
			if s, ok := likeness(wanted, fold(alias)); ok {
				score, near = max(score, s), true
			}
		}
		if near {
			found = append(found, candidate{m.Name, score})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(b.name, a.name))
	})
	var names []string
	for _, c := range found[:min(n, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// likeness rates two folded names, higher is nearer, and says whether they are near at
// all: at least six tenths of the characters agree, or they begin with the same word
// of three letters or more.
func likeness(a, b string) (score float64, near bool) {
	longer := float64(max(utf8.RuneCountInString(a), utf8.RuneCountInString(b)))
	agree := 1 - float64(levenshtein.ComputeDistance(a, b))/longer
	prefix := 0
	for prefix < min(len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	wordsA, wordsB := strings.Split(a, "-"), strings.Split(b, "-")
	shared := 0
	for _, w := range wordsA {
		if slices.Contains(wordsB, w) {
			shared++
		}
	}
	score = agree + 0.3*float64(prefix)/longer + 0.3*float64(shared)/float64(max(len(wordsA), len(wordsB)))
	return score, agree >= 0.6 || wordsA[0] == wordsB[0] && len(wordsA[0]) >= 3
}

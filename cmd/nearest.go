package cmd

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// nearest is the candidate most like name, or "" when none is like it. Upper and lower case are the same; of equally
// near ones that with the same first letter wins, then the first. "Like" is an edit distance of at most 2, or a third of
// the name's length for longer names; or a candidate that the name is the beginning of.
func nearest(name string, candidates []string) string {
	const longest = 200 // a longer name is no slip of the fingers, and comparing costs its square
	if name == "" || len(name) > longest {
		return ""
	}
	name = strings.ToLower(name)
	best, bestRank := "", 2*max(2, len(name)/3)+1
	for _, candidate := range candidates {
		lower := strings.ToLower(candidate)
		if len(lower) > longest || lower == "" {
			continue
		}
		distance := levenshtein.ComputeDistance(name, lower)
		if distance >= len(lower) {
			continue // nothing of the candidate is left in the name
		}
		if distance > 1 && len(name) >= 3 && strings.HasPrefix(lower, name) {
			distance = 1
		}
		rank := 2 * distance
		if lower[0] != name[0] {
			rank++
		}
		if best == "" && rank <= bestRank || rank < bestRank {
			best, bestRank = candidate, rank
		}
	}
	return best
}

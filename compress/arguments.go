package compress

import (
	"fmt"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/formats"
)

// leafMark stands where the end of a string leaf was; the number is in characters.
const leafMark = "… [%d characters cut]"

// shortenArguments cuts the long string leaves of a call's arguments. The result is valid JSON with everything else
// spelled as it was, never longer than before, and stable when shortened again. Arguments that cannot be parsed stay.
func shortenArguments(json string) (string, bool) {
	out, ok := formats.MapStrings(json, shortenLeaf)
	return out, ok && len(out) < len(json)
}

func shortenLeaf(leaf string) (string, bool) {
	n := utf8.RuneCountInString(leaf)
	if n <= keepLeaf {
		return leaf, false
	}
	const room = keepLeaf - 40 // the mark takes at most that much
	kept := 0
	for i := range leaf {
		if kept == room {
			return leaf[:i] + fmt.Sprintf(leafMark, n-room), true
		}
		kept++
	}
	return leaf, false
}

package summarize

import (
	"strings"
	"unicode/utf8"
)

// Ellipsis marks where a line was clipped.
const Ellipsis = "…"

// Clip shortens a line to at most n bytes, at the end of a word where there is one near, marked with Ellipsis.
func Clip(line string, n int) string {
	if len(line) <= n {
		return line
	}
	cut := max(0, n-len(Ellipsis))
	for cut > 0 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	if space := strings.LastIndexByte(line[:cut], ' '); space > cut*2/3 {
		cut = space
	}
	return strings.TrimRight(line[:cut], " ,;:") + Ellipsis
}

package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// visible makes a text from a transcript or a file name safe to show on one line: control characters, escape sequences,
// line breaks, characters that reverse the direction of text, unassigned ones and invalid UTF-8 are spelled as escapes.
// Of combining marks at most two in a row are kept.
func visible(text string) string {
	var b strings.Builder
	marks := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[0])+0x100, 16)[1:])
		case marks > 2:
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}

// clip makes a text visible and at most width columns wide, as a terminal shows it: East Asian characters take two. What
// is cut off is replaced by an ellipsis.
func clip(text string, width int) string {
	const perColumn = 64 // bytes: no more of a long text is looked at
	long := len(text) > perColumn*(width+1)
	if long {
		end := perColumn * (width + 1)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	text = visible(text)
	if !long && uniseg.StringWidth(text) <= width {
		return text
	}
	var b strings.Builder
	used := 0
	for rest, state := text, -1; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width-1 {
			break
		}
		b.WriteString(cluster)
		used += w
	}
	return b.String() + "…"
}

// clipMiddle is clip for file names: the end tells them apart.
func clipMiddle(text string, width int) string {
	shown := visible(text)
	if uniseg.StringWidth(shown) <= width {
		return shown
	}
	head := clip(text, (width+1)/3)
	room := width - uniseg.StringWidth(head)
	var tail []string
	for rest, state := shown, -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		tail = append(tail, cluster)
	}
	from := len(tail)
	for from > 0 {
		w := uniseg.StringWidth(tail[from-1])
		if w > room {
			break
		}
		room -= w
		from--
	}
	return head + strings.Join(tail[from:], "")
}

// padded fills a visible text up to width columns.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(width-uniseg.StringWidth(text), 0))
}

// columns is how wide a visible text is.
func columns(text string) int { return uniseg.StringWidth(text) }

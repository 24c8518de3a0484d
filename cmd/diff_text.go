package cmd

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/ctxpack/ctxpack/report"
)

// diffText draws pairs of conversations. Texts come made visible; nothing in them can act on the terminal.
type diffText struct {
	width  int // columns
	beside bool
	all    bool
	colour bool
}

// Widths from which on two columns are worth having, and how many lines of a text are shown without --all.
const (
	besideColumns = 110
	textLines     = 8
	goneLines     = 3
	summaryLines  = 100
	diffTurns     = 60
	diffTextBytes = 1600
)

func newDiffText(width int, opts diffOptions, colour bool) diffText {
	width = min(max(width, 60), 240)
	return diffText{width: width, beside: opts.beside || !opts.unified && width >= besideColumns, all: opts.pick.all, colour: colour}
}

func (t diffText) limits() report.ExcerptLimits {
	if t.all {
		return report.ExcerptLimits{Unmasked: true}
	}
	return report.ExcerptLimits{Turns: diffTurns, Text: diffTextBytes, Kept: 200, Unmasked: true}
}

// style is a way to colour a line (ECMA-48 SGR).
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	blue   style = "34"
)

func (t diffText) paint(s style, text string) string {
	if !t.colour || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// diffHead is what stands above a conversation.
type diffHead struct {
	at, id                        string
	unchanged                     bool
	tokensBefore, tokensAfter     int
	messagesBefore, messagesAfter int
}

// draw is one conversation.
func (t diffText) draw(h diffHead, turns []report.Turn) string {
	var b strings.Builder
	title := printable(h.at)
	if h.id != "" {
		title += "  " + printable(h.id)
	}
	b.WriteString(t.paint(bold, clipColumns(title, t.width)) + "\n")
	change := 100 * (float64(h.tokensAfter)/float64(max(h.tokensBefore, 1)) - 1)
	figures := fmt.Sprintf("%s -> %s tokens (%+.1f %%), %d -> %d messages", thousands(h.tokensBefore), thousands(h.tokensAfter), change,
		h.messagesBefore, h.messagesAfter)
	if h.unchanged {
		figures = fmt.Sprintf("unchanged: %s tokens, %d messages", thousands(h.tokensBefore), h.messagesBefore)
	}
	b.WriteString(figures + "\n")
	for i := 0; i < len(turns); {
		end := i + 1
		switch {
		case turns[i].Fate == "kept" && !t.all:
			for end < len(turns) && turns[end].Fate == "kept" {
				end++
			}
			t.kept(&b, turns[i:end])
		case replaced(turns[i]):
			for end < len(turns) && replaced(turns[end]) {
				end++
			}
			t.replaced(&b, turns[i:end])
		default:
			t.turn(&b, turns[i])
		}
		i = end
	}
	b.WriteString("\n")
	return b.String()
}

// replaced says that a turn gave way to another, or came for others.
func replaced(turn report.Turn) bool {
	return turn.Fate == "summarized" || turn.Fate == "removed" || turn.Fate == "added"
}

// kept is a run of kept messages on one line.
func (t diffText) kept(b *strings.Builder, turns []report.Turn) {
	n := 0
	for _, turn := range turns {
		n += max(turn.Hidden, 1)
	}
	first := turns[0].Before
	text := fmt.Sprintf("  %d", first)
	if n > 1 {
		text = fmt.Sprintf("  %d-%d", first, first+n-1)
	}
	b.WriteString(t.paint(dim, text+" kept") + "\n")
}

// turn is one message that is kept, extended or pruned.
func (t diffText) turn(b *strings.Builder, turn report.Turn) {
	if turn.Hidden > 0 {
		b.WriteString(t.paint(dim, fmt.Sprintf("  ... %d more %s (--all shows them)", turn.Hidden, turn.Fate)) + "\n")
		return
	}
	b.WriteString(t.paint(blue, "~ "+t.title(turn)) + "\n")
	switch {
	case turn.New == nil:
		t.column(b, " ", plain, turn.Old, textLines)
	case turn.Fate == "extended": // its own text stands as it was
		t.column(b, "+", green, turn.New, summaryLines)
	case t.beside:
		t.columns(b, t.lines(turn.Old, t.half(), textLines), t.lines(turn.New, t.half(), textLines))
	default:
		t.column(b, "-", red, turn.Old, textLines)
		t.column(b, "+", green, turn.New, textLines)
	}
}

// title says which message it is.
func (t diffText) title(turn report.Turn) string {
	number := turn.Before
	if number < 0 {
		number = turn.After
	}
	return fmt.Sprintf("%d %s %s", number, turn.Role, turn.Fate)
}

// replaced shows what is gone, and what came for it.
func (t diffText) replaced(b *strings.Builder, turns []report.Turn) {
	var left, right []string
	for _, turn := range turns {
		side, width, most, sign := &left, t.half(), goneLines, "- "
		said := turn.Old
		if turn.Fate == "added" {
			side, most, sign, said = &right, summaryLines, "+ ", turn.New
		}
		if !t.beside {
			width = t.width - 2
		}
		if turn.Hidden > 0 {
			*side = append(*side, sign+fmt.Sprintf("... %d more %s (--all shows them)", turn.Hidden, turn.Fate))
			continue
		}
		*side = append(*side, sign+t.title(turn))
		for _, line := range t.lines(said, width, most) {
			*side = append(*side, sign+line)
		}
	}
	if t.beside {
		t.columns(b, left, right)
		return
	}
	for _, line := range left {
		b.WriteString(t.paint(red, clipColumns(line, t.width)) + "\n")
	}
	for _, line := range right {
		b.WriteString(t.paint(green, clipColumns(line, t.width)) + "\n")
	}
}

// half is the width of one of two columns.
func (t diffText) half() int { return (t.width-3)/2 - 2 }

// columns writes two columns of lines.
func (t diffText) columns(b *strings.Builder, left, right []string) {
	width := (t.width - 3) / 2
	for i := range max(len(left), len(right)) {
		l, r := "", ""
		if i < len(left) {
			l = clipColumns(left[i], width)
		}
		if i < len(right) {
			r = clipColumns(right[i], width)
		}
		fill := strings.Repeat(" ", max(width-uniseg.StringWidth(l), 0))
		line := t.paint(red, l) + fill + t.paint(dim, " │ ") + t.paint(green, r)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// column writes a text in one column, each line behind a sign.
func (t diffText) column(b *strings.Builder, sign string, s style, said *report.Said, most int) {
	for _, line := range t.lines(said, t.width-2, most) {
		b.WriteString(t.paint(s, sign+" "+line) + "\n")
	}
}

// lines breaks a text into lines of at most width columns, at most so many of them unless all are wanted.
func (t diffText) lines(said *report.Said, width, most int) []string {
	if said == nil {
		return nil
	}
	var list []string
	for line := range strings.SplitSeq(strings.ReplaceAll(said.Text, "\t", "    "), "\n") {
		list = append(list, wrapColumns(line, width)...)
	}
	if rest := len(list) - most; !t.all && rest > 1 {
		list = append(list[:most], fmt.Sprintf("... %d more lines", rest))
	}
	if said.More > 0 {
		list = append(list, fmt.Sprintf("... %s more bytes", thousands(said.More)))
	}
	return list
}

// total is the last line.
func (t diffText) total(shown, same, broken int) string {
	text := fmt.Sprintf("%d changed, %d unchanged", shown, same)
	if broken > 0 {
		text += fmt.Sprintf(", %d cannot be read", broken)
	}
	return t.paint(bold, text) + "\n"
}

// wrapColumns breaks a line into pieces of at most width columns, at spaces where that loses little.
func wrapColumns(line string, width int) []string {
	if uniseg.StringWidth(line) <= width {
		return []string{line}
	}
	var list []string
	start, used, space := 0, 0, -1 // space is the offset behind the last space of the piece
	for at, rest, state := 0, line, -1; rest != ""; {
		cluster, after, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width && at > start {
			end := at
			if space > start && uniseg.StringWidth(line[space:at]) < width/3 {
				end = space
			}
			list = append(list, strings.TrimRight(line[start:end], " "))
			start, space = end, -1
			used = uniseg.StringWidth(line[start:at])
		}
		used += w
		at += len(cluster)
		if cluster == " " {
			space = at
		}
		rest, state = after, next
	}
	return append(list, line[start:])
}

// clipColumns cuts a visible line to a width.
func clipColumns(line string, width int) string {
	if uniseg.StringWidth(line) <= width {
		return line
	}
	return fitColumns(line, width-1) + "…"
}

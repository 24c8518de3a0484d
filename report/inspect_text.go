package report

import (
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// WriteInspectionText writes the inspection for a terminal: a block for each file, lines of at most 80 columns.
func WriteInspectionText(w io.Writer, n *Inspection) error {
	var lines []string
	for i := range n.Files {
		lines = append(lines, inspectionLines(&n.Files[i], n.Tokenizer)...)
		lines = append(lines, "")
	}
	if n.Total != nil {
		total := *n.Total
		total.Name = plural(int64(len(n.Files)), "file")
		lines = append(lines, inspectionLines(&total, n.Tokenizer)...)
		lines = append(lines, "")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}

func inspectionLines(f *FileInspection, t Tokenizer) []string {
	lines := []string{clipMiddle(f.Name, textColumns)}
	add := func(label string, pieces ...string) {
		if line := row(label, pieces, textColumns); line != "" {
			lines = append(lines, "  "+line)
		}
	}
	add("container", containerPieces(f)...)
	lines = append(lines, dialectLines(f)...)
	add("records", recordPieces(f)...)
	for _, line := range wrapped("models", countPieces(f.Models, "(none named)", 6)) {
		lines = append(lines, "  "+line)
	}
	if f.Conversations > 0 {
		u := unitOf(f.Tokens)
		add("tokens", in(f.Tokens, u), "p50 "+short(f.Sizes.P50), "p95 "+short(f.Sizes.P95), "max "+short(f.Sizes.Max))
		add("counted", clip(t.Name, 40)+", "+exactness(t.Exact))
		lines = append(lines, barLines(f.Sizes)...)
		for _, line := range f.shareLines() {
			lines = append(lines, "  "+line)
		}
	}
	return append(lines, problemLines(f)...)
}

// shareLines are roles, tools, and what fits and fires.
func (f *FileInspection) shareLines() []string {
	var lines []string
	add := func(label string, pieces []string) { lines = append(lines, wrapped(label, pieces)...) }
	add("by role", rolePieces(f.Roles))
	add("role names", countPieces(f.RoleNames, "(none)", 10))
	add("by tool", resultPieces(f.Tools))
	add("fits", sharePieces(untilAll(f.Fits, f.Conversations), f.Conversations))
	if f.FiresOwn > 0 {
		add("compacts", []string{fmt.Sprintf("%s (%s) reach their threshold", grouped(f.FiresOwn), percent(f.FiresOwn, f.Conversations))})
	}
	add("fires from", sharePieces(f.Fires, f.Conversations))
	return lines
}

// inspectColumns is the width of a line behind its indentation.
const inspectColumns = textColumns - 2

// wrapped puts pieces behind a label on as many lines as they need.
func wrapped(label string, pieces []string) []string {
	var lines []string
	line := ""
	for _, p := range pieces {
		if line != "" && columns(line)+3+columns(p) > inspectColumns {
			lines = append(lines, line)
			line, label = "", ""
		}
		if line == "" {
			line = padded(label, labelWidth) + clip(p, inspectColumns-labelWidth)
			continue
		}
		line += "   " + p
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

func containerPieces(f *FileInspection) []string {
	var pieces []string
	if f.Container != "" {
		pieces = append(pieces, visible(f.Container))
	}
	if f.Compression != "" {
		pieces = append(pieces, visible(f.Compression))
	}
	text := strings.Join(pieces, ", ")
	if f.Why != "" && text != "" {
		text += ": " + visible(f.Why)
	}
	if text == "" {
		return nil
	}
	return []string{clip(text, inspectColumns-labelWidth)}
}

// dialectLines says which dialects there are, how often, and by which marker each was told.
func dialectLines(f *FileInspection) []string {
	var lines []string
	label := "dialect"
	for i, c := range f.Dialects.List {
		if i == 5 {
			lines = append(lines, fmt.Sprintf("  %-12s%d more", "", f.Dialects.Distinct-i))
			break
		}
		text := clip(c.Name, 20) + " " + grouped(c.Count)
		if c.Detail != "" {
			text += "   told by " + visible(c.Detail)
		}
		lines = append(lines, "  "+padded(label, labelWidth)+clip(text, inspectColumns-labelWidth))
		label = ""
	}
	return lines
}

func recordPieces(f *FileInspection) []string {
	pieces := []string{grouped(f.Records)}
	if f.Conversations > 0 || f.Records > 0 {
		pieces = append(pieces, plural(f.Conversations, "conversation"), plural(f.Messages, "message"))
	}
	if f.Bytes > 0 {
		pieces = append(pieces, sizeOf(f.Bytes))
	}
	return pieces
}

// sizeOf writes a number of bytes in decimal units.
func sizeOf(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return plural(n, "byte")
}

// countPieces lists the first names with their counts; none stands for the empty name.
func countPieces(c Counts, none string, most int) []string {
	if len(c.List) == 1 && c.List[0].Name == "" {
		return []string{none}
	}
	var pieces []string
	for i, one := range c.List {
		if i == most {
			pieces = append(pieces, fmt.Sprintf("%d more", c.Distinct-i))
			break
		}
		name := one.Name
		if name == "" {
			name = none
		}
		text := clip(name, 30) + " " + grouped(one.Count)
		if one.Detail == formats.RoleOther.String() {
			text += " (unknown)"
		}
		pieces = append(pieces, text)
	}
	return pieces
}

func rolePieces(r RoleTokens) []string {
	var pieces []string
	for _, role := range []struct {
		name   string
		tokens int64
	}{
		{"system", r.System}, {"user", r.User}, {"assistant", r.Assistant}, {"tool", r.Tool}, {"other", r.Other},
		{"tool definitions", r.Definitions},
	} {
		if role.tokens > 0 {
			pieces = append(pieces, role.name+" "+percent(role.tokens, r.Total()))
		}
	}
	return pieces
}

// resultPieces are the ten largest tools by their share of all results' tokens.
func resultPieces(t ToolResults) []string {
	all := t.Other.Tokens
	for _, one := range t.List {
		all += one.Tokens
	}
	var pieces []string
	for i, one := range t.List {
		if i == 10 {
			pieces = append(pieces, fmt.Sprintf("%d more", t.Distinct-i))
			break
		}
		pieces = append(pieces, fmt.Sprintf("%s %s (%s)", clip(toolName(one.Name), 30), percent(one.Tokens, all), grouped(one.Results)))
	}
	return pieces
}

// untilAll leaves out the windows above the first that everything fits.
func untilAll(list []Share, all int64) []Share {
	for i, s := range list {
		if s.Conversations == all {
			return list[:i+1]
		}
	}
	return list
}

func sharePieces(list []Share, all int64) []string {
	var pieces []string
	for _, s := range list {
		pieces = append(pieces, fmt.Sprintf("%s %s", windowName(s.Tokens), percent(s.Conversations, all)))
	}
	return pieces
}

// barLines draws the distribution: a line for every power of two between the smallest and the largest conversation.
// When that is more than 14, the ends are put together.
func barLines(d Distribution) []string {
	const barWidth, most = 44, 14
	var counts [64]int64
	first, last := 64, 0
	for _, b := range d.Buckets {
		k := bits.Len64(uint64(b.From)) // values of [2^(k-1), 2^k)
		counts[k] += b.Count
		first, last = min(first, k), max(last, k)
	}
	if last-first >= most {
		low := last - most + 1
		for k := first; k < low; k++ {
			counts[low] += counts[k]
		}
		first = low
	}
	largest := int64(1)
	for _, n := range counts[min(first, 63) : last+1] {
		largest = max(largest, n)
	}
	var lines []string
	for k := first; k <= last; k++ {
		bar := bar(float64(counts[k])/float64(largest), barWidth)
		lines = append(lines, strings.TrimRight(fmt.Sprintf("    %5s %s %s", "<"+octaveName(k), padded(bar, barWidth), grouped(counts[k])), " "))
	}
	return lines
}

// octaveName is 2^k as people write it: 512, 4Ki, 1Mi.
func octaveName(k int) string {
	switch {
	case k >= 20:
		return fmt.Sprintf("%dMi", int64(1)<<(k-20))
	case k >= 10:
		return fmt.Sprintf("%dKi", int64(1)<<(k-10))
	}
	return fmt.Sprint(int64(1) << k)
}

// bar draws a share of width columns in eighths of a column. Anything above zero shows.
func bar(share float64, width int) string {
	eighths := int(share*float64(width)*8 + 0.5)
	if share > 0 {
		eighths = max(eighths, 1)
	}
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// problemLines lists the problems, each with an example below it.
func problemLines(f *FileInspection) []string {
	var lines []string
	list := f.Problems
	label := "problems"
	for i, p := range list {
		if i == 10 {
			lines = append(lines, fmt.Sprintf("  %-12s%s", "", plural(int64(len(list)-i), "more kind")))
			break
		}
		text := clip(strings.ReplaceAll(p.Code, "_", " "), 30) + " in " + plural(p.Records, "record")
		if p.Count != p.Records {
			text += ", " + plural(p.Count, "time")
		}
		lines = append(lines, "  "+padded(label, labelWidth)+text)
		example := p.Example.within(f.Name) + ": " + p.Example.Message
		lines = append(lines, fmt.Sprintf("  %-12s  %s", "", clip(example, inspectColumns-labelWidth-2)))
		label = ""
	}
	return lines
}

// within is the address of the example for a reader who knows which file is meant.
func (e Example) within(file string) string {
	switch {
	case e.File != file || e.Place != "":
		return clipMiddle(e.address(), 36)
	case e.Line > 0 && e.Column > 0:
		return fmt.Sprintf("line %d, column %d", e.Line, e.Column)
	case e.Line > 0:
		return fmt.Sprintf("line %d", e.Line)
	}
	return fmt.Sprintf("record %d", e.Index)
}

package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Screen is what a text is drawn for.
type Screen struct {
	Columns int  // 0 is 80; taken as at least 60 and at most 120
	ASCII   bool // nothing but ASCII: what is not becomes ? (or ~ where a text was cut)
}

// Bounds of a screen's width.
const (
	minColumns = 60
	maxColumns = 120
	barColumns = 100 // from here on there is room for bars
)

func (s Screen) width() int {
	if s.Columns == 0 {
		return textColumns
	}
	return min(max(s.Columns, minColumns), maxColumns)
}

// WriteText writes the terminal summary for this screen: at most 24 lines.
func (s Screen) WriteText(w io.Writer, r *Report) error {
	_, err := io.WriteString(w, strings.Join(s.Lines(r), "\n")+"\n")
	return err
}

// Text spells a visible text for this screen.
func (s Screen) Text(text string) string {
	if !s.ASCII {
		return text
	}
	return ASCII(text)
}

// ASCII replaces every character that is not ASCII by as many question marks as it is wide, and the ellipsis of a text
// that was cut by ~. What it gives is as wide as the text.
func ASCII(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text
	}
	spelled := map[string]string{"…": "~", "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "#", "▍": ":", "▎": ":", "▏": ":", "─": "-", "│": "|", "·": "-", "→": ">", "−": "-"}
	var b strings.Builder
	for rest, state := text, -1; rest != ""; {
		var cluster string
		var width int
		cluster, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		switch known, ok := spelled[cluster]; {
		case ok:
			b.WriteString(known)
		case len(cluster) == 1:
			b.WriteString(cluster)
		default:
			b.WriteString(strings.Repeat("?", width))
		}
	}
	return b.String()
}

// FileLines is a line for every input, at most limit of them (0: all): those with trouble first, then the largest, in
// the order of the inputs. Nothing for a single input.
func (s Screen) FileLines(r *Report, limit int) []string {
	inputs := r.Header.Inputs
	if len(inputs) < 2 {
		return nil
	}
	shown := pickFiles(inputs, limit)
	var lines []string
	widest := 0
	for i, in := range inputs {
		if shown[i] {
			widest = max(widest, columns(in.rest()))
		}
	}
	for i, in := range inputs {
		if shown[i] {
			lines = append(lines, s.fileLine(in, widest))
		}
	}
	if rest := len(inputs) - len(lines); rest > 0 {
		lines = append(lines, fmt.Sprintf("and %s: in the report, under header.inputs", plural(int64(rest), "more file")))
	}
	return lines
}

// pickFiles chooses the inputs to show.
func pickFiles(inputs []Input, limit int) map[int]bool {
	shown := map[int]bool{}
	if limit <= 0 || len(inputs) <= limit {
		for i := range inputs {
			shown[i] = true
		}
		return shown
	}
	list := top[int]{n: limit, before: func(a, b *int) bool {
		x, y := inputs[*a].weight(), inputs[*b].weight()
		return x[0] > y[0] || x[0] == y[0] && x[1] > y[1]
	}}
	for i := range inputs {
		list.add(i)
	}
	for _, i := range list.list {
		shown[i] = true
	}
	return shown
}

// weight orders inputs by how much there is to say about them.
func (in Input) weight() [2]int64 {
	if in.Totals == nil {
		return [2]int64{}
	}
	return [2]int64{min(in.Totals.Rejected+in.Totals.Failed, 1), in.Totals.TokensBefore}
}

// rest is what a line says of an input behind its tokens.
func (in Input) rest() string {
	t := in.totals()
	rest := []string{fmt.Sprintf("%s of %s", grouped(t.Compacted), grouped(t.Conversations))}
	for _, n := range []struct {
		count int64
		word  string
	}{{t.Rejected, "rejected"}, {t.Failed, "failed"}, {t.OverLimit, "over"}} {
		if n.count > 0 {
			rest = append(rest, grouped(n.count)+" "+n.word)
		}
	}
	return strings.Join(rest, ", ")
}

func (in Input) totals() FileTotals {
	if in.Totals == nil {
		return FileTotals{}
	}
	return *in.Totals
}

// fileLine is one input on one line. widest is how many columns the rest of such lines take.
func (s Screen) fileLine(in Input, widest int) string {
	t := in.totals()
	u := unitOf(max(t.TokensBefore, t.TokensAfter))
	figures := fmt.Sprintf("%8s -> %8s  %8s", in64(t.TokensBefore, u), in64(t.TokensAfter, u), change(t.TokensBefore, t.TokensAfter))
	name := max(s.width()-columns(figures)-4-widest, 18)
	line := padded(clipMiddle(in.Name, name), name) + "  " + figures + "  " + in.rest()
	return s.Text(clip(line, s.width()))
}

// in64 writes a total without the space before its unit's letter.
func in64(n int64, u unit) string { return strings.ReplaceAll(in(n, u), " ", "") }

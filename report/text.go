package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
)

// Bounds of the terminal summary.
const (
	textColumns = 80
	textLines   = 24
	labelWidth  = 12
)

// WriteText writes the terminal summary: at most 24 lines of at most 80 columns.
func WriteText(w io.Writer, r *Report) error {
	return Screen{}.WriteText(w, r)
}

// Lines is the terminal summary, line by line. Texts from files are made printable; nothing in it is coloured.
func Lines(r *Report) []string { return Screen{}.Lines(r) }

// Lines is the terminal summary for this screen, line by line.
func (s Screen) Lines(r *Report) []string {
	width := s.width()
	lines := []string{headLine(r, width)}
	add := func(label string, pieces ...string) {
		if line := row(label, pieces, width); line != "" {
			lines = append(lines, line)
		}
	}
	add("limit", limitPieces(r, width-labelWidth-2)...)
	add("counted", countedPieces(r)...)
	add("tokens", tokenPieces(r, width)...)
	add(fitLabel(r), fitPieces(r)...)
	lines = append(lines, statusLines(r, width)...)
	add("saved by", savedPieces(r)...)
	add("top tools", toolPieces(r)...)
	add("roles", unknownRolePieces(r)...)
	add("summaries", summaryPieces(r)...)
	lines = append(lines, failureLines(r, width)...)
	add("again", rerunPieces(r, width)...)
	add("time", timePieces(r)...)
	lines = lines[:min(len(lines), textLines)]
	for i := range lines {
		lines[i] = s.Text(lines[i])
	}
	return lines
}

// Line is the whole report in one line of at most 80 columns, for quiet runs and for one line per file.
func Line(r *Report) string {
	u := unitOf(max(r.Tokens.Before, r.Tokens.After))
	tokens := fmt.Sprintf("%s -> %s (%s)", in(r.Tokens.Before, u), in(r.Tokens.After, u), change(r.Tokens.Before, r.Tokens.After))
	done := fmt.Sprintf("%s/%s compacted", grouped(r.Summary.Compressed), grouped(r.Summary.Total))
	var trouble []string
	for _, n := range []struct {
		count int64
		word  string
	}{
		{r.Records.Of(compress.Rejected).Records, "rejected"},
		{r.Records.Of(compress.Failed).Records, "failed"},
		{r.Records.OverLimit, "over"},
	} {
		if n.count > 0 {
			trouble = append(trouble, grouped(n.count)+" "+n.word)
		}
	}
	line := strings.Join(append([]string{tokens, done}, trouble...), "  ")
	if columns(line) > textColumns {
		line = strings.Join(append([]string{tokens}, trouble...), "  ")
	}
	return clip(line, textColumns)
}

// row joins pieces behind a label; those at the end that do not fit are left out. Nothing without pieces.
func row(label string, pieces []string, width int) string {
	if len(pieces) == 0 {
		return ""
	}
	label = padded(label, labelWidth)
	for n := len(pieces); n > 1; n-- {
		for _, gap := range []string{"   ", "  "} {
			if line := label + strings.Join(pieces[:n], gap); columns(line) <= width {
				return line
			}
		}
	}
	return label + clip(pieces[0], width-labelWidth)
}

func headLine(r *Report, width int) string {
	conversations := plural(r.Records.Total-r.Records.NoConversation, "conversation")
	if r.Records.NoConversation > 0 {
		conversations = plural(r.Records.Total, "record")
	}
	pieces := []string{clip(r.Header.Tool+" "+r.Header.Version, 24)}
	if n := int64(len(r.Header.Inputs)); n > 0 {
		pieces = append(pieces, plural(n, "file"))
	}
	pieces = append(pieces, conversations)
	rest := width - columns(strings.Join(pieces, "   ")) - 3
	if target := targetText(r.Header.Target); target != "" && rest > 16 {
		if short, _, more := strings.Cut(target, ", threshold "); more && columns("target "+target) > rest {
			target = short // half a number says nothing; the threshold is in the report
		}
		pieces = append(pieces, clip("target "+target, rest))
	}
	return clip(strings.Join(pieces, "   "), width)
}

// targetText says in a few words what the conversations were to fit.
func targetText(t Target) string {
	var parts []string
	switch {
	case t.Model != "" && t.ContextLength > 0 && t.Window == 0:
		parts = append(parts, fmt.Sprintf("%s %s", clip(t.Model, 24), grouped(int64(t.ContextLength))))
	case t.Model != "":
		parts = append(parts, clip(t.Model, 24))
	case t.ContextLength > 0 && t.Window == 0:
		parts = append(parts, grouped(int64(t.ContextLength)))
	case t.Window == 0:
		parts = append(parts, "each record's model")
	}
	switch {
	case t.Window > 0:
		parts = append(parts, "fit "+grouped(int64(t.Window)))
	case t.Threshold > 0:
		parts = append(parts, "threshold "+grouped(int64(t.Threshold)))
	}
	return strings.Join(parts, ", ")
}

// limitPieces says where context lengths come from.
func limitPieces(r *Report, room int) []string {
	t := r.Header.Target
	if t.ContextLength > 0 {
		return []string{withSource(t.Model, t.ContextLength, t.Source, room)}
	}
	var pieces []string
	for i, m := range r.Models.List {
		if i == 2 {
			pieces = append(pieces, fmt.Sprintf("%d more", r.Models.Distinct-i))
			break
		}
		if len(r.Models.List) > 1 {
			room = min(room, (room-10)/2)
		}
		pieces = append(pieces, withSource(m.Model, m.ContextLength, m.Source, room))
	}
	return pieces
}

func withSource(model string, length int, source string, width int) string {
	text := grouped(int64(length))
	if model != "" {
		text = clip(model, 24) + " " + text
	}
	if source != "" {
		text += " (" + visible(source) + ")"
	}
	return clip(text, width)
}

func countedPieces(r *Report) []string {
	var pieces []string
	if r.Header.Tokenizer.Name != "" {
		pieces = append(pieces, clip(r.Header.Tokenizer.Name, 36)+", "+exactness(r.Header.Tokenizer.Exact))
	}
	if r.Header.ContextEngine != nil {
		return append(pieces, "engine "+clip(r.Header.ContextEngine.String(), 24))
	}
	if r.Header.Summarizer != "" {
		pieces = append(pieces, "summarizer "+clip(r.Header.Summarizer, 20))
	}
	return pieces
}

func exactness(exact bool) string {
	if exact {
		return "exact"
	}
	return "approx"
}

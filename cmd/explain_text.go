package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/ctxpack/ctxpack/report/quality"
)

// explainText draws an explanation for a terminal. Texts of transcripts are made printable and stand on one line each.
type explainText struct {
	b     strings.Builder
	width int  // columns
	all   bool // list everything
}

// Without --all, how many of a kind are listed.
const explainFirst = 12

func (t *explainText) line(format string, args ...any) { fmt.Fprintf(&t.b, format+"\n", args...) }

func (t *explainText) draw(e *explanation) string {
	t.head(e)
	if !e.Unchanged {
		t.fates(e)
	}
	t.measures(e)
	if !e.Unchanged {
		t.losses(e)
	}
	return t.b.String()
}

func (t *explainText) head(e *explanation) {
	id := ""
	if e.ID != "" {
		id = "   id " + t.clip(printable(e.ID), 40)
	}
	t.line("%s%s", printable(e.Before.String()), id)
	if e.Unchanged {
		t.line("unchanged: %s tokens (%s), %d messages", thousands(e.TokensBefore), e.Tokenizer, len(e.Messages))
		return
	}
	change := 100 * (float64(e.TokensAfter)/float64(max(e.TokensBefore, 1)) - 1)
	t.line("tokens      %s -> %s   %+.1f %%   (%s)", thousands(e.TokensBefore), thousands(e.TokensAfter), change, e.Tokenizer)
	t.line("messages    %d -> %d", len(e.pair.Before), len(e.pair.After))
}

// String is "file:line", or "file[index]".
func (p place) String() string {
	if p.Place != "" {
		return p.Place
	}
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s[%d]", p.File, p.Index)
}

// fates says which messages had which fate, as ranges of numbers.
func (t *explainText) fates(e *explanation) {
	for _, f := range []quality.Fate{quality.Kept, quality.Extended, quality.Pruned, quality.Summarized, quality.Removed} {
		if n := e.counts[f]; n > 0 {
			t.line("  %-10s %5d   %s", f, n, t.clip(ranges(e.pair.Fates, f), t.width-21))
		}
	}
	switch {
	case e.pair.SummaryAt < 0:
		t.line("  no summary")
	case e.pair.Marked:
		t.line("  the summary stands in message %d of the output", e.pair.SummaryAt)
	default:
		t.line("  no marked summary; what was added from message %d of the output on is taken for one", e.pair.SummaryAt)
	}
}

// ranges lists the messages of a fate: "0-3, 141, 150-162".
func ranges(fates []quality.Fate, want quality.Fate) string {
	var list []string
	for i := 0; i < len(fates); i++ {
		if fates[i] != want {
			continue
		}
		from := i
		for i+1 < len(fates) && fates[i+1] == want {
			i++
		}
		if from == i {
			list = append(list, strconv.Itoa(from))
		} else {
			list = append(list, fmt.Sprintf("%d-%d", from, i))
		}
	}
	return strings.Join(list, ", ")
}

// measures are the invariants that were broken and the metrics of the row.
func (t *explainText) measures(e *explanation) {
	for _, breach := range e.Breaches {
		t.line("broken      %s", t.clip(printable(breach.String()), t.width-12))
	}
	if len(e.Metrics) == 0 {
		return
	}
	t.line("quality")
	for _, m := range quality.Metrics() {
		if v, ok := e.Metrics[m.Name]; ok {
			t.line("  %-22s %8.3f", m.Name, v)
		}
	}
}

// losses lists what is gone.
func (t *explainText) losses(e *explanation) {
	l := e.Losses
	t.line("\ngone from the replaced messages")
	t.line("  %s of %s identifiers, %d of %d quotations, %d of %d lines of people",
		thousands(len(l.Identifiers)), thousands(l.IdentifiersIn), len(l.Quotations), l.QuotationsIn, len(l.Lines), l.LinesIn)
	for _, kind := range []string{"path", "url", "ticket", "issue", "hash", "symbol"} {
		var list []quality.Loss
		for _, loss := range l.Identifiers {
			if loss.Kind == kind {
				list = append(list, loss)
			}
		}
		// What was used most is worth most; then what was used last.
		slices.SortStableFunc(list, func(a, b quality.Loss) int { return cmp.Compare(b.Uses, a.Uses) })
		t.list(plural(kind), list, true)
	}
	t.list("quotations", l.Quotations, false)
	t.list("lines of people", l.Lines, false)
}

func plural(kind string) string {
	if kind == "hash" {
		return "hashes"
	}
	return kind + "s"
}

func (t *explainText) list(title string, losses []quality.Loss, uses bool) {
	if len(losses) == 0 {
		return
	}
	t.line("\n%s gone (message, text%s)", title, map[bool]string{true: ", uses"}[uses])
	for i, loss := range losses {
		if i == explainFirst && !t.all {
			t.line("         %d more; --all lists them", len(losses)-i)
			return
		}
		text := printable(loss.Text)
		if !t.all {
			text = t.clip(text, t.width-17)
		}
		if uses && loss.Uses > 1 {
			t.line("%7d  %s  x%d", loss.Message, text, loss.Uses)
		} else {
			t.line("%7d  %s", loss.Message, text)
		}
	}
}

// clip cuts a printable text to a width in columns.
func (t *explainText) clip(text string, width int) string {
	width = max(width, 20)
	if uniseg.StringWidth(text) <= width {
		return text
	}
	return fitColumns(text, width-1) + "…"
}

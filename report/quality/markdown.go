package quality

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the report as Markdown, as a job's summary shows it. show makes texts of transcripts printable;
// here they are made plain text as well.
func WriteMarkdown(w io.Writer, r Report, show func(string) string) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	cell := func(text string) string { return escapeMarkdown(show(text)) }
	line("# ctxpack eval: %s\n", r.Verdict)
	c := r.Rows
	line("%d rows of %d conversations, %d compacted, %d unchanged, %d errors, %d break an invariant.\n",
		c.Measured, c.Conversations, c.Fired, c.NotFired, c.Errors, c.Breached)
	if len(r.Metrics) > 0 {
		head, rule, deltas := "| metric | mean | 95 % | worst | rows |", "|---|---:|---|---:|---:|", map[string]Comparison{}
		if r.Regression != nil {
			head, rule = head+" baseline | difference |", rule+"---:|---|"
			for _, d := range r.Regression.Metrics {
				deltas[d.Metric] = d
			}
		}
		line("%s\n%s", head, rule)
		for _, m := range r.Metrics {
			text := fmt.Sprintf("| %s | %.4f | %.4f – %.4f | %.4f | %d |", m.Metric, m.Mean, m.Low, m.High, m.Worst, m.Rows)
			if d, ok := deltas[m.Metric]; ok {
				text += fmt.Sprintf(" %.4f | %s |", d.Base, difference(d))
			} else if r.Regression != nil {
				text += " | |"
			}
			line("%s", text)
		}
	}
	markdownChecks(line, cell, r)
	if len(r.Worst) > 0 {
		line("\n## Worst rows\n\n| row | what |\n|---|---|")
	}
	for _, w := range r.Worst {
		line("| %s | %s |", cell(w.Label()), cell(strings.TrimSpace(why(w))))
	}
	o := r.Origin
	line("\n%s %s, %s, tokens by %s, settings `%.12s`, data `%.12s`.", escapeMarkdown(o.Tool), escapeMarkdown(o.Version), o.Mode,
		escapeMarkdown(o.Tokenizer), o.SettingsSHA256, o.DataSHA256)
	_, err := io.WriteString(w, b.String())
	return err
}

func difference(d Comparison) string {
	text := fmt.Sprintf("%+.4f (%+.4f, %+.4f)", d.Delta, d.Low, d.High)
	if d.Fail {
		text = "**" + text + ", worse**"
	}
	return text
}

func markdownChecks(line func(string, ...any), cell func(string) string, r Report) {
	if len(r.Gates)+len(r.Invariants) > 0 {
		line("\n## Gates\n")
	}
	for _, i := range r.Invariants {
		mark := "**broken**"
		if i.Ignored {
			mark = "ignored"
		}
		line("- %s %s in %d rows, such as %s", mark, i.Code, i.Rows, cell(i.Example))
	}
	for _, g := range r.Gates {
		line("- %s %s", map[bool]string{true: "ok", false: "**failed**"}[g.Pass], cell(g.String()))
	}
	if reg := r.Regression; reg != nil {
		line("\n## Baseline\n\n%s: %d pairs, %d unmatched.", reg.Verdict, reg.Pairs, reg.Unmatched+reg.UnmatchedInOther)
		if len(reg.Stale) > 0 {
			line("The baseline differs in: %s.", strings.Join(reg.Stale, ", "))
		}
	}
	if a := r.Against; a != nil {
		line("\n## Against %s\n\n| metric | that | this | difference |\n|---|---:|---:|---|", cell(a.Settings))
		for _, d := range a.Comparison.Metrics {
			line("| %s | %.4f | %.4f | %s |", d.Metric, d.Base, d.New, difference(d))
		}
	}
}

// escapeMarkdown makes a text stand for itself in a cell or list item.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '\\', '`', '*', '_', '{', '}', '[', ']', '#', '|', '~', '!', '@':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

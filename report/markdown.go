package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the report as a Markdown document (CommonMark with tables). Texts from files stand in it as text
// only, whatever they hold.
func WriteMarkdown(w io.Writer, r *Report) error {
	d := &document{}
	d.head(r)
	d.totals(r)
	d.statuses(r)
	d.sizes(r)
	d.roles(r)
	d.tools(r)
	d.savings(r)
	d.failures(r)
	d.worst(r)
	d.settings(r)
	_, err := io.WriteString(w, d.b.String())
	return err
}

// document is Markdown being written.
type document struct{ b strings.Builder }

func (d *document) line(format string, args ...any) {
	fmt.Fprintf(&d.b, format+"\n", args...)
}

func (d *document) section(title string) { d.line("\n## %s\n", title) }

// table writes a table. A column whose title begins with ">" is aligned to the right. Cells are Markdown.
func (d *document) table(titles []string, rows [][]string) {
	var rule []string
	for i, t := range titles {
		if rest, right := strings.CutPrefix(t, ">"); right {
			titles[i], rule = rest, append(rule, "---:")
		} else {
			rule = append(rule, "---")
		}
	}
	d.line("| %s |", strings.Join(titles, " | "))
	d.line("| %s |", strings.Join(rule, " | "))
	for _, cells := range rows {
		d.line("| %s |", strings.Join(cells, " | "))
	}
}

func (d *document) head(r *Report) {
	h := r.Header
	d.line("# %s %s: %s\n", escaped(h.Tool), escaped(h.Version), escaped(h.Command))
	rows := [][]string{{"target", escaped(targetText(h.Target))}}
	for i, m := range r.Models.List {
		if i == 5 {
			rows = append(rows, []string{"", fmt.Sprintf("%d more", r.Models.Distinct-i)})
			break
		}
		name := "no model named"
		if m.Model != "" {
			name = code(m.Model)
		}
		rows = append(rows, []string{"context length", fmt.Sprintf("%s: %s (%s), %s", name,
			grouped(int64(m.ContextLength)), code(m.Source), plural(m.Records, "record"))})
	}
	rows = append(rows, []string{"tokens counted with", code(h.Tokenizer.Name) + ", " + exactness(h.Tokenizer.Exact)}, []string{"summarizer", escaped(h.Summarizer)})
	if h.ContextEngine != nil {
		rows = append(rows, []string{"context engine", escaped(h.ContextEngine.String())})
	}
	if h.PriceDate != "" {
		rows = append(rows, []string{"price table", escaped(h.PriceDate)})
	}
	p := r.Processing
	rows = append(rows, []string{"time", fmt.Sprintf("%s from %s on, %s conversations/s",
		took(p.DurationSeconds), escaped(p.StartTime), rate(p.ConversationsPerSecond))})
	d.table([]string{"", ""}, rows)
	d.section("Inputs")
	rows = nil
	for i, in := range h.Inputs {
		if i == 20 {
			rows = append(rows, []string{fmt.Sprintf("%d more", len(h.Inputs)-i), "", "", "", ""})
			break
		}
		rows = append(rows, []string{code(in.Name), grouped(in.Bytes), grouped(in.Records), code(in.SHA256), code(in.Output)})
	}
	d.table([]string{"file", ">bytes", ">records", "sha256", "output"}, rows)
}

func (d *document) totals(r *Report) {
	d.section("Totals")
	d.table([]string{"", ">before", ">after", ">change"}, [][]string{
		{"tokens", grouped(r.Tokens.Before), grouped(r.Tokens.After), change(r.Tokens.Before, r.Tokens.After)},
		{"messages", grouped(r.Turns.Before), grouped(r.Turns.After), change(r.Turns.Before, r.Turns.After)},
	})
}

func (d *document) statuses(r *Report) {
	d.section("Records")
	var rows [][]string
	add := func(name string, n int64, before, after string) {
		rows = append(rows, []string{name, grouped(n), percent(n, r.Records.Total), before, after})
	}
	for _, s := range r.Records.Statuses {
		add(statusName(s.Status), s.Records, grouped(s.TokensBefore), grouped(s.TokensAfter))
	}
	add("**all**", r.Records.Total, grouped(r.Tokens.Before), grouped(r.Tokens.After))
	add("over the limit", r.Records.OverLimit, "", "")
	add("no conversation", r.Records.NoConversation, "", "")
	add("pairs repaired", r.Records.Repaired, "", "")
	add("head shortened", r.Records.HeadShortened, "", "")
	if r.Records.Adapted+r.Records.Refused > 0 {
		add("adapted to the target", r.Records.Adapted, "", "")
		add("refused by the target", r.Records.Refused, "", "")
	}
	d.table([]string{"status", ">records", ">share", ">tokens before", ">tokens after"}, rows)
	if r.Records.Repaired > 0 {
		d.line("\n%s written, %s removed.", plural(r.Records.Stubs, "stub"), plural(r.Records.RemovedResults, "result"))
	}
	d.counts("Dialects", "records", r.Dialects)
	d.counts("Unknown role names", "messages", r.UnknownRoles)
}

// counts writes a table of names; nothing when there are none.
func (d *document) counts(title, what string, c Counts) {
	if len(c.List) == 0 {
		return
	}
	d.section(title)
	var rows [][]string
	for _, one := range c.List {
		rows = append(rows, []string{code(one.Name), code(one.Detail), grouped(one.Count)})
	}
	if c.Other > 0 {
		rows = append(rows, []string{"others", "", grouped(c.Other)})
	}
	d.table([]string{"name", "", ">" + what}, rows)
}

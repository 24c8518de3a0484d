package report

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// CompareRenderer draws a comparison into a file.
type CompareRenderer struct {
	Ending string
	Render func(*Comparison, io.Writer) error
}

// CompareRenderers are the forms of a comparison, by the file's ending.
func CompareRenderers() []CompareRenderer {
	return []CompareRenderer{
		{".json", (*Comparison).WriteJSON},
		{".md", (*Comparison).WriteMarkdown},
		{".txt", func(c *Comparison, w io.Writer) error { return c.WriteText(w, Screen{}) }},
		{".html", (*Comparison).WriteHTML},
	}
}

// WriteJSON writes the comparison as data.
func (c *Comparison) WriteJSON(w io.Writer) error { return writeData(w, c) }

// amount writes a figure of a measure.
func (m Measure) amount(f float64) string {
	switch m.Kind {
	case "share":
		return fmt.Sprintf("%.1f %%", 100*f)
	case "score":
		return fmt.Sprintf("%.3f", f)
	case "seconds":
		return took(f)
	case "dollars":
		return dollars(f)
	case "rate":
		return rate(f)
	}
	return grouped(int64(math.Round(f)))
}

// change writes the difference: in points for shares, else with the relative change where there is one.
func (m Measure) change() string {
	sign := "+"
	if m.Delta < 0 {
		sign = "-"
	}
	size := math.Abs(m.Delta)
	switch {
	case m.Verdict == Same && m.Delta == 0:
		return "0"
	case m.Kind == "share":
		return fmt.Sprintf("%s%.1f points", sign, 100*size)
	case m.Kind == "score":
		return fmt.Sprintf("%s%.3f", sign, size)
	case m.Old == 0 || m.Kind == "count":
		return sign + m.amount(size)
	}
	return fmt.Sprintf("%s%.1f %%", sign, 100*size/math.Abs(m.Old))
}

// worthShowing leaves out what is nothing in both runs.
func (m Measure) worthShowing() bool { return m.Old != 0 || m.New != 0 }

// WriteText writes the comparison for a terminal.
func (c *Comparison) WriteText(w io.Writer, s Screen) error {
	verdict := strings.ToUpper(string(c.Verdict))
	if c.Why != "" {
		verdict += ": " + c.Why
	}
	lines := []string{clip(verdict, s.width())}
	for _, note := range c.Notes {
		lines = append(lines, "  "+clip(note, s.width()-2))
	}
	for _, one := range c.Settings {
		lines = append(lines, "  "+clip(one.words(), s.width()-2))
	}
	lines = append(lines, "", fmt.Sprintf("%-22s %14s    %14s   change", "", "before", "now"))
	for _, m := range c.Measures {
		if !m.worthShowing() {
			continue
		}
		mark := " "
		switch m.Verdict {
		case Better:
			mark = "+"
		case Worse:
			mark = "!"
		}
		word := ""
		if m.Verdict != Same {
			word = string(m.Verdict)
		}
		line := fmt.Sprintf("%s %s %14s -> %14s   %-14s %s", mark, padded(clip(m.Name, 20), 20), m.amount(m.Old), m.amount(m.New), m.change(), word)
		lines = append(lines, clip(strings.TrimRight(line, " "), s.width()))
	}
	for i := range lines {
		lines[i] = s.Text(lines[i])
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// words says which values a setting had.
func (c Changes) words() string {
	value := func(v any) string {
		if v == nil {
			return "not set"
		}
		return clip(fmt.Sprint(v), 40)
	}
	return fmt.Sprintf("setting %s: %s, now %s", clip(c.Key, 40), value(c.Old), value(c.New))
}

// WriteMarkdown writes the comparison as a Markdown document.
func (c *Comparison) WriteMarkdown(w io.Writer) error {
	d := &document{}
	d.line("# %s: two runs compared\n", escaped(c.New.Header.Tool))
	verdict := "**" + escaped(string(c.Verdict)) + "**"
	if c.Why != "" {
		verdict += ": " + escaped(c.Why)
	}
	d.line("%s\n", verdict)
	for _, note := range c.Notes {
		d.line("- %s", escaped(note))
	}
	for _, one := range c.Settings {
		d.line("- %s", escaped(one.words()))
	}
	d.section("Measures")
	var rows [][]string
	for _, m := range c.Measures {
		if m.worthShowing() {
			rows = append(rows, []string{escaped(m.Name), escaped(m.amount(m.Old)), escaped(m.amount(m.New)), escaped(m.change()), escaped(string(m.Verdict))})
		}
	}
	d.table([]string{"measure", ">before", ">now", ">change", "verdict"}, rows)
	_, err := io.WriteString(w, d.b.String())
	return err
}

// comparedData is the comparison as the HTML draws it.
type comparedData struct {
	Old, Verdict, Why, Class string

	Notes []string
	Rows  []comparedRow
}

type comparedRow struct{ Name, Old, New, Change, Verdict, Class string }

func compared(c *Comparison) *comparedData {
	if c == nil {
		return nil
	}
	d := &comparedData{Old: "the run of " + day(c.Old.Processing.StartTime), Verdict: string(c.Verdict), Why: c.Why,
		Class: verdictClass(c.Verdict), Notes: c.Notes}
	for _, one := range c.Settings {
		d.Notes = append(d.Notes, one.words())
	}
	for _, m := range c.Measures {
		if m.worthShowing() {
			d.Rows = append(d.Rows, comparedRow{clip(m.Name, 40), m.amount(m.Old), m.amount(m.New), m.change(), string(m.Verdict), verdictClass(m.Verdict)})
		}
	}
	return d
}

func verdictClass(v Verdict) string {
	switch v {
	case Better, Worse, Same:
		return string(v)
	}
	return "changed"
}

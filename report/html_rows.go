package report

import (
	"fmt"
	"html/template"
	"strconv"

	"github.com/ctxpack/ctxpack/report/quality"
)

type worstTable struct {
	ID, Title string
	Timed     bool
	Folded    bool
	Rows      []worstHTML
}

type worstHTML struct {
	At, ID, Status, Class, Before, After, Change, Messages, Time string

	Over    bool
	Excerpt int // -1: none
}

func worstTables(r *Report) []worstTable {
	var list []worstTable
	excerpt := func(w WorstRow) int {
		for i, x := range r.Excerpts {
			if x.File == w.File && x.Index == w.Index {
				return i
			}
		}
		return -1
	}
	row := func(w WorstRow) worstHTML {
		messages := grouped(w.MessagesBefore)
		if w.MessagesAfter != w.MessagesBefore {
			messages += " → " + grouped(w.MessagesAfter)
		}
		return worstHTML{
			At: clipMiddle(Example{File: w.File, Line: w.Line, Index: w.Index, Place: w.Place}.address(), 48), ID: clip(w.ID, 32),
			Status: clip(statusName(w.Status), 30), Class: statusClass(w.Status), Over: w.OverLimit,
			Before: grouped(w.TokensBefore), After: grouped(w.TokensAfter), Change: change(w.TokensBefore, w.TokensAfter),
			Messages: messages, Excerpt: excerpt(w),
		}
	}
	for _, t := range []struct {
		id, title string
		rows      []WorstRow
	}{
		{"w-least", "Least gained", r.Worst.LeastGained}, {"w-after", "Largest after", r.Worst.LargestAfter}, {"w-before", "Largest before", r.Worst.LargestBefore},
	} {
		if len(t.rows) == 0 {
			continue
		}
		one := worstTable{ID: t.id, Title: t.title, Folded: len(list) >= 2}
		for _, w := range t.rows {
			one.Rows = append(one.Rows, row(w))
		}
		list = append(list, one)
	}
	if len(r.Processing.Slowest) > 0 {
		one := worstTable{ID: "w-slow", Title: "Slowest", Timed: true, Folded: true}
		for _, s := range r.Processing.Slowest {
			w := row(s.WorstRow)
			w.Time = took(s.Seconds)
			one.Rows = append(one.Rows, w)
		}
		list = append(list, one)
	}
	return list
}

type troubleData struct {
	Rows []struct {
		Status, Class, Code, Records, At, Message string
	}
	File, Rerun string
}

func trouble(r *Report) troubleData {
	d := troubleData{File: visible(r.Failures.RejectsFile), Rerun: visible(r.Failures.Rerun)}
	for _, f := range r.Failures.Kinds {
		d.Rows = append(d.Rows, struct {
			Status, Class, Code, Records, At, Message string
		}{clip(statusName(f.Status), 30), statusClass(f.Status), clip(f.Code, 40), grouped(f.Records),
			clipMiddle(f.Example.address(), 60), clip(f.Example.Message, 400)})
	}
	return d
}

// plainTable is a table of the run's facts.
type plainTable struct {
	Title string
	Head  []plainColumn
	Rows  [][]string
}

type plainColumn struct {
	Name  string
	Right bool
}

// facts are the header in words.
func facts(r *Report) []tile {
	h := r.Header
	list := []tile{{Name: "target", Value: orDash(targetText(h.Target))}}
	if h.Target.Source != "" {
		list = append(list, tile{Name: "its limit is from", Value: clip(h.Target.Source, 90)})
	}
	list = append(list,
		tile{Name: "tokens counted with", Value: clip(h.Tokenizer.Name, 60) + ", " + exactness(h.Tokenizer.Exact)},
		tile{Name: "summarizer", Value: orDash(clip(h.Summarizer, 40))})
	if h.ContextEngine != nil {
		list = append(list, tile{Name: "context engine", Value: clip(h.ContextEngine.String(), 60)})
	}
	if h.PriceDate != "" {
		list = append(list, tile{Name: "price table", Value: clip(h.PriceDate, 20)})
	}
	return append(list, tile{Name: "hash of the settings", Value: clip(h.SettingsSHA256, 70)})
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// shownInputs is how many inputs the HTML lists; report.json has all.
const shownInputs = 200

func runTables(r *Report) []plainTable {
	inputs := plainTable{Title: "Inputs (" + grouped(int64(len(r.Header.Inputs))) + ")", Head: []plainColumn{{"file", false}, {"bytes", true},
		{"records", true}, {"tokens before", true}, {"after", true}, {"compacted", true}, {"sha256", false}, {"output", false}}}
	for i, in := range r.Header.Inputs {
		if i == shownInputs {
			inputs.Rows = append(inputs.Rows, []string{fmt.Sprintf("%s more in report.json", grouped(int64(len(r.Header.Inputs)-i))), "", "", "", "", "", "", ""})
			break
		}
		row := []string{visible(own(in.Name, maxName)), grouped(in.Bytes), grouped(in.Records), "", "", "", clip(in.SHA256, 16), visible(own(in.Output, maxName))}
		if t := in.Totals; t != nil {
			row[3], row[4], row[5] = grouped(t.TokensBefore), grouped(t.TokensAfter), grouped(t.Compacted)
		}
		inputs.Rows = append(inputs.Rows, row)
	}
	models := plainTable{Title: "Models and where their limits come from (" + strconv.Itoa(r.Models.Distinct) + ")",
		Head: []plainColumn{{"model", false}, {"context length", true}, {"from", false}, {"records", true}}}
	for _, m := range r.Models.List {
		models.Rows = append(models.Rows, []string{orDash(clip(m.Model, 60)), grouped(int64(m.ContextLength)), clip(m.Source, 120), grouped(m.Records)})
	}
	settings := plainTable{Title: "Settings", Head: []plainColumn{{"setting", false}, {"value", false}, {"from", false}}}
	for _, s := range append(append([]Setting{}, r.Header.Settings...), r.Processing.Settings...) {
		value := ""
		if s.Value != nil {
			value = clip(fmt.Sprint(s.Value), 120)
		}
		settings.Rows = append(settings.Rows, []string{clip(s.Key, 60), value, clip(s.Origin, 60)})
	}
	list := []plainTable{inputs, models}
	for _, c := range []struct {
		title, what string
		counts      Counts
	}{{"Dialects", "records", r.Dialects}, {"Unknown roles", "messages", r.UnknownRoles}, {"Warnings of summaries", "summaries", r.Summaries.Warnings}} {
		if len(c.counts.List) == 0 {
			continue
		}
		t := plainTable{Title: c.title, Head: []plainColumn{{"name", false}, {"", false}, {c.what, true}}}
		for _, one := range c.counts.List {
			t.Rows = append(t.Rows, []string{clip(one.Name, 80), clip(one.Detail, 60), grouped(one.Count)})
		}
		list = append(list, t)
	}
	return append(list, settings)
}

type qualityData struct {
	Verdict, Class, About string
	Rows                  []qualityRow
	Broken                []tile
}

type qualityRow struct {
	Name, Mean, Worst, Rows, Gate, Class string

	Bar template.HTML
}

// qualityOf draws what `ctxpack eval` measured, each metric with its gate.
func qualityOf(r *Report) *qualityData {
	q := r.Quality
	if q == nil {
		return nil
	}
	d := &qualityData{Verdict: clip(q.Verdict, 24), Class: "same", About: fmt.Sprintf("over %s in which a compaction happened, %d of which break an invariant",
		plural(int64(q.Rows.Fired), "pair"), q.Rows.Breached)}
	switch q.Verdict {
	case "pass":
		d.Class = "better"
	case "fail":
		d.Class = "worse"
	}
	for _, m := range q.Metrics {
		d.Rows = append(d.Rows, qualityRowOf(m, q.Gates))
	}
	for _, b := range q.Invariants {
		d.Broken = append(d.Broken, tile{Name: clip(b.Code, 40), Value: fmt.Sprintf("in %s, first: %s", plural(int64(b.Rows), "row"), clip(b.Example, 200))})
	}
	return d
}

func qualityRowOf(m quality.MetricSummary, gates []quality.GateResult) qualityRow {
	row := qualityRow{Name: clip(spaced(m.Metric), 40), Mean: fmt.Sprintf("%.3f", m.Mean), Worst: fmt.Sprintf("%.3f", m.Worst), Rows: grouped(int64(m.Rows))}
	scale := max(1, m.High, m.Mean)
	for _, g := range gates {
		if g.Metric == m.Metric {
			scale = max(scale, g.Limit)
		}
	}
	s := newDecoration("bullet", 18)
	s.rect("track", 0, 1, 5, 8, "")
	s.rect("after", 0, visibleShare(m.Mean/scale), 5, 8, "")
	s.rect("interval", min(m.Low/scale, 1), visibleShare((m.High-m.Low)/scale), 8, 2, "")
	for _, g := range gates {
		if g.Metric != m.Metric {
			continue
		}
		s.rect("gate", min(g.Limit/scale, 0.992), 0.008, 1, 16, "")
		sign, verdict, class := "≥", "pass", "better"
		if g.Bound == "max" || g.Bound == "per_row_max" {
			sign = "≤"
		}
		if !g.Pass {
			verdict, class = "fail", "worse"
		}
		if row.Gate != "" {
			row.Gate += "; "
		}
		row.Gate += fmt.Sprintf("%s %.3g %s", sign, g.Limit, verdict)
		if row.Class != "worse" {
			row.Class = class
		}
	}
	row.Bar = s.end()
	return row
}

package report

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/ctxpack/ctxpack/compress"
)

// barTable is a table whose rows have a bar: a chart that can be read without seeing it.
type barTable struct {
	ID, Title, About, Label, Note string
	Columns                       []string
	Key                           []keyEntry
	Rows                          []barRow
}

type barRow struct {
	Name, Class string
	Strong      bool
	Bar         template.HTML
	Values      []string
}

// keyEntry explains a colour.
type keyEntry struct{ Class, Name, Value string }

func beforeAfterKey() []keyEntry {
	return []keyEntry{{Class: "before", Name: "before"}, {Class: "after", Name: "after"}}
}

// twoBars draws before above after.
func twoBars(before, after, most float64) template.HTML {
	s := newDecoration("bar2", 18)
	if most > 0 {
		s.rect("before", 0, visibleShare(before/most), 1, 7, "")
		s.rect("after", 0, visibleShare(after/most), 10, 7, "")
	}
	return s.end()
}

// visibleShare keeps what is not nothing visible.
func visibleShare(f float64) float64 {
	if f <= 0 {
		return 0
	}
	return min(max(f, 0.006), 1)
}

// oneBar draws a piece of the width.
func oneBar(class string, from, width float64) template.HTML {
	s := newDecoration("bar1", 14)
	s.rect("track", 0, 1, 0, 14, "")
	s.rect(class, min(max(from, 0), 0.994), visibleShare(width), 0, 14, "")
	return s.end()
}

func fitsTable(r *Report) *barTable {
	all := r.Records.Conversations
	if all == 0 {
		return nil
	}
	t := &barTable{ID: "h-fits", Title: "How many fit which window", Label: "window", Key: beforeAfterKey(), Columns: []string{"before", "after"}}
	own, named := fitWindow(r)
	for _, f := range r.Fits {
		row := barRow{Name: windowName(f.Window), Strong: named && f.Window == own.Window,
			Bar:    twoBars(float64(f.Before), float64(f.After), float64(all)),
			Values: []string{percent(f.Before, all), percent(f.After, all)}}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// savingsTable is a waterfall: from the tokens before, phase by phase, to those after.
func savingsTable(r *Report) *barTable {
	before := r.Tokens.Before
	if before == 0 {
		return nil
	}
	t := &barTable{ID: "h-savings", Title: "Where tokens were saved", Label: "phase", Columns: []string{"tokens", "share"}}
	most := float64(max(before, r.Tokens.After))
	t.Rows = append(t.Rows, barRow{Name: "before", Strong: true, Bar: oneBar("before", 0, float64(before)/most),
		Values: []string{short(before), "100.0 %"}})
	left := before
	for _, p := range r.Saved.Phases {
		if p.Tokens == 0 {
			continue
		}
		next := left - p.Tokens
		class := phaseClass(p.Name)
		if p.Tokens < 0 {
			class = "cost"
		}
		t.Rows = append(t.Rows, barRow{Name: phaseName(p.Name), Bar: oneBar(class, float64(min(left, next))/most, float64(max(left, next)-min(left, next))/most),
			Values: []string{signed(-p.Tokens), percentSigned(-p.Tokens, before)}})
		left = next
	}
	t.Rows = append(t.Rows, barRow{Name: "after", Strong: true, Bar: oneBar("after", 0, float64(r.Tokens.After)/most),
		Values: []string{short(r.Tokens.After), percent(r.Tokens.After, before)}})
	for _, p := range r.Saved.Phases {
		if p.Name == PhaseOther && p.Tokens != 0 {
			t.Note = "Other is what no single step accounts for: frames of messages that are gone, separators."
		}
	}
	return t
}

// phaseClass is the class that gives a phase its colour. A report that was read may name any phase.
func phaseClass(name string) string {
	if slices.Contains(phases(), name) {
		return "p-" + name
	}
	return "p-" + PhaseOther
}

// phaseName is a phase as people read it.
func phaseName(name string) string {
	switch name {
	case PhaseNote:
		return "note to the model"
	case PhaseRepairs:
		return "repaired pairs"
	}
	return visible(name)
}

// signed writes a short number with its sign.
func signed(n int64) string {
	if n > 0 {
		return "+" + short(n)
	}
	return "−" + short(-n)
}

func percentSigned(n, whole int64) string {
	if n > 0 {
		return "+" + percent(n, whole)
	}
	return "−" + percent(-n, whole)
}

func rolesTable(r *Report) *barTable {
	b, a := r.Roles.Before, r.Roles.After
	if b.Total() == 0 && a.Total() == 0 {
		return nil
	}
	t := &barTable{ID: "h-roles", Title: "Tokens by role", Label: "role", Key: beforeAfterKey(), Columns: []string{"before", "after", "change"}}
	most := max(b.System, b.User, b.Assistant, b.Tool, b.Other, b.Definitions, a.System, a.User, a.Assistant, a.Tool, a.Other, a.Definitions)
	for _, role := range []struct {
		name          string
		before, after int64
	}{
		{"tool", b.Tool, a.Tool}, {"assistant", b.Assistant, a.Assistant}, {"user", b.User, a.User}, {"system", b.System, a.System},
		{"other", b.Other, a.Other}, {"tool definitions", b.Definitions, a.Definitions},
	} {
		if role.before > 0 || role.after > 0 {
			t.Rows = append(t.Rows, barRow{Name: role.name, Bar: twoBars(float64(role.before), float64(role.after), float64(most)),
				Values: []string{short(role.before), short(role.after), change(role.before, role.after)}})
		}
	}
	return t
}

// shownTools is how many tools the chart has rows for.
const shownTools = 8

func toolsTable(r *Report) *barTable {
	if len(r.Tools.List) == 0 {
		return nil
	}
	t := &barTable{ID: "h-tools", Title: "Tool results by tool", Label: "tool", Key: beforeAfterKey(), Columns: []string{"before", "after", "change"}}
	most, rest, others := int64(1), r.Tools.Other, int64(0)
	for i, tool := range r.Tools.List {
		if i < shownTools {
			most = max(most, tool.TokensBefore, tool.TokensAfter)
			continue
		}
		rest.add(tool)
		others++
	}
	others += int64(max(r.Tools.Distinct-len(r.Tools.List), 0))
	row := func(name string, one ToolTotal) {
		t.Rows = append(t.Rows, barRow{Name: name, Bar: twoBars(float64(one.TokensBefore), float64(one.TokensAfter), float64(most)),
			Values: []string{short(one.TokensBefore), short(one.TokensAfter), change(one.TokensBefore, one.TokensAfter)}})
	}
	for _, tool := range r.Tools.List[:min(len(r.Tools.List), shownTools)] {
		row(clip(toolName(tool.Name), 36), tool)
	}
	if rest.TokensBefore > 0 || rest.TokensAfter > 0 {
		most = max(most, rest.TokensBefore, rest.TokensAfter)
		row(fmt.Sprintf("%s more", grouped(others)), rest)
	}
	return t
}

func statusesTable(r *Report) *barTable {
	total := r.Records.Total
	if total == 0 {
		return nil
	}
	t := &barTable{ID: "h-statuses", Title: "What became of the records", Label: "status", Columns: []string{"records", "share", "tokens"}}
	for _, s := range r.Records.Statuses {
		usual := s.Status == compress.Untouched || s.Status.Changed()
		if s.Records == 0 && !usual {
			continue
		}
		saved := "0"
		if s.TokensAfter != s.TokensBefore {
			saved = signed(s.TokensAfter - s.TokensBefore)
		}
		t.Rows = append(t.Rows, barRow{Name: statusName(s.Status), Class: statusClass(s.Status),
			Bar: oneBar(statusClass(s.Status), 0, share(s.Records, total)), Values: []string{grouped(s.Records), percent(s.Records, total), saved}})
	}
	for _, flag := range []struct {
		name string
		n    int64
	}{
		{"over the limit", r.Records.OverLimit}, {"no conversation", r.Records.NoConversation},
		{"pairs repaired", r.Records.Repaired}, {"head shortened", r.Records.HeadShortened},
		{"adapted to the target", r.Records.Adapted}, {"refused by the target", r.Records.Refused},
	} {
		if flag.n > 0 {
			t.Rows = append(t.Rows, barRow{Name: flag.name, Class: "flag", Bar: oneBar("flag", 0, share(flag.n, total)),
				Values: []string{grouped(flag.n), percent(flag.n, total), ""}})
		}
	}
	return t
}

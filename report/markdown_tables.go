package report

import "fmt"

func (d *document) sizes(r *Report) {
	d.section("Tokens per conversation")
	var rows [][]string
	for _, side := range []struct {
		name string
		d    Distribution
	}{{"before", r.Sizes.Before}, {"after", r.Sizes.After}} {
		s := side.d
		rows = append(rows, []string{side.name, grouped(s.Min), grouped(s.P50), grouped(s.P90), grouped(s.P95), grouped(s.P99), grouped(s.Max)})
	}
	d.table([]string{"", ">min", ">p50", ">p90", ">p95", ">p99", ">max"}, rows)
	d.section("Share that fits")
	rows = nil
	all := r.Records.Conversations
	for _, f := range r.Fits {
		rows = append(rows, []string{windowName(f.Window), grouped(f.Before), percent(f.Before, all), grouped(f.After), percent(f.After, all)})
	}
	d.table([]string{">window", ">before", ">", ">after", ">"}, rows)
}

func (d *document) roles(r *Report) {
	d.section("Tokens by role")
	b, a := r.Roles.Before, r.Roles.After
	var rows [][]string
	for _, role := range []struct {
		name          string
		before, after int64
	}{
		{"system", b.System, a.System}, {"user", b.User, a.User}, {"assistant", b.Assistant, a.Assistant}, {"tool", b.Tool, a.Tool},
		{"other", b.Other, a.Other}, {"tool definitions", b.Definitions, a.Definitions},
	} {
		rows = append(rows, []string{role.name, grouped(role.before), percent(role.before, b.Total()), grouped(role.after), percent(role.after, a.Total())})
	}
	d.table([]string{"role", ">before", ">", ">after", ">"}, rows)
}

func (d *document) tools(r *Report) {
	if len(r.Tools.List) == 0 {
		return
	}
	d.section("Tool results by tool")
	var rows [][]string
	add := func(name string, t ToolTotal) {
		rows = append(rows, []string{name, grouped(t.ResultsBefore), grouped(t.TokensBefore), grouped(t.ResultsAfter), grouped(t.TokensAfter),
			change(t.TokensBefore, t.TokensAfter)})
	}
	for _, t := range r.Tools.List {
		add(code(toolName(t.Name)), t)
	}
	if r.Tools.Other != (ToolTotal{}) {
		add("others", r.Tools.Other)
	}
	d.table([]string{"tool", ">results before", ">tokens before", ">results after", ">tokens after", ">change"}, rows)
	if r.Tools.Capped {
		d.line("\nTools first met after the first %s distinct names are among the others.", grouped(maxDistinct))
	}
}

func (d *document) savings(r *Report) {
	d.section("Saved")
	var rows [][]string
	for _, p := range r.Saved.Phases {
		rows = append(rows, []string{"**" + escaped(p.Name) + "**", "", grouped(p.Tokens)})
		for _, a := range p.Actions {
			rows = append(rows, []string{escaped(string(a.Kind)), grouped(a.Count), grouped(a.Saved)})
		}
	}
	rows = append(rows, []string{"**all**", "", grouped(r.Saved.Total)})
	d.table([]string{"", ">times", ">tokens"}, rows)
	s := r.Summaries
	if s.Count == 0 && s.Failed == 0 {
		return
	}
	d.section("Summaries")
	d.table([]string{">summaries", ">calls", ">retried", ">cached", ">failed", ">shortened", ">tokens", ">instead of"}, [][]string{{
		grouped(s.Count), grouped(s.Calls), grouped(s.Retries), grouped(s.Cached), grouped(s.Failed), grouped(s.Shortened),
		grouped(s.TextTokens), grouped(s.ReplacedTokens),
	}})
	if s.PromptTokens+s.CompletionTokens > 0 {
		d.line("\nThe provider counted %s prompt tokens (%s of them from its cache) and %s completion tokens.",
			grouped(s.PromptTokens), grouped(s.CacheReadTokens), grouped(s.CompletionTokens))
	}
	d.counts("Warnings of summaries", "summaries", s.Warnings)
}

func (d *document) failures(r *Report) {
	if len(r.Failures.Kinds) == 0 {
		return
	}
	d.section("Rejected and failed")
	var rows [][]string
	for _, f := range r.Failures.Kinds {
		rows = append(rows, []string{statusName(f.Status), escaped(f.Stage), code(f.Code), grouped(f.Records),
			code(f.Example.address()), code(f.Example.Message)})
	}
	d.table([]string{"status", "stage", "code", ">records", "example", "message"}, rows)
	if r.Failures.RejectsFile != "" {
		d.line("\nRejected records are in %s.", code(r.Failures.RejectsFile))
	}
	if r.Failures.Rerun != "" {
		d.line("\nOnly these again: %s", code(r.Failures.Rerun))
	}
}

func (d *document) worst(r *Report) {
	titles := func(more ...string) []string {
		return append([]string{"record", "id", "status", ">tokens before", ">tokens after", ">messages before", ">messages after"}, more...)
	}
	cells := func(w WorstRow) []string {
		at := Example{File: w.File, Line: w.Line, Index: w.Index, Place: w.Place}.address()
		status := statusName(w.Status)
		if w.OverLimit {
			status += ", over the limit"
		}
		return []string{code(at), code(w.ID), status, grouped(w.TokensBefore), grouped(w.TokensAfter),
			grouped(w.MessagesBefore), grouped(w.MessagesAfter)}
	}
	for _, list := range []struct {
		title string
		rows  []WorstRow
	}{
		{"Largest before", r.Worst.LargestBefore}, {"Largest after", r.Worst.LargestAfter}, {"Least gained", r.Worst.LeastGained},
	} {
		if len(list.rows) == 0 {
			continue
		}
		d.section(list.title)
		var rows [][]string
		for _, w := range list.rows {
			rows = append(rows, cells(w))
		}
		d.table(titles(), rows)
	}
	if len(r.Processing.Slowest) == 0 {
		return
	}
	d.section("Slowest")
	var rows [][]string
	for _, s := range r.Processing.Slowest {
		rows = append(rows, append(cells(s.WorstRow), took(s.Seconds)))
	}
	d.table(titles(">time"), rows)
}

func (d *document) settings(r *Report) {
	d.section("Settings")
	var rows [][]string
	for _, s := range append(append([]Setting{}, r.Header.Settings...), r.Processing.Settings...) {
		value := ""
		if s.Value != nil {
			value = code(fmt.Sprint(s.Value))
		}
		rows = append(rows, []string{code(s.Key), value, code(s.Origin)})
	}
	d.table([]string{"setting", "value", "origin"}, rows)
	d.line("\nHash of the settings: %s", code(r.Header.SettingsSHA256))
}

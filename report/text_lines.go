package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
)

func tokenPieces(r *Report, width int) []string {
	t, s := r.Tokens, r.Sizes
	u := unitOf(max(t.Before, t.After))
	pieces := []string{fmt.Sprintf("%s  ->  %s   %s", in(t.Before, u), in(t.After, u), change(t.Before, t.After))}
	if r.Records.Conversations > 0 {
		pieces = append(pieces,
			fmt.Sprintf("p50 %s -> %s", short(s.Before.P50), short(s.After.P50)),
			fmt.Sprintf("p95 %s -> %s", short(s.Before.P95), short(s.After.P95)))
		if width >= barColumns {
			pieces = append(pieces, fmt.Sprintf("max %s -> %s", short(s.Before.Max), short(s.After.Max)))
		}
	}
	return pieces
}

// fitWindow is the window that the text speaks of, with its counts. ok is false when there is none for the whole run.
func fitWindow(r *Report) (Fit, bool) {
	window := r.Header.Target.Window
	if window == 0 {
		window = r.Header.Target.ContextLength
	}
	for _, f := range r.Fits {
		if f.Window == window {
			return f, true
		}
	}
	return Fit{}, false
}

func fitLabel(r *Report) string {
	if f, ok := fitWindow(r); ok {
		return "fits " + windowName(f.Window)
	}
	return "in limits"
}

// fitPieces is how many conversations fit the window; where there is none for the whole run, how many were under their
// own target before (untouched), and how many are now.
func fitPieces(r *Report) []string {
	all := r.Records.Conversations
	if all == 0 {
		return nil
	}
	f, ok := fitWindow(r)
	if !ok {
		f.Before = r.Records.Of(compress.Untouched).Records - r.Records.NoConversation
		f.After = all - r.Records.OverLimit
	}
	return []string{fmt.Sprintf("%s (%s)  ->  %s (%s)",
		grouped(f.Before), percent(f.Before, all), grouped(f.After), percent(f.After, all))}
}

// statusLines is the table of statuses and flags. Statuses without a record are left out, but for the usual three.
func statusLines(r *Report, width int) []string {
	var lines []string
	line := func(name string, n int64, note string) {
		left := fmt.Sprintf("  %-23s%10s%9s", name, grouped(n), percent(n, r.Records.Total))
		if width >= barColumns {
			left += "   " + padded(bar(share(n, r.Records.Total), 24), 24)
		}
		if note != "" {
			left += "   " + clipMiddle(note, width-columns(left)-3)
		}
		lines = append(lines, strings.TrimRight(left, " "))
	}
	u := unitOf(r.Tokens.Saved)
	for _, s := range r.Records.Statuses {
		usual := s.Status == compress.Untouched || s.Status.Changed()
		if s.Records == 0 && !usual {
			continue
		}
		note := ""
		switch {
		case s.Status.Changed() && s.Records > 0:
			note = in(s.TokensAfter-s.TokensBefore, u)
		case s.Status == compress.Rejected:
			note = r.Failures.RejectsFile
		}
		line(statusName(s.Status), s.Records, note)
	}
	for _, flag := range []struct {
		name string
		n    int64
		note string
	}{
		{"of these over the limit", r.Records.OverLimit, ""},
		{"no conversation", r.Records.NoConversation, "counted as untouched"},
		{"pairs repaired", r.Records.Repaired, fmt.Sprintf("%s, %s removed",
			plural(r.Records.Stubs, "stub"), plural(r.Records.RemovedResults, "result"))},
		{"head shortened", r.Records.HeadShortened, ""},
		{"adapted to the target", r.Records.Adapted, ""},
		{"refused by the target", r.Records.Refused, "ctxpack validate lists them"},
	} {
		if flag.n > 0 {
			line(flag.name, flag.n, flag.note)
		}
	}
	return lines
}

// statusName is a status as people read it. A report may come from anywhere and the name is put between columns and into
// Markdown as it is: what no status holds is shown as a question mark.
func statusName(s compress.Status) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '?'
	}, spaced(string(s)))
}

// spaced spells a name of several words with spaces.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// savedPieces are the phases, those with the most tokens first.
func savedPieces(r *Report) []string {
	if r.Summary.Compressed == 0 {
		return nil
	}
	u := unitOf(r.Saved.Total)
	size := func(p Phase) int64 { return max(p.Tokens, -p.Tokens) }
	list := slices.SortedStableFunc(slices.Values(r.Saved.Phases), func(a, b Phase) int { return cmp.Compare(size(b), size(a)) })
	var pieces []string
	for _, p := range list {
		if p.Tokens != 0 {
			pieces = append(pieces, clip(p.Name, 12)+" "+in(p.Tokens, u))
		}
	}
	return pieces
}

// toolPieces are the largest tools by their share of all results' tokens.
func toolPieces(r *Report) []string {
	all := r.Tools.Other.TokensBefore
	for _, t := range r.Tools.List {
		all += t.TokensBefore
	}
	var pieces []string
	for _, t := range r.Tools.List[:min(len(r.Tools.List), 4)] {
		if t.TokensBefore > 0 {
			pieces = append(pieces, clip(toolName(t.Name), 28)+" "+wholePercent(t.TokensBefore, all))
		}
	}
	return pieces
}

// toolName names results whose tool is not known.
func toolName(name string) string {
	if name == "" {
		return "(no name)"
	}
	return name
}

func unknownRolePieces(r *Report) []string {
	var pieces []string
	for _, c := range r.UnknownRoles.List[:min(len(r.UnknownRoles.List), 3)] {
		pieces = append(pieces, fmt.Sprintf("%s %s", clip(toolName(c.Name), 16), grouped(c.Count)))
	}
	if len(pieces) > 0 {
		pieces[0] = fmt.Sprintf("%d unknown, kept: %s", r.UnknownRoles.Distinct, pieces[0])
	}
	return pieces
}

func summaryPieces(r *Report) []string {
	s := r.Summaries
	switch {
	case s.Count == 0 && s.Failed == 0:
		return nil
	case s.Calls == 0 && s.Cached == 0:
		u := unitOf(s.ReplacedTokens)
		return []string{grouped(s.Count), fmt.Sprintf("%s for %s tokens", in(s.TextTokens, u), in(s.ReplacedTokens, u)),
			grouped(s.Failed) + " failed"}
	}
	pieces := []string{plural(s.Calls, "call"), grouped(s.Cached) + " cached", grouped(s.Retries) + " retried",
		grouped(s.Failed) + " failed"}
	warnings := s.Warnings.Other // such as summaries that --fallback wrote in place of the model
	for _, w := range s.Warnings.List {
		warnings += w.Count
	}
	if warnings > 0 {
		pieces = append(pieces, plural(warnings, "warning"))
	}
	if s.Cost > 0 || s.CostSaved > 0 {
		pieces = append(pieces, dollars(s.Cost))
	}
	if s.CostSaved > 0 {
		pieces = append(pieces, dollars(s.CostSaved)+" saved")
	}
	return pieces
}

// failureLines shows the two most frequent kinds.
func failureLines(r *Report, width int) []string {
	var lines []string
	for i, f := range r.Failures.Kinds[:min(len(r.Failures.Kinds), 2)] {
		more := ""
		if rest := len(r.Failures.Kinds) - i - 1; i == 1 && rest > 0 {
			more = fmt.Sprintf(" (and %s)", plural(int64(rest), "other kind"))
		}
		kind := clip(f.Code, 16) + " x" + grouped(f.Records) + more + ": "
		label := padded(statusName(f.Status), labelWidth) + kind
		file := clipMiddle(f.Example.address(), width*2/5)
		lines = append(lines, clip(label+file+": "+f.Example.Message, width))
	}
	return lines
}

// address is file:line:column, as Fault spells it.
func (e Example) address() string {
	at := e.Place
	if at == "" {
		at = formats.Position{File: e.File, Line: e.Line, Index: e.Index}.String()
	}
	if e.Column > 0 {
		at += fmt.Sprintf(":%d", e.Column)
	}
	return at
}

// rerunPieces is the command that runs the failed ones again. Half a command is of no use: one that does not fit is
// left to the file.
func rerunPieces(r *Report, width int) []string {
	command := visible(r.Failures.Rerun)
	switch {
	case command == "":
		return nil
	case columns(command) > width-labelWidth:
		return []string{"the command is in the report, under failures.rerun"}
	}
	return []string{command}
}

func timePieces(r *Report) []string {
	p := r.Processing
	pieces := []string{took(p.DurationSeconds)}
	if p.ConversationsPerSecond > 0 {
		pieces = append(pieces, rate(p.ConversationsPerSecond)+" conversations/s")
	}
	return pieces
}

// rate writes a number per second: 14.6, 1,204.
func rate(f float64) string {
	if f >= 100 {
		return grouped(int64(f + 0.5))
	}
	return fmt.Sprintf("%.1f", f)
}

// dollars writes an amount of US dollars.
func dollars(amount float64) string {
	if amount > 0 && amount < 0.995 {
		return fmt.Sprintf("$%.4f", amount)
	}
	return fmt.Sprintf("$%s.%02d", grouped(int64(amount*100+0.5)/100), int64(amount*100+0.5)%100)
}

package extractive

import (
	"strings"

	"github.com/ctxpack/ctxpack/summarize"
)

// synonyms are the headings of other writers' summaries, in small letters without signs, and the section their lines
// belong to. Headings that are not here are critical context.
var synonyms = map[string]string{
	"goal": summarize.HeadingGoal, "goals": summarize.HeadingGoal, "active task": summarize.HeadingGoal, "primary request and intent": summarize.HeadingGoal, "objective": summarize.HeadingGoal,
	"constraints & preferences": summarize.HeadingConstraints, "constraints": summarize.HeadingConstraints, "preferences": summarize.HeadingConstraints, "user preferences": summarize.HeadingConstraints,
	"done": summarize.HeadingDone, "completed": summarize.HeadingDone, "completed actions": summarize.HeadingDone, "progress": summarize.HeadingDone, "completed work": summarize.HeadingDone,
	"in progress": summarize.HeadingInProgress, "current work": summarize.HeadingInProgress, "active state": summarize.HeadingInProgress, "current state": summarize.HeadingInProgress,
	"blocked": summarize.HeadingBlocked, "blockers": summarize.HeadingBlocked, "open issues": summarize.HeadingBlocked,
	"key decisions": summarize.HeadingDecisions, "decisions": summarize.HeadingDecisions, "resolved questions": summarize.HeadingDecisions,
	"relevant files": summarize.HeadingFiles, "files": summarize.HeadingFiles, "files and code sections": summarize.HeadingFiles,
	"next steps": summarize.HeadingNext, "remaining work": summarize.HeadingNext, "pending tasks": summarize.HeadingNext, "pending user asks": summarize.HeadingNext, "next step": summarize.HeadingNext,
	"critical context": summarize.HeadingCritical, "errors and fixes": summarize.HeadingCritical,
}

// earlierRank is the rank of an earlier summary's lines, which have been chosen once: above the middle's ordinary lines,
// below its best.
const earlierRank = 2.5

// inherit gives the lines of earlier summaries by heading, the newest summary's first.
func (m *material) inherit() map[string][]line {
	merged := map[string][]line{}
	for i := len(m.earlier) - 1; i >= 0; i-- {
		p := m.earlier[i]
		age := float64(len(m.earlier) - 1 - i)
		rank := earlierRank - age
		if p.Preface != "" && len(p.Sections) == 0 {
			for _, s := range sentences(p.Preface) {
				merged[summarize.HeadingCritical] = append(merged[summarize.HeadingCritical], line{text: flat(s.text), number: -1, rank: rank})
			}
		}
		for _, s := range p.Sections {
			title := strings.ToLower(strings.Trim(s.Heading, "# :"))
			heading, ok := synonyms[title]
			if !ok {
				heading = summarize.HeadingCritical
			}
			merged[heading] = append(merged[heading], itemLines(s.Text, rank)...)
		}
	}
	return merged
}

// itemLines cuts a section into its items.
func itemLines(text string, rank float64) []line {
	var lines []line
	for raw := range strings.SplitSeq(text, "\n") {
		body, _ := cutBullet(strings.TrimSpace(raw))
		if body == "" || body == summarize.None || strings.HasPrefix(body, "```") || isNames(body) || len(lines) >= maxLines {
			continue
		}
		body, number := trimNumber(flat(body))
		lines = append(lines, line{text: body, number: number, rank: rank})
	}
	return lines
}

// quotedKey is the command key of a line that quotes a command: "`make test` → exit 2: …".
func quotedKey(text string) string {
	rest, ok := strings.CutPrefix(text, "`")
	command, _, closed := strings.Cut(rest, "` →")
	if !ok || !closed {
		return ""
	}
	return "$ " + summarize.CommandKey(command)
}

// changedPath is the path of a line that tells of a changed file, "" for other lines.
func changedPath(text string) string {
	for _, verb := range [...]string{"changed ", "removed ", "moved "} {
		if path, ok := strings.CutPrefix(text, verb); ok {
			path, _, _ = strings.Cut(path, ", ")
			return path
		}
	}
	return ""
}

// checked are the items of the newest list that are done.
func (m *material) checked() []line {
	for i := len(m.actions) - 1; i >= 0; i-- {
		a := m.actions[i]
		if a.Verb != summarize.Plan {
			continue
		}
		items := a.Items()
		var lines []line
		for _, item := range items {
			if item.Status == "completed" || item.Status == "done" {
				lines = append(lines, line{text: flat(item.Text), number: a.Number, rank: 2.5})
			}
		}
		if len(items) > 0 {
			return lines
		}
	}
	return nil
}

package quality

import (
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// SectionCompleteness is template sections that are not empty ÷ those that R has matter for. It is known for summaries
// that use headings of the template. Matter: a person's message (Goal), a demanding one (Constraints), a call that did
// not fail (Done), something the assistant said or did (In Progress), a file (Relevant Files), an open item of a plan
// (Next Steps), a call that failed (Critical Context).
func SectionCompleteness(p *Pair) Score {
	parsed := summarize.Parse(p.Summary)
	known := slices.ContainsFunc(parsed.Sections, func(s summarize.Section) bool {
		return slices.Contains(summarize.Template[:], s.Heading)
	})
	if p.Summary == "" || !known {
		return Score{}
	}
	matter := p.matter()
	have, want := 0, 0
	for heading, is := range matter {
		if !is {
			continue
		}
		want++
		if parsed.Section(heading) != "" {
			have++
		}
	}
	return share(have, want)
}

func (p *Pair) matter() map[string]bool {
	m := map[string]bool{}
	p.humans(func(i int, _ string) { m[summarize.HeadingGoal] = true })
	m[summarize.HeadingConstraints] = len(p.demands()) > 0
	for i, msg := range p.Before {
		if p.Replaced(i) && msg.Role == formats.RoleAssistant && len(strings.Fields(msg.Text())) >= 8 {
			m[summarize.HeadingInProgress] = true
		}
	}
	for _, a := range p.Actions() {
		if !p.Replaced(a.Number) {
			continue
		}
		switch {
		case !a.Answered:
		case a.Failed && a.Error != "":
			m[summarize.HeadingCritical] = true
		case a.Verb == summarize.Write || a.Verb == summarize.Run && summarize.WorthNoting(a.Command):
			m[summarize.HeadingDone] = true
		}
		if len(a.Written)+len(a.Read) > 0 && !a.Failed {
			m[summarize.HeadingFiles] = true
		}
		if a.Verb == summarize.Plan {
			m[summarize.HeadingNext] = slices.ContainsFunc(a.Items(), func(i summarize.Item) bool { return i.Status == "pending" })
		}
	}
	return m
}

package report

import (
	"fmt"

	"github.com/ctxpack/ctxpack/formats"
)

// firstOf counts a problem within one record and keeps the words for its first place.
type firstOf struct {
	times   int64
	message string
}

func (f *firstOf) at(format string, args ...any) {
	if f.times++; f.times == 1 {
		f.message = own(fmt.Sprintf(format, args...), maxMessage)
	}
}

func (n *inspected) report(one *Inspected, code string, f firstOf) {
	if f.times > 0 {
		n.problem(one, code, f.times, 0, f.message)
	}
}

// messageProblems looks at single messages.
func (n *inspected) messageProblems(one *Inspected) {
	var role, part, unreadable firstOf
	for i, m := range one.Conversation.Messages {
		if m.Role == formats.RoleOther {
			role.at("message %d has the role %q", i, m.RoleName)
		}
		for _, p := range m.Parts {
			switch v := p.(type) {
			case *formats.Opaque:
				part.at("message %d has a part of an unknown type: %s", i, v.JSON)
			case *formats.ToolResult:
				if v.Fixed {
					unreadable.at("message %d has a tool result that cannot be parsed", i)
				}
			}
		}
	}
	n.report(one, ProblemUnknownRole, role)
	n.report(one, ProblemUnknownPart, part)
	n.report(one, ProblemUnreadable, unreadable)
}

// pairProblems looks at calls and results. A call in the last message is in flight, not open.
func (n *inspected) pairProblems(one *Inspected) {
	var orphan, open firstOf
	p := one.Pairing
	for _, r := range p.Orphans {
		orphan.at("message %d: the result of %s (id %q) has no call", r.Message, toolName(r.Result.Name), r.Result.CallID)
	}
	for _, c := range p.Open {
		if c.Message < len(one.Conversation.Messages)-1 && !c.Call.Implicit {
			open.at("message %d: the call of %s (id %q) has no result", c.Message, toolName(c.Call.Name), c.Call.ID)
		}
	}
	n.report(one, ProblemOrphanResult, orphan)
	n.report(one, ProblemOpenCall, open)
	if all := len(p.Answers) + len(p.Orphans); 2*len(p.Orphans) > all {
		n.problem(one, ProblemMispaired, 1, 0, fmt.Sprintf("%d of %d results have no call: the dialect was probably misread",
			len(p.Orphans), all))
	}
}

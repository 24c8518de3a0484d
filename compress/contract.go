package compress

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Rule is a promise about the list of messages that an engine makes of another (compaction.md, section 9).
type Rule string

// The rules.
const (
	RuleMessages  Rule = "messages"   // the list holds messages that can be read, and written in the record's dialect
	RuleNotEmpty  Rule = "not_empty"  // something is left
	RulePairs     Rule = "pairs"      // I1, I2: every result has its call before it, every call its result
	RuleInvented  Rule = "invented"   // no call is made that was not made before
	RuleLastHuman Rule = "last_human" // I5: the last human message is there, whole
	RuleSystem    Rule = "system"     // the system texts at the start are there, whole; a note may follow them
	RulePinned    Rule = "pinned"     // what only its maker can read stays as it is
	RuleTurns     Rule = "turns"      // I6: no new neighbours of one role
	RuleSummary   Rule = "one_summary"
	RuleOrder     Rule = "order" // what is kept stands in the order in which it stood

	RuleStatus Rule = "status" // no rule of lists: a status is exactly SessionStatus
)

// Rules are all of lists, in the order in which they are checked.
func Rules() []Rule {
	return []Rule{RuleMessages, RuleNotEmpty, RuleOrder, RuleInvented, RulePairs, RuleSystem, RuleLastHuman, RulePinned, RuleTurns, RuleSummary}
}

// Breach is an output that breaks a rule.
type Breach struct {
	Rule Rule
	Text string
}

// Error is what was broken, and the rule in brackets.
func (b *Breach) Error() string { return fmt.Sprintf("%s (rule %s)", b.Text, b.Rule) }

// CheckOutput holds what an engine made of a list against every Rule but size, which is the caller's to count. before has
// its pairs in order (see Meter.Repair). The error is a *Breach, the first that was found.
func CheckOutput(before, after []*formats.Message) error {
	if len(before) > 0 && len(after) == 0 {
		return &Breach{RuleNotEmpty, "nothing is left"}
	}
	for i, m := range after {
		if m == nil {
			return &Breach{RuleMessages, fmt.Sprintf("message %d is none", i)}
		}
	}
	c := contract{before: before, after: after}
	c.trace()
	for _, check := range []func() *Breach{c.order, c.invented, c.pairs, c.system, c.lastHuman, c.pinned, c.turns, c.summaries} {
		if b := check(); b != nil {
			return b
		}
	}
	return nil
}

// contract is an output about to be checked.
type contract struct {
	before, after []*formats.Message
	origin        []int // of each message of after: its place in before, -1 for a new one
	moved         int   // the first message of after that stands before one that it stood behind; -1 for none
}

// trace finds out where the messages of after come from: the same message or the same bytes, in order; else the next one
// of its role whose calls, results or text it still has.
func (c *contract) trace() {
	place := map[*formats.Message]int{}
	spelled := map[string][]int{}
	for i, m := range c.before {
		place[m] = i
		spelled[string(m.Bytes())] = append(spelled[string(m.Bytes())], i)
	}
	c.origin, c.moved = make([]int, len(c.after)), -1
	next := 0
	for k, m := range c.after {
		at, ok := place[m]
		if same := spelled[string(m.Bytes())]; !ok && len(same) > 0 {
			n, _ := slices.BinarySearch(same, next)
			at, ok = same[min(n, len(same)-1)], true
		}
		switch {
		case ok && at < next && c.moved < 0:
			c.moved = k
		case !ok:
			at = c.edited(m, next)
		}
		if c.origin[k] = at; at >= next {
			next = at + 1
		}
	}
}

// edited finds the message of before, not earlier than next, that m is an edit of; -1 for none.
func (c *contract) edited(m *formats.Message, next int) int {
	for i := next; i < len(c.before); i++ {
		b := c.before[i]
		if b.Role != m.Role {
			continue
		}
		calls, results := m.Calls(), m.Results()
		switch {
		case len(calls)+len(results) > 0:
			if sameIDs(b, m) {
				return i
			}
		case len(b.Calls())+len(b.Results()) == 0 && b.Text() != "" && strings.Contains(m.Text(), b.Text()):
			return i
		}
	}
	return -1
}

// sameIDs says that two messages make and answer the same calls.
func sameIDs(a, b *formats.Message) bool {
	return slices.EqualFunc(a.Calls(), b.Calls(), func(x, y *formats.ToolCall) bool { return x.ID == y.ID && x.Name == y.Name }) &&
		slices.EqualFunc(a.Results(), b.Results(), func(x, y *formats.ToolResult) bool { return x.CallID == y.CallID && x.Name == y.Name })
}

func (c *contract) order() *Breach {
	if c.moved >= 0 {
		return &Breach{RuleOrder, fmt.Sprintf("message %d stood elsewhere, or is there twice", c.moved)}
	}
	return nil
}

// invented: calls are those of before, each at most as often. What became of their arguments is not looked at.
func (c *contract) invented() *Breach {
	type call struct{ id, name string }
	had := map[call]int{}
	for _, m := range c.before {
		for _, v := range m.Calls() {
			had[call{v.ID, v.Name}]++
		}
	}
	for i, m := range c.after {
		for _, v := range m.Calls() {
			if had[call{v.ID, v.Name}]--; had[call{v.ID, v.Name}] < 0 && !v.Implicit {
				return &Breach{RuleInvented, fmt.Sprintf("message %d makes a tool call that was never made", i)}
			}
		}
	}
	return nil
}

func (c *contract) pairs() *Breach {
	pairing := formats.Pair(c.after)
	if len(pairing.Orphans) > 0 {
		return &Breach{RulePairs, fmt.Sprintf("message %d is a tool result without its call", pairing.Orphans[0].Message)}
	}
	open := missing(c.after, pairing)
	for i := range c.after {
		if len(open[i]) > 0 {
			return &Breach{RulePairs, fmt.Sprintf("message %d makes a call without a result", i)}
		}
	}
	return nil
}

func (c *contract) system() *Breach {
	for i, m := range c.before {
		if m.Role != formats.RoleSystem {
			return nil
		}
		if i >= len(c.after) || c.after[i].Role != formats.RoleSystem || !bytes.Equal(m.Bytes(), c.after[i].Bytes()) &&
			!strings.HasPrefix(c.after[i].Text(), m.Text()) {
			return &Breach{RuleSystem, fmt.Sprintf("the system text of message %d is not as it was", i)}
		}
	}
	return nil
}

func (c *contract) lastHuman() *Breach {
	for i := len(c.before) - 1; i >= 0; i-- {
		m := c.before[i]
		own := textBesideSummary(m)
		if m.Role != formats.RoleUser || !formats.Human(m) && (own == m.Text() || formats.Notice(own)) {
			continue
		}
		for k, out := range c.after {
			if c.origin[k] == i && m == out || out.Role == formats.RoleUser && media(out) >= media(m) && strings.Contains(textBesideSummary(out), own) {
				return nil
			}
		}
		return &Breach{RuleLastHuman, fmt.Sprintf("the last human message (%d) is gone or not as it was", i)}
	}
	return nil
}

func (c *contract) pinned() *Breach {
	for i, m := range c.before {
		if !m.Pinned {
			continue
		}
		if k := slices.Index(c.origin, i); k < 0 || !bytes.Equal(m.Bytes(), c.after[k].Bytes()) {
			return &Breach{RulePinned, fmt.Sprintf("message %d, which only its maker can read, is gone or not as it was", i)}
		}
	}
	return nil
}

// textBesideSummary is a message's text without the summary that stands in it.
func textBesideSummary(m *formats.Message) string {
	var texts []string
	for _, p := range m.Parts {
		if t, ok := p.(*formats.Text); ok {
			text := t.Text
			if at, found := summarize.Locate(text); found {
				text = text[:at.Start] + text[at.End:]
			}
			if text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// onlySummary says that a message is an earlier summary and nothing else.
func onlySummary(m *formats.Message) bool {
	if m.Marked {
		return true
	}
	return m.Role != formats.RoleTool && m.Text() != "" && textBesideSummary(m) == "" && media(m)+len(m.Calls())+len(m.Results()) == 0
}

func media(m *formats.Message) int {
	n := 0
	for _, p := range m.Parts {
		if _, ok := p.(*formats.Media); ok {
			n++
		}
	}
	return n
}

// turns: two neighbours of one role, looking past system texts and unknown roles, were neighbours before; an earlier
// summary between them did not part them.
func (c *contract) turns() *Breach {
	previous := make([]int, len(c.before)) // the turn before each message
	last := -1
	for i, m := range c.before {
		previous[i] = last
		if turnRole(m.Role) && !onlySummary(m) {
			last = i
		}
	}
	last = -1
	for k, m := range c.after {
		if !turnRole(m.Role) {
			continue
		}
		if last >= 0 && c.after[last].Role == m.Role && m.Role != formats.RoleTool {
			if a, b := c.origin[last], c.origin[k]; a < 0 || b < 0 || previous[b] != a {
				return &Breach{RuleTurns, fmt.Sprintf("messages %d and %d are neighbours of one role (%s) and were not", last, k, m.Role)}
			}
		}
		last = k
	}
	return nil
}

// summaries: one, or as many as there were where the engine left them alone.
func (c *contract) summaries() *Breach {
	if n := countSummaries(c.after); n > max(1, countSummaries(c.before)) {
		return &Breach{RuleSummary, fmt.Sprintf("there are %d summaries", n)}
	}
	return nil
}

// Repair gives a conversation's messages with their pairs in order, and what that took: a result without a call is left
// out, a call without a result gets a stub, except in flight. Messages are copied where they change. The error says that
// the pairing of the record makes no sense.
func (m *Meter) Repair(conv *formats.Conversation) ([]*formats.Message, []Action, error) {
	list, actions, err := m.repair(conv, m.weighAll(conv.Messages))
	messages := make([]*formats.Message, len(list))
	for i, w := range list {
		messages[i] = w.msg
	}
	return messages, actions, err
}

// Messages is the tokens of messages by themselves.
func (m *Meter) Messages(list []*formats.Message) int { return sum(m.weighAll(list)) }

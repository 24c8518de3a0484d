package quality

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Breach is an invariant that a row breaks. Any breach fails the row.
type Breach struct {
	Code string `json:"code"` // I1 to I12 of compaction.md section 9; placeholder, secret, headings, rows
	Text string `json:"text"` // in words
}

// String is code and words.
func (b Breach) String() string { return b.Code + ": " + b.Text }

// Breaches holds a compaction against the invariants that can be told from its input and output, whoever made it. tokens
// are those of the whole conversations. What needs the engine to run again (I8, I9) is not checked here.
func (p *Pair) Breaches(tokensBefore, tokensAfter int) []Breach {
	if p.Unchanged {
		return nil
	}
	var list []Breach
	add := func(code, format string, args ...any) {
		list = append(list, Breach{code, fmt.Sprintf(format, args...)})
	}
	if tokensAfter >= tokensBefore {
		add("I3", "%d tokens became %d", tokensBefore, tokensAfter)
	}
	p.pairBreaches(add)
	p.lastHuman(add)
	p.turns(add)
	p.summaries(add)
	p.added(add)
	p.gone(add)
	p.summaryText(add)
	return list
}

type adder = func(code, format string, args ...any)

// pairBreaches is I1 and I2: every result has its call before it, every call one result directly after its message, but
// for calls in flight, for what was so in the input already, and for interruptions inside kept turns.
func (p *Pair) pairBreaches(add adder) {
	pairs := formats.Pair(p.After)
	broken := map[digest]bool{}
	before := formats.Pair(p.Before)
	for _, o := range before.Orphans {
		broken[digestOf(p.Before[o.Message])] = true
	}
	for _, o := range pairs.Orphans {
		if p.Sources[o.Message] != Kept || !broken[digestOf(p.After[o.Message])] {
			add("I1", "message %d of the output: a result without its call", o.Message)
		}
	}
	open := map[int]bool{}
	for _, c := range before.Open {
		open[c.Message] = true
	}
	for _, c := range pairs.Open {
		if c.Call.Implicit || inFlight(p.After, c.Message) {
			continue
		}
		if origin := p.Origins[c.Message]; origin < 0 || !open[origin] {
			add("I2", "message %d of the output: a call without its result", c.Message)
		}
	}
	for _, atom := range pairs.Atoms {
		for k := atom.Start + 1; k < atom.End; k++ {
			if p.Sources[k] == Added && len(p.After[k].Results()) == 0 {
				add("I2", "message %d of the output stands between a call and its result", k)
			}
		}
	}
}

// inFlight says whether nothing of a user or assistant follows message i.
func inFlight(messages []*formats.Message, i int) bool {
	for _, m := range messages[i+1:] {
		if m.Role == formats.RoleUser || m.Role == formats.RoleAssistant {
			return false
		}
	}
	return true
}

// lastHuman is I5: the last human message stands verbatim in the output, outside the summary.
func (p *Pair) lastHuman(add adder) {
	last, text := -1, ""
	p.humans(func(i int, own string) { last, text = i, own })
	if last < 0 || !p.Replaced(last) || text == "" && !p.Unchanged && p.mediaKept(last) {
		return
	}
	for j, m := range p.After {
		if text == "" {
			break
		}
		if m.Role == formats.RoleUser && (j != p.SummaryAt || p.Marked) && strings.Contains(stripped(m), text) {
			return
		}
	}
	add("I5", "the last human message (%d) is not in the output outside the summary", last)
}

// mediaKept says whether a message without a text stands in the output as it was.
func (p *Pair) mediaKept(i int) bool {
	want := digestOf(p.Before[i])
	return slices.ContainsFunc(p.After, func(m *formats.Message) bool { return digestOf(m) == want })
}

// turns is I6: no two neighbouring user or assistant messages that were no neighbours in the input.
func (p *Pair) turns(add adder) {
	last := -1
	for j, m := range p.After {
		switch m.Role {
		case formats.RoleUser, formats.RoleAssistant:
			if last >= 0 && p.After[last].Role == m.Role && !p.wereNeighbours(p.Origins[last], p.Origins[j]) {
				add("I6", "messages %d and %d of the output: two neighbouring %s turns", last, j, m.Role)
			}
		case formats.RoleTool:
		default:
			continue
		}
		last = j
	}
}

func (p *Pair) wereNeighbours(a, b int) bool {
	if a < 0 || b < 0 {
		return false
	}
	for i := a + 1; i < b; i++ {
		if role := p.Before[i].Role; role == formats.RoleUser || role == formats.RoleAssistant || role == formats.RoleTool && p.Fates[i] != Removed {
			return false
		}
	}
	return true
}

// summaries is I7: at most one summary and one note.
func (p *Pair) summaries(add adder) {
	n, notes, had := 0, 0, 0
	for _, m := range p.After {
		if _, ok := summaryIn(m); ok {
			n++
		}
		if m.Role == formats.RoleSystem {
			notes += strings.Count(m.Text(), summarize.Note)
		}
	}
	for _, m := range p.Before {
		if m.Role == formats.RoleSystem {
			had += strings.Count(m.Text(), summarize.Note)
		}
	}
	if n > 1 {
		add("I7", "%d summaries in the output", n)
	}
	if notes > max(1, had) {
		add("I7", "%d notes in the output", notes)
	}
}

// added is I4: beside a summary in one place and results for calls that had none, the output's messages are the input's.
func (p *Pair) added(add adder) {
	runs, inRun := 0, false
	for j := range p.After {
		foreign := p.Sources[j] == Added && len(p.After[j].Results()) == 0 && (!p.Marked || j != p.SummaryAt)
		if foreign && p.Marked {
			add("I4", "message %d of the output is neither one of the input nor a summary", j)
		}
		if foreign && !inRun {
			runs++
		}
		inRun = foreign
	}
	if !p.Marked && runs > 1 {
		add("I4", "%d places of the output hold messages that are none of the input", runs)
	}
}

// gone is I11: what is not in the output was summarised; a later system message was quoted whole.
func (p *Pair) gone(add adder) {
	orphans := map[int]bool{}
	for _, o := range formats.Pair(p.Before).Orphans {
		orphans[o.Message] = true
	}
	quoted := ""
	for i, f := range p.Fates {
		m := p.Before[i]
		_, summary := summaryIn(m)
		switch {
		case f == Removed && !orphans[i] && !summary:
			add("I11", "message %d (%s) is nowhere, and there is no summary", i, m.Role)
		case f == Summarized && m.Role == formats.RoleSystem && !summary:
			if quoted == "" {
				quoted = unquoted(p.outputTexts())
			}
			if !strings.Contains(quoted, strings.TrimSpace(m.Text())) {
				add("I11", "system message %d was dropped", i)
			}
		}
	}
}

// RecordBreaches is I12 for the parts of a record beside its messages: keys, their order, numbers and escapes survive.
// White space between values does not count. Records of different dialects are not compared.
func RecordBreaches(before, after *formats.Conversation) []Breach {
	if before.Dialect != after.Dialect || !before.HasMessages() || !after.HasMessages() {
		return nil
	}
	var outside []*formats.Message
	if len(before.Messages) > 0 && before.Messages[0].Outside {
		if len(after.Messages) == 0 || !after.Messages[0].Outside {
			return []Breach{{"I12", "the system text outside the messages is gone"}}
		}
		outside = before.Messages[:1]
	}
	var a, b bytes.Buffer
	if json.Compact(&a, before.With(outside).Bytes()) != nil || json.Compact(&b, after.With(outside).Bytes()) != nil {
		return nil
	}
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		return nil
	}
	return []Breach{{"I12", "something beside the messages differs"}}
}

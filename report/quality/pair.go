// Package quality says how good a compacted conversation is: invariants that any breach of fails the row, metrics, gates,
// and a paired comparison with a baseline. Everything in it is a pure function of conversations: it works on the output of
// any compactor, needs no model and no network, and gives the same answer every time.
//
// That a string survives is necessary for understanding, not sufficient. Read the numbers with that in mind.
//
// Notation, as in the formulas of this package: M the original messages, R the replaced region, S what stands in its
// place (the summary, and what is left of pruned messages), C the whole output.
package quality

import (
	"slices"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Fate is what became of a message of the input, or where a message of the output comes from.
type Fate uint8

// The fates.
const (
	Kept       Fate = iota // the same message
	Extended               // the same message with a summary or the note before or behind its own text
	Pruned                 // the same turn with other content: a cleared result, shortened arguments
	Summarized             // gave way to the summary
	Removed                // nowhere in the output, and no summary speaks of it
	Added                  // of the output: a summary, a stub for a missing result
)

// String is the word that reports use.
func (f Fate) String() string {
	return [...]string{"kept", "extended", "pruned", "summarized", "removed", "added"}[f]
}

// Pair is one conversation before and after a compaction, aligned. Make it with NewPair. Its messages are not changed.
type Pair struct {
	Before, After []*formats.Message
	Fates         []Fate // of Before
	Origins       []int  // of After: the message of Before it is, -1 for what was added
	Sources       []Fate // of After: Kept, Extended, Pruned or Added

	// Summary is the text that speaks for the messages that are gone, without its marker and end lines; "" for none. The
	// output of a compactor without markers has as summary everything that was added.
	Summary string
	// SummaryAt is the message of After it stands in, -1 for none; Marked says that its first line is a marker.
	SummaryAt int
	Marked    bool
	// Unchanged says that nothing happened: the same messages.
	Unchanged bool

	earlier string // the newest summary that Before holds itself; "" for none
	actions []summarize.Action
	read    bool // actions were read
}

// NewPair aligns two lists of messages. Kept head and tail are the longest common prefix and suffix by message (decoded:
// white space and escapes of the JSON do not count); a message that carries a summary or the note as well counts as the
// message it was. Between them, messages are found again in their order: unchanged, or with the same role and the same
// calls and other content.
func NewPair(before, after []*formats.Message) *Pair {
	p := &Pair{Before: before, After: after, SummaryAt: -1}
	p.align()
	p.findSummary()
	p.Unchanged = len(before) == len(after) && !slices.ContainsFunc(p.Sources, func(f Fate) bool { return f != Kept })
	p.settle()
	return p
}

// findSummary finds the new summary of the output: the located one in a message that is not kept as it was, else all that
// was added.
func (p *Pair) findSummary() {
	for _, m := range p.Before {
		if text, ok := summaryIn(m); ok {
			p.earlier = text
		}
	}
	for j, m := range p.After {
		if p.Sources[j] == Kept || m.Role == formats.RoleTool {
			continue
		}
		if text, ok := summaryIn(m); ok {
			p.Summary, p.SummaryAt, p.Marked = text, j, true
		}
	}
	if p.SummaryAt >= 0 || !slices.Contains(p.Fates, Removed) {
		return
	}
	for j, m := range p.After {
		switch {
		case p.Sources[j] == Added && len(m.Results()) == 0:
			p.Summary = joinText(p.Summary, m.Text())
		case p.Sources[j] == Extended:
			p.Summary = joinText(p.Summary, addition(p.Before[p.Origins[j]], m))
		default:
			continue
		}
		if p.SummaryAt < 0 && p.Summary != "" {
			p.SummaryAt = j
		}
	}
}

// settle tells what the summary speaks for from what is simply gone: results that had no call, and everything where there
// is no summary.
func (p *Pair) settle() {
	orphans := map[int]bool{}
	for _, o := range formats.Pair(p.Before).Orphans {
		orphans[o.Message] = true
	}
	for i, f := range p.Fates {
		if f == Removed && p.Summary != "" && !orphans[i] {
			p.Fates[i] = Summarized
		}
	}
}

// Replaced says whether message i of Before belongs to R: it is not in the output as it was.
func (p *Pair) Replaced(i int) bool { return p.Fates[i] >= Pruned }

// R is the replaced region: the messages of Before that are not in the output as they were.
func (p *Pair) R() []*formats.Message {
	var list []*formats.Message
	for i, m := range p.Before {
		if p.Replaced(i) {
			list = append(list, m)
		}
	}
	return list
}

// Fired says whether a compaction happened: some message is not what it was.
func (p *Pair) Fired() bool { return !p.Unchanged }

// Count gives how many messages of Before had the fate.
func (p *Pair) Count(f Fate) int {
	n := 0
	for _, g := range p.Fates {
		if g == f {
			n++
		}
	}
	return n
}

// Earlier is the newest summary that the input held already; "" for none.
func (p *Pair) Earlier() string { return p.earlier }

// Actions gives the tool calls of Before with their results. Action.Number is the index of the call's message in Before.
func (p *Pair) Actions() []summarize.Action {
	if !p.read {
		p.actions, p.read = indexedActions(p.Before), true
	}
	return p.actions
}

// indexedActions reads the calls of messages; numbers are places in the list, whatever numbers the messages carry.
func indexedActions(messages []*formats.Message) []summarize.Action {
	actions := summarize.Actions(messages)
	k := 0
	for i, m := range messages {
		for range m.Calls() {
			actions[k].Number = i
			k++
		}
	}
	return actions
}

// addition is what stands in the text of after beside that of before.
func addition(before, after *formats.Message) string {
	own, text := before.Text(), after.Text()
	switch {
	case own == "":
		return text
	case len(text) >= len(own) && text[:len(own)] == own:
		return text[len(own):]
	case len(text) >= len(own) && text[len(text)-len(own):] == own:
		return text[:len(text)-len(own)]
	}
	return ""
}

func joinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

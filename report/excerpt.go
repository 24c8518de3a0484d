package report

import (
	"slices"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/report/quality"
)

// Excerpt is one conversation before and after, shortened to be looked at: the side-by-side view of a report. Its texts
// are visible (control characters and direction marks are spelled as escapes, only line ends and tabs stand for
// themselves), cut, and their secrets masked.
type Excerpt struct {
	File      string `json:"file"`
	Line      int64  `json:"line,omitempty"`
	Index     int64  `json:"index"`
	ID        string `json:"id,omitempty"`
	Unchanged bool   `json:"unchanged,omitempty"`
	Turns     []Turn `json:"turns"`
}

// Turn is one message of a conversation before, after, or both; or, with Hidden, several that are left out.
type Turn struct {
	Fate   string `json:"fate"`             // kept, extended, pruned, summarized, removed; added: only in the output
	Role   string `json:"role,omitempty"`   // as the file spells it
	Before int    `json:"before"`           // number of the message in the input, from 0 on; -1 where there is none
	After  int    `json:"after"`            // the same for the output
	Old    *Said  `json:"old,omitempty"`    // the text before; kept: the only one
	New    *Said  `json:"new,omitempty"`    // the text after, where it differs; extended: what was added to it
	Hidden int    `json:"hidden,omitempty"` // so many messages of this fate, from Before or After on, are left out
}

// Said is the text of a message.
type Said struct {
	Text string `json:"text"`
	More int    `json:"more,omitempty"` // bytes of it that are left out
}

// Bounds of the excerpts of a report. At most 30 rows are listed, so that excerpts take at most 1 MB of it, and what stands around them 0.6 MB.
const (
	excerptBytes = 32 << 10 // of one excerpt's texts, spelled as JSON
	excerptTurns = 160
)

// ExcerptLimits are how much of a conversation is shown. Zero is no limit.
type ExcerptLimits struct {
	Turns int // entries; runs of messages with the same fate are left out in their middle
	Bytes int // of all texts together
	Text  int // bytes of a text that gave way to something else
	Kept  int // bytes of a text that is in the output as it was

	Unmasked bool // show secrets, too
}

// reportLimits are those of a report.
func reportLimits() ExcerptLimits {
	return ExcerptLimits{Turns: excerptTurns, Bytes: excerptBytes, Text: 1500, Kept: 400}
}

// NewTurns lines the messages of a conversation up with those of its output. The list keeps nothing of the pair alive.
func NewTurns(p *quality.Pair, limits ExcerptLimits) []Turn {
	turns := hideMiddles(lineUp(p), limits.Turns)
	fill := excerptFiller{pair: p, limits: limits, left: limits.Bytes, waiting: len(turns)}
	for i := range turns {
		fill.turn(&turns[i])
	}
	return turns
}

// lineUp gives the turns without texts: in the order of the output, and what is gone before what follows it.
func lineUp(p *quality.Pair) []Turn {
	var turns []Turn
	next := 0
	gone := func(until int) {
		for ; next < until; next++ {
			turns = append(turns, Turn{Fate: p.Fates[next].String(), Role: roleName(p.Before[next]), Before: next, After: -1})
		}
	}
	for k, m := range p.After {
		from := p.Origins[k]
		if from >= next {
			gone(from)
			next = from + 1
		}
		turns = append(turns, Turn{Fate: p.Sources[k].String(), Role: roleName(m), Before: from, After: k})
	}
	gone(len(p.Before))
	summaryBehind(turns, p.SummaryAt)
	return turns
}

// summaryBehind moves a summary that is a message of its own behind the messages it speaks for: the aligner only knows
// that it stands before what is kept next.
func summaryBehind(turns []Turn, at int) {
	i := slices.IndexFunc(turns, func(t Turn) bool { return t.After == at && t.Before < 0 })
	if i < 0 {
		return
	}
	for i+1 < len(turns) && turns[i+1].After < 0 {
		turns[i], turns[i+1] = turns[i+1], turns[i]
		i++
	}
}

// hideMiddles leaves out the middles of long runs of turns of one fate, the longer ones more, until at most limit entries
// are left.
func hideMiddles(turns []Turn, limit int) []Turn {
	if limit <= 0 || len(turns) <= limit {
		return turns
	}
	for _, most := range []int{40, 20, 12, 6} {
		if short := hideRuns(turns, most); len(short) <= limit {
			return short
		}
	}
	short := hideRuns(turns, 6)
	if len(short) <= limit {
		return short
	}
	head, tail := short[:limit/2], short[len(short)-limit/2:]
	gap := Turn{Fate: "various", Before: short[limit/2].Before, After: short[limit/2].After}
	for _, t := range short[limit/2 : len(short)-limit/2] {
		gap.Hidden += max(t.Hidden, 1)
	}
	return slices.Concat(head, []Turn{gap}, tail)
}

// hideRuns keeps at most so many turns of a run, half at its start and half at its end.
func hideRuns(turns []Turn, most int) []Turn {
	var out []Turn
	for i := 0; i < len(turns); {
		end := i + 1
		for end < len(turns) && turns[end].Fate == turns[i].Fate {
			end++
		}
		run := turns[i:end]
		if i = end; len(run) <= most+1 {
			out = append(out, run...)
			continue
		}
		middle := run[most/2 : len(run)-most/2]
		gap := Turn{Fate: run[0].Fate, Before: middle[0].Before, After: middle[0].After, Hidden: len(middle)}
		out = slices.Concat(out, run[:most/2], []Turn{gap}, run[len(run)-most/2:])
	}
	return out
}

// Texts is where the texts of a record come from, for its excerpt.
type Texts struct {
	// Pair gives the conversation before and after. It is called at most once, possibly long after Builder.Add, and must
	// give the same for the same record. nil: none can be shown.
	Pair func() *quality.Pair
	// Held is how many bytes of memory are kept alive for it.
	Held int
}

// heldBytes is how much memory the builder lets wait for Report to make excerpts of. Above, they are made at once.
const heldBytes = 48 << 20

// excerpts makes the excerpts of the worst rows. Most rows that are among the worst for a while are not in the end, so
// nothing is made before it must.
type excerpts struct {
	list []*waitingExcerpt
	held int
}

type waitingExcerpt struct {
	file  string
	index int64
	id    string
	line  int64
	texts Texts
	made  *Excerpt
}

func (w *waitingExcerpt) is(r WorstRow) bool { return w.file == r.File && w.index == r.Index }

// add takes a row that has just become one of the worst, and forgets those that are none any more.
func (e *excerpts) add(row *Row, lists ...*top[WorstRow]) {
	e.list = slices.DeleteFunc(e.list, func(w *waitingExcerpt) bool {
		gone := !slices.ContainsFunc(lists, func(t *top[WorstRow]) bool { return slices.ContainsFunc(t.list, w.is) })
		if gone {
			e.held -= w.texts.Held
		}
		return gone
	})
	if row.Texts.Pair == nil || row.Status == compress.Rejected {
		return
	}
	e.list = append(e.list, &waitingExcerpt{file: row.File, index: row.Index, id: row.ID, line: row.Line, texts: row.Texts})
	if e.held += row.Texts.Held; e.held > heldBytes {
		e.make()
	}
}

// make makes all that wait.
func (e *excerpts) make() {
	for _, w := range e.list {
		if w.made == nil {
			w.made = &Excerpt{File: w.file, Line: w.line, Index: w.index, ID: w.id, Turns: []Turn{}}
			if p := w.texts.Pair(); p != nil {
				w.made.Unchanged, w.made.Turns = p.Unchanged, NewTurns(p, reportLimits())
			}
			w.texts = Texts{}
		}
	}
	e.held = 0
}

// of gives the excerpts of the listed rows, each once, in the order of the lists.
func (e *excerpts) of(lists ...[]WorstRow) []Excerpt {
	e.make()
	out := []Excerpt{}
	for _, list := range lists {
		for _, r := range list {
			known := slices.ContainsFunc(out, func(x Excerpt) bool { return x.File == r.File && x.Index == r.Index })
			if i := slices.IndexFunc(e.list, func(w *waitingExcerpt) bool { return w.is(r) }); i >= 0 && !known && len(e.list[i].made.Turns) > 0 {
				out = append(out, *e.list[i].made)
			}
		}
	}
	return out
}

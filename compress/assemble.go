package compress

import (
	"context"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// plan is what is to be done with a prepared conversation; plain numbers, no texts.
type plan struct {
	head, end int // list[head:end) gives way to the summary; head == end means no summary
	anchor    int // the human message in there that is re-stated, -1 for none
	place     placing
	shortened bool
	demoted   int // how many messages of the tail, from its start, have their results pruned
}

// draft is a plan carried out: the whole output, weighed.
type draft struct {
	plan
	list    []weighed
	origin  []int // the message of prepared.list each one comes from, -1 for what was added
	tokens  int   // of the whole conversation
	actions []Action
	text    string // the summary
	info    *SummaryInfo
}

// planSummary places a summary of list[head:end), shortening the head where the table asks for it.
func (c *Compressor) planSummary(p *prepared, head, end int) plan {
	pl := plan{head: head, end: end}
	for {
		pl.anchor = -1
		if h := lastHuman(p.slots); h >= pl.head && h < end {
			pl.anchor = h
		}
		before, _ := lastTurn(p.slots, pl.head)
		after, _ := firstTurn(p.slots, end)
		if pl.anchor >= 0 {
			after = formats.RoleUser
		}
		if c.Options.SummaryRole != "" {
			pl.place = placeAs(c.Options.SummaryRole, before, after)
			return pl
		}
		if pl.place = place(before, after); pl.place != retreat {
			return pl
		}
		short := shorten(p.slots, p.pairing.Atoms, pl.head)
		if behindPinned(p.slots, p.pairing.Atoms, short, pl.head) > short { // what is pinned stays in the head
			pl.place = ownUser
			return pl
		}
		pl.head, pl.shortened = short, true
	}
}

// fresh is the tokens of list[head:end) without the anchor: what a summary of it would really replace.
func (p *prepared) fresh(head, end, anchor int) int {
	n := p.prefix[end] - p.prefix[head]
	if anchor >= head && anchor < end {
		n -= p.list[anchor].total
	}
	return n
}

// request is what the summariser gets for a plan.
func (c *Compressor) request(p *prepared, pl plan) summarize.Request {
	r := summarize.Request{
		Previous: p.earlier,
		Focus:    p.focus,
		Budget:   p.budget.Summary(p.fresh(pl.head, pl.end, pl.anchor) + p.earlierTokens),
		Ledger:   c.Options.LedgerTokens,
		NoRedact: c.Options.NoRedact,
		Count:    c.Meter.Counter.Count,
		From:     -1,
	}
	for i, w := range p.list {
		switch {
		case i < pl.head:
			r.Head = append(r.Head, w.msg)
		case i >= pl.end:
			r.Tail = append(r.Tail, w.msg)
		}
	}
	for _, a := range p.pairing.Atoms {
		if a.Start < pl.head || a.Start >= pl.end {
			continue
		}
		var t summarize.Turn
		for i := a.Start; i < a.End; i++ {
			cover(&r, p.list[i].msg.Number)
			if i == pl.anchor {
				r.Restated = p.list[i].msg
				continue
			}
			t.Messages = append(t.Messages, p.list[i].msg)
			t.Tokens += p.list[i].total
		}
		if len(t.Messages) > 0 {
			r.Turns = append(r.Turns, t)
		}
	}
	for _, e := range p.earlier {
		if parsed := summarize.Parse(e.Body); parsed.To > 0 {
			cover(&r, parsed.From)
			cover(&r, parsed.To)
		}
	}
	return r
}

// cover widens the range of numbers that the summary speaks of.
func cover(r *summarize.Request, number int) {
	if r.From < 0 || number < r.From {
		r.From = number
	}
	r.To = max(r.To, number)
}

// summarise carries out a plan with a summary: one call of the summariser.
func (c *Compressor) summarise(ctx context.Context, p *prepared, pl plan) (*draft, error) {
	req := c.request(p, pl)
	s, err := summarize.Compose(ctx, c.Summarizer, req)
	if err != nil {
		return nil, err
	}
	role := formats.RoleUser
	if pl.place == ownAssistant {
		role = formats.RoleAssistant
	}
	return c.build(p, pl, s.Text, &SummaryInfo{
		From: req.From, To: req.To, Role: role, Budget: req.Budget, Tokens: c.Meter.Counter.Count(s.Text),
		Source: p.fresh(pl.head, pl.end, pl.anchor) + p.earlierTokens, Prose: s.Prose,
	}), nil
}

// build carries out a plan, with the text of its summary when it has one (info is not nil).
func (c *Compressor) build(p *prepared, pl plan, text string, info *SummaryInfo) *draft {
	b := builder{c: c, p: p, d: &draft{plan: pl, text: text, info: info}}
	if info == nil {
		b.withoutSummary()
	} else {
		b.d.actions = append(b.d.actions, Action{
			Kind: ActionSummarize, Message: info.From, Through: info.To, Saved: info.Source - info.Tokens,
		})
		b.withSummary(text)
	}
	b.d.tokens = c.Meter.overhead(p.conv) + sum(b.d.list)
	return b.d
}

// builder puts an output together, message by message.
type builder struct {
	c *Compressor
	p *prepared
	d *draft
}

func (b *builder) add(w weighed, origin int) {
	b.d.list = append(b.d.list, w)
	b.d.origin = append(b.d.origin, origin)
}

// keep adds message i of the list: pruned outside the tail, demoted where the plan says so, else as it is.
func (b *builder) keep(i int) {
	p := b.p
	var pr *pruning
	switch {
	case i < p.bounds.old:
		pr = b.c.prune(p, i)
	case i < p.bounds.old+b.d.demoted:
		pr = b.c.demote(p, i)
	default:
		b.add(p.list[i], i)
		return
	}
	b.add(pr.with, i)
	b.d.actions = append(b.d.actions, pr.actions...)
}

// withoutSummary keeps every message: earlier summaries stay where they are.
func (b *builder) withoutSummary() {
	p, next := b.p, 0
	for i, w := range p.whole {
		switch {
		case next == len(p.index) || p.index[next] != i:
			b.add(w, -1)
			continue
		case p.list[next].msg == w.msg:
			b.keep(next)
		default:
			b.add(w, next)
		}
		next++
	}
}

func (b *builder) withSummary(text string) {
	p, d := b.p, b.d
	for i := range d.head {
		b.keep(i)
	}
	b.note()
	_, last := lastTurn(p.slots, d.head)
	switch d.place {
	case ownUser:
		b.add(b.message(formats.RoleUser, text), -1)
	case ownAssistant:
		b.add(b.message(formats.RoleAssistant, text), -1)
	case appendHead:
		b.edit(last, func(m *formats.Message) {
			m.AddText(summarize.JoinBack(m.OwnText(), text), false)
		})
	}
	if d.anchor >= 0 {
		b.add(p.list[d.anchor], d.anchor)
		d.actions = append(d.actions, Action{Kind: ActionRestate, Message: p.list[d.anchor].msg.Number})
	}
	for i := d.end; i < len(p.list); i++ {
		b.keep(i)
	}
	if d.place == mergeFront {
		at := d.anchor
		if at < 0 {
			_, at = firstTurn(p.slots, d.end)
		}
		b.edit(at, func(m *formats.Message) {
			m.AddText(summarize.JoinFront(text, m.OwnText()), true)
		})
	}
}

func (b *builder) message(role formats.Role, text string) weighed {
	m := b.p.conv.NewMessage(role, text)
	m.Number = b.d.info.From
	return b.c.Meter.weigh(m)
}

// edit changes the output message that comes from message i of the list.
func (b *builder) edit(i int, change func(*formats.Message)) {
	for k, origin := range b.d.origin {
		if origin == i {
			m := b.d.list[k].msg.Clone()
			change(m)
			b.d.list[k] = b.c.Meter.weigh(m)
			return
		}
	}
}

// note appends the note to the first system text, once.
func (b *builder) note() {
	if b.c.Options.NoNote || len(b.d.list) == 0 || b.d.list[0].msg.Role != formats.RoleSystem {
		return
	}
	m := b.d.list[0].msg
	if hasNote(m.Text()) {
		return
	}
	before := b.d.list[0].total
	b.edit(0, func(m *formats.Message) {
		text := summarize.Note
		if m.OwnText() != "" {
			text = "\n\n" + text
		}
		m.AddText(text, false)
	})
	b.d.actions = append(b.d.actions, Action{Kind: ActionNote, Message: m.Number, Saved: before - b.d.list[0].total})
}

// hasNote recognises the note by its first 50 characters.
func hasNote(text string) bool { return strings.Contains(text, summarize.Note[:50]) }

package compress

import (
	"context"

	"github.com/ctxpack/ctxpack/formats"
)

// choose finds the draft to go on with: nil when there is nothing to do.
func (c *Compressor) choose(ctx context.Context, p *prepared) (*draft, error) {
	if c.Options.Strategy == Fit {
		return c.fit(ctx, p)
	}
	return c.full(ctx, p)
}

// full prunes the head, summarises the whole middle, and relieves the tail where that was asked for.
func (c *Compressor) full(ctx context.Context, p *prepared) (*draft, error) {
	b := p.bounds
	switch {
	case c.Options.NoSummary:
		return c.relieve(p, c.pruneOnly(p)), nil
	case !c.worth(p, b.head, b.tail, b.anchor):
		return c.relieve(p, nil), nil
	}
	d, err := c.summarise(ctx, p, c.planSummary(p, b.head, b.tail))
	if err != nil {
		return nil, err
	}
	return c.relieve(p, d), nil
}

// fit stops at the first step that fits the window: prune; summarise the fewest oldest atoms; summarise the whole
// middle; prune inside the tail. When nothing fits, the last step's result goes out, over the limit. (A smaller one may
// exist where pruning alone beats a summary; choosing it would make the next run choose differently again.)
func (c *Compressor) fit(ctx context.Context, p *prepared) (*draft, error) {
	best := c.pruneOnly(p)
	if c.fits(p, best) || c.Options.NoSummary {
		return c.relieve(p, best), nil
	}
	b := p.bounds
	if !c.worth(p, b.head, b.tail, b.anchor) {
		return c.relieve(p, best), nil
	}
	end := c.fewest(p)
	d, err := c.summarise(ctx, p, c.planSummary(p, b.head, end))
	if err == nil && !c.fits(p, d) && end < b.tail {
		d, err = c.summarise(ctx, p, c.planSummary(p, b.head, b.tail))
	}
	if err != nil {
		return nil, err
	}
	return c.relieve(p, d), nil
}

func (c *Compressor) fits(p *prepared, d *draft) bool {
	return d != nil && !c.Options.over(p.budget, d.tokens)
}

// pruneOnly is the output without a summary, pruned outside the tail; nil when nothing changes.
func (c *Compressor) pruneOnly(p *prepared) *draft {
	d := c.build(p, plan{anchor: -1}, "", nil)
	if len(d.actions) == 0 && len(p.repairs) == 0 {
		return nil
	}
	return d
}

// worth says whether a summary of list[head:end) pays: not for a middle that is empty, holds nothing but an earlier
// summary and the last human message, or is smaller than four empty summaries.
func (c *Compressor) worth(p *prepared, head, end, anchor int) bool {
	return end > head && p.fresh(head, end, anchor) >= emptySummaryTimes*c.frame()
}

// fewest finds the smallest end of a region that starts at the head, such that what stays, the note and a summary of the
// region at its largest fit the window. Without one it is the whole middle.
func (c *Compressor) fewest(p *prepared) int {
	b := p.bounds
	stays := c.Meter.overhead(p.conv) + c.Meter.Counter.Count("\n\n"+noteText(c.Options))
	for i := range p.list {
		stays += c.kept(p, i)
	}
	for _, a := range p.pairing.Atoms {
		if a.Start < b.head || a.Start >= b.tail {
			continue
		}
		for i := a.Start; i < a.End; i++ {
			if i != b.anchor {
				stays -= c.kept(p, i)
			}
		}
		source := p.fresh(b.head, a.End, b.anchor)
		largest := messageTokens + p.budget.ceiling(source+p.earlierTokens, c.frame())
		if stays+largest <= p.budget.Threshold && c.worth(p, b.head, a.End, b.anchor) && c.separable(p, a.End) {
			return a.End
		}
	}
	return b.tail
}

// separable says whether a region may end here: not where the re-stated message would meet another user turn.
func (c *Compressor) separable(p *prepared, end int) bool {
	first, _ := firstTurn(p.slots, end)
	return p.bounds.anchor < 0 || p.bounds.anchor >= end || first != formats.RoleUser
}

// kept is the tokens of message i when it stays in the output.
func (c *Compressor) kept(p *prepared, i int) int {
	if i < p.bounds.old {
		return c.prune(p, i).with.total
	}
	return p.list[i].total
}

// relieve prunes results inside the tail, oldest first and never in its last atom, as far as the output needs it to fit.
// d may be nil: an output that would otherwise be the input.
func (c *Compressor) relieve(p *prepared, d *draft) *draft {
	if c.Options.TailOverflow != OverflowDemote || c.fits(p, d) {
		return d
	}
	pl, text, info := plan{anchor: -1}, "", (*SummaryInfo)(nil)
	tokens := c.Meter.overhead(p.conv) + sum(p.whole)
	if d != nil {
		pl, text, info, tokens = d.plan, d.text, d.info, d.tokens
	}
	last := p.pairing.Atoms[len(p.pairing.Atoms)-1].Start
	saved := 0
	for i := p.bounds.old; i < last && c.Options.over(p.budget, tokens); i++ {
		s := c.demote(p, i).saved
		tokens -= s
		if saved += s; s > 0 {
			pl.demoted = i + 1 - p.bounds.old
		}
	}
	if saved == 0 {
		return d
	}
	return c.build(p, pl, text, info)
}

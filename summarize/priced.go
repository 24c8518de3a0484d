package summarize

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Price is in US dollars per million tokens. The zero Price is unknown.
type Price struct{ Input, Output, CacheRead float64 }

// Cost is what usage costs, in dollars. Prompt includes the tokens that were read from the provider's cache.
func (p Price) Cost(u Usage) float64 {
	read := p.CacheRead
	if read == 0 {
		read = p.Input
	}
	return (float64(u.Prompt-u.CacheRead)*p.Input + float64(u.CacheRead)*read + float64(u.Completion)*p.Output) / 1e6
}

// Priced counts what calls cost and stops before a limit is exceeded: a call whose highest possible cost would exceed it
// waits until those in flight are settled; when it still would, it and every later call fail with ErrCostLimit. What may
// have been charged for a call that broke off counts as charged.
type Priced struct {
	client Client
	price  Price
	limit  float64 // 0 for none
	stats  *Stats

	mu              sync.Mutex
	spent, reserved float64
	over            bool
	settled         chan struct{} // closed and replaced whenever a call is settled
}

// NewPriced wraps client. limit is in US dollars; 0 means none.
func NewPriced(client Client, price Price, limit float64, stats *Stats) *Priced {
	return &Priced{client: client, price: price, limit: limit, stats: stats, settled: make(chan struct{})}
}

// Name is the client's.
func (p *Priced) Name() string { return p.client.Name() }

// Complete asks, if it can be paid.
func (p *Priced) Complete(ctx context.Context, call Call) (Answer, error) {
	highest := p.price.Cost(Usage{Prompt: call.Tokens + call.Tokens/4, Completion: call.MaxTokens})
	if err := p.reserve(ctx, highest); err != nil {
		return Answer{}, err
	}
	a, err := p.client.Complete(ctx, call)
	used := a.Tokens
	var failed *CallError
	if errors.As(err, &failed) {
		used = failed.Tokens
	}
	cost := p.price.Cost(used)
	if err != nil && (failed != nil && failed.Unknown || failed == nil && ctx.Err() != nil) {
		cost = highest
	}
	p.stats.charge(used, cost)
	p.settle(highest, cost)
	return a, err
}

func (p *Priced) reserve(ctx context.Context, cost float64) error {
	for {
		p.mu.Lock()
		if p.limit <= 0 {
			p.mu.Unlock()
			return nil
		}
		p.over = p.over || p.spent+cost > p.limit
		switch {
		case p.over:
			spent := p.spent
			p.mu.Unlock()
			return fmt.Errorf("%w: %.4f of %.4f dollars are spent", ErrCostLimit, spent, p.limit)
		case p.spent+p.reserved+cost <= p.limit:
			p.reserved += cost
			p.mu.Unlock()
			return nil
		}
		settled := p.settled
		p.mu.Unlock()
		select {
		case <-settled:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *Priced) settle(reserved, cost float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent += cost
	if p.limit > 0 {
		p.reserved -= reserved
		close(p.settled)
		p.settled = make(chan struct{})
	}
}

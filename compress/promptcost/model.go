package promptcost

import (
	"iter"
	"strings"

	"github.com/ctxpack/ctxpack/compress/models"
)

// DefaultMinimum is the shortest prefix, in tokens, that most models cache.
const DefaultMinimum = 1024

// DefaultLookback is how many positions are searched from a breakpoint backward, that of the breakpoint included.
const DefaultLookback = 20

// breakpoints is how many of them a call has.
const breakpoints = 4

// Rates are what cached tokens cost, as multiples of an input token.
type Rates struct {
	Write5m float64 // written to an entry that lives five minutes
	Write1h float64 // written to one that lives an hour
	Read    float64
}

// StandardRates are Anthropic's for nearly all models.
func StandardRates() Rates { return Rates{Write5m: 1.25, Write1h: 2, Read: 0.1} }

// RatesOf are the rates of a price table; the standard ones where it says nothing. Tables do not list the price of an hour,
// which is twice the input's.
func RatesOf(p models.Price) Rates {
	r := StandardRates()
	if p.Input > 0 && p.CacheWrite > 0 {
		r.Write5m = p.CacheWrite / p.Input
	}
	if p.Input > 0 && p.CacheRead > 0 {
		r.Read = p.CacheRead / p.Input
		if p.CacheWrite == 0 { // a provider that caches by itself: what is written costs what it would anyway
			r.Write5m, r.Write1h = 1, 1
		}
	}
	return r
}

// Model is what has to be known of a model. The zero Model has the usual rates and limits. Safe for concurrent use.
type Model struct {
	Minimum  int   // shortest prefix that is cached, in tokens; 0 is DefaultMinimum, below 0 none
	Lookback int   // positions searched; 0 is DefaultLookback
	Rates    Rates // the zero Rates are StandardRates
}

func (m Model) withDefaults() Model {
	if m.Minimum == 0 {
		m.Minimum = DefaultMinimum
	}
	if m.Lookback <= 0 {
		m.Lookback = DefaultLookback
	}
	if m.Rates == (Rates{}) {
		m.Rates = StandardRates()
	}
	return m
}

// MinimumFor is the shortest prefix that the named model caches, in tokens, as Anthropic's documentation lists it (2026-11);
// DefaultMinimum for a model that is not listed.
func MinimumFor(model string) int {
	name := strings.ReplaceAll(strings.ToLower(model), ".", "-")
	for _, row := range []struct {
		part   string
		tokens int
	}{
		{"opus-4-7", 2048}, {"opus-4-6", 4096}, {"opus-4-5", 4096}, {"haiku-4-5", 4096}, {"3-5-haiku", 2048}, {"haiku-3-5", 2048}, {"3-haiku", 2048},
		{"opus-5", 512}, {"fable-5", 512}, {"mythos-5", 512},
	} {
		if strings.Contains(name, row.part) {
			return row.tokens
		}
	}
	return DefaultMinimum
}

// Account reckons a whole run of calls.
func (m Model) Account(calls iter.Seq[Call]) Account {
	s := m.NewSession()
	for c := range calls {
		s.Add(c)
	}
	return s.Total()
}

// Caching is how a run uses the cache.
type Caching uint8

// The ways to use it.
const (
	NoCaching Caching = iota
	FiveMinutes
	OneHour
)

// Cost is where the tokens of prompts went, and what they cost.
type Cost struct {
	Written     int     `json:"written"`
	Read        int     `json:"read"`
	Uncached    int     `json:"uncached"`
	Equivalents float64 `json:"equivalents"` // input tokens that cost as much
}

// Tokens is the number of tokens of the prompts.
func (c Cost) Tokens() int { return c.Written + c.Read + c.Uncached }

func (c Cost) plus(d Cost) Cost {
	return Cost{Written: c.Written + d.Written, Read: c.Read + d.Read, Uncached: c.Uncached + d.Uncached}
}

// priced fills Equivalents in.
func (c Cost) priced(r Rates, how Caching) Cost {
	write := r.Write5m
	if how == OneHour {
		write = r.Write1h
	}
	c.Equivalents = float64(c.Uncached) + write*float64(c.Written) + r.Read*float64(c.Read)
	return c
}

// CallCost is what one call costs in each way.
type CallCost struct {
	Prompt      int  `json:"prompt"` // tokens
	Output      int  `json:"output"` // tokens
	NoCaching   Cost `json:"no_caching"`
	FiveMinutes Cost `json:"five_minutes"`
	OneHour     Cost `json:"one_hour"`
}

// Of is the cost in one way.
func (c CallCost) Of(how Caching) Cost {
	return [...]Cost{c.NoCaching, c.FiveMinutes, c.OneHour}[how]
}

// Saved is the share of the prompts' cost that caching saves, below 0 where it costs more; 0 without prompts.
func (c CallCost) Saved(how Caching) float64 {
	if c.Prompt == 0 {
		return 0
	}
	return 1 - c.Of(how).Equivalents/float64(c.Prompt)
}

// Dollars is the price of prompts and answers; false when the table does not know it. Cached tokens cost what the model's
// rates say: RatesOf(p) makes them those of the table.
func (c CallCost) Dollars(how Caching, p models.Price) (float64, bool) {
	return (c.Of(how).Equivalents*p.Input + float64(c.Output)*p.Output) / 1e6, p.Known()
}

// Account is what calls cost together.
type Account struct {
	Calls int `json:"calls"`
	CallCost
}

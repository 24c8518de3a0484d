package summarize

import "sync/atomic"

// Stats counts what a run's calls took, those of records that failed included. The zero value is ready; safe for
// concurrent use. A nil *Stats counts nothing.
type Stats struct {
	inFlight, most                atomic.Int64
	calls, retries, hits, masked  atomic.Int64
	prompt, completion, cacheRead atomic.Int64
	cost, saved, unsaved          atomic.Int64 // cost and saved in billionths of a dollar
}

// Figures are the values of Stats at one moment.
type Figures struct {
	InFlight         int64
	MostInFlight     int64
	Calls            int64 // sent to the provider, retries included
	Retries          int64
	CacheHits        int64
	Masked           int64 // secrets masked in prompts
	PromptTokens     int64 // charged, like the two below
	CompletionTokens int64
	CacheReadTokens  int64
	Cost             float64 // US dollars; 0 where no price is known
	CostSaved        float64 // what the answers from the cache would have cost
	Unsaved          int64   // answers that could not be put into the cache
}

// Figures gives the values.
func (s *Stats) Figures() Figures {
	if s == nil {
		return Figures{}
	}
	return Figures{
		InFlight: s.inFlight.Load(), MostInFlight: s.most.Load(), Calls: s.calls.Load(), Retries: s.retries.Load(),
		CacheHits: s.hits.Load(), Masked: s.masked.Load(), PromptTokens: s.prompt.Load(),
		CompletionTokens: s.completion.Load(), CacheReadTokens: s.cacheRead.Load(),
		Cost: float64(s.cost.Load()) / 1e9, CostSaved: float64(s.saved.Load()) / 1e9, Unsaved: s.unsaved.Load(),
	}
}

func (s *Stats) begin() {
	if s == nil {
		return
	}
	s.calls.Add(1)
	now := s.inFlight.Add(1)
	for {
		most := s.most.Load()
		if now <= most || s.most.CompareAndSwap(most, now) {
			return
		}
	}
}

func (s *Stats) end() {
	if s != nil {
		s.inFlight.Add(-1)
	}
}

func (s *Stats) retry() {
	if s != nil {
		s.retries.Add(1)
	}
}

func (s *Stats) hit(saved float64) {
	if s != nil {
		s.hits.Add(1)
		s.saved.Add(int64(saved * 1e9))
	}
}

func (s *Stats) notSaved() {
	if s != nil {
		s.unsaved.Add(1)
	}
}

func (s *Stats) mask(n int) {
	if s != nil {
		s.masked.Add(int64(n))
	}
}

func (s *Stats) charge(u Usage, cost float64) {
	if s == nil {
		return
	}
	s.prompt.Add(int64(u.Prompt))
	s.completion.Add(int64(u.Completion))
	s.cacheRead.Add(int64(u.CacheRead))
	s.cost.Add(int64(cost * 1e9))
}

package promptcost

import "time"

// Block is one message of a prompt, or the tools and the system prompt before them.
type Block struct {
	ID        uint64 // equal for blocks that say the same, and only for these: a hash, or a number
	Tokens    int    // below 0 counts as 0
	System    bool   // tools or system prompt
	Unmarked  bool   // cannot carry a marker, and is passed over when breakpoints are placed
	Positions int    // content blocks it consists of, a run of calls or of results being one; 0 counts as 1
}

// Call is one call of the model.
type Call struct {
	Keep   int       // how many leading blocks of the call before are the prompt's too; 0 when Blocks are all of it
	Blocks []Block   // the rest of the prompt, in order: tools and system prompt first
	Output int       // tokens of the answer
	At     time.Time // when it was made; zero when that is not known
}

// cache is what one way of caching has written: when each entry was last used, zero where that is not known.
type cache struct {
	lifetime time.Duration
	used     map[prefix]time.Time
}

// Session follows the calls of one run of an agent. Memory grows with the longest prompt and the number of calls, not with
// their product. Not safe for concurrent use.
type Session struct {
	model   Model
	prompt  []held
	five    cache
	hour    cache
	account Account
}

// held is a block of the latest prompt, with all that stands before it.
type held struct {
	prefix
	positions int // up to its end
	system    bool
	unmarked  bool
}

// prefix identifies a beginning of a prompt.
type prefix struct {
	hash           uint64
	blocks, tokens int
}

// NewSession begins a run with an empty cache.
func (m Model) NewSession() *Session {
	return &Session{
		model: m.withDefaults(),
		five:  cache{5 * time.Minute, map[prefix]time.Time{}},
		hour:  cache{time.Hour, map[prefix]time.Time{}},
	}
}

// Add reckons the next call. A Keep that is out of range is moved into it.
func (s *Session) Add(c Call) CallCost {
	s.read(c)
	marks := s.breakpoints()
	cost := CallCost{Output: c.Output}
	if n := len(s.prompt); n > 0 {
		cost.Prompt = s.prompt[n-1].tokens
	}
	cost.NoCaching = Cost{Uncached: cost.Prompt}.priced(s.model.Rates, NoCaching)
	cost.FiveMinutes = s.call(s.five, marks, c.At).priced(s.model.Rates, FiveMinutes)
	cost.OneHour = s.call(s.hour, marks, c.At).priced(s.model.Rates, OneHour)
	s.count(cost)
	return cost
}

// Total is the account so far.
func (s *Session) Total() Account { return s.account }

func (s *Session) count(c CallCost) {
	t, r := &s.account, s.model.Rates
	t.Calls++
	t.Prompt += c.Prompt
	t.Output += c.Output
	t.NoCaching = t.NoCaching.plus(c.NoCaching).priced(r, NoCaching)
	t.FiveMinutes = t.FiveMinutes.plus(c.FiveMinutes).priced(r, FiveMinutes)
	t.OneHour = t.OneHour.plus(c.OneHour).priced(r, OneHour)
}

// read makes the call's prompt of the one before.
func (s *Session) read(c Call) {
	s.prompt = s.prompt[:min(max(c.Keep, 0), len(s.prompt))]
	var last held
	if n := len(s.prompt); n > 0 {
		last = s.prompt[n-1]
	}
	for _, b := range c.Blocks {
		last = held{
			prefix:    prefix{mix(last.hash, b.ID), last.blocks + 1, last.tokens + max(b.Tokens, 0)},
			positions: last.positions + max(b.Positions, 1), system: b.System, unmarked: b.Unmarked,
		}
		s.prompt = append(s.prompt, last)
	}
}

// mix hashes an id onto the hash of what stands before it, by the finishing steps of splitmix64.
func mix(hash, id uint64) uint64 {
	x := hash*0x9e3779b97f4a7c15 + id + 0x632be59bd9b4e019
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// breakpoints are the blocks behind which the cache is written, the last one first: those of the placement that are not
// below the minimum.
func (s *Session) breakpoints() []int {
	system := -1
	for i, b := range s.prompt {
		if !b.system {
			break
		}
		if !b.unmarked {
			system = i
		}
	}
	left := breakpoints
	if system >= 0 {
		left--
	}
	marks := make([]int, 0, breakpoints)
	for i := len(s.prompt) - 1; i > system && left > 0; i-- {
		if b := s.prompt[i]; !b.system && !b.unmarked {
			marks = append(marks, i)
			left--
		}
	}
	if system >= 0 {
		marks = append(marks, system)
	}
	for len(marks) > 0 && s.prompt[marks[len(marks)-1]].tokens < max(s.model.Minimum, 1) {
		marks = marks[:len(marks)-1]
	}
	return marks
}

// call splits the prompt into what is read, written and neither, and notes what the call leaves in the cache.
func (s *Session) call(c cache, marks []int, at time.Time) Cost {
	total := 0
	if n := len(s.prompt); n > 0 {
		total = s.prompt[n-1].tokens
	}
	if len(marks) == 0 {
		return Cost{Uncached: total}
	}
	read := 0
	for _, mark := range marks {
		if hit, ok := s.find(c, mark, at); ok {
			read = s.prompt[hit].tokens
			c.use(s.prompt[hit].prefix, at)
			break
		}
	}
	for _, mark := range marks {
		c.use(s.prompt[mark].prefix, at)
	}
	end := s.prompt[marks[0]].tokens
	return Cost{Read: read, Written: end - read, Uncached: total - end}
}

// find searches for an entry from a breakpoint backward.
func (s *Session) find(c cache, mark int, at time.Time) (int, bool) {
	for i := mark; i >= 0 && s.prompt[mark].positions-s.prompt[i].positions < s.model.Lookback; i-- {
		if c.alive(s.prompt[i].prefix, at) {
			return i, true
		}
	}
	return 0, false
}

func (c cache) alive(p prefix, at time.Time) bool {
	used, ok := c.used[p]
	return ok && (used.IsZero() || at.IsZero() || at.Sub(used) <= c.lifetime)
}

// use notes a use of an entry. Calls of a transcript may stand a little out of order: the latest use counts.
func (c cache) use(p prefix, at time.Time) {
	if used, ok := c.used[p]; !ok || at.IsZero() || used.Before(at) {
		c.used[p] = at
	}
}

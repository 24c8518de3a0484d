package tokens

import (
	"sync"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/bpe"
	"github.com/ctxpack/ctxpack/compress/tokens/internal/split"
)

// bytePair counts with the package's own engine: a splitter cuts a text into pieces, and the tokens
// of each piece are those of byte-pair encoding over a vocabulary.
type bytePair struct {
	name     string
	splitter split.Splitter
	slow     *split.Regexp // the splitter, if there is none written by hand
	states   sync.Pool     // of *state: caches that only one Count at a time may use
}

// state is what one Count needs for itself.
type state struct {
	counter *bpe.Counter
	ends    [256]int
}

// newBytePair returns a counter that calls load when it first counts, and whenever it makes another
// state; load returns the same vocabulary every time.
func newBytePair(name string, splitter split.Splitter, load func() *bpe.Vocabulary) *bytePair {
	return &bytePair{name: name, splitter: splitter, states: sync.Pool{New: func() any {
		return &state{counter: bpe.NewCounter(load())}
	}}}
}

func (b *bytePair) Name() string { return b.name }
func (b *bytePair) Exact() bool  { return true }

func (b *bytePair) Count(text string) int {
	s := b.states.Get().(*state)
	defer b.states.Put(s)
	if b.slow != nil {
		return s.counter.Count(text, 0, b.slow.Ends(text))
	}
	total := 0
	for start := 0; start < len(text); {
		n := b.splitter.Split(text, start, s.ends[:])
		total += s.counter.Count(text, start, s.ends[:n])
		start = s.ends[n-1]
	}
	return total
}

package bpe

import (
	"errors"
	"fmt"
)

// ErrAlphabet is wrapped by the error of FromRanks for tokens without some single byte.
var ErrAlphabet = errors.New("a byte has no token")

// ErrLong is wrapped by the error of FromRanks and FromMerges for a token longer than any in use;
// finding its parts takes quadratic time.
var ErrLong = errors.New("a token is too long")

const maxTokenLength = 1024

// FromRanks derives the merges of an encoding that is given as its tokens, the lowest rank first,
// as tiktoken does: any two neighbours that spell a token may merge, the lowest rank first. Tokens
// that merging does not lead to are returned as whole. The single bytes may stand anywhere.
func FromRanks(ranked []string) (merges []Merge, whole []string, err error) {
	b := newBuilder(len(ranked))
	single := 0
	for _, token := range ranked {
		if len(token) > maxTokenLength {
			return nil, nil, fmt.Errorf("%w: %d bytes", ErrLong, len(token))
		}
		if len(token) == 1 {
			single++
		}
	}
	if single != 256 {
		return nil, nil, fmt.Errorf("%w: %d of 256", ErrAlphabet, single)
	}
	for _, token := range ranked {
		if len(token) < 2 {
			continue
		}
		if parts := b.parts(token); len(parts) == 2 {
			b.add(parts[0], parts[1])
		} else {
			whole = append(whole, token)
		}
	}
	for _, token := range whole {
		if len(b.parts(token)) == 2 {
			return nil, nil, fmt.Errorf("%w: the parts of %q", ErrOrder, token)
		}
	}
	return b.merges, whole, nil
}

// FromMerges derives the merges of an encoding that is given as a list of them, the first one first,
// as Hugging Face's tokenizers do: only the pairs of the list may merge. A pair that cannot come up,
// because other merges get there first, is left out. tokens are all tokens of the encoding; those
// that merging does not lead to are returned as unreached.
func FromMerges(pairs [][2]string, tokens []string) (merges []Merge, unreached []string, err error) {
	b := newBuilder(len(pairs))
	made := make(map[string]uint32, 256+len(pairs))
	for i := range 256 {
		made[string([]byte{byte(i)})] = uint32(i)
	}
	var skipped [][2]string
	for _, pair := range pairs {
		left, isLeft := made[pair[0]]
		right, isRight := made[pair[1]]
		token := pair[0] + pair[1]
		if len(token) > maxTokenLength {
			return nil, nil, fmt.Errorf("%w: %d bytes", ErrLong, len(token))
		}
		if _, isMade := made[token]; isMade {
			continue
		}
		parts := b.parts(token)
		if isLeft && isRight && len(parts) == 2 && parts[0] == left && parts[1] == right {
			made[token] = b.add(left, right)
		} else {
			skipped = append(skipped, pair)
		}
	}
	for _, pair := range skipped {
		left, isLeft := made[pair[0]]
		right, isRight := made[pair[1]]
		if _, isMade := made[pair[0]+pair[1]]; isMade || !isLeft || !isRight {
			continue
		}
		if parts := b.parts(pair[0] + pair[1]); len(parts) == 2 && parts[0] == left && parts[1] == right {
			return nil, nil, fmt.Errorf("%w: the parts of %q", ErrOrder, pair[0]+pair[1])
		}
	}
	for _, token := range tokens {
		if _, isMade := made[token]; !isMade {
			unreached = append(unreached, token)
		}
	}
	return b.merges, unreached, nil
}

// builder merges with the merges known so far, to find those that come next.
type builder struct {
	merges []Merge
	known  map[Merge]uint32
}

func newBuilder(n int) *builder {
	return &builder{merges: make([]Merge, 0, n), known: make(map[Merge]uint32, n)}
}

// add adds the merge of two tokens and returns the new one.
func (b *builder) add(left, right uint32) uint32 {
	id := uint32(256 + len(b.merges))
	b.merges = append(b.merges, Merge{left, right})
	b.known[Merge{left, right}] = id
	return id
}

// parts returns the tokens that token is merged to so far. It takes quadratic time: tokens are short.
func (b *builder) parts(token string) []uint32 {
	parts := make([]uint32, len(token))
	for i := range len(token) {
		parts[i] = uint32(token[i])
	}
	for {
		lowest, at := none, 0
		for i := range len(parts) - 1 {
			if id, found := b.known[Merge{parts[i], parts[i+1]}]; found && id < lowest {
				lowest, at = id, i
			}
		}
		if lowest == none {
			return parts
		}
		parts[at] = lowest
		parts = append(parts[:at+1], parts[at+2:]...)
	}
}

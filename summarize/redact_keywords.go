package summarize

import (
	"cmp"
	"slices"
	"strings"
)

// keyword is a keyword of a rule.
type keyword struct {
	text string
	rule int
}

// keywordFinder finds where in a text keywords may begin, and which.
type keywordFinder struct {
	pairs  [1 << 16]uint16 // index into groups, by the first two bytes of a keyword; 0 for none
	groups [][]keyword

	// near tells most of a text apart. Every keyword shows, at each second place of a text, one of two sequences of four
	// bytes: its first ones, or those from its second on. Each sequence has one of 64 bits, which it may share, set in
	// near[k] for what its byte k may be. All tables together stay in the fastest memory.
	near [nearBytes][256]uint64
}

const (
	nearBytes   = 4
	keywordStep = 2 // places of a text from one look into near to the next
)

// learn enters the keywords of the rules.
func (f *keywordFinder) learn(rules []compiledRule) {
	f.groups = make([][]keyword, 1)
	var sequences []sequence
	for i, rule := range rules {
		for _, text := range rule.keywords {
			for _, first := range spellings(text[0], rule.fold) {
				for _, second := range spellings(text[1], rule.fold) {
					f.enter(first, second, keyword{text, i})
				}
			}
			for from := range keywordStep {
				q := sequence{bytes: text[from:min(from+nearBytes, len(text))], fold: rule.fold}
				if !slices.Contains(sequences, q) {
					sequences = append(sequences, q)
				}
			}
		}
	}
	f.share(sequences)
}

// sequence is what a place of a text shows of a keyword: up to four bytes, anything behind them.
type sequence struct {
	bytes string
	fold  bool
}

// share gives each sequence a bit: those that say least about a text one each; of the others, those that begin alike
// share one.
func (f *keywordFinder) share(sequences []sequence) {
	slices.SortFunc(sequences, func(a, b sequence) int {
		return cmp.Or(cmp.Compare(min(len(a.bytes), nearBytes-1), min(len(b.bytes), nearBytes-1)), strings.Compare(a.bytes, b.bytes))
	})
	alone := 0
	for alone < len(sequences) && alone < 32 && len(sequences[alone].bytes) < nearBytes-1 {
		alone++
	}
	for i, q := range sequences {
		bit := i
		if i >= alone {
			bit = alone + (i-alone)*(64-alone)/(len(sequences)-alone)
		}
		for k := range nearBytes {
			if k >= len(q.bytes) {
				for c := range 256 {
					f.near[k][c] |= 1 << bit
				}
				continue
			}
			for _, c := range spellings(q.bytes[k], q.fold) {
				f.near[k][c] |= 1 << bit
			}
		}
	}
}

// spellings is a byte, and with fold its capital.
func spellings(c byte, fold bool) []byte {
	if fold && c >= 'a' && c <= 'z' {
		return []byte{c, c - ('a' - 'A')}
	}
	return []byte{c}
}

// enter notes a keyword under its first two bytes.
func (f *keywordFinder) enter(first, second byte, k keyword) {
	pair := int(first)<<8 | int(second)
	if f.pairs[pair] == 0 {
		f.groups = append(f.groups, nil)
		f.pairs[pair] = uint16(len(f.groups) - 1)
	}
	g := &f.groups[f.pairs[pair]]
	if !slices.Contains(*g, k) {
		*g = append(*g, k)
	}
}

// beginning is the keywords that begin with two bytes, in either case where that does not count.
func (f *keywordFinder) beginning(first, second byte) []keyword {
	return f.groups[f.pairs[int(first)<<8|int(second)]]
}

// next gives the first place from at on, by steps of keywordStep, such that a keyword may begin there or one byte before
// it; len(text) if there is none. In the last bytes of a text, too few to tell, one may begin anywhere.
func (f *keywordFinder) next(text string, at int) int {
	for ; at+nearBytes <= len(text); at += keywordStep {
		four := text[at : at+nearBytes]
		if f.near[0][four[0]]&f.near[1][four[1]]&f.near[2][four[2]]&f.near[3][four[3]] != 0 {
			return at
		}
	}
	return min(at, len(text))
}

// matches compares with a keyword; with fold, capitals of ASCII do not count (the keyword is in small letters).
func matches(text, keyword string, fold bool) bool {
	if !fold {
		return text == keyword
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != keyword[i] {
			return false
		}
	}
	return true
}

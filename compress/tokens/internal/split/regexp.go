package split

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// Regexp cuts texts by regular expressions, the slow way: each cuts up the pieces that the ones
// before have left, into its matches and what lies between them. It is safe for concurrent use.
type Regexp struct{ steps []*regexp2.Regexp }

// NewRegexp compiles patterns as Oniguruma and .NET understand them, with lookahead.
func NewRegexp(patterns []string) (*Regexp, error) {
	r := &Regexp{}
	for _, pattern := range patterns {
		step, err := regexp2.Compile(pattern, regexp2.None)
		if err != nil {
			return nil, fmt.Errorf("pattern of the tokenizer: %w", err)
		}
		// No match timeout: it would start a clock, and change counts.
		step.MatchTimeout = math.MaxInt64
		r.steps = append(r.steps, step)
	}
	if len(r.steps) == 0 {
		return nil, errors.New("pattern of the tokenizer: none")
	}
	return r, nil
}

// Ends returns the ends of the pieces of text, in bytes.
func (r *Regexp) Ends(text string) []int {
	if text == "" {
		return nil
	}
	runes := []rune(text)
	ends := []int{len(runes)}
	for _, step := range r.steps {
		ends = cut(step, runes, ends)
	}
	return byteOffsets(text, ends)
}

// cut cuts each of the pieces that end at ends by one pattern.
func cut(step *regexp2.Regexp, runes []rune, ends []int) []int {
	var finer []int
	start := 0
	for _, end := range ends {
		piece := runes[start:end]
		match, err := step.FindRunesMatch(piece)
		for err == nil && match != nil {
			if match.Length > 0 {
				if match.Index > 0 {
					finer = append(finer, start+match.Index)
				}
				finer = append(finer, start+match.Index+match.Length)
			}
			match, err = step.FindNextMatch(match)
		}
		finer = append(finer, end)
		start = end
	}
	return slices.Compact(finer)
}

// byteOffsets turns offsets in characters into offsets in bytes, in place.
func byteOffsets(text string, ends []int) []int {
	character, next := 0, 0
	for i := 0; i < len(text); character++ {
		if character == ends[next] {
			ends[next] = i
			next++
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	ends[next] = len(text)
	return ends
}

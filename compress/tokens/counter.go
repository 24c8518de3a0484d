// Package tokens counts the tokens of texts, the way the models that read them do.
//
// Counts are exact for the OpenAI encodings (o200k_base, cl100k_base, p50k_base, r50k_base) and for
// byte-level BPE tokenizers read from a file with [Load]; for model families without a public
// vocabulary they are the o200k_base count times a published factor, see [ForFamily].
// Texts that spell a special token ("<|endoftext|>") are counted as the ordinary text they are,
// and every byte that is not part of valid UTF-8 counts as U+FFFD does.
//
// Nothing is loaded before it is needed: [New] and [ForFamily] are cheap, the first Count of a
// vocabulary loads it, and all counters of one vocabulary share it.
package tokens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Counter counts the tokens of one text.
//
// A Counter is safe for concurrent use. It retains nothing of a text after Count has returned, so a
// text may be a view of a buffer that is reused afterwards.
type Counter interface {
	// Count returns the number of tokens of text, without any special token around it; 0 for "".
	Count(text string) int
	// Name names the encoding as it is printed in reports, for example "o200k_base" or
	// "o200k_base x1.20 (claude, approx)".
	Name() string
	// Exact reports whether Count is the number of tokens that the model itself sees.
	Exact() bool
}

// Names lists the names that [New] accepts, in the order of help texts.
func Names() []string {
	names := make([]string, 0, len(encodings))
	for _, e := range encodings {
		names = append(names, e.name)
	}
	return names
}

// New returns the counter of an encoding: one of [Names]. The names "tiktoken:..." count with the
// library tiktoken-go, the slow reference that the package's own engine is checked against.
//
// New loads nothing; the first Count does. An unknown name is an [*UnknownError].
func New(name string) (Counter, error) {
	for _, e := range encodings {
		if e.name == name {
			return e.counter, nil
		}
	}
	return nil, &UnknownError{Kind: "tokenizer", Name: name, Known: nearestFirst(name, Names())}
}

// UnknownError reports a name that no table knows.
type UnknownError struct {
	Kind  string   // what the name was to be: "tokenizer" or "tokenizer family"
	Name  string   // the unknown name
	Known []string // every known name, the most similar first
}

// Error lists the three most similar known names.
func (e *UnknownError) Error() string {
	near := e.Known[:min(3, len(e.Known))]
	return fmt.Sprintf("unknown %s %q (did you mean %s?)", e.Kind, e.Name, strings.Join(near, ", "))
}

// nearestFirst returns known ordered by edit distance to name; ties keep their order.
func nearestFirst(name string, known []string) []string {
	name = strings.ToLower(name)
	ordered := slices.Clone(known)
	slices.SortStableFunc(ordered, func(a, b string) int {
		return cmp.Compare(editDistance(name, a), editDistance(name, b))
	})
	return ordered
}

// editDistance is the Levenshtein distance of a and b in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

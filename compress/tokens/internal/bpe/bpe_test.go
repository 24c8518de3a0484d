package bpe

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// naive counts as tiktoken defines it: of all neighbours that spell a token, those of the lowest
// rank are joined, the leftmost of several, until there are none.
func naive(ranks map[string]int, piece string) int {
	piece = string([]rune(piece)) // U+FFFD for every byte that is not valid
	if _, found := ranks[piece]; found {
		return 1
	}
	var parts []string
	for i := range len(piece) {
		parts = append(parts, piece[i:i+1])
	}
	for {
		lowest, at := len(ranks)+256, -1
		for i := range len(parts) - 1 {
			if rank, found := ranks[parts[i]+parts[i+1]]; found && rank < lowest {
				lowest, at = rank, i
			}
		}
		if at < 0 {
			return len(parts)
		}
		parts[at] += parts[at+1]
		parts = slices.Delete(parts, at+1, at+2)
	}
}

// alphabet has letters of one to four bytes that share bytes.
var alphabet = []string{"a", "b", "c", " ", "é", "è", "д", "中", "丮", "的", "のे", "人", "😀", "😁", "\xe4", "\xff"}

// drawRanked draws a vocabulary: the bytes, then tokens of two parts that came before, and now and
// then one that merges do not lead to.
func drawRanked(t *rapid.T) []string {
	var ranked []string
	for b := range 256 {
		ranked = append(ranked, string([]byte{byte(b)}))
	}
	var bytes []string
	for _, letter := range alphabet {
		for i := range len(letter) {
			bytes = append(bytes, letter[i:i+1])
		}
	}
	tokens := slices.Clone(bytes)
	for range rapid.IntRange(0, 60).Draw(t, "tokens") {
		var token string
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			token = strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 1, 4).Draw(t, "letters"), "")
		case 1:
			letter := rapid.SampledFrom(alphabet).Draw(t, "letter")
			token = letter[:rapid.IntRange(1, len(letter)).Draw(t, "length")]
		default:
			token = rapid.SampledFrom(tokens).Draw(t, "left") + rapid.SampledFrom(tokens).Draw(t, "right")
		}
		if len(token) > 1 && !slices.Contains(ranked, token) {
			ranked = append(ranked, token)
			tokens = append(tokens, token)
		}
	}
	return ranked
}

// TestCountIsNaiveCount compares the whole engine with the definition, for random vocabularies.
func TestCountIsNaiveCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranked := drawRanked(t)
		merges, whole, err := FromRanks(ranked)
		if errors.Is(err, ErrOrder) {
			t.Skip("a vocabulary that is refused")
		}
		if err != nil {
			t.Fatal(err)
		}
		v, err := New(merges, whole)
		if err != nil {
			t.Fatal(err)
		}
		ranks := map[string]int{}
		for rank, token := range ranked {
			ranks[token] = rank
		}
		c := NewCounter(v)
		for range 5 {
			letters := rapid.SliceOfN(rapid.SampledFrom(alphabet), 1, 40).Draw(t, "text")
			text := strings.Join(letters, "")
			if rapid.Bool().Draw(t, "repeated") {
				text = strings.Repeat(text, rapid.IntRange(1, 9).Draw(t, "times"))
			}
			want := naive(ranks, text)
			for _, state := range []string{"fresh", "cached"} {
				if got := c.Count(text, 0, []int{len(text)}); got != want {
					t.Fatalf("%s: %d tokens, want %d: %q", state, got, want, text)
				}
			}
			if !utf8.ValidString(text) || v.whole != nil {
				continue
			}
			if got := countWindows(c, text, rapid.IntRange(8, 80).Draw(t, "window")); got >= 0 && got != want {
				t.Fatalf("in windows: %d tokens, want %d: %q", got, want, text)
			}
		}
	})
}

// countWindows merges in windows of some size, or returns -1 if a seam is not good.
func countWindows(c *Counter, text string, size int) int {
	if total, proved := c.tryWindows(text, size); proved {
		return total
	}
	return -1
}

func TestMergeListsThatAreRefused(t *testing.T) {
	if _, err := New([]Merge{{'a', 257}, {'b', 'c'}}, nil); !errors.Is(err, ErrOrder) {
		t.Errorf("merge of a later token: %v", err)
	}
	if _, err := New(make([]Merge, maxTokens), nil); err == nil {
		t.Error("no error for more tokens than fit")
	}
	if _, _, err := FromRanks([]string{"a"}); !errors.Is(err, ErrAlphabet) {
		t.Errorf("one byte only: %v", err)
	}
	if _, _, err := FromMerges([][2]string{{"ab", "c"}, {"a", "b"}}, nil); !errors.Is(err, ErrOrder) {
		t.Errorf("merges in reverse: %v", err)
	}
	long := strings.Repeat("a", maxTokenLength)
	if _, _, err := FromMerges([][2]string{{long, "a"}}, nil); !errors.Is(err, ErrLong) {
		t.Errorf("a long token: %v", err)
	}
}

func TestCountAllocatesNothing(t *testing.T) {
	v, err := New([]Merge{{'a', 'b'}, {256, 256}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCounter(v)
	text := "abab ab" + strings.Repeat("ab", 2000) + strings.Repeat("\xff", 50)
	ends := []int{4, 7, 4007, len(text)}
	c.Count(text, 0, ends)
	if n := testing.AllocsPerRun(10, func() { c.Count(text, 0, ends) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

package summarize

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// snippets make texts of words that matter and of what may stand around them.
func snippets(words ...string) *rapid.Generator[string] {
	around := []string{" ", "\n", "e", "r", "x", "X", "i", "ror", "exi", "t", "İ", "K", "É", "\xff", ":", "<", `"`, "0", "12"}
	return rapid.Map(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(append(around, words...)), rapid.String()), 0, 12), func(list []string) string {
		return strings.Join(list, "")
	})
}

func TestIndexErrorWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := snippets(errorWords[:]...).Draw(t, "text")
		want := -1
		for _, w := range errorWords {
			if i := strings.Index(text, w); i >= 0 && (want < 0 || i < want) {
				want = i
			}
		}
		got := indexErrorWord(text)
		// The first whole word to end its head is found; another may begin before it by less than a head.
		if (got < 0) != (want < 0) || got < want || got > want+errorHead {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	})
}

func TestLinesWithErrorWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := snippets(append([]string{strings.Repeat("y", 1990)}, errorWords[:]...)...).Draw(t, "text")
		var got, want []string
		for line := range linesWithErrorWord(text) {
			got = append(got, line)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if mayBeError(line) {
				want = append(want, line)
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != len(want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
}

// A text with a mark in it, in whatever letters, is looked at.
func TestNamesExit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := snippets("exit status 2", "Exit Code: 1", "EXITED WITH CODE 3", "<returncode>", `"ReturnCode": 1`, "exİt code 1", "exist", "turn").Draw(t, "text")
		small := strings.ToLower(text)
		for _, mark := range exitMarks {
			if strings.Contains(small, mark) && !namesExit(text) {
				t.Fatalf("%q holds %q", text, mark)
			}
		}
	})
}

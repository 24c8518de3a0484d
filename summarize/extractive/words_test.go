package extractive

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

var speech = rapid.Map(rapid.SliceOfN(rapid.OneOf(
	rapid.SampledFrom([]string{"must", "because", "instead of", "don't", "don’t", "İ", "’", "*", "let me", "Sure, ", "a_b", "the", "fix", "必须", "ключ", " ", ". ", "42", "\xff"}),
	rapid.String(),
), 0, 12), func(list []string) string { return strings.Join(list, " ") })

func TestWordsWithAndWithoutShortcut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := speech.Draw(t, "text")
		small := strings.ReplaceAll(strings.ToLower(text), "’", "'")
		want := strings.FieldsFunc(small, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '_'
		})
		if got := words(text); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
}

// The beginning of a sentence is enough to know a filler.
func TestFillerLooksAtAllOfThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := speech.Draw(t, "text")
		small := strings.TrimLeft(strings.ReplaceAll(strings.ToLower(text), "’", "'"), "\"'*_ ")
		want := slices.ContainsFunc(fillers[:], func(f string) bool { return strings.HasPrefix(small, f) })
		if got := filler(text); got != want {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}

func TestPhrasesAreFound(t *testing.T) {
	for _, p := range []*phrases{demands, wishes, reasons, plans} {
		for first, rest := range p.rest {
			for _, more := range rest {
				if p.count(append([]string{first}, more...)) == 0 {
					t.Errorf("%q %q is not found", first, more)
				}
			}
		}
	}
}

// nearAny is near by its definition, set by set.
func nearAny(sets [][]string, bag []string) bool {
	return slices.ContainsFunc(sets, func(other []string) bool {
		common := 0
		for _, w := range bag {
			if slices.Contains(other, w) {
				common++
			}
		}
		return common*100 >= (len(bag)+len(other)-common)*75 || len(bag) >= 5 && common*100 >= len(bag)*92
	})
}

func TestDuplicates(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "日本", "語", "."})
	text := rapid.Map(rapid.SliceOfN(word, 0, 8), func(list []string) string { return strings.Join(list, " ") })
	rapid.Check(t, func(t *rapid.T) {
		var seen duplicates
		var sets [][]string
		for _, s := range rapid.SliceOfN(text, 0, 12).Draw(t, "lines") {
			l := line{text: s}
			bag := wordBag(l)
			if got, want := seen.near(bag), nearAny(sets, bag); got != want {
				t.Fatalf("%q among %q: %v, want %v", bag, sets, got, want)
			}
			seen.add("", l, bag)
			sets = append(sets, bag)
		}
	})
}

func TestDuplicatesOfExactLines(t *testing.T) {
	var seen duplicates
	l := line{text: "read a.go", exact: true}
	seen.add("## Relevant Files", l, wordBag(l))
	if !seen.has("## Relevant Files", l, nil) || seen.has("### Done", l, nil) {
		t.Error("a line that names a file is compared within its section only")
	}
	if other := (line{text: "read a.go"}); !seen.has("### Done", other, wordBag(other)) {
		t.Error("an equal line of another kind is a duplicate")
	}
}

package split

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// byHand are the lists of patterns that ForPatterns knows.
var byHand = map[string][]string{
	"gpt2":     {PatternGPT2},
	"cl100k":   {PatternCL100k},
	"qwen":     {PatternQwen},
	"o200k":    {PatternO200k},
	"tekken":   {PatternTekken},
	"deepseek": {PatternNumbers3, PatternKanaHan, PatternDeepSeek},
}

// TestClasses compares the table of classes, for all characters, with the classes that the regular
// expressions of the reference see.
func TestClasses(t *testing.T) {
	var all []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) {
			all = append(all, r)
		}
	}
	expressions := map[class]string{
		upper: `[\p{Lu}\p{Lt}]+`, lower: `\p{Ll}+`, other: `[\p{Lm}\p{Lo}]+`, mark: `\p{M}+`, number: `\p{N}+`,
		space: `\s+`, newline: `[\r\n]+`, symbol: `[\p{P}\p{S}]+`, letter: `\p{L}+`,
	}
	for bits, expression := range expressions {
		members := map[rune]bool{}
		re := regexp2.MustCompile(expression, regexp2.None)
		for m, err := re.FindRunesMatch(all); m != nil; m, err = re.FindNextMatch(m) {
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range m.Runes() {
				members[r] = true
			}
		}
		for _, r := range all {
			if got := classOf(r)&bits != 0; got != members[r] {
				t.Fatalf("%U: class %b, but %s matches: %v (run go generate if package unicode has changed)", r, classOf(r), expression, members[r])
			}
		}
	}
}

// comparison is a splitter written by hand, and its patterns.
type comparison struct {
	name     string
	byHand   Splitter
	patterns *Regexp
}

func comparisons(t testing.TB) []comparison {
	var all []comparison
	for name, patterns := range byHand {
		splitter, found := ForPatterns(patterns, false)
		if !found {
			t.Fatalf("%s: no splitter", name)
		}
		re, err := NewRegexp(patterns)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, comparison{name, splitter, re})
	}
	return all
}

// requireSame fails if a splitter written by hand and its patterns cut text differently.
func (c comparison) requireSame(t *testing.T, text string) {
	t.Helper()
	want := c.patterns.Ends(text)
	for _, room := range []int{1, 3, 5, 256} {
		var got []int
		ends := make([]int, room)
		for pos := 0; pos < len(text); pos = got[len(got)-1] {
			got = append(got, ends[:c.byHand.Split(text, pos, ends)]...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q\n got %q\nwant %q", c.name, text, pieces(text, got), pieces(text, want))
		}
	}
}

func pieces(text string, ends []int) []string {
	var all []string
	start := 0
	for _, end := range ends {
		all = append(all, text[start:end])
		start = end
	}
	return all
}

var fragments = []string{
	"a", "b", "s", "S", "t", "LL", "re", "Zz", "é", "É", "ǅ", "ʰ", "ª", "中", "龥", "龦", "の", "ー", "・", "゙",
	"ア", "한", "ा", "\u0301", "\u20dd", "\ufe0f", "0", "12", "½", "Ⅷ", "٣", " ", " ", "  ", "\t", "\n", "\r\n", "\r",
	"\u00a0", "\u3000", "\u2028", "'", "'s", "'S", "'ll", "'rE", "'ve", "'ſ", "/", ".", ",", "!", "_", "#", "^", "`", "$",
	"，", "€", "+", "😀", "\u200b", "\u200d", "\x00", "\x01", "\x7f", "\u0378", "\ue000", "\xff", "\xc3", "\xe4\xb8", "\ufffd",
}

func TestSplittersFollowTheirPatterns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range comparisons(t) {
		for _, first := range fragments {
			for _, second := range fragments {
				c.requireSame(t, first+second+" x"+first+second+"y")
			}
		}
		for range 1000 {
			var text strings.Builder
			for range rng.IntN(12) + 1 {
				text.WriteString(fragments[rng.IntN(len(fragments))])
			}
			c.requireSame(t, text.String())
		}
	}
}

// TestLongASCII stays in the automaton for long, where a character may be the first or the second of a step.
func TestLongASCII(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	ascii := slices.DeleteFunc(slices.Clone(fragments), func(s string) bool { return s[0] >= utf8.RuneSelf || len(s) > 3 })
	for _, c := range comparisons(t) {
		for range 100 {
			var text strings.Builder
			for range 150 {
				text.WriteString(ascii[rng.IntN(len(ascii))])
			}
			c.requireSame(t, text.String())
		}
	}
}

// TestLongS covers what no reference here can: regexp2 does not fold U+017F to s.
func TestLongS(t *testing.T) {
	tests := []struct {
		patterns []string
		longS    bool
		want     []string
	}{
		{[]string{PatternO200k}, false, []string{"it", "'ſ"}},
		{[]string{PatternO200k}, true, []string{"it'ſ"}},
		{[]string{PatternCL100k}, true, []string{"it", "'ſ"}},
	}
	for _, tt := range tests {
		splitter, _ := ForPatterns(tt.patterns, tt.longS)
		ends := make([]int, 8)
		if got := pieces("it'ſ", ends[:splitter.Split("it'ſ", 0, ends)]); !slices.Equal(got, tt.want) {
			t.Errorf("folding %v: %q, want %q", tt.longS, got, tt.want)
		}
	}
}

func TestRegexpRefusesWhatItCannotRun(t *testing.T) {
	for _, patterns := range [][]string{nil, {`(`}, {`\p{Nonsense}`}} {
		if _, err := NewRegexp(patterns); err == nil {
			t.Errorf("NewRegexp(%q): no error", patterns)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for i, fragment := range fragments {
		f.Add(fragment + fragments[(i*7+3)%len(fragments)] + fragment)
	}
	all := comparisons(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2048 {
			text = text[:2048]
		}
		for _, c := range all {
			c.requireSame(t, text)
		}
	})
}

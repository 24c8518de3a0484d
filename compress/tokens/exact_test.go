package tokens

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// checked are the encodings whose counts tiktoken-go defines.
var checked = []string{"o200k_base", "cl100k_base", "p50k_base", "r50k_base"}

// requireEqual fails if a counter and its reference differ on text.
func requireEqual(t *testing.T, text string) {
	t.Helper()
	for _, name := range checked {
		own, reference := counterOf(t, name), counterOf(t, "tiktoken:"+name)
		if got, want := own.Count(text), reference.Count(text); got != want {
			t.Errorf("%s: %d tokens, want %d: %q", name, got, want, shortened(text))
		}
	}
}

func counterOf(t testing.TB, name string) Counter {
	t.Helper()
	c, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func shortened(text string) string {
	if len(text) > 400 {
		return fmt.Sprintf("%s ... (%d bytes)", text[:400], len(text))
	}
	return text
}

// seeds are texts on which splitters go wrong; the fuzz targets start from them.
var seeds = []string{
	"",
	"Hello, world! It's 9 o'clock; we'll see, they'VE seen, I'D go, 'tis, don'T.",
	"'s't're've'm'll'd'S'T'RE'VE'M'LL'D'Re'lL'l'r'v'",
	"don'ſ 'ſ x'ſy İ'S K's ſſ",
	"can't_we'll-it'd 'hello' 'dont 'reality 'vertex 'llama",
	"\n \n", " \n  x", "  x", "\t x", "x \r\n\r\n  y", " \u00a0 \u3000x", "\r", "\n\n\n", " ", "   ", "x   ",
	"\u2028\u2029\u0085 \u200b\ufeff", "a\u00a0b \u00a0c", "\v\f\t \n\t",
	"<|endoftext|><|im_start|>user<|im_end|><|fim_prefix|>",
	"HTTPServer getElementById XMLHttpRequestURL iOS iPhone ǅungla ǅǅA aA中A 中AAA AAA中 中a",
	"ʰʰA Aʰ Aʰa ªº", "á\u0301\u0301\u0301 \u0301a \u0301A \u0301ABC \u0301 1\u0301 \u0301\u0301A!",
	"1234567890 १२३४५ ½²③ 1a2b3c 12,345.678 Ⅷ", "a/b//c///\n/x !/\r\n/ ?!\n\n///a",
	"日本語のテキスト、漢字とカナ。 中文测试，没有空格！한국어 띄어쓰기 테스트. ภาษาไทย हिन्दी தமிழ்",
	"👍🏽👨‍👩‍👧‍👦🇩🇪🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️", "\xff\xfe\x80 a\xc3\xb1\xc3 \xe4\xb8 \xed\xa0\x80 \xf4\x90\x80\x80",
	"Привет, МИР! Ёлка ёЖ Ελληνικά שלום العربية", "if (x==1){\n\treturn y[0];\n}\n\n\n    // done\n",
	"\x00\x01\x02\x7f", strings.Repeat("a", 300), strings.Repeat(" ", 300), strings.Repeat("\n", 300),
	strings.Repeat("=-", 200), strings.Repeat("的", 200), strings.Repeat("😀", 100), strings.Repeat("\u0301", 200),
	strings.Repeat("ab", 200), strings.Repeat("\xff", 100), strings.Repeat("A", 300) + "b",
}

func TestSeedsAreExact(t *testing.T) {
	for _, text := range seeds {
		requireEqual(t, text)
		requireEqual(t, "x"+text+text+" y")
	}
}

// TestClassBordersAreExact puts the characters on both sides of every border of a class into
// contexts in which every class acts differently. (That the classes are right for all characters is
// tested in package split.)
func TestClassBordersAreExact(t *testing.T) {
	tables := []*unicode.RangeTable{
		unicode.Lu, unicode.Lt, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M, unicode.N, unicode.White_Space,
	}
	borders := map[rune]bool{}
	add := func(low, high rune) {
		for _, r := range []rune{low - 1, low, high, high + 1} {
			borders[r] = true
		}
	}
	for _, table := range tables {
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi))
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi))
		}
	}
	var text strings.Builder
	for _, r := range slices.Sorted(maps.Keys(borders)) {
		c := string(r)
		text.WriteString("a" + c + "B" + c + c + "1 " + c + "\n" + c + " ")
		if text.Len() > 4000 {
			requireEqual(t, text.String())
			text.Reset()
		}
	}
	requireEqual(t, text.String())
}

// fragments are what random texts are made of: one of each class that a pattern tells apart, and
// words whose tokens are longer.
var fragments = []string{
	"a", "b", "z", "A", "Z", "s", "S", "the", "tion", "HTTP", "Get", "é", "É", "ß", "я", "Я", "ǅ", "ʰ", "ª",
	"中", "的", "文", "国人", "の", "ア", "한국", "ไ", "ा", "न", "\u0301", "\u20dd", "\ufe0f", "\u200d",
	"0", "1", "42", "2025", "½", "٣", "Ⅷ", " ", " ", "  ", "\t", "\n", "\r\n", "\r", "\v", "\u00a0", "\u3000",
	"\u2028", "\u0085", "'", "'s", "'S", "'ll", "'RE", "'ſ", "’s", "ſ", "\u212a", "İ", "ı", "/", "//", ".", ",",
	"!", "\"", "(", "{", "_", "-", "=", "==", "#", "，", "。", "「", "€", "😀", "👍🏽", "🇩🇪", "\u200b",
	"\ufeff", "\x00", "\x7f", "\xff", "\x80", "\xc3", "\xe4\xb8", "\xf0\x9f", "\ufffd", "<|endoftext|>",
}

// randomText returns up to n fragments, with runs of one and sometimes random characters.
func randomText(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range rng.IntN(n) + 1 {
		fragment := fragments[rng.IntN(len(fragments))]
		switch rng.IntN(12) {
		case 0:
			b.WriteString(strings.Repeat(fragment, rng.IntN(20)))
		case 1:
			b.WriteRune(rng.Int32N(0x3000))
		case 2:
			b.WriteRune(rng.Int32N(unicode.MaxRune))
		case 3:
			b.WriteByte(byte(rng.Uint32()))
		default:
			b.WriteString(fragment)
		}
	}
	return b.String()
}

func TestRandomTextsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		requireEqual(t, randomText(rng, 60))
	}
}

// TestSameAlphabetIsExact draws from few letters, so that pieces are long and tokens overlap.
func TestSameAlphabetIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	alphabets := []string{"ab", "aA", "etaoinshr", "的一是不了在人有我他", "のをにはがとでた", "가나다라", "กขคง", " \n", "-=", "\U0001f600\U0001f44d", "abcdefghijklmnopqrstuvwxyz", "हिन्दी"}
	for range 300 {
		letters := []rune(alphabets[rng.IntN(len(alphabets))])
		text := make([]rune, rng.IntN(300)+1)
		for i := range text {
			text[i] = letters[rng.IntN(len(letters))]
		}
		requireEqual(t, string(text))
	}
}

func FuzzExact(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 { // the reference takes quadratic time
			text = text[:4096]
		}
		requireEqual(t, text)
	})
}

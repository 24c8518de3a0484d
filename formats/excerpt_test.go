package formats

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	for _, test := range []struct {
		name, data string
		at         int
		want       string
		caret      int
	}{
		{"short", `{"a" 1}`, 5, `{"a" 1}`, 5},
		{"empty", "", 0, "", 0},
		{"beyond the end", "abc", 9, "abc", 3},
		{"before the start", "abc", -1, "abc", 0},
		{"control characters", "a\n\x1b[31mb\x00", 7, "a··[31mb·", 7},
		{"right to left and zero width", "a\u202e\u200bb", 7, "a··b", 3},
		{"characters count once", "é😀x", 6, "é😀x", 2},
		{"invalid bytes", "\xff\xfex", 2, "��x", 2},
		{"cut on both sides", strings.Repeat("a", 100) + "X" + strings.Repeat("b", 100), 100, strings.Repeat("a", 40) + "X" + strings.Repeat("b", 23), 40},
		{"no half characters", strings.Repeat("é", 41) + "X", 82, strings.Repeat("é", 20) + "X", 20},
		{"none at the end either", "X" + strings.Repeat("€", 20), 0, "X" + strings.Repeat("€", 7), 0},
	} {
		got, caret := Excerpt([]byte(test.data), test.at)
		if got != test.want || caret != test.caret {
			t.Errorf("%s: %q, %d; want %q, %d", test.name, got, caret, test.want, test.caret)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("a\xffé😀\x1b[0m"), 3)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		text, caret := Excerpt(data, at)
		if !utf8.ValidString(text) || len(text) > 3*(excerptBefore+excerptAfter) {
			t.Fatalf("%q", text)
		}
		if n := utf8.RuneCountInString(text); caret < 0 || caret > n {
			t.Fatalf("caret %d in %d characters", caret, n)
		}
		for _, r := range text {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q holds %U", text, r)
			}
		}
	})
}

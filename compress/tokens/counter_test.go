package tokens

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	// Counts published with OpenAI's tokenizer, or checked against it by hand.
	tests := []struct {
		encoding, text string
		want           int
	}{
		{"o200k_base", "", 0},
		{"o200k_base", "hello world", 2},
		{"o200k_base", "\n \n", 1},
		{"cl100k_base", "hello world", 2},
		{"cl100k_base", "tiktoken is great!", 6},
		{"p50k_base", "tiktoken is great!", 6},
		{"r50k_base", "tiktoken is great!", 6},
		{"o200k_harmony", "tiktoken is great!", 6},
		{"rough", "", 0},
		{"rough", "abcd", 1},
		{"rough", "abcde", 2},
		{"rough", "日本語", 3},
		{"rough", "日本語 abc", 4},
		{"rough", "안녕, ", 3},
		{"rough", "\xff\xfe", 1},
	}
	for _, tt := range tests {
		counter, err := New(tt.encoding)
		if err != nil {
			t.Fatal(err)
		}
		if got := counter.Count(tt.text); got != tt.want {
			t.Errorf("%s: Count(%q) = %d, want %d", tt.encoding, tt.text, got, tt.want)
		}
	}
}

func TestNamesAreKnown(t *testing.T) {
	for _, name := range Names() {
		counter, err := New(name)
		if err != nil {
			t.Errorf("New(%q): %v", name, err)
			continue
		}
		if want := strings.Replace(name, "harmony", "base", 1); counter.Name() != want {
			t.Errorf("New(%q).Name() = %q, want %q", name, counter.Name(), want)
		}
		if exact := name != "rough"; counter.Exact() != exact {
			t.Errorf("New(%q).Exact() = %v, want %v", name, counter.Exact(), exact)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	_, err := New("o200k-base")
	var unknown *UnknownError
	if !errors.As(err, &unknown) {
		t.Fatalf("New: %v, want an *UnknownError", err)
	}
	if unknown.Known[0] != "o200k_base" || len(unknown.Known) != len(Names()) {
		t.Errorf("known names %q: want all, o200k_base first", unknown.Known)
	}
	if _, err := ForFamily("gemni"); !errors.As(err, &unknown) || unknown.Known[0] != "gemini" {
		t.Errorf("ForFamily: %v, want gemini proposed first", err)
	}
}

func TestForFamily(t *testing.T) {
	tests := []struct {
		family, name string
		exact        bool
		count        int // of a text of 6 tokens
	}{
		{"openai-o200k", "o200k_base", true, 6},
		{"openai-cl100k", "cl100k_base", true, 6},
		{"llama3", "o200k_base x1.03 (llama3, approx)", false, 7},
		{"gemini", "o200k_base x1.25 (gemini, approx)", false, 8},
		{"claude", "o200k_base x1.20 (claude, approx)", false, 8},
		{"claude-4.7", "o200k_base x1.55 (claude-4.7, approx)", false, 10},
		{"other", "o200k_base x1.20 (other, approx)", false, 8},
	}
	for _, tt := range tests {
		counter, err := ForFamily(tt.family)
		if err != nil {
			t.Fatal(err)
		}
		if counter.Name() != tt.name || counter.Exact() != tt.exact {
			t.Errorf("%s: %q, exact %v; want %q, %v", tt.family, counter.Name(), counter.Exact(), tt.name, tt.exact)
		}
		if got := counter.Count("tiktoken is great!"); got != tt.count {
			t.Errorf("%s: %d tokens, want %d", tt.family, got, tt.count)
		}
		if got := counter.Count(""); got != 0 {
			t.Errorf("%s: %d tokens of an empty text", tt.family, got)
		}
	}
	if !slices.Contains(Families(), FamilyForModel("unheard-of")) {
		t.Error("the family of unknown models is not known")
	}
}

package vocabulary

import (
	"slices"
	"testing"

	loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/bpe"
)

// TestFilesSpellTheReference builds the tokens that the merges spell and compares them, in order,
// with the vocabularies of tiktoken-go-loader; "go generate" renews the files.
func TestFilesSpellTheReference(t *testing.T) {
	for _, encoding := range []string{"o200k_base", "cl100k_base", "p50k_base", "r50k_base"} {
		merges, err := Merges(encoding)
		if err != nil {
			t.Fatal(err)
		}
		ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe(encoding + ".tiktoken")
		if err != nil {
			t.Fatal(err)
		}
		tokens := make([]string, 0, len(ranks))
		for b := range 256 {
			tokens = append(tokens, string([]byte{byte(b)}))
		}
		last := -1
		for _, m := range merges {
			token := tokens[m.Left] + tokens[m.Right]
			tokens = append(tokens, token)
			rank, found := ranks[token]
			if !found || rank <= last {
				t.Fatalf("%s: token %q has rank %d, %v, after one of rank %d", encoding, token, rank, found, last)
			}
			last = rank
		}
		if len(tokens) != len(ranks) {
			t.Errorf("%s: %d tokens, want %d", encoding, len(tokens), len(ranks))
		}
	}
}

func TestUnknownAndCorrupt(t *testing.T) {
	if _, err := Merges("p99k_base"); err == nil {
		t.Error("no error for an unknown encoding")
	}
	for _, data := range []string{"", "\x80", "\x02\x01", "\x01abc", "\x01a\x80", "\x01a\xff\xff\xff\xff\xff\xff"} {
		if merges, err := decode(data); err == nil {
			t.Errorf("decode(%q) = %v, no error", data, merges)
		}
	}
	if merges, err := decode("\x01ab"); err != nil || !slices.Equal(merges, []bpe.Merge{{Left: 97, Right: 98}}) {
		t.Errorf("decode: %v, %v", merges, err)
	}
}

package tokens

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/split"
)

// ranksOf returns the tokens of an encoding with their ranks, from the reference's files.
func ranksOf(t testing.TB, encoding string) map[string]int {
	t.Helper()
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe(encoding + ".tiktoken")
	if err != nil {
		t.Fatal(err)
	}
	return ranks
}

func byRank(ranks map[string]int) []string {
	return slices.SortedFunc(maps.Keys(ranks), func(a, b string) int { return cmp.Compare(ranks[a], ranks[b]) })
}

// speller spells tokens in the alphabet of byte-level vocabularies.
func speller() func(token string) string {
	letters := [256]string{}
	for r, b := range byteAlphabet() {
		letters[b] = string(r)
	}
	return func(token string) string {
		var s strings.Builder
		for i := range len(token) {
			s.WriteString(letters[token[i]])
		}
		return s.String()
	}
}

// tokenizerFile writes an encoding as a tokenizer.json that lists every way to put a token together
// from two others, as the converters from .tiktoken files do.
func tokenizerFile(t testing.TB, encoding, pattern string, pairs bool) string {
	t.Helper()
	ranks := ranksOf(t, encoding)
	spelled := speller()
	vocab := map[string]int{}
	var merges []any
	for _, token := range byRank(ranks) {
		vocab[spelled(token)] = ranks[token]
		for i := 1; i < len(token); i++ {
			_, isLeft := ranks[token[:i]]
			_, isRight := ranks[token[i:]]
			if !isLeft || !isRight {
				continue
			}
			left, right := spelled(token[:i]), spelled(token[i:])
			if pairs {
				merges = append(merges, [2]string{left, right})
			} else {
				merges = append(merges, left+" "+right)
			}
		}
	}
	data, err := json.Marshal(map[string]any{
		"normalizer": nil,
		"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{
			map[string]any{"type": "Split", "pattern": map[string]string{"Regex": pattern}, "behavior": "Isolated", "invert": false},
			map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
		}},
		"model": map[string]any{"type": "BPE", "ignore_merges": true, "vocab": vocab, "merges": merges},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// requireSameCounts compares a loaded counter with a reference.
func requireSameCounts(t *testing.T, loaded, reference Counter) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	texts := slices.Clone(seeds)
	for range 100 {
		texts = append(texts, randomText(rng, 40))
	}
	for _, text := range texts {
		text = strings.ReplaceAll(text, "ſ", "f") // loaded tokenizers fold it to s
		if got, want := loaded.Count(text), reference.Count(text); got != want {
			t.Errorf("%s: %d tokens, want %d: %q", loaded.Name(), got, want, text)
		}
	}
}

func TestReadTokenizerJSON(t *testing.T) {
	tests := []struct {
		encoding, pattern, name string
		pairs                   bool
	}{
		{"cl100k_base", split.PatternCL100k, "tokenizer.json", true},
		{"r50k_base", split.PatternGPT2, "tokenizer.json", false},
		{"r50k_base", "(?:" + split.PatternGPT2 + ")", "tokenizer.json (slow)", false},
	}
	for _, tt := range tests {
		if testing.Short() && tt.encoding == "cl100k_base" {
			continue
		}
		file := tokenizerFile(t, tt.encoding, tt.pattern, tt.pairs)
		counter, err := Read("tokenizer.json", strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if counter.Name() != tt.name || !counter.Exact() {
			t.Errorf("%s: name %q, exact %v; want %q, true", tt.encoding, counter.Name(), counter.Exact(), tt.name)
		}
		requireSameCounts(t, counter, counterOf(t, "tiktoken:"+tt.encoding))
	}
}

func TestLoadTiktokenFile(t *testing.T) {
	ranks := ranksOf(t, "r50k_base")
	var lines strings.Builder
	for _, token := range byRank(ranks) {
		fmt.Fprintf(&lines, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), ranks[token])
	}
	path := filepath.Join(t.TempDir(), "r50k_base.tiktoken")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	counter, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if counter.Name() != "r50k_base.tiktoken" {
		t.Errorf("name %q", counter.Name())
	}
	requireSameCounts(t, counter, counterOf(t, "tiktoken:r50k_base"))
}

// smallTokenizer returns a tokenizer.json with the bytes, more tokens and merges.
func smallTokenizer(tokens []string, merges string, more string) string {
	vocab := map[string]int{}
	for r := range byteAlphabet() {
		vocab[string(r)] = len(vocab)
	}
	for _, token := range tokens {
		vocab[token] = len(vocab)
	}
	data, _ := json.Marshal(vocab)
	return fmt.Sprintf(`{"model": {"type": "BPE", "vocab": %s, "merges": %s %s}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}}`, data, merges, more)
}

func TestUnreachableTokens(t *testing.T) {
	tokens := []string{"ab", "xyz", speller()("的"), "<|special|>"}
	tests := []struct {
		more string
		want map[string]int
	}{
		{`, "ignore_merges": true`, map[string]int{"ab": 1, "xyz": 1, "xyzx": 4, "的": 1, "的的": 6, "的ab": 4, "<|special|>": 11}},
		{`, "ignore_merges": false`, map[string]int{"ab": 1, "xyz": 3, "xyzx": 4, "的": 3, "的的": 6}},
	}
	for _, tt := range tests {
		counter, err := Read("small", strings.NewReader(smallTokenizer(tokens, `["a b"]`, tt.more)))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time from the cache
			for text, want := range tt.want {
				if got := counter.Count(text); got != want {
					t.Errorf("%s: Count(%q) = %d, want %d", tt.more, text, got, want)
				}
			}
		}
	}
}

func TestRemarks(t *testing.T) {
	file := strings.Replace(smallTokenizer(nil, `[]`, ""), `"pre_tokenizer"`, `"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}]}, "pre_tokenizer"`, 1)
	counter, err := Read("qwen", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if counter.Name() != "qwen (NFC texts)" {
		t.Errorf("name %q", counter.Name())
	}
}

func TestReadRefusesWhatItCannotCount(t *testing.T) {
	valid := smallTokenizer([]string{"ab", "abc"}, `["a b", "ab c"]`, "")
	if _, err := Read("valid", strings.NewReader(valid)); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"empty":            "",
		"not a tokenizer":  "hello\n",
		"truncated":        valid[:len(valid)/2],
		"WordPiece":        strings.Replace(valid, `"BPE"`, `"WordPiece"`, 1),
		"no byte":          strings.Replace(valid, `"!":`, `"<0x21>":`, 1),
		"unknown merge":    strings.Replace(valid, `"ab c"`, `"ab d"`, 1),
		"merge of one":     strings.Replace(valid, `"ab c"`, `"abc"`, 1),
		"merge of three":   strings.Replace(valid, `"ab c"`, `["a", "b", "c"]`, 1),
		"merges reversed":  strings.Replace(valid, `["a b", "ab c"]`, `["ab c", "a b"]`, 1),
		"prefix space":     strings.Replace(valid, `"add_prefix_space": false`, `"add_prefix_space": true`, 1),
		"Metaspace":        strings.Replace(valid, `"ByteLevel"`, `"Metaspace"`, 1),
		"no pre-tokenizer": strings.Replace(valid, `"pre_tokenizer"`, `"other"`, 1),
		"lower-casing":     strings.Replace(valid, `"pre_tokenizer"`, `"normalizer": {"type": "Lowercase"}, "pre_tokenizer"`, 1),
		"unknown size":     "aGVsbG8= 0\n",
		"no rank":          "aGVsbG8=\n",
	}
	for name, file := range tests {
		if _, err := Read(name, strings.NewReader(file)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v, want ErrFormat", name, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "absent.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	if _, err := Read("broken", io.MultiReader(strings.NewReader("{"), brokenReader{})); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("broken reader: %v", err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func FuzzRead(f *testing.F) {
	f.Add(smallTokenizer([]string{"ab", "abc"}, `["a b", ["ab", "c"]]`, ""), "abcab 的")
	f.Add("aGVsbG8= 0\nYQ== 1\n", "hello")
	f.Fuzz(func(t *testing.T, file, text string) {
		counter, err := Read("fuzz", strings.NewReader(file))
		if err != nil {
			return
		}
		if n := counter.Count(text); n > 3*len(text) || n < 0 || n == 0 && text != "" {
			t.Errorf("%d tokens for %d bytes", n, len(text))
		}
	})
}

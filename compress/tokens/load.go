package tokens

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/bpe"
	"github.com/ctxpack/ctxpack/compress/tokens/internal/split"
)

// ErrFormat is wrapped by the errors of [Load] and [Read] for what is not a tokenizer that they can
// count with exactly.
var ErrFormat = errors.New("not a byte-level BPE tokenizer")

// Load reads the tokenizer of a file, see [Read].
func Load(path string) (Counter, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	return Read(filepath.Base(path), f)
}

// Read reads a tokenizer: the tokenizer.json of Hugging Face for a byte-level BPE model (Qwen, Llama
// 3, DeepSeek, Mistral's Tekken, GPT-2, ...), or a .tiktoken vocabulary of a size whose splitting
// pattern is known. Counts are those of texts without special tokens: none are added, and a text that
// spells one is ordinary text. The name becomes the [Counter]'s, with remarks: "slow" for a pattern
// that is run as a regular expression; "NFC texts" for a tokenizer that normalises texts to NFC
// first, which the Counter does not, so that its counts are those of texts that are in NFC.
//
// Errors wrap [ErrFormat], or the cause of a failed read. Whatever is not understood is an error,
// never a wrong count.
func Read(name string, r io.Reader) (Counter, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer %s: %w", name, err)
	}
	read := readTiktoken
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n\ufeff"), []byte("{")) {
		read = readJSON
	}
	counter, err := read(name, data)
	if err != nil {
		return nil, fmt.Errorf("tokenizer %s: %w", name, err)
	}
	return counter, nil
}

// loaded is a tokenizer as read from a file.
type loaded struct {
	name     string
	remarks  []string
	merges   []bpe.Merge
	whole    []string
	patterns []string // of the splitter, see split.ForPatterns
}

// counter builds the counter of a loaded tokenizer.
func (l loaded) counter() (Counter, error) {
	v, err := bpe.New(l.merges, l.whole)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	// The tokenizers that these files are for fold case as Unicode does.
	splitter, byHand := split.ForPatterns(l.patterns, true)
	var slow *split.Regexp
	if !byHand {
		if slow, err = split.NewRegexp(l.patterns); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		l.remarks = append(l.remarks, "slow")
	}
	if len(l.remarks) > 0 {
		l.name += " (" + strings.Join(l.remarks, ", ") + ")"
	}
	c := newBytePair(l.name, splitter, func() *bpe.Vocabulary { return v })
	c.slow = slow
	return c, nil
}

// tiktokenPatterns says by the number of their tokens which patterns the known .tiktoken files go
// with; the files do not.
var tiktokenPatterns = []struct {
	tokens  int
	pattern string
}{
	{50256, split.PatternGPT2},    // r50k_base
	{50280, split.PatternGPT2},    // p50k_base
	{100256, split.PatternCL100k}, // cl100k_base
	{128000, split.PatternCL100k}, // Llama 3
	{151643, split.PatternQwen},   // Qwen
	{199998, split.PatternO200k},  // o200k_base
}

// readTiktoken reads lines of a token in base64 and its rank.
func readTiktoken(name string, data []byte) (Counter, error) {
	type token struct {
		text string
		rank int
	}
	var all []token
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		encoded, rank, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if encoded == "" {
			continue
		}
		text, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(text) == 0 {
			return nil, fmt.Errorf("%w: line %d is not a token in base64", ErrFormat, n)
		}
		number, err := strconv.Atoi(rank)
		if err != nil {
			return nil, fmt.Errorf("%w: line %d has no rank", ErrFormat, n)
		}
		all = append(all, token{string(text), number})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	slices.SortStableFunc(all, func(a, b token) int { return a.rank - b.rank })
	ranked := make([]string, len(all))
	for i, t := range all {
		ranked[i] = t.text
	}
	l := loaded{name: name}
	for _, row := range tiktokenPatterns {
		if row.tokens == len(ranked) {
			l.patterns = []string{row.pattern}
		}
	}
	if l.patterns == nil {
		return nil, fmt.Errorf("%w: the splitting pattern of a vocabulary of %d tokens is not known; use its tokenizer.json", ErrFormat, len(ranked))
	}
	var err error
	if l.merges, l.whole, err = bpe.FromRanks(ranked); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return l.counter()
}

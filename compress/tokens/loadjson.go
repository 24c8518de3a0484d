package tokens

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/bpe"
	"github.com/ctxpack/ctxpack/compress/tokens/internal/split"
)

// tokenizerJSON is what counting needs of a tokenizer.json. Added tokens and post-processing do not
// matter: they concern special tokens.
type tokenizerJSON struct {
	Normalizer   *component `json:"normalizer"`
	PreTokenizer *component `json:"pre_tokenizer"`
	Model        struct {
		Type         string            `json:"type"`
		Dropout      *float64          `json:"dropout"`
		Prefix       string            `json:"continuing_subword_prefix"`
		Suffix       string            `json:"end_of_word_suffix"`
		IgnoreMerges bool              `json:"ignore_merges"`
		Vocab        map[string]uint32 `json:"vocab"`
		Merges       []mergeJSON       `json:"merges"`
	} `json:"model"`
}

// component is a normalizer or a pre-tokenizer.
type component struct {
	Type          string      `json:"type"`
	Normalizers   []component `json:"normalizers"`   // of a Sequence
	PreTokenizers []component `json:"pretokenizers"` // of a Sequence
	Pattern       struct {
		Regex  string `json:"Regex"`
		String string `json:"String"`
	} `json:"pattern"`
	Behavior         string `json:"behavior"`
	Invert           bool   `json:"invert"`
	IndividualDigits bool   `json:"individual_digits"`
	AddPrefixSpace   bool   `json:"add_prefix_space"`
	UseRegex         *bool  `json:"use_regex"` // true where it is absent
}

// mergeJSON is "left right" in older files and ["left", "right"] in newer ones.
type mergeJSON [2]string

func (m *mergeJSON) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		var pair []string
		if err := json.Unmarshal(data, &pair); err != nil {
			return err
		}
		if len(pair) != 2 {
			return fmt.Errorf("a merge of %d tokens", len(pair))
		}
		*m = mergeJSON(pair)
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	left, right, found := strings.Cut(text, " ")
	if !found {
		return fmt.Errorf("a merge of one token: %q", text)
	}
	*m = mergeJSON{left, right}
	return nil
}

// readJSON reads a tokenizer.json.
func readJSON(name string, data []byte) (Counter, error) {
	var file tokenizerJSON
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &file); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	model := &file.Model
	if model.Type != "BPE" || model.Prefix != "" || model.Suffix != "" || model.Dropout != nil && *model.Dropout > 0 {
		return nil, fmt.Errorf("%w: model %q", ErrFormat, model.Type)
	}
	l := loaded{name: name}
	normalizes, err := normalizesNFC(file.Normalizer)
	if err != nil {
		return nil, err
	}
	if normalizes {
		l.remarks = append(l.remarks, "NFC texts")
	}
	var byteLevel bool
	if l.patterns, byteLevel, err = patternsOf(file.PreTokenizer); err != nil {
		return nil, err
	}
	if !byteLevel {
		return nil, fmt.Errorf("%w: no ByteLevel pre-tokenizer", ErrFormat)
	}
	if err := l.readModel(model.Vocab, model.Merges, model.IgnoreMerges); err != nil {
		return nil, err
	}
	return l.counter()
}

// readModel fills in the merges and the tokens that merges do not lead to.
func (l *loaded) readModel(vocab map[string]uint32, merges []mergeJSON, ignoreMerges bool) error {
	alphabet := byteAlphabet()
	for letter, b := range alphabet {
		if _, found := vocab[string(letter)]; !found {
			return fmt.Errorf("%w: no token for the byte %#02x", ErrFormat, b)
		}
	}
	tokens := make([]string, 0, len(vocab))
	for spelled := range vocab {
		if token, ok := spell(alphabet, spelled); ok { // others are special tokens
			tokens = append(tokens, token)
		}
	}
	pairs := make([][2]string, len(merges))
	for i, m := range merges {
		left, okLeft := spell(alphabet, m[0])
		right, okRight := spell(alphabet, m[1])
		if _, found := vocab[m[0]+m[1]]; !okLeft || !okRight || !found {
			return fmt.Errorf("%w: merge %d makes %q, which is no token", ErrFormat, i, m[0]+m[1])
		}
		pairs[i] = [2]string{left, right}
	}
	var unreached []string
	var err error
	if l.merges, unreached, err = bpe.FromMerges(pairs, tokens); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if ignoreMerges {
		l.whole = unreached
	}
	return nil
}

// normalizesNFC reports whether a normalizer is that to NFC; any other than that or none is an error.
func normalizesNFC(n *component) (bool, error) {
	switch {
	case n == nil:
		return false, nil
	case n.Type == "NFC":
		return true, nil
	case n.Type == "Sequence":
		nfc := false
		for i := range n.Normalizers {
			inner, err := normalizesNFC(&n.Normalizers[i])
			if err != nil {
				return false, err
			}
			nfc = nfc || inner
		}
		return nfc, nil
	}
	return false, fmt.Errorf("%w: normalizer %q", ErrFormat, n.Type)
}

// patternsOf returns the patterns of a pre-tokenizer, each of which cuts up the pieces of the ones
// before, and whether it has the step that turns text into bytes.
func patternsOf(p *component) (patterns []string, byteLevel bool, err error) {
	if p == nil {
		return nil, false, nil
	}
	switch p.Type {
	case "Sequence":
		for i := range p.PreTokenizers {
			inner, isByteLevel, err := patternsOf(&p.PreTokenizers[i])
			if err != nil {
				return nil, false, err
			}
			if byteLevel {
				return nil, false, fmt.Errorf("%w: pre-tokenizer after ByteLevel", ErrFormat)
			}
			patterns = append(patterns, inner...)
			byteLevel = isByteLevel
		}
		return patterns, byteLevel, nil
	case "ByteLevel":
		if p.AddPrefixSpace {
			return nil, false, fmt.Errorf("%w: add_prefix_space", ErrFormat)
		}
		if p.UseRegex == nil || *p.UseRegex {
			patterns = []string{split.PatternGPT2}
		}
		return patterns, true, nil
	case "Digits":
		if p.IndividualDigits {
			return []string{`\p{N}`}, false, nil
		}
		return []string{`\p{N}+`}, false, nil
	case "Split":
		pattern := p.Pattern.Regex
		if pattern == "" {
			pattern = regexp.QuoteMeta(p.Pattern.String)
		}
		_, known := split.ForPatterns([]string{pattern}, true)
		// The known patterns match every character, so that keeping only the matches is the same.
		keepsAll := p.Behavior == "Isolated" && !p.Invert || p.Behavior == "Removed" && p.Invert && known
		if pattern == "" || !keepsAll {
			return nil, false, fmt.Errorf("%w: pre-tokenizer Split with behavior %q", ErrFormat, p.Behavior)
		}
		return []string{pattern}, false, nil
	}
	return nil, false, fmt.Errorf("%w: pre-tokenizer %q", ErrFormat, p.Type)
}

// byteAlphabet returns the characters that byte-level vocabularies spell bytes with: the printable
// ones of Latin-1 stand for themselves, the other bytes are U+0100 and following, in order.
func byteAlphabet() map[rune]byte {
	alphabet := make(map[rune]byte, 256)
	next := rune(0x100)
	for b := range rune(256) {
		if b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE {
			alphabet[b] = byte(b)
			continue
		}
		alphabet[next] = byte(b)
		next++
	}
	return alphabet
}

// spell returns the bytes of a token of a vocabulary, and whether all its characters spell bytes.
func spell(alphabet map[rune]byte, token string) (string, bool) {
	spelled := make([]byte, 0, len(token))
	for _, r := range token {
		b, found := alphabet[r]
		if !found {
			return "", false
		}
		spelled = append(spelled, b)
	}
	return string(spelled), len(spelled) > 0
}

package tokens

import (
	"fmt"
	"sync"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/bpe"
	"github.com/ctxpack/ctxpack/compress/tokens/internal/split"
	"github.com/ctxpack/ctxpack/compress/tokens/internal/vocabulary"
)

// encodings is the table behind [New] and [Names]: one shared counter for each name.
var encodings = []struct {
	name    string
	counter Counter
}{
	{"o200k_base", o200k},
	{"cl100k_base", cl100k},
	{"p50k_base", p50k},
	{"r50k_base", r50k},
	{"o200k_harmony", o200k}, // the same ordinary vocabulary; only the special tokens differ
	{"rough", rough{}},
	{"tiktoken:o200k_base", newReference("o200k_base")},
	{"tiktoken:cl100k_base", newReference("cl100k_base")},
	{"tiktoken:p50k_base", newReference("p50k_base")},
	{"tiktoken:r50k_base", newReference("r50k_base")},
}

// The counters of the embedded vocabularies.
var (
	o200k  = embedded("o200k_base", split.NewO200k(split.O200kOptions{Digits: 3}))
	cl100k = embedded("cl100k_base", split.NewCL100k(split.CL100kOptions{Digits: 3}))
	p50k   = embedded("p50k_base", split.GPT2{})
	r50k   = embedded("r50k_base", split.GPT2{})
)

// embedded returns the counter of an embedded vocabulary, which it loads at the first count.
func embedded(encoding string, splitter split.Splitter) *bytePair {
	return newBytePair(encoding, splitter, sync.OnceValue(func() *bpe.Vocabulary {
		merges, err := vocabulary.Merges(encoding)
		if err != nil {
			// The files are part of the binary: only a wrong build gets here.
			panic(fmt.Sprintf("embedded vocabulary: %v", err))
		}
		v, err := bpe.New(merges, nil)
		if err != nil {
			panic(fmt.Sprintf("embedded vocabulary %s: %v", encoding, err))
		}
		return v
	}))
}

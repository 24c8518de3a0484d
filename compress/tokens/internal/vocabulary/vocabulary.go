// Package vocabulary holds the vocabularies of OpenAI's encodings as lists of merges.
//
// A file is a uvarint, the number of merges, and for each merge the numbers of its two tokens as
// uvarints, as [bpe.Merge] numbers them. The files are written by ./gen from the vocabularies that
// tiktoken-go-loader embeds, and a test compares the tokens that they spell with those.
package vocabulary

import (
	_ "embed" // for the lists of merges
	"errors"
	"fmt"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/bpe"
)

//go:generate go run ./gen

var (
	//go:embed o200k_base.merges
	o200kBase string
	//go:embed cl100k_base.merges
	cl100kBase string
	//go:embed p50k_base.merges
	p50kBase string
	//go:embed r50k_base.merges
	r50kBase string
)

// Merges returns the merges of an embedded encoding: o200k_base, cl100k_base, p50k_base or r50k_base.
func Merges(encoding string) ([]bpe.Merge, error) {
	files := map[string]string{"o200k_base": o200kBase, "cl100k_base": cl100kBase, "p50k_base": p50kBase, "r50k_base": r50kBase}
	data, found := files[encoding]
	if !found {
		return nil, fmt.Errorf("vocabulary %s: not embedded", encoding)
	}
	merges, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("vocabulary %s: %w", encoding, err)
	}
	return merges, nil
}

var errCorrupt = errors.New("corrupt list of merges")

func decode(data string) ([]bpe.Merge, error) {
	count, data, ok := uvarint(data)
	if !ok || count > uint32(len(data)) {
		return nil, errCorrupt
	}
	merges := make([]bpe.Merge, count)
	for i := range merges {
		var left, right bool
		merges[i].Left, data, left = uvarint(data)
		merges[i].Right, data, right = uvarint(data)
		if !left || !right {
			return nil, errCorrupt
		}
	}
	if len(data) > 0 {
		return nil, errCorrupt
	}
	return merges, nil
}

// uvarint reads a number of up to 28 bits, as binary.Uvarint does, from a string, without copying
// what is embedded.
func uvarint(data string) (value uint32, rest string, ok bool) {
	for i := 0; i < 4 && i < len(data); i++ {
		value |= uint32(data[i]&0x7F) << (7 * i)
		if data[i] < 0x80 {
			return value, data[i+1:], true
		}
	}
	return 0, data, false
}

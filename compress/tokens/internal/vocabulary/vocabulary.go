// Package vocabulary holds the vocabularies of OpenAI's encodings as lists of merges.
//
// A file is a uvarint, the number of merges, and for each merge the numbers of its two tokens as
// uvarints, as [bpe.Merge] numbers them. The files are written by ./gen from the vocabularies that
// tiktoken-go-loader embeds, and a test compares the tokens that they spell with those.
package vocabulary

import (
	"embed"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/bpe"
)

//go:generate go run ./gen

//go:embed *.merges
var files embed.FS

// Merges returns the merges of an embedded encoding: o200k_base, cl100k_base, p50k_base or r50k_base.
func Merges(encoding string) ([]bpe.Merge, error) {
	data, err := files.ReadFile(encoding + ".merges")
	if err != nil {
		return nil, fmt.Errorf("vocabulary %s: %w", encoding, err)
	}
	merges, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("vocabulary %s: %w", encoding, err)
	}
	return merges, nil
}

var errCorrupt = errors.New("corrupt list of merges")

func decode(data []byte) ([]bpe.Merge, error) {
	count, n := binary.Uvarint(data)
	if n <= 0 || count > uint64(len(data)) {
		return nil, errCorrupt
	}
	data = data[n:]
	merges := make([]bpe.Merge, count)
	for i := range merges {
		left, n := binary.Uvarint(data)
		right, m := binary.Uvarint(data[max(n, 0):])
		if n <= 0 || m <= 0 {
			return nil, errCorrupt
		}
		merges[i] = bpe.Merge{Left: uint32(left), Right: uint32(right)}
		data = data[n+m:]
	}
	if len(data) > 0 {
		return nil, errCorrupt
	}
	return merges, nil
}

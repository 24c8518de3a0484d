// Command gen writes the .merges files of package vocabulary from the vocabularies that
// tiktoken-go-loader embeds.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/bpe"
)

func main() {
	for _, encoding := range []string{"o200k_base", "cl100k_base", "p50k_base", "r50k_base"} {
		if err := write(encoding); err != nil {
			fmt.Fprintf(os.Stderr, "gen: %s: %v\n", encoding, err)
			os.Exit(1)
		}
	}
}

func write(encoding string) error {
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe(encoding + ".tiktoken")
	if err != nil {
		return err
	}
	ranked := make([]string, 0, len(ranks))
	for token := range ranks {
		ranked = append(ranked, token)
	}
	slices.SortFunc(ranked, func(a, b string) int { return ranks[a] - ranks[b] })
	merges, whole, err := bpe.FromRanks(ranked)
	if err != nil {
		return err
	}
	if len(whole) > 0 {
		return fmt.Errorf("%d tokens that no merges lead to: the format has no room for them", len(whole))
	}
	data := binary.AppendUvarint(nil, uint64(len(merges)))
	for _, m := range merges {
		data = binary.AppendUvarint(data, uint64(m.Left))
		data = binary.AppendUvarint(data, uint64(m.Right))
	}
	return os.WriteFile(encoding+".merges", data, 0o644)
}

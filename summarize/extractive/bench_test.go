package extractive_test

import (
	"context"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

// BenchmarkCompose is ledger and prose together over the public transcripts, joined to about 5 MB of middle.
func BenchmarkCompose(b *testing.B) {
	var messages []*formats.Message
	size := 0
	all := transcripts(b)
	for _, name := range names(all) {
		for _, m := range all[name] {
			messages = append(messages, m)
			size += len(allText(m))
		}
		if size > 5<<20 {
			break
		}
	}
	req := summarize.Request{Turns: []summarize.Turn{{Messages: messages}}, Budget: 8000, Ledger: 1000, Count: rough, To: len(messages) - 1}
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, err := summarize.Compose(context.Background(), extractive.Summarizer{}, req); err != nil {
			b.Fatal(err)
		}
	}
}

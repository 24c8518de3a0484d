package tokens

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/bpe"
	"github.com/ctxpack/ctxpack/compress/tokens/internal/vocabulary"
)

// messages cuts text into pieces of about 4 KB, the size of a long message.
func messages(text string) []string {
	var all []string
	for len(text) > 0 {
		n := min(4096, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

// BenchmarkCount reports the speed of counting texts of about 1 MB (see texts_test.go) on one core,
// and how many times that of tiktoken-go on a tenth of the same text it is.
func BenchmarkCount(b *testing.B) {
	texts := benchTexts(b, 1<<20)
	for _, encoding := range []string{"o200k_base", "cl100k_base"} {
		own, reference := counterOf(b, encoding), counterOf(b, "tiktoken:"+encoding)
		for _, name := range []string{"english", "go", "python", "json", "mixed", "chinese"} {
			b.Run(encoding+"/"+name, func(b *testing.B) {
				all := messages(texts[name])
				sample := all[:len(all)/10]
				slow := 0.0
				for range 5 { // the fastest counts: a machine that is busy must not flatter us
					start := time.Now()
					want, got, sampled := 0, 0, 0
					for _, text := range sample {
						want += reference.Count(text)
						sampled += len(text)
					}
					slow = max(slow, float64(sampled)/time.Since(start).Seconds())
					for _, text := range sample {
						got += own.Count(text)
					}
					if got != want {
						b.Fatalf("%d tokens, want %d", got, want)
					}
				}
				b.SetBytes(int64(len(texts[name])))
				b.ReportAllocs()
				for b.Loop() {
					for _, text := range all {
						own.Count(text)
					}
				}
				speed := float64(len(texts[name])) * float64(b.N) / b.Elapsed().Seconds()
				b.ReportMetric(speed/slow, "x_tiktoken-go")
			})
		}
	}
}

// BenchmarkParallel reports the speed of several goroutines with one counter; compare -cpu 1,2.
func BenchmarkParallel(b *testing.B) {
	counter := counterOf(b, "o200k_base")
	text := benchTexts(b, 1<<20)["go"]
	all := messages(text)
	b.SetBytes(int64(len(text)))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			for _, text := range all {
				counter.Count(text)
			}
		}
	})
}

// BenchmarkLong reports the time for 1 MiB of texts without an end in sight.
func BenchmarkLong(b *testing.B) {
	counter := counterOf(b, "o200k_base")
	texts := longTexts(1 << 20)
	for _, name := range []string{"a", " ", "\n", "😀", "的", "base64", "random letters"} {
		b.Run(strings.NewReplacer(" ", "space", "\n", "newline").Replace(name), func(b *testing.B) {
			b.SetBytes(int64(len(texts[name])))
			b.ReportAllocs()
			for b.Loop() {
				counter.Count(texts[name])
			}
		})
	}
}

// BenchmarkLoad reports the time that the first count of a vocabulary takes longer.
func BenchmarkLoad(b *testing.B) {
	for _, encoding := range checked {
		b.Run(encoding, func(b *testing.B) {
			for b.Loop() {
				merges, err := vocabulary.Merges(encoding)
				if err != nil {
					b.Fatal(err)
				}
				v, err := bpe.New(merges, nil)
				if err != nil {
					b.Fatal(err)
				}
				bpe.NewCounter(v)
			}
		})
	}
}

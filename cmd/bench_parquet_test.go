package cmd

import (
	"context"
	"os"
	"strings"
	"testing"
)

// BenchmarkParquet is the whole program on a Parquet file of 64 MB of text: half of it summarised, and nothing. MB are
// those of the file, which is a third or so of its text.
func BenchmarkParquet(b *testing.B) {
	lines, _ := benchInput(b, 64<<20)
	path := strings.TrimSuffix(lines, ".jsonl") + ".parquet"
	run := func(args ...string) {
		if code := Main(context.Background(), append(args, "--force", "-q", "--workers", "2"), OSStreams()); code != ExitDone {
			b.Fatalf("exit code %d", code)
		}
	}
	run("convert", lines, "-o", path, "--to", "openai")
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	for _, test := range []struct{ name, window string }{{"compact", "128k"}, {"pass through", "10M"}} {
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				run("compact", path, "-o", path+".out", "--context-length", test.window)
			}
		})
	}
}

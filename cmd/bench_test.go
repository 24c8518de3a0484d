package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/fixtures/synth"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/jsonl"
	"github.com/ctxpack/ctxpack/pipeline"
)

// benchInput makes a file of generated conversations, half of them over 64,000 tokens, and says how large it is.
func benchInput(b *testing.B, size int64) (path string, bytes int64) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "in.jsonl")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if _, err := synth.Write(file, synth.FileOptions{Seed: 1, Size: size}); err != nil {
		b.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return path, info.Size()
}

// BenchmarkCompact is the whole program on a file of 64 MB: read, decode, count, summarise half of it, write, report.
func BenchmarkCompact(b *testing.B) {
	path, size := benchInput(b, 64<<20)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				args := []string{"compact", path, "-o", path + ".out", "--force", "-q", "--context-length", "128k",
					"--workers", fmt.Sprint(workers)}
				if code := Main(context.Background(), args, OSStreams()); code != ExitDone {
					b.Fatalf("exit code %d", code)
				}
			}
		})
	}
}

// BenchmarkPassThrough is the same with nothing to compact: read, decode, count, write.
func BenchmarkPassThrough(b *testing.B) {
	path, size := benchInput(b, 64<<20)
	b.SetBytes(size)
	for b.Loop() {
		args := []string{"compact", path, "-o", path + ".out", "--force", "-q", "--context-length", "10M", "--workers", "1"}
		if code := Main(context.Background(), args, OSStreams()); code != ExitDone {
			b.Fatalf("exit code %d", code)
		}
	}
}

// BenchmarkDecodeEncode is reading, decoding and writing back without counting, on one core.
func BenchmarkDecodeEncode(b *testing.B) {
	path, size := benchInput(b, 64<<20)
	b.SetBytes(size)
	process := func(_ context.Context, _ *pipeline.Gate, rec formats.Record) (pipeline.Outcome, error) {
		conv, err := formats.Decode(rec, dialects())
		if err != nil {
			return pipeline.Outcome{}, err
		}
		return pipeline.Outcome{Payload: conv.Bytes()}, nil
	}
	for b.Loop() {
		input := pipeline.Input{
			Name: "bench",
			Open: func(context.Context) (formats.Source, error) {
				file, err := os.Open(path)
				if err != nil {
					return nil, err
				}
				return jsonl.NewSource(file, "bench", jsonl.Options{})
			},
			Create: func(context.Context) (formats.Sink, error) { return jsonl.NewSink(discard{}, jsonl.Lines), nil },
		}
		if _, err := pipeline.Run(context.Background(), pipeline.Options{Workers: 1}, []pipeline.Input{input}, process, nil); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

// BenchmarkCount is counting the texts of the same conversations, on one core.
func BenchmarkCount(b *testing.B) {
	g := synth.New(1)
	var texts []string
	var size int64
	for range 40 {
		conv, err := formats.Decode(formats.Record{Raw: g.Conversation(synth.Options{})}, dialects())
		if err != nil {
			b.Fatal(err)
		}
		for _, m := range conv.Messages {
			for _, p := range m.Parts {
				switch v := p.(type) {
				case *formats.Text:
					texts = append(texts, v.Text)
				case *formats.ToolResult:
					texts = append(texts, v.Text)
				}
			}
		}
	}
	for _, t := range texts {
		size += int64(len(t))
	}
	for _, name := range []string{"o200k_base", "cl100k_base"} {
		b.Run(name, func(b *testing.B) {
			counter, err := tokens.New(name)
			if err != nil {
				b.Fatal(err)
			}
			counter.Count("load")
			b.SetBytes(size)
			for b.Loop() {
				for _, t := range texts {
					counter.Count(t)
				}
			}
		})
	}
}

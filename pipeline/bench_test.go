package pipeline

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// constant yields the same record n times.
type constant struct {
	rec formats.Record
	n   int
}

func (c *constant) Next(context.Context) (formats.Record, error) {
	if c.n == 0 {
		return formats.Record{}, io.EOF
	}
	c.n--
	return c.rec, nil
}

func (c *constant) Close() error { return nil }

type nowhere struct{}

func (nowhere) Write(formats.Record, []byte) error { return nil }
func (nowhere) Skip(formats.Record) error          { return nil }
func (nowhere) Close() error                       { return nil }

func benchmark(b *testing.B, workers, size int, process Process) {
	b.ReportAllocs()
	src := &constant{formats.Record{Raw: make([]byte, size), Trail: []byte("\n")}, b.N}
	b.ResetTimer()
	_, err := Run(context.Background(), Options{Workers: workers}, []Input{{
		Open:   func(context.Context) (formats.Source, error) { return src, nil },
		Create: func(context.Context) (formats.Sink, error) { return nowhere{}, nil },
	}}, process, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkOverhead is the cost of a record that nothing is done with.
func BenchmarkOverhead(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) { benchmark(b, workers, 200, nothing) })
	}
}

// BenchmarkScaling is about 50 µs of work for each record.
func BenchmarkScaling(b *testing.B) {
	table := crc32.MakeTable(crc32.Koopman) // no assembly: steady work
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			benchmark(b, workers, 64<<10, func(_ context.Context, _ *Gate, rec formats.Record) (Outcome, error) {
				return Outcome{Row: crc32.Checksum(rec.Raw, table)}, nil
			})
		})
	}
}

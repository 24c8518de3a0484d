package jsonl

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sample is size bytes of records of about 8 KB that look like conversations.
func sample(size int, before, between, after string) []byte {
	var record strings.Builder
	record.WriteString(`{"id":"0001","messages":[`)
	for i := range 20 {
		if i > 0 {
			record.WriteByte(',')
		}
		fmt.Fprintf(&record, `{"role":"assistant","content":"%s\n","tool_calls":[{"id":"c%d","function":{"name":"read","arguments":"{\"path\":\"a/b.go\"}"}}]}`,
			strings.Repeat("the file says nothing about it, ", 8), i)
	}
	record.WriteString(`]}`)
	var b bytes.Buffer
	b.WriteString(before)
	for b.Len() < size {
		if b.Len() > len(before) {
			b.WriteString(between)
		}
		b.WriteString(record.String())
	}
	b.WriteString(after)
	return b.Bytes()
}

func benchmarkSource(b *testing.B, data []byte, framing Framing) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	records := 0
	for b.Loop() {
		src, err := NewSource(bytes.NewReader(data), "in", Options{})
		if err != nil || src.Framing() != framing {
			b.Fatal(src.Framing(), err)
		}
		records = 0
		for {
			if _, err := src.Next(b.Context()); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
			records++
		}
	}
	b.ReportMetric(float64(records), "records")
}

func BenchmarkLines(b *testing.B) {
	benchmarkSource(b, sample(64<<20, "", "\n", "\n"), Lines)
}

func BenchmarkShortLines(b *testing.B) {
	benchmarkSource(b, []byte(strings.Repeat(`{"messages":[{"role":"user","content":"a short one of a hundred bytes"},{"role":"assistant"}]}`+"\n", 200_000)), Lines)
}

func BenchmarkLongLine(b *testing.B) {
	benchmarkSource(b, []byte(`{"a":"`+strings.Repeat("x", 100<<20)+`"}`), Lines)
}

func BenchmarkArray(b *testing.B) {
	benchmarkSource(b, sample(64<<20, "[\n", ",\n", "\n]\n"), Array)
}

func BenchmarkSink(b *testing.B) {
	data := sample(64<<20, "[\n", ",\n", "\n]\n")
	_, recs := readAll(b, bytes.NewReader(data), string(data), Options{})
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		sink := NewSink(discard{}, Array)
		for _, r := range recs {
			if err := sink.Write(r, r.Raw); err != nil {
				b.Fatal(err)
			}
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

// repeated is a reader of n copies of data, made as they are read.
type repeated struct {
	data []byte
	n    int
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	k := copy(p, r.data[r.at:])
	if r.at += k; r.at == len(r.data) {
		r.at = 0
		r.n--
	}
	return k, nil
}

// Memory: the peak does not grow with the file, and a long line takes no more than about three times its length.
func TestMemory(t *testing.T) {
	measure := func(r io.Reader) (peak uint64) {
		runtime.GC()
		src, err := NewSource(r, "in", Options{})
		if err != nil {
			t.Fatal(err)
		}
		var m runtime.MemStats
		last := time.Time{}
		for {
			rec, err := src.Next(t.Context())
			if now := time.Now(); len(rec.Raw) > 1<<20 || now.Sub(last) > 10*time.Millisecond {
				last = now
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
			if err == io.EOF {
				return peak
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if peak := measure(&repeated{data: sample(1<<20, "", "\n", "\n"), n: 100}); peak > 64<<20 {
		t.Errorf("100 MB of lines take %d MB", peak>>20)
	}
	const length = 50 << 20
	long := io.MultiReader(strings.NewReader(`{"a":"`), &repeated{data: bytes.Repeat([]byte("x"), 1<<20), n: length >> 20}, strings.NewReader("\"}\n{}\n"))
	if peak := measure(long); peak > 3*length {
		t.Errorf("a line of 50 MB takes %d MB", peak>>20)
	}
}

package codec

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/klauspost/compress/zstd"
)

func compressed(t testing.TB, kind Kind, data []byte, cut int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, kind)
	if err != nil {
		t.Fatal(err)
	}
	for len(data) > 0 {
		n := min(cut, len(data))
		if _, err := w.Write(data[:n]); err != nil {
			t.Fatal(err)
		}
		data = data[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// text is deterministic, compressible and not trivially so.
func text(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.SplitAfter(`{"role": "assistant", "content": "reading the file" "tool_calls": [ ] } \n error `, " ")
	b := make([]byte, 0, n+64)
	for len(b) < n {
		x := rng.Uint64()
		b = append(b, words[x%uint64(len(words))]...)
		b = binary.LittleEndian.AppendUint16(b, uint16(x>>32))
	}
	return b[:n]
}

func TestRoundTrip(t *testing.T) {
	for _, kind := range []Kind{Plain, Gzip, Zstd} {
		for _, size := range []int{0, 1, 5, 6, 7, 4095, behindBlock - 1, behindBlock, behindBlock + 1, 3*behindBlock + 17} {
			data := text(size)
			packed := compressed(t, kind, data, 1000)
			r, got, err := NewReader(bytes.NewReader(packed))
			if err != nil {
				t.Fatalf("%s %d: %v", kind, size, err)
			}
			if got != kind {
				t.Errorf("%s %d bytes: told as %s", kind, size, got)
			}
			back, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(back, data) {
				t.Errorf("%s %d bytes: came back as %d bytes, %v", kind, size, len(back), err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestWriterIsDeterministic(t *testing.T) {
	data := text(2*behindBlock + 12345)
	for _, kind := range []Kind{Gzip, Zstd} {
		one := compressed(t, kind, data, len(data))
		for _, cut := range []int{333, 1 << 16, behindBlock} {
			if !bytes.Equal(one, compressed(t, kind, data, cut)) {
				t.Errorf("%s: another cut of the writes (%d) gives other bytes", kind, cut)
			}
		}
	}
	head := compressed(t, Gzip, data, len(data))
	zr, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		t.Fatal(err)
	}
	if zr.Name != "" || !zr.ModTime.IsZero() {
		t.Errorf("gzip header holds name %q and time %v", zr.Name, zr.ModTime)
	}
}

func TestConcatenated(t *testing.T) {
	a, b := text(300_000), []byte("the second member")
	for _, kind := range []Kind{Gzip, Zstd} {
		joined := append(compressed(t, kind, a, 1<<20), compressed(t, kind, b, 1<<20)...)
		r, _, err := NewReader(bytes.NewReader(joined))
		if err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(back, append(bytes.Clone(a), b...)) {
			t.Errorf("%s: %d bytes, %v", kind, len(back), err)
		}
	}
}

func TestZstdSkippableFrameFirst(t *testing.T) {
	packed := append([]byte{0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9}, compressed(t, Zstd, []byte("hello"), 10)...)
	r, kind, err := NewReader(bytes.NewReader(packed))
	if err != nil || kind != Zstd {
		t.Fatal(kind, err)
	}
	if back, err := io.ReadAll(r); err != nil || string(back) != "hello" {
		t.Errorf("%q, %v", back, err)
	}
}

func TestTruncatedSaysSo(t *testing.T) {
	data := text(700_000)
	for _, kind := range []Kind{Gzip, Zstd} {
		packed := compressed(t, kind, data, 1<<20)
		for _, cut := range []int{6, 20, len(packed) / 2, len(packed) - 1} {
			r, _, err := NewReader(bytes.NewReader(packed[:cut]))
			if err == nil {
				var back []byte
				back, err = io.ReadAll(r)
				if !bytes.HasPrefix(data, back) {
					t.Errorf("%s cut at %d: delivers other bytes than were written", kind, cut)
				}
			}
			var e *Error
			if !errors.As(err, &e) || !e.Truncated() || e.Kind != kind {
				t.Errorf("%s cut at %d: %v", kind, cut, err)
				continue
			}
			if !strings.Contains(err.Error(), "cut off") || formats.HintOf(err) == "" {
				t.Errorf("%s cut at %d: %v, hint %q", kind, cut, err, formats.HintOf(err))
			}
			if e.Offset <= 0 || e.Offset > int64(cut) {
				t.Errorf("%s cut at %d: offset %d", kind, cut, e.Offset)
			}
		}
	}
}

func TestDamagedSaysSo(t *testing.T) {
	data := text(700_000)
	for _, kind := range []Kind{Gzip, Zstd} {
		packed := bytes.Clone(compressed(t, kind, data, 1<<20))
		for i := range 64 {
			packed[len(packed)/2+i] ^= 0x5a
		}
		r, _, err := NewReader(bytes.NewReader(packed))
		if err == nil {
			_, err = io.ReadAll(r)
		}
		var e *Error
		if !errors.As(err, &e) || e.Truncated() || !strings.Contains(e.Hint(), "-t FILE") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestTrailingGarbageIsNotSwallowed(t *testing.T) {
	for _, kind := range []Kind{Gzip, Zstd} {
		packed := append(compressed(t, kind, []byte("hello"), 10), "and then something else"...)
		r, _, err := NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(r)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestFailingInputIsNotCalledDamaged(t *testing.T) {
	disk := errors.New("input/output error")
	for _, kind := range []Kind{Plain, Gzip, Zstd} {
		packed := compressed(t, kind, text(700_000), 1<<20)
		r, _, err := NewReader(io.MultiReader(bytes.NewReader(packed[:len(packed)/2]), iotest.ErrReader(disk)))
		if err == nil {
			_, err = io.ReadAll(r)
		}
		var e *Error
		if !errors.Is(err, disk) || errors.As(err, &e) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestForeignCompressionsAreNamed(t *testing.T) {
	for magic, name := range map[string]string{"BZh91AY": "bzip2", "\xfd7zXZ\x00\x00": "xz", "PK\x03\x04\x14\x00": "zip"} {
		_, _, err := NewReader(strings.NewReader(magic))
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(formats.HintOf(err), "FILE") {
			t.Errorf("%q: %v, hint %q", magic, err, formats.HintOf(err))
		}
	}
}

type failAfter struct {
	n   int
	err error
}

func (f *failAfter) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, f.err
	}
	return len(p), nil
}

func TestWriteErrorsSurface(t *testing.T) {
	full := errors.New("no space left on device")
	rng := rand.New(rand.NewPCG(3, 4))
	for _, kind := range []Kind{Plain, Gzip, Zstd} {
		w, err := NewWriter(&failAfter{100_000, full}, kind)
		if err != nil {
			t.Fatal(err)
		}
		noise := make([]byte, behindBlock)
		for i := 0; i < len(noise); i += 8 {
			binary.LittleEndian.PutUint64(noise[i:], rng.Uint64())
		}
		var first error
		for range 4 * behindBlocks { // more blocks than there are buffers: a Write must never block for ever
			if _, err := w.Write(noise); err != nil && first == nil {
				first = err
			}
		}
		if !errors.Is(first, full) {
			t.Errorf("%s: Write gave %v", kind, first)
		}
		if err := w.Close(); !errors.Is(err, full) {
			t.Errorf("%s: Close gave %v", kind, err)
		}
		if err := w.Close(); !errors.Is(err, full) {
			t.Errorf("%s: second Close gave %v", kind, err)
		}
	}
}

func TestCloseEndsGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	packed := map[Kind][]byte{}
	for _, kind := range []Kind{Gzip, Zstd} {
		packed[kind] = compressed(t, kind, text(2*aheadBlock*aheadBlocks), 1<<20)
	}
	for range 10 {
		for _, kind := range []Kind{Gzip, Zstd} {
			r, _, err := NewReader(bytes.NewReader(packed[kind]))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestKindByName(t *testing.T) {
	for _, tt := range []struct {
		path    string
		kind    Kind
		trimmed string
	}{
		{"runs.jsonl", Plain, "runs.jsonl"},
		{"runs.jsonl.gz", Gzip, "runs.jsonl"},
		{"a.b/RUNS.JSONL.GZ", Gzip, "a.b/RUNS.JSONL"},
		{"runs.jsonl.zst", Zstd, "runs.jsonl"},
		{"runs.zstd", Zstd, "runs"},
		{"dir.gz/runs", Plain, "dir.gz/runs"},
		{"-", Plain, "-"},
		{"", Plain, ""},
	} {
		if got := KindByName(tt.path); got != tt.kind {
			t.Errorf("KindByName(%q) = %s, not %s", tt.path, got, tt.kind)
		}
		if got := TrimExtension(tt.path); got != tt.trimmed {
			t.Errorf("TrimExtension(%q) = %q, not %q", tt.path, got, tt.trimmed)
		}
	}
	if Gzip.Extension() != ".gz" || Zstd.Extension() != ".zst" || Plain.Extension() != "" {
		t.Error("extensions to write are .gz, .zst and none")
	}
}

// FuzzReader guards against panics and hangs on hostile streams, and checks that what is not compressed comes through.
func FuzzReader(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff})
	f.Add(compressed(f, Gzip, []byte("hello"), 10))
	f.Add(compressed(f, Zstd, []byte("hello"), 10))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, kind, err := NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		defer func() {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}()
		back, err := io.ReadAll(io.LimitReader(r, 1<<22))
		if kind == Plain && (err != nil || !bytes.Equal(back, data)) {
			t.Fatalf("plain input came back as %d bytes, %v", len(back), err)
		}
	})
}

func benchmarkReader(b *testing.B, kind Kind) {
	data := text(16 << 20)
	packed := compressed(b, kind, data, 1<<20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r, _, err := NewReader(bytes.NewReader(packed))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadGzip(b *testing.B) { benchmarkReader(b, Gzip) }
func BenchmarkReadZstd(b *testing.B) { benchmarkReader(b, Zstd) }

func benchmarkWriter(b *testing.B, kind Kind) {
	data := text(16 << 20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		w, err := NewWriter(io.Discard, kind)
		if err != nil {
			b.Fatal(err)
		}
		for p := data; len(p) > 0; p = p[1<<16:] {
			if _, err := w.Write(p[:1<<16]); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWritePlain(b *testing.B) { benchmarkWriter(b, Plain) }
func BenchmarkWriteGzip(b *testing.B)  { benchmarkWriter(b, Gzip) }
func BenchmarkWriteZstd(b *testing.B)  { benchmarkWriter(b, Zstd) }

// zstd streams of other writers, with a content size and several blocks.
func TestForeignZstdWriter(t *testing.T) {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	data := text(500_000)
	r, kind, err := NewReader(bytes.NewReader(enc.EncodeAll(data, nil)))
	if err != nil || kind != Zstd {
		t.Fatal(kind, err)
	}
	if back, err := io.ReadAll(r); err != nil || !bytes.Equal(back, data) {
		t.Errorf("%d bytes, %v", len(back), err)
	}
}

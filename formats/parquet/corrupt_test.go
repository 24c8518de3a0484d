package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// foreign are files that another writer made; see testdata/README.md.
func foreign(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "*.parquet"))
	if err != nil || len(names) == 0 {
		t.Fatal("no files", err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// turnOver rewrites a file, every second conversation with a new first turn and a changed one.
func turnOver(data []byte, opts Options) error {
	src, err := Open(bytes.NewReader(data), int64(len(data)), "a.parquet", opts)
	if err != nil {
		return err
	}
	k, err := NewSink(io.Discard, src)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		rec, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return errors.Join(src.Close(), k.Close())
		}
		if err == nil {
			err = k.Write(rec, changedTurns(rec, i))
		}
		if err != nil {
			_, _ = src.Close(), k.Close() // as a run does that has failed
			return err
		}
	}
}

func changedTurns(rec formats.Record, i int) []byte {
	if rec.FramingOnly() || i%2 == 1 {
		return rec.Raw
	}
	payload := bytes.Replace(rec.Raw, []byte(`[{`), []byte(`[{"role":"system","content":"new"},{`), 1)
	return bytes.Replace(payload, []byte(`"content":"row`), []byte(`"content":"line`), 1)
}

// Whatever byte of a file is wrong or missing: rewriting it ends well, or in an error that names the file and says what
// is wrong with it. Never in a panic, and never in an internal error: the program is not at fault.
func TestCorruptFiles(t *testing.T) {
	files := foreign(t)
	files["sample"] = sample(t)
	cut, step := 97, 23
	if os.Getenv("CTXPACK_LONG") != "" {
		cut, step = 3, 1
	}
	for name, data := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			if err := turnOver(data, Options{}); err != nil {
				t.Fatal("the file as it is:", err)
			}
			refused := 0
			try := func(what string, data []byte) {
				err := turnOver(data, Options{})
				if err == nil {
					return // a value is another one now
				}
				refused++
				text, ok := strings.CutPrefix(err.Error(), "a.parquet: ")
				if known := strings.HasPrefix(text, "not a valid Parquet file: ") && formats.HintOf(err) != "" ||
					strings.HasPrefix(text, "its pages are compressed with ") || text == "no column holds conversations"; !ok || !known || strings.Contains(text, "runtime error") {
					t.Errorf("%s: %v", what, err)
				}
			}
			for n := 0; n < len(data); n += cut {
				try(fmt.Sprintf("cut at %d", n), data[:n])
			}
			if refused == 0 {
				t.Error("a file that is cut off was read")
			}
			for i := 0; i < len(data); i += step {
				for _, flip := range []byte{0x01, 0x10, 0xff} {
					wrong := bytes.Clone(data)
					wrong[i] ^= flip
					try(fmt.Sprintf("byte %d ^ %#x", i, flip), wrong)
				}
			}
		})
	}
}

// FuzzOpen: no bytes make reading or rewriting panic or go on for ever.
func FuzzOpen(f *testing.F) {
	f.Add(sample(f))
	for _, data := range foreign(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := turnOver(data, Options{}); err != nil && strings.Contains(err.Error(), "internal error") {
			t.Error(err)
		}
	})
}

package cmd

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/parquet"
)

// tableMemory is the heap from which on garbage is collected more eagerly while Parquet is read: pages of up to 200 MB,
// as some writers make them, would otherwise be waiting for collection several at a time.
const tableMemory = 400 << 20

// tableReading is a Parquet input. Its footer stands at the end, so the standard input goes to a file first.
type tableReading struct {
	*parquet.Source
	reading *reading
	spool   *os.File // the standard input's copy; nil for a file
	advance func(int64)
	rows    int64 // yielded
	shown   int64 // bytes told to advance
}

// openTable opens a Parquet file, or copies the standard input to a temporary one. The stored bytes are hashed now: rows
// are not read in the order of the bytes.
func (r *reading) openTable(front io.Reader, advance func(int64), opts readOptions) error {
	t := &tableReading{reading: r, advance: advance}
	r.table = t
	file, ok := r.file.(*os.File)
	if !ok || r.in.size() < 0 {
		var err error
		if t.spool, err = os.CreateTemp("", "ctxpack-*.parquet"); err != nil {
			return fmt.Errorf("%s must be copied to a temporary file: %w", r.in.name, bareError(err))
		}
		file = t.spool
		_ = os.Remove(file.Name()) // it goes when the process lets go of it
		if _, err := io.Copy(file, front); err != nil {
			return formats.WithHint(fmt.Errorf("copying %s to %s: %w", r.in.name, file.Name(), bareError(err)),
				"TMPDIR names another directory for temporary files")
		}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var err error
	if r.bytes, err = io.Copy(r.sum, file); err != nil {
		return fmt.Errorf("cannot read %s: %w", r.in.name, bareError(err))
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // GOMEMLIMIT says nothing
		debug.SetMemoryLimit(tableMemory)
	}
	if t.Source, err = parquet.Open(file, r.bytes, r.in.name, parquet.Options{Column: opts.Column, Row: opts.Row}); err != nil {
		return err
	}
	r.source = t
	return nil
}

// Next yields the next row, and shows the progress as its share of the file.
func (t *tableReading) Next(ctx context.Context) (formats.Record, error) {
	rec, err := t.Source.Next(ctx)
	now := t.reading.bytes
	if t.rows++; err == nil && t.Rows() > 0 {
		now = int64(float64(t.reading.bytes) * min(1, float64(t.rows)/float64(t.Rows())))
	}
	t.advance(now - t.shown)
	t.shown = now
	return rec, err
}

// Close ends reading. The standard input's copy stays open: it may have to be copied to the output.
func (t *tableReading) Close() error {
	if t.Source == nil {
		return nil
	}
	return t.Source.Close()
}

func (t *tableReading) copySpool(w io.Writer) error {
	if _, err := t.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, t.spool)
	return err
}

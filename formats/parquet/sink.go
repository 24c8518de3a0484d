package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ctxpack/ctxpack/formats"
)

// Limits of what is written.
const (
	groupBytes      = 64 << 20 // values of a row group held in memory at most
	pageBytes       = 1 << 20  // smaller pages compress much worse
	dictionaryBytes = 1 << 20  // a dictionary that would grow beyond it is given up, as other writers do
)

// Sink writes the rows of a Source into a new file of the same schema, compression and key-value metadata. Row groups end
// where those of the input end, or earlier when one grows too large. It implements formats.Sink.
type Sink struct {
	w      *pq.Writer //nolint:staticcheck // GenericWriter panics on lists of two levels
	column column
	group  int // of the last row
	held   int // bytes of rows since the last flush
	row    pq.Row
}

// NewSink returns a sink for the rows of src. Close completes the file and leaves w open.
func NewSink(w io.Writer, src *Source) (k *Sink, err error) {
	defer rescue(src.name, &err)
	opts := []pq.WriterOption{
		src.file.Schema(), pq.PageBufferSize(pageBytes), pq.WriteBufferSize(0), pq.DataPageVersion(1),
		pq.DictionaryMaxBytes(dictionaryBytes), pq.DataPageStatistics(false),
	}
	for _, leaf := range byteColumns(src.file) {
		opts = append(opts, pq.SkipPageBounds(leaf...))
	}
	k = &Sink{w: pq.NewWriter(w, opts...), column: src.column}
	for _, kv := range src.file.Metadata().KeyValueMetadata {
		k.w.SetKeyValueMetadata(kv.Key, kv.Value)
	}
	return k, nil
}

// byteColumns are the paths of all columns of bytes: bounds of their pages would keep whole texts in memory.
func byteColumns(f *pq.File) [][]string {
	var paths [][]string
	for _, path := range f.Schema().Columns() {
		if leaf, ok := f.Schema().Lookup(path...); ok && leaf.Node.Type().Kind() == pq.Kind(format.ByteArray) {
			paths = append(paths, path)
		}
	}
	return paths
}

// errForeign can only come from a fault in the program.
var errForeign = errors.New("internal error: a record that is no Parquet row")

// Write writes the row of rec with payload as its conversation.
func (k *Sink) Write(rec formats.Record, payload []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	r, ok := rec.Held.(*row)
	if !ok {
		return errForeign
	}
	if r.group != k.group {
		if err := k.flush(); err != nil {
			return err
		}
		k.group = r.group
	}
	var changed map[int][]pq.Value
	if !rec.FramingOnly() && !bytes.Equal(payload, r.before) {
		if changed, err = k.column.rebuild(r.columns, r.before, payload); err != nil {
			return fmt.Errorf("%s: %w", rec.Pos, err)
		}
	}
	k.row = k.row[:0]
	for leaf, values := range r.columns {
		if other, ok := changed[leaf]; ok {
			values = other
		}
		k.row = append(k.row, values...)
	}
	if _, err := k.w.WriteRows([]pq.Row{k.row}); err != nil {
		return err
	}
	clear(k.row)
	if k.held += rec.Size() + len(payload); k.held > groupBytes {
		return k.flush()
	}
	return nil
}

func (k *Sink) flush() error {
	if k.held == 0 {
		return nil
	}
	k.held = 0
	return k.w.Flush()
}

// Skip leaves the row out.
func (k *Sink) Skip(formats.Record) error { return nil }

// Close completes the file.
func (k *Sink) Close() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	k.row = slices.Clip(k.row[:0])
	return k.w.Close()
}

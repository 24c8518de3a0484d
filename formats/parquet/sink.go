package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
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
// where those of the input end, or earlier when one grows too large. It implements formats.RowSink.
//
// A row with several conversations is written with the last of them, once: those that changed are new in it, the others
// as they came. When one of them is skipped, the row is left out.
type Sink struct {
	name    string
	w       *pq.Writer //nolint:staticcheck // GenericWriter panics on lists of two levels
	columns []column
	group   int // of the last row
	held    int // bytes of rows since the last flush, nearly
	written int // rows since then
	row     pq.Row
	lost    formats.Loss

	at      *rowData // the row whose conversations are coming; nil between rows
	next    int      // the conversation that comes next
	changed shredder // the columns of the row that are new
	skipped bool     // one of its conversations was skipped
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
	k = &Sink{name: src.name, w: pq.NewWriter(w, opts...), columns: src.columns, lost: formats.Loss{}}
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

// Lost counts, by name, the members of new and changed messages that the schema has no column for.
func (k *Sink) Lost() formats.Loss { return k.lost }

// errForeign can only come from a fault in the program.
var errForeign = errors.New("internal error: a record that is no Parquet row, or not the next one")

// Write writes the row of rec with payload as its conversation.
func (k *Sink) Write(rec formats.Record, payload []byte) (err error) {
	defer rescue(k.name, &err)
	p, err := k.take(rec)
	if err != nil {
		return err
	}
	if !rec.FramingOnly() && !bytes.Equal(payload, rec.Raw) {
		if err := k.columns[p.column].rebuild(&k.changed, p.row.columns, rec.Raw, payload); err != nil {
			return fmt.Errorf("%s: %w", rec.Pos, err)
		}
	}
	k.held += rec.Size() + len(payload)
	return k.finish(p)
}

// WholeRows says that a row is left out as a whole: it has several conversations.
func (k *Sink) WholeRows() bool { return len(k.columns) > 1 }

// Skip leaves the row out.
func (k *Sink) Skip(rec formats.Record) (err error) {
	defer rescue(k.name, &err)
	p, err := k.take(rec)
	if err != nil {
		return err
	}
	k.skipped = true
	return k.finish(p)
}

// take begins a row, or goes on with it.
func (k *Sink) take(rec formats.Record) (*part, error) {
	p, ok := rec.Held.(*part)
	if !ok || p.column != k.next || k.at != nil && k.at != p.row {
		return nil, errForeign
	}
	if k.at == nil {
		k.at, k.changed, k.skipped = p.row, shredder{columns: map[int][]pq.Value{}}, false
	}
	k.next++
	return p, nil
}

// finish writes the row if p is the last of its conversations.
func (k *Sink) finish(p *part) error {
	if k.next < len(k.columns) {
		return nil
	}
	k.at, k.next = nil, 0
	if k.skipped {
		return nil
	}
	if p.row.group != k.group {
		if err := k.flush(); err != nil {
			return err
		}
		k.group = p.row.group
	}
	for _, what := range k.changed.lost {
		k.lost["messages[]."+what]++
	}
	k.row = k.row[:0]
	for leaf, values := range p.row.columns {
		if other, ok := k.changed.columns[leaf]; ok {
			values = other
		}
		k.row = append(k.row, values...)
	}
	if _, err := k.w.WriteRows([]pq.Row{k.row}); err != nil {
		return k.explain(err)
	}
	clear(k.row) // its values hold the memory of the row they came from
	k.written++
	if k.held > groupBytes {
		return k.flush()
	}
	return nil
}

func (k *Sink) flush() error {
	if k.written == 0 {
		return nil
	}
	k.written, k.held = 0, 0
	return k.explain(k.w.Flush())
}

// explain tells what the file is to blame for from what cannot be written.
func (k *Sink) explain(err error) error {
	if errors.Is(err, encoding.ErrNotSupported) {
		return fmt.Errorf("%s: %w", k.name, errBroken("a column has an encoding that its type cannot have"))
	}
	return err
}

// Close completes the file.
func (k *Sink) Close() (err error) {
	defer rescue(k.name, &err)
	if k.at != nil {
		return errors.Join(errors.New("internal error: a row without all of its conversations"), k.w.Close())
	}
	return k.explain(k.w.Close())
}

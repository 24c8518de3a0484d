package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ctxpack/ctxpack/formats"
)

// Magic is what a Parquet file begins and ends with.
const Magic = "PAR1"

// Options are settings of a Source. The zero value finds the conversation column by its name and shape.
type Options struct {
	Column string // the conversation column

	// Row makes the payload all of the row: an object of its columns, and the members that Creator put into one column
	// where they belong. Such records cannot be written back.
	Row bool
}

// Source yields the rows of one file as records, row group by row group. It implements formats.Source. A row without a
// conversation (null) is a record that is framing only: it is copied, never counted.
//
// Memory is a few pages of each column and the rows at hand. The reader stays the caller's to close.
type Source struct {
	name    string
	file    *pq.File
	column  column
	whole   []*node // Options.Row: all columns
	made    bool    // Options.Row: by Creator
	leaves  int
	groups  []pq.RowGroup
	group   int     // of the rows being read
	rows    pq.Rows // of the group; nil before and between groups
	buffer  []pq.Row
	pending []pq.Row // read, not yet yielded
	from    int      // the group they are of
	index   int64
	closed  bool
}

// readAhead is how many rows are asked for at a time.
const readAhead = 16

// Open reads the footer of a file and finds its conversation column. A file that is broken, or that cannot be read
// (LZ4_RAW, encrypted), is an error with a hint, never a panic.
func Open(r io.ReaderAt, size int64, name string, opts Options) (s *Source, err error) {
	defer rescue(name, &err)
	if size < 12 {
		return nil, fmt.Errorf("%s: %w", name, errBroken("it is too short"))
	}
	f, err := pq.OpenFile(r, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true), pq.FileReadMode(pq.ReadModeSync), pq.ReadBufferSize(256<<10))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, errBroken(err.Error()))
	}
	if err := readable(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	columns, err := readSchema(f.Metadata().Schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s = &Source{name: name, file: f, groups: f.RowGroups(), buffer: make([]pq.Row, readAhead)}
	for _, n := range columns {
		s.leaves = max(s.leaves, n.last)
	}
	if s.leaves != len(f.Schema().Columns()) {
		return nil, fmt.Errorf("%s: %w", name, errSchema)
	}
	s.column, err = findColumn(columns, opts.Column, s.looksLikeJSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if opts.Row {
		s.whole = columns
		_, s.made = f.Lookup(madeBy)
	}
	return s, nil
}

func errBroken(why string) error {
	return formats.WithHint(fmt.Errorf("this Parquet file is broken: %s", why),
		"it may have been cut off while it was copied; compare its size with that of the original")
}

// rescue turns a panic of the Parquet library, which trusts what a file says, into an error.
func rescue(name string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: %w", name, errBroken(fmt.Sprint(p)))
	}
}

// readable refuses what the library cannot read, before any work is done.
func readable(f *pq.File) error {
	for _, g := range f.Metadata().RowGroups {
		for _, c := range g.Columns {
			switch c.MetaData.Codec {
			case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd:
			case format.Lz4Raw, format.Lz4:
				return formats.WithHint(fmt.Errorf("its pages are compressed with %s, which cannot be read", c.MetaData.Codec),
					"write it again with another compression, for example with DuckDB: COPY (FROM 'in.parquet') TO 'out.parquet' (COMPRESSION zstd)")
			default:
				return fmt.Errorf("its pages are compressed with %s, which cannot be read", c.MetaData.Codec)
			}
		}
	}
	return nil
}

// looksLikeJSON looks at the first row that has a text in the column. Where none of the first rows has one, the name of
// the column is enough.
func (s *Source) looksLikeJSON(n *node) bool {
	if len(s.groups) == 0 {
		return true
	}
	rows := s.groups[0].Rows()
	defer func() { _ = rows.Close() }() // only read
	for range 4 {
		k, err := rows.ReadRows(s.buffer)
		for _, row := range s.buffer[:k] {
			yes, no := false, false
			row.Range(func(i int, values []pq.Value) bool {
				if i == n.first && len(values) == 1 && !values[0].IsNull() {
					b := bytes.TrimLeft(values[0].ByteArray(), " \t\r\n")
					yes = len(b) > 0 && (b[0] == '[' || b[0] == '{')
					no = !yes
				}
				return i < n.first
			})
			if yes || no {
				return yes
			}
		}
		if err != nil {
			break
		}
	}
	return true
}

// Column is the name of the conversation column.
func (s *Source) Column() string { return s.column.name }

// Rows is the number of rows of the file, as its footer says.
func (s *Source) Rows() int64 { return s.file.NumRows() }

// Next yields the next row; see formats.Source.
func (s *Source) Next(ctx context.Context) (rec formats.Record, err error) {
	defer rescue(s.name, &err)
	if ctx.Err() != nil {
		return rec, context.Cause(ctx)
	}
	for len(s.pending) == 0 {
		if err := s.read(); err != nil {
			return rec, err
		}
	}
	r := newRow(s.pending[0], s.leaves, s.from)
	s.pending = s.pending[1:]
	pos := formats.Position{File: s.name, Index: s.index}
	s.index++
	raw, err := s.payload(r.columns)
	if err != nil {
		return rec, fmt.Errorf("%s: %w", pos, err)
	}
	r.before = raw
	return formats.Record{Pos: pos, Raw: raw[:len(raw):len(raw)], Held: r}, nil
}

// read reads rows of this group, or opens the next one. io.EOF says that there are no more groups.
func (s *Source) read() error {
	if s.rows == nil {
		if s.group >= len(s.groups) {
			return io.EOF
		}
		s.rows = s.groups[s.group].Rows()
	}
	n, err := s.rows.ReadRows(s.buffer)
	s.pending, s.from = s.buffer[:n], s.group
	switch {
	case errors.Is(err, io.EOF):
		err = s.rows.Close()
		s.rows = nil
		if n > 0 {
			s.pending = cloned(s.pending) // closing gives the pages back
		}
		s.group++
	case err == nil && n == 0:
		err = io.ErrNoProgress
	}
	if err != nil {
		return fmt.Errorf("%s[%d]: %w", s.name, s.index, errBroken(err.Error()))
	}
	return nil
}

func cloned(rows []pq.Row) []pq.Row {
	list := make([]pq.Row, len(rows))
	for i, row := range rows {
		list[i] = row.Clone()
	}
	return list
}

// Close ends reading.
func (s *Source) Close() (err error) {
	defer rescue(s.name, &err)
	if s.rows != nil && !s.closed {
		s.closed = true
		return s.rows.Close()
	}
	return nil
}

// row is one row of a file, apart from the pages it was read from.
type row struct {
	columns [][]pq.Value // by leaf column
	before  []byte       // the payload as it was read
	group   int          // the row group it stood in
	size    int          // bytes of the values
}

// Size is the bytes it holds beside the payload.
func (r *row) Size() int { return r.size }

// newRow copies a row: its values point into pages that the next read may overwrite. The copy is two allocations,
// whatever the number of values.
func newRow(from pq.Row, leaves, group int) *row {
	size := 0
	for _, v := range from {
		if k := v.Kind(); k == pq.ByteArray || k == pq.FixedLenByteArray {
			size += len(v.ByteArray())
		}
	}
	r := &row{columns: make([][]pq.Value, leaves), group: group, size: size + 24*len(from)}
	values := make([]pq.Value, len(from))
	data := make([]byte, 0, size)
	keep := func(b []byte) []byte {
		data = append(data, b...)
		return data[len(data)-len(b):]
	}
	for i, v := range from {
		rep, def, col := v.RepetitionLevel(), v.DefinitionLevel(), v.Column()
		switch v.Kind() {
		case pq.ByteArray:
			v = pq.ByteArrayValue(keep(v.ByteArray())).Level(rep, def, col)
		case pq.FixedLenByteArray:
			v = pq.FixedLenByteArrayValue(keep(v.ByteArray())).Level(rep, def, col)
		case pq.Int96:
			v = v.Clone()
		}
		values[i] = v
	}
	at := 0
	for i, v := range values {
		if i+1 == len(values) || values[i+1].Column() != v.Column() {
			r.columns[v.Column()] = values[at : i+1 : i+1]
			at = i + 1
		}
	}
	return r
}

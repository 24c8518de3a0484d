package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ctxpack/ctxpack/formats"
)

// Magic is what a Parquet file begins and ends with.
const Magic = "PAR1"

// Options are settings of a Source. The zero value finds the conversation columns by their names and shapes.
type Options struct {
	// Column names the conversation columns, separated by commas; a field of a struct by its path: "sample.messages".
	Column string

	// Row makes the payload all of the row: an object of its columns, and the members that Creator put into one column
	// where they belong. The first conversation column is the conversation. Such records cannot be written back.
	Row bool
}

// Source yields the conversations of one file as records, row by row, row group by row group. It implements
// formats.Source. A row with several conversation columns is as many records, one after the other. A conversation that is
// not there (null) is a record that is framing only: it is copied, never counted.
//
// Memory is the rows at hand, and of each column about three times its largest page (decompressed): the page being read,
// the one before it, which the library keeps for the next, and one on its way. Most writers make pages of about 1 MB.
// Those of DuckDB were seen to have 400 MB where texts are long, and took 1.3 GB; with ROW_GROUP_SIZE 2048 in its COPY,
// 0.4 GB. The reader stays the caller's to close.
type Source struct {
	name    string
	file    *pq.File
	columns []column
	whole   []*node // Options.Row: all columns
	named   bool    // the user named the columns
	made    bool    // by Creator
	leaves  []levels
	groups  []pq.RowGroup
	group   int     // of the rows being read
	rows    pq.Rows // of the group; nil before and between groups
	buffer  []pq.Row
	pending []pq.Row // read, not yet yielded
	from    int      // the group they are of
	at      *rowData // the row being yielded
	column  int      // which of its conversations comes next
	count   int64    // rows begun
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
	columns, leaves, err := readSchema(f.Metadata().Schema)
	if err == nil && len(leaves) != len(f.Schema().Columns()) {
		err = errSchema
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, errBroken(err.Error()))
	}
	s = &Source{name: name, file: f, groups: f.RowGroups(), leaves: leaves, named: opts.Column != "", buffer: make([]pq.Row, readAhead)}
	_, s.made = f.Lookup(madeBy)
	s.columns, err = findColumns(columns, opts.Column, s.holdsConversations)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if opts.Row {
		s.whole = columns
	}
	return s, nil
}

func errBroken(why string) error {
	return formats.WithHint(fmt.Errorf("not a valid Parquet file: %s", why),
		"it may have been cut off while it was copied; compare its size with that of the original")
}

// rescue turns a panic of the Parquet library, which trusts what a file says, into an error.
func rescue(name string, err *error) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error: // its words say nothing about the file
		*err = fmt.Errorf("%s: %w", name, errBroken("what it says of itself does not fit what is in it"))
	default:
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

// holdsConversations looks at the first text in a column. Where the first pages have none, the name of the column is
// enough. A prompt in a file of Creator's repeats what somebody said, which may be anything.
func (s *Source) holdsConversations(c column) bool {
	if s.made && c.name == "prompt" {
		return false
	}
	for _, g := range s.groups[:min(len(s.groups), 2)] {
		if text, ok := firstText(g.ColumnChunks()[c.first]); ok {
			return looksLikeConversation(c, text)
		}
	}
	return true
}

// firstText is the first text of a column that is neither null nor empty, among those of its first pages.
func firstText(chunk pq.ColumnChunk) ([]byte, bool) {
	pages := chunk.Pages()
	defer func() { _ = pages.Close() }() // only read
	values := make([]pq.Value, 256)
	for range 4 {
		page, err := pages.ReadPage()
		if err != nil {
			return nil, false // what is broken is found when the rows are read
		}
		n, _ := page.Values().ReadValues(values)
		for _, v := range values[:n] {
			if text := bytes.TrimSpace(v.ByteArray()); len(text) > 0 {
				text = bytes.Clone(text)
				pq.Release(page)
				return text, true
			}
		}
		pq.Release(page)
	}
	return nil, false
}

// Columns are the paths of the conversation columns.
func (s *Source) Columns() []string {
	var paths []string
	for _, c := range s.columns {
		paths = append(paths, c.path)
	}
	return paths
}

// Rows is the number of rows of the file, as its footer says.
func (s *Source) Rows() int64 { return s.file.NumRows() }

// Next yields the next conversation; see formats.Source.
func (s *Source) Next(ctx context.Context) (rec formats.Record, err error) {
	defer rescue(s.name, &err)
	if ctx.Err() != nil {
		return rec, context.Cause(ctx)
	}
	if s.at == nil {
		if err := s.advance(); err != nil {
			return rec, err
		}
	}
	p := &part{s.at, s.column}
	several := len(s.columns) > 1 && s.whole == nil
	pos := formats.Position{File: s.name, Index: s.count - 1}
	if several {
		pos.Row, pos.Column = pos.Index, s.columns[p.column].path
		pos.Index = pos.Row*int64(len(s.columns)) + int64(p.column)
	}
	if s.column++; !several || s.column == len(s.columns) {
		s.at, s.column = nil, 0
	}
	if s.whole != nil {
		raw, err := s.rowPayload(p.row.columns)
		return formats.Record{Pos: pos, Raw: raw}, s.broken(err)
	}
	raw, err := s.columns[p.column].payload(p.row.columns)
	return formats.Record{Pos: pos, Raw: raw[:len(raw):len(raw)], Held: p}, s.broken(err)
}

// advance makes the next row the one at hand.
func (s *Source) advance() error {
	for len(s.pending) == 0 {
		if err := s.read(); errors.Is(err, io.EOF) && s.count != s.Rows() {
			return s.broken(fmt.Errorf("it has %d rows, and %d by its footer", s.count, s.Rows()))
		} else if err != nil {
			return err
		}
	}
	var err error
	if s.at, err = newRow(s.pending[0], s.leaves, s.from); err != nil {
		return s.broken(err)
	}
	s.pending = s.pending[1:]
	s.count++
	return nil
}

// broken is err as one of the file at the row at hand; nil stays nil.
func (s *Source) broken(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.name, errBroken(fmt.Sprintf("row %d: %v", max(s.count-1, 0), err)))
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
		return s.broken(err)
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

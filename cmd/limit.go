package cmd

import (
	"bytes"
	"context"
	"io"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/jsonl"
)

// limited ends a reading after --limit records of the sample; of a Parquet file, rows.
func limited(r *reading, s *Settings) formats.Source {
	if s.Limit <= 0 {
		return r
	}
	return &limitedSource{reading: r, settings: s, left: s.Limit, unit: -1}
}

// limitedSource yields a reading up to the last record of the limit and what belongs to the container behind it, so that
// an input with no more records than the limit is whole, and an array that is cut short is closed.
type limitedSource struct {
	*reading
	settings *Settings
	left     int64
	unit     int64 // the one that was counted last
	done     bool
}

// Next yields the next record.
func (l *limitedSource) Next(ctx context.Context) (formats.Record, error) {
	if l.done {
		return formats.Record{}, io.EOF
	}
	rec, err := l.reading.Next(ctx)
	switch {
	case err != nil && l.left == 0 && ctx.Err() == nil:
		return formats.Record{}, io.EOF // nobody asked for what cannot be read
	case err == nil && l.table != nil && l.beyond(rec.Pos.Unit()):
		l.done = true
		return formats.Record{}, io.EOF
	case err != nil || rec.FramingOnly():
		return rec, err
	case l.left > 0 || l.unit == rec.Pos.Unit():
		if inSample(l.settings, rec.Pos) && l.unit != rec.Pos.Unit() {
			l.left--
			l.unit = rec.Pos.Unit()
		}
		return rec, nil
	}
	l.done = true
	if end := closing(rec.Lead); l.lines != nil && l.lines.Framing() == jsonl.Array && end != nil {
		return formats.Record{Pos: rec.Pos, Lead: end}, nil
	}
	return formats.Record{}, io.EOF
}

// beyond says that a row comes behind the last one. A row is read with all of its conversations, or not at all; one
// without any counts as a row, and not in a sample.
func (l *limitedSource) beyond(row int64) bool {
	if l.settings.Sample >= 1 {
		return row >= l.settings.Limit
	}
	return l.left == 0 && row != l.unit
}

// closing is what ends an array before an element with this lead; nil when the lead opens an array, which then has not
// begun.
func closing(lead []byte) []byte {
	end, opens := bytes.LastIndexByte(lead, ']'), bytes.IndexByte(lead, '[') >= 0
	switch {
	case end >= 0:
		return append(bytes.Clone(lead[:end+1]), '\n')
	case opens:
		return nil
	}
	return []byte("\n]\n")
}

package cmd

import (
	"bytes"
	"context"
	"io"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/jsonl"
)

// limited ends a reading after --limit records of the sample.
func limited(r *reading, s *Settings) formats.Source {
	if s.Limit <= 0 {
		return r
	}
	return &limitedSource{reading: r, settings: s, left: s.Limit}
}

// limitedSource yields a reading up to the last record of the limit and what belongs to the container behind it, so that
// an input with no more records than the limit is whole, and an array that is cut short is closed.
type limitedSource struct {
	*reading
	settings *Settings
	left     int64
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
	case err != nil || rec.FramingOnly():
		return rec, err
	case l.left > 0:
		if inSample(l.settings, rec.Pos) {
			l.left--
		}
		return rec, nil
	}
	l.done = true
	if end := closing(rec.Lead); l.lines != nil && l.lines.Framing() == jsonl.Array && end != nil {
		return formats.Record{Pos: rec.Pos, Lead: end}, nil
	}
	return formats.Record{}, io.EOF
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

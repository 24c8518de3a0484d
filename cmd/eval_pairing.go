package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
)

// pairs measures BEFORE against AFTER.
func (run *evalRun) pairs(ctx context.Context) (err error) {
	reader, err := run.openPairs(ctx, run.args[0], run.args[1], pairing{key: run.opts.key, rows: run.rows, read: run.settings.readOptions()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.close()) }()
	taken := int64(0)
	next := func(ctx context.Context) (recordPair, error) {
		for {
			pair, err := reader.next(ctx)
			if err != nil {
				return pair, err
			}
			if run.settings.Limit > 0 && taken == run.settings.Limit {
				return pair, io.EOF
			}
			if inSample(run.settings, pair.before.Pos) {
				taken++
				return pair, nil
			}
		}
	}
	err = inOrder(ctx, run.settings.Workers, next, run.measurePair, run.take)
	if err != nil {
		return err
	}
	before, after := reader.unmatched[0], reader.unmatched[1]
	run.builder.Unmatched(before, after)
	if before+after > 0 && run.opts.key == "" && run.settings.Limit == 0 {
		return differentNumbers(run.args[0], reader.at, run.args[1], reader.at-before+after)
	}
	return nil
}

// measured is the rows that one conversation gives.
type measured struct {
	rows   []quality.Row
	others []quality.Row // under the settings compared with
	short  bool          // a replay has no use for it
}

// take adds the rows of one conversation to the report, in the order of the input.
func (run *evalRun) take(m measured) error {
	if m.short {
		run.builder.TooShort()
	}
	for _, row := range m.rows {
		run.builder.Add(row)
		if run.rowFile == nil {
			continue
		}
		line, err := json.Marshal(row)
		if err != nil {
			return err
		}
		if _, err := run.rowFile.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	for _, row := range m.others {
		run.builder.AddOther(row)
	}
	return nil
}

// measurePair measures one record against its partner. A record that cannot be read gives a row that says so.
func (run *evalRun) measurePair(_ context.Context, p recordPair) (m measured, err error) {
	row := rowAt(p.before.Pos)
	defer func() {
		if cause := recover(); cause != nil { // a mistake of ctxpack costs the row, not the run
			row.Error = fmt.Sprintf("internal error: %v", cause)
			m = measured{rows: []quality.Row{row}}
		}
	}()
	before, err := run.subject.reader.decode(p.before)
	if err != nil {
		row.Error = err.Error()
		return measured{rows: []quality.Row{row}}, nil
	}
	row.ID = before.ID
	row.Key = quality.Key(before.Messages)
	after, err := run.subject.reader.decode(p.after)
	if err != nil {
		row.Error = "after: " + err.Error()
		return measured{rows: []quality.Row{row}}, nil
	}
	pair := quality.NewPair(before.Messages, after.Messages)
	c := &quality.Case{Pair: pair}
	c.Sizes = run.subject.sizes(pair, before)
	if r, ok := run.rows.of(p.before.Pos); ok {
		row.Status = r.Status
		c.Sizes.Budget = 0
		if r.Summary != nil {
			c.Sizes.Budget = r.Summary.Budget
		}
	}
	row.Fill(c)
	if row.Status == "" {
		row.Status = statusOf(pair)
	}
	row.Breaches = append(pair.Breaches(c.Sizes.Before, c.Sizes.After), quality.RecordBreaches(before, after)...)
	return measured{rows: []quality.Row{row}}, nil
}

func rowAt(pos formats.Position) quality.Row {
	return quality.Row{File: pos.File, Line: pos.Line, Index: pos.Index, Metrics: map[string]float64{}}
}

// statusOf is the status of a pair of which nothing else is known.
func statusOf(p *quality.Pair) compress.Status {
	switch {
	case p.Unchanged:
		return compress.Untouched
	case p.Summary != "":
		return compress.Summarized
	}
	return compress.Pruned
}

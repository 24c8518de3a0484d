package cmd

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report"
)

// runRows is what a run of compact said of each record: the rows of `--report ROWS.jsonl`. nil knows nothing.
type runRows struct {
	rows  map[rowPlace]report.Row
	files map[string]bool // those that have rows
	one   bool            // all rows are of one file, whatever its name
}

type rowPlace struct {
	file  string
	index int64
}

// of is the row of the record at pos.
func (r *runRows) of(pos formats.Position) (report.Row, bool) {
	if r == nil {
		return report.Row{}, false
	}
	place := rowPlace{pos.File, pos.Index}
	if r.one {
		place.file = ""
	}
	row, ok := r.rows[place]
	return row, ok
}

// leftOut says whether the run left the record out of its output: it was rejected, or not in the sample.
func (r *runRows) leftOut(pos formats.Position) bool {
	if r == nil {
		return false
	}
	row, ok := r.of(pos)
	if !ok {
		return r.one || r.files[pos.File]
	}
	return row.Status == compress.Rejected
}

// readRunRows reads rows. Only what eval needs of each is kept.
func (a *app) readRunRows(name string) (r *runRows, err error) {
	file, err := os.Open(a.streams.Path(name))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, bareError(err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r = &runRows{rows: map[rowPlace]report.Row{}, files: map[string]bool{}}
	in := bufio.NewReaderSize(file, 1<<16)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var row report.Row
			if err := json.Unmarshal(line, &row); err != nil || row.Status == "" {
				return nil, usageError(fmt.Errorf("%s:%d: not a row of a run", name, number),
					"--run takes the files that `ctxpack compact --report FILE` wrote: .json or .jsonl")
			}
			kept := report.Row{Status: row.Status, Summary: row.Summary, ContextLength: row.ContextLength, Threshold: row.Threshold}
			r.rows[rowPlace{row.File, row.Index}] = kept
			r.files[row.File] = true
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", name, bareError(err))
		}
	}
	if r.one = len(r.files) <= 1; r.one {
		for place, row := range r.rows {
			delete(r.rows, place)
			r.rows[rowPlace{"", place.index}] = row
		}
	}
	return r, nil
}

// readRunReport reads the report.json of a run.
func (a *app) readRunReport(name string) (rep report.Report, err error) {
	file, err := os.Open(a.streams.Path(name))
	if err != nil {
		return rep, fmt.Errorf("cannot read %s: %w", name, bareError(err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if rep, err = report.ReadJSON(file); err != nil {
		return rep, usageError(fmt.Errorf("%s: %w", name, err), formats.HintOf(err))
	}
	return rep, nil
}

// isRows says whether a file of --run holds rows.
func isRows(name string) bool { return strings.EqualFold(filepath.Ext(name), report.RowsEnding) }

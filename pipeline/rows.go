package pipeline

import (
	"fmt"

	"github.com/ctxpack/ctxpack/formats"
)

// CodeRow is the code of the fault of a record that leaves the output because another one of its row was rejected.
const CodeRow = "row"

// heldRow is the records of one row that have come, for a sink that writes rows whole: what becomes of any of them is
// known only with the last. They are held beyond the byte bound, one row of them at most.
type heldRow struct {
	recs []formats.Record
	outs []Outcome
}

// take writes a record, or holds it back until its row is complete.
func (w *writer) take(in Input, rec formats.Record, out Outcome) error {
	if len(w.row.recs) > 0 && !sameRow(w.row.recs[0].Pos, rec.Pos) {
		if err := w.settle(in); err != nil {
			return err
		}
	}
	if rows, ok := w.sink.(formats.RowSink); !ok || !rows.WholeRows() || rec.Pos.Column == "" {
		return w.write(in, rec, out)
	}
	w.row.recs, w.row.outs = append(w.row.recs, rec), append(w.row.outs, out)
	return nil
}

func sameRow(a, b formats.Position) bool { return b.Column != "" && a.Row == b.Row }

// settle writes the row that is held back. When one of its records is rejected the others are too: they would be in
// neither the output nor the rejects.
func (w *writer) settle(in Input) error {
	row := w.row
	defer func() {
		clear(row.recs) // what they hold is garbage from here on
		clear(row.outs)
		w.row = heldRow{row.recs[:0], row.outs[:0]}
	}()
	var cause *formats.Fault
	for _, out := range row.outs {
		if out.Reject != nil {
			cause = out.Reject
			break
		}
	}
	for i, rec := range row.recs {
		out := row.outs[i]
		if cause != nil && out.Reject == nil && !out.Omit {
			if rec.FramingOnly() {
				if err := w.skip(in, rec); err != nil {
					return err
				}
				continue
			}
			out = Outcome{Reject: withItsRow(rec, cause)}
		}
		if err := w.write(in, rec, out); err != nil {
			return err
		}
	}
	return nil
}

// withItsRow is the fault of a record that nothing is wrong with.
func withItsRow(rec formats.Record, cause *formats.Fault) *formats.Fault {
	return &formats.Fault{
		Pos: rec.Pos, Stage: cause.Stage, Code: CodeRow, Caret: -1,
		Err: fmt.Errorf("left out with its row: %s was rejected", cause.Pos),
	}
}

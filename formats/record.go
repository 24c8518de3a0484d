// Package formats is ctxpack's vocabulary: records as they stand in a file, conversations as a model would read them,
// and the dialects that translate between the two without losing a byte.
//
// It imports the standard library only. Containers (how records are framed) live in sub-packages; dialects (how one
// record spells a conversation) are the dialect_*.go files here.
package formats

import (
	"context"
	"fmt"
)

// Position is the address of one record in its input, for error messages, rejects and reports.
type Position struct {
	File   string // as the user named it; "-" is standard input
	Line   int64  // 1-based line on which the record begins, in the decompressed stream; 0 where lines mean nothing (Parquet)
	Index  int64  // 0-based number of the record in its file
	Offset int64  // byte offset of the record in the decompressed stream

	// A row of a table may hold several conversations, each a record of its own: chosen and rejected, for example.
	Column string // the one this record is of; "" where a row is one record
	Row    int64  // 0-based; with Column only
}

// Unit is the number of what is sampled, limited and left out as a whole: the row, or the record where that is the same.
func (p Position) Unit() int64 {
	if p.Column != "" {
		return p.Row
	}
	return p.Index
}

// String is "file:line", "file[index]" where the container has no lines, or "file[row].column".
func (p Position) String() string {
	if p.Column != "" {
		return fmt.Sprintf("%s[%d].%s", p.File, p.Row, p.Column)
	}
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s[%d]", p.File, p.Index)
}

// Record is one framed unit of an input: the payload a dialect understands, and the bytes around it that belong to the
// container. Lead + Raw + Trail over all records of a file is the whole (decompressed) file, so writing every record
// back unchanged is `cp`.
//
// A Record is immutable: nobody writes into its slices. The slices stay valid as long as the Record is held.
type Record struct {
	Pos     Position
	Lead    []byte // framing before the payload: a byte order mark, blank lines, "[", "," and white space of an array
	Raw     []byte // the payload; empty for a record that is framing only (the end of an array, trailing blank lines)
	Trail   []byte // framing after the payload: the line's end
	Session bool   // the payload is a whole file of JSON lines, one session log
	Held    Held   // what the container must keep to write the record back (a row's other columns); nil for most containers
	Fault   *Fault // not nil when the container already knows that the payload is broken (a line that is cut off, an unbalanced array element)
}

// Held is a container's private handle on a record. Only the container's own Sink looks into it.
type Held interface {
	// Size is the bytes it holds beside the payload.
	Size() int
}

// Size is the number of input bytes the record stands for.
func (r Record) Size() int {
	n := len(r.Lead) + len(r.Raw) + len(r.Trail)
	if r.Held != nil {
		n += r.Held.Size()
	}
	return n
}

// FramingOnly says that the record carries no payload: it is copied, never counted.
func (r Record) FramingOnly() bool { return len(r.Raw) == 0 && r.Fault == nil }

// Source yields the records of one input in order.
// Next returns io.EOF at the end and any other error when the input cannot be read further (fatal: a truncated gzip, a
// failing disk); a payload that is merely malformed is a Record with a Fault, not an error. One caller at a time.
type Source interface {
	Next(ctx context.Context) (Record, error)
	Close() error
}

// Sink writes the records of one output in order. One caller at a time.
type Sink interface {
	// Write writes rec's framing around payload, which is rec.Raw itself when nothing changed.
	Write(rec Record, payload []byte) error
	// Skip leaves the record's payload out (it was rejected) and keeps what is left well-formed: the separators of an
	// array still stand between the elements, a byte order mark or an opening bracket in its framing is kept.
	Skip(rec Record) error
	// Close completes the output (trailing framing, compression trailers). It does not close the underlying writer.
	Close() error
}

// RowSink is a Sink that may write the records of a row (Position.Row and Column) as one: when one of them is skipped, the
// others leave the output with it, and whoever skips it must say so of them too.
type RowSink interface {
	Sink
	// WholeRows says that it does.
	WholeRows() bool
}

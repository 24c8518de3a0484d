package pipeline

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/formats"
)

// Rejecter takes records that are left out of the output, in input order, one call at a time.
type Rejecter interface {
	Reject(rec formats.Record, fault *formats.Fault) error
}

// RejectWriter writes rejected records as JSON lines: address, reason, and the record's payload byte for byte.
// The file is created when the first record comes. For one goroutine.
type RejectWriter struct {
	create func() (io.WriteCloser, error)
	w      io.WriteCloser
	enc    *json.Encoder
	n      int64
}

// NewRejectWriter returns a writer into what create opens; it is called at most once.
func NewRejectWriter(create func() (io.WriteCloser, error)) *RejectWriter {
	return &RejectWriter{create: create}
}

// rejectLine is the order of the keys.
type rejectLine struct {
	File      string        `json:"file"`
	Line      int64         `json:"line"`
	Index     *int64        `json:"index,omitempty"` // only where there are no lines
	Row       *int64        `json:"row,omitempty"`   // of a table whose rows hold several records
	Column    string        `json:"column,omitempty"`
	Offset    int64         `json:"offset"`
	Stage     formats.Stage `json:"stage"`
	Code      string        `json:"code"`
	Message   string        `json:"message"`
	Raw       *string       `json:"raw,omitempty"`
	RawBase64 []byte        `json:"raw_base64,omitempty"`
}

// Reject writes one record.
func (r *RejectWriter) Reject(rec formats.Record, fault *formats.Fault) error {
	if r.w == nil {
		w, err := r.create()
		if err != nil {
			return err
		}
		r.w = w
		r.enc = json.NewEncoder(w)
		r.enc.SetEscapeHTML(false)
	}
	line := rejectLine{
		File: rec.Pos.File, Line: rec.Pos.Line, Offset: rec.Pos.Offset,
		Stage: fault.Stage, Code: fault.Code, Message: fmt.Sprint(fault.Err),
	}
	if rec.Pos.Line == 0 {
		line.Index = &rec.Pos.Index
	}
	if rec.Pos.Column != "" {
		line.Row, line.Column = &rec.Pos.Row, rec.Pos.Column
	}
	if utf8.Valid(rec.Raw) {
		text := string(rec.Raw)
		line.Raw = &text
	} else {
		line.RawBase64 = rec.Raw
	}
	if err := r.enc.Encode(line); err != nil {
		return err
	}
	r.n++
	return nil
}

// Count is the number of records written.
func (r *RejectWriter) Count() int64 { return r.n }

// Close closes the file, if there is one.
func (r *RejectWriter) Close() error {
	if r.w == nil {
		return nil
	}
	return r.w.Close()
}

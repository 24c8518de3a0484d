package formats

import (
	"errors"
	"fmt"
)

// Stage names the step that found a fault.
type Stage string

// The stages a record goes through.
const (
	StageRead   Stage = "read"
	StageDecode Stage = "decode"
	StageEngine Stage = "compact"
	StageEncode Stage = "encode"
)

// Fault says why one record cannot be processed. It travels with the record; the run goes on.
type Fault struct {
	Pos    Position
	Stage  Stage
	Code   string // stable and machine-readable: "syntax", "truncated", "encoding", "too_deep", ...
	Column int64  // 1-based byte column within the record's payload; 0 when unknown
	Err    error  // the cause, in words

	// Excerpt is a short, printable piece of the payload around Column, and Caret the 0-based rune position in it that
	// the fault points at (-1 for none).
	Excerpt string
	Caret   int
}

// Error is address, then cause: "logs.jsonl:412:87: invalid character 'x' in string escape".
func (f *Fault) Error() string {
	if f.Column > 0 {
		return fmt.Sprintf("%s:%d: %v", f.Pos, f.Column, f.Err)
	}
	return fmt.Sprintf("%s: %v", f.Pos, f.Err)
}

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Hinted is an error that knows the user's next step. The text is printed on a line of its own, after the error.
type Hinted struct {
	Err  error
	Next string
}

// WithHint attaches a next step to err: lower case, no full stop, with a command that works where there is one.
// A nil err stays nil.
func WithHint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &Hinted{Err: err, Next: fmt.Sprintf(format, args...)}
}

func (h *Hinted) Error() string { return h.Err.Error() }

// Unwrap gives the error the hint belongs to.
func (h *Hinted) Unwrap() error { return h.Err }

// Hint is the next step.
func (h *Hinted) Hint() string { return h.Next }

// HintOf finds the outermost next step attached to err: any error in the chain with a method Hint() string.
func HintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

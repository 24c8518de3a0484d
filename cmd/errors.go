package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// The exit codes of ctxpack. They are part of its interface: scripts rely on them.
const (
	ExitDone        = 0   // done
	ExitFatal       = 1   // cannot read or write, a provider refused the key, internal error
	ExitUsage       = 2   // usage or configuration
	ExitPartial     = 3   // done, but some records were rejected or left as they were because something failed
	ExitGate        = 4   // a quality gate or the regression check failed
	ExitNoVerdict   = 5   // no verdict: too little to judge by
	ExitInterrupted = 130 // interrupted (128 + SIGINT)
	ExitBrokenPipe  = 141 // whoever read the standard output went away (128 + SIGPIPE); nothing is printed
)

// codedError carries the exit code the program ends with when the error reaches Main.
type codedError struct {
	code int
	err  error // nil: exit with the code and print nothing
}

func (e *codedError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap gives the error that is printed.
func (e *codedError) Unwrap() error { return e.err }

// ExitCode is the code Main returns.
func (e *codedError) ExitCode() int { return e.code }

// withExitCode gives err the exit code, in place of any code further inside. A nil err makes an error that ends the
// program with the code and prints nothing: for commands that have already said what there is to say.
func withExitCode(code int, err error) error {
	return &codedError{code: code, err: err}
}

// usageError is err as a mistake of usage or configuration (exit code 2). The hint, when not empty, is the next step:
// lower case, no full stop, a command that works where there is one. A nil err stays nil.
func usageError(err error, hint string) error {
	if err == nil {
		return nil
	}
	if hint != "" {
		err = &formats.Hinted{Err: err, Next: hint}
	}
	return withExitCode(ExitUsage, err)
}

// usageErrorf is usageError without a hint, its text made as by fmt.Errorf.
func usageErrorf(format string, args ...any) error {
	return usageError(fmt.Errorf(format, args...), "")
}

// exitCodeOf is the outermost code attached to err: any error in its chain with a method ExitCode() int. An error
// without one is fatal.
func exitCodeOf(err error) int {
	if err == nil {
		return ExitDone
	}
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return ExitFatal
}

// problems are several errors found at once, each printed on its own lines with its own hint. Exit code: the first's.
type problems []error

func (p problems) Error() string {
	texts := make([]string, len(p))
	for i, err := range p {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap gives the errors themselves.
func (p problems) Unwrap() []error { return p }

// asError is nil without problems, the error itself when there is one, and all of them otherwise.
func (p problems) asError() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return p[0]
	}
	return p
}

// separate takes a joined error (problems, errors.Join) apart into those to print one by one. An error that merely
// mentions several in one sentence stays whole.
func separate(err error) []error {
	text := err.Error()
	for outer := err; outer != nil && outer.Error() == text; outer = errors.Unwrap(outer) {
		many, ok := outer.(interface{ Unwrap() []error })
		if !ok || problems(many.Unwrap()).Error() != text {
			continue
		}
		var parts []error
		for _, part := range many.Unwrap() {
			parts = append(parts, separate(part)...)
		}
		return parts
	}
	return []error{err}
}

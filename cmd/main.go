// Package cmd is the command line of ctxpack: it turns flags, files, terminal and environment into calls of the packages
// that do the work, and their results into outputs, messages and an exit code.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/ctxpack/ctxpack/formats"
)

// Main runs ctxpack with the arguments after the program's name and gives its exit code. It is the only place that
// prints errors and chooses exit codes. A cancelled ctx means that the user interrupted the run; a command that returns
// no error after that is taken as interrupted too.
func Main(ctx context.Context, args []string, streams *Streams) int {
	own := *streams
	own.Stdin = newInterruptible(ctx, streams.Stdin)
	a := newApp(&own)
	err := a.executeSafely(ctx, args)
	switch {
	case errors.Is(err, errStdoutClosed):
		return ExitBrokenPipe
	case ctx.Err() != nil && isInterruption(ctx, err):
		printError(a.console, &formats.Hinted{
			Err:  errors.New("interrupted"),
			Next: "run the same command again",
		})
		return ExitInterrupted
	case err == nil:
		return ExitDone
	}
	if coded := (*codedError)(nil); !errors.As(err, &coded) || coded.err != nil {
		for _, problem := range separate(err) {
			printError(a.console, problem)
		}
	}
	return exitCodeOf(err)
}

// executeSafely turns a panic into a fatal error: a mistake of ctxpack must not end with the exit code of a mistake of
// usage, and deferred clean-ups have run. Panics of other goroutines cannot be caught here.
func (a *app) executeSafely(ctx context.Context, args []string) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			_, _ = a.console.Write(debug.Stack())
			err = formats.WithHint(fmt.Errorf("internal error: %v", cause), "please report this with the lines above")
		}
	}()
	return a.execute(ctx, args)
}

// isInterruption tells the end of a cancelled run from a failure that happened to come first.
func isInterruption(ctx context.Context, err error) bool {
	return err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))
}

// printError writes one error: address and cause, the excerpt of a fault with a caret, and the next step. Everything is
// made printable first; each part is one line.
func printError(w io.Writer, err error) {
	var text strings.Builder
	fmt.Fprintf(&text, "ctxpack: error: %s\n", printable(err.Error()))
	var fault *formats.Fault
	if errors.As(err, &fault) && fault.Excerpt != "" {
		writeExcerpt(&text, fault.Excerpt, fault.Caret)
	}
	if hint := formats.HintOf(err); hint != "" {
		fmt.Fprintf(&text, "ctxpack: hint: %s\n", printable(hint))
	}
	_, _ = io.WriteString(w, text.String()) // there is nowhere left to complain to
}

// writeExcerpt writes the excerpt, indented, and a caret under its rune number caret (none when it is not within it).
func writeExcerpt(text *strings.Builder, excerpt string, caret int) {
	const indent = "    "
	fmt.Fprintf(text, "%s%s\n", indent, printable(excerpt))
	runes := []rune(excerpt)
	if caret < 0 || caret > len(runes) {
		return
	}
	before := printable(string(runes[:caret]))
	fmt.Fprintf(text, "%s%s^\n", indent, strings.Repeat(" ", uniseg.StringWidth(before)))
}

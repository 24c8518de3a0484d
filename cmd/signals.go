package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// WithSignals gives a context that an interrupt (SIGINT) or a request to end (SIGTERM) cancels. After the first signal
// the default behaviour is back, so a second one kills the process at once.
//
// SIGPIPE is ignored: a closed standard output then shows as an error of the write, the run ends in order (temporary
// files are removed) and Main exits quietly with ExitBrokenPipe, the status a shell gives to a tool killed by SIGPIPE.
func WithSignals(parent context.Context) context.Context {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
}

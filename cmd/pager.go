package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// paged hands text to $PAGER (less, when none is named and there is one) where the standard output is a terminal, and
// writes it straight out otherwise. write is called with the place to write to; a reader who leaves early is no error.
func (a *app) paged(ctx context.Context, off bool, write func(io.Writer) error) error {
	command := a.pager(off)
	if command == "" {
		return write(a.streams.Stdout)
	}
	pager := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	pager.Dir = a.streams.Dir
	pager.Env = append(slices.Clone(a.streams.Environ), pagerDefaults(a.streams)...)
	pager.Stdout, pager.Stderr = terminalOf(a.streams.Stdout), a.streams.Stderr
	to, err := pager.StdinPipe()
	if err != nil {
		return err
	}
	if err := pager.Start(); err != nil {
		return write(a.streams.Stdout)
	}
	err = write(to)
	_ = to.Close()
	if waited := pager.Wait(); err == nil && waited != nil && ctx.Err() == nil {
		var exit *exec.ExitError
		if !errors.As(waited, &exit) {
			return waited
		}
	}
	if isClosedPipe(err) {
		return nil // the reader has seen enough
	}
	return err
}

// pager is the command to page with; "" for none.
func (a *app) pager(off bool) string {
	if off || !a.streams.StdoutTerminal || a.streams.Dumb {
		return ""
	}
	if command, set := a.streams.LookupEnv("PAGER"); set {
		if strings.TrimSpace(command) == "cat" {
			return ""
		}
		return strings.TrimSpace(command)
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

// pagerDefaults make less show colours, and end by itself when everything fits the screen.
func pagerDefaults(s *Streams) []string {
	if _, set := s.LookupEnv("LESS"); set {
		return nil
	}
	return []string{"LESS=FRX"}
}

// terminalOf is the file behind the standard output: a pager must see the terminal itself.
func terminalOf(w io.Writer) io.Writer {
	if p, ok := w.(pipeWriter); ok {
		return p.to
	}
	return w
}

func isClosedPipe(err error) bool {
	return errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE)
}

package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Streams is everything of the process that a command may see: its streams, facts about the terminal, environment,
// working directory and clock. Nothing else in this package reads them from the operating system, so that a command runs
// in a test as an ordinary function. Files are opened directly, under names made absolute by Path.
type Streams struct {
	Stdin  io.Reader
	Stdout io.Writer // a reader that went away shows as errStdoutClosed
	Stderr io.Writer

	StdinTerminal  bool
	StdoutTerminal bool
	StderrTerminal bool
	StdoutInfo     os.FileInfo // of a standard output that is a file; else nil
	Width          int         // columns of the terminal on Stderr; 80 when there is none
	Dumb           bool        // TERM=dumb: no cursor movement
	NoColor        bool        // NO_COLOR is set, or Dumb
	CI             bool        // runs in continuous integration

	Environ []string // "NAME=value"
	Dir     string   // working directory, absolute; "" when it cannot be known
	Home    string   // the user's home directory; "" when there is none
	CPUs    int      // goroutines that can run at once

	Now func() time.Time
	// Sleep waits for the time, or ends early with the cause of ctx; nil: as the system does.
	Sleep func(ctx context.Context, d time.Duration) error
	// NewTicker gives a channel that receives every interval, and a function that ends it.
	NewTicker func(interval time.Duration) (<-chan time.Time, func())
}

// errStdoutClosed says that the reader of the standard output went away. Main ends quietly on it.
var errStdoutClosed = errors.New("standard output was closed")

// OSStreams are the streams of this process.
func OSStreams() *Streams {
	s := &Streams{
		Stdin:          os.Stdin,
		Stdout:         pipeWriter{os.Stdout},
		Stderr:         os.Stderr,
		StdinTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Width:          80,
		Environ:        os.Environ(),
		CPUs:           runtime.GOMAXPROCS(0),
		Now:            time.Now,
		NewTicker: func(interval time.Duration) (<-chan time.Time, func()) {
			ticker := time.NewTicker(interval)
			return ticker.C, ticker.Stop
		},
	}
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 0 {
		s.Width = width
	}
	if info, err := os.Stdout.Stat(); err == nil && info.Mode().IsRegular() {
		s.StdoutInfo = info
	}
	s.Dir, _ = os.Getwd()        // without one, names stay relative and the system resolves them
	s.Home, _ = os.UserHomeDir() // without one, there is no user configuration
	return s.withEnvironment()
}

// withEnvironment sets the facts that follow from environment variables.
func (s *Streams) withEnvironment() *Streams {
	s.Dumb = s.Getenv("TERM") == "dumb"
	s.NoColor = s.Dumb || s.Getenv("NO_COLOR") != ""
	ci := strings.ToLower(s.Getenv("CI"))
	s.CI = ci != "" && ci != "0" && ci != "false"
	return s
}

// LookupEnv is the value of an environment variable, and whether it is set. The last setting of a name counts.
func (s *Streams) LookupEnv(name string) (string, bool) {
	for i := len(s.Environ) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(s.Environ[i], "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// Getenv is the value of an environment variable; "" when it is not set.
func (s *Streams) Getenv(name string) string {
	value, _ := s.LookupEnv(name)
	return value
}

// Path is the file name to open for a name the user gave: relative names stand in the working directory.
func (s *Streams) Path(name string) string {
	if filepath.IsAbs(name) || s.Dir == "" {
		return filepath.Clean(name)
	}
	return filepath.Join(s.Dir, name)
}

// pipeWriter tells a closed standard output from every other broken pipe, by wrapping its error in errStdoutClosed.
type pipeWriter struct{ to io.Writer }

func (w pipeWriter) Write(data []byte) (int, error) {
	n, err := w.to.Write(data)
	if errors.Is(err, syscall.EPIPE) {
		err = errors.Join(errStdoutClosed, err)
	}
	return n, err
}

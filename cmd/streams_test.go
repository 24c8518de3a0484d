package cmd

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// testProcess is a process that a test makes up: a working directory of its own, buffers for streams, no environment, a
// clock and tickers that the test moves.
type testProcess struct {
	*Streams
	stdout, stderr lockedBuffer
	clock          testClock
	ticks          chan time.Time
}

// newTestProcess makes a process in a new directory. env are "NAME=value".
func newTestProcess(t *testing.T, env ...string) *testProcess {
	t.Helper()
	p := &testProcess{ticks: make(chan time.Time)}
	dir := t.TempDir()
	p.Streams = (&Streams{
		Stdin: strings.NewReader(""), Stdout: &p.stdout, Stderr: &p.stderr,
		Width: 80, Environ: env, Dir: dir, CPUs: 4,
		Now:       p.clock.now,
		NewTicker: func(time.Duration) (<-chan time.Time, func()) { return p.ticks, func() {} },
	}).withEnvironment()
	return p
}

// run is Main with the arguments; it gives the exit code.
func (p *testProcess) run(args ...string) int {
	return Main(context.Background(), args, p.Streams)
}

// write writes a file under the working directory and gives its path.
func (p *testProcess) write(t *testing.T, name, content string) string {
	t.Helper()
	path := p.Path(name)
	if err := os.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// testClock is a clock that stands still unless it is moved.
type testClock struct{ seconds atomic.Int64 }

func (c *testClock) now() time.Time {
	return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(time.Duration(c.seconds.Load()) * time.Second)
}

// lockedBuffer is a buffer that several goroutines may write to.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func TestEnvironmentFacts(t *testing.T) {
	for _, test := range []struct {
		env               []string
		dumb, noColor, ci bool
	}{
		{nil, false, false, false},
		{[]string{"TERM=dumb"}, true, true, false},
		{[]string{"NO_COLOR=1"}, false, true, false},
		{[]string{"NO_COLOR="}, false, false, false},
		{[]string{"CI=true"}, false, false, true},
		{[]string{"CI=false"}, false, false, false},
		{[]string{"CI=1", "CI=0"}, false, false, false},
	} {
		p := newTestProcess(t, test.env...)
		if p.Dumb != test.dumb || p.NoColor != test.noColor || p.CI != test.ci {
			t.Errorf("%v: dumb %v, no color %v, CI %v", test.env, p.Dumb, p.NoColor, p.CI)
		}
	}
}

func TestClosedStandardOutput(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	p := newTestProcess(t)
	p.Stdout = pipeWriter{write}
	for _, args := range [][]string{{"version"}, {"models", "list"}, {"config", "show"}, {"completion", "bash"}} {
		if code := p.run(args...); code != ExitBrokenPipe {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	if said := p.stderr.String(); said != "" {
		t.Errorf("said %q", said)
	}
}

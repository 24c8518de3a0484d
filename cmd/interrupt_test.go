package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ctxpack/ctxpack/fixtures/synth"
)

func TestInterruptibleReads(t *testing.T) {
	text := strings.Repeat("all of it, in order. ", 10_000)
	got, err := io.ReadAll(newInterruptible(t.Context(), iotest.HalfReader(strings.NewReader(text))))
	if err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(newInterruptible(t.Context(), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("error of the reader: %v", err)
	}
}

func TestInterruptibleEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	from, to := io.Pipe() // nobody ever writes
	defer func() { _ = to.Close() }()
	cause := errors.New("interrupted")
	time.AfterFunc(time.Millisecond, func() { cancel(cause) })
	if _, err := newInterruptible(ctx, from).Read(make([]byte, 1)); !errors.Is(err, cause) {
		t.Errorf("error: %v", err)
	}
}

// An interrupt ends a real process at once, also one that waits for its input: exit code 130, a message, and nothing in
// the folder that was not there before.
func TestInterruptedProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can be sent an interrupt")
	}
	var records bytes.Buffer
	if _, err := synth.Write(&records, synth.FileOptions{Records: 20, Options: synth.Options{Tokens: 3000}}); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"output":  {"compact", "-", "-o", "new/out.jsonl", "--report", "rows.jsonl", "--report", "new/report.json"},
		"stream":  {"compact", "-", "-o", "-"},
		"inspect": {"inspect", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			process := exec.Command("ctxpack", args...)
			var stderr bytes.Buffer
			process.Dir, process.Stderr = dir, &stderr
			process.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=")
			stdin, err := process.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := process.Start(); err != nil {
				t.Fatal(err)
			}
			// More than a pipe holds: when this is written, the process is reading, and its outputs are open.
			if _, err := stdin.Write(records.Bytes()); err != nil {
				t.Fatal(err)
			}
			if err := process.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- process.Wait() }()
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				_ = process.Process.Kill()
				t.Fatal("still running, 10 s after the interrupt")
			}
			if code := process.ProcessState.ExitCode(); code != ExitInterrupted {
				t.Errorf("exit code %d\n%s", code, &stderr)
			}
			if want := "ctxpack: error: interrupted\nctxpack: hint: run the same command again\n"; !strings.HasSuffix(stderr.String(), want) {
				t.Errorf("stderr: %s", &stderr)
			}
			if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			if hidden, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(hidden) > 0 {
				t.Errorf("left behind: %v, %v", hidden, err)
			}
		})
	}
}

package plugin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/ctxpack/ctxpack/summarize/procgroup"
)

// Times that a program is given beyond its answers.
const (
	exitTime = 2 * time.Second // to end once its input has ended
	lateTime = time.Second     // for its error output to arrive when it is gone
)

// process is one running program. Not safe for concurrent use, but for strike.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	pipe  io.Closer // what out reads from
	out   *bufio.Reader
	words *lastWords
	err   error // of its end

	calls int64 // the id of the last call
	setUp setUp // what it was initialized for
	used  bool  // it has served a session before
	dead  atomic.Bool
}

// start runs the program.
func start(command []string, dir string, environ []string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, environ, lateTime
	p := &process{cmd: cmd, words: &lastWords{}}
	cmd.Stderr = p.words
	procgroup.Own(cmd)
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.pipe, p.out = out, bufio.NewReaderSize(out, 64<<10)
	return p, nil
}

// ask writes a line and reads one of at most most bytes. When ctx ends first the program is killed.
func (p *process) ask(ctx context.Context, line []byte, most int) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() {
		procgroup.Kill(p.cmd)
		_ = p.pipe.Close() // somebody who left the group may hold the other end
	})
	defer stop()
	written := make(chan struct{})
	go func() { // it may write more than a pipe holds before it reads
		defer close(written)
		_, _ = p.in.Write(line) // who cannot be told gives no answer
	}()
	reply, err := p.readLine(most)
	if err != nil {
		return nil, err
	}
	select {
	case <-written:
	case <-ctx.Done():
	}
	return reply, ctx.Err()
}

// errFlood says that a line is longer than any answer may be.
var errFlood = errors.New("the line is too long")

// readLine reads a line without its end.
func (p *process) readLine(most int) ([]byte, error) {
	var line []byte
	for {
		piece, err := p.out.ReadSlice('\n')
		if len(line)+len(piece) > most {
			return nil, errFlood
		}
		line = append(line, piece...)
		if err == nil {
			return line[:len(line)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// finish ends the program's input and waits for its end. One that stays is killed, and so is what it leaves behind.
func (p *process) finish(patience time.Duration) {
	if p.dead.Swap(true) {
		return
	}
	_ = p.in.Close() // most programs end with their input
	silent := make(chan struct{})
	go func() {
		defer close(silent)
		_, _ = io.Copy(io.Discard, p.out) // it may have more to say
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-silent:
	case <-timer.C:
	}
	procgroup.Kill(p.cmd)
	p.err = p.cmd.Wait() // closes the pipe
	<-silent
}

// kill ends the program at once.
func (p *process) kill() {
	p.strike()
	p.finish(0)
}

// strike sends the program its end, unless it is known to be gone. Whoever uses it finds out. Safe for concurrent use.
func (p *process) strike() {
	if !p.dead.Load() {
		procgroup.Kill(p.cmd)
	}
}

// status says how the program ended by itself; "" when there is nothing to say.
func (p *process) status() string {
	var failed *exec.ExitError
	if errors.As(p.err, &failed) && failed.ExitCode() > 0 {
		return fmt.Sprintf(" (exit code %d)", failed.ExitCode())
	}
	return ""
}

// Package command asks a program instead of a provider: one JSON line in, one JSON line out.
//
// The program gets {"id": 1, "model": "…", "prompt": "…", "max_tokens": 1234} on its standard input and answers on its
// standard output with {"text": "…"}, to which it may add "model", "prompt_tokens", "completion_tokens", and "stop":
// "length" for an answer that was cut off. {"error": "…"} is a failure; "class" says which: "transient" (asked again),
// "context" (the prompt is too long), "key", "quota" or "model" (no call will succeed), anything else is a refusal of
// this prompt. It may answer one line and end, or stay for the next; several run at a time. Its standard error is not
// read.
package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/procgroup"
)

// Client runs a shell command. Safe for concurrent use. Close ends the programs that are waiting for work.
type Client struct {
	line    string
	environ []string
	dir     string

	mu     sync.Mutex
	idle   []*process
	closed bool
	id     int64
}

// New makes a client for a command line, which a shell reads. environ and dir are the program's.
func New(line string, environ []string, dir string) *Client {
	return &Client{line: line, environ: environ, dir: dir}
}

// Name is "exec:" and the command line.
func (c *Client) Name() string { return "exec:" + c.line }

type question struct {
	ID        int64  `json:"id"`
	Model     string `json:"model,omitempty"`
	Prompt    string `json:"prompt"`
	MaxTokens int    `json:"max_tokens"`
}

type answer struct {
	Text             string `json:"text"`
	Model            string `json:"model"`
	Stop             string `json:"stop"`
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
	Error            string `json:"error"`
	Class            string `json:"class"`
}

// Complete hands the question to a program that is idle, or to a new one.
func (c *Client) Complete(ctx context.Context, call summarize.Call) (summarize.Answer, error) {
	c.mu.Lock()
	c.id++
	q := question{ID: c.id, Model: call.Model, Prompt: call.Prompt, MaxTokens: call.MaxTokens}
	c.mu.Unlock()
	line, err := json.Marshal(q)
	if err != nil {
		return summarize.Answer{}, &summarize.CallError{Code: "refused", Message: err.Error()}
	}
	line = append(line, '\n')
	for {
		p, used, err := c.process()
		if err != nil {
			return summarize.Answer{}, &summarize.FatalError{Err: fmt.Errorf("cannot run the summariser: %w", err)}
		}
		reply, err := p.ask(ctx, line)
		if err == nil {
			if p.spent {
				p.end()
			} else {
				c.keep(p)
			}
			return read(reply)
		}
		p.end()
		switch {
		case ctx.Err() != nil:
			return summarize.Answer{}, context.Cause(ctx)
		case used:
			continue // it had answered before and went away in the meantime
		}
		return summarize.Answer{}, &summarize.CallError{Class: summarize.Transient, Code: "command",
			Message: "the summariser's program ended without an answer" + p.status()}
	}
}

// process takes an idle program or starts one.
func (c *Client) process() (p *process, used bool, err error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		p, c.idle = c.idle[n-1], c.idle[:n-1]
	}
	c.mu.Unlock()
	if p != nil {
		return p, true, nil
	}
	p, err = start(c.line, c.environ, c.dir)
	return p, false, err
}

func (c *Client) keep(p *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.idle = append(c.idle, p)
		return
	}
	p.end()
}

// Close ends the idle programs and, when they are done, the others.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, p := range c.idle {
		p.end()
	}
	c.idle = nil
	return nil
}

func read(line []byte) (summarize.Answer, error) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return summarize.Answer{}, &summarize.CallError{Class: summarize.Transient, Code: "garbled",
			Message: "the summariser's program answered something that is no JSON object"}
	}
	used := summarize.Usage{Prompt: a.PromptTokens, Completion: a.CompletionTokens}
	if a.Error != "" {
		message, _ := summarize.NewRedactor().Mask(a.Error)
		f := &summarize.CallError{Code: "refused", Message: summarize.Clip(strings.Join(strings.Fields(message), " "), 300), Tokens: used}
		switch a.Class {
		case "transient":
			f.Class, f.Code = summarize.Transient, "server"
		case "context":
			f.Class, f.Code = summarize.ContextTooLong, "context"
		case "key":
			f.Class, f.Code = summarize.KeyRefused, "key"
		case "quota":
			f.Class, f.Code = summarize.QuotaExhausted, "quota"
		case "model":
			f.Class, f.Code = summarize.ModelUnknown, "model"
		}
		return summarize.Answer{}, f
	}
	switch {
	case a.Stop == "length":
		return summarize.Answer{}, &summarize.CallError{Class: summarize.Transient, Code: "cut_off", Message: "the answer was cut off", Tokens: used}
	case strings.TrimSpace(a.Text) == "":
		return summarize.Answer{}, &summarize.CallError{Class: summarize.Transient, Code: "empty", Message: "the answer is empty", Tokens: used}
	}
	return summarize.Answer{Text: a.Text, Model: a.Model, Tokens: used}, nil
}

// process is one running program.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err error // of its end, once it has been waited for

	spent bool // it did not read its question to the end: not to be asked again
}

const longestLine = 16 << 20

func start(line string, environ []string, dir string) (*process, error) {
	shell := []string{"sh", "-c", line}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", line}
	}
	cmd := exec.Command(shell[0], shell[1:]...)
	cmd.Env, cmd.Dir = environ, dir
	procgroup.Own(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd: cmd, in: in, out: bufio.NewReaderSize(io.LimitReader(out, 1<<40), 64<<10)}, nil
}

// ask writes a line and reads one. When ctx ends first the program is killed.
func (p *process) ask(ctx context.Context, line []byte) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { procgroup.Kill(p.cmd) })
	defer stop()
	written := make(chan error, 1)
	go func() { // a program may answer before it has read everything
		_, err := p.in.Write(line)
		written <- err
	}()
	var reply []byte
	for {
		piece, err := p.out.ReadSlice('\n')
		reply = append(reply, piece...)
		switch {
		case err == nil:
			select {
			case err := <-written:
				p.spent = err != nil
			case <-time.After(time.Second):
				p.spent = true
			}
			return reply, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			if len(strings.TrimSpace(string(reply))) > 0 && errors.Is(err, io.EOF) {
				p.spent = true
				return reply, nil // a last line without its end
			}
			return nil, err
		case len(reply) > longestLine:
			return nil, errors.New("the line is too long")
		}
	}
}

// end ends the program and waits for it.
func (p *process) end() {
	_ = p.in.Close() // most programs end with their input
	procgroup.Kill(p.cmd)
	p.err = p.cmd.Wait()
}

// status says how the program ended by itself, "" when there is nothing to say.
func (p *process) status() string {
	var failed *exec.ExitError
	if errors.As(p.err, &failed) && failed.ExitCode() > 0 {
		return fmt.Sprintf(" (exit code %d)", failed.ExitCode())
	}
	return ""
}

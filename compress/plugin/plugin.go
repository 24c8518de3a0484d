package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ctxpack/ctxpack/compress"
)

// Defaults of Options.
const (
	DefaultTimeout = time.Minute
	DefaultLine    = 64 << 20
)

// Options say which program is run, and how.
type Options struct {
	Manifest Manifest
	Dir      string          // the plugin's directory, in which its command runs
	Settings json.RawMessage // of context.NAME, an object; nil for none
	Environ  []string        // "NAME=value"; what the program may see of it is chosen here (see environment)
	Model    string          // for the first start: the run's model, "" when it differs
	Length   int             // its context length in tokens; 0 likewise

	Timeout   time.Duration   // for each answer; 0 takes DefaultTimeout, less is no limit
	MaxLine   int             // bytes of an answer; 0 takes DefaultLine
	Processes int             // the most that run at once; 0 is one
	Meter     *compress.Meter // counts what was saved where, and repairs pairs; needed
}

// Engine is a context engine that is a program. It runs one process for each session at a time, up to a limit, and gives
// a process that was left in good order to the next session. Safe for concurrent use; Close ends all processes.
type Engine struct {
	options Options
	caller  caller
	slots   chan struct{} // as many as processes may run

	mu     sync.Mutex
	idle   []*process
	busy   map[*process]bool
	closed bool
}

// setUp is what a process was initialized for.
type setUp struct {
	Name     string          `json:"name"`
	Model    string          `json:"model"`
	Length   int             `json:"context_length"`
	Settings json.RawMessage `json:"settings"`
}

func (s setUp) same(o setUp) bool {
	return s.Model == o.Model && s.Length == o.Length && s.Name == o.Name
}

// Open starts the first process and initializes it, so that a program that cannot work is found out before any work.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Meter == nil {
		return nil, errors.New("internal error: a plugin without a meter")
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultLine
	}
	if o.Settings == nil {
		o.Settings = json.RawMessage("{}")
	}
	e := &Engine{options: o, caller: caller{max(o.Timeout, 0), o.MaxLine}, slots: make(chan struct{}, max(o.Processes, 1)), busy: map[*process]bool{}}
	p, err := e.take(ctx, e.setUp(o.Model, o.Length), "")
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.give(p)
	return e, nil
}

// Name is the plugin's.
func (e *Engine) Name() string { return e.options.Manifest.Name }

// Version is the plugin's.
func (e *Engine) Version() string { return e.options.Manifest.Version }

func (e *Engine) setUp(model string, length int) setUp {
	return setUp{e.Name(), model, length, e.options.Settings}
}

// take gives a process that is initialized for s and has started the session of this id ("" for none): an idle one, else
// a new one. It waits while as many run as may.
func (e *Engine) take(ctx context.Context, s setUp, id string) (*process, error) {
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	for {
		p, err := e.idleOrNew()
		if err != nil {
			<-e.slots
			return nil, err
		}
		reused := p.used
		if err = e.prepare(ctx, p, s, id); err == nil {
			p.used = id != ""
			return p, nil
		}
		e.drop(p)
		if !reused || ctx.Err() != nil {
			<-e.slots
			return nil, err
		}
		// It went away, or spoke, between two sessions: that is no fault of this one. A fresh process may do better.
	}
}

func (e *Engine) prepare(ctx context.Context, p *process, s setUp, id string) error {
	if !p.setUp.same(s) {
		if err := e.caller.call(ctx, p, "initialize", s, nil); err != nil {
			return err
		}
		p.setUp = s
	}
	if id == "" {
		return nil
	}
	p.words.forget() // what it said before is not about this session, whichever process that got
	return optional(e.caller.call(ctx, p, "session_start", sessionID{id}, nil))
}

type sessionID struct {
	ID string `json:"id"`
}

// optional is an error but that the program does not have the method.
func optional(err error) error {
	if absent(err) {
		return nil
	}
	return err
}

// idleOrNew takes an idle process that has not spoken meanwhile, or starts one.
func (e *Engine) idleOrNew() (*process, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errors.New("the context engine is closed")
	}
	for len(e.idle) > 0 {
		p := e.idle[len(e.idle)-1]
		e.idle = e.idle[:len(e.idle)-1]
		if p.out.Buffered() == 0 {
			e.busy[p] = true
			p.words.forget()
			return p, nil
		}
		p.kill()
	}
	o := e.options
	p, err := start(o.Manifest.Command, o.Dir, environment(o.Environ))
	if err != nil {
		return nil, fmt.Errorf("cannot run %s: %w", said(strings.Join(o.Manifest.Command, " ")), err)
	}
	e.busy[p] = true
	return p, nil
}

// drop ends a process that is not to be used again.
func (e *Engine) drop(p *process) {
	e.mu.Lock()
	delete(e.busy, p)
	e.mu.Unlock()
	p.finish(0)
}

// give takes a process back.
func (e *Engine) give(p *process) {
	e.mu.Lock()
	delete(e.busy, p)
	keep := !p.dead.Load() && !e.closed
	if keep {
		e.idle = append(e.idle, p)
	}
	e.mu.Unlock()
	if !keep {
		p.finish(exitTime)
	}
	<-e.slots
}

// Close ends all processes: idle ones by the end of their input, those in use at once. No session can be started
// afterwards.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	idle := e.idle
	e.idle = nil
	for p := range e.busy {
		p.strike()
	}
	e.mu.Unlock()
	var ending sync.WaitGroup
	for _, p := range idle {
		ending.Go(func() { p.finish(exitTime) })
	}
	ending.Wait()
	return nil
}

// environment is what a program may see: where programs and its user's files are, language and temporary files. Keys
// and everything else stay with ctxpack.
func environment(environ []string) []string {
	var list []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		switch upper := strings.ToUpper(name); upper {
		case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP",
			"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
			"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME":
			list = append(list, entry)
		default:
			if strings.HasPrefix(upper, "LC_") {
				list = append(list, entry)
			}
		}
	}
	return list
}

package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// methodNotFound is JSON-RPC's code for a method that is not there.
const methodNotFound = -32601

// request is one call. Every call has an id, and waits for its answer.
type request struct {
	Version string `json:"jsonrpc"`
	ID      int64  `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// response is one answer: a result or an error.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// refusal is an error that the program answered. The program goes on.
type refusal struct {
	method  string
	code    int
	message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the plugin answered %s with an error: %s (code %d)", r.method, said(r.message), r.code)
}

// absent says whether the error is that the program has no such method.
func absent(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.code == methodNotFound
}

// caller is what bounds the calls of a program.
type caller struct {
	timeout time.Duration // for each answer; 0 for none
	most    int           // bytes of a line
}

// call asks p for one thing and puts the result into result (nil: whatever it is). A *refusal leaves the program as it
// is; after any other error it is dead.
func (c caller) call(ctx context.Context, p *process, method string, params, result any) error {
	if p.dead.Load() {
		return fmt.Errorf("the plugin is gone: it cannot be asked for %s", method)
	}
	p.calls++
	line, err := encode(request{"2.0", p.calls, method, params})
	if err != nil {
		return err
	}
	limit, cancel := ctx, context.CancelFunc(func() {})
	if c.timeout > 0 {
		limit, cancel = context.WithTimeout(ctx, c.timeout)
	}
	defer cancel()
	reply, err := p.ask(limit, line, c.most)
	if err == nil {
		var answered bool
		if answered, err = read(reply, method, p.calls, result); answered {
			return err
		}
		p.kill()
		return lastly(err, p)
	}
	if ctx.Err() != nil {
		p.kill()
		return context.Cause(ctx)
	}
	switch {
	case limit.Err() != nil:
		err = fmt.Errorf("the plugin gave no answer to %s within %v", method, c.timeout)
	case errors.Is(err, errFlood):
		err = fmt.Errorf("the plugin flooded ctxpack: a line of more than %d MiB in answer to %s", c.most>>20, method)
	default:
		p.finish(exitTime)
		return lastly(fmt.Errorf("the plugin ended without an answer to %s%s", method, p.status()), p)
	}
	p.kill()
	return lastly(err, p)
}

// lastly adds what the program last wrote to its standard error.
func lastly(err error, p *process) error {
	if words := p.words.String(); words != "" {
		return fmt.Errorf("%w; it last said: %s", err, words)
	}
	return err
}

// encode spells a line. Characters are as they are: a line has to hold no HTML.
func encode(r request) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("internal error: %s cannot be spelled: %w", r.Method, err)
	}
	return b.Bytes(), nil
}

// read reads an answer. answered is false when it is none, and the program is not to be asked again.
func read(line []byte, method string, id int64, result any) (answered bool, err error) {
	var r response
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte{'{'}) || json.Unmarshal(line, &r) != nil {
		return false, fmt.Errorf("the plugin answered %s with something that is no JSON-RPC answer: %s", method, said(string(line[:min(len(line), 100)])))
	}
	switch got := string(bytes.TrimSpace(r.ID)); {
	case r.Version != "2.0":
		return false, fmt.Errorf("the plugin's answer to %s is not of JSON-RPC 2.0 (jsonrpc: %q)", method, said(r.Version))
	case got != fmt.Sprint(id):
		return false, fmt.Errorf("the plugin's answer to %s has the wrong id: %s, not %d (one answer to each call, in order)", method, said(got), id)
	case r.Error == nil && r.Result == nil, r.Error != nil && r.Result != nil && string(r.Result) != "null":
		return false, fmt.Errorf("the plugin's answer to %s has neither or both of result and error", method)
	case r.Error != nil:
		return true, &refusal{method, r.Error.Code, r.Error.Message}
	case result == nil:
		return true, nil
	}
	if err := json.Unmarshal(r.Result, result); err != nil {
		return true, fmt.Errorf("the plugin's result of %s has the wrong shape: %s", method, said(err.Error()))
	}
	return true, nil
}

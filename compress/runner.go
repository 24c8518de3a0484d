package compress

import (
	"context"
	"errors"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Runner compacts stored conversations, each once, by whatever engine. Safe for concurrent use.
type Runner struct {
	Engine Engine
	Meter  *Meter
	Focus  string
}

// Compact decides about one conversation, in a session of its own: what it has is counted, the engine says whether that
// is to be compacted, and what it makes of it is counted again. The conversation is used up.
//
// The error is not about the record (that is a Result of status Failed) but about the run: cancellation, a refused key.
func (r Runner) Compact(ctx context.Context, conv *formats.Conversation, info SessionInfo) (Result, error) {
	counted := r.Meter.counted(conv)
	result := Result{Status: Untouched, Before: counted.tally, After: counted.tally}
	session, err := r.Engine.NewSession(ctx, info)
	if err != nil {
		return result.engineFailed(ctx, err)
	}
	panics := true
	defer func() {
		if panics {
			_ = EndSession(ctx, session) // others may wait for what it holds
		}
	}()
	result, err = r.in(ctx, session, Request{Conversation: conv, Tokens: counted.tally.Tokens, Focus: r.Focus, counted: counted}, result)
	panics = false
	if ended := EndSession(ctx, session); err == nil && ended != nil && result.Status != Failed {
		return result.engineFailed(ctx, ended)
	}
	return result, err
}

// in is what happens within a session.
func (r Runner) in(ctx context.Context, s Session, req Request, result Result) (Result, error) {
	state := s.State()
	result.Budget = Budget{ContextLength: state.ContextLength, Threshold: state.Threshold}
	if !req.Conversation.HasMessages() {
		return result, nil
	}
	should, err := s.ShouldCompress(ctx, req.Tokens)
	if err != nil {
		return result.engineFailed(ctx, err)
	}
	if !should {
		return result, nil
	}
	return r.Compress(ctx, s, req, result)
}

// Compress compacts in a session that is under way, and completes what the engine says of it. result is what holds when
// nothing comes of it.
func (r Runner) Compress(ctx context.Context, s Session, req Request, result Result) (Result, error) {
	before := result.Before
	out, err := s.Compress(ctx, req)
	if err != nil {
		return result.engineFailed(ctx, err)
	}
	if out.Budget == (Budget{}) {
		out.Budget = result.Budget
	}
	out.Before = before
	switch {
	case !out.Status.Changed():
		out.After = before
	case out.After.Tokens == 0:
		out.After = r.Meter.Tally(req.Conversation.With(out.Messages))
		if out.After.Tokens >= before.Tokens {
			out.Status, out.Messages, out.After, out.Actions, out.Summary = NoGain, nil, before, nil, nil
		}
		out.OverLimit = out.Budget.Threshold > 0 && out.After.Tokens >= out.Budget.Threshold
	}
	return out, nil
}

// engineFailed is the result of a record whose session went wrong. What no other record would survive is an error.
func (r Result) engineFailed(ctx context.Context, err error) (Result, error) {
	if cause := context.Cause(ctx); cause != nil {
		return r, cause
	}
	var fatal *summarize.FatalError
	if errors.As(err, &fatal) {
		return r, fatal
	}
	return r.Fail("engine", err), nil
}

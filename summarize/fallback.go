package summarize

import (
	"context"
	"errors"
)

// Fallback asks Second where First failed, unless the run is to end. Such a summary carries a warning.
type Fallback struct{ First, Second Summarizer }

// Name is the first one's.
func (f Fallback) Name() string { return f.First.Name() }

// Summarize asks one, then the other.
func (f Fallback) Summarize(ctx context.Context, req Request) (Prose, error) {
	p, err := f.First.Summarize(ctx, req)
	var fatal *FatalError
	if err == nil || ctx.Err() != nil || errors.As(err, &fatal) {
		return p, err
	}
	instead, second := f.Second.Summarize(ctx, req)
	if second != nil {
		return p, err
	}
	instead.Calls, instead.Retries, instead.Tokens, instead.Masked = p.Calls, p.Retries, p.Tokens, p.Masked
	instead.Warnings = append(instead.Warnings, f.Second.Name()+" summary: the model's failed")
	if code := FailureCode(err); code != "" {
		instead.Warnings[len(instead.Warnings)-1] += " (" + code + ")"
	}
	return instead, nil
}

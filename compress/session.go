package compress

import (
	"context"

	"github.com/ctxpack/ctxpack/formats"
)

// session is the built-in engine's work on one conversation. What it needs of earlier compactions stands in the
// conversation itself.
type session struct {
	engine *Compressor
	budget Budget
	state  State
}

// NewSession starts a session; nothing can go wrong.
func (c *Compressor) NewSession(ctx context.Context, info SessionInfo) (Session, error) {
	s := &session{engine: c}
	return s, s.UpdateModel(ctx, info.Model, info.ContextLength)
}

// UpdateModel computes the budget anew.
func (s *session) UpdateModel(_ context.Context, _ string, contextLength int) error {
	if contextLength <= 0 {
		contextLength = s.engine.Options.ContextLength
	}
	s.budget = s.engine.Options.budget(contextLength)
	s.state.ContextLength, s.state.Threshold = contextLength, s.budget.Threshold
	return nil
}

// UpdateFromResponse remembers what the provider said.
func (s *session) UpdateFromResponse(_ context.Context, u Usage) error {
	s.state.Update(u)
	return nil
}

// ShouldCompress is true at or over the threshold; for fit, over the window.
func (s *session) ShouldCompress(_ context.Context, promptTokens int) (bool, error) {
	o := s.engine.Options
	return !o.Disabled && o.fires(s.budget, promptTokens), nil
}

// ShouldCompressPreflight makes no estimate: counting is cheap here.
func (*session) ShouldCompressPreflight(context.Context, []*formats.Message) (bool, error) {
	return false, nil
}

// Compress compacts by the engine's rules.
func (s *session) Compress(ctx context.Context, r Request) (Result, error) {
	if len(r.Conversation.Messages) == 0 {
		return Result{Status: NothingToDo, Budget: s.budget}, nil
	}
	result, err := s.engine.compact(ctx, r, s.budget)
	if err == nil && result.Status.Changed() {
		s.state.CompressionCount++
	}
	return result, err
}

// Reset forgets usage and count.
func (s *session) Reset(context.Context) error {
	s.state.Last, s.state.CompressionCount = Usage{}, 0
	return nil
}

// State shows what the session knows.
func (s *session) State() State { return s.state }

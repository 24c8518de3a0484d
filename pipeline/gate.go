package pipeline

import "context"

// Gate bounds how many goroutines use the CPU at once. Safe for concurrent use.
type Gate struct{ permits chan struct{} }

// NewGate returns a gate with n permits, at least one.
func NewGate(n int) *Gate { return &Gate{permits: make(chan struct{}, max(n, 1))} }

// Acquire waits for a permit, or for ctx to end, and then returns its cause.
func (g *Gate) Acquire(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case g.permits <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Release gives a permit back.
func (g *Gate) Release() { <-g.permits }

// Outside calls f without the permit that the caller holds, and takes it again afterwards, also when f panics. What
// waits for a network belongs into f. Taking the permit again does not look at a context: those who hold one are busy
// and not waiting.
func (g *Gate) Outside(f func()) {
	g.Release()
	defer func() { g.permits <- struct{}{} }()
	f()
}

// Package replay acts a live agent out over a stored conversation: call by call, with an engine's session, the two layers
// of compaction and the provider's own counts where the transcript has them. Where the agent would have compacted, so
// does the replay. What comes of it is one record for each context window, as the model would have met it, and a timeline.
//
// The rules are Hermes Agent's. Layer 1, session hygiene: before a turn (behind a user message), at 85 % of the context
// length, with 4 messages or more. Layer 2, the engine: before every call, whenever it says so.
package replay

import (
	"context"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/promptcost"
	"github.com/ctxpack/ctxpack/formats"
)

// Figures of Hermes Agent's gateway, as its documentation gives them (April 2026).
const (
	HygieneShare    = 0.85 // of the context length
	PressureShare   = 0.85 // of the engine's threshold
	HygieneMessages = 4    // fewer are left alone
)

// retryShare of the threshold is how much the window must grow before a compaction that came to nothing is tried again.
const retryShare = 0.05

// Replay is how conversations are acted out. Safe for concurrent use.
type Replay struct {
	Runner   compress.Runner
	Rough    *compress.Meter // the estimate of session hygiene, where no provider has counted
	Disabled bool            // nothing is ever compacted
	// Cache is what is known of a model's prompt cache; false where there is none, and no account is kept. Nil is the usual
	// cache for every model.
	Cache    func(model string) (promptcost.Model, bool)
	Pressure bool // warn at 85 % of the threshold, as older versions of Hermes did
}

// Outcome is what came of one conversation. One that could not be replayed to its end is one segment, as it came.
type Outcome struct {
	Timeline Timeline
	Segments []Segment
	Status   compress.Status // untouched, summarized, pruned, or failed
	Code     string          // failed: as in compress.Result
	Reason   string
	Model    *compress.SummaryInfo // of the last summary
}

// Run acts a conversation out. c itself is not changed. The error is about the run, never about the record.
func (r Replay) Run(ctx context.Context, c *formats.Conversation, info compress.SessionInfo) (Outcome, error) {
	w := newWalk(r, c, info)
	session, err := r.Runner.Engine.NewSession(ctx, info)
	if err != nil {
		return w.failed(ctx, "engine", err)
	}
	w.session = session
	panics := true
	defer func() {
		if panics {
			_ = compress.EndSession(ctx, session) // others may wait for what it holds
		}
	}()
	w.begin()
	code, err := w.walk(ctx)
	panics = false
	if ended := compress.EndSession(ctx, session); err == nil && ended != nil {
		code, err = "engine", ended
	}
	if err != nil {
		return w.failed(ctx, code, err)
	}
	return w.finish(), nil
}

// Package compress decides what becomes of one conversation: what is kept, pruned and summarised, and whether the result
// is any better. The rules are Hermes Agent's as its documentation describes them, with the defects that its users found
// mended; compaction.md in the project's documentation has them all.
package compress

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Compressor is the built-in engine.
type Compressor struct {
	Options    Options
	Meter      *Meter
	Summarizer summarize.Summarizer // nil only with Options.NoSummary

	frame func() int // tokens of an empty summary
}

// NewCompressor checks the options and makes the built-in engine. Defaults are filled in.
func NewCompressor(o Options, m *Meter, s summarize.Summarizer) (*Compressor, error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if s == nil && !o.NoSummary {
		return nil, errors.New("internal error: a compressor without a summariser")
	}
	m.MediaTokens = o.MediaTokens
	frame := sync.OnceValue(func() int { return summarize.FrameTokens(m.Counter.Count) })
	return &Compressor{Options: o, Meter: m, Summarizer: s, frame: frame}, nil
}

// Name is "compressor".
func (*Compressor) Name() string { return DefaultEngine }

// Compact compacts one conversation in a session of its own (see Runner). contextLength 0 takes the engine's own.
func (c *Compressor) Compact(ctx context.Context, conv *formats.Conversation, contextLength int) (Result, error) {
	return Runner{Engine: c, Meter: c.Meter}.Compact(ctx, conv, SessionInfo{ContextLength: contextLength})
}

// compact is the whole story of one conversation that is to be compacted.
func (c *Compressor) compact(ctx context.Context, req Request, b Budget) (Result, error) {
	counted := req.counted
	if counted == nil {
		counted = c.Meter.counted(req.Conversation)
	}
	r := Result{Budget: b, Before: counted.tally, After: counted.tally, OverLimit: true} // until something made it smaller
	p, err := c.prepare(req.Conversation, counted.list, b)
	if err != nil {
		return r.Fail("pairing", err), nil
	}
	p.focus = req.Focus
	d, err := c.choose(ctx, p)
	if cause := context.Cause(ctx); cause != nil {
		return r, cause
	}
	var fatal *summarize.FatalError
	if errors.As(err, &fatal) {
		return r, fatal // no other record would fare better
	}
	if err != nil {
		return r.Fail(SummaryCode(err), err), nil
	}
	if d == nil {
		r.Status = NothingToDo
		return r, nil
	}
	return c.finish(r, p, d, counted.overhead), nil
}

// finish turns a draft into the result: applied, checked, and never bigger than the input.
func (c *Compressor) finish(r Result, p *prepared, d *draft, overhead int) Result {
	if d.tokens >= r.Before.Tokens {
		r.Status = NoGain
		return r
	}
	if err := c.check(p, d); err != nil {
		return r.Fail("internal", err)
	}
	r.After = tally(d.list, overhead)
	r.OverLimit = c.Options.over(r.Budget, r.After.Tokens)
	r.HeadShortened, r.Summary = d.shortened, d.info
	r.Actions = append(p.repairs, d.actions...)
	r.Status = Pruned
	if d.info != nil {
		r.Status = Summarized
	}
	r.Messages = make([]*formats.Message, len(d.list))
	for i, w := range d.list {
		r.Messages[i] = w.msg
	}
	return r
}

// SummaryCode is the code of a record that has no summary: "summary", and in a word why not.
func SummaryCode(err error) string {
	if why := summarize.FailureCode(err); why != "" {
		return "summary_" + why
	}
	return "summary"
}

// Fail keeps the record as it is and says why.
func (r Result) Fail(code string, err error) Result {
	r.Status, r.Code, r.Reason = Failed, code, fmt.Sprint(err)
	r.After, r.Actions, r.Messages, r.Summary = r.Before, nil, nil, nil
	return r
}

package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/promptcost"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// walk is one conversation being acted out.
type walk struct {
	Replay
	conv     *formats.Conversation
	info     compress.SessionInfo
	session  compress.Session
	reported []formats.Reported
	sizes    []compress.Size // of the original messages
	overhead int             // tokens beside the messages
	rough    int             // the same, as hygiene estimates it

	window   window
	original int // tokens of the original up to here
	start    int // number of the first message that is new in this segment
	usage    usage
	retry    int  // tokens below which no further compaction is tried in this segment
	warned   bool // of pressure, in this segment

	whole                  []promptcost.Block // of the original up to here
	compacted, uncompacted *account           // nil without a prompt cache

	out Outcome
}

func newWalk(r Replay, c *formats.Conversation, info compress.SessionInfo) *walk {
	w := &walk{Replay: r, conv: c, info: info, reported: c.Reported(), sizes: make([]compress.Size, len(c.Messages))}
	empty := c.With(nil)
	w.overhead, w.rough = r.Runner.Meter.Conversation(empty), r.Rough.Conversation(empty)
	w.original = w.overhead
	w.window = window{tokens: w.overhead, rough: w.rough, blocks: []promptcost.Block{frame(c, w.overhead)}}
	model := cmp.Or(info.Model, c.Model)
	cost, cached := promptcost.Model{}, true
	if r.Cache != nil {
		cost, cached = r.Cache(model)
	}
	w.whole = slices.Clone(w.window.blocks)
	if cached {
		w.compacted, w.uncompacted = newAccount(cost), newAccount(cost)
	}
	t := &w.out.Timeline
	t.ID, t.Model, t.Messages, t.Usage = info.ID, model, len(c.Messages), "counted"
	w.out.Status = compress.Untouched
	return w
}

// begin notes the limits that the session works with.
func (w *walk) begin() {
	state := w.session.State()
	t := &w.out.Timeline
	t.ContextLength, t.Threshold = state.ContextLength, state.Threshold
	t.Hygiene = int(HygieneShare * float64(state.ContextLength))
}

// walk goes through the messages. What stands before a call is its prompt; what the call made follows.
func (w *walk) walk(ctx context.Context) (code string, err error) {
	for i, m := range w.conv.Messages {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		w.sizes[i] = w.Runner.Meter.Size(m)
		if w.callBegins(i) {
			if code, err := w.beforeCall(ctx, i); err != nil {
				return code, err
			}
			w.turn(i)
		}
		w.append(i, m)
		if w.callEnds(i) {
			if err := w.respond(ctx); err != nil {
				return "engine", err
			}
		}
	}
	return "", nil
}

func (w *walk) append(i int, m *formats.Message) {
	w.window.add(m, w.sizes[i], w.Rough.Size(m).Total)
	w.original += w.sizes[i].Total
	w.whole = append(w.whole, block(m, w.sizes[i]))
	w.usage.see(i, m, w.reported[i])
	if m.Role == formats.RoleAssistant {
		turns := w.out.Timeline.Turns
		t := &turns[len(turns)-1]
		t.Completion += w.sizes[i].Total - w.sizes[i].Results
		if r := w.reported[i]; r.HasUsage() {
			t.Reported = r.Prompt
			w.out.Timeline.Totals.ReportedCached += int64(r.CacheRead)
		}
		if at := w.reported[i].At; t.At == nil && !at.IsZero() {
			t.At = &at
		}
	}
}

// callBegins says that a call of the model made message i and those behind it: it is the assistant's, and not one more
// piece of the same answer.
func (w *walk) callBegins(i int) bool {
	messages := w.conv.Messages
	if messages[i].Role != formats.RoleAssistant {
		return false
	}
	if i == 0 || messages[i-1].Role != formats.RoleAssistant || len(messages[i-1].Results()) > 0 {
		return true
	}
	turns := w.out.Timeline.Turns
	return w.reported[i].HasUsage() && turns[len(turns)-1].Reported > 0
}

// callEnds says that message i is the last piece of an answer.
func (w *walk) callEnds(i int) bool {
	if w.conv.Messages[i].Role != formats.RoleAssistant {
		return false
	}
	return i+1 == len(w.conv.Messages) || w.conv.Messages[i+1].Role != formats.RoleAssistant || w.callBegins(i+1)
}

// turn notes the call that makes message i.
func (w *walk) turn(i int) {
	t := &w.out.Timeline
	t.Turns = append(t.Turns, Turn{
		Message: i, Segment: len(w.out.Segments) + 1, Prompt: w.window.tokens, Original: w.original,
	})
	w.compacted.prompt(w.window.blocks)
	w.uncompacted.prompt(w.whole)
}

// respond tells the session what the last call took: as the provider counted it or, where the transcript does not say,
// as we count.
func (w *walk) respond(ctx context.Context) error {
	turns := w.out.Timeline.Turns
	t := turns[len(turns)-1]
	w.compacted.answer(t.Completion, t.At)
	w.uncompacted.answer(t.Completion, t.At)
	u := compress.Usage{Prompt: t.Prompt, Completion: t.Completion}
	if last, ok := w.usage.known(); ok {
		u = compress.Usage{Prompt: max(last.Prompt-(t.Original-t.Prompt), 0), Completion: last.Completion}
	}
	u.Total = u.Prompt + u.Completion
	return w.session.UpdateFromResponse(ctx, u)
}

// beforeCall lets both layers look at the prompt of the call that makes message i.
func (w *walk) beforeCall(ctx context.Context, i int) (code string, err error) {
	if w.Disabled {
		return "", nil
	}
	limit := w.out.Timeline.Hygiene
	turnBegins := i > 0 && w.conv.Messages[i-1].Role == formats.RoleUser
	if turnBegins && len(w.window.messages) >= HygieneMessages && limit > 0 {
		tokens := w.window.rough
		if last, ok := w.usage.known(); ok {
			tokens = max(last.Prompt-w.saved(), 0)
		}
		if tokens >= limit && w.window.tokens >= w.retry {
			if code, err := w.compress(ctx, Event{Layer: LayerHygiene, Message: i, Tokens: tokens, Limit: limit}); err != nil {
				return code, err
			}
		}
	}
	tokens := w.tokens()
	w.pressure(i, tokens)
	should, err := w.should(ctx, tokens, turnBegins)
	if err != nil {
		return "engine", err
	}
	if !should || w.window.tokens < w.retry {
		return "", nil
	}
	return w.compress(ctx, Event{Layer: LayerEngine, Message: i, Tokens: tokens, Limit: w.out.Timeline.Threshold})
}

// should asks the engine; before a turn also by its own cheap estimate, where it has one.
func (w *walk) should(ctx context.Context, tokens int, turnBegins bool) (bool, error) {
	should, err := w.session.ShouldCompress(ctx, tokens)
	if p, ok := w.session.(compress.Preflighter); ok && err == nil && !should && turnBegins {
		return p.ShouldCompressPreflight(ctx, w.window.messages)
	}
	return should, err
}

// saved is what compactions have taken out of the window.
func (w *walk) saved() int { return w.original - w.window.tokens }

// tokens is the size by which the engine decides: what the provider said of the last call, prompt and answer together,
// less what has been compacted since; else the window as we count it.
func (w *walk) tokens() int {
	if last, ok := w.usage.known(); ok {
		return max(last.Prompt+last.Completion-w.saved(), 0)
	}
	return w.window.tokens
}

// pressure warns once in a segment.
func (w *walk) pressure(i, tokens int) {
	limit := int(PressureShare * float64(w.out.Timeline.Threshold))
	if !w.Pressure || w.warned || tokens < limit || tokens >= w.out.Timeline.Threshold {
		return
	}
	w.warned = true
	w.event(Event{Layer: LayerPressure, Message: i, Tokens: tokens, Limit: limit})
}

func (w *walk) event(e Event) {
	e.Turn, e.Segment = len(w.out.Timeline.Turns), len(w.out.Segments)+1
	w.out.Timeline.Events = append(w.out.Timeline.Events, e)
}

// compress lets the engine compact the window, and closes the segment when it did. An error leaves the record as it came.
func (w *walk) compress(ctx context.Context, e Event) (code string, err error) {
	given := w.conv.With(w.window.clones())
	before := w.Runner.Meter.Tally(given)
	held := compress.Result{Status: compress.NoGain, Before: before, After: before}
	res, err := w.Runner.Compress(ctx, w.session, compress.Request{Conversation: given, Tokens: e.Tokens, Focus: w.Runner.Focus}, held)
	if err != nil {
		return "", err
	}
	if res.Status == compress.Failed {
		return res.Code, errors.New(res.Reason)
	}
	e.Status, e.Reason, e.Before, e.After = res.Status, res.Reason, res.Before.Tokens, res.After.Tokens
	e.Pruned = res.Saved(compress.ActionDescribe, compress.ActionClear, compress.ActionBackref, compress.ActionArguments, compress.ActionDemote)
	e.Summarized = res.Saved(compress.ActionSummarize)
	if s := res.Summary; s != nil {
		e.From, e.To, e.Summary, e.Level = s.From, s.To, s.Tokens, s.Prose.Level
		w.out.Model = s
	}
	w.event(e)
	if !res.Status.Changed() {
		w.retry = w.window.tokens + int(retryShare*float64(w.out.Timeline.Threshold))
		return "", nil
	}
	if w.out.Status != compress.Summarized { // what was summarised once stays so, though only pruned later
		w.out.Status = res.Status
	}
	if w.start < e.Message { // else no call has met this window
		w.segment(e.Message)
	}
	w.window.replace(res.Messages, w.overhead, w.rough, w.Runner.Meter, w.Rough)
	w.retry, w.warned = 0, false
	return "", nil
}

// segment closes the segment: what stands in the window, of which the messages up to end are new.
func (w *walk) segment(end int) {
	c := w.conv.With(w.window.messages)
	w.out.Segments = append(w.out.Segments, Segment{
		Start: w.start, End: end, Messages: len(c.Messages), Record: c.Bytes(), Conversation: c,
	})
	w.start = end
}

// finish closes the last segment and adds up.
func (w *walk) finish() Outcome {
	if w.start < len(w.conv.Messages) || len(w.out.Segments) == 0 {
		w.segment(len(w.conv.Messages))
	}
	t := &w.out.Timeline
	t.Usage, t.Segments = w.usage.String(), len(w.out.Segments)
	w.total()
	return w.out
}

func (w *walk) total() {
	t := &w.out.Timeline
	sum := &t.Totals
	sum.Calls, sum.Tokens = len(t.Turns), w.original
	sum.Caching = Caching{w.compacted.total(), w.uncompacted.total()}
	for _, turn := range t.Turns {
		sum.Prompt += int64(turn.Prompt)
		sum.Uncompacted += int64(turn.Original)
		sum.Completion += int64(turn.Completion)
		sum.Reported += int64(turn.Reported)
		sum.Largest = max(sum.Largest, turn.Prompt)
	}
	for _, e := range t.Events {
		if e.Status.Changed() {
			sum.Compactions++
		}
	}
}

// failed gives the record up: it is one segment, as it came. What no other record would survive is an error.
func (w *walk) failed(ctx context.Context, code string, err error) (Outcome, error) {
	if cause := context.Cause(ctx); cause != nil {
		return Outcome{}, cause
	}
	var fatal *summarize.FatalError
	if errors.As(err, &fatal) {
		return Outcome{}, fatal
	}
	out := Outcome{Timeline: w.out.Timeline, Status: compress.Failed, Code: code, Reason: fmt.Sprint(err)}
	out.Timeline.Segments, out.Timeline.Turns, out.Timeline.Events, out.Timeline.Totals = 1, nil, nil, Totals{}
	out.Segments = []Segment{{End: len(w.conv.Messages), Messages: len(w.conv.Messages), Record: w.conv.Bytes(), Conversation: w.conv}}
	return out, nil
}

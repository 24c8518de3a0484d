package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
)

// replay cuts, compacts and scores the inputs.
func (run *evalRun) replay(ctx context.Context) (err error) {
	var inputs []input
	for _, arg := range run.args {
		some, err := run.expandInput(arg)
		if err != nil {
			return err
		}
		inputs = append(inputs, some...)
	}
	stream := &recordStream{app: run.app, inputs: inputs, read: run.settings.readOptions()}
	defer func() { err = errors.Join(err, stream.close()) }()
	taken := int64(0)
	next := func(ctx context.Context) (formats.Record, error) {
		for {
			rec, err := stream.next(ctx)
			if err != nil {
				return rec, err
			}
			if run.settings.Limit > 0 && taken == run.settings.Limit {
				return rec, io.EOF
			}
			if inSample(run.settings, rec.Pos) {
				taken++
				return rec, nil
			}
		}
	}
	workers := run.subject.workers()
	if run.others != nil {
		workers = max(workers, run.others.workers())
	}
	return explainSummaries(inOrder(ctx, workers, next, run.replayRecord, run.take))
}

// replayRecord makes the rows of one conversation. A record that cannot be read, or whose compaction fails, gives a row
// that says so.
func (run *evalRun) replayRecord(ctx context.Context, rec formats.Record) (m measured, err error) {
	row := rowAt(rec.Pos)
	defer func() {
		if cause := recover(); cause != nil { // a mistake of ctxpack costs the row, not the run
			row.Error = fmt.Sprintf("internal error: %v", cause)
			m, err = measured{rows: []quality.Row{row}}, nil
		}
	}()
	whole, err := run.subject.reader.decode(rec)
	if err != nil {
		row.Error = err.Error()
		return measured{rows: []quality.Row{row}}, nil
	}
	if !whole.HasMessages() {
		return measured{short: true}, nil
	}
	row.ID, row.Cluster = whole.ID, quality.Key(whole.Messages)
	if recorded := quality.FindRecorded(whole.Messages); len(recorded) > 0 {
		return run.replayRecorded(ctx, row, whole, recorded)
	}
	mine, ok, err := run.subject.replayed(ctx, row, whole)
	if err != nil {
		return m, err
	}
	if !ok {
		return measured{short: true}, nil
	}
	m.rows = append(m.rows, mine)
	if run.others != nil {
		other, ok, err := run.others.replayed(ctx, row, whole)
		if err != nil {
			return m, err
		}
		if ok {
			m.others = append(m.others, other)
		}
	}
	return m, nil
}

// replayRecorded measures the compactions that a log carries; with --against recorded it also compacts what stood before
// each of them, and they are what that is compared with.
func (run *evalRun) replayRecorded(ctx context.Context, row quality.Row, whole *formats.Conversation, list []quality.Recorded) (m measured, err error) {
	for _, r := range list {
		peer := run.subject.recorded(row, r)
		switch {
		case run.opts.against == againstRecorded:
			mine, err := run.subject.replayedAt(ctx, row, whole.With(r.Before), r.Future)
			if err != nil {
				return m, err
			}
			m.rows, m.others = append(m.rows, mine), append(m.others, peer)
		case run.others != nil: // what a log recorded does not depend on settings
			m.rows, m.others = append(m.rows, peer), append(m.others, peer)
		default:
			m.rows = append(m.rows, peer)
		}
	}
	return m, nil
}

// recorded measures a compaction that a log carries.
func (u *subject) recorded(row quality.Row, r quality.Recorded) quality.Row {
	pair := quality.NewPair(r.Before, r.After)
	c := &quality.Case{Pair: pair, Future: r.Future}
	c.Sizes = u.sizes(pair, &formats.Conversation{Messages: r.Before})
	c.Sizes.Budget = 0 // whoever made it had a budget of its own
	row.Key, row.Cut, row.Status = quality.Key(r.Before), len(r.Before), compress.Summarized
	row.Fill(c)
	return row
}

// replayed cuts a conversation, compacts what stands before the cut and measures it against what comes after. ok is false
// when there is nothing to cut.
func (u *subject) replayed(ctx context.Context, row quality.Row, whole *formats.Conversation) (_ quality.Row, ok bool, err error) {
	m := u.meter()
	tokens := make([]int, len(whole.Messages))
	for i := range whole.Messages {
		tokens[i] = tokensOf(m, whole.Messages[i:i+1])
	}
	share, threshold := quality.CutShare, u.budget(whole).Threshold
	if u.share > 0 {
		threshold, share = 0, u.share
	}
	cut, ok := quality.FindCut(whole.Messages, tokens, overheadOf(m, whole), threshold, share)
	if !ok {
		return row, false, nil
	}
	row, err = u.replayedAt(ctx, row, whole.With(whole.Messages[:cut.At]), whole.Messages[cut.At:])
	return row, err == nil, err
}

// overheadOf is what a conversation costs beside its messages.
func overheadOf(m *compress.Meter, c *formats.Conversation) int {
	return m.Conversation(&formats.Conversation{Tools: c.Tools})
}

// replayedAt compacts a past and measures it against a future.
func (u *subject) replayedAt(ctx context.Context, row quality.Row, past *formats.Conversation, future []*formats.Message) (quality.Row, error) {
	m := u.meter()
	b := u.budget(past)
	engine, err := u.engine(b, overheadOf(m, past)+tokensOf(m, past.Messages))
	if err != nil {
		return row, err
	}
	t, err := u.compactOnce(ctx, engine, past.Bytes())
	if err != nil {
		return row, err
	}
	row.Key, row.Cut, row.Status = quality.Key(past.Messages), len(past.Messages), t.result.Status
	pair := quality.NewPair(t.before.Messages, t.after.Messages)
	c := &quality.Case{Pair: pair, Future: future}
	c.Sizes = u.sizes(pair, t.before)
	if s := t.result.Summary; s != nil {
		c.Sizes.Budget = s.Budget
	}
	if t.result.Status == compress.Failed {
		row.Error = fmt.Sprintf("%s: %s", t.result.Code, t.result.Reason)
	}
	if u.steps && c.Fired() {
		if c.Cascade, err = u.cascade(ctx, past, future, b); err != nil {
			return row, err
		}
	}
	row.Fill(c)
	row.Breaches = append(pair.Breaches(c.Sizes.Before, c.Sizes.After), quality.RecordBreaches(t.before, t.after)...)
	return row, nil
}

// engine is the one that the settings ask for, made to fire at size tokens: where compaction would not have fired yet, the
// threshold is lowered to the size, and the protected end stays as large as it would have been.
func (u *subject) engine(b compress.Budget, size int) (compress.Runner, error) {
	s := *u.settings
	if s.Engine.open != nil { // it knows no settings of ours: it is asked to compact at the cut
		s.Engine.open = firing{s.Engine.open}
	}
	tail := b.Tail
	if u.tail > 0 {
		tail = u.tail
	}
	threshold := min(b.Threshold, size)
	if s.Strategy == string(compress.Fit) {
		s.Fit = int64(max(1, threshold-1))
	} else {
		s.Threshold = Threshold{Tokens: int64(max(2, threshold))}
	}
	s.TargetRatio = compress.ClampTargetRatio(float64(tail) / float64(max(1, threshold)))
	if u.summaries != nil {
		return newEngineWith(&s, u.meter(), u.summaries.summarizer)
	}
	return newEngine(&s, u.meter())
}

// taken is a conversation before and after one compaction.
type taken struct {
	before, after *formats.Conversation
	result        compress.Result
}

// compactOnce compacts a record of its own: the engine uses up what it is given.
func (u *subject) compactOnce(ctx context.Context, engine compress.Runner, raw []byte) (taken, error) {
	rec := formats.Record{Raw: raw}
	before, err := u.reader.decode(rec)
	if err != nil {
		return taken{}, err
	}
	given, err := u.reader.decode(rec)
	if err != nil {
		return taken{}, err
	}
	result, err := engine.Compact(ctx, given, u.windows.of(given).session(given, rec.Pos))
	if err != nil {
		return taken{}, err
	}
	t := taken{before: before, after: before, result: result}
	if result.Status.Changed() {
		t.after, err = u.reader.decode(formats.Record{Raw: given.With(result.Messages).Bytes()})
	}
	return t, err
}

// cascadeSteps is how many times a conversation is compacted on its way to the cut.
const cascadeSteps = 3

// cascade compacts on the way to the end of a past, each time what the last compaction left with the messages that
// followed it, and scores the last output.
func (u *subject) cascade(ctx context.Context, past *formats.Conversation, future []*formats.Message, b compress.Budget) (quality.Score, error) {
	var list []*formats.Message
	from, compacted := 0, 0
	for _, end := range quality.Steps(past.Messages, len(past.Messages), cascadeSteps) {
		list = append(list, past.Messages[from:end]...)
		m := u.meter()
		engine, err := u.engine(b, overheadOf(m, past)+tokensOf(m, list))
		if err != nil {
			return quality.Score{}, err
		}
		t, err := u.compactOnce(ctx, engine, past.With(list).Bytes())
		if err != nil {
			return quality.Score{}, err
		}
		if t.result.Status.Changed() {
			compacted++
		}
		list, from = t.after.Messages, end
	}
	if compacted < cascadeSteps {
		return quality.Score{}, nil
	}
	return quality.FutureRecall(quality.NewPair(past.Messages, list), future), nil
}

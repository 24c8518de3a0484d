package cmd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/pipeline"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/summarize"
)

// compaction is what happens to one record: decode, engine, encode. Safe for concurrent use.
type compaction struct {
	settings *Settings
	engine   compress.Runner
	windows  windows
	dialects []formats.Dialect
	named    formats.Dialect // by --format; nil: detected
	counter  tokens.Counter
	now      func() time.Time
	losses   *losses      // of --to
	mended   *losses      // pairs that --to put right
	unmasked atomic.Int64 // summaries that a trainer would learn from
	alone    bool         // the run has one input, which the user named: a session log there is a mistake of usage
}

func (a *app) newCompaction(s *Settings) (*compaction, error) {
	c := &compaction{settings: s, dialects: dialects(), now: a.streams.Now, losses: &losses{}, mended: &losses{}}
	var err error
	if c.named, err = namedDialect(s.Format); err != nil {
		return nil, err
	}
	if c.windows, err = newWindows(s); err != nil {
		return nil, err
	}
	if c.counter, err = a.newCounter(s); err != nil {
		return nil, err
	}
	if s.byModel() {
		return c, nil // who compacts gives it an engine (useModel); others need none
	}
	c.engine, err = newEngine(s, &compress.Meter{Counter: c.counter})
	return c, err
}

// useModel makes the engine of a run whose summaries a model writes.
func (c *compaction) useModel(s summarize.Summarizer) (err error) {
	c.engine, err = newEngineWith(c.settings, &compress.Meter{Counter: c.counter}, s)
	return err
}

// outcomeRow is what the observer gets with a record.
type outcomeRow struct {
	row     report.Row
	skipped bool // not in the sample
}

// process is the pipeline's function.
func (c *compaction) process(ctx context.Context, _ *pipeline.Gate, rec formats.Record) (pipeline.Outcome, error) {
	if !inSample(c.settings, rec.Pos) {
		return pipeline.Outcome{Omit: true, Row: outcomeRow{skipped: true}}, nil
	}
	start := c.now()
	out, row, err := c.one(ctx, rec)
	if err != nil {
		return out, err
	}
	row.Elapsed = c.now().Sub(start)
	if row.Status == compress.Failed && c.settings.OnError == "reject" {
		out = pipeline.Outcome{Reject: &formats.Fault{
			Pos: rec.Pos, Stage: formats.StageEngine, Code: row.Code, Caret: -1, Err: fmt.Errorf("%s", row.Reason),
		}}
		row.Status = compress.Rejected
	}
	out.Row = outcomeRow{row: row}
	return out, nil
}

// one decides about one record. A fault rejects it; a row of a Parquet file, which has other columns, it leaves as it
// came, and so does a panic anywhere in the work on a record.
func (c *compaction) one(ctx context.Context, rec formats.Record) (out pipeline.Outcome, row report.Row, err error) {
	conv, err := c.decode(rec)
	if err != nil {
		fault := asFault(rec, err)
		row = report.RejectRow(fault)
		if rec.Held != nil {
			row.Status = compress.Failed
			return pipeline.Outcome{}, row, nil
		}
		return pipeline.Outcome{Reject: fault}, row, nil
	}
	defer func() {
		if p := recover(); p != nil {
			res := compress.Result{Status: compress.Failed, Code: "internal", Reason: fmt.Sprintf("internal error: %v", p)}
			out, row, err = pipeline.Outcome{}, report.NewRow(rec, conv, res), nil
			if c.settings.To != "" { // as it came it has no place in an output of another dialect
				fault := asFault(rec, fmt.Errorf("%s", res.Reason))
				out, row = pipeline.Outcome{Reject: fault}, report.RejectRow(fault)
			}
		}
	}()
	w := c.windows.of(conv)
	res, err := c.compact(ctx, conv, w.session(conv, rec.Pos))
	if err != nil {
		return out, row, fmt.Errorf("%s: %w", rec.Pos, err)
	}
	if res.Status.Changed() {
		out.Payload = conv.With(res.Messages).Bytes()
		if err := c.verify(rec.Pos, conv, res.Messages, out.Payload); err != nil {
			out.Payload, res = nil, res.Fail("internal", err)
		}
	}
	d, err := c.deliver(rec, conv, out.Payload, res)
	if err != nil {
		return out, row, fmt.Errorf("%s: %w", rec.Pos, err)
	}
	out.Payload = d.payload
	row = report.NewRow(rec, conv, d.result)
	d.mark(&row)
	row.Model, row.ContextSource = w.model, w.source
	return out, row, nil
}

// compact is the engine's decision. A session log can only be read: one that the engine would leave alone leaves as it
// came, any other has failed, before a model is asked for anything. Where the user named nothing else, it is an error.
func (c *compaction) compact(ctx context.Context, conv *formats.Conversation, info compress.SessionInfo) (compress.Result, error) {
	if conv.Spelled == "" || c.settings.To != "" {
		return c.engine.Compact(ctx, conv, info)
	}
	if c.alone {
		return compress.Result{}, usageError(fmt.Errorf("a session of %s can be read, not written", conv.Dialect),
			"--to openai, --to anthropic or --to sharegpt writes it as a conversation")
	}
	probe, err := newEngineWith(c.settings, &compress.Meter{Counter: c.counter}, nil)
	if err != nil {
		return compress.Result{}, err
	}
	res, err := probe.Compact(ctx, conv, info)
	if err == nil && res.Status != compress.Untouched {
		res = res.Fail("session", fmt.Errorf("a session log needs --to openai, anthropic or sharegpt: %s can be read, not written", conv.Dialect))
	}
	return res, err
}

func (c *compaction) decode(rec formats.Record) (*formats.Conversation, error) {
	if c.named != nil {
		return formats.DecodeAs(rec, c.named)
	}
	return formats.Decode(rec, c.dialects)
}

// asFault is err as a fault of the record.
func asFault(rec formats.Record, err error) *formats.Fault {
	if fault, ok := err.(*formats.Fault); ok { //nolint:errorlint // decoders return faults unwrapped
		return fault
	}
	return &formats.Fault{Pos: rec.Pos, Stage: formats.StageDecode, Code: "decode", Err: err, Caret: -1}
}

// inSample says whether a record belongs to the sample: by the seed and its place in its file, so that the choice depends
// on nothing else.
func inSample(s *Settings, pos formats.Position) bool {
	if s.Limit > 0 && s.Sample >= 1 && pos.Unit() >= s.Limit {
		return false
	}
	if s.Sample >= 1 {
		return true
	}
	x := rand.New(rand.NewPCG(uint64(s.Seed), uint64(pos.Unit()))) //nolint:gosec // a fair choice, no secret
	return x.Float64() < s.Sample
}

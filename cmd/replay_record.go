package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/replay"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/promptcache"
	"github.com/ctxpack/ctxpack/pipeline"
	"github.com/ctxpack/ctxpack/report"
)

// replayedRow is what the observer gets with a record.
type replayedRow struct {
	row      report.Row
	timeline *report.TimelineRow // nil: nothing was written for it
	skipped  bool                // not in the sample
}

// process is the pipeline's function: decode, replay, write the segments.
func (run *replayRun) process(ctx context.Context, _ *pipeline.Gate, rec formats.Record) (pipeline.Outcome, error) {
	if !inSample(run.settings, rec.Pos) {
		return pipeline.Outcome{Omit: true, Row: replayedRow{skipped: true}}, nil
	}
	start := run.compaction.now()
	out, done, err := run.one(ctx, rec)
	if err != nil {
		return out, err
	}
	done.row.Elapsed = run.compaction.now().Sub(start)
	if done.row.Status == compress.Failed && run.settings.OnError == "reject" {
		out = pipeline.Outcome{Reject: &formats.Fault{
			Pos: rec.Pos, Stage: formats.StageEngine, Code: done.row.Code, Caret: -1, Err: errors.New(done.row.Reason),
		}}
		done.row.Status, done.timeline = compress.Rejected, nil
	}
	out.Row = done
	return out, nil
}

// one decides about one record.
func (run *replayRun) one(ctx context.Context, rec formats.Record) (out pipeline.Outcome, done replayedRow, err error) {
	c := run.compaction
	conv, err := c.decode(rec)
	if err != nil {
		fault := asFault(rec, err)
		return pipeline.Outcome{Reject: fault}, replayedRow{row: report.RejectRow(fault)}, nil
	}
	switch {
	case !conv.HasMessages():
		return pipeline.Outcome{Omit: true}, replayedRow{row: report.NewRow(rec, conv, compress.Result{Status: compress.Untouched})}, nil
	case conv.Spelled != "" && run.settings.To == "":
		fault, err := run.refuseSession(rec, conv)
		if err != nil {
			return out, done, err
		}
		return pipeline.Outcome{Reject: fault}, replayedRow{row: report.RejectRow(fault)}, nil
	}
	if _, ok := conv.LossSpans(); ok && run.settings.To != "" {
		return pipeline.Outcome{Reject: staleSpans(rec)}, replayedRow{row: report.RejectRow(staleSpans(rec))}, nil
	}
	w := c.windows.of(conv)
	acted, lines, err := run.act(ctx, rec.Pos, conv, w.session(conv, rec.Pos))
	if err != nil {
		return out, done, fmt.Errorf("%s: %w", rec.Pos, err)
	}
	t := acted.Timeline
	row := report.NewRow(rec, conv, compress.Result{
		Status: acted.Status, Code: acted.Code, Reason: acted.Reason, Summary: acted.Model,
		Before:    compress.Tally{Tokens: int(t.Totals.Uncompacted), Messages: t.Messages},
		After:     compress.Tally{Tokens: int(t.Totals.Prompt), Messages: acted.Segments[len(acted.Segments)-1].Messages},
		Budget:    compress.Budget{ContextLength: t.ContextLength, Threshold: t.Threshold},
		OverLimit: t.Totals.Largest > t.ContextLength,
	})
	row.Model, row.ContextSource = w.model, w.source
	timeline := report.NewTimelineRow(row, t)
	return pipeline.Outcome{Payload: lines}, replayedRow{row: row, timeline: &timeline}, nil
}

// refuseSession says that a session log can only be read: an error of usage where the user named nothing else.
func (run *replayRun) refuseSession(rec formats.Record, conv *formats.Conversation) (*formats.Fault, error) {
	err := fmt.Errorf("a session of %s can be read, not written", conv.Dialect)
	const hint = "--to openai, --to anthropic or --to sharegpt writes its segments as conversations"
	if run.compaction.alone {
		return nil, usageError(fmt.Errorf("%s: %w", rec.Pos, err), hint)
	}
	return &formats.Fault{Pos: rec.Pos, Stage: formats.StageDecode, Code: "session", Caret: -1, Err: formats.WithHint(err, hint)}, nil
}

// staleSpans says that a record's loss spans cannot be followed into another dialect.
func staleSpans(rec formats.Record) *formats.Fault {
	err := errors.New("the record is a segment of an earlier replay, and its loss_spans are numbers of messages that --to may join or part")
	return &formats.Fault{Pos: rec.Pos, Stage: formats.StageEncode, Code: "loss_spans", Caret: -1,
		Err: formats.WithHint(err, "replay what it was made from with --to, or leave --to out")}
}

// act replays a conversation and writes its segments, a line each. What goes wrong costs the record its compactions: it
// becomes one segment, as it came.
func (run *replayRun) act(ctx context.Context, at formats.Position, conv *formats.Conversation, info compress.SessionInfo) (replay.Outcome, []byte, error) {
	acted, lines, err := run.attempt(ctx, at, conv, info)
	if err == nil && lines == nil {
		lines, err = run.lines(at, info.ID, acted)
	}
	return acted, lines, err
}

// attempt is act without the second try: no lines when the segments are not good.
func (run *replayRun) attempt(ctx context.Context, at formats.Position, conv *formats.Conversation, info compress.SessionInfo) (acted replay.Outcome, lines []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			acted, lines, err = asItCame(acted, conv, info, fmt.Errorf("internal error: %v", p)), nil, nil
		}
	}()
	if acted, err = run.replay.Run(ctx, conv, info); err != nil {
		return acted, nil, err
	}
	if err := readBack(at, acted); err != nil {
		return asItCame(acted, conv, info, err), nil, nil
	}
	lines, err = run.lines(at, info.ID, acted)
	return acted, lines, err
}

// readBack reads the segments again, each in the dialect of the record, and compares them with what was decided.
func readBack(at formats.Position, acted replay.Outcome) error {
	if !acted.Status.Changed() {
		return nil
	}
	for _, s := range acted.Segments {
		got, err := readAs(at, s.Record, cmp.Or(s.Conversation.Spelled, s.Conversation.Dialect))
		if err != nil {
			return err
		}
		if err := compress.Same(s.Conversation.Messages, got); err != nil {
			return err
		}
	}
	return nil
}

// asItCame is the outcome of a record that could not be replayed.
func asItCame(acted replay.Outcome, conv *formats.Conversation, info compress.SessionInfo, err error) replay.Outcome {
	t := replay.Timeline{
		ID: info.ID, Model: info.Model, ContextLength: acted.Timeline.ContextLength, Threshold: acted.Timeline.Threshold,
		Hygiene: acted.Timeline.Hygiene, Usage: "counted", Messages: len(conv.Messages), Segments: 1,
	}
	return replay.Outcome{
		Timeline: t, Status: compress.Failed, Code: "internal", Reason: err.Error(),
		Segments: []replay.Segment{{End: len(conv.Messages), Messages: len(conv.Messages), Record: conv.Bytes(), Conversation: conv}},
	}
}

// lines are the segments as they are written, a line each.
func (run *replayRun) lines(at formats.Position, id string, acted replay.Outcome) ([]byte, error) {
	list := make([][]byte, len(acted.Segments))
	for i, s := range acted.Segments {
		record, err := run.segment(at, s)
		if err != nil {
			return nil, err
		}
		members := []string{
			"segment", fmt.Sprint(i + 1), "of", fmt.Sprint(len(acted.Segments)), "source_id", string(formats.AppendString(nil, id)),
			"new_messages", span{s.Start, s.End}.String(),
		}
		if record.spans {
			members = append(members, "loss_spans", spansText(record.fresh))
		}
		list[i] = formats.OneLine(record.conv.WithMembers(record.payload, members...))
	}
	return bytes.Join(list, []byte("\n")), nil
}

// written is a segment in the dialect in which it is written.
type written struct {
	payload []byte
	conv    *formats.Conversation // payload, read again
	spans   bool                  // fresh is to be written
	fresh   []span                // the messages of the list that are new
}

// segment writes a segment in its dialect, and reads it again.
func (run *replayRun) segment(at formats.Position, s replay.Segment) (written, error) {
	name := cmp.Or(s.Conversation.Spelled, s.Conversation.Dialect)
	w := written{payload: s.Record, spans: run.settings.LossSpans}
	if to := run.settings.To; to != "" {
		out, err := formats.Convert(s.Conversation, to)
		if err != nil {
			return w, err
		}
		run.compaction.losses.add(out.Loss)
		run.compaction.mended.add(out.Mended)
		name, w.payload = to, out.Payload
	}
	var err error
	if w.conv, err = readAs(at, w.payload, name); err != nil {
		return w, err
	}
	if held, ok := w.conv.LossSpans(); ok { // a segment of an earlier replay: what was old then is not new now
		w.spans, w.fresh = true, overlap(held, lastSpan(w.conv, s.End-s.Start))
		return w, nil
	}
	if !w.spans {
		return w, nil
	}
	if bytes.Equal(w.payload, s.Record) {
		w.fresh = lastSpan(w.conv, s.End-s.Start)
		return w, nil
	}
	w.fresh, err = run.trace(at, s, w.conv, name)
	return w, err
}

// readAs reads what was written.
func readAs(at formats.Position, payload []byte, name string) (*formats.Conversation, error) {
	dialect, err := namedDialect(name)
	if err != nil {
		return nil, err
	}
	conv, err := formats.DecodeAs(formats.Record{Pos: at, Raw: payload}, dialect)
	if err != nil {
		return nil, fmt.Errorf("internal error: the output cannot be read back: %w", err)
	}
	return conv, nil
}

// Record is told of every record, in order: the pipeline's observer.
func (run *replayRun) Record(rec formats.Record, out pipeline.Outcome) error {
	done, ok := out.Row.(replayedRow)
	if !ok { // the container or the pipeline found the fault
		done.row = report.RejectRow(out.Reject)
	}
	if done.skipped {
		return nil
	}
	row := done.row
	if err := run.mind(rec, out, row); err != nil {
		return err
	}
	run.builder.Add(row)
	run.defaulted = run.defaulted || done.timeline != nil && row.ContextSource == "default: no model named"
	run.count(row)
	if done.timeline == nil {
		return nil
	}
	run.timelines.Add(*done.timeline)
	run.notice(done.timeline.Model)
	if len(run.forms)+len(run.rows) == 0 {
		return nil
	}
	line, err := report.AppendTimelineRow(nil, *done.timeline)
	if err != nil {
		return err
	}
	for _, form := range run.forms {
		if err := form.Add(line); err != nil {
			return err
		}
	}
	for _, w := range run.rows {
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// notice says once that prompts are cached without being asked for.
func (run *replayRun) notice(model string) {
	if run.noticed || run.settings.Quiet || !cachedByItself(model) {
		return
	}
	run.noticed = true
	text := promptcache.Notice(promptcache.ProviderOf(model), promptcache.TTL(run.settings.CacheTTL))
	_, _ = fmt.Fprintf(run.console, "ctxpack: %s\n", text) // a notice is decoration
}

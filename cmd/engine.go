package cmd

import (
	"context"
	"fmt"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/summarize"
)

// newEngine makes the engine that the settings ask for, when it needs no model.
func newEngine(s *Settings, meter *compress.Meter) (compress.Runner, error) {
	entry, err := summarizerEntryOf(s.Summarizer)
	switch {
	case err != nil:
		return compress.Runner{}, err
	case entry.client != nil:
		return compress.Runner{}, usageError(fmt.Errorf("--summarizer %s calls a model: only compact does that", s.Summarizer), "--summarizer extractive")
	case entry.make == nil:
		return newEngineWith(s, meter, nil)
	}
	return newEngineWith(s, meter, entry.make())
}

// newEngineWith makes an engine whose summaries writer writes; nil for none.
func newEngineWith(s *Settings, meter *compress.Meter, writer summarize.Summarizer) (compress.Runner, error) {
	registry := &compress.Registry{}
	for _, e := range engines(engineParts{s, meter, writer}) {
		registry.Add(e)
	}
	if s.Engine.open != nil {
		meter.MediaTokens = int(s.MediaTokens)
		return compress.Runner{Engine: s.Engine.open, Meter: meter, Focus: s.Summaries.Focus}, nil
	}
	entry, err := registry.Resolve(s.Engine.Name)
	if err != nil && entry.New == nil {
		return compress.Runner{}, err
	}
	engine, err := entry.New() // without openEngine, which commands that compact nothing have no need of, the built-in one
	return compress.Runner{Engine: engine, Meter: meter, Focus: s.Summaries.Focus}, err
}

// engineParts is what engines are made of.
type engineParts struct {
	settings *Settings
	meter    *compress.Meter
	writer   summarize.Summarizer // nil for no summaries
}

// newCompressor makes the built-in engine. The settings of section compression are its own.
func newCompressor(p engineParts) (compress.Engine, error) {
	s := p.settings
	o := compress.Options{
		Disabled: !s.Enabled, Threshold: s.Threshold.Ratio, TargetRatio: s.TargetRatio,
		ProtectFirst: s.ProtectFirst, ProtectLast: s.ProtectLast,
		Strategy: compress.Strategy(s.Strategy), Window: int(s.Fit),
		Prune: compress.PruneStyle(s.Prune), KeepTools: s.KeepTools, TailOverflow: compress.Overflow(s.TailOverflow),
		LedgerTokens: orNone(s.LedgerTokens), SummaryCap: int(s.MaxSummaryTokens), MediaTokens: orNone(s.MediaTokens),
		NoNote: !s.Note, NoRedact: !s.Summaries.Redact,
	}
	if s.Threshold.Tokens > 0 {
		o.Threshold = float64(s.Threshold.Tokens)
	}
	if s.SummaryRole != "auto" {
		o.SummaryRole = s.SummaryRole
	}
	o.NoSummary = p.writer == nil
	return compress.NewCompressor(o, p.meter, p.writer)
}

// orNone spells an explicit 0 for options in which 0 is the default.
func orNone(n int64) int {
	if n == 0 {
		return -1
	}
	return int(n)
}

// firing is an engine that compacts whatever it is given.
type firing struct{ compress.Engine }

// NewSession starts a session that fires.
func (e firing) NewSession(ctx context.Context, info compress.SessionInfo) (compress.Session, error) {
	session, err := e.Engine.NewSession(ctx, info)
	return firingSession{session}, err
}

type firingSession struct{ compress.Session }

// ShouldCompress is always true.
func (firingSession) ShouldCompress(context.Context, int) (bool, error) { return true, nil }

// End ends the session.
func (s firingSession) End(ctx context.Context) error { return compress.EndSession(ctx, s.Session) }

package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/ctxpack/ctxpack/compress"
)

// Clock is when a run began and ended, and the settings that only change how fast it goes.
type Clock struct {
	Start, End time.Time
	Settings   []Setting
}

// Report is the report of the rows so far. It shares nothing with the builder. The command may still set
// Failures.RejectsFile and Failures.Rerun.
func (b *Builder) Report(header Header, clock Clock) Report {
	if header.SettingsSHA256 == "" {
		header.SettingsSHA256 = HashSettings(header.Settings)
	}
	header.Settings = append([]Setting{}, header.Settings...)
	header.Inputs = b.withTotals(header.Inputs)
	r := Report{
		SchemaVersion: SchemaVersion,
		Header:        header,
		Records:       b.records,
		Sizes:         Sizes{b.sizesBefore.Distribution(), b.sizesAfter.Distribution()},
		Fits:          []Fit{},
		Roles:         b.roles,
		Tools:         b.tools.tools(listed),
		Saved:         b.saved(),
		Summaries:     b.summaries,
		Models:        b.modelUses(),
		Dialects:      b.dialects.counts(listed),
		UnknownRoles:  b.unknownRoles.counts(listed),
		Failures:      b.kinds(),
		Worst:         Worst{b.largestBefore.all(), b.largestAfter.all(), b.leastGained.all()},
		Scatter:       b.scatter.cells(),
	}
	r.Records.Statuses = slices.Clone(b.statuses)
	r.Records.Stubs = b.actionTotal(compress.ActionStub).Count
	r.Records.RemovedResults = b.actionTotal(compress.ActionRemove).Count
	r.Summaries.Models, r.Summaries.Warnings = b.writers.counts(listed), b.warnings.counts(listed)
	for i, w := range b.windows {
		f := b.fits[i]
		all := b.records.Conversations
		r.Fits = append(r.Fits, Fit{w, f.before, f.after, round(share(f.before, all), 4), round(share(f.after, all), 4)})
	}
	r.Excerpts = b.excerpts.of(r.Worst.LargestBefore, r.Worst.LargestAfter, r.Worst.LeastGained)
	b.hermes(&r)
	r.Processing = b.processing(clock)
	return r
}

func (b *Builder) actionTotal(kind compress.ActionKind) ActionTotal {
	if t, ok := b.actions.at[kind]; ok {
		return *t
	}
	return ActionTotal{}
}

// saved puts the actions into phases. What no action accounts for is the phase "other".
func (b *Builder) saved() Saved {
	s := Saved{Total: b.tokens.before - b.tokens.after}
	rest := s.Total
	kinds := b.actions.sorted(maxKinds, func(aKind compress.ActionKind, x *ActionTotal, bKind compress.ActionKind, y *ActionTotal) int {
		return cmp.Or(cmp.Compare(y.Saved, x.Saved), cmp.Compare(aKind, bKind))
	}, func(*ActionTotal) {})
	for _, name := range phases() {
		p := Phase{Name: name, Actions: []ActionTotal{}}
		for _, kind := range kinds {
			if phaseOf(kind) == name {
				t := b.actionTotal(kind)
				t.Kind = kind
				p.Actions = append(p.Actions, t)
				p.Tokens += t.Saved
			}
		}
		if name == PhaseOther {
			p.Tokens = rest
		}
		rest -= p.Tokens
		s.Phases = append(s.Phases, p)
	}
	return s
}

func (b *Builder) modelUses() Models {
	m := Models{Distinct: len(b.models.at), Capped: b.models.full, List: []ModelUse{}}
	keys := b.models.sorted(listed, func(x ModelUse, n *int64, y ModelUse, k *int64) int {
		return cmp.Or(cmp.Compare(*k, *n), cmp.Compare(x.Model, y.Model),
			cmp.Compare(x.ContextLength, y.ContextLength), cmp.Compare(x.Source, y.Source))
	}, func(n *int64) { m.Other += *n })
	for _, use := range keys {
		use.Records = *b.models.at[use]
		m.List = append(m.List, use)
	}
	return m
}

func (b *Builder) kinds() Failures {
	f := Failures{Kinds: []Failure{}}
	keys := b.failures.sorted(maxKinds, func(x failureKind, a *Failure, y failureKind, c *Failure) int {
		return cmp.Or(cmp.Compare(c.Records, a.Records), cmp.Compare(x.status, y.status),
			cmp.Compare(x.stage, y.stage), cmp.Compare(x.code, y.code))
	}, func(rest *Failure) { f.Other += rest.Records })
	for _, k := range keys {
		one := *b.failures.at[k]
		one.Status, one.Stage, one.Code = k.status, k.stage, k.code
		f.Kinds = append(f.Kinds, one)
	}
	return f
}

func (b *Builder) processing(clock Clock) Processing {
	p := Processing{
		StartTime: clock.Start.Format(time.RFC3339Nano), EndTime: clock.End.Format(time.RFC3339Nano),
		Settings: append([]Setting{}, clock.Settings...), Slowest: b.slowest.all(), Latency: b.latency.Distribution(),
	}
	seconds := clock.End.Sub(clock.Start).Seconds()
	p.DurationSeconds = round(seconds, 2)
	if seconds > 0 {
		p.ConversationsPerSecond = round(float64(b.records.Total)/seconds, 2)
		p.TokensPerSecond = round(float64(b.tokens.before)/seconds, 0)
	}
	for i := range p.Slowest {
		p.Slowest[i].Seconds = round(p.Slowest[i].Seconds, 3)
	}
	return p
}

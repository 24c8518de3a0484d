package report

import (
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
)

// Windows are the windows, in tokens, for which reports say how many conversations fit.
func Windows() []int {
	return []int{8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 256_000, 512_000, 1_000_000}
}

// Builder adds rows up. Its memory does not depend on how many rows there are: names are counted up to 10,000 distinct
// ones, distributions are histograms, and of single records only the worst are kept. One goroutine adds the rows, in
// input order.
type Builder struct {
	windows []int
	fits    []beforeAfter

	records    Records
	statuses   []StatusTotals
	compressed struct {
		records, saved, removed int64
		ratios                  float64
	}
	tokens, messages beforeAfter
	sizesBefore      Histogram
	sizesAfter       Histogram
	roles            RoleTotals
	tools            toolCounts
	actions          bounded[compress.ActionKind, ActionTotal]
	summaries        Summaries
	writers          nameCounts
	warnings         nameCounts
	models           bounded[ModelUse, int64]
	dialects         nameCounts
	unknownRoles     nameCounts
	failures         bounded[failureKind, Failure]
	files            bounded[string, FileTotals]
	scatter          scatter
	latency          Histogram // microseconds

	largestBefore, largestAfter, leastGained top[WorstRow]
	slowest                                  top[SlowRow]
	excerpts                                 excerpts
}

type beforeAfter struct{ before, after int64 }

type failureKind struct {
	status      compress.Status
	stage, code string
}

// NewBuilder makes a builder. windows are counted beside the usual ones of Windows: that of `--fit`, a context length.
// Those below 1 are ignored.
func NewBuilder(windows ...int) *Builder {
	b := &Builder{
		windows:       withWindows(windows),
		tools:         newToolCounts(),
		actions:       newBounded[compress.ActionKind, ActionTotal](maxKinds),
		writers:       newNameCounts(maxDistinct),
		warnings:      newNameCounts(maxDistinct / 10),
		models:        newBounded[ModelUse, int64](maxDistinct),
		dialects:      newNameCounts(maxDistinct / 10),
		unknownRoles:  newNameCounts(maxDistinct),
		failures:      newBounded[failureKind, Failure](maxKinds),
		files:         newBounded[string, FileTotals](maxDistinct),
		scatter:       newScatter(),
		largestBefore: top[WorstRow]{n: worstRows, before: func(a, b *WorstRow) bool { return a.TokensBefore > b.TokensBefore }},
		largestAfter:  top[WorstRow]{n: worstRows, before: func(a, b *WorstRow) bool { return a.TokensAfter > b.TokensAfter }},
		leastGained:   top[WorstRow]{n: worstRows, before: gainedLess},
		slowest:       top[SlowRow]{n: worstRows, before: func(a, b *SlowRow) bool { return a.Seconds > b.Seconds }},
	}
	b.fits = make([]beforeAfter, len(b.windows))
	for _, s := range compress.Statuses() {
		b.statuses = append(b.statuses, StatusTotals{Status: s})
	}
	return b
}

// withWindows is the usual windows and more, ascending.
func withWindows(more []int) []int {
	all := append(Windows(), more...)
	all = slices.DeleteFunc(all, func(w int) bool { return w < 1 })
	slices.Sort(all)
	return slices.Compact(all)
}

// gainedLess orders by the share of tokens saved, then the larger conversation first.
func gainedLess(a, b *WorstRow) bool {
	// after/before of a against that of b, without division; products of tokens of single records fit an int64
	x, y := a.TokensAfter*b.TokensBefore, b.TokensAfter*a.TokensBefore
	return x > y || x == y && a.TokensBefore > b.TokensBefore
}

// Add adds one record.
func (b *Builder) Add(row Row) {
	b.records.Total++
	b.status(&row)
	b.file(&row)
	if row.Elapsed > 0 {
		b.latency.Add(row.Elapsed.Microseconds())
	}
	if row.Dialect != "" {
		b.dialects.add(row.Dialect, row.Marker, 1)
	}
	for _, c := range row.UnknownRoles {
		b.unknownRoles.add(c.Name, "", c.Count)
	}
	if row.Status == compress.Rejected || row.Status == compress.Failed {
		b.failure(&row)
	}
	if row.Elapsed > 0 && (len(b.slowest.list) < worstRows || row.Elapsed.Seconds() > b.slowest.list[worstRows-1].Seconds) {
		b.slowest.add(SlowRow{row.worst(), row.Elapsed.Seconds()})
	}
	switch {
	case row.Status == compress.Rejected:
	case row.NoConversation:
		b.records.NoConversation++
	default:
		b.conversation(&row)
	}
}

// status counts the record under its status.
func (b *Builder) status(row *Row) {
	for i := range b.statuses {
		if s := &b.statuses[i]; s.Status == row.Status {
			s.Records++
			if row.Status != compress.Rejected {
				s.TokensBefore += row.TokensBefore
				s.TokensAfter += row.TokensAfter
			}
		}
	}
}

// conversation adds what only conversations have.
func (b *Builder) conversation(row *Row) {
	b.records.Conversations++
	count(&b.records.OverLimit, row.OverLimit)
	count(&b.records.HeadShortened, row.HeadShortened)
	count(&b.records.Adapted, row.Adapted)
	count(&b.records.Refused, row.Refused != "")
	b.tokens.before += row.TokensBefore
	b.tokens.after += row.TokensAfter
	b.messages.before += row.MessagesBefore
	b.messages.after += row.MessagesAfter
	b.sizesBefore.Add(row.TokensBefore)
	b.sizesAfter.Add(row.TokensAfter)
	b.scatter.add(row)
	for i, w := range b.windows {
		count(&b.fits[i].before, row.TokensBefore <= int64(w))
		count(&b.fits[i].after, row.TokensAfter <= int64(w))
	}
	b.roles.Before.add(row.RolesBefore)
	b.roles.After.add(row.RolesAfter)
	for _, t := range row.Tools {
		b.tools.of(t.Name).add(t)
	}
	*b.models.of(ModelUse{Model: row.Model, ContextLength: row.ContextLength, Source: row.ContextSource, Threshold: row.Threshold})++
	if row.Status.Changed() {
		b.gain(row)
	}
	b.rank(row)
}

// gain adds what compaction did.
func (b *Builder) gain(row *Row) {
	b.compressed.records++
	b.compressed.saved += row.TokensBefore - row.TokensAfter
	b.compressed.removed += row.MessagesBefore - row.MessagesAfter
	b.compressed.ratios += share(row.TokensAfter, row.TokensBefore)
	repaired := false
	for _, a := range row.Actions {
		t := b.actions.of(a.Kind)
		t.Count += a.Count
		t.Saved += a.Saved
		repaired = repaired || phaseOf(a.Kind) == PhaseRepairs
	}
	count(&b.records.Repaired, repaired)
	if row.Summary != nil {
		b.summary(row.Summary)
	}
}

func (b *Builder) summary(s *RowSummary) {
	t := &b.summaries
	t.Count++
	t.Calls += int64(s.Calls)
	t.Retries += int64(s.Retries)
	count(&t.Cached, s.Cached)
	count(&t.Shortened, s.Level > 0)
	t.TextTokens += int64(s.Tokens)
	t.ReplacedTokens += int64(s.Source)
	t.PromptTokens += int64(s.PromptTokens)
	t.CompletionTokens += int64(s.CompletionTokens)
	t.CacheReadTokens += int64(s.CacheReadTokens)
	if s.Model != "" {
		b.writers.add(s.Model, "", 1)
	}
	for _, w := range s.Warnings {
		b.warnings.add(w, "", 1)
	}
}

func (b *Builder) failure(row *Row) {
	if row.Status == compress.Failed && strings.HasPrefix(row.Code, "summary") {
		b.summaries.Failed++
	}
	f := b.failures.of(failureKind{row.Status, string(row.Stage), row.Code})
	if f.Records++; f.Records == 1 {
		f.Example = Example{row.File, row.Line, row.Index, row.Column, row.Reason, row.Place}
	}
}

// rank looks whether the record is one of the worst. The short form is only made for those that are.
func (b *Builder) rank(row *Row) {
	full := func(t *top[WorstRow]) *WorstRow {
		if len(t.list) < t.n {
			return nil
		}
		return &t.list[t.n-1]
	}
	entered := false
	if last := full(&b.largestBefore); last == nil || row.TokensBefore > last.TokensBefore {
		b.largestBefore.add(row.worst())
		entered = true
	}
	if last := full(&b.largestAfter); last == nil || row.TokensAfter > last.TokensAfter {
		b.largestAfter.add(row.worst())
		entered = true
	}
	if row.Status != compress.Untouched && row.Status != compress.Failed {
		if last := full(&b.leastGained); last == nil || row.TokensAfter*last.TokensBefore >= last.TokensAfter*row.TokensBefore {
			b.leastGained.add(row.worst())
			entered = true
		}
	}
	if entered {
		b.excerpts.add(row, &b.largestBefore, &b.largestAfter, &b.leastGained)
	}
}

func count(n *int64, is bool) {
	if is {
		*n++
	}
}

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/promptcost"
	"github.com/ctxpack/ctxpack/compress/replay"
)

// TimelineKind is the kind that the JSON form of a timeline names; a report of `ctxpack compact` names none.
const TimelineKind = "timeline"

// Timeline is everything that is said about a run of `ctxpack replay`. Tokens are counted with Header.Tokenizer unless
// they are said to be the provider's. Its JSON form has the timelines of all conversations as well (TimelineFile).
//
// Tokens before and after in Records and in Header.Inputs are those of the prompts of all calls: without compaction, and
// with it.
type Timeline struct {
	SchemaVersion string `json:"schema_version"`
	Kind          string `json:"kind"` // TimelineKind

	Header     TimelineHeader `json:"header"`
	Totals     TimelineTotals `json:"totals"`
	Records    Records        `json:"records"`
	Models     Models         `json:"models"`
	Summaries  Summaries      `json:"summaries"`
	Failures   Failures       `json:"failures"`
	Processing Processing     `json:"processing"` // all that depends on time

	Shown []TimelineRow `json:"-"` // those with the most compactions, then those with the most tokens
}

// TimelineHeader says what was run, on what, and by which numbers.
type TimelineHeader struct {
	Header
	Engine string `json:"engine"`
}

// TimelineTotals adds the conversations up, those that failed included. Tokens are those of all calls together.
type TimelineTotals struct {
	Conversations int64 `json:"conversations"`
	Compacted     int64 `json:"compacted"`  // conversations with a compaction
	OverLimit     int64 `json:"over_limit"` // conversations with a prompt larger than the context length
	Messages      int64 `json:"messages"`
	Segments      int64 `json:"segments"` // records written
	Calls         int64 `json:"calls"`
	Compactions   int64 `json:"compactions"`

	Prompt         int64 `json:"prompt_tokens"`
	Uncompacted    int64 `json:"uncompacted_tokens"` // of prompts, had nothing been compacted
	Completion     int64 `json:"completion_tokens"`
	Reported       int64 `json:"reported_tokens"`        // of prompts, as the provider counted them, where it did
	ReportedCached int64 `json:"reported_cached_tokens"` // of these, read from its cache

	Largest            int64 `json:"largest_prompt"`
	LargestUncompacted int64 `json:"largest_uncompacted_prompt"`

	Caching TimelineCaching `json:"caching"`

	Layers []LayerTotals `json:"layers"` // always all of them, in the order of replay.LayerHygiene, LayerEngine, LayerPressure
}

// TimelineCaching is what the calls cost with and without prompt caching.
type TimelineCaching struct {
	TTL string `json:"ttl"` // the lifetime that the drawn forms speak of: "5m" or "1h"
	replay.Caching
}

// chosen is the way of caching that TTL names.
func (c TimelineCaching) chosen() promptcost.Caching {
	if c.TTL == "1h" {
		return promptcost.OneHour
	}
	return promptcost.FiveMinutes
}

// cost is what an account comes to, in input tokens that cost as much: without caching, and with it.
func (c TimelineCaching) cost(a promptcost.Account) (without, with int64) {
	return int64(a.NoCaching.Equivalents + 0.5), int64(a.Of(c.chosen()).Equivalents + 0.5)
}

// LayerTotals is what one layer did. Tokens are those of its compactions together.
type LayerTotals struct {
	Layer       replay.Layer `json:"layer"`
	Events      int64        `json:"events"`
	Compactions int64        `json:"compactions"` // events that came to something
	Before      int64        `json:"before"`
	After       int64        `json:"after"`
	Pruned      int64        `json:"pruned"`     // saved by pruning old tool results
	Summarized  int64        `json:"summarized"` // saved by summaries
}

// TimelineRow is one conversation: a line of `--report FILE.jsonl`, and an element of the JSON form.
type TimelineRow struct {
	File      string          `json:"file"`
	Line      int64           `json:"line,omitempty"`  // 1-based; 0 where lines mean nothing
	Index     int64           `json:"index"`           // 0-based
	Place     string          `json:"place,omitempty"` // "file[row].column" where a row of a table holds several records
	Status    compress.Status `json:"status"`
	OverLimit bool            `json:"over_limit,omitempty"`
	Code      string          `json:"code,omitempty"`   // failed
	Reason    string          `json:"reason,omitempty"` // failed, in words

	replay.Timeline
}

// NewTimelineRow takes the facts of a record that was replayed. Nothing of the record is kept.
func NewTimelineRow(row Row, t replay.Timeline) TimelineRow {
	t.ID, t.Model = own(t.ID, maxName), own(t.Model, maxName)
	t.Turns, t.Events = append([]replay.Turn{}, t.Turns...), append([]replay.Event{}, t.Events...)
	for i := range t.Events {
		t.Events[i].Reason = own(t.Events[i].Reason, maxMessage)
	}
	return TimelineRow{
		File: row.File, Line: row.Line, Index: row.Index, Place: row.Place, Status: row.Status, OverLimit: row.OverLimit,
		Code: row.Code, Reason: row.Reason, Timeline: t,
	}
}

// address is where the conversation stands.
func (r *TimelineRow) address() string {
	if r.Place != "" {
		return r.Place
	}
	return Example{File: r.File, Line: r.Line, Index: r.Index}.address()
}

// AppendTimelineRow appends the row as one line of JSON, without line end.
func AppendTimelineRow(dst []byte, row TimelineRow) ([]byte, error) {
	line, err := json.Marshal(row)
	if err != nil {
		return dst, fmt.Errorf("report: %w", err)
	}
	return append(dst, escapeInvisible(line)...), nil
}

// shownTimelines is how many conversations the drawn forms speak of: so many timelines are kept in memory.
const shownTimelines = 50

// addAccount adds b to a.
func addAccount(a *promptcost.Account, b promptcost.Account) {
	a.Calls += b.Calls
	a.Prompt += b.Prompt
	a.Output += b.Output
	for _, c := range []struct{ to, from *promptcost.Cost }{
		{&a.NoCaching, &b.NoCaching}, {&a.FiveMinutes, &b.FiveMinutes}, {&a.OneHour, &b.OneHour},
	} {
		c.to.Written += c.from.Written
		c.to.Read += c.from.Read
		c.to.Uncached += c.from.Uncached
		c.to.Equivalents += c.from.Equivalents
	}
}

// TimelineBuilder adds conversations up. It keeps the timelines of the 50 that are most worth looking at; everything else
// takes constant memory. One goroutine adds, in input order.
type TimelineBuilder struct {
	totals    TimelineTotals
	summaries struct{ count, tokens, source int64 }
	shown     top[TimelineRow]
}

// NewTimelineBuilder makes a builder. cacheTTL is the lifetime of cached prompts that the drawn forms speak of.
func NewTimelineBuilder(cacheTTL string) *TimelineBuilder {
	b := &TimelineBuilder{shown: top[TimelineRow]{n: shownTimelines, before: moreToSee}}
	b.totals.Caching.TTL = cacheTTL
	for _, layer := range []replay.Layer{replay.LayerHygiene, replay.LayerEngine, replay.LayerPressure} {
		b.totals.Layers = append(b.totals.Layers, LayerTotals{Layer: layer})
	}
	return b
}

// moreToSee orders by compactions, then by tokens.
func moreToSee(a, b *TimelineRow) bool {
	x, y := a.Totals, b.Totals
	return cmp.Or(cmp.Compare(y.Compactions, x.Compactions), cmp.Compare(y.Uncompacted, x.Uncompacted)) < 0
}

// Add adds one conversation that was written.
func (b *TimelineBuilder) Add(row TimelineRow) {
	t, s := &b.totals, row.Totals
	t.Conversations++
	count(&t.Compacted, s.Compactions > 0)
	count(&t.OverLimit, row.OverLimit)
	t.Messages += int64(row.Messages)
	t.Segments += int64(row.Segments)
	t.Calls += int64(s.Calls)
	t.Compactions += int64(s.Compactions)
	t.Prompt += s.Prompt
	t.Uncompacted += s.Uncompacted
	t.Completion += s.Completion
	t.Reported += s.Reported
	t.ReportedCached += s.ReportedCached
	addAccount(&t.Caching.Compacted, s.Caching.Compacted)
	addAccount(&t.Caching.Uncompacted, s.Caching.Uncompacted)
	t.Largest = max(t.Largest, int64(s.Largest))
	for _, turn := range row.Turns {
		t.LargestUncompacted = max(t.LargestUncompacted, int64(turn.Original))
	}
	for _, e := range row.Events {
		b.event(e)
	}
	b.shown.add(row)
}

func (b *TimelineBuilder) event(e replay.Event) {
	i := slices.IndexFunc(b.totals.Layers, func(l LayerTotals) bool { return l.Layer == e.Layer })
	if i < 0 {
		return
	}
	l := &b.totals.Layers[i]
	l.Events++
	if !e.Status.Changed() {
		return
	}
	l.Compactions++
	l.Before += int64(e.Before)
	l.After += int64(e.After)
	l.Pruned += int64(e.Pruned)
	l.Summarized += int64(e.Summarized)
	if e.Summary > 0 {
		b.summaries.count++
		b.summaries.tokens += int64(e.Summary)
		b.summaries.source += int64(e.Summary + e.Summarized)
	}
}

// Timeline completes the report of a run. run is what a Builder says of the same records, with the tokens of prompts as
// tokens before and after.
func (b *TimelineBuilder) Timeline(run *Report, engine string) Timeline {
	t := Timeline{
		SchemaVersion: SchemaVersion, Kind: TimelineKind,
		Header: TimelineHeader{Header: run.Header, Engine: engine}, Totals: b.totals, Records: run.Records, Models: run.Models,
		Summaries: run.Summaries, Failures: run.Failures, Processing: run.Processing, Shown: b.shown.all(),
	}
	t.Totals.Layers = slices.Clone(b.totals.Layers)
	// The builder of the run knows one summary a record, the last one.
	t.Summaries.Count, t.Summaries.TextTokens, t.Summaries.ReplacedTokens = b.summaries.count, b.summaries.tokens, b.summaries.source
	return t
}

// TimelineFile writes the JSON form while the run goes on: however many conversations there are, none is kept.
type TimelineFile struct {
	w   io.Writer
	any bool
}

// NewTimelineFile begins a file. Add, then Close once.
func NewTimelineFile(w io.Writer) *TimelineFile { return &TimelineFile{w: w} }

// Add writes one conversation, as AppendTimelineRow spells it.
func (f *TimelineFile) Add(line []byte) error {
	lead := ",\n    "
	if !f.any {
		lead = timelineStart() + "\n    "
	}
	f.any = true
	_, err := f.w.Write(append([]byte(lead), line...))
	return err
}

func timelineStart() string {
	return fmt.Sprintf("{\n  %q: %q,\n  %q: %q,\n  %q: [", "schema_version", SchemaVersion, "kind", TimelineKind, "conversations")
}

// Close writes everything else. It leaves the writer open.
func (f *TimelineFile) Close(t *Timeline) error {
	rest := struct {
		Header     TimelineHeader `json:"header"`
		Totals     TimelineTotals `json:"totals"`
		Records    Records        `json:"records"`
		Models     Models         `json:"models"`
		Summaries  Summaries      `json:"summaries"`
		Failures   Failures       `json:"failures"`
		Processing Processing     `json:"processing"`
	}{t.Header, t.Totals, t.Records, t.Models, t.Summaries, t.Failures, t.Processing}
	lead := "\n  ],"
	if !f.any {
		lead = timelineStart() + "],"
	}
	if _, err := io.WriteString(f.w, lead); err != nil {
		return err
	}
	return writeData(&afterBrace{w: f.w}, rest)
}

// afterBrace drops the first byte written: the brace of an object that goes on with another's members.
type afterBrace struct {
	w    io.Writer
	done bool
}

// Write writes.
func (a *afterBrace) Write(data []byte) (int, error) {
	if a.done || len(data) == 0 {
		return a.w.Write(data)
	}
	a.done = true
	n, err := a.w.Write(data[1:])
	return n + 1, err
}

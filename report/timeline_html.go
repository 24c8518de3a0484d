package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/replay"
)

// openCharts is how many conversations are drawn before the others are folded.
const openCharts = 8

// WriteTimelineHTML writes the timeline as one self-contained HTML file: it loads nothing, runs no script (a content
// security policy says so to the browser), and texts from files stand in it as text only, whatever they hold.
func WriteTimelineHTML(w io.Writer, t *Timeline) error {
	page, err := newTimelinePage(t)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	files, err := template.ParseFS(htmlFiles, "html/timeline.gotmpl", "html/page.gotmpl")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var out bytes.Buffer
	if err := files.Execute(&out, page); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// timelinePage is what the template draws. Texts in it are visible; the template escapes them.
type timelinePage struct {
	Title, Tool, Subtitle string

	Policy string
	Style  template.CSS

	Hero    heroData
	Tiles   []tile
	Layers  *barTable
	Caching *barTable
	Table   []conversationHTML
	Rest    string
	Open    []conversationHTML
	Folded  []conversationHTML
	Trouble troubleData
	Facts   []tile
	Tables  []plainTable
}

// conversationHTML is one conversation.
type conversationHTML struct {
	At, ID, Status, Class, Figures                string
	Calls, Compactions, Segments, Largest         string
	Uncompacted, Prompt, Change, Limits, Provider string

	Over   bool
	Chart  template.HTML
	Key    []keyEntry
	Events []eventHTML
	Count  string // of all events
	More   string // events that are not shown; "" for none
}

type eventHTML struct {
	Number, Call, Layer, Class, Reached, Before, After, Pruned, Summarized, Summary string
}

func newTimelinePage(t *Timeline) (*timelinePage, error) {
	style, err := htmlFiles.ReadFile("html/style.css")
	if err != nil {
		return nil, err
	}
	own, err := htmlFiles.ReadFile("html/timeline.css")
	if err != nil {
		return nil, err
	}
	r := t.asReport()
	p := &timelinePage{
		Tool:     clip(t.Header.Tool+" "+t.Header.Version, 60),
		Subtitle: clip(t.Header.Command, 40) + " · " + visible(day(t.Processing.StartTime)),
		Policy:   "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
		Style:    template.CSS(append(style, own...)),
		Hero:     t.hero(), Tiles: t.tiles(), Layers: t.layersTable(), Caching: t.cachingTable(),
		Trouble: trouble(r), Facts: facts(r), Tables: runTables(r),
	}
	if t.Header.ContextEngine == nil { // else it stands among the facts
		p.Facts = append(p.Facts, tile{Name: "context engine", Value: orDash(clip(t.Header.Engine, 40))})
	}
	p.Title = fmt.Sprintf("%s replay: %s prompt tokens", clip(t.Header.Tool, 20), p.Hero.Change)
	for i := range t.Shown {
		c := conversationOf(&t.Shown[i])
		p.Table = append(p.Table, c)
		switch {
		case c.Chart == "":
		case len(p.Open) < openCharts:
			p.Open = append(p.Open, c)
		default:
			p.Folded = append(p.Folded, c)
		}
	}
	if rest := t.Totals.Conversations - int64(len(t.Shown)); rest > 0 {
		p.Rest = grouped(rest)
	}
	return p, nil
}

// hero is what compaction did to the prompts of all calls.
func (t *Timeline) hero() heroData {
	s := t.Totals
	u := unitOf(max(s.Uncompacted, s.Prompt))
	d := heroData{
		Change: strings.Replace(change(s.Uncompacted, s.Prompt), "-", "−", 1), Grew: s.Prompt > s.Uncompacted,
		Before: in(s.Uncompacted, u), After: in(s.Prompt, u), Conversations: plural(s.Calls, "call") + " of " + plural(s.Conversations, "conversation"),
	}
	most := float64(max(s.Uncompacted, s.Prompt, 1))
	b := newDecoration("hero-bar", 26)
	b.rect("track", 0, 1, 0, 26, "")
	b.rect("after", 0, float64(s.Prompt)/most, 0, 26, "")
	d.Bar = b.end()
	d.Key = []keyEntry{{"after", "sent", percent(s.Prompt, s.Uncompacted)}}
	if s.Prompt < s.Uncompacted {
		d.Key = append(d.Key, keyEntry{"track", "never sent", percent(s.Uncompacted-s.Prompt, s.Uncompacted)})
	}
	return d
}

func (t *Timeline) tiles() []tile {
	s := t.Totals
	list := []tile{
		{Name: "compactions", Value: grouped(s.Compactions), Note: "in " + plural(s.Compacted, "conversation")},
		{Name: "segments", Value: grouped(s.Segments), Note: "one for each context window"},
		{Name: "largest prompt", Value: grouped(s.Largest), Note: "without compaction " + grouped(s.LargestUncompacted)},
	}
	if c := s.Caching; c.Compacted.Prompt > 0 {
		without, with := c.cost(c.Compacted)
		list = append(list, tile{Name: "a prompt cache saves", Value: strings.TrimPrefix(change(without, with), "-"), Note: "of the price of prompts, at " + clip(c.TTL, 4)})
	}
	if s.Reported > 0 {
		list = append(list, tile{Name: "counted by the provider", Value: short(s.Reported), Note: percent(s.ReportedCached, s.Reported) + " from its cache"})
	}
	if s.OverLimit > 0 {
		list = append(list, tile{Name: "over the window", Value: grouped(s.OverLimit), Note: "conversations with a prompt that does not fit", Class: "warn"})
	}
	if bad := t.Records.Of(compress.Rejected).Records + t.Records.Of(compress.Failed).Records; bad > 0 {
		list = append(list, tile{Name: "rejected or failed", Value: grouped(bad), Note: "set aside, or one segment as they came", Class: "warn"})
	}
	return list
}

// layersTable is what each layer did: the window before and after its compactions.
func (t *Timeline) layersTable() *barTable {
	table := &barTable{ID: "h-layers", Title: "Who compacted", Label: "layer", Key: beforeAfterKey(), Columns: []string{"times", "before", "after"}}
	most := int64(1)
	for _, l := range t.Totals.Layers {
		most = max(most, l.Before)
	}
	var vain int64
	for _, l := range t.Totals.Layers {
		if l.Layer == replay.LayerPressure {
			if l.Events > 0 {
				table.Note = plural(l.Events, "warning") + " at 85 % of the threshold. "
			}
			continue
		}
		vain += l.Events - l.Compactions
		table.Rows = append(table.Rows, barRow{Name: layerName(l.Layer), Bar: twoBars(float64(l.Before), float64(l.After), float64(most)),
			Values: []string{grouped(l.Compactions), short(l.Before), short(l.After)}})
	}
	if vain > 0 {
		table.Note += plural(vain, "attempt") + " came to nothing."
	}
	return table
}

// cachingTable is what prompts cost in each way to run.
func (t *Timeline) cachingTable() *barTable {
	c := t.Totals.Caching
	if c.Compacted.Prompt == 0 {
		return nil
	}
	table := &barTable{
		ID: "h-caching", Title: "What a prompt cache saves", Label: "cache",
		About: "Anthropic's prompt caching: what the prompts cost, in input tokens that cost as much.",
		Key:   []keyEntry{{Class: "before", Name: "without compaction"}, {Class: "after", Name: "with it"}}, Columns: []string{"without", "with"},
	}
	row := func(name string, strong bool, without, with float64) {
		table.Rows = append(table.Rows, barRow{Name: name, Strong: strong, Bar: twoBars(without, with, c.Uncompacted.NoCaching.Equivalents),
			Values: []string{short(int64(without + 0.5)), short(int64(with + 0.5))}})
	}
	row("none", false, c.Uncompacted.NoCaching.Equivalents, c.Compacted.NoCaching.Equivalents)
	row("5 minutes", c.TTL == "5m", c.Uncompacted.FiveMinutes.Equivalents, c.Compacted.FiveMinutes.Equivalents)
	row("1 hour", c.TTL == "1h", c.Uncompacted.OneHour.Equivalents, c.Compacted.OneHour.Equivalents)
	return table
}

func conversationOf(c *TimelineRow) conversationHTML {
	s := c.Totals
	h := conversationHTML{
		At: clipMiddle(c.address(), 60), ID: clip(c.ID, 48), Status: clip(statusName(c.Status), 30), Class: statusClass(c.Status), Over: c.OverLimit,
		Calls: grouped(int64(s.Calls)), Compactions: grouped(int64(s.Compactions)), Segments: grouped(int64(c.Segments)),
		Largest: grouped(int64(s.Largest)), Uncompacted: short(s.Uncompacted), Prompt: short(s.Prompt), Change: change(s.Uncompacted, s.Prompt),
		Figures: fmt.Sprintf("%s, %s, %s. Prompts %s → %s tokens (%s)", plural(int64(s.Calls), "call"), plural(int64(s.Compactions), "compaction"),
			plural(int64(c.Segments), "segment"), short(s.Uncompacted), short(s.Prompt), change(s.Uncompacted, s.Prompt)),
		Limits: fmt.Sprintf("Threshold %s, hygiene %s, window %s", grouped(int64(c.Threshold)), grouped(int64(c.Hygiene)), grouped(int64(c.ContextLength))),
	}
	if c.Usage != "counted" {
		h.Provider = clip(c.Usage, 60)
	}
	if c.ID == c.address() {
		h.ID = ""
	}
	if len(c.Turns) > 1 {
		h.Chart, h.Key = windowChart(c), windowKey(c)
	}
	for _, e := range numbered(c.Events) {
		h.Events = append(h.Events, eventHTML{
			Number: amount(e.number), Call: grouped(int64(e.Turn) + 1), Layer: layerName(e.Layer), Class: eventClass(e.Event),
			Reached: fmt.Sprintf("%s of %s", grouped(int64(e.Tokens)), grouped(int64(e.Limit))),
			Before:  amount(e.Before), After: amount(e.After), Pruned: amount(e.Pruned), Summarized: amount(e.Summarized), Summary: amount(e.Summary),
		})
	}
	h.Count = grouped(int64(len(c.Events)))
	if more := len(c.Events) - len(h.Events); more > 0 {
		h.More = grouped(int64(more))
	}
	return h
}

// windowKey explains the colours that a chart has.
func windowKey(c *TimelineRow) []keyEntry {
	list := []keyEntry{{Class: "line", Name: "tokens in the window"}}
	if c.Totals.Compactions > 0 {
		list = append(list, keyEntry{Class: "dashed", Name: "without compaction"})
	}
	for _, k := range []keyEntry{
		{Class: "engine", Name: "compaction by the engine"}, {Class: "hygiene", Name: "by hygiene"}, {Class: "vain", Name: "attempt in vain"}, {Class: "pressure", Name: "warning"},
	} {
		if slices.ContainsFunc(c.Events, func(e replay.Event) bool { return eventClass(e) == k.Class }) {
			list = append(list, keyEntry{Class: "e-" + k.Class, Name: k.Name})
		}
	}
	return list
}

// amount writes a number of tokens, nothing for none.
func amount(n int) string {
	if n == 0 {
		return ""
	}
	return grouped(int64(n))
}

// eventClass is the class that gives an event its colour.
func eventClass(e replay.Event) string {
	switch {
	case e.Layer == replay.LayerPressure:
		return "pressure"
	case !e.Status.Changed():
		return "vain"
	case e.Layer == replay.LayerHygiene:
		return "hygiene"
	}
	return "engine"
}

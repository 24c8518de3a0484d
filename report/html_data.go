package report

import (
	"html/template"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
)

type heroData struct {
	Change, Before, After, Conversations string

	Grew bool
	Bar  template.HTML
	Key  []keyEntry
}

// tile is a figure with its name.
type tile struct{ Name, Value, Note, Class string }

type sizesData struct {
	Chart  template.HTML
	Titles []string
	Rows   []struct {
		Class, Name string
		Values      []string
	}
}

type scatterData struct {
	Chart template.HTML
	Key   []keyEntry
	Other string
}

type summariesData struct {
	Tiles   []tile
	Latency template.HTML
}

// hero is the one figure that matters, and one bar: what is left, and what went where.
func hero(r *Report) heroData {
	before, after := r.Tokens.Before, r.Tokens.After
	u := unitOf(max(before, after))
	d := heroData{
		Change: strings.Replace(change(before, after), "-", "−", 1), Grew: after > before,
		Before: in(before, u), After: in(after, u), Conversations: plural(r.Records.Conversations, "conversation"),
	}
	most := float64(max(before, after, 1))
	s := newDecoration("hero-bar", 26)
	s.rect("track", 0, 1, 0, 26, "")
	s.rect("after", 0, float64(after)/most, 0, 26, "")
	d.Key = append(d.Key, keyEntry{"after", "left", percent(after, before)})
	at := float64(after) / most
	for _, p := range r.Saved.Phases {
		if width := float64(p.Tokens) / most; width > 0 {
			s.rect(phaseClass(p.Name), at, width, 0, 26, "")
			at += width
		}
	}
	for _, p := range r.Saved.Phases {
		if p.Tokens > 0 && share(p.Tokens, before) >= 0.001 {
			d.Key = append(d.Key, keyEntry{phaseClass(p.Name), phaseName(p.Name), percentSigned(-p.Tokens, before)})
		}
	}
	d.Bar = s.end()
	return d
}

func tiles(r *Report) []tile {
	all := r.Records.Conversations
	var list []tile
	if f, ok := fitWindow(r); ok {
		list = append(list, tile{Name: "fit " + windowName(f.Window), Value: percent(f.After, all), Note: "before " + percent(f.Before, all)})
	} else if pieces := fitPieces(r); pieces != nil {
		after := all - r.Records.OverLimit
		before := r.Records.Of(compress.Untouched).Records - r.Records.NoConversation
		list = append(list, tile{Name: "within their limits", Value: percent(after, all), Note: "before " + percent(before, all)})
	}
	list = append(list, tile{Name: "compacted", Value: grouped(r.Summary.Compressed), Note: "of " + plural(r.Records.Total, "record")})
	bad := r.Records.Of(compress.Rejected).Records + r.Records.Of(compress.Failed).Records
	t := tile{Name: "rejected or failed", Value: grouped(bad), Note: "left as they came, or set aside"}
	if bad > 0 {
		t.Class = "warn"
	} else {
		t.Note = "every record was understood"
	}
	list = append(list, t)
	if r.Summaries.Calls > 0 || r.Summaries.Cost > 0 {
		list = append(list, tile{Name: "calls of a model", Value: grouped(r.Summaries.Calls), Note: dollars(r.Summaries.Cost)})
	}
	p := r.Processing
	return append(list, tile{Name: "time", Value: took(p.DurationSeconds), Note: rate(p.ConversationsPerSecond) + " conversations/s"})
}

func sizes(r *Report) *sizesData {
	if r.Records.Conversations == 0 {
		return nil
	}
	d := &sizesData{Chart: sizesChart(r), Titles: []string{"smallest", "p50", "p90", "p95", "p99", "largest", "mean"}}
	for _, side := range []struct {
		name string
		d    Distribution
	}{{"before", r.Sizes.Before}, {"after", r.Sizes.After}} {
		s := side.d
		row := struct {
			Class, Name string
			Values      []string
		}{side.name, side.name, nil}
		for _, n := range []int64{s.Min, s.P50, s.P90, s.P95, s.P99, s.Max, s.Mean} {
			row.Values = append(row.Values, grouped(n))
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

func scatterOf(r *Report) *scatterData {
	if len(r.Scatter.Cells) == 0 {
		return nil
	}
	d := &scatterData{Chart: scatterChart(r)}
	seen := map[compress.Status]int64{}
	for _, c := range r.Scatter.Cells {
		seen[c.Status] += c.Count
	}
	for _, s := range compress.Statuses() {
		if seen[s] > 0 {
			d.Key = append(d.Key, keyEntry{statusClass(s), statusName(s), grouped(seen[s])})
		}
	}
	if r.Scatter.Other > 0 {
		d.Other = plural(r.Scatter.Other, "conversation") + " of rare sizes are not shown."
	}
	return d
}

func summaries(r *Report) *summariesData {
	s := r.Summaries
	if s.Count == 0 && s.Failed == 0 {
		return nil
	}
	d := &summariesData{}
	add := func(name, value, note string) { d.Tiles = append(d.Tiles, tile{Name: name, Value: value, Note: note}) }
	add("summaries", grouped(s.Count), "written by "+clip(r.Header.Summarizer, 24))
	add("their tokens", short(s.TextTokens), "instead of "+short(s.ReplacedTokens))
	if s.Failed > 0 {
		add("without one", grouped(s.Failed), "kept as they are")
	}
	if s.Calls == 0 && s.Cached == 0 {
		return d
	}
	add("calls", grouped(s.Calls), grouped(s.Retries)+" retried")
	add("from the cache", grouped(s.Cached), dollars(s.CostSaved)+" saved")
	add("prompt tokens", short(s.PromptTokens), short(s.CacheReadTokens)+" from the provider's cache")
	add("completion tokens", short(s.CompletionTokens), "")
	priced := "no price is known"
	if r.Header.PriceDate != "" {
		priced = "prices of " + clip(r.Header.PriceDate, 12)
	}
	add("cost", dollars(s.Cost), priced)
	if l := r.Processing.Latency; l.Count > 0 {
		add("time, median", took(float64(l.P50)/1e6), "95 % under "+took(float64(l.P95)/1e6))
		d.Latency = latencyChart(l)
	}
	return d
}

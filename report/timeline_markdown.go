package report

import (
	"fmt"
	"io"

	"github.com/ctxpack/ctxpack/compress"
)

// WriteTimelineMarkdown writes the timeline as a Markdown document (CommonMark with tables). Texts from files stand in it
// as text only, whatever they hold.
func WriteTimelineMarkdown(w io.Writer, t *Timeline) error {
	d := &document{}
	d.head(t.asReport())
	d.timelineTotals(t)
	d.timelineLayers(t)
	d.timelineRecords(t)
	d.timelineConversations(t)
	d.failures(t.asReport())
	d.settings(t.asReport())
	_, err := io.WriteString(w, d.b.String())
	return err
}

func (d *document) timelineTotals(t *Timeline) {
	s := t.Totals
	d.section("Calls")
	d.table([]string{"", ">without compaction", ">with it", ">change"}, [][]string{
		{"prompt tokens of all calls", grouped(s.Uncompacted), grouped(s.Prompt), change(s.Uncompacted, s.Prompt)},
		{"largest prompt", grouped(s.LargestUncompacted), grouped(s.Largest), change(s.LargestUncompacted, s.Largest)},
	})
	if c := t.Totals.Caching; c.Compacted.Prompt > 0 {
		without, with := c.cost(c.Uncompacted)
		withoutToo, withToo := c.cost(c.Compacted)
		d.line("\nWhat prompts cost with a prompt cache that lives %s, in input tokens that cost as much:\n", escaped(c.TTL))
		d.table([]string{"", ">without compaction", ">with it", ">change"}, [][]string{
			{"without caching", grouped(without), grouped(withoutToo), change(without, withoutToo)},
			{"with caching", grouped(with), grouped(withToo), change(with, withToo)},
		})
	}
	d.line("")
	rows := [][]string{
		{"engine", escaped(t.Header.Engine)}, {"conversations", grouped(s.Conversations)}, {"of these compacted", grouped(s.Compacted)},
		{"calls", grouped(s.Calls)}, {"compactions", grouped(s.Compactions)}, {"segments", grouped(s.Segments)},
		{"tokens of answers", grouped(s.Completion)},
	}
	if s.Reported > 0 {
		rows = append(rows, []string{"prompt tokens counted by the provider", grouped(s.Reported)},
			[]string{"of these from its cache", grouped(s.ReportedCached)})
	}
	d.table([]string{"", ">"}, rows)
}

func (d *document) timelineLayers(t *Timeline) {
	d.section("Layers")
	var rows [][]string
	for _, l := range t.Totals.Layers {
		rows = append(rows, []string{layerName(l.Layer), grouped(l.Events), grouped(l.Compactions), grouped(l.Before), grouped(l.After),
			grouped(l.Pruned), grouped(l.Summarized)})
	}
	d.table([]string{"layer", ">events", ">compactions", ">tokens before", ">after", ">pruned", ">summarized"}, rows)
}

func (d *document) timelineRecords(t *Timeline) {
	d.section("Records")
	var rows [][]string
	add := func(name string, n int64) {
		rows = append(rows, []string{name, grouped(n), percent(n, t.Records.Total)})
	}
	for _, s := range t.Records.Statuses {
		if s.Records > 0 || s.Status == compress.Untouched || s.Status.Changed() {
			add(statusName(s.Status), s.Records)
		}
	}
	add("**all**", t.Records.Total)
	add("with prompts over the window", t.Totals.OverLimit)
	add("no conversation", t.Records.NoConversation)
	d.table([]string{"status", ">records", ">share"}, rows)
}

func (d *document) timelineConversations(t *Timeline) {
	if len(t.Shown) == 0 {
		return
	}
	d.section("Conversations")
	if rest := t.Totals.Conversations - int64(len(t.Shown)); rest > 0 {
		d.line("Those with the most compactions; %s more are in the JSON form.\n", grouped(rest))
	}
	var rows [][]string
	for i := range t.Shown {
		c := &t.Shown[i]
		s := c.Totals
		rows = append(rows, []string{
			code(c.address()), statusName(c.Status), grouped(int64(s.Calls)), grouped(int64(s.Compactions)), grouped(int64(c.Segments)),
			grouped(int64(s.Largest)), grouped(s.Uncompacted), grouped(s.Prompt), change(s.Uncompacted, s.Prompt), escaped(c.Usage),
		})
	}
	d.table([]string{"conversation", "status", ">calls", ">compactions", ">segments", ">largest prompt", ">prompts without", ">with", ">change", "usage"}, rows)
	for i := range t.Shown {
		d.timelineEvents(&t.Shown[i])
	}
}

// timelineEvents is what happened in one conversation.
func (d *document) timelineEvents(c *TimelineRow) {
	if len(c.Events) == 0 {
		return
	}
	d.line("\n### %s\n", escaped(c.address()))
	var rows [][]string
	events := numbered(c.Events)
	for _, e := range events {
		rows = append(rows, []string{
			grouped(int64(e.Turn) + 1), grouped(int64(e.Message)), layerName(e.Layer), statusName(e.Status),
			fmt.Sprintf("%s of %s", grouped(int64(e.Tokens)), grouped(int64(e.Limit))), grouped(int64(e.Before)), grouped(int64(e.After)),
			grouped(int64(e.Pruned)), grouped(int64(e.Summarized)), grouped(int64(e.Summary)),
		})
	}
	d.table([]string{">before call", ">message", "layer", "status", ">reached", ">tokens before", ">after", ">pruned", ">summarized", ">summary"}, rows)
	if more := len(c.Events) - len(events); more > 0 {
		d.line("\n%s more are in the JSON form.", grouped(int64(more)))
	}
}

package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/replay"
)

// TimelineRenderer draws a timeline into a file.
type TimelineRenderer struct {
	Ending string // of the file's name, with its dot
	Render func(io.Writer, *Timeline) error
}

// TimelineRenderers are the forms that are drawn at the end of a run. The others (.json, .jsonl) are written while it goes on.
func TimelineRenderers() []TimelineRenderer {
	return []TimelineRenderer{{".md", WriteTimelineMarkdown}, {".txt", WriteTimelineText}, {".html", WriteTimelineHTML}}
}

// WriteTimelineText writes the terminal summary of a timeline: at most 24 lines of at most 80 columns.
func WriteTimelineText(w io.Writer, t *Timeline) error { return Screen{}.WriteTimeline(w, t) }

// WriteTimeline writes the terminal summary for this screen: at most 24 lines.
func (s Screen) WriteTimeline(w io.Writer, t *Timeline) error {
	_, err := io.WriteString(w, strings.Join(s.TimelineLines(t), "\n")+"\n")
	return err
}

// shownConversations is how many conversations the terminal summary names.
const shownConversations = 6

// TimelineLines is the terminal summary for this screen, line by line.
func (s Screen) TimelineLines(t *Timeline) []string {
	width := s.width()
	lines := []string{headLine(t.asReport(), width)}
	add := func(label string, pieces ...string) {
		if line := row(label, pieces, width); line != "" {
			lines = append(lines, line)
		}
	}
	add("limit", limitPieces(t.asReport(), width-labelWidth-2)...)
	add("counted", t.countedPieces()...)
	add("replayed", t.replayedPieces()...)
	add("prompts", t.promptPieces()...)
	add("largest", t.largestPieces()...)
	add("reported", t.reportedPieces()...)
	add("caching", t.cachingPieces()...)
	add("compacted", layerHead())
	lines = append(lines, t.layerLines(width)...)
	lines = append(lines, t.recordLines(width)...)
	lines = append(lines, failureLines(t.asReport(), width)...)
	add("summaries", summaryPieces(t.asReport())...)
	add("time", timePieces(t.asReport())...)
	room := min(textLines-len(lines)-1, shownConversations)
	lines = append(lines, t.conversationLines(width, room)...)
	lines = lines[:min(len(lines), textLines)]
	for i := range lines {
		lines[i] = s.Text(lines[i])
	}
	return lines
}

// asReport is what a timeline has in common with a report.
func (t *Timeline) asReport() *Report {
	return &Report{
		Header: t.Header.Header, Records: t.Records, Models: t.Models, Summaries: t.Summaries, Failures: t.Failures, Processing: t.Processing,
	}
}

// countedPieces are those of a report, which names the engine where it is a plugin.
func (t *Timeline) countedPieces() []string {
	pieces := countedPieces(t.asReport())
	if t.Header.ContextEngine == nil {
		pieces = append(pieces, "engine "+clip(t.Header.Engine, 20))
	}
	return pieces
}

func (t *Timeline) replayedPieces() []string {
	s := t.Totals
	return []string{
		plural(s.Calls, "call"), plural(s.Compactions, "compaction") + " in " + plural(s.Compacted, "conversation"), plural(s.Segments, "segment"),
	}
}

func (t *Timeline) promptPieces() []string {
	s := t.Totals
	u := unitOf(max(s.Uncompacted, s.Prompt))
	return []string{
		fmt.Sprintf("%s  ->  %s tokens   %s", in(s.Uncompacted, u), in(s.Prompt, u), change(s.Uncompacted, s.Prompt)), "answers " + in(s.Completion, u),
	}
}

func (t *Timeline) largestPieces() []string {
	s := t.Totals
	return []string{fmt.Sprintf("%s  ->  %s tokens in one prompt", grouped(s.LargestUncompacted), grouped(s.Largest))}
}

func (t *Timeline) reportedPieces() []string {
	s := t.Totals
	if s.Reported == 0 {
		return nil
	}
	return []string{
		in(s.Reported, unitOf(s.Reported)) + " prompt tokens counted by the provider", percent(s.ReportedCached, s.Reported) + " from its cache",
	}
}

// cachingPieces says what the prompts cost with a prompt cache, in input tokens that cost as much.
func (t *Timeline) cachingPieces() []string {
	c := t.Totals.Caching
	if c.Compacted.Prompt == 0 {
		return nil
	}
	without, with := c.cost(c.Compacted)
	_, uncompacted := c.cost(c.Uncompacted)
	u := unitOf(without)
	return []string{
		fmt.Sprintf("at %s worth %s input tokens, %s", clip(c.TTL, 4), in(with, u), change(without, with)), "uncompacted " + in(uncompacted, u),
	}
}

func layerHead() string { return "     times  in vain   pruned  summarized     tokens in the window" }

// layerName says who compacted.
func layerName(l replay.Layer) string {
	switch l {
	case replay.LayerHygiene:
		return "hygiene"
	case replay.LayerPressure:
		return "pressure"
	}
	return "engine"
}

// layerLines is the table of what the layers did; those that did nothing are left out, but for the engine.
func (t *Timeline) layerLines(width int) []string {
	var lines []string
	for _, l := range t.Totals.Layers {
		if l.Events == 0 && l.Layer != replay.LayerEngine {
			continue
		}
		line := fmt.Sprintf("  %-10s%10s%9s", layerName(l.Layer), grouped(l.Compactions), grouped(l.Events-l.Compactions))
		switch {
		case l.Layer == replay.LayerPressure:
			line = fmt.Sprintf("  %-10s%10s   %s", layerName(l.Layer), grouped(l.Events), "warnings at 85 % of the threshold")
		case l.Compactions > 0:
			line += fmt.Sprintf("%9s%12s     %s -> %s", short(l.Pruned), short(l.Summarized), short(l.Before), short(l.After))
		}
		lines = append(lines, clip(line, width))
	}
	return lines
}

// recordLines are the records that something is to be said of.
func (t *Timeline) recordLines(width int) []string {
	var lines []string
	for _, flag := range []struct {
		name string
		n    int64
		note string
	}{
		{"over the window", t.Totals.OverLimit, "conversations with a prompt that is larger"},
		{"no conversation", t.Records.NoConversation, "passed over"},
		{"rejected", t.Records.Of(compress.Rejected).Records, t.Failures.RejectsFile},
		{"failed", t.Records.Of(compress.Failed).Records, "one segment each, as they came"},
	} {
		if flag.n > 0 {
			line := fmt.Sprintf("  %-23s%10s", flag.name, grouped(flag.n))
			if flag.note != "" {
				line += "   " + clipMiddle(flag.note, width-columns(line)-3)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// conversationLines are the conversations with the most compactions.
func (t *Timeline) conversationLines(width, most int) []string {
	shown := t.Shown[:min(max(most, 0), len(t.Shown))]
	if len(shown) == 0 {
		return nil
	}
	lines := []string{"conversations with the most compactions"}
	if len(t.Shown) == 1 {
		lines[0] = "the conversation"
	}
	for i := range shown {
		c := &shown[i]
		s := c.Totals
		figures := fmt.Sprintf("%5s calls%4s times  %8s -> %-8s %8s", grouped(int64(s.Calls)), grouped(int64(s.Compactions)),
			short(s.Uncompacted), short(s.Prompt), change(s.Uncompacted, s.Prompt))
		name := width - columns(figures) - 4
		lines = append(lines, "  "+padded(clipMiddle(c.address(), name), name)+"  "+figures)
	}
	return lines
}

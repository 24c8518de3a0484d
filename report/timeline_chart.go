package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/compress/replay"
)

// Measures of the chart of a window, in pixels, and how finely it is drawn.
const (
	windowTop    = 20
	windowPlot   = 210
	windowBottom = 24
	windowUnits  = 1000 // the plot's width in its own units
	windowPoints = 600  // most points of a line, beside those at events
)

// aboveShare is how far above the largest window a line or curve may go and still set the scale.
const aboveShare = 2.3

// windowScale maps calls to shares of the width and tokens to pixels from the top of the plot.
type windowScale struct {
	calls int
	most  float64 // tokens at the top
}

func (w windowScale) call(i int) float64      { return (float64(i) + 0.5) / float64(w.calls) }
func (w windowScale) before(turn int) float64 { return float64(turn) / float64(w.calls) }
func (w windowScale) y(tokens int) float64    { return windowPlot * (1 - float64(tokens)/w.most) }

// limitsOf are the lines of a conversation that are not too far above its window.
func limitsOf(c *TimelineRow, largest int) []mark {
	var list []mark
	for _, m := range []mark{
		{"threshold", "threshold", int64(c.Threshold)}, {"hygiene", "hygiene", int64(c.Hygiene)}, {"window", "window", int64(c.ContextLength)},
	} {
		if m.tokens > 0 && float64(m.tokens) <= aboveShare*float64(largest) {
			m.name += " " + tokenName(float64(m.tokens))
			list = append(list, m)
		}
	}
	return list
}

// windowChart draws the tokens in the window at each call, of which there are two or more.
func windowChart(c *TimelineRow) template.HTML {
	largest, uncompacted := 1, 0
	for _, t := range c.Turns {
		largest, uncompacted = max(largest, t.Prompt), max(uncompacted, t.Original)
	}
	for _, e := range c.Events {
		largest = max(largest, e.Before)
	}
	lines := limitsOf(c, largest)
	scale := windowScale{calls: len(c.Turns), most: float64(largest)}
	for _, m := range lines {
		scale.most = max(scale.most, float64(m.tokens))
	}
	scale.most = 1.07 * max(scale.most, min(float64(uncompacted), aboveShare*float64(largest)))
	s := newSVG("chart window-chart", windowTop+windowPlot+windowBottom, windowLabel(c, largest, uncompacted))
	drawWindowGrid(s, lines, scale)
	drawWindowLines(s, c, scale)
	for _, m := range lines {
		s.horizontal("mark "+m.class, windowTop+scale.y(int(m.tokens)))
	}
	drawEvents(s, c, scale)
	nameLimits(s, lines, scale)
	if c.Totals.Compactions > 0 {
		nameUncompacted(s, c, scale, uncompacted)
	}
	return s.end()
}

// windowLabel says what the chart shows.
func windowLabel(c *TimelineRow, largest, uncompacted int) string {
	text := fmt.Sprintf("Tokens in the window at each of %s: from %s to at most %s", plural(int64(len(c.Turns)), "call"),
		grouped(int64(c.Turns[0].Prompt)), grouped(int64(largest)))
	if c.Totals.Compactions > 0 {
		text += fmt.Sprintf(", with %s; without compaction it would have come to %s", plural(int64(c.Totals.Compactions), "compaction"), grouped(int64(uncompacted)))
	}
	return text + "."
}

// niceStep is a round step, so that at most n of them make up most.
func niceStep(most float64, n int) float64 {
	step := math.Pow(10, math.Floor(math.Log10(max(most, 1)/float64(n))))
	for _, k := range []float64{1, 2, 5, 10} {
		if most/(k*step) <= float64(n) {
			return max(k*step, 1)
		}
	}
	return 10 * step
}

// drawWindowGrid draws the lines of round numbers, their labels, and the numbers of the calls.
func drawWindowGrid(s *svg, lines []mark, scale windowScale) {
	const bottom = windowTop + windowPlot
	step := niceStep(scale.most, 5)
	for v := step; v < scale.most; v += step {
		y := windowTop + scale.y(int(v))
		s.horizontal("grid", y)
		crossed := slices.ContainsFunc(lines, func(m mark) bool {
			above := y - windowTop - scale.y(int(m.tokens))
			return above > 0 && above < 16
		})
		if !crossed {
			s.text("label", 0, y-3, "start", 2, tokenName(v))
		}
	}
	s.horizontal("axis", bottom)
	every := int(niceStep(float64(scale.calls), 8))
	for i := every; i <= scale.calls; i += every {
		x := scale.call(i - 1)
		class := "label"
		if i/every%2 == 0 {
			class = "label roomy" // left out on narrow screens
		}
		s.vertical("minor", x, bottom, bottom+4)
		s.text(class, x, bottom+17, anchorAt(x), 0, grouped(int64(i)))
	}
	s.text("label", 0, bottom+17, "start", 2, "call")
}

// drawWindowLines draws the window as an area and, where something was compacted, what it would have been without.
func drawWindowLines(s *svg, c *TimelineRow, scale windowScale) {
	var window, original strings.Builder
	point := func(b *strings.Builder, x float64, tokens int) {
		command := "L"
		if b.Len() == 0 {
			command = "M"
		}
		fmt.Fprintf(b, "%s%s %s", command, pixels(windowUnits*x), pixels(scale.y(tokens)))
	}
	step := (len(c.Turns) + windowPoints - 1) / windowPoints
	at := map[int]bool{}
	for _, e := range numbered(c.Events) {
		at[e.Turn-1], at[e.Turn] = true, true
	}
	events := c.Events
	for i, t := range c.Turns {
		for ; len(events) > 0 && events[0].Turn <= i; events = events[1:] {
			if e := events[0]; e.Status.Changed() {
				point(&window, scale.before(e.Turn), e.Before)
				point(&window, scale.before(e.Turn), e.After)
			}
		}
		if i%step == 0 || i == len(c.Turns)-1 || at[i] {
			point(&window, scale.call(i), t.Prompt)
			point(&original, scale.call(i), t.Original)
		}
	}
	first, last := pixels(windowUnits*scale.call(0)), pixels(windowUnits*scale.call(len(c.Turns)-1))
	fmt.Fprintf(&s.b, `<svg x="0" y="%d" width="100%%" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true">`, windowTop, windowPlot, windowUnits, windowPlot)
	fmt.Fprintf(&s.b, `<path class="window-area" d="%sL%s %dL%s %dZ"/>`, window.String(), last, windowPlot, first, windowPlot)
	if c.Totals.Compactions > 0 {
		fmt.Fprintf(&s.b, `<path class="window-uncompacted" d="%s"/>`, original.String())
	}
	fmt.Fprintf(&s.b, `<path class="window-line" d="%s"/></svg>`, window.String())
}

// nameLimits names threshold, hygiene and window above their lines, on the left, where windows are small.
func nameLimits(s *svg, lines []mark, scale windowScale) {
	for _, m := range lines {
		s.text("name "+m.class, 0, windowTop+scale.y(int(m.tokens))-4, "start", 46, m.name)
	}
}

// nameUncompacted names the dashed curve where it leaves the drawing, or at its end.
func nameUncompacted(s *svg, c *TimelineRow, scale windowScale, most int) {
	x, y := scale.call(len(c.Turns)-1), windowTop+scale.y(c.Turns[len(c.Turns)-1].Original)-8
	for i, t := range c.Turns {
		if float64(t.Original) > scale.most {
			x, y = scale.call(i), windowTop+14
			break
		}
	}
	anchor, shift := "end", -8.0
	if x < 0.4 {
		anchor, shift = "start", 8
	}
	s.text("name uncompacted", x, max(y, windowTop+12), anchor, shift, "uncompacted up to "+tokenName(float64(most)))
}

// mostNumbered is how many compactions of a chart carry their numbers.
const mostNumbered = 24

// drawEvents draws a line for every event, with what happened under the pointer.
func drawEvents(s *svg, c *TimelineRow, scale windowScale) {
	const bottom = windowTop + windowPlot
	for _, e := range numbered(c.Events) {
		x, top := scale.before(e.Turn), float64(windowTop)
		if e.Layer == replay.LayerPressure || !e.Status.Changed() {
			top = bottom - 16
		}
		fmt.Fprintf(&s.b, `<g class="event %s"><title>%s</title>`, eventClass(e.Event), html.EscapeString(eventTitle(e)))
		fmt.Fprintf(&s.b, `<line class="hit" x1="%s" x2="%s" y1="%s" y2="%d"/>`, percentage(x), percentage(x), pixels(top), bottom)
		s.vertical("", x, top, bottom)
		if e.number > 0 && c.Totals.Compactions <= mostNumbered {
			s.text("number", x, windowTop-6, anchorAt(x), 0, grouped(int64(e.number)))
		}
		s.b.WriteString("</g>")
	}
}

// numberedEvent is an event with the number of its compaction; 0 for one that is none.
type numberedEvent struct {
	replay.Event
	number int
}

// mostEvents is how many events of a conversation are drawn and listed.
const mostEvents = 200

// numbered are the events of a conversation that are shown: all of them or, of very many, the first compactions.
func numbered(events []replay.Event) []numberedEvent {
	var list []numberedEvent
	n := 0
	for _, e := range events {
		one := numberedEvent{Event: e}
		if e.Status.Changed() {
			n++
			one.number = n
		} else if len(events) > mostEvents {
			continue
		}
		if len(list) < mostEvents {
			list = append(list, one)
		}
	}
	return list
}

// eventTitle says in words what happened.
func eventTitle(e numberedEvent) string {
	at := fmt.Sprintf("before call %s: ", grouped(int64(e.Turn)+1))
	switch {
	case e.Layer == replay.LayerPressure:
		return at + fmt.Sprintf("warning, %s tokens are 85 %% of the threshold", grouped(int64(e.Tokens)))
	case !e.Status.Changed():
		text := at + layerName(e.Layer) + " tried at " + grouped(int64(e.Tokens)) + " tokens, in vain"
		if e.Reason != "" {
			text += " (" + clip(e.Reason, 120) + ")"
		}
		return text
	}
	text := at + fmt.Sprintf("compaction %d by the %s layer, %s → %s tokens; pruned %s, summarized %s", e.number, layerName(e.Layer), grouped(int64(e.Before)), grouped(int64(e.After)),
		grouped(int64(e.Pruned)), grouped(int64(e.Summarized)))
	if e.Summary > 0 {
		text += "; summary of " + grouped(int64(e.Summary))
	}
	if e.Level > 0 {
		text += fmt.Sprintf(", level %d", e.Level)
	}
	return text
}

package report

import (
	"fmt"
	"html/template"
	"math"
)

// mark is a line that a chart draws at a number of tokens.
type mark struct {
	name   string
	class  string
	tokens int64
}

// marks are the window and the threshold of the run; where records have their own, those of the two models most used.
func marks(r *Report) []mark {
	var list []mark
	add := func(name, class string, n int) {
		if n <= 0 {
			return
		}
		for _, m := range list {
			if m.tokens == int64(n) {
				return
			}
		}
		list = append(list, mark{name + " " + windowName(n), class, int64(n)})
	}
	t := r.Header.Target
	add("fit", "window", t.Window)
	if t.Window == 0 {
		add("threshold", "threshold", t.Threshold)
	}
	add("window", "window", t.ContextLength)
	if t.ContextLength == 0 {
		for _, m := range r.Models.List[:min(len(r.Models.List), 2)] {
			if t.Window == 0 {
				add("threshold", "threshold", m.Threshold)
			}
			add("window", "window", m.ContextLength)
		}
	}
	return list
}

// Measures of the distribution in pixels.
const (
	sizesTop    = 34 // room for the names of the lines
	sizesPlot   = 208
	sizesBottom = 22
)

// sizesChart draws both distributions against each other.
func sizesChart(r *Report) template.HTML {
	before, after := r.Sizes.Before, r.Sizes.After
	lines := marks(r)
	values := []int64{before.Min, before.Max, after.Min, after.Max}
	for _, m := range lines {
		values = append(values, m.tokens)
	}
	axis := newLogAxis(values...)
	s := newSVG("chart sizes", sizesTop+sizesPlot+sizesBottom, fmt.Sprintf(
		"Histogram of tokens per conversation. Before: median %s, 95th percentile %s, largest %s. After: median %s, 95th percentile %s, largest %s.",
		grouped(before.P50), grouped(before.P95), grouped(before.Max), grouped(after.P50), grouped(after.P95), grouped(after.Max)))
	b, a := rebin(before), rebin(after)
	up, down := mostOf(b), mostOf(a)
	const bottom = sizesTop + sizesPlot
	unit := (sizesPlot - 12) / float64(up+down) // pixels for one conversation, the same on both sides
	middle := math.Round(sizesTop + 6 + min(max(unit*float64(up), 24), sizesPlot-36))
	drawTicks(s, axis, sizesTop, bottom, tokenName)
	bars := func(class, when string, list []Bucket, above bool) {
		for _, one := range list {
			x := axis.at(max(float64(one.From), math.Exp2(axis.low)))
			width := axis.at(float64(one.To)) - x
			if height := float64(one.Count) * unit; width > 0 {
				height = max(height, 1.5)
				y := middle + 1
				if above {
					y = middle - 1 - height
				}
				s.rect(class, x, width*0.94, y, height, fmt.Sprintf("%s: %s with %s to %s tokens", when,
					plural(one.Count, "conversation"), grouped(one.From), grouped(one.To-1)))
			}
		}
	}
	bars("before", "before", b, true)
	bars("after", "after", a, false)
	s.horizontal("axis", middle)
	s.text("side", 0, sizesTop+12, "start", 4, "before: up to "+grouped(up)+" in a bar")
	s.text("side", 0, bottom-8, "start", 4, "after: up to "+grouped(down))
	drawMarks(s, axis, lines, bottom)
	return s.end()
}

func mostOf(list []Bucket) int64 {
	most := int64(1)
	for _, b := range list {
		most = max(most, b.Count)
	}
	return most
}

// drawTicks draws the grid and the labels below it.
func drawTicks(s *svg, axis logAxis, top, bottom float64, name func(float64) string) {
	for _, t := range axis.ticks(name) {
		x := axis.at(t.value)
		if t.minor {
			s.vertical("minor", x, bottom-4, bottom)
			continue
		}
		s.vertical("grid", x, top, bottom)
		class := "label"
		if t.label[0] != '1' {
			class = "label roomy" // left out on narrow screens
		}
		s.text(class, x, bottom+16, anchorAt(x), 0, t.label)
	}
}

// drawMarks draws threshold and window, their names on two lines so that neighbours do not collide.
func drawMarks(s *svg, axis logAxis, lines []mark, bottom float64) {
	for i, m := range lines {
		x := axis.at(float64(m.tokens))
		row := float64(i % 2)
		s.vertical("mark "+m.class, x, 4+15*row, bottom)
		anchor, shift := "start", 5.0
		if x > 0.55 {
			anchor, shift = "end", -5
		}
		s.text("name "+m.class, x, 13+15*row, anchor, shift, m.name)
	}
}

// rebin makes buckets wider where there are few conversations, so that the shape shows.
func rebin(d Distribution) []Bucket {
	octave := int64(8) // buckets to a power of two
	switch {
	case d.Count < 60:
		octave = 2
	case d.Count < 800:
		octave = 4
	}
	var list []Bucket
	for _, b := range d.Buckets {
		from, to := b.From, b.To
		if b.From >= 8 {
			power := int64(1)
			for power*2 <= b.From {
				power *= 2
			}
			step := max(power/octave, 1)
			from = power + (b.From-power)/step*step
			to = from + step
		}
		if k := len(list) - 1; k >= 0 && list[k].From == from {
			list[k].Count += b.Count
			continue
		}
		list = append(list, Bucket{from, to, b.Count})
	}
	return list
}

// latencyChart draws how long records took.
func latencyChart(d Distribution) template.HTML {
	const top, height = 6, 70
	axis := newLogAxis(d.Min, d.Max)
	s := newSVG("chart latency", top+height+sizesBottom, fmt.Sprintf("Histogram of the time per conversation: median %s, 95th percentile %s.",
		took(float64(d.P50)/1e6), took(float64(d.P95)/1e6)))
	drawTicks(s, axis, top, top+height, microseconds)
	list := rebin(d)
	most := mostOf(list)
	for _, b := range list {
		x := axis.at(max(float64(b.From), math.Exp2(axis.low)))
		h := max(float64(b.Count)/float64(most)*height, 1.5)
		s.rect("after", x, (axis.at(float64(b.To))-x)*0.94, top+height-h, h, fmt.Sprintf("%s of %s to %s",
			plural(b.Count, "conversation"), microseconds(float64(b.From)), microseconds(float64(b.To))))
	}
	s.horizontal("axis", top+height)
	return s.end()
}

// microseconds writes a time on an axis.
func microseconds(v float64) string {
	switch {
	case v < 1e3:
		return fmt.Sprintf("%.3g µs", v)
	case v < 1e6:
		return fmt.Sprintf("%.3g ms", v/1e3)
	}
	return fmt.Sprintf("%.3g s", v/1e6)
}

package report

import (
	"fmt"
	"html/template"
	"math"

	"github.com/ctxpack/ctxpack/compress"
)

// Measures of the scatter in pixels.
const (
	scatterHeight = 360
	scatterTop    = 22
	scatterBottom = 22
)

// scatterChart draws the cells as dots on two logarithmic axes of the same span.
func scatterChart(r *Report) template.HTML {
	lines := marks(r)
	values := []int64{r.Sizes.Before.Min, r.Sizes.Before.Max, r.Sizes.After.Min, r.Sizes.After.Max}
	for _, m := range lines {
		values = append(values, m.tokens)
	}
	axis := newLogAxis(values...)
	s := newSVG("chart scatter", scatterTop+scatterHeight+scatterBottom, fmt.Sprintf(
		"Dots for %s: tokens before against tokens after, both logarithmic.", plural(r.Records.Conversations, "conversation")))
	bottom := float64(scatterTop + scatterHeight)
	y := func(v float64) float64 { return bottom - axis.at(v)*scatterHeight }
	drawTicks(s, axis, scatterTop, bottom, tokenName)
	for _, t := range axis.ticks(tokenName) {
		if t.minor {
			continue
		}
		s.horizontal("grid", y(t.value))
		if h := y(t.value); h > scatterTop+8 && h < bottom-16 {
			s.text("label", 0, h-3, "start", 3, t.label)
		}
	}
	drawRatios(s, axis, bottom)
	for i, m := range lines {
		x, h := axis.at(float64(m.tokens)), y(float64(m.tokens))
		s.vertical("mark "+m.class, x, 4, bottom)
		s.horizontal("mark "+m.class, h)
		if i == 0 {
			s.text("name "+m.class, x, 13, anchorOpposite(x), shiftOpposite(x), m.name)
		} else {
			s.text("name "+m.class, 1, h-4, "end", -4, m.name)
		}
	}
	most := int64(9) // of few conversations none is drawn large
	for _, c := range r.Scatter.Cells {
		most = max(most, c.Count)
	}
	for _, c := range r.Scatter.Cells {
		drawCell(s, axis, y, c, most)
	}
	return s.end()
}

func anchorOpposite(x float64) string {
	if x > 0.55 {
		return "end"
	}
	return "start"
}

func shiftOpposite(x float64) float64 {
	if x > 0.55 {
		return -5
	}
	return 5
}

// drawRatios draws the lines on which a conversation kept all, a quarter or a tenth of its tokens.
func drawRatios(s *svg, axis logAxis, bottom float64) {
	span := axis.high - axis.low
	for _, one := range []struct {
		kept float64
		name string
	}{{1, ""}, {0.25, "¼ left"}, {0.1, "⅒ left"}} {
		shift := -math.Log2(one.kept) / span // of the height and the width
		if shift >= 0.9 {
			continue
		}
		class := "ratio"
		if one.kept == 1 {
			class = "diagonal"
		}
		fmt.Fprintf(&s.b, `<line class="%s" x1="%s" y1="%s" x2="100%%" y2="%s"/>`, class, percentage(shift), pixels(bottom),
			pixels(bottom-(1-shift)*scatterHeight))
		if one.name != "" {
			s.text("label", shift, bottom-6, "start", 10, one.name)
		}
	}
}

func drawCell(s *svg, axis logAxis, y func(float64) float64, c Cell, most int64) {
	middle := func(from, to int64) float64 { return math.Sqrt(max(float64(from), 1) * max(float64(to-1), 1)) }
	radius := 2.4 + 5.6*math.Sqrt(math.Log1p(float64(c.Count))/math.Log1p(float64(most)))
	before, after := middle(c.Before, c.BeforeTo), middle(c.After, c.AfterTo)
	fmt.Fprintf(&s.b, `<circle class="%s" cx="%s" cy="%s" r="%s"`, statusClass(c.Status), percentage(axis.at(before)), pixels(y(after)), pixels(radius))
	s.closeWith("circle", fmt.Sprintf("%s %s: about %s -> %s tokens", grouped(c.Count), statusName(c.Status), short(int64(before)), short(int64(after))))
}

// statusClass is the class that gives a status its colour.
func statusClass(s compress.Status) string {
	for _, known := range compress.Statuses() {
		if s == known {
			return "s-" + string(s)
		}
	}
	return "s-other"
}

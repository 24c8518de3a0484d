package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// svg is a drawing being written. Places are percentages of its width, so that it can be as wide as its surroundings
// without its letters changing size; heights are pixels. Texts are escaped.
type svg struct{ b strings.Builder }

// newSVG begins a drawing of a height in pixels. label says to a screen reader what it shows.
func newSVG(class string, height int, label string) *svg {
	s := &svg{}
	fmt.Fprintf(&s.b, `<svg class="%s" width="100%%" height="%d" role="img" aria-label="%s">`, class, height, html.EscapeString(label))
	return s
}

// newDecoration begins a drawing that says nothing its surroundings do not say.
func newDecoration(class string, height int) *svg {
	s := &svg{}
	fmt.Fprintf(&s.b, `<svg class="%s" width="100%%" height="%d" aria-hidden="true">`, class, height)
	return s
}

func (s *svg) end() template.HTML {
	s.b.WriteString("</svg>")
	return template.HTML(s.b.String()) // every text in it went through EscapeString
}

// percentage writes a share of the width, with three digits at most.
func percentage(f float64) string {
	return strconv.FormatFloat(math.Round(f*1e5)/1e3, 'f', -1, 64) + "%"
}

// rect draws a rectangle: x and width as shares of the width, y and height in pixels. title shows under the pointer.
func (s *svg) rect(class string, x, width, y, height float64, title string) {
	fmt.Fprintf(&s.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"`, class, percentage(x), pixels(y), percentage(width), pixels(height))
	s.closeWith("rect", title)
}

func (s *svg) closeWith(element, title string) {
	if title == "" {
		s.b.WriteString("/>")
		return
	}
	fmt.Fprintf(&s.b, "><title>%s</title></%s>", html.EscapeString(title), element)
}

// vertical draws a line at a share of the width.
func (s *svg) vertical(class string, x, y1, y2 float64) {
	fmt.Fprintf(&s.b, `<line class="%s" x1="%s" x2="%s" y1="%s" y2="%s"/>`, class, percentage(x), percentage(x), pixels(y1), pixels(y2))
}

// horizontal draws a line across, at y pixels.
func (s *svg) horizontal(class string, y float64) {
	fmt.Fprintf(&s.b, `<line class="%s" x1="0" x2="100%%" y1="%s" y2="%s"/>`, class, pixels(y), pixels(y))
}

// text writes at a share of the width. anchor is start, middle or end; shift moves it by pixels to the right.
func (s *svg) text(class string, x, y float64, anchor string, shift float64, text string) {
	fmt.Fprintf(&s.b, `<text class="%s" x="%s" y="%s" text-anchor="%s"`, class, percentage(x), pixels(y), anchor)
	if shift != 0 {
		fmt.Fprintf(&s.b, ` dx="%s"`, pixels(shift))
	}
	fmt.Fprintf(&s.b, ">%s</text>", html.EscapeString(text))
}

func pixels(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) }

// logAxis maps tokens to shares of a width.
type logAxis struct{ low, high float64 } // binary logarithms

// newLogAxis spans the values, and at least three powers of two.
func newLogAxis(values ...int64) logAxis {
	a := logAxis{math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		if v > 0 {
			a.low, a.high = min(a.low, math.Log2(float64(v))), max(a.high, math.Log2(float64(v)))
		}
	}
	if math.IsInf(a.low, 1) {
		return logAxis{7, 17}
	}
	a.low -= 0.25
	a.high += 0.25
	if missing := 3 - (a.high - a.low); missing > 0 {
		a.low, a.high = a.low-missing/2, a.high+missing/2
	}
	return a
}

// at is where a value stands; values outside stand at the ends.
func (a logAxis) at(v float64) float64 {
	if v <= 0 {
		return 0
	}
	return min(max((math.Log2(v)-a.low)/(a.high-a.low), 0), 1)
}

// tick is a place on an axis. Minor ones have no label.
type tick struct {
	value float64
	label string
	minor bool
}

// ticks gives the round values: powers of ten, with 2 and 5 times as many where there is room, the others as minor ones.
func (a logAxis) ticks(name func(float64) string) []tick {
	decades := (a.high - a.low) / math.Log2(10)
	var list []tick
	for power := math.Pow(10, math.Floor(a.low/math.Log2(10))); math.Log2(power) <= a.high; power *= 10 {
		for k := 1.0; k < 10; k++ {
			v := k * power
			if l := math.Log2(v); l < a.low || l > a.high {
				continue
			}
			labelled := k == 1 || decades < 3.2 && (k == 2 || k == 5) || decades < 1.4
			t := tick{value: v, minor: !labelled}
			if labelled {
				t.label = name(v)
			}
			list = append(list, t)
		}
	}
	return list
}

// tokenName writes a number of tokens on an axis.
func tokenName(v float64) string {
	if v < 1 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strings.Replace(short(int64(v+0.5)), ".0", "", 1)
}

// anchorAt keeps a label at a place inside the drawing.
func anchorAt(x float64) string {
	switch {
	case x < 0.04:
		return "start"
	case x > 0.96:
		return "end"
	}
	return "middle"
}

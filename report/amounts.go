package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// grouped writes a number with a comma between thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// unit is a power of a thousand with its letter.
type unit struct {
	size   int64
	letter string
}

func units() [4]unit {
	return [...]unit{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "B"}}
}

// short writes a number in at most four characters and a unit: 950, 1.2k, 61k, 702k, 2.3M.
func short(n int64) string {
	if n < 0 {
		return "-" + short(-n)
	}
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	for _, u := range units() {
		f := float64(n) / float64(u.size)
		switch {
		case u.size == 1:
		case f < 9.95:
			return strconv.FormatFloat(f, 'f', 1, 64) + u.letter
		case f < 999.5:
			return strconv.FormatFloat(f, 'f', 0, 64) + u.letter
		}
	}
	return strconv.FormatFloat(float64(n)/1e9, 'f', 0, 64) + "B"
}

// unitOf is the unit in which a total is written; figures that are compared share that of the largest. Below a million
// there is none: such numbers are written out.
func unitOf(n int64) unit {
	switch {
	case n >= 1e9:
		return units()[3]
	case n >= 1e6:
		return units()[2]
	}
	return units()[0]
}

// in writes a total in a unit: "2.31 B". A number that would be 0.00 is written in its own unit.
func in(n int64, u unit) string {
	if n < 0 {
		return "-" + in(-n, u)
	}
	if n > 0 && float64(n)/float64(u.size) < 0.005 {
		u = unitOf(n)
	}
	if u.size == 1 {
		return grouped(n)
	}
	return fmt.Sprintf("%.2f %s", float64(n)/float64(u.size), u.letter)
}

// percent writes part of whole with one digit. Only all of it is 100.0.
func percent(part, whole int64) string {
	p := round(100*share(part, whole), 1)
	if p == 100 && part < whole {
		p = 99.9
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}

// wholePercent writes part of whole without digits behind the point.
func wholePercent(part, whole int64) string {
	return strconv.FormatFloat(100*share(part, whole), 'f', 0, 64) + " %"
}

// change writes how much smaller or larger after is: "-59.3 %".
func change(before, after int64) string {
	p := round(100*share(after-before, before), 1)
	switch {
	case p == -100 && after > 0:
		p = -99.9
	case p == 0:
		return "0.0 %"
	}
	return fmt.Sprintf("%+.1f %%", p)
}

// windowName writes a window: 8k, 1M, 8,192.
func windowName(n int) string {
	switch {
	case n >= 1_000_000 && n%1_000_000 == 0:
		return strconv.Itoa(n/1_000_000) + "M"
	case n >= 1000 && n%1000 == 0:
		return strconv.Itoa(n/1000) + "k"
	}
	return grouped(int64(n))
}

// took writes a time: 0.41s, 12.3s, 14m08s, 2h05m.
func took(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case seconds < 9.995:
		return fmt.Sprintf("%.2fs", seconds)
	case seconds < 59.95:
		return fmt.Sprintf("%.1fs", seconds)
	case d.Round(time.Second) < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// plural writes a number with its noun.
func plural(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + one + "s"
}

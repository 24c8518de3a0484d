package extractive

import "slices"

// maxCompared bounds how many lines a new one is compared with.
const maxCompared = 300

// duplicates remembers what was taken, as sets of words.
type duplicates struct {
	exact map[exactLine]bool
	sizes []int              // of the sets
	lines map[string][]int32 // by word, which sets have it
}

// exactLine is a text and the heading it was taken under, "" for any.
type exactLine struct{ heading, text string }

// has says whether a line like l, whose set is bag, was taken. Lines that name a file are compared within their section
// only.
func (d *duplicates) has(heading string, l line, bag []string) bool {
	if l.exact {
		return d.exact[exactLine{heading, l.text}]
	}
	return d.exact[exactLine{"", l.text}] || d.near(bag)
}

// near: three quarters of all words of both lines are in both, or nearly all of the new one's are in the other.
func (d *duplicates) near(bag []string) bool {
	common := make([]int, len(d.sizes))
	for _, w := range bag {
		for _, k := range d.lines[w] {
			common[k]++
		}
	}
	for k, size := range d.sizes {
		n := common[k]
		if union := len(bag) + size - n; n*100 >= union*75 || len(bag) >= 5 && n*100 >= len(bag)*92 {
			return true
		}
	}
	return false
}

func (d *duplicates) add(heading string, l line, bag []string) {
	if d.exact == nil {
		d.exact, d.lines = map[exactLine]bool{}, map[string][]int32{}
	}
	d.exact[exactLine{"", l.text}], d.exact[exactLine{heading, l.text}] = true, true
	if l.exact || len(d.sizes) == maxCompared {
		return
	}
	for _, w := range bag {
		d.lines[w] = append(d.lines[w], int32(len(d.sizes)))
	}
	d.sizes = append(d.sizes, len(bag))
}

// wordBag is the set of words of a line, sorted; nil for lines that are compared as a whole.
func wordBag(l line) []string {
	if l.exact {
		return nil
	}
	set := words(l.text)
	if hasCJK(l.text) { // no spaces: pairs of characters
		runes := []rune(l.text)
		for i := 0; i+1 < len(runes); i++ {
			set = append(set, string(runes[i:i+2]))
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

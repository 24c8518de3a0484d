package summarize

import (
	"errors"
	"unicode/utf8"
)

// errNoRoom says that a model's window is too small for the task itself.
var errNoRoom = errors.New("the summary model's window is too small: nothing of the conversation fits beside the task and the answer")

// leastRoom is the smallest room for material, in tokens, that is worth a call.
const leastRoom = 200

// chunk cuts entries into the fewest parts of at most room tokens, as near in size as boundaries allow. Boundaries lie
// between atoms; an atom that is larger than a part is cut between its entries, an entry that is larger inside its body.
func chunk(entries []entry, room int, count func(string) int) ([][]entry, error) {
	if room < leastRoom {
		return nil, errNoRoom
	}
	var units [][]entry
	var sizes []int
	for i := 0; i < len(entries); {
		j, size := i, 0
		for ; j < len(entries) && entries[j].atom == entries[i].atom; j++ {
			size += entries[j].tokens
		}
		if size <= room {
			units, sizes = append(units, entries[i:j]), append(sizes, size)
		} else {
			for _, e := range entries[i:j] {
				for _, piece := range split(e, room, count) {
					units, sizes = append(units, []entry{piece}), append(sizes, piece.tokens)
				}
			}
		}
		i = j
	}
	var parts [][]entry
	from := 0
	for _, end := range partition(sizes, room) {
		var part []entry
		for _, u := range units[from:end] {
			part = append(part, u...)
		}
		parts, from = append(parts, part), end
	}
	return parts, nil
}

// split cuts an entry into pieces of at most room tokens, on rune boundaries. Nothing is left out.
func split(e entry, room int, count func(string) int) []entry {
	if e.tokens <= room || len(e.body) < 2 {
		return []entry{e}
	}
	half := len(e.body) / 2
	for half > 0 && !utf8.RuneStart(e.body[half]) {
		half--
	}
	if half == 0 {
		return []entry{e}
	}
	var pieces []entry
	for i, body := range []string{e.body[:half], e.body[half:]} {
		piece := entry{header: e.header, body: body, atom: e.atom}
		if i > 0 && len(e.header) < 200 {
			piece.header += " (continued)"
		}
		piece.tokens = count(piece.header) + count(body) + entryFrame
		pieces = append(pieces, split(piece, room, count)...)
	}
	return pieces
}

// partition cuts sizes into the fewest runs of at most room each, then makes the largest run as small as it can be with
// so many. It gives the end of each run. A size above room is a run of its own.
func partition(sizes []int, room int) []int {
	least := 0
	for _, s := range sizes {
		least = max(least, s)
	}
	most := max(room, least)
	fewest := runs(sizes, most)
	low, high := least, most
	for low < high {
		middle := (low + high) / 2
		if len(runs(sizes, middle)) <= len(fewest) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return runs(sizes, high)
}

// runs fills one run after the other.
func runs(sizes []int, room int) []int {
	var ends []int
	sum := 0
	for i, s := range sizes {
		if i > 0 && sum+s > room {
			ends = append(ends, i)
			sum = 0
		}
		sum += s
	}
	if len(sizes) > 0 {
		ends = append(ends, len(sizes))
	}
	return ends
}

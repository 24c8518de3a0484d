package summarize

import "strings"

// found is called with the place of an identifier in the text.
type found = func(start, end int, kind IdentifierKind)

func scan(text string, yield found) {
	for i := 0; i < len(text); {
		c := class[text[i]]
		if c == 0 {
			if text[i] == '#' {
				i = issue(text, i, yield)
			} else {
				i++
			}
			continue
		}
		start, seen := i, c
		for i++; i < len(text); i++ {
			c := class[text[i]]
			if c == 0 {
				break
			}
			seen |= c
		}
		switch {
		case i+2 < len(text) && text[i] == ':' && text[i+1] == '/' && text[i+2] == '/' && seen&(slash|dot|underscore) == 0:
			i = url(text, start, i, yield)
		case seen&(seen-1) == 0 && seen != slash: // one class only: a plain word, a number
		case seen&^(lower|upper|dot) == 0 && plainWord(text[start:i]):
		default:
			run(text, start, i, seen, yield)
		}
	}
}

// plainWord says whether a run of letters and dots is a word with at most a capital before it and dots behind it: half
// of the runs that have more than one class, and nothing of interest in any.
func plainWord(run string) bool {
	for len(run) > 0 && run[len(run)-1] == '.' {
		run = run[:len(run)-1]
	}
	for i := 1; i < len(run); i++ {
		if class[run[i]] != lower {
			return false
		}
	}
	return run == "" || run[0] != '.'
}

// issue reads #123 at i and gives the offset behind it.
func issue(text string, i int, yield found) int {
	j := i + 1
	for j < len(text) && class[text[j]] == digit {
		j++
	}
	n := j - i - 1
	before := i == 0 || class[text[i-1]]&(lower|upper|digit) == 0
	if n >= 1 && n <= 7 && before && (j == len(text) || class[text[j]]&(lower|upper|underscore) == 0) && text[i+1] != '0' {
		yield(i, j, Issue)
		return j
	}
	return i + 1
}

// urlEnd are the bytes that end a URL.
const urlEnd = " \t\r\n\"'`<>()[]{}|\\^,;"

// url reads a URL whose scheme is text[start:colon] and gives the offset behind it.
func url(text string, start, colon int, yield found) int {
	j := colon + 3
	for j < len(text) && text[j] > ' ' && text[j] < 0x80 && strings.IndexByte(urlEnd, text[j]) < 0 {
		j++
	}
	end := j
	for end > colon+3 && strings.IndexByte(".:!?*_", text[end-1]) >= 0 {
		end--
	}
	if end > colon+4 {
		yield(start, end, URL)
	}
	return j
}

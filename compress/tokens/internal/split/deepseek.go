package split

import "unicode/utf8"

// DeepSeek splits by the three patterns of DeepSeek V3, of which each cuts up the pieces that the ones before
// have made:
//
//	\p{N}{1,3}
//	[一-龥぀-ゟ゠-ヿ]+
//	[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
type DeepSeek struct{}

// Split implements [Splitter].
func (s DeepSeek) Split(text string, pos int, ends []int) int {
	n := 0
	for n < len(ends) && pos < len(text) {
		pos = s.next(text, pos)
		ends[n] = pos
		n++
	}
	return n
}

// isKanaOrHan reports whether r is in the class of the second pattern.
func isKanaOrHan(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FA5 || r >= 0x3040 && r <= 0x30FF
}

// next returns the end of the piece that starts at text[i]: of a run of numbers, or of a match of
// the third pattern inside or outside of a run of the second.
func (DeepSeek) next(text string, i int) int {
	if c, _ := classAt(text, i); c&number != 0 {
		return numbers(text, i, 3)
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return deepSeekRun{text, isKanaOrHan(r)}.next(i)
}

// deepSeekRun is a text to the third pattern, which sees only what the first two have left together:
// characters of the second one, or others. The text ends for it where the other kind starts.
type deepSeekRun struct {
	text      string
	kanaOrHan bool
}

// classAt is the function classAt, but for the text beyond the run the class is number.
func (d deepSeekRun) classAt(i int) (class, int) {
	if b := d.text[i]; b < utf8.RuneSelf {
		if d.kanaOrHan {
			return number, 1
		}
		return classOfASCII(b), 1
	}
	r, size := utf8.DecodeRuneInString(d.text[i:])
	if isKanaOrHan(r) != d.kanaOrHan {
		return number, size
	}
	return classOf(r), size
}

// next returns the end of the piece that starts at text[i], which is not a number.
func (d deepSeekRun) next(i int) int {
	c, size := d.classAt(i)
	follows := i + size
	switch {
	case c&(letter|mark) != 0:
		return d.runOf(follows, letter|mark)
	case c&symbol != 0:
		if d.text[i] < utf8.RuneSelf && follows < len(d.text) && isLetterASCII(d.text[follows]) {
			return letterRun(d.text, follows)
		}
		return d.lineEnds(d.runOf(follows, symbol))
	case c&newline == 0:
		if end := d.runOf(follows, letter|mark); end > follows {
			return end
		}
	}
	if d.text[i] == ' ' {
		if end := d.runOf(follows, symbol); end > follows {
			return d.lineEnds(end)
		}
	}
	if c&space != 0 {
		return d.spaces(i)
	}
	return d.unmatched(follows)
}

// runOf returns the end of the run at text[i:] of characters that have one of the bits of set.
func (d deepSeekRun) runOf(i int, set class) int {
	for i < len(d.text) {
		if set&letter != 0 && !d.kanaOrHan {
			if i = letterRun(d.text, i); i == len(d.text) {
				break
			}
		}
		c, size := d.classAt(i)
		if c&set == 0 {
			break
		}
		i += size
	}
	return i
}

// spaces is the function spaces, but the text may end earlier.
func (d deepSeekRun) spaces(i int) int {
	end := d.runOf(i, space)
	if end < len(d.text) {
		if c, _ := d.classAt(end); c&number != 0 {
			return spaces(d.text[:end], i, true)
		}
	}
	return spaces(d.text, i, true)
}

// lineEnds is the function lineEnds; there are none inside of a run of the second pattern.
func (d deepSeekRun) lineEnds(i int) int {
	if d.kanaOrHan {
		return i
	}
	return lineEnds(d.text, i, false)
}

// unmatched returns the end of a run of characters that no pattern matches, such as controls; they
// stay together. The one before a letter goes with the letter.
func (d deepSeekRun) unmatched(i int) int {
	for i < len(d.text) {
		c, size := d.classAt(i)
		if c != 0 || d.runOf(i+size, letter|mark) > i+size {
			break
		}
		i += size
	}
	return i
}

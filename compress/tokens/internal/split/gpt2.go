package split

// GPT2 splits by the pattern of r50k_base, p50k_base and GPT-2:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
type GPT2 struct{}

// Split implements [Splitter].
func (s GPT2) Split(text string, pos int, ends []int) int {
	n := 0
	for n < len(ends) && pos < len(text) {
		pos = s.next(text, pos)
		ends[n] = pos
		n++
	}
	return n
}

// next returns the end of the piece that starts at text[i].
func (GPT2) next(text string, i int) int {
	start := i
	switch {
	case text[i] == '\'':
		if end := contraction(text, i, false); end > i && isLower(text[i+1:end]) {
			return end
		}
	case text[i] == ' ' && i+1 < len(text):
		i++
	}
	if isLetterASCII(text[i]) {
		i = letterRun(text, i)
		if i < len(text) && text[i] >= 0x80 {
			return runOf(text, i, letter)
		}
		return i
	}
	c, size := classAt(text, i)
	switch {
	case c&letter != 0:
		return runOf(text, i+size, letter)
	case c&number != 0:
		return runOf(text, i+size, number)
	case c&space == 0:
		return runWithout(text, i+size, letter|number|space)
	}
	return spaces(text, start, false)
}

// isLower reports whether text is made of a-z only.
func isLower(text string) bool { return lowerRun(text, 0) == len(text) }

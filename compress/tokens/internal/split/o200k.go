package split

// O200k splits by the pattern of o200k_base (Digits = 3) and that of Mistral's Tekken (Digits = 1, no
// contractions): words end where the case changes from lower to upper.
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
type O200k struct {
	O200kOptions
	ascii *automaton
}

// O200kOptions are what the patterns differ in.
type O200kOptions struct {
	Digits         int  // the longest run of numbers in one piece
	NoContractions bool // whether the pattern has no (?i:'s|...)?
	LongS          bool // whether 'ſ is a contraction: the case folding of Unicode, which regexp2 lacks
}

// NewO200k returns the splitter of a pattern.
func NewO200k(o O200kOptions) O200k {
	return O200k{o, newAutomaton(rules{digits: o.Digits, cases: true, slashes: true, suffixes: !o.NoContractions})}
}

// Split implements [Splitter].
func (s O200k) Split(text string, pos int, ends []int) int {
	return s.ascii.split(text, pos, ends, s.next)
}

// next returns the end of the piece that starts at text[i]: first the common cases in ASCII.
func (s O200k) next(text string, i int) int {
	b := text[i]
	if isLetterASCII(b) {
		return s.word(text, i, i)
	}
	if b >= 0x80 || i+1 == len(text) {
		return s.slow(text, i)
	}
	c := classOfASCII(b)
	follows := text[i+1]
	switch {
	case c&(number|newline) == 0 && isLetterASCII(follows):
		return s.word(text, i, i+1)
	case follows >= 0x80:
		return s.slow(text, i)
	case c&number != 0:
		return numbers(text, i, s.Digits)
	case c&space == 0, b == ' ' && classOfASCII(follows)&(letter|number|space) == 0:
		return lineEnds(text, runWithout(text, i+1, letter|number|space), true)
	}
	return spaces(text, i, true)
}

// word returns the end of the piece that starts at text[start] and whose letters start at text[i].
func (s O200k) word(text string, start, i int) int {
	for i < len(text) && text[i]-'A' < 26 {
		i++
	}
	i = lowerRun(text, i)
	if i == len(text) {
		return i
	}
	switch b := text[i]; {
	case b >= 0x80:
		return s.slow(text, start)
	case b == '\'':
		return s.contraction(text, i)
	}
	return i
}

// slow returns the end of the piece that starts at text[i], following the pattern literally.
func (s O200k) slow(text string, i int) int {
	c, size := classAt(text, i)
	if c&(letter|number|newline) == 0 {
		if end := s.mixedWord(text, i+size); end > 0 {
			return end
		}
	}
	if c&(letter|mark) != 0 {
		if end := s.mixedWord(text, i); end > 0 {
			return end
		}
	}
	if c&(letter|number|newline) == 0 {
		if end := s.upperWord(text, i+size); end > 0 {
			return end
		}
	}
	switch {
	case c&letter != 0: // a mark alone is a mixed word
		return s.upperWord(text, i)
	case c&number != 0:
		return numbers(text, i, s.Digits)
	case c&space == 0:
		return lineEnds(text, runWithout(text, i, letter|number|space), true)
	case text[i] == ' ':
		if end := runWithout(text, i+1, letter|number|space); end > i+1 {
			return lineEnds(text, end, true)
		}
	}
	return spaces(text, i, true)
}

// mixedWord matches the letters and the contraction of the first alternative at text[i:]; 0 if they
// do not match.
func (s O200k) mixedWord(text string, i int) int {
	afterBoth := 0 // the end of the last character that may stand on either side of the change of case
	for i < len(text) {
		c, size := classAt(text, i)
		if c&upperLike == 0 {
			if c&lower != 0 {
				return s.contraction(text, runOf(text, i+size, lowerLike))
			}
			break
		}
		i += size
		if c&lowerLike != 0 {
			afterBoth = i
		}
	}
	if afterBoth == 0 {
		return 0
	}
	return s.contraction(text, afterBoth) // the regular expression gives back what follows it
}

// upperWord matches the letters and the contraction of the second alternative at text[i:], where the
// first has failed, so that no lower case follows; 0 if they do not match.
func (s O200k) upperWord(text string, i int) int {
	end := runOf(text, i, upperLike)
	if end == i {
		return 0
	}
	return s.contraction(text, end)
}

// contraction returns the end of a contraction at text[i:], or i.
func (s O200k) contraction(text string, i int) int {
	if s.NoContractions {
		return i
	}
	return contraction(text, i, s.LongS)
}

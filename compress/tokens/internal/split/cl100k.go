package split

// CL100k splits by the pattern of cl100k_base and Llama 3 (Digits = 3), and of Qwen 2 to 3
// (Digits = 1):
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
type CL100k struct {
	CL100kOptions
	ascii *automaton
}

// CL100kOptions are what the patterns differ in.
type CL100kOptions struct {
	Digits int  // the longest run of numbers in one piece
	LongS  bool // whether 'ſ is a contraction: the case folding of Unicode, which regexp2 lacks
}

// NewCL100k returns the splitter of a pattern.
func NewCL100k(o CL100kOptions) CL100k {
	return CL100k{o, newAutomaton(rules{digits: o.Digits, contracted: true})}
}

// Split implements [Splitter].
func (s CL100k) Split(text string, pos int, ends []int) int {
	return s.ascii.split(text, pos, ends, s.next)
}

// next returns the end of the piece that starts at text[i]: first the common cases in ASCII.
func (s CL100k) next(text string, i int) int {
	b := text[i]
	if isLetterASCII(b) {
		return s.word(text, i+1)
	}
	if b >= 0x80 || b == '\'' || i+1 == len(text) {
		return s.slow(text, i)
	}
	c := classOfASCII(b)
	follows := text[i+1]
	switch {
	case c&(number|newline) == 0 && isLetterASCII(follows):
		return s.word(text, i+2)
	case follows >= 0x80:
		return s.slow(text, i)
	case c&number != 0:
		return numbers(text, i, s.Digits)
	case c&space == 0, b == ' ' && classOfASCII(follows)&(letter|number|space) == 0:
		return lineEnds(text, runWithout(text, i+1, letter|number|space), false)
	}
	return spaces(text, i, true)
}

// word returns the end of the letters of which text[:i] holds the first ones.
func (s CL100k) word(text string, i int) int {
	i = letterRun(text, i)
	if i < len(text) && text[i] >= 0x80 {
		return runOf(text, i, letter)
	}
	return i
}

// slow returns the end of the piece that starts at text[i], following the pattern literally.
func (s CL100k) slow(text string, i int) int {
	if end := contraction(text, i, s.LongS); end > i {
		return end
	}
	c, size := classAt(text, i)
	if c&(letter|number|newline) == 0 {
		if end := runOf(text, i+size, letter); end > i+size {
			return end
		}
	}
	switch {
	case c&letter != 0:
		return runOf(text, i+size, letter)
	case c&number != 0:
		return numbers(text, i, s.Digits)
	case c&space == 0:
		return lineEnds(text, runWithout(text, i, letter|number|space), false)
	case text[i] == ' ':
		if end := runWithout(text, i+1, letter|number|space); end > i+1 {
			return lineEnds(text, end, false)
		}
	}
	return spaces(text, i, true)
}

package split

import "unicode/utf8"

// An automaton finds the ends of pieces of ASCII, two characters a step and without a branch that
// depends on the text: which character follows cannot be foretold, and a wrong guess costs a
// processor as much as several steps. Where more than its states would be needed (a character that
// is not ASCII, a contraction, white space behind a line end) it stops, and the rules written out in
// next take over for one piece.
type automaton struct {
	// steps holds for a state and two kinds of characters, at state|first<<4|second, the state after
	// both, and in the lowest bits where pieces end: one character before the first, before the
	// first, before the second.
	steps [states << 8]uint16
}

// rules are what the patterns differ in.
type rules struct {
	digits     int  // the longest run of numbers in one piece
	cases      bool // a word ends where a capital follows a small letter
	slashes    bool // slashes belong to the line ends behind punctuation
	suffixes   bool // a contraction belongs to the word before it
	contracted bool // a contraction is a piece of its own
}

// kind is what a byte is to the automaton.
type kind = uint8

const (
	kindLower kind = iota
	kindUpper
	kindDigit
	kindSpace
	kindBlank // other white space but line ends
	kindLine  // CR and LF
	kindSlash
	kindApostrophe
	kindOther  // punctuation, symbols, controls
	kindBeyond // not ASCII
	kinds
)

// kindTable is the kind of every byte.
var kindTable = func() (t [256]kind) {
	for b := range t {
		t[b] = kindOf(byte(b))
	}
	return t
}()

func kindOf(b byte) kind {
	switch {
	case b >= 0x80:
		return kindBeyond
	case b == ' ':
		return kindSpace
	case b == '/':
		return kindSlash
	case b == '\'':
		return kindApostrophe
	}
	switch c := classOfASCII(b); {
	case c&lower != 0:
		return kindLower
	case c&upper != 0:
		return kindUpper
	case c&number != 0:
		return kindDigit
	case c&newline != 0:
		return kindLine
	case c&space != 0:
		return kindBlank
	}
	return kindOther
}

// The states: what the piece consists of so far.
const (
	stateNothing    = iota
	stateStop       // the automaton cannot go on
	stateLower      // a word with a small letter
	stateUpper      // a word without
	stateSpace      // one space
	stateBlank      // one blank
	stateSpaces     // several spaces and blanks, a space last
	stateBlanks     // the same, a blank last
	stateLines      // white space up to a line end
	stateMark       // one other character
	stateApostrophe // an apostrophe that may begin a contraction
	stateMarks      // several, or a space before them
	stateTail       // other characters and line ends
	stateDigits     // one digit; the next two states are of two and three, the most that a pattern takes
	states          = 16
)

const stateMask = (states - 1) << 8

// newAutomaton makes the table of steps.
func newAutomaton(r rules) *automaton {
	a := &automaton{}
	for state := range states {
		for first := range kinds {
			for second := range kinds {
				middle, back, end := r.step(state, first)
				step := boolBit(back) | boolBit(end)<<1
				after := middle
				if middle != stateStop {
					after, back, end = r.step(middle, second)
					step |= boolBit(back)<<1 | boolBit(end)<<2
				}
				a.steps[state<<8|int(first)<<4|int(second)] = uint16(after)<<8 | step
			}
		}
	}
	return a
}

func boolBit(b bool) uint16 {
	if b {
		return 1
	}
	return 0
}

// step says what a character makes of a state, whether a piece ends one character before it, and
// whether one ends before it.
func (r rules) step(state int, k kind) (next int, back, end bool) {
	word := k == kindLower || k == kindUpper
	switch {
	case state == stateNothing:
		return r.begin(k), false, false
	case k == kindBeyond || state == stateStop:
		return stateStop, false, false
	}
	switch state {
	case stateLower, stateUpper:
		switch {
		case k == kindLower, k == kindUpper && (state == stateUpper || !r.cases):
			return r.begin(k), false, false
		case k == kindApostrophe && r.suffixes:
			return stateStop, false, false
		}
	case stateSpace, stateBlank, stateSpaces, stateBlanks:
		several := state == stateSpaces || state == stateBlanks
		switch {
		case k == kindSpace:
			return stateSpaces, false, false
		case k == kindBlank:
			return stateBlanks, false, false
		case k == kindLine:
			return stateLines, false, false
		case word:
			return r.begin(k), several, false
		case k != kindDigit && (state == stateSpace || state == stateSpaces):
			return stateMarks, several, false
		}
		return r.begin(k), several, true
	case stateLines:
		switch k {
		case kindLine:
			return stateLines, false, false
		case kindSpace, kindBlank:
			return stateStop, false, false
		}
	case stateMark, stateApostrophe, stateMarks:
		switch {
		case word && state == stateMark:
			return r.begin(k), false, false
		case word && state == stateApostrophe:
			return stateStop, false, false
		case k == kindSlash, k == kindApostrophe, k == kindOther:
			return stateMarks, false, false
		case k == kindLine:
			return stateTail, false, false
		}
	case stateTail:
		if k == kindLine || k == kindSlash && r.slashes {
			return stateTail, false, false
		}
	default: // digits
		if k == kindDigit && state-stateDigits+1 < r.digits {
			return state + 1, false, false
		}
	}
	return r.begin(k), false, true
}

// begin is the state of a piece that a character begins.
func (r rules) begin(k kind) int {
	switch k {
	case kindLower:
		return stateLower
	case kindUpper:
		return stateUpper
	case kindDigit:
		return stateDigits
	case kindSpace:
		return stateSpace
	case kindBlank:
		return stateBlank
	case kindLine:
		return stateLines
	case kindBeyond:
		return stateStop
	case kindApostrophe:
		if r.contracted {
			return stateApostrophe
		}
	}
	return stateMark
}

// room is how many ends one step of the automaton may write.
const room = 3

// run writes ends of pieces from i on, where one begins, and returns their number. It stops before
// the ends are full, at the end of the text, or where it does not know what follows.
func (a *automaton) run(text string, i int, ends []int) int {
	n, step := 0, uint(0)
	for i+2 <= len(text) && n+room <= len(ends) {
		two := kindTable[text[i]]<<4 | kindTable[text[i+1]]
		step = uint(a.steps[step&stateMask|uint(two)])
		ends[n] = i - 1
		n += int(step & 1)
		ends[n] = i
		n += int(step >> 1 & 1)
		ends[n] = i + 1
		n += int(step >> 2 & 1)
		if step&stateMask == stateStop<<8 {
			break
		}
		i += 2
	}
	return n
}

// split is Split, with next for the pieces that the automaton leaves.
func (a *automaton) split(text string, pos int, ends []int, next func(text string, i int) int) int {
	n := 0
	for n < len(ends) && pos < len(text) {
		// Text that is not ASCII hardly ever stands alone.
		if text[pos] < utf8.RuneSelf && (pos == 0 || text[pos-1] < utf8.RuneSelf) {
			if k := a.run(text, pos, ends[n:]); k > 0 {
				n += k
				pos = ends[n-1]
			}
			if n == len(ends) {
				break
			}
		}
		pos = next(text, pos)
		ends[n] = pos
		n++
	}
	return n
}

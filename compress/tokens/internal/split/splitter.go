// Package split cuts texts into the pieces that byte-pair encoding works on, the way the regular
// expressions of the tokenizers do. The common patterns are written by hand, see [ForPatterns];
// all others run as regular expressions, see [Regexp].
//
// Characters are those that Go's decoding of UTF-8 sees: a byte that is not part of a valid
// character is one of its own, with the class of U+FFFD.
package split

// Splitter cuts a text into pieces. It is safe for concurrent use.
type Splitter interface {
	// Split writes the ends of the pieces of text from pos on to ends, as many as there is room
	// for, and returns their number: at least one if pos < len(text) and len(ends) > 0. pos is 0
	// or the last end that a Split of the same text returned.
	Split(text string, pos int, ends []int) int
}

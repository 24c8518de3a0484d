// Command gen writes classes.bin, the table of character classes of package split, from the tables
// of package unicode that regular expressions use.
package main

import (
	"fmt"
	"os"
	"unicode"
)

// The bits of package split.
const (
	upper = 1 << iota
	lower
	other
	mark
	number
	space
	newline
	symbol
)

func main() {
	if err := os.WriteFile("classes.bin", table(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// table returns the block numbers of all 4352 blocks of 256 code points, then the distinct blocks.
func table() []byte {
	var numbers, blocks []byte
	seen := map[[256]byte]byte{}
	for start := rune(0); start <= unicode.MaxRune; start += 256 {
		var block [256]byte
		for i := range block {
			block[i] = classify(start + rune(i))
		}
		index, found := seen[block]
		if !found {
			index = byte(len(seen))
			seen[block] = index
			blocks = append(blocks, block[:]...)
		}
		numbers = append(numbers, index)
	}
	if len(seen) > 256 {
		panic("more distinct blocks than a byte can number")
	}
	return append(numbers, blocks...)
}

func classify(r rune) byte {
	switch {
	case r == '\r' || r == '\n':
		return space | newline
	case unicode.Is(unicode.White_Space, r):
		return space
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return other
	case unicode.Is(unicode.M, r):
		return mark
	case unicode.Is(unicode.N, r):
		return number
	case unicode.In(r, unicode.P, unicode.S):
		return symbol
	}
	return 0
}

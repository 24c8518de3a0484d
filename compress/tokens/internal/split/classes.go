package split

import _ "embed"

//go:generate go run ./gen

// class is a set of bits that says what a character is to the patterns. Every character has one of
// the letter bits, or one of the others, or none (controls, format characters, unassigned ones).
type class uint8

const (
	upper   class = 1 << iota // \p{Lu} \p{Lt}
	lower                     // \p{Ll}
	other                     // \p{Lm} \p{Lo}: letters that are of both cases to o200k_base
	mark                      // \p{M}
	number                    // \p{N}
	space                     // \s, line ends included
	newline                   // \r \n
	symbol                    // \p{P} \p{S}

	letter    = upper | lower | other // \p{L}
	upperLike = upper | other | mark  // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
	lowerLike = lower | other | mark  // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
)

// classTable is a two-stage table of the classes of all code points, written by ./gen from the
// tables of package unicode: the numbers of the 256-entry blocks, then the distinct blocks. Its
// first block is that of the first 256 code points.
//
//go:embed classes.bin
var classTable string

// stageOne is the number of block numbers at the head of classTable.
const stageOne = 0x110000 >> 8

// classOfASCII returns the class of a byte below 0x80.
func classOfASCII(b byte) class { return class(classTable[stageOne+int(b)]) }

// classOf returns the class of a code point.
func classOf(r rune) class {
	block := int(classTable[uint32(r)>>8])
	return class(classTable[stageOne+block<<8+int(r&0xFF)])
}

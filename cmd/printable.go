package cmd

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes a text safe to show on a terminal and keeps it on one line: everything that is not a graphic
// character or a plain space (control characters, escape sequences, line breaks, marks that reverse the direction of
// text, invalid UTF-8) is spelled as an escape. File names and excerpts of transcripts come from strangers.
func printable(text string) string {
	if isPrintable(text) {
		return text
	}
	var out strings.Builder
	for len(text) > 0 {
		char, size := utf8.DecodeRuneInString(text)
		switch {
		case char == utf8.RuneError && size == 1:
			out.WriteString(`\x` + strconv.FormatUint(uint64(text[0])+0x100, 16)[1:])
		case unicode.IsPrint(char):
			out.WriteRune(char)
		default:
			quoted := strconv.QuoteRune(char)
			out.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return out.String()
}

func isPrintable(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, char := range text {
		if !unicode.IsPrint(char) {
			return false
		}
	}
	return true
}

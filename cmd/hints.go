package cmd

import (
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// named puts the name of an input into the hint of err, where the packages that read could only say FILE. The name of
// the standard input would be no help.
func named(in input, err error) error {
	hint := formats.HintOf(err)
	if in.isStdin() || !strings.Contains(hint, "FILE") {
		return err
	}
	return &formats.Hinted{Err: err, Next: strings.ReplaceAll(hint, "FILE", shellWord(in.name))}
}

// shellWord is text as a word of a POSIX shell's command: quoted where it holds more than letters, digits and plain marks.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,%+@", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

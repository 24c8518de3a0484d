package jsonl

import (
	"bytes"
	"errors"

	"github.com/ctxpack/ctxpack/formats"
)

// Framing is how a stream is cut into records.
type Framing string

// The framings.
const (
	Lines  Framing = "lines"  // one JSON value a line
	Array  Framing = "array"  // the elements of one JSON array
	Values Framing = "values" // JSON values, each over any number of lines: one document, one record

	// Session is a whole file as one record: the lines of a session log, which are one conversation together.
	Session Framing = "session"
)

// peekSize is how much of a stream detection may look at.
const peekSize = 1 << 20

var byteOrderMark = []byte("\xef\xbb\xbf")

// detect tells the framing from the first bytes of a stream and says why, in a phrase. ended says that peek is the
// whole stream. Streams that are certainly no JSON in UTF-8 are an error with a hint.
func detect(peek []byte, ended bool) (Framing, string, error) {
	if err := refuse(peek); err != nil {
		return "", "", err
	}
	b := bytes.TrimLeft(bytes.TrimPrefix(peek, byteOrderMark), " \t\r\n")
	if len(b) == 0 {
		return Lines, "there is nothing in it", nil
	}
	if b[0] != '{' && b[0] != '[' {
		return Lines, "it does not begin with an object or an array", nil
	}
	first, rest, hasEnd := bytes.Cut(b, []byte("\n"))
	if !hasEnd && !ended {
		return longFirstLine(first)
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	switch n := wholeValues(first); {
	case n == 1 && b[0] == '{':
		return Lines, "its first line is a whole object", nil
	case n == 1 && (len(rest) > 0 || !ended):
		return Lines, "its first line is a whole array and more follows", nil
	case n == 1 && messageLike(firstElement(first)):
		return Lines, "it is one array of messages on one line: one conversation", nil
	case n == 1:
		return Array, "it is one array on one line", nil
	case n > 1:
		return Values, "several values stand on its first line", nil
	}
	return manyLines(b, first, rest, ended)
}

// longFirstLine decides by the first element when the first line is longer than what was read.
func longFirstLine(b []byte) (Framing, string, error) {
	switch {
	case b[0] == '{':
		return Lines, "its first line is a long object", nil
	case messageLike(firstElement(b)):
		return Lines, "its first line is a long array of messages: one conversation", nil
	default:
		return Array, "it begins with a long array on one line", nil
	}
}

// manyLines decides when the first line is not a value: either a value goes on over the following lines, or the first
// line alone is malformed.
func manyLines(b, first, rest []byte, ended bool) (Framing, string, error) {
	var s scanner
	whole := s.scan(b, ended) == complete
	switch {
	case whole && b[0] == '{':
		// A value that ends right on its first line, with something other than values behind it, is a malformed line.
		if s.pos < len(first) {
			return Lines, "its first line begins with an object", nil
		}
		return Values, "an object goes over several lines", nil
	case b[0] == '{' && len(rest) == 0:
		return Lines, "it is a single line", nil
	case !whole && len(bytes.TrimSpace(first)) > 1 && mostlyWhole(rest, ended):
		return Lines, "the lines behind its first one are whole values", nil
	case b[0] == '{':
		return Values, "an object begins on its first line and goes on", nil
	case messageLike(firstElement(b)):
		return Values, "it is one array of messages over several lines: one conversation", nil
	case whole && s.pos < len(first):
		return Lines, "its first line begins with an array", nil
	default:
		return Array, "an array begins on its first line and goes on", nil
	}
}

// wholeValues counts the complete values that a line consists of; 0 when there is anything else on it.
func wholeValues(line []byte) int {
	n := 0
	for line = bytes.TrimSpace(line); len(line) > 0; line = bytes.TrimSpace(line) {
		var s scanner
		if s.scan(line, true) != complete {
			return 0
		}
		line = line[s.pos:]
		n++
	}
	return n
}

// mostlyWhole says that more than half of the lines are complete objects or arrays.
func mostlyWhole(b []byte, ended bool) bool {
	const enough = 32
	whole, all := 0, 0
	for len(b) > 0 && all < enough {
		line, rest, hasEnd := bytes.Cut(b, []byte("\n"))
		b = rest
		line = bytes.TrimSpace(line)
		if len(line) == 0 || (!hasEnd && !ended) {
			continue
		}
		all++
		if (line[0] == '{' || line[0] == '[') && wholeValues(line) == 1 {
			whole++
		}
	}
	return 2*whole > all
}

// refuse gives an error for encodings and files of which no record could be read.
func refuse(b []byte) error {
	if name := wideEncoding(b); name != "" {
		return formats.WithHint(errors.New("the text is encoded in "+name+", not in UTF-8"),
			"convert it: iconv -f %s -t UTF-8 FILE | ctxpack compact - -o OUT", name)
	}
	// A NUL byte cannot stand in JSON. A few may come from a torn write and cost their lines only; many are no text.
	const tolerated = 64 // one in so many bytes
	if n := bytes.Count(b, []byte{0}); n > 1 && n > len(b)/tolerated {
		return formats.WithHint(errors.New("this is a binary file, not JSON"),
			"ctxpack reads JSON lines, JSON arrays, JSON documents and Parquet; look at it with: file FILE")
	}
	return nil
}

// wideEncoding names UTF-16 or UTF-32 by the byte order mark or by the place of the zeros in the first two characters
// (RFC 4627, section 3: the first two characters of a JSON text are ASCII).
func wideEncoding(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(b, []byte{0, 0, 0xfe, 0xff}):
		return "UTF-32"
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}), bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return "UTF-16"
	case len(b) < 4:
		return ""
	}
	zeros := [4]bool{b[0] == 0, b[1] == 0, b[2] == 0, b[3] == 0}
	switch zeros {
	case [4]bool{false, true, false, true}:
		return "UTF-16LE"
	case [4]bool{true, false, true, false}:
		return "UTF-16BE"
	case [4]bool{false, true, true, true}:
		return "UTF-32LE"
	case [4]bool{true, true, true, false}:
		return "UTF-32BE"
	}
	return ""
}

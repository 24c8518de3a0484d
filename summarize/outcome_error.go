package summarize

import (
	"iter"
	"math/bits"
	"strings"
)

// maxErrorScan bounds the search for an error line: the beginning and the end of an output.
const maxErrorScan = 1 << 16

// firstError gives the line that says best what went wrong: the last exception line of a traceback, else the first line
// that names an error.
func firstError(output string) string {
	parts := [...]string{output, ""}
	if len(output) > 2*maxErrorScan {
		parts = [...]string{output[:maxErrorScan], output[len(output)-maxErrorScan:]}
	}
	first, exception := "", ""
	traceback := false
	for _, part := range parts {
		for line := range linesWithErrorWord(part) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "Traceback (most recent call last)") {
				traceback = true
				continue
			}
			if first != "" && !traceback || !IsErrorLine(line) {
				continue
			}
			if traceback && isException(line) {
				exception = line
			}
			if first == "" {
				first = line
			}
		}
	}
	if exception != "" {
		return clipLine(exception)
	}
	return clipLine(first)
}

// errorWords are pieces of words that error lines have, none shorter than errorHead.
var errorWords = [...]string{
	"rror", "FAIL", "ailed", "xception", "ERROR", "atal", "not found", "anic", "denied", "o such file", "Traceback", "annot ", "o module ", "aborted", "ndefined",
}

// The heads of all words are searched at once, by the shift-and method: a bit for each byte of each head, which is set
// in the entry of that byte. What is left in the state are the heads that may go on with the next byte.
const (
	errorHead   = 4
	errorFirsts = 0x111111111111111 // the bit of the first byte of each word
	errorLasts  = errorFirsts << (errorHead - 1)
)

var errorBytes = errorTable()

func errorTable() (t [256]uint64) {
	for k, word := range errorWords {
		for i := range errorHead {
			t[word[i]] |= 1 << (k*errorHead + i)
		}
	}
	return t
}

// indexErrorWord gives the offset of the first of errorWords in text, -1 for none.
func indexErrorWord(text string) int {
	var state uint64
	for i := 0; i < len(text); i++ {
		state = (state<<1 | errorFirsts) & errorBytes[text[i]]
		if hit := state & errorLasts; hit != 0 {
			start := i + 1 - errorHead
			if strings.HasPrefix(text[start:], errorWords[bits.TrailingZeros64(hit)/errorHead]) {
				return start
			}
		}
	}
	return -1
}

// linesWithErrorWord yields the lines of text for which mayBeError holds, in order, without looking at the others one by
// one.
func linesWithErrorWord(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			at := indexErrorWord(text)
			if at < 0 {
				return
			}
			start := strings.LastIndexByte(text[:at], '\n') + 1
			line, rest, _ := strings.Cut(text[start:], "\n")
			if errorLength(line) && !yield(line) {
				return
			}
			text = rest
		}
	}
}

// mayBeError is a quick look for words that error lines have.
func mayBeError(line string) bool { return errorLength(line) && indexErrorWord(line) >= 0 }

func errorLength(line string) bool { return len(line) >= 5 && len(line) <= 2000 }

// isException: "ValueError: bad", "django.core.exceptions.FieldError: …", "E   AssertionError: …".
func isException(line string) bool {
	line = strings.TrimSpace(strings.TrimPrefix(line, "E "))
	name := line
	if i := strings.IndexByte(line, ':'); i >= 0 {
		name = line[:i]
	}
	if name == "" || len(name) > 100 || class[name[0]]&(lower|upper) == 0 {
		return false
	}
	for i := 0; i < len(name); i++ {
		if class[name[i]]&(lower|upper|digit|underscore|dot) == 0 {
			return false
		}
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" || class[last[0]] != upper {
		return false
	}
	switch last {
	case "KeyboardInterrupt", "SystemExit", "StopIteration", "DoesNotExist":
		return true
	}
	return strings.HasSuffix(last, "Error") || strings.HasSuffix(last, "Exception")
}

// IsErrorLine says whether a trimmed line states an error, as tools print them. Source code that mentions one does not.
func IsErrorLine(line string) bool {
	if looksLikeCode(line) || !mayBeError(line) {
		return false
	}
	if isException(line) || startsError(line) {
		return true
	}
	for _, part := range [...]string{": error:", ": error ", ": fatal error", ": command not found", ": No such file or directory", ": not found",
		": Permission denied", ": cannot ", " FAILED", "npm ERR!", "Error: ", ": undefined: ", "--- FAIL:", ": No module named "} {
		if strings.Contains(line, part) {
			return true
		}
	}
	return false
}

// errorStarts are the words that an error line begins with.
var errorStarts = byFirstByte("Error", "ERROR", "error:", "error[", "FAILED", "FAIL:", "FAIL\t", "FAIL ", "fatal:", "panic:", "Fatal", "Exception", "Failed", "failed ",
	"E   ", "Traceback", "Uncaught", "Unhandled", "Cannot ", "cannot ", "ERR!", "Permission denied", "No such file", "Command failed", "Command aborted", "Operation aborted", "Invalid ", "Unknown command")

// startsError: a line that begins with the word.
func startsError(line string) bool { return errorStarts.begin(line) }

// codeStarts begin lines of source that names an error.
var codeStarts = byFirstByte("raise ", "except ", "except:", "return ", "if ", "elif ", "for ", "from ", "import ", "class ", "def ", "func ", "throw ",
	"# ", "// ", "* ", "'", "\"", "self.", "with ", "assert", "print(", "log.", "logger.", "+", "-", ">", "|", "err", "case ", "} ", "const ", "let ", "var ")

// looksLikeCode: a line of source that names an error: raise, except, return, a call, a comment, numbered lines.
func looksLikeCode(line string) bool {
	if codeStarts.begin(line) {
		return !strings.HasPrefix(line, "--- FAIL") && !strings.HasPrefix(line, "error")
	}
	return line != "" && class[line[0]] == digit || strings.HasSuffix(line, "{") || strings.HasSuffix(line, "(") || strings.HasSuffix(line, "):")
}

// prefixes is a set of strings by their first byte.
type prefixes [256][]string

func byFirstByte(list ...string) *prefixes {
	var p prefixes
	for _, s := range list {
		p[s[0]] = append(p[s[0]], s)
	}
	return &p
}

// begin says whether text begins with one of them.
func (p *prefixes) begin(text string) bool {
	if text == "" {
		return false
	}
	for _, s := range p[text[0]] {
		if strings.HasPrefix(text, s) {
			return true
		}
	}
	return false
}

// maxErrorLine is where an error line is clipped, in bytes.
const maxErrorLine = 200

func clipLine(line string) string { return Clip(strings.TrimSpace(line), maxErrorLine) }

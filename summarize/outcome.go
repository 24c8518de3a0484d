package summarize

import (
	"encoding/json"
	"strings"
)

// Outcome is how a tool call ended.
type Outcome struct {
	Exit   string // exit code as the harness wrote it; "" when it does not say
	Failed bool
	Error  string // the first line that names an error, trimmed; "" for none
}

// Unwrap gives what a tool printed: the output of a JSON envelope ({"output": …, "exit_code": 0}), the inside of
// <output>, otherwise the text itself.
func Unwrap(text string) string {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "{") && strings.HasSuffix(trimmed, "}") {
		if s, ok := unwrapJSON(trimmed); ok {
			return s
		}
		return text
	}
	if strings.HasPrefix(trimmed, "<returncode>") || strings.HasPrefix(trimmed, "<output>") {
		if _, rest, ok := strings.Cut(trimmed, "<output>"); ok {
			if i := strings.LastIndex(rest, "</output>"); i >= 0 {
				rest = rest[:i]
			}
			return strings.TrimPrefix(rest, "\n")
		}
	}
	return text
}

// envelopeKeys are the members of a JSON result that hold text a person would read, in the order they are shown.
var envelopeKeys = [...]string{"stdout", "output", "content", "result", "text", "message", "stderr", "error", "traceback"}

func unwrapJSON(text string) (string, bool) {
	has := false
	for _, key := range envelopeKeys {
		has = has || strings.Contains(text, `"`+key+`"`)
	}
	if !has {
		return "", false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil {
		return "", false
	}
	var parts []string
	for _, key := range envelopeKeys {
		var s string
		if raw, ok := members[key]; ok && json.Unmarshal(raw, &s) == nil && s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return "", false
	}
	return strings.Join(parts, "\n"), true
}

// exitMarks stand before an exit code, in small letters, in results of common harnesses.
var exitMarks = [...]string{"<returncode>", `"exit_code":`, `"returncode":`, `"exitcode":`, "exit code:", "exit code ", "exit_code=", "exited with code ", "exit status ", "exit status: "}

// ReadOutcome reads how a call ended from its raw result and the unwrapped output. ran says that it was a command: then
// an error line counts as a failure only where there is no exit code.
func ReadOutcome(raw, output string, isError, ran bool) Outcome {
	o := Outcome{Exit: exitCode(raw)}
	o.Failed = isError || o.Exit != "" && o.Exit != "0"
	if !ran && o.Exit == "" && !isError {
		// Files and data are full of words like error: only the beginning says that the call failed.
		first := firstLine(output)
		if startsError(first) {
			o.Failed, o.Error = true, clipLine(first)
		}
		return o
	}
	if o.Exit == "0" && !isError && !hiddenFailure(output) {
		return o
	}
	o.Error = firstError(output)
	if o.Exit == "" && o.Error != "" {
		o.Failed = true
	}
	if o.Exit == "0" && o.Error != "" {
		o.Failed = true
	}
	if o.Failed && o.Error == "" && o.Exit == "" {
		o.Error = clipLine(firstLine(output))
	}
	return o
}

// hiddenFailure: a pipe or a later command hid the exit code.
func hiddenFailure(output string) bool {
	for _, mark := range [...]string{"FAILED", "Traceback (most", ": No module named ", ": command not found"} {
		if strings.Contains(output, mark) {
			return true
		}
	}
	return false
}

func exitCode(raw string) string {
	const window = 240
	head, tail := raw, ""
	if len(raw) > 2*window {
		head, tail = raw[:window], raw[len(raw)-window:]
	}
	for _, part := range [...]string{head, tail} {
		small := strings.ToLower(part)
		for _, mark := range exitMarks {
			i := strings.Index(small, mark)
			if i < 0 || len(small) != len(part) {
				continue
			}
			rest := strings.TrimLeft(part[i+len(mark):], " ")
			n := 0
			for n < len(rest) && n < 5 && (class[rest[n]] == digit || n == 0 && rest[n] == '-') {
				n++
			}
			if n > 0 && rest[:n] != "-" {
				return rest[:n]
			}
		}
	}
	return ""
}

func firstLine(text string) string {
	for line := range strings.SplitSeq(text[:min(len(text), 4096)], "\n") {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// maxErrorScan bounds the search for an error line: the beginning and the end of an output.
const maxErrorScan = 1 << 16

// firstError gives the line that says best what went wrong: the last exception line of a traceback, else the first line
// that names an error.
func firstError(output string) string {
	if len(output) > 2*maxErrorScan {
		output = output[:maxErrorScan] + "\n" + output[len(output)-maxErrorScan:]
	}
	first, exception := "", ""
	traceback := false
	for line := range strings.SplitSeq(output, "\n") {
		if !mayBeError(line) {
			continue
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Traceback (most recent call last)") {
			traceback = true
			continue
		}
		if !IsErrorLine(line) {
			continue
		}
		if traceback && isException(line) {
			exception = line
		}
		if first == "" {
			first = line
		}
	}
	if exception != "" {
		return clipLine(exception)
	}
	return clipLine(first)
}

// mayBeError is a quick look for words that error lines have.
func mayBeError(line string) bool {
	return len(line) >= 5 && len(line) <= 2000 && (strings.Contains(line, "rror") || strings.Contains(line, "FAIL") || strings.Contains(line, "ailed") ||
		strings.Contains(line, "xception") || strings.Contains(line, "ERROR") || strings.Contains(line, "atal") || strings.Contains(line, "not found") ||
		strings.Contains(line, "anic") || strings.Contains(line, "denied") || strings.Contains(line, "o such file") || strings.Contains(line, "Traceback") ||
		strings.Contains(line, "annot ") || strings.Contains(line, "o module ") || strings.Contains(line, "aborted") || strings.Contains(line, "ndefined"))
}

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
	if !mayBeError(line) || looksLikeCode(line) {
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

// startsError: a line that begins with the word.
func startsError(line string) bool {
	for _, prefix := range [...]string{"Error", "ERROR", "error:", "error[", "FAILED", "FAIL:", "FAIL\t", "FAIL ", "fatal:", "panic:", "Fatal", "Exception", "Failed", "failed ",
		"E   ", "Traceback", "Uncaught", "Unhandled", "Cannot ", "cannot ", "ERR!", "Permission denied", "No such file", "Command failed", "Command aborted", "Operation aborted", "Invalid ", "Unknown command"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// looksLikeCode: a line of source that names an error: raise, except, return, a call, a comment, numbered lines.
func looksLikeCode(line string) bool {
	for _, prefix := range [...]string{"raise ", "except ", "except:", "return ", "if ", "elif ", "for ", "from ", "import ", "class ", "def ", "func ", "throw ",
		"# ", "// ", "* ", "'", "\"", "self.", "with ", "assert", "print(", "log.", "logger.", "+", "-", ">", "|", "err", "case ", "} ", "const ", "let ", "var "} {
		if strings.HasPrefix(line, prefix) {
			return !strings.HasPrefix(line, "--- FAIL") && !strings.HasPrefix(line, "error")
		}
	}
	return line != "" && class[line[0]] == digit || strings.HasSuffix(line, "{") || strings.HasSuffix(line, "(") || strings.HasSuffix(line, "):")
}

// maxErrorLine is where an error line is clipped, in bytes.
const maxErrorLine = 200

func clipLine(line string) string { return Clip(strings.TrimSpace(line), maxErrorLine) }

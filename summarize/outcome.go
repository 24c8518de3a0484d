package summarize

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
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
		if !namesExit(part) {
			continue
		}
		small := strings.ToLower(part)
		if len(small) != len(part) {
			continue
		}
		for _, mark := range exitMarks {
			i := strings.Index(small, mark)
			if i < 0 {
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

// namesExit is a quick look for what all of exitMarks have, "exit" or "returncode" in any letters; it may say true for
// more (a letter outside ASCII may have a small i).
func namesExit(s string) bool {
	for _, letter := range [...]byte{'x', 'X', 'u', 'U'} { // their rarest
		for from := 1; from < len(s); {
			i := strings.IndexByte(s[from:], letter)
			if i < 0 {
				break
			}
			from += i + 1
			if from == len(s) {
				break
			}
			switch before, rest := s[from-2]|0x20, s[from:]; {
			case before == 'e' && (beginsFold(rest, "it") || rest[0] >= utf8.RuneSelf), before == 't' && beginsFold(rest, "rnc"):
				return true
			}
		}
	}
	return false
}

func beginsFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func firstLine(text string) string {
	for line := range strings.SplitSeq(text[:min(len(text), 4096)], "\n") {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

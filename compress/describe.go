package compress

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/formats"
)

// A description is one line of at most keepResult characters, so that it is never described again.

// mainArguments are the argument keys that say what a call was about, in the order in which they are looked for.
var mainArguments = []string{
	"command", "cmd", "path", "file_path", "filename", "file", "target_file", "url", "uri", "query", "pattern", "q",
	"search", "code", "name", "id", "action", "thought",
}

// describe says what a cleared result was: tool, main argument, outcome, size.
//
//	[cleared: bash `go test ./...` -> exit 1, "FAIL: TestPairing", 214 lines, 8,120 characters]
func describe(call formats.ToolCall, r *formats.ToolResult) string {
	name := call.Name
	if name == "" {
		name = r.Name
	}
	if name == "" {
		name = "tool"
	}
	out := outcome(r)
	head := "[cleared: " + clip(oneLine(name), 40)
	tail := " -> " + out + size(r) + "]"
	if arg := mainArgument(call.Arguments); arg != "" {
		room := keepResult - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail) - 3
		if room > 8 {
			head += " `" + clip(arg, room) + "`"
		}
	}
	return clip(head+tail, keepResult)
}

func size(r *formats.ToolResult) string {
	var parts []string
	if lines := strings.Count(strings.TrimRight(r.Text, "\n"), "\n") + 1; lines > 1 {
		parts = append(parts, grouped(lines)+" lines")
	}
	if n := utf8.RuneCountInString(r.Text); n > 0 {
		parts = append(parts, grouped(n)+" characters")
	}
	if r.Media > 0 {
		parts = append(parts, plural(r.Media, "image"))
	}
	return strings.Join(parts, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// outcome is the exit code and the first line that tells of an error, each with ", " behind it; "" where neither shows.
func outcome(r *formats.ToolResult) string {
	var b strings.Builder
	code, found := exitCode(r.Text)
	if found {
		fmt.Fprintf(&b, "exit %d, ", code)
	}
	if found && code == 0 && !r.IsError {
		return b.String()
	}
	if line := errorLine(r.Text); line != "" {
		fmt.Fprintf(&b, "%q, ", clip(line, 60))
	} else if r.IsError {
		b.WriteString("error, ")
	}
	return b.String()
}

// exitMarks is how tools print a command's exit code: what stands before the number.
var exitMarks = []string{
	"<returncode>", "exit code: ", "exit code ", "exit_code: ", `"exit_code": `, `"exit_code":`, `"exitCode":`,
	`"returncode": `, `"returncode":`, "exited with code ", "exit status ", "returned non-zero exit status ",
}

// exitCode finds an exit code in the first and last bytes of an output, where tools print it.
func exitCode(text string) (int, bool) {
	const window = 300
	ends := []string{text}
	if len(text) > 2*window {
		ends = []string{text[:window], text[len(text)-window:]}
	}
	for _, part := range ends {
		lower := strings.ToLower(part)
		for _, mark := range exitMarks {
			at := strings.Index(lower, strings.ToLower(mark))
			if at < 0 {
				continue
			}
			rest := lower[at+len(mark):]
			end := 0
			for end < len(rest) && end < 6 && (rest[end] >= '0' && rest[end] <= '9' || end == 0 && rest[end] == '-') {
				end++
			}
			if n, err := strconv.Atoi(rest[:end]); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}

// errorWords begin or mark the lines that tell of an error. They are compared as they are.
var errorWords = []string{
	"Traceback", "Error:", "ERROR", "error:", "error[", "FAIL", "FAILED", "fatal:", "panic:", "Exception", "No such file",
	"command not found", "Permission denied", "cannot ", "AssertionError", "SyntaxError", "undefined:", "not found",
}

// errorLine is the first line of the first 20,000 bytes that tells of an error. The line behind a Python traceback's
// first is no better, so its last line is taken: the one that is not indented.
func errorLine(text string) string {
	const most = 20_000
	traceback := false
	for line := range strings.Lines(text[:min(len(text), most)]) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			continue
		}
		if traceback {
			if line[0] != ' ' && line[0] != '\t' {
				return oneLine(trimmed)
			}
			continue
		}
		for _, word := range errorWords {
			if strings.Contains(line, word) {
				if word == "Traceback" {
					traceback = true
					break
				}
				return oneLine(trimmed)
			}
		}
	}
	return ""
}

// mainArgument is the value that says what a call was about, on one line.
func mainArgument(arguments string) string {
	if arguments == "" {
		return ""
	}
	fields := formats.StringMembers(arguments)
	for _, key := range mainArguments {
		for _, f := range fields {
			if f.Key == key && f.Value != "" {
				return oneLine(f.Value)
			}
		}
	}
	if len(fields) > 0 {
		return oneLine(fields[0].Value)
	}
	return oneLine(arguments)
}

// backReference names the call whose output is the same and stays.
func backReference(m *formats.Message, call formats.ToolCall, r *formats.ToolResult) string {
	name := call.Name
	if name == "" {
		name = "tool"
	}
	later := fmt.Sprintf("message %d", m.Number)
	for _, other := range m.Results() {
		if other.Text == r.Text && other.CallID != "" {
			later = "call " + clip(oneLine(other.CallID), 60)
		}
	}
	return fmt.Sprintf("[cleared: %s, same output as the later %s]", clip(oneLine(name), 40), later)
}

// oneLine folds white space and drops what could not be printed on one line.
func oneLine(s string) string {
	const most = 400
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return strings.Join(strings.Fields(s), " ")
}

// clip cuts a text to n characters, the last of them an ellipsis.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	cut := 0
	for i := range s {
		if cut == n-1 {
			return s[:i] + "…"
		}
		cut++
	}
	return s
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

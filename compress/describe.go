package compress

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
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
	out := outcome(call, r)
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

// outcome is the exit code and the line that tells of an error, each with ", " behind it; "" where neither shows.
func outcome(call formats.ToolCall, r *formats.ToolResult) string {
	o := summarize.ReadOutcome(r.Text, summarize.Unwrap(r.Text), r.IsError, summarize.ToolVerb(call.Name) == summarize.Run)
	var b strings.Builder
	if o.Exit != "" {
		b.WriteString("exit " + o.Exit + ", ")
	}
	switch {
	case o.Error != "":
		fmt.Fprintf(&b, "%q, ", clip(oneLine(o.Error), 60))
	case r.IsError:
		b.WriteString("error, ")
	}
	return b.String()
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

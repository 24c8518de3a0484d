package summarize

import "strings"

// Verb is what a tool call does to the world.
type Verb uint8

// The verbs. Other is a call of a tool that is neither about files nor a shell: a booking, a message, a query.
const (
	Other Verb = iota
	Read       // looks at files, folders, pages
	Write      // creates or changes files
	Delete
	Run  // a shell command or a program
	Plan // keeps a list of things to do
	Look // asks for data that are not files: get_user_details, search_flights
)

// toolWords is the table of name patterns: the first word of a tool's name (split at _ - . and capitals) that stands
// here says what the tool does. The order of the table breaks ties: a name with two words of it is the earlier row
// (read_and_edit writes).
var toolWords = [...]struct {
	verb  Verb
	words string
}{
	{Plan, " todo todos todowrite todoread plan "},
	{Delete, " delete remove rm unlink "},
	{Write, " write edit create patch replace insert append modify save multiedit rename move mkdir update overwrite apply "},
	{Run, " bash shell sh zsh terminal console cmd command commands run exec execute python ipython powershell process code "},
	{Read, " read view open cat grep glob ls list find search head tail show display scroll goto browse tree outline "},
	{Look, " get fetch query lookup check retrieve describe count calculate think "},
}

// pathKeys are the argument names that hold a path, or a list of paths.
var pathKeys = [...]string{
	"path", "file_path", "filepath", "filename", "file", "file_name", "target_file", "notebook_path", "relative_path",
	"relative_workspace_path", "absolute_path", "new_path", "old_path", "source", "destination", "paths", "files",
}

// commandKeys are the argument names that hold a shell command, codeKeys those that hold a program.
var (
	commandKeys = [...]string{"command", "cmd", "commands", "shell_command", "bash"}
	codeKeys    = [...]string{"code", "script", "source_code", "program"}
)

// patchKeys are the argument names that hold a patch.
var patchKeys = [...]string{"patch", "diff", "input", "patch_text"}

// editCommands are the values of an argument `command` beside `path` (editors that are one tool with sub-commands).
var editCommands = map[string]Verb{
	"view": Read, "create": Write, "str_replace": Write, "insert": Write, "undo_edit": Write, "write": Write,
	"read": Read, "edit": Write, "replace": Write, "append": Write, "delete": Delete, "rename": Write,
}

// ToolVerb classifies a tool by its name.
func ToolVerb(name string) Verb {
	words := nameWords(name)
	for _, row := range toolWords {
		for _, w := range words {
			if strings.Contains(row.words, " "+w+" ") {
				return row.verb
			}
		}
	}
	return Other
}

// nameWords splits a tool's name into small words: str_replace, readFile, fs.write, mcp__files__read_file.
func nameWords(name string) []string {
	var words []string
	from := 0
	cut := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(name[from:to]))
		}
		from = to
	}
	for i := 0; i < len(name); i++ {
		switch c := class[name[i]]; {
		case c == upper && i > 0 && class[name[i-1]] == lower:
			cut(i)
		case c&(lower|upper|digit) == 0:
			cut(i)
			from = i + 1
		}
	}
	cut(len(name))
	return words
}

// patchPaths gives the files that a patch writes: unified diffs, and the *** Update File form.
func patchPaths(patch string) (paths []string) {
	for line := range strings.SplitSeq(patch, "\n") {
		line = strings.TrimRight(line, "\r")
		for _, prefix := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"} {
			if path, ok := strings.CutPrefix(line, prefix); ok {
				path, _, _ = strings.Cut(path, "\t")
				paths = addPath(paths, path)
			}
		}
	}
	return paths
}

// addPath appends a path once, spelled without a leading "./".
func addPath(paths []string, path string) []string {
	path = strings.TrimSpace(path)
	for strings.HasPrefix(path, "./") {
		path = path[2:]
	}
	if path == "" || path == "." || path == "-" || path == "/" || len(path) > pathMax || strings.ContainsAny(path, "\n\r") {
		return paths
	}
	for _, p := range paths {
		if p == path {
			return paths
		}
	}
	return append(paths, path)
}

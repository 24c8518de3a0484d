package summarize

import "strings"

// WorthNoting says whether a shell command does more than look around: builds, tests, programs, changes. Looking is
// covered by the files it read.
func WorthNoting(command string) bool { return worthNoting(lexShell(command)) }

func worthNoting(list []statement) bool {
	for _, s := range withNested(list, 1) {
		words := program(s.words)
		if len(s.out) > 0 {
			return true
		}
		if len(words) == 0 {
			continue
		}
		switch baseName(words[0]) {
		case "cd", "pwd", "ls", "cat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "ag", "find", "echo", "wc", "which", "tree", "file",
			"sort", "uniq", "nl", "cut", "tr", "awk", "true", "false", "export", "source", "whoami", "date", "env", "printenv", "set", "stat", "du", "df",
			"type", "printf", "diff", "xargs", "exit", "fi", "done", "for", "while", "if", "read", "dirname", "basename", "realpath", "sleep", "clear", "history", "test", "[",
			"open", "create", "edit", "goto", "scroll_up", "scroll_down", "find_file", "search_dir", "search_file": // SWE-agent's editor
			continue
		case "sed", "perl":
			if w, _ := ShellFiles(strings.Join(words, " ")); len(w) == 0 {
				continue
			}
		case "git":
			if len(words) > 1 {
				switch words[1] {
				case "status", "log", "diff", "show", "branch", "blame", "ls-files", "rev-parse", "remote":
					continue
				}
			}
		}
		return true
	}
	return false
}

// CommandKey is what two runs of the same command have in common: no change of folder, no options, no pipes that only cut
// the output, no here-document. "cd /r && python -m pytest -x t.py | tail" and "pytest t.py" have the same key.
func CommandKey(command string) string { return commandKey(lexShell(command)) }

func commandKey(list []statement) string {
	var parts []string
	for _, s := range list {
		words := program(s.words)
		if len(words) == 0 {
			continue
		}
		switch baseName(words[0]) {
		case "cd", "export", "source", ".", "head", "tail", "grep", "echo", "tee", "cat", "true":
			continue
		}
		name := baseName(words[0])
		if strings.HasPrefix(name, "python") && len(words) > 2 && words[1] == "-m" {
			words = words[2:]
			name = words[0]
		}
		key := []string{strings.TrimRight(name, "0123456789.")}
		for _, w := range operands(words[1:]) {
			if len(w) > 120 || strings.Contains(w, "\n") {
				w = w[:min(len(w), 60)]
			}
			key = append(key, w)
		}
		if s.script != "" {
			key = append(key, s.script[:min(len(s.script), 200)])
		}
		parts = append(parts, strings.Join(key, " "))
	}
	return strings.Join(parts, " && ")
}

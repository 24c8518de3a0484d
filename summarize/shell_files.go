package summarize

import "strings"

// files collects what statements do to files.
type files struct{ written, read []string }

func (f *files) write(paths ...string) {
	for _, p := range paths {
		if plainPath(p) && !strings.HasSuffix(p, "/") { // a folder that something is moved into is not written
			f.written = addPath(f.written, p)
		}
	}
}

func (f *files) look(paths ...string) {
	for _, p := range paths {
		if plainPath(p) {
			f.read = addPath(f.read, p)
		}
	}
}

// plainPath: no glob, no variable, no option, not a device.
func plainPath(p string) bool {
	return p != "" && p[0] != '-' && !strings.ContainsAny(p, "*?$`{}\"'=,;|()") && !strings.HasPrefix(p, "/dev/") && !allDigits(p)
}

// statement reads one simple command: the table of commands that write or read files.
func (f *files) statement(s statement) {
	f.write(s.out...)
	f.look(s.in...)
	words := program(s.words)
	if len(words) == 0 {
		return
	}
	args := operands(words[1:])
	switch name := baseName(words[0]); name {
	case "tee", "touch", "truncate", "chmod", "create":
		if name == "chmod" && len(args) > 0 {
			args = args[1:]
		}
		f.write(args...)
	case "rm", "unlink", "mv", "rmdir":
		f.write(args...)
	case "cp", "ln", "install":
		if n := len(args); n > 1 {
			f.look(args[:n-1]...)
			f.write(args[n-1])
		}
	case "cat", "head", "tail", "less", "more", "nl", "wc", "file", "xxd", "od", "strings", "bat", "diff", "sort", "uniq", "cmp", "source", ".", "open":
		f.look(args...)
	case "grep", "egrep", "fgrep", "rg", "ag", "awk", "gawk", "jq":
		if len(args) > 1 {
			f.lookFiles(args[1:])
		}
	case "sed", "perl":
		f.edit(words, args)
	case "git":
		f.git(args)
	case "patch":
		f.write(args...)
	case "curl", "wget":
		f.write(after(words, "-o", "-O", "--output")...)
	case "python", "python3", "node", "ruby":
		f.script(s.script)
		f.script(strings.Join(after(words, "-c", "-e"), "\n"))
	}
	if s.script != "" && baseName(words[0]) != "python" && strings.Contains(s.script, "\n*** ") {
		f.write(patchPaths(s.script)...)
	}
}

// lookFiles takes the arguments that look like files, not folders.
func (f *files) lookFiles(args []string) {
	for _, a := range args {
		if isFileName(baseName(a)) {
			f.look(a)
		}
	}
}

// edit is sed and perl: with -i they write, otherwise they read. The first operand is the program.
func (f *files) edit(words, args []string) {
	inPlace := false
	for _, w := range words[1:] {
		short := strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--")
		inPlace = inPlace || short && strings.Contains(w, "i") || strings.HasPrefix(w, "--in-place")
	}
	if len(args) > 0 {
		args = args[1:]
	}
	if inPlace {
		f.write(args...)
	} else {
		f.lookFiles(args)
	}
}

func (f *files) git(args []string) {
	if len(args) < 2 {
		return
	}
	switch args[0] {
	case "checkout", "restore":
		for _, a := range args[1:] {
			if isFileName(baseName(a)) {
				f.write(a)
			}
		}
	case "mv", "rm":
		f.write(args[1:]...)
	case "apply":
		f.look(args[1:]...)
	}
}

// program skips assignments and the words that run another command.
func program(words []string) []string {
	for len(words) > 0 {
		w := words[0]
		switch {
		case strings.IndexByte(w, '=') > 0 && class[w[0]]&(lower|upper|underscore) != 0:
		case w == "sudo", w == "time", w == "env", w == "nohup", w == "command", w == "exec", w == "then", w == "do", w == "else", w == "!", w == "{":
		case w == "timeout" && len(words) > 1:
			words = words[1:]
			for len(words) > 1 && strings.HasPrefix(words[0], "-") {
				words = words[1:]
			}
		default:
			return words
		}
		words = words[1:]
	}
	return nil
}

// operands leaves out options, and the number after -n and the like.
func operands(words []string) (args []string) {
	for i, w := range words {
		if strings.HasPrefix(w, "-") && w != "-" {
			continue
		}
		if i > 0 && allDigits(w) && strings.HasPrefix(words[i-1], "-") {
			continue
		}
		args = append(args, w)
	}
	return args
}

// after gives the words that follow one of the options.
func after(words []string, options ...string) (values []string) {
	for i, w := range words[:max(0, len(words)-1)] {
		for _, o := range options {
			if w == o {
				values = append(values, words[i+1])
			}
		}
	}
	return values
}

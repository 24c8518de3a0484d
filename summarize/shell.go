package summarize

import "strings"

// ShellFiles gives the files that a shell command writes and reads, as the command spells them: redirections, and the
// commands of the table in effect. Words with globs or variables are left out, and so is /dev.
func ShellFiles(command string) (written, read []string) {
	f := files{}
	for _, s := range splitShell(command, 0) {
		f.statement(s)
	}
	return f.written, f.read
}

// statement is one simple command of a shell script.
type statement struct {
	words  []string
	out    []string // files that output is redirected to
	in     []string
	script string // the body of a here-document
}

// maxShell bounds the work on one command: what stands further on is data.
const maxShell = 1 << 16

// splitShell cuts a script into simple commands. It knows quotes, escapes, comments, redirections and here-documents;
// substitutions stay part of their word.
func splitShell(s string, depth int) []statement {
	l := lexer{s: s[:min(len(s), maxShell)]}
	l.all()
	list := l.list
	if depth < 2 {
		for _, st := range l.list { // bash -c '…'
			if n := len(st.words); n >= 3 && isShell(st.words[0]) && strings.HasPrefix(st.words[1], "-") && strings.HasSuffix(st.words[1], "c") {
				list = append(list, splitShell(st.words[2], depth+1)...)
			}
		}
	}
	return list
}

func isShell(word string) bool {
	switch baseName(word) {
	case "bash", "sh", "zsh", "dash":
		return true
	}
	return false
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

type lexer struct {
	s    string
	i    int
	list []statement
	cur  statement
	docs []heredoc // here-documents whose bodies begin at the next line
}

type heredoc struct {
	delimiter string
	tabs      bool
	statement int // index in list of the command it belongs to
}

func (l *lexer) all() {
	for l.i < len(l.s) {
		switch c := l.s[l.i]; {
		case c == '\n':
			l.end()
			l.i++
			l.bodies()
		case c == ' ' || c == '\t' || c == '\r':
			l.i++
		case c == '\\' && l.i+1 < len(l.s) && l.s[l.i+1] == '\n':
			l.i += 2
		case c == '#':
			if n := strings.IndexByte(l.s[l.i:], '\n'); n >= 0 {
				l.i += n
			} else {
				l.i = len(l.s)
			}
		case c == '&' && strings.HasPrefix(l.s[l.i:], "&>"):
			l.i++
		case c == ';' || c == '|' || c == '&' || c == '(' || c == ')':
			l.end()
			l.i++
		case c == '>' || c == '<':
			l.redirect()
		default:
			l.token()
		}
	}
	l.end()
}

func (l *lexer) end() {
	if len(l.cur.words)+len(l.cur.out)+len(l.cur.in) > 0 {
		l.list = append(l.list, l.cur)
	}
	l.cur = statement{}
}

// token reads a word; a number right before > or < is a file descriptor.
func (l *lexer) token() {
	word := l.word()
	if l.i < len(l.s) && (l.s[l.i] == '>' || l.s[l.i] == '<') && allDigits(word) {
		return
	}
	l.cur.words = append(l.cur.words, word)
}

func (l *lexer) word() string {
	var b strings.Builder
	for l.i < len(l.s) {
		c := l.s[l.i]
		switch {
		case c == '\'' || c == '"':
			l.quoted(&b, c)
			continue
		case c == '\\' && l.i+1 < len(l.s):
			b.WriteByte(l.s[l.i+1])
			l.i += 2
			continue
		case strings.IndexByte(" \t\r\n;|&()<>", c) >= 0:
			return b.String()
		}
		b.WriteByte(c)
		l.i++
	}
	return b.String()
}

func (l *lexer) quoted(b *strings.Builder, q byte) {
	for l.i++; l.i < len(l.s) && l.s[l.i] != q; l.i++ {
		if q == '"' && l.s[l.i] == '\\' && l.i+1 < len(l.s) && strings.IndexByte("\"\\$`", l.s[l.i+1]) >= 0 {
			l.i++
		}
		b.WriteByte(l.s[l.i])
	}
	l.i++
}

func (l *lexer) redirect() {
	c := l.s[l.i]
	n := 0
	for l.i < len(l.s) && l.s[l.i] == c {
		l.i++
		n++
	}
	if c == '<' && n == 2 {
		tabs := l.i < len(l.s) && l.s[l.i] == '-'
		if tabs {
			l.i++
		}
		l.blanks()
		l.docs = append(l.docs, heredoc{l.word(), tabs, len(l.list)})
		return
	}
	for l.i < len(l.s) && (l.s[l.i] == '&' || l.s[l.i] == '|') {
		l.i++
	}
	l.blanks()
	target := l.word()
	switch {
	case target == "" || allDigits(target) || n > 2:
	case c == '>':
		l.cur.out = append(l.cur.out, target)
	default:
		l.cur.in = append(l.cur.in, target)
	}
}

func (l *lexer) blanks() {
	for l.i < len(l.s) && (l.s[l.i] == ' ' || l.s[l.i] == '\t') {
		l.i++
	}
}

// bodies reads the here-documents that begin at l.i.
func (l *lexer) bodies() {
	for _, d := range l.docs {
		var body strings.Builder
		for l.i < len(l.s) {
			line, _, more := strings.Cut(l.s[l.i:], "\n")
			l.i += len(line)
			if more {
				l.i++
			}
			check := strings.TrimRight(line, "\r")
			if d.tabs {
				check = strings.TrimLeft(check, "\t")
			}
			if check == d.delimiter {
				break
			}
			body.WriteString(line)
			body.WriteByte('\n')
		}
		if d.statement < len(l.list) {
			l.list[d.statement].script = body.String()
		}
	}
	l.docs = nil
}

// files collects what statements do to files.
type files struct{ written, read []string }

func (f *files) write(paths ...string) {
	for _, p := range paths {
		if plainPath(p) {
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
	case "tee", "touch", "truncate", "chmod":
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
	case "cat", "head", "tail", "less", "more", "nl", "wc", "file", "xxd", "od", "strings", "bat", "diff", "sort", "uniq", "cmp", "source", ".":
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

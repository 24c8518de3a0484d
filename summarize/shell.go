package summarize

import (
	"slices"
	"strings"
)

// ShellFiles gives the files that a shell command writes and reads, as the command spells them: redirections, and the
// commands of the table in effect. Words with globs or variables are left out, and so is /dev.
func ShellFiles(command string) (written, read []string) { return shellFiles(lexShell(command)) }

func shellFiles(list []statement) (written, read []string) {
	f := files{}
	for _, s := range withNested(list, maxNested) {
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

// lexShell cuts a script into simple commands. It knows quotes, escapes, comments, redirections and here-documents;
// substitutions stay part of their word.
func lexShell(s string) []statement {
	l := lexer{s: s[:min(len(s), maxShell)]}
	l.all()
	return l.list
}

// maxNested is how deep scripts in scripts are followed.
const maxNested = 2

// withNested gives simple commands, and behind them those of scripts that they run (bash -c '…'), levels deep.
func withNested(list []statement, levels int) []statement {
	if levels == 0 {
		return list
	}
	all := slices.Clip(list) // list is shared
	for _, st := range list {
		if n := len(st.words); n >= 3 && isShell(st.words[0]) && strings.HasPrefix(st.words[1], "-") && strings.HasSuffix(st.words[1], "c") {
			all = append(all, withNested(lexShell(st.words[2]), levels-1)...)
		}
	}
	return all
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

// wordEnds are the bytes that end a word.
const wordEnds = " \t\r\n;|&()<>"

func (l *lexer) word() string {
	start := l.i
	for l.i < len(l.s) && strings.IndexByte(wordEnds+"'\"\\", l.s[l.i]) < 0 {
		l.i++
	}
	plain := l.s[start:l.i]
	if l.i == len(l.s) || strings.IndexByte(wordEnds, l.s[l.i]) >= 0 {
		return plain // nothing quoted in it: nearly all words
	}
	var b strings.Builder
	b.WriteString(plain)
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
		case strings.IndexByte(wordEnds, c) >= 0:
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

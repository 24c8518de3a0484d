package summarize

import "strings"

// maxOpens bounds how many calls of one kind are followed in one program.
const maxOpens = 32

// script finds the files that a Python (or similar) program opens: open(p, 'w'), Path(p).write_text, with p a literal or
// a variable that the program sets to one.
func (f *files) script(code string) {
	rest := code
	for range maxOpens {
		i := strings.Index(rest, "open(")
		if i < 0 {
			break
		}
		rest = rest[i+len("open("):]
		call := rest[:min(len(rest), 300)]
		if n := strings.IndexAny(call, ")\n"); n >= 0 {
			call = call[:n]
		}
		path, mode, _ := strings.Cut(call, ",")
		if path = resolve(code, strings.TrimSpace(path)); path == "" {
			continue
		}
		if modeWrites(mode) {
			f.write(path)
		} else {
			f.look(path)
		}
	}
	for _, name := range [...]string{".write_text(", ".write_bytes(", ".read_text("} {
		rest := code
		for range maxOpens {
			i := strings.Index(rest, name)
			if i < 0 {
				break
			}
			path := receiver(code, rest[:i])
			rest = rest[i+len(name):]
			switch {
			case path == "":
			case strings.HasPrefix(name, ".read"):
				f.look(path)
			default:
				f.write(path)
			}
		}
	}
}

// modeWrites reads the mode of open: 'w', "a+", mode='x'.
func modeWrites(arguments string) bool {
	first, _, _ := strings.Cut(arguments, ",")
	first = strings.TrimPrefix(strings.TrimSpace(first), "mode=")
	mode := strings.Trim(first, `'" `)
	return len(mode) > 0 && len(mode) <= 3 && len(mode) < len(first) && strings.ContainsAny(mode, "wax+")
}

// receiver resolves what stands before .write_text: Path("x"), or a variable set to that.
func receiver(code, before string) string {
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if i := strings.LastIndex(before, "Path("); i >= 0 {
		arg, _, _ := strings.Cut(before[i+len("Path("):], ")")
		return resolve(code, strings.TrimSpace(arg))
	}
	i := len(before)
	for i > 0 && class[before[i-1]]&(lower|upper|digit|underscore) != 0 {
		i--
	}
	return resolve(code, before[i:])
}

// resolve gives the literal that an expression is, or that the variable of this name is set to in code.
func resolve(code, expression string) string {
	if s, ok := literal(expression); ok {
		return s
	}
	for i := 0; i < len(expression); i++ {
		if class[expression[i]]&(lower|upper|digit|underscore) == 0 {
			return ""
		}
	}
	if expression == "" {
		return ""
	}
	for _, assign := range [...]string{" = ", "="} {
		rest := code
		for range maxOpens {
			i := strings.Index(rest, expression+assign)
			if i < 0 {
				break
			}
			rest = rest[i+len(expression)+len(assign):]
			value, _, _ := strings.Cut(rest[:min(len(rest), 2*pathMax)], "\n")
			value = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(value), "pathlib."), "Path(")
			if s, ok := literal(strings.TrimRight(value, " )\r")); ok {
				return s
			}
		}
	}
	return ""
}

// literal reads a quoted string without escapes.
func literal(s string) (string, bool) {
	if len(s) > 0 && (s[0] == 'r' || s[0] == 'f' || s[0] == 'b') {
		s = s[1:]
	}
	if len(s) < 3 || s[0] != '\'' && s[0] != '"' || s[len(s)-1] != s[0] || strings.IndexByte(s[1:len(s)-1], s[0]) >= 0 {
		return "", false
	}
	return s[1 : len(s)-1], true
}

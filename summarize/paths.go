package summarize

import "strings"

// isFileName says whether s (no slash in it) is a name with one of the endings that files have. A dotted name such as
// self.data is not one.
func isFileName(s string) bool {
	i := strings.LastIndexByte(s, '.')
	return i >= 0 && i < len(s)-1 && len(s) <= pathMax && len(s) >= pathMin && class[s[0]]&(joint) == 0 && isExtension(s[i+1:])
}

// isExtension is the table of file endings. Words that are as often attributes (name, data, get…) are not in it.
func isExtension(s string) bool {
	switch s {
	case "py", "pyi", "pyx", "ipynb", "go", "mod", "sum", "js", "jsx", "mjs", "cjs", "ts", "tsx", "vue", "svelte",
		"c", "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "java", "kt", "kts", "scala", "swift", "m", "mm", "rs", "rb", "php",
		"pl", "pm", "lua", "r", "jl", "ex", "exs", "erl", "hs", "ml", "clj", "dart", "zig", "nim", "sol", "sh", "bash", "zsh",
		"fish", "ps1", "bat", "sql", "html", "htm", "css", "scss", "sass", "less", "md", "mdx", "rst", "txt", "tex", "adoc",
		"json", "jsonl", "json5", "yaml", "yml", "toml", "ini", "cfg", "conf", "env", "lock", "xml", "xsd", "svg", "csv", "tsv",
		"parquet", "log", "pdf", "png", "jpg", "jpeg", "gif", "ico", "zip", "tar", "gz", "zst", "whl", "proto", "graphql",
		"tf", "hcl", "gradle", "cmake", "make", "mk", "dockerfile", "patch", "diff", "pem", "crt", "traj", "bak", "orig",
		"tmpl", "tpl", "jinja", "po", "db", "sqlite", "sqlite3", "exe", "dll", "so", "bin", "jar", "cgi", "asp", "aspx", "jsp":
		return true
	}
	return false
}

// ambiguousExtension: endings that are as often the last part of a dotted name, when no folder stands before it.
func ambiguousExtension(s string) bool {
	switch s {
	case "db", "conf", "env", "log", "m", "r", "h", "mod", "sum", "less", "make", "patch", "diff", "orig", "bin", "lock", "so", "po":
		return true
	}
	return false
}

// topFolder is the names of folders that make a relative path of two steps without an ending a path: src/utils.
func topFolder(s string) bool {
	switch s {
	case "src", "lib", "libs", "test", "tests", "doc", "docs", "bin", "cmd", "pkg", "app", "apps", "internal", "include",
		"scripts", "script", "examples", "tools", "config", "etc", "usr", "var", "home", "tmp", "build", "dist", "vendor",
		"packages", "modules", "public", "static", "templates", "fixtures", "testdata", "node_modules", "deploy", "migrations",
		"components", "pages", "server", "api", "core", "utils":
		return true
	}
	return false
}

// trimPath takes the path out of text[i:j], a run that holds a slash: without "./", without the a/ and b/ of a diff's
// header, without a closing slash or punctuation.
func trimPath(text string, i, j int) (start, end int, ok bool) {
	for j > i && (text[j-1] == '.' || text[j-1] == '-' || text[j-1] == '@' || text[j-1] == '~') {
		j--
	}
	closing := j > i && text[j-1] == '/'
	for j > i && text[j-1] == '/' {
		j--
	}
	for i < j && (text[i] == '-' || text[i] == '@' && !strings.Contains(text[i:j], "/")) {
		i++
	}
	if strings.HasPrefix(text[i:j], "//") { // a comment
		for i < j && text[i] == '/' {
			i++
		}
	}
	for strings.HasPrefix(text[i:j], "./") {
		i += 2
	}
	if diffPrefix(text, i, j) {
		i += 2
	}
	path := text[i:j]
	if len(path) < pathMin || len(path) > pathMax {
		return i, j, false
	}
	if strings.IndexByte(path, '/') < 0 {
		return i, j, isFileName(path)
	}
	return i, j, isPath(path, closing)
}

// diffPrefix says whether text[i:j] begins with the a/ or b/ that git puts before a path in a diff's header lines.
func diffPrefix(text string, i, j int) bool {
	if j-i < 4 || text[i+1] != '/' || text[i] != 'a' && text[i] != 'b' {
		return false
	}
	line := text[max(0, i-pathMax):i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return line == "--- " || line == "+++ " || strings.HasPrefix(line, "diff --git ")
}

// isPath tells paths from words that share a slash (and/or, 1/2, TCP/IP).
func isPath(path string, closing bool) bool {
	letters, steps, long := 0, 0, 0
	from := 0
	for k := 0; k <= len(path); k++ {
		if k < len(path) && path[k] != '/' {
			if class[path[k]]&(lower|upper) != 0 {
				letters++
			}
			continue
		}
		if k > from {
			steps++
			if k-from > 2 {
				long++
			}
		}
		from = k + 1
	}
	if letters < 2 || long == 0 {
		return false
	}
	first, _, _ := strings.Cut(path, "/")
	last := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case first == "" || first == "~" || first == "..":
		return true
	case steps >= 3:
		return true
	case closing && steps >= 2:
		return true
	}
	return isFileName(last) || topFolder(first) || strings.HasPrefix(first, ".") ||
		strings.ContainsAny(path, "_-")
}

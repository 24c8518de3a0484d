package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/formats"
)

// stdStream names standard input or output on the command line.
const stdStream = "-"

// input is one file to read, or the standard input.
type input struct {
	name  string      // as it is shown: as the user named it, or the name of its directory joined with the rest
	path  string      // to open it; "" for the standard input
	info  os.FileInfo // nil for the standard input
	base  string      // directory that outputs mirror from: that of the file, or the one the user named
	below bool        // found in a directory that the user named
}

// isStdin says whether the input is the standard input.
func (in input) isStdin() bool { return in.path == "" }

// size is the number of bytes to read; -1 when it is unknown (standard input, a pipe).
func (in input) size() int64 {
	if in.info == nil || !in.info.Mode().IsRegular() {
		return -1
	}
	return in.info.Size()
}

// totalSize is the number of bytes of all inputs, for a progress bar; -1 when one is unknown.
func totalSize(inputs []input) int64 {
	var total int64
	for _, in := range inputs {
		size := in.size()
		if size < 0 {
			return -1
		}
		total += size
	}
	return total
}

// containerEndings are the endings of files that hold records; each may be followed by one of packedEndings.
func containerEndings() []string { return []string{".jsonl", ".json", ".ndjson", ".traj", ".parquet"} }

// packedEndings are the endings of compressed files.
func packedEndings() []string { return []string{".gz", ".zst"} }

// someInputs is the check of arguments for commands that read inputs.
func someInputs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return usageError(errors.New("no input is named"), c.CommandPath()+" FILE, or - for the standard input")
}

// expandInputs finds the files that args name: files, "-" for the standard input, directories (everything below them
// that holds records, in order of names) and patterns. Outputs of ctxpack are skipped in directories and patterns, not
// when they are named. A file named twice counts once, at its first place.
func (a *app) expandInputs(args []string) ([]input, error) {
	var found []input
	var wrong problems
	for _, arg := range args {
		some, err := a.expandInput(arg)
		if err != nil {
			wrong = append(wrong, err)
		}
		found = append(found, some...)
	}
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(in input) bool {
		again := seen[in.path]
		seen[in.path] = true
		return again
	})
	return found, wrong.asError()
}

// expandInput finds the files that one argument names.
func (a *app) expandInput(arg string) ([]input, error) {
	if arg == stdStream {
		return []input{{name: stdStream}}, nil
	}
	path := a.streams.Path(arg)
	info, err := os.Stat(path)
	switch {
	case arg == "":
		return nil, usageErrorf("the name of an input is empty")
	case err == nil && info.IsDir():
		return walkInputs(arg, path, path)
	case err == nil:
		return []input{{name: arg, path: path, info: info, base: filepath.Dir(path)}}, nil
	case strings.ContainsAny(arg, "*?["):
		return a.globInputs(arg, path)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("no such file: %s", arg)
		if near := nearestFile(path); near != "" {
			return nil, &formats.Hinted{Err: err, Next: near}
		}
		return nil, err
	}
	return nil, fmt.Errorf("cannot read %s: %w", arg, bareError(err))
}

// walkInputs finds the files with records below a directory: regular files with a known ending, and links to such. Names
// that begin with a dot are skipped. shown is the directory as the user named it.
func walkInputs(shown, dir, base string) ([]input, error) {
	root := dir
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		root = resolved // WalkDir does not enter a link
	}
	var found []input
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("cannot read the directory %s: %w", shown, bareError(err))
		case path != root && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !holdsRecords(entry.Name()) || isOwnOutput(entry.Name()):
			return nil
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // a link that points nowhere, a socket
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		found = append(found, input{name: filepath.Join(shown, rel), path: filepath.Join(dir, rel), info: info, base: base, below: true})
		return nil
	})
	if err == nil && len(found) == 0 {
		err = formats.WithHint(fmt.Errorf("no input in the directory %s", shown),
			"inputs end in %s, each also with %s; name other files one by one",
			strings.Join(containerEndings(), ", "), strings.Join(packedEndings(), " or "))
	}
	return found, err
}

// globInputs finds what a pattern matches (a shell that found nothing leaves the pattern to us).
func (a *app) globInputs(arg, path string) ([]input, error) {
	pattern := path
	if !filepath.IsAbs(arg) && a.streams.Dir != "" {
		pattern = filepath.Join(escapePattern(a.streams.Dir), arg)
	}
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, usageErrorf("%s is not a pattern: %w", arg, err)
	}
	var found []input
	for _, match := range matches {
		name := filepath.Base(match)
		isHidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(filepath.Base(arg), ".") // as shells do
		info, err := os.Stat(match)
		if err != nil || isHidden || isOwnOutput(name) {
			continue
		}
		shown := a.shownPath(match)
		if filepath.IsAbs(arg) {
			shown = match
		}
		if !info.IsDir() {
			found = append(found, input{name: shown, path: match, info: info, base: filepath.Dir(match)})
			continue
		}
		below, err := walkInputs(shown, match, filepath.Dir(match))
		if err != nil && len(below) > 0 {
			return nil, err
		}
		found = append(found, below...)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("nothing matches %s", arg)
	}
	return found, nil
}

// escapePattern makes every character of a path stand for itself in a pattern. Windows knows no such escape; there a
// path with such characters matches too much or nothing.
func escapePattern(path string) string {
	if runtime.GOOS == "windows" {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// holdsRecords says whether a file of that name may hold records.
func holdsRecords(name string) bool {
	_, ending := splitEnding(strings.ToLower(name))
	for _, packed := range packedEndings() {
		ending = strings.TrimSuffix(ending, packed)
	}
	return slices.Contains(containerEndings(), ending)
}

// isOwnOutput recognises what ctxpack writes: *.compacted.*, *.replay.*, *.rejects.*, *.report.*, *.timeline.*, and those
// without a stem that stand in an output directory.
func isOwnOutput(name string) bool {
	for _, mark := range []string{".compacted.", ".replay.", ".rejects.", ".report.", ".timeline."} {
		if strings.Contains(name, mark) {
			return true
		}
	}
	return name == "rejects.jsonl" || name == "report.json" || name == "timeline.json"
}

// nearestFile is a hint that names the file of the same directory whose name is most like that of path; "" when none is.
func nearestFile(path string) string {
	const most = 5000 // names looked at
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return ""
	}
	defer func() { _ = dir.Close() }() // only read
	names, _ := dir.Readdirnames(most) // what could be read is good enough for a hint
	slices.Sort(names)
	near := nearest(filepath.Base(path), names)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %s?", near)
}

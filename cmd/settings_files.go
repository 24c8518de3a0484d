package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// projectFileName is the configuration file of a project.
const projectFileName = "ctxpack.yaml"

// maxConfigBytes is the most a configuration file may hold; a larger file is not a configuration.
const maxConfigBytes = 1 << 20

// configFile is a configuration file that was read.
type configFile struct {
	name    string // as it is shown
	source  Source
	content []byte
	lines   map[string]int // 1-based line of a key by its path, joined with keySeparator
}

// findConfigFiles reads the configuration files, the weakest first: the user's, then the project's. A file named by
// --config or CTXPACK_CONFIG stands in place of both.
func (a *app) findConfigFiles(named string) ([]configFile, error) {
	if named != "" {
		file, err := readConfigFile(a.streams.Path(named), named, SourceProjectFile)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usageError(fmt.Errorf("no configuration file %s", named), nearestFile(a.streams.Path(named)))
		}
		if err != nil {
			return nil, err
		}
		return []configFile{file}, nil
	}
	var files []configFile
	for _, place := range []struct {
		path   string
		source Source
	}{{a.userConfigPath(), SourceUserFile}, {a.projectConfigPath(), SourceProjectFile}} {
		if place.path == "" {
			continue
		}
		file, err := readConfigFile(place.path, a.shownPath(place.path), place.source)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// userConfigPath is $XDG_CONFIG_HOME/ctxpack/config.yaml, else that under ~/.config; "" without a home. As the XDG base
// directory specification asks, a relative XDG_CONFIG_HOME is ignored.
func (a *app) userConfigPath() string {
	base := a.streams.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		if a.streams.Home == "" {
			return ""
		}
		base = filepath.Join(a.streams.Home, ".config")
	}
	return filepath.Join(base, "ctxpack", "config.yaml")
}

// projectConfigPath is the nearest ctxpack.yaml in the working directory or above it, up to the root of the repository
// (the directory that holds .git). Outside a repository only the working directory counts: a file that somebody left in a
// directory above must not steer the run.
func (a *app) projectConfigPath() string {
	if a.streams.Dir == "" {
		return ""
	}
	root := repositoryRoot(a.streams.Dir)
	for dir := a.streams.Dir; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, projectFileName)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if dir == root || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// repositoryRoot is the nearest directory at or above dir that holds .git; dir itself when there is none.
func repositoryRoot(dir string) string {
	for parent := dir; ; parent = filepath.Dir(parent) {
		if _, err := os.Lstat(filepath.Join(parent, ".git")); err == nil {
			return parent
		}
		if parent == filepath.Dir(parent) {
			return dir
		}
	}
}

// shownPath is the shorter of the path and its form relative to the working directory.
func (a *app) shownPath(path string) string {
	if rel, err := filepath.Rel(a.streams.Dir, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// readConfigFile reads and parses the file, and notes on which line each key stands.
func readConfigFile(path, shown string, source Source) (configFile, error) {
	file := configFile{name: shown, source: source, lines: map[string]int{}}
	f, err := os.Open(path)
	if err != nil {
		return file, usageError(fmt.Errorf("cannot read the configuration %s: %w", shown, bareError(err)), "")
	}
	defer func() { _ = f.Close() }() // only read
	file.content, err = io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err != nil {
		return file, usageError(fmt.Errorf("cannot read the configuration %s: %w", shown, bareError(err)), "")
	}
	if len(file.content) > maxConfigBytes {
		return file, usageErrorf("%s is larger than a configuration file can be (1 MiB)", shown)
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(file.content)))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return file, nil // empty
	case err != nil:
		return file, usageError(yamlError(shown, err), "")
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return file, usageErrorf("%s: more than one YAML document in a configuration file", shown)
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode && root.Tag != "!!null" {
		return file, usageErrorf("%s:%d: a configuration file holds keys and values (key: value)", shown, root.Line)
	}
	noteLines(root, "", file.lines)
	return file, nil
}

// noteLines walks the mappings of a YAML tree. Aliases are not followed: what they bring in has no line of its own.
func noteLines(node *yaml.Node, prefix string, lines map[string]int) {
	if node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		path := prefix + node.Content[i].Value
		lines[path] = node.Content[i].Line
		noteLines(node.Content[i+1], path+keySeparator, lines)
	}
}

// yamlError gives an error of the YAML parser ("yaml: line 3: …") the form of an address and a cause.
func yamlError(file string, err error) error {
	cause := strings.TrimPrefix(err.Error(), "yaml: ")
	cause = strings.TrimPrefix(cause, "unmarshal errors:\n  ")
	if match := regexp.MustCompile(`^line (\d+): (?s)(.*)$`).FindStringSubmatch(cause); match != nil {
		if line, err := strconv.Atoi(match[1]); err == nil {
			return fmt.Errorf("%s:%d: %s", file, line, match[2])
		}
	}
	return fmt.Errorf("%s: %s", file, cause)
}

// bareError takes the operation and the path off an error of package os: whoever wraps it names the file as the user did.
func bareError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

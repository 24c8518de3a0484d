package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// shellBlocks are the lines of a Markdown file's ```sh blocks, with their line numbers.
func shellBlocks(t *testing.T, path string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]string{}
	inside := false
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside && strings.TrimSpace(line) == "```sh"
		case inside && strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "#"):
			lines[i+1] = line
		}
	}
	return lines
}

var wantedExit = regexp.MustCompile(`# exit (\d+)`)

// Every command that the README shows is run as it stands, in a folder that holds the fixtures. `make` targets must
// exist; they are not run from within a test.
func TestReadmeCommands(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fixtures"), os.DirFS("../fixtures")); err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	commands := shellBlocks(t, "../README.md")
	ran := 0
	for number := 1; number < 10_000; number++ {
		line, ok := commands[number]
		if !ok {
			continue
		}
		want := 0
		if m := wantedExit.FindStringSubmatch(line); m != nil {
			want, _ = strconv.Atoi(m[1])
		}
		line, _, _ = strings.Cut(line, " #")
		fields := shellWords(line)
		switch {
		case fields[0] == "make":
			if !bytes.Contains(makefile, []byte("\n"+fields[1]+":")) {
				t.Errorf("README.md:%d: no target %s in the Makefile", number, fields[1])
			}
			continue
		case fields[0] == "go" && fields[1] == "install":
			continue
		case fields[0] == "go" && fields[1] == "run" && fields[2] == ".":
			fields = fields[3:]
		case fields[0] == "ctxpack":
			fields = fields[1:]
		default:
			t.Errorf("README.md:%d: cannot run %q", number, line)
			continue
		}
		if code, output := runIn(dir, fields); code != want {
			t.Errorf("README.md:%d: %s: exit code %d, want %d\n%s", number, line, code, want, output)
		}
		ran++
	}
	if ran < 5 {
		t.Errorf("only %d commands were run", ran)
	}
}

// shellWords splits a line at blanks, but for those between double quotes.
func shellWords(line string) []string {
	quoted := false
	words := strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
	for i := range words {
		words[i] = strings.Trim(words[i], `"`)
	}
	return words
}

// runIn runs the program with its own streams in a folder.
func runIn(dir string, args []string) (code int, output string) {
	var out bytes.Buffer
	streams := OSStreams()
	streams.Stdin, streams.Stdout, streams.Stderr = strings.NewReader(""), &out, &out
	streams.StdoutInfo, streams.Dir, streams.Home = nil, dir, dir
	streams.Environ = nil
	return Main(context.Background(), args, streams), out.String()
}

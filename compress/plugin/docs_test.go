package plugin_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/plugin"
)

const docsFile = "../../docs/plugins.md"

// The exchange that the page for authors shows is one with the example plugin, answer for answer; and the requests have
// the names and parameters that ctxpack sends.
func TestDocumentedExchange(t *testing.T) {
	o := example(t)
	page, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(page), "```jsonl\n")
	if !ok {
		t.Fatal("no exchange")
	}
	block, _, _ = strings.Cut(block, "```")
	cmd := exec.Command(o.Manifest.Command[0], append([]string{"-B"}, o.Manifest.Command[1:]...)...)
	cmd.Dir = o.Dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	calls := 0
	for line := range strings.Lines(block) {
		mark, text := line[:2], line[2:]
		if mark == "> " {
			calls++
			if _, err := in.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(text), &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("the page says\n%sthe plugin answers\n%s", text, got)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || calls != 8 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// The page names every rule of lists, and its manifest is one.
func TestDocumentedRules(t *testing.T) {
	page, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range compress.Rules() {
		if !strings.Contains(string(page), "| `"+string(rule)+"` |") {
			t.Errorf("the page has no rule %s", rule)
		}
	}
	_, block, _ := strings.Cut(string(page), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	m, err := plugin.ParseManifest([]byte(block))
	if err != nil || m.Name != "keep_ends" || m.Version != "1.0.0" || len(m.Command) != 2 {
		t.Errorf("%+v %v", m, err)
	}
}

func TestParseManifest(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\ncommand: [x]\nversion: 0.10\nauthor: b": "",
		"name: A\ncommand: [x]":                           "name: \"A\" is no name",
		"name: a":                                         "command: a list",
		"name: a\ncommand: x":                             "line 2",
		"name: [":                                         "line 1",
		"name: a\ncommand: [\" \"]":                       "command: a list",
		"- a":                                             "line 1",
	} {
		m, err := plugin.ParseManifest([]byte(text))
		switch {
		case want == "" && (err != nil || m.Version != "0.10"):
			t.Errorf("%q: %+v %v", text, m, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for name, want := range map[string]bool{"keep_ends": true, "a-1": true, "": false, "a/b": false, "..": false, "A": false, "a b": false, strings.Repeat("a", 65): false} {
		if plugin.ValidName(name) != want {
			t.Errorf("%q", name)
		}
	}
}

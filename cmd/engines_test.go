package cmd

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Every command that the page for authors of plugins shows is run as it stands, in a folder that holds the fixtures.
func TestPluginPageCommands(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fixtures"), os.DirFS("../fixtures")); err != nil {
		t.Fatal(err)
	}
	commands := shellBlocks(t, "../docs/plugins.md")
	for _, number := range slices.Sorted(maps.Keys(commands)) {
		words := shellWords(commands[number])
		if words[0] != "ctxpack" {
			t.Errorf("docs/plugins.md:%d: cannot run %q", number, commands[number])
			continue
		}
		if code, output := runIn(dir, words[1:]); code != 0 {
			t.Errorf("docs/plugins.md:%d: exit code %d\n%s", number, code, output)
		}
	}
	if len(commands) < 3 {
		t.Errorf("%d commands", len(commands))
	}
}

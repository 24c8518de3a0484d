package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctxpack/ctxpack/compress/plugin/plugintest"
)

// TestMain makes the test binary be ctxpack when a script calls it, and a plugin when ctxpack does.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ctxpack": func() {
			os.Exit(Main(WithSignals(context.Background()), os.Args[1:], OSStreams()))
		},
		"context-engine": func() {
			syscall.Exit(plugintest.Main(os.Args[1], os.Stdin, os.Stdout, os.Stderr)) // os.Exit would linger as well; no GORACE reaches a plugin
		},
	})
}

// TestScripts runs testdata/script. The commands beside testscript's own are those of scriptCommands. A script that runs
// compact or inspect finds a copy of the data of ../fixtures in the folder fixtures.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:       "testdata/script",
		Cmds:      scriptCommands(),
		Condition: scriptCondition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // a race detector's process would linger for a second
			return copyFixtures(filepath.Join(env.WorkDir, "fixtures"))
		},
	})
}

// copyFixtures copies the data of ../fixtures, not its code.
func copyFixtures(to string) error {
	var errs []error
	for _, folder := range []string{"", "hostile", "parquet"} {
		names, err := filepath.Glob(filepath.Join("..", "fixtures", folder, "[^.]*.*"))
		errs = append(errs, err, os.MkdirAll(filepath.Join(to, folder), 0o777))
		for _, name := range names {
			if !holdsRecords(filepath.Base(name)) {
				continue
			}
			data, err := os.ReadFile(name)
			errs = append(errs, err, os.WriteFile(filepath.Join(to, folder, filepath.Base(name)), data, 0o666))
		}
	}
	return errors.Join(errs...)
}

// scriptCondition knows [mounts]: a file system can be mounted in a namespace of our own.
func scriptCondition(name string) (bool, error) {
	if name != "mounts" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", os.TempDir()).Run() == nil, nil
}

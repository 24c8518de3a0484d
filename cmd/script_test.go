package cmd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary be ctxpack when a script calls it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ctxpack": func() {
			os.Exit(Main(WithSignals(context.Background()), os.Args[1:], OSStreams()))
		},
	})
}

// TestScripts runs testdata/script. Beside testscript's own commands there is `exits CODE COMMAND ARG...`, which checks
// the exit code.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": func(ts *testscript.TestScript, negated bool, args []string) {
				if negated || len(args) < 2 {
					ts.Fatalf("usage: exits CODE COMMAND ARG...")
				}
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				err = ts.Exec(args[1], args[2:]...)
				got := 0
				var failed *exec.ExitError
				if errors.As(err, &failed) {
					got = failed.ExitCode()
				} else {
					ts.Check(err)
				}
				if got != want {
					ts.Fatalf("exit code %d, want %d", got, want)
				}
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // a race detector's process would linger for a second
			return nil
		},
	})
}

package plugin_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ctxpack/ctxpack/compress/enginetest"
	"github.com/ctxpack/ctxpack/compress/plugin"
	"github.com/ctxpack/ctxpack/compress/plugin/plugintest"
)

const exampleDir = "../../fixtures/plugins/context_engine/keep_ends"

// example are the options of the example plugin; the test is skipped without Python.
func example(t *testing.T) plugin.Options {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	data, err := os.ReadFile(filepath.Join(exampleDir, plugin.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, plugintest.Good)
	if o.Manifest, err = plugin.ParseManifest(data); err != nil {
		t.Fatal(err)
	}
	o.Dir = exampleDir
	return o
}

// The example of fixtures/plugins keeps the contract, whatever its settings.
func TestExamplePlugin(t *testing.T) {
	for _, settings := range []string{"", `{"keep_last": 1, "threshold": 0.75}`} {
		o := example(t)
		if settings != "" {
			o.Settings = []byte(settings)
		}
		for _, one := range enginetest.Run(context.Background(), open(t, o), enginetest.Options{Meter: o.Meter}) {
			if one.Verdict != enginetest.OK {
				t.Errorf("%s: %s: %s: %s", settings, one.Rule, one.Verdict, one.Reason)
			}
		}
	}
}

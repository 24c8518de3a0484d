package cmd

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ctxpack/ctxpack/"

// mayImport is the one-way rule of ARCHITECTURE.md: the folders that a folder of the module may import, beside itself.
// The longest entry that a package's path begins with counts.
var mayImport = map[string][]string{
	"":                    {"cmd"},
	"cmd":                 {"pipeline", "compress", "summarize", "report", "formats", "fixtures"},
	"pipeline":            {"formats"},
	"report":              {"compress", "summarize", "formats"},
	"compress":            {"summarize", "formats"},
	"compress/models":     {},
	"compress/tokens":     {},
	"summarize":           {"formats"},
	"formats":             {},
	"formats/formatstest": {"formats"},
	"fixtures":            {},
}

// doors are the packages that are only imported in one place.
var doors = map[string][]string{
	"net/http":                          {"summarize/provider", "summarize/openai", "summarize/summarizetest"},
	"github.com/schollz/progressbar/v3": {"cmd"},
	"github.com/pkoukk/tiktoken-go":     {"compress/tokens"},
	"github.com/parquet-go/parquet-go":  {"formats/parquet"},
	"github.com/klauspost/compress":     {"formats", "fixtures"},
	"github.com/knadh/koanf":            {"cmd"},
	"github.com/spf13/cobra":            {"cmd"},
	"github.com/agnivade/levenshtein":   {"cmd", "compress/models"},
	"go.yaml.in/yaml/v3":                {"cmd", "compress/plugin"},
	"os/exec":                           {"cmd", "compress/plugin", "summarize/command", "summarize/procgroup", "report/htmlcheck"},
	"golang.org/x/sync":                 {"pipeline", "report", "summarize", "formats/parquet", "cmd"},
}

type listedPackage struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listedPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("only %d packages", len(all))
	}
	return all
}

// longest finds the longest key that path is or lies below.
func longest[V any](table map[string]V, path string) (key string, ok bool) {
	for k := range table {
		if (k == path || strings.HasPrefix(path, k+"/") || k == "") && (!ok || len(k) > len(key)) {
			key, ok = k, true
		}
	}
	return key, ok
}

func TestDependenciesRunOneWay(t *testing.T) {
	for _, p := range listPackages(t) {
		from := strings.TrimPrefix(p.ImportPath+"/", module)
		from = strings.TrimSuffix(from, "/")
		layer, _ := longest(mayImport, from)
		for _, imported := range p.Imports {
			to, ours := strings.CutPrefix(imported, module)
			if !ours || to == layer || strings.HasPrefix(to, layer+"/") && layer != "" {
				continue
			}
			folder, _, _ := strings.Cut(to, "/")
			if !slices.Contains(mayImport[layer], folder) && !slices.Contains(mayImport[layer], to) {
				t.Errorf("%s imports %s: %s may import %v", p.ImportPath, imported, layer, mayImport[layer])
			}
		}
	}
}

func TestOneDoorForEachDependency(t *testing.T) {
	for _, p := range listPackages(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		for _, imported := range p.Imports {
			key, ok := longest(doors, imported)
			if !ok {
				continue
			}
			through := slices.ContainsFunc(doors[key], func(door string) bool {
				return from == door || strings.HasPrefix(from, door+"/")
			})
			if !through {
				t.Errorf("%s imports %s: its doors are %v", p.ImportPath, imported, doors[key])
			}
		}
	}
}

// The vocabulary of the project stands on nothing but the standard library.
func TestFormatsImportsTheStandardLibraryOnly(t *testing.T) {
	for _, p := range listPackages(t) {
		if p.ImportPath != strings.TrimSuffix(module, "/")+"/formats" {
			continue
		}
		for _, imported := range p.Imports {
			if strings.Contains(imported, ".") {
				t.Errorf("formats imports %s", imported)
			}
		}
	}
}

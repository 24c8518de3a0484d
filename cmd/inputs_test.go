package cmd

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// tree is a working directory with inputs, outputs and other things.
func tree(t *testing.T) (*testProcess, *app) {
	t.Helper()
	p := newTestProcess(t)
	for _, name := range []string{
		"logs.jsonl", "runs/b.jsonl", "runs/a.jsonl.gz", "runs/deep/c.json", "runs/deep/d.traj.ZST", "runs/e.parquet",
		"runs/a.compacted.jsonl.gz", "runs/a.rejects.jsonl", "runs/a.report.json", "runs/rejects.jsonl", "runs/report.json",
		"runs/notes.txt", "runs/.git/x.json", "runs/.hidden.jsonl", "other/b.jsonl", "odd[1]/x.jsonl", "empty/readme.md",
	} {
		p.write(t, name, "x")
	}
	return p, newApp(p.Streams)
}

func names(inputs []input) []string {
	found := []string{}
	for _, in := range inputs {
		found = append(found, in.name)
	}
	return found
}

func TestExpandInputs(t *testing.T) {
	p, a := tree(t)
	inRuns := []string{"runs/a.jsonl.gz", "runs/b.jsonl", "runs/deep/c.json", "runs/deep/d.traj.ZST", "runs/e.parquet"}
	for _, test := range []struct {
		args string
		want []string
	}{
		{"logs.jsonl", []string{"logs.jsonl"}},
		{"-", []string{"-"}},
		{"- logs.jsonl -", []string{"-", "logs.jsonl"}},
		{"runs", inRuns},
		{"./runs/", inRuns},
		{"runs runs/b.jsonl", inRuns},
		{"runs/*.jsonl", []string{"runs/b.jsonl"}},
		{"runs/*.jsonl*", []string{"runs/a.jsonl.gz", "runs/b.jsonl"}},
		{"*/b.jsonl", []string{"other/b.jsonl", "runs/b.jsonl"}},
		{"run?", inRuns},
		{"runs/a.compacted.jsonl.gz runs/notes.txt", []string{"runs/a.compacted.jsonl.gz", "runs/notes.txt"}},
		{"odd[1]", []string{"odd[1]/x.jsonl"}},
		{"odd[1]/x.jsonl", []string{"odd[1]/x.jsonl"}},
		{p.Dir + "/runs/*.parquet", []string{p.Dir + "/runs/e.parquet"}},
	} {
		got, err := a.expandInputs(strings.Fields(test.args))
		if err != nil || !reflect.DeepEqual(names(got), test.want) {
			t.Errorf("%s: %v, %v; want %v", test.args, names(got), err, test.want)
		}
		for _, in := range got {
			if _, err := os.Stat(in.path); !in.isStdin() && err != nil {
				t.Errorf("%s: %v", test.args, err)
			}
		}
	}
}

func TestExpandInputsErrors(t *testing.T) {
	p, a := tree(t)
	p.write(t, "link/target.jsonl", "x")
	if err := os.Symlink("nowhere", p.Path("link/broken.jsonl")); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct{ args, text, hint string }{
		{"log.jsonl", "no such file: log.jsonl", "did you mean logs.jsonl?"},
		{"nothing/like/it", "no such file: nothing/like/it", ""},
		{"empty", "no input in the directory empty", "inputs end in .jsonl, .json, .ndjson, .traj, .parquet, each also with .gz or .zst; name other files one by one"},
		{"*.nothing", "nothing matches *.nothing", ""},
		{"[", "[ is not a pattern: syntax error in pattern", ""},
		{"logs.jsonl/x", "cannot read logs.jsonl/x: not a directory", ""},
		{"link/broken.jsonl", "no such file: link/broken.jsonl", ""},
		{"log.jsonl logz.jsonl", "no such file: log.jsonl\nno such file: logz.jsonl", ""},
	} {
		_, err := a.expandInputs(strings.Fields(test.args))
		if err == nil || err.Error() != test.text {
			t.Errorf("%s: %v, want %s", test.args, err, test.text)
			continue
		}
		if hint := formats.HintOf(err); test.hint != "" && hint != test.hint {
			t.Errorf("%s: hint %q, want %q", test.args, hint, test.hint)
		}
	}
	if _, err := a.expandInputs([]string{""}); exitCodeOf(err) != ExitUsage {
		t.Errorf("an empty name: %v", err)
	}
}

func TestExpandLinks(t *testing.T) {
	p, a := tree(t)
	if err := os.Symlink("runs", p.Path("linked")); err != nil {
		t.Skip(err)
	}
	got, err := a.expandInputs([]string{"linked"})
	if err != nil || len(got) != 5 || got[1].name != "linked/b.jsonl" || got[1].path != p.Path("linked/b.jsonl") {
		t.Errorf("%v, %v", names(got), err)
	}
	plan, err := a.planOutputs(got, "out")
	if err != nil || plan.outputs[2] != "out/deep/c.json" {
		t.Errorf("%v, %v", plan, err)
	}
}

func TestTotalSize(t *testing.T) {
	p, a := tree(t)
	p.write(t, "big.jsonl", strings.Repeat("x", 100))
	got, err := a.expandInputs([]string{"big.jsonl", "logs.jsonl"})
	if err != nil || totalSize(got) != 101 {
		t.Errorf("%d, %v", totalSize(got), err)
	}
	if totalSize(append(got, input{name: "-"})) != -1 {
		t.Error("the size of the standard input is not known")
	}
}

func TestPlanOutputs(t *testing.T) {
	p, a := tree(t)
	for _, test := range []struct {
		args, output    string
		outputs         []string
		rejects, report string
	}{
		{"logs.jsonl", "", []string{"logs.compacted.jsonl"}, "logs.rejects.jsonl", "logs.report.json"},
		{"runs/a.jsonl.gz", "", []string{"runs/a.compacted.jsonl.gz"}, "runs/a.rejects.jsonl", "runs/a.report.json"},
		{"logs.jsonl", "-", []string{"-"}, "logs.rejects.jsonl", ""},
		{"-", "", []string{"-"}, "", ""},
		{"-", "-", []string{"-"}, "", ""},
		{"-", "x/out.jsonl.zst", []string{"x/out.jsonl.zst"}, "x/out.rejects.jsonl", "x/out.report.json"},
		{"logs.jsonl", "out.compacted.jsonl", []string{"out.compacted.jsonl"}, "out.rejects.jsonl", "out.report.json"},
		{"logs.jsonl", "new/", []string{"new/logs.jsonl"}, "new/rejects.jsonl", "new/report.json"},
		{"logs.jsonl", "empty", []string{"empty/logs.jsonl"}, "empty/rejects.jsonl", "empty/report.json"},
		{"logs.jsonl runs/b.jsonl", "-", []string{"-", "-"}, "", ""},
		{"runs/b.jsonl runs/deep/c.json", "new", []string{"new/b.jsonl", "new/deep/c.json"}, "new/rejects.jsonl", "new/report.json"},
		{"runs/b.jsonl other/b.jsonl", "new", []string{"new/runs/b.jsonl", "new/other/b.jsonl"}, "new/rejects.jsonl", "new/report.json"},
		{"runs/deep", "new", []string{"new/c.json", "new/d.traj.ZST"}, "new/rejects.jsonl", "new/report.json"},
		{"runs/deep", "", []string{"runs/deep/c.compacted.json", "runs/deep/d.compacted.traj.ZST"},
			"runs/deep/ctxpack.rejects.jsonl", "runs/deep/ctxpack.report.json"},
		{"logs.jsonl runs/b.jsonl", "", []string{"logs.compacted.jsonl", "runs/b.compacted.jsonl"},
			"ctxpack.rejects.jsonl", "ctxpack.report.json"},
	} {
		inputs, err := a.expandInputs(strings.Fields(test.args))
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.planOutputs(inputs, test.output)
		want := outputPlan{outputs: test.outputs, rejects: test.rejects, report: test.report}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s -o %q: %+v, %v\nwant %+v", test.args, test.output, got, err, want)
		}
	}
	_ = p
}

func TestPlanOutputsErrors(t *testing.T) {
	p, a := tree(t)
	inputs, err := a.expandInputs([]string{"-", "logs.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.planOutputs(inputs, "new/"); exitCodeOf(err) != ExitUsage {
		t.Errorf("the standard input into a directory: %v", err)
	}
	twice := []input{
		{name: "a", path: p.Path("a.jsonl"), base: p.Dir},
		{name: "b", path: filepath.Join(p.Dir, ".", "a.jsonl"), base: p.Dir},
	}
	if _, err := a.planOutputs(twice, "new/"); err == nil || err.Error() != "a and b would both become new/a.jsonl" {
		t.Errorf("two inputs, one output: %v", err)
	}
}

func TestSplitEnding(t *testing.T) {
	for name, want := range map[string][2]string{
		"a.jsonl": {"a", ".jsonl"}, "a.jsonl.gz": {"a", ".jsonl.gz"}, "x/a.b.json.ZST": {"x/a.b", ".json.ZST"},
		"README": {"README", ""}, "x.d/README": {"x.d/README", ""}, "a.gz": {"a", ".gz"}, "": {"", ""},
	} {
		if stem, ending := splitEnding(name); stem != want[0] || ending != want[1] {
			t.Errorf("%q: %q %q", name, stem, ending)
		}
	}
}

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// entries lists everything below a directory, for seeing what was left behind.
func entries(t *testing.T, dir string) string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); rel != "." {
			found = append(found, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, " ")
}

func mustOpen(t *testing.T, s *outputSet, name, content string) *outputFile {
	t.Helper()
	f, err := s.open(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	return f
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestOutputsAppearTogether(t *testing.T) {
	p := newTestProcess(t)
	out := newApp(p.Streams).newOutputSet(nil, false)
	defer out.Abort()
	mustOpen(t, out, "new/deep/a.jsonl", "one")
	mustOpen(t, out, "b.jsonl", "two")
	rejects := mustOpen(t, out, "b.rejects.jsonl", "")
	mustOpen(t, out, "-", "three")
	if err := out.drop(rejects); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, p.Dir); strings.Contains(got, ".jsonl") {
		t.Errorf("before the end there is %s", got)
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	out.Abort()
	if got := entries(t, p.Dir); got != "b.jsonl new new/deep new/deep/a.jsonl" {
		t.Errorf("there is %s", got)
	}
	if contentOf(t, p.Path("new/deep/a.jsonl")) != "one" || p.stdout.String() != "three" {
		t.Error("the content is wrong")
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	p := newTestProcess(t)
	p.write(t, "old.jsonl", "old")
	out := newApp(p.Streams).newOutputSet(nil, true)
	mustOpen(t, out, "new/deep/a.jsonl", "one")
	mustOpen(t, out, "old.jsonl", "two")
	out.Abort()
	out.Abort()
	if got := entries(t, p.Dir); got != "old.jsonl" || contentOf(t, p.Path("old.jsonl")) != "old" {
		t.Errorf("there is %s", got)
	}
}

func TestOutputModes(t *testing.T) {
	p := newTestProcess(t)
	probe := p.write(t, "probe", "")
	if err := os.Remove(probe); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(probe, os.O_CREATE|os.O_WRONLY, 0o666) // what the umask leaves
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	old := p.write(t, "old", "old")
	if err := os.Chmod(old, 0o640); err != nil {
		t.Fatal(err)
	}
	out := newApp(p.Streams).newOutputSet(nil, true)
	defer out.Abort()
	mustOpen(t, out, "old", "x")
	mustOpen(t, out, "new", "x")
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"old": 0o640, "new": info.Mode().Perm()} {
		if info, err := os.Stat(p.Path(name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestOutputRefusals(t *testing.T) {
	p, a := tree(t)
	for name, target := range map[string]string{"same.jsonl": "logs.jsonl", "dangling": "nowhere"} {
		if err := os.Symlink(target, p.Path(name)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Link(p.Path("logs.jsonl"), p.Path("hard.jsonl")); err != nil {
		t.Skip(err)
	}
	inputs, err := a.expandInputs([]string{"logs.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		force bool
		code  int
		text  string
		hint  string
	}{
		{"runs/b.jsonl", false, ExitUsage, "runs/b.jsonl exists already", "--force"},
		{"logs.jsonl", true, ExitUsage, "logs.jsonl is both input and output", "-o"},
		{"./same.jsonl", true, ExitUsage, "logs.jsonl is both input and output", "-o"},
		{"hard.jsonl", true, ExitUsage, "logs.jsonl is both input and output", "-o"},
		{"runs", true, ExitUsage, "runs is a directory", ""},
		{"dangling", true, ExitFatal, "dangling is a link that points nowhere", ""},
		{"logs.jsonl/x", true, ExitFatal, "cannot write logs.jsonl/x: not a directory", ""},
		{strings.Repeat("n", 300), false, ExitFatal, "file name too long", ""},
	} {
		out := a.newOutputSet(inputs, test.force)
		_, err := out.open(test.name)
		out.Abort()
		if err == nil || !strings.Contains(err.Error(), test.text) || exitCodeOf(err) != test.code ||
			!strings.Contains(formats.HintOf(err), test.hint) {
			t.Errorf("%s: %v (exit %d, hint %q)", test.name, err, exitCodeOf(err), formats.HintOf(err))
		}
		if err := out.check(test.name); err == nil {
			t.Errorf("%s: check finds nothing", test.name)
		}
	}
	out := a.newOutputSet(inputs, false)
	defer out.Abort()
	mustOpen(t, out, "x.jsonl", "")
	if _, err := out.open("./x.jsonl"); err == nil || exitCodeOf(err) != ExitUsage {
		t.Errorf("one file twice: %v", err)
	}
}

// `ctxpack compact a.jsonl -o - >> a.jsonl` would read what it writes.
func TestStandardOutputIsAnInput(t *testing.T) {
	p, a := tree(t)
	inputs, err := a.expandInputs([]string{"logs.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	p.StdoutInfo = inputs[0].info
	if _, err := a.newOutputSet(inputs, true).open("-"); exitCodeOf(err) != ExitUsage {
		t.Errorf("accepted: %v", err)
	}
}

func TestReplaceThroughLink(t *testing.T) {
	p := newTestProcess(t)
	p.write(t, "real/a.jsonl", "old")
	if err := os.Symlink("real/a.jsonl", p.Path("link.jsonl")); err != nil {
		t.Skip(err)
	}
	out := newApp(p.Streams).newOutputSet(nil, true)
	defer out.Abort()
	mustOpen(t, out, "link.jsonl", "new")
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(p.Path("link.jsonl")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if contentOf(t, p.Path("real/a.jsonl")) != "new" {
		t.Error("the file behind the link was not")
	}
}

func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	p := newTestProcess(t)
	out := newApp(p.Streams).newOutputSet(nil, false)
	defer out.Abort()
	mustOpen(t, out, "a.jsonl", "one")
	mustOpen(t, out, "/dev/full", "two") // buffered: the disk is full only at the end
	err := out.Commit()
	if err == nil || err.Error() != "cannot write /dev/full: no space left on device" ||
		!strings.HasPrefix(formats.HintOf(err), "free some space") || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v, hint %q", err, formats.HintOf(err))
	}
	out.Abort()
	if got := entries(t, p.Dir); got != "" {
		t.Errorf("left behind: %s", got)
	}

	out = newApp(p.Streams).newOutputSet(nil, false)
	defer out.Abort()
	f, err := out.open("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, 2*outputBuffer)); !errors.Is(err, syscall.ENOSPC) || f.Name() != "/dev/full" {
		t.Errorf("a large write: %v", err)
	}
}

func TestDevicesAreWrittenDirectly(t *testing.T) {
	p := newTestProcess(t)
	out := newApp(p.Streams).newOutputSet(nil, false)
	defer out.Abort()
	f := mustOpen(t, out, os.DevNull, "x")
	if err := out.Commit(); err != nil || f.Written() != 1 {
		t.Errorf("%v, %d bytes", err, f.Written())
	}
}

func TestUnwritableDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may write everywhere")
	}
	p := newTestProcess(t)
	p.write(t, "closed/x", "")
	if err := os.Chmod(p.Path("closed"), 0o555); err != nil {
		t.Fatal(err)
	}
	out := newApp(p.Streams).newOutputSet(nil, false)
	defer out.Abort()
	_, err := out.open("closed/a.jsonl")
	if err == nil || err.Error() != "cannot write closed/a.jsonl: permission denied" || formats.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
}

func TestExplainOutput(t *testing.T) {
	for _, test := range []struct {
		cause error
		text  string
		hint  bool
	}{
		{&fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}, "cannot write a: no space left on device", true},
		{&os.LinkError{Op: "rename", Old: "/x", New: "/y", Err: syscall.EACCES}, "cannot write a: permission denied", true},
		{syscall.EROFS, "cannot write a: read-only file system", true},
		{syscall.EIO, "cannot write a: input/output error", false},
	} {
		err := explainOutput("write", "a", test.cause)
		if err.Error() != test.text || (formats.HintOf(err) != "") != test.hint || !errors.Is(err, bareError(test.cause)) {
			t.Errorf("%v, hint %q", err, formats.HintOf(err))
		}
	}
}

// When the last rename fails, the new outputs before it are taken back.
func TestCommitTakesBack(t *testing.T) {
	p := newTestProcess(t)
	p.write(t, "old.jsonl", "old")
	out := newApp(p.Streams).newOutputSet(nil, true)
	mustOpen(t, out, "old.jsonl", "replaced")
	for i := range 3 {
		mustOpen(t, out, fmt.Sprintf("%d.jsonl", i), "x")
	}
	p.write(t, "2.jsonl", "somebody else's")
	err := out.Commit()
	out.Abort()
	if err == nil || !strings.Contains(err.Error(), "2.jsonl has appeared") || !strings.Contains(err.Error(), "completely: old.jsonl") {
		t.Errorf("%v", err)
	}
	if got := entries(t, p.Dir); got != "2.jsonl old.jsonl" || contentOf(t, p.Path("2.jsonl")) != "somebody else's" ||
		contentOf(t, p.Path("old.jsonl")) != "replaced" {
		t.Errorf("there is %s", got)
	}
}

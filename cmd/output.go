package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// outputSet is the outputs of a run. Each is written to a temporary file beside its target; Commit moves all of them to
// their names at the end, Abort removes what there is. Nothing half-written ever stands under a final name.
//
//	out := a.newOutputSet(inputs, settings.Force)
//	defer out.Abort()
//	f, err := out.open("a.compacted.jsonl")
//	…
//	return out.Commit()
//
// One goroutine may write one output; open, drop, Commit and Abort belong to the one that made the set.
type outputSet struct {
	streams *Streams
	force   bool
	inputs  []input
	files   []*outputFile
	checked []string // targets of the outputs to come
	dirs    []string // directories made for the outputs, outermost first
	done    bool
}

func (a *app) newOutputSet(inputs []input, force bool) *outputSet {
	return &outputSet{streams: a.streams, force: force, inputs: inputs}
}

// open begins an output. "-" is the standard output; a device or pipe is written directly. It refuses an existing file
// unless the set is forced to replace, a file that is also an input, and one that is already an output.
func (s *outputSet) open(name string) (*outputFile, error) {
	f := &outputFile{name: name}
	if name == stdStream || name == "/dev/stdout" {
		f.name = stdStream
		for _, other := range s.files {
			if other.name == stdStream {
				return other, nil // several inputs, one stream
			}
		}
		if err := s.refuseInput(f, s.streams.StdoutInfo); err != nil {
			return nil, err
		}
		f.buffer = bufio.NewWriterSize(s.streams.Stdout, outputBuffer)
		s.files = append(s.files, f)
		return f, nil
	}
	if err := s.locate(f); err != nil {
		return nil, err
	}
	if err := s.create(f); err != nil {
		return nil, err
	}
	f.buffer = bufio.NewWriterSize(f.file, outputBuffer)
	s.files = append(s.files, f)
	return f, nil
}

// check says whether open would refuse the output, without creating anything: for finding mistakes before the work. It
// also refuses a file that was checked before: what is checked is going to be opened. "" is no output.
func (s *outputSet) check(name string) error {
	if name == stdStream || name == "" {
		return nil
	}
	f := &outputFile{name: name}
	if err := s.locate(f); err != nil {
		return err
	}
	if f.target != "" && slices.Contains(s.checked, f.target) {
		return usageErrorf("%s is named for two outputs", f.name)
	}
	s.checked = append(s.checked, f.target)
	return nil
}

// locate finds the target and refuses it where it must not be written.
func (s *outputSet) locate(f *outputFile) error {
	path := s.streams.Path(f.name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is a link that points nowhere", f.name)
		}
		f.target = path
		return s.refuseTwice(f)
	case err != nil:
		return explainOutput("write", f.name, err)
	case info.IsDir():
		return usageErrorf("%s is a directory", f.name)
	}
	if err := s.refuseInput(f, info); err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil // a device or pipe: written directly
	}
	if !s.force {
		return usageError(fmt.Errorf("%s exists already", f.name), "--force replaces it; or give another name")
	}
	if f.target, err = filepath.EvalSymlinks(path); err != nil {
		return explainOutput("write", f.name, err)
	}
	f.replace, f.mode = true, info.Mode().Perm()
	return s.refuseTwice(f)
}

// refuseInput refuses an output that is the same file as an input, by whatever name. info is the output's; nil is no file.
func (s *outputSet) refuseInput(f *outputFile, info fs.FileInfo) error {
	for _, in := range s.inputs {
		if in.info != nil && info != nil && os.SameFile(in.info, info) {
			return usageError(fmt.Errorf("%s is both input and output", in.name),
				"name another file with -o, or leave -o out to write NAME.compacted.EXT beside the input")
		}
	}
	return nil
}

// refuseTwice refuses a target that is already an output of the set.
func (s *outputSet) refuseTwice(f *outputFile) error {
	for _, other := range s.files {
		if other.target != "" && other.target == f.target {
			return usageErrorf("%s is named for two outputs", f.name)
		}
	}
	return nil
}

// create makes the directories and the temporary file of an output, or opens a device.
func (s *outputSet) create(f *outputFile) error {
	var err error
	if f.target == "" {
		f.file, err = os.OpenFile(s.streams.Path(f.name), os.O_WRONLY, 0)
		return f.explain("write", err)
	}
	if err := s.makeDirectories(filepath.Dir(f.target)); err != nil {
		return f.explain("create the directory of", err)
	}
	// The name does not depend on the target, whose own may be as long as the file system allows.
	const tries = 10000
	for i := range tries {
		f.temp = filepath.Join(filepath.Dir(f.target), fmt.Sprintf(".ctxpack-%d.tmp", i))
		f.file, err = os.OpenFile(f.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		s.removeDirectories()
		return f.explain("write", err)
	}
	if f.replace {
		if err := f.file.Chmod(f.mode); err != nil {
			return errors.Join(f.explain("set the permissions of", err), f.discard())
		}
	}
	return nil
}

// makeDirectories makes dir and what is missing above it, and remembers what it made.
func (s *outputSet) makeDirectories(dir string) error {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	for _, d := range missing {
		if err := os.Mkdir(d, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		s.dirs = append(s.dirs, d)
	}
	return nil
}

// drop takes an output back that turned out not to be needed, such as rejects without any.
func (s *outputSet) drop(f *outputFile) error {
	s.files = slices.DeleteFunc(s.files, func(other *outputFile) bool { return other == f })
	return f.discard()
}

// Commit completes all outputs and gives them their names. When one cannot be completed, none gets its name. When one
// cannot be renamed, the new ones are taken back; those that replaced a file stay, complete, and the error names them.
func (s *outputSet) Commit() error {
	for _, f := range s.files {
		if err := f.complete(); err != nil {
			return err
		}
	}
	for i, f := range s.files {
		if f.temp == "" {
			continue
		}
		if err := s.rename(f); err != nil {
			return s.takeBack(s.files[:i], err)
		}
	}
	s.done = true
	s.syncDirectories()
	return nil
}

// rename gives one output its name.
func (s *outputSet) rename(f *outputFile) error {
	if _, err := os.Lstat(f.target); err == nil && !f.replace {
		return usageError(fmt.Errorf("%s has appeared while the run was going on", f.name), "--force replaces it; or give another name")
	}
	return f.explain("write", os.Rename(f.temp, f.target))
}

// takeBack removes the outputs that already have their names, after err.
func (s *outputSet) takeBack(renamed []*outputFile, err error) error {
	var stay []string
	for _, f := range renamed {
		switch {
		case f.temp == "":
		case f.replace:
			stay = append(stay, f.name)
		default:
			_ = os.Remove(f.target) // the first error is the one to report
		}
	}
	if len(stay) > 0 {
		return fmt.Errorf("%w (already replaced, completely: %s)", err, strings.Join(stay, ", "))
	}
	return err
}

// syncDirectories makes the renames durable, where the system can.
func (s *outputSet) syncDirectories() {
	seen := map[string]bool{}
	for _, f := range s.files {
		dir := filepath.Dir(f.target)
		if f.temp == "" || seen[dir] {
			continue
		}
		seen[dir] = true
		if d, err := os.Open(dir); err == nil {
			_ = d.Sync() // not every file system can; the files themselves are on the disk
			_ = d.Close()
		}
	}
}

// Abort removes every temporary file and every directory made for it. After Commit has succeeded it does nothing: it is
// made to be deferred.
func (s *outputSet) Abort() {
	if s.done {
		return
	}
	s.done = true
	for _, f := range s.files {
		_ = f.discard()
		if f.temp != "" {
			_ = os.Remove(f.temp) // completed but not renamed
		}
	}
	s.removeDirectories()
}

// removeDirectories removes the directories made for the outputs that are empty.
func (s *outputSet) removeDirectories() {
	for _, dir := range slices.Backward(s.dirs) {
		_ = os.Remove(dir) // fails when something else was put there meanwhile
	}
	s.dirs = nil
}

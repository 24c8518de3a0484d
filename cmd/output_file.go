package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/ctxpack/ctxpack/formats"
)

// outputFile is one output, an io.Writer. It is buffered: an error may show at a later Write or at Commit.
type outputFile struct {
	name    string // as it is shown; "-" for the standard output
	target  string // final path, links resolved; "" when there is nothing to rename (standard output, a device)
	temp    string // temporary path; "" likewise
	file    *os.File
	buffer  *bufio.Writer
	mode    fs.FileMode // of the target it replaces
	replace bool        // the target existed when the output was opened
	written int64
}

// outputBuffer is the size of an output's buffer in bytes.
const outputBuffer = 256 << 10

// Write writes data; errors say which output they are about.
func (f *outputFile) Write(data []byte) (int, error) {
	n, err := f.buffer.Write(data)
	f.written += int64(n)
	return n, f.explain("write", err)
}

// Name is the name as it is shown.
func (f *outputFile) Name() string { return f.name }

// Written is the number of bytes written so far.
func (f *outputFile) Written() int64 { return f.written }

// explain says in words what went wrong with the output, and what to do.
func (f *outputFile) explain(doing string, err error) error {
	if err == nil || errors.Is(err, errStdoutClosed) {
		return err
	}
	return explainOutput(doing, f.name, err)
}

func explainOutput(doing, name string, err error) error {
	if name == stdStream {
		name = "the standard output"
	}
	full := fmt.Errorf("cannot %s %s: %w", doing, name, bareError(err))
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return formats.WithHint(full, "free some space, or write to another disk with -o")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return formats.WithHint(full, "write somewhere else with -o")
	}
	return full
}

// discard closes the file and removes what is temporary of it.
func (f *outputFile) discard() error {
	if f.file == nil {
		return nil
	}
	_ = f.file.Close() // its content is not wanted
	f.file = nil
	if f.temp == "" {
		return nil
	}
	return os.Remove(f.temp)
}

// complete brings everything written to the disk and closes the file.
func (f *outputFile) complete() error {
	if err := f.buffer.Flush(); err != nil {
		return f.explain("write", err)
	}
	if f.file == nil {
		return nil
	}
	if f.temp != "" {
		if err := f.file.Sync(); err != nil {
			return f.explain("write", err)
		}
	}
	err := f.file.Close()
	f.file = nil
	return f.explain("write", err)
}

// restart empties a file, to be written anew.
func (f *outputFile) restart() error {
	f.buffer.Reset(f.file)
	f.written = 0
	_, err := f.file.Seek(0, io.SeekStart)
	if err == nil {
		err = f.file.Truncate(0)
	}
	return f.explain("write", err)
}

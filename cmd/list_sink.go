package cmd

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
)

// listSink writes records as lines, or as the elements of one array with an element a line.
type listSink struct {
	w     io.WriteCloser
	array bool
	any   bool
}

// newListSink is a listSink into w for an output of that name, which it completes.
func newListSink(w io.WriteCloser, name string) *listSink {
	return &listSink{w: w, array: strings.EqualFold(filepath.Ext(codec.TrimExtension(name)), ".json")}
}

// Write writes payload on a line of its own. Line breaks in it can only stand between its tokens.
func (k *listSink) Write(rec formats.Record, payload []byte) error {
	if rec.FramingOnly() {
		return nil
	}
	before := ""
	switch {
	case k.array && !k.any:
		before = "[\n"
	case k.array:
		before = ",\n"
	}
	k.any = true
	line := append([]byte(before), formats.OneLine(payload)...)
	if !k.array {
		line = append(line, '\n')
	}
	_, err := k.w.Write(line)
	return err
}

// Skip leaves a record out.
func (k *listSink) Skip(formats.Record) error { return nil }

// Close completes the array and the compression.
func (k *listSink) Close() error {
	var err error
	if k.array {
		end := "\n]\n"
		if !k.any {
			end = "[]\n"
		}
		_, err = io.WriteString(k.w, end)
	}
	return errors.Join(err, k.w.Close())
}

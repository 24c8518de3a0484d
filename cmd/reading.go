package cmd

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
	"github.com/ctxpack/ctxpack/formats/jsonl"
	"github.com/ctxpack/ctxpack/formats/parquet"
)

// reading is one input being read: the file, hashed and counted on the way, decompressed, cut into records.
// It is the formats.Source of the input, and knows afterwards what the input was.
type reading struct {
	in     input
	file   io.Closer // nil: the standard input, not ours to close
	unpack io.ReadCloser
	source formats.Source
	lines  *jsonl.Source // source, when it reads JSON
	table  *tableReading // of a Parquet file; nil for JSON

	kind  codec.Kind
	bytes int64 // as stored
	sum   hash.Hash
}

// readOptions are what the user says about the inputs. The zero value detects everything.
type readOptions struct {
	Column string // the conversation columns of Parquet files
	Format string // the dialect that --format names
	Row    bool   // a Parquet row's payload is all of its columns, not the conversation alone
}

// openInput opens an input and tells its compression and container. advance is told of every stored byte that was read.
func (a *app) openInput(in input, advance func(int64), options ...readOptions) (*reading, error) {
	var opts readOptions
	if len(options) > 0 {
		opts = options[0]
	}
	r := &reading{in: in, kind: codec.Plain, sum: sha256.New()}
	raw := a.streams.Stdin
	if !in.isStdin() {
		file, err := os.Open(in.path)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", in.name, bareError(err))
		}
		r.file, raw = file, file
	}
	front := bufio.NewReaderSize(raw, 4096)
	magic, _ := front.Peek(len(parquet.Magic)) // an error comes again when it is read
	var err error
	if string(magic) == parquet.Magic {
		err = r.openTable(front, advance, opts)
	} else {
		err = r.openLines(&meteredReader{front, r, advance}, opts)
	}
	if err != nil {
		return nil, errors.Join(named(in, err), r.Close())
	}
	return r, nil
}

// readOptions are the settings that say how inputs are read.
func (s *Settings) readOptions() readOptions {
	return readOptions{Column: strings.Join(s.Column, ","), Format: s.Format}
}

// openLines begins to read JSON in any framing, plain or compressed.
func (r *reading) openLines(from io.Reader, opts readOptions) error {
	var err error
	if r.unpack, r.kind, err = codec.NewReader(from); err != nil {
		return fmt.Errorf("%s: %w", r.in.name, err)
	}
	if r.lines, err = jsonl.NewSource(r.unpack, r.in.name, linesOptions(opts)); err != nil {
		return err
	}
	r.source = r.lines
	return nil
}

// linesOptions says when a file is one session log: when it looks like one, or the user says so.
func linesOptions(opts readOptions) jsonl.Options {
	switch {
	case formats.IsSessionDialect(opts.Format):
		return jsonl.Options{Framing: jsonl.Session}
	case opts.Format != "":
		return jsonl.Options{}
	}
	return jsonl.Options{IsSession: formats.IsSession}
}

// meteredReader counts and hashes what is read.
type meteredReader struct {
	from    io.Reader
	to      *reading
	advance func(int64)
}

func (m *meteredReader) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	m.to.bytes += int64(n)
	m.to.sum.Write(p[:n]) // a hash never fails
	m.advance(int64(n))
	return n, err
}

// Next yields the next record.
func (r *reading) Next(ctx context.Context) (formats.Record, error) {
	rec, err := r.source.Next(ctx)
	return rec, named(r.in, err)
}

// Close closes what openInput opened.
func (r *reading) Close() error {
	var errs []error
	if r.table != nil {
		errs = append(errs, r.table.Close())
	}
	if r.unpack != nil {
		errs = append(errs, r.unpack.Close())
	}
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	return errors.Join(errs...)
}

// container says how the input is cut into records, and what that was told from.
func (r *reading) container() (name, why string) {
	if r.table != nil {
		return "Parquet", "begins with " + parquet.Magic + "; conversations in " + strings.Join(r.table.Columns(), ", ")
	}
	return containerName(r.lines.Framing()), r.lines.Why()
}

// digest is the SHA-256 of the stored bytes, once they have been read to the end.
func (r *reading) digest() string { return hex.EncodeToString(r.sum.Sum(nil)) }

// copyTo writes the stored bytes of the input, as they are.
func (r *reading) copyTo(w io.Writer) error {
	if r.table != nil && r.table.spool != nil {
		return r.table.copySpool(w)
	}
	file, err := os.Open(r.in.path)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", r.in.name, bareError(err))
	}
	_, err = io.Copy(w, file)
	return errors.Join(err, file.Close())
}

package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
	"github.com/ctxpack/ctxpack/formats/jsonl"
)

// reading is one input being read: the file, hashed and counted on the way, decompressed, cut into records.
// It is the formats.Source of the input, and knows afterwards what the input was.
type reading struct {
	in     input
	file   io.Closer // nil: the standard input, not ours to close
	unpack io.ReadCloser
	source *jsonl.Source

	kind  codec.Kind
	bytes int64 // as stored
	sum   hash.Hash
}

// openInput opens an input and tells its compression and container. advance is told of every stored byte that was read.
func (a *app) openInput(in input, advance func(int64)) (*reading, error) {
	r := &reading{in: in, sum: sha256.New()}
	raw := a.streams.Stdin
	if !in.isStdin() {
		file, err := os.Open(in.path)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", in.name, bareError(err))
		}
		r.file, raw = file, file
	}
	var err error
	r.unpack, r.kind, err = codec.NewReader(&meteredReader{raw, r, advance})
	if err == nil {
		r.source, err = jsonl.NewSource(r.unpack, in.name, jsonl.Options{})
	} else {
		err = fmt.Errorf("%s: %w", in.name, err)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
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
func (r *reading) Next(ctx context.Context) (formats.Record, error) { return r.source.Next(ctx) }

// Close closes what openInput opened.
func (r *reading) Close() error {
	var errs []error
	if r.unpack != nil {
		errs = append(errs, r.unpack.Close())
	}
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	return errors.Join(errs...)
}

// digest is the SHA-256 of the stored bytes, once they have been read to the end.
func (r *reading) digest() string { return hex.EncodeToString(r.sum.Sum(nil)) }

// copyTo writes the stored bytes of the input, as they are.
func (r *reading) copyTo(w io.Writer) error {
	file, err := os.Open(r.in.path)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", r.in.name, bareError(err))
	}
	_, err = io.Copy(w, file)
	return errors.Join(err, file.Close())
}

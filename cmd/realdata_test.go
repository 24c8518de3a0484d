package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/compresstest"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
	"github.com/ctxpack/ctxpack/formats/jsonl"
	"github.com/ctxpack/ctxpack/summarize"
)

// recordsOf reads every record of a file with a conversation in it that can be written back.
func recordsOf(t *testing.T, path string) []formats.Record {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, _, err := codec.NewReader(file)
	if err != nil {
		return nil // hostile
	}
	defer unpacked.Close()
	src, err := jsonl.NewSource(unpacked, filepath.Base(path), jsonl.Options{})
	if err != nil {
		return nil
	}
	var list []formats.Record
	for {
		rec, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			return list // truncated on purpose
		}
		if !rec.FramingOnly() && rec.Fault == nil {
			list = append(list, rec)
		}
	}
}

// transcripts are our fixtures and, where they are beside the project, real transcripts.
func transcripts(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, root := range []string{"../fixtures", "../../shared/data"} {
		err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && holdsRecords(entry.Name()) && filepath.Base(filepath.Dir(path)) != "models" {
				all = append(all, path)
			}
			return nil // real transcripts may be absent
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d files", len(all))
	}
	return all
}

// seer remembers which messages the summariser was given.
type seer struct {
	summarize.Summarizer
	seen map[int]bool
}

func (s seer) Summarize(ctx context.Context, r summarize.Request) (summarize.Prose, error) {
	for _, m := range r.Messages() {
		s.seen[m.Number] = true
	}
	if r.Restated != nil {
		s.seen[r.Restated.Number] = true
	}
	return s.Summarizer.Summarize(ctx, r)
}

// Every invariant holds on everything there is, at several settings, and compacting an output again changes nothing.
func TestInvariantsOnTranscripts(t *testing.T) {
	counter, err := tokens.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]compress.Options{
		"8k":      {ContextLength: 8000, ProtectFirst: 3, ProtectLast: 4},
		"fit 4k":  {Strategy: compress.Fit, Window: 4000, ProtectFirst: 3, ProtectLast: 20},
		"fit 1k":  {Strategy: compress.Fit, Window: 1000, ProtectLast: 2, Prune: compress.PrunePlaceholder},
		"no head": {ContextLength: 16000, Threshold: 0.3, ProtectLast: 1},
	}
	statuses := map[compress.Status]int{}
	for _, path := range transcripts(t) {
		for _, rec := range recordsOf(t, path) {
			for name, o := range settings {
				res := invariantsHold(t, o, counter, name, rec)
				statuses[res.Status]++
			}
		}
	}
	t.Log(statuses)
	for _, s := range []compress.Status{compress.Untouched, compress.Pruned, compress.Summarized, compress.NothingToDo} {
		if statuses[s] == 0 {
			t.Errorf("no record became %s", s)
		}
	}
}

func invariantsHold(t *testing.T, o compress.Options, counter tokens.Counter, name string, rec formats.Record) compress.Result {
	t.Helper()
	before, err := formats.Decode(rec, dialects())
	if err != nil {
		return compress.Result{Status: compress.Rejected}
	}
	c := compactRecord(t, o, counter, rec)
	c.Before = before
	if err := c.Check(); err != nil {
		t.Errorf("%s, %s: status %s: %v", rec.Pos, name, c.Result.Status, err)
	}
	if c.Result.Status == compress.Failed && c.Result.Code != "pairing" {
		t.Errorf("%s, %s: failed: %s", rec.Pos, name, c.Result.Reason)
	}
	again := compactRecord(t, o, counter, formats.Record{Pos: rec.Pos, Raw: c.Out})
	if string(again.Out) != string(c.Out) {
		t.Errorf("%s, %s: I9: compacting again changes it (%s, then %s)", rec.Pos, name, c.Result.Status, again.Result.Status)
	}
	return c.Result
}

func compactRecord(t *testing.T, o compress.Options, counter tokens.Counter, rec formats.Record) compresstest.Case {
	t.Helper()
	s := seer{summarizers()[0].make(), map[int]bool{}}
	engine, err := compress.NewCompressor(o, &compress.Meter{Counter: counter}, s)
	if err != nil {
		t.Fatal(err)
	}
	conv, err := formats.Decode(rec, dialects())
	if err != nil {
		t.Fatalf("%s: the output cannot be read: %v", rec.Pos, err)
	}
	res, err := engine.Compact(context.Background(), conv, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := compresstest.Case{In: rec.Raw, Out: rec.Raw, Result: res, Seen: s.seen}
	if res.Status.Changed() {
		c.Out = conv.With(res.Messages).Bytes()
	}
	if c.After, err = formats.Decode(formats.Record{Raw: c.Out}, dialects()); err != nil {
		t.Fatalf("%s: the output cannot be read: %v", rec.Pos, err)
	}
	return c
}

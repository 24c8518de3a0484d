package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// recordPair is one record before and after a compaction.
type recordPair struct {
	before, after formats.Record
	index         int64 // of before, over all files of its side
}

// recordStream reads the records of one side, file after file. Framing is skipped.
type recordStream struct {
	app    *app
	inputs []input
	read   readOptions
	open   *reading
	digest []string // SHA-256 of the files read to their end
}

func (a *app) newRecordStream(side string, read readOptions) (*recordStream, error) {
	inputs, err := a.expandInputs([]string{side})
	if err != nil {
		return nil, err
	}
	return &recordStream{app: a, inputs: inputs, read: read}, nil
}

// next gives the next record, io.EOF at the end.
func (s *recordStream) next(ctx context.Context) (formats.Record, error) {
	for {
		if s.open == nil {
			if len(s.inputs) == 0 {
				return formats.Record{}, io.EOF
			}
			r, err := s.app.openInput(s.inputs[0], func(int64) {}, s.read)
			if err != nil {
				return formats.Record{}, err
			}
			s.open, s.inputs = r, s.inputs[1:]
		}
		rec, err := s.open.Next(ctx)
		switch {
		case err == nil && rec.FramingOnly():
		case err == nil:
			return rec, nil
		case errors.Is(err, io.EOF):
			s.digest = append(s.digest, s.open.digest())
			if err := s.close(); err != nil {
				return formats.Record{}, err
			}
		default:
			return formats.Record{}, err
		}
	}
}

func (s *recordStream) close() error {
	if s.open == nil {
		return nil
	}
	err := s.open.Close()
	s.open = nil
	return err
}

// count reads a side to its end.
func (a *app) countRecords(ctx context.Context, side string, read readOptions) (n int64, err error) {
	s, err := a.newRecordStream(side, read)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for {
		if _, err := s.next(ctx); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n++
	}
}

// pairing says how records of two sides belong together.
type pairing struct {
	key  string // path of a member both records carry; "" for none
	rows *runRows
	read readOptions // of both sides
}

// pairReader yields the pairs of two sides in the order of the first. Records are paired by key, else by the rows of the
// run (records it left out have no partner), else by position.
type pairReader struct {
	before, after *recordStream
	how           pairing
	at            int64
	waiting       map[string]formats.Record // records of after that were read too early, by key
	unmatched     [2]int64                  // records of before and of after without a partner
}

// openPairs opens both sides. By position, the numbers of records must agree: else a usage error.
func (a *app) openPairs(ctx context.Context, before, after string, how pairing) (*pairReader, error) {
	p := &pairReader{how: how, waiting: map[string]formats.Record{}}
	var err error
	if p.before, err = a.newRecordStream(before, how.read); err != nil {
		return nil, err
	}
	if p.after, err = a.newRecordStream(after, how.read); err != nil {
		return nil, err
	}
	if before == stdStream && after == stdStream {
		return nil, usageErrorf("only one of BEFORE and AFTER can be the standard input")
	}
	if how.key != "" || how.rows != nil || before == stdStream || after == stdStream {
		return p, nil // a difference in number shows at the end
	}
	n, err := a.countRecords(ctx, before, how.read)
	if err != nil {
		return nil, err
	}
	m, err := a.countRecords(ctx, after, how.read)
	if err != nil {
		return nil, err
	}
	if n != m {
		return nil, differentNumbers(before, n, after, m)
	}
	return p, nil
}

func differentNumbers(before string, n int64, after string, m int64) error {
	return usageError(fmt.Errorf("%s has %d records and %s has %d: they cannot be paired by position", before, n, after, m),
		"--key id pairs them by a member they carry, --run ROWS.jsonl by the rows that `ctxpack compact --report ROWS.jsonl` wrote")
}

// next gives the next pair, io.EOF at the end.
func (p *pairReader) next(ctx context.Context) (recordPair, error) {
	for {
		rec, err := p.before.next(ctx)
		if errors.Is(err, io.EOF) {
			return recordPair{}, p.finish(ctx)
		}
		if err != nil {
			return recordPair{}, err
		}
		index := p.at
		p.at++
		if p.how.rows.leftOut(rec.Pos) {
			continue
		}
		after, ok, err := p.partner(ctx, rec)
		if err != nil {
			return recordPair{}, err
		}
		if !ok {
			p.unmatched[0]++
			continue
		}
		return recordPair{rec, after, index}, nil
	}
}

// partner finds the record of after that belongs to rec.
func (p *pairReader) partner(ctx context.Context, rec formats.Record) (formats.Record, bool, error) {
	if p.how.key == "" {
		after, err := p.after.next(ctx)
		if errors.Is(err, io.EOF) {
			return after, false, nil
		}
		return after, err == nil, err
	}
	key, ok := keyOf(rec, p.how.key)
	if !ok {
		return formats.Record{}, false, nil
	}
	if after, ok := p.waiting[key]; ok {
		delete(p.waiting, key)
		return after, true, nil
	}
	for {
		after, err := p.after.next(ctx)
		if errors.Is(err, io.EOF) {
			return after, false, nil
		}
		if err != nil {
			return after, false, err
		}
		other, ok := keyOf(after, p.how.key)
		switch {
		case ok && other == key:
			return after, true, nil
		case ok:
			p.waiting[other] = after
		default:
			p.unmatched[1]++
		}
	}
}

// finish counts what is left of after.
func (p *pairReader) finish(ctx context.Context) error {
	p.unmatched[1] += int64(len(p.waiting))
	clear(p.waiting)
	for {
		if _, err := p.after.next(ctx); err != nil {
			return err
		}
		p.unmatched[1]++
	}
}

func (p *pairReader) close() error { return errors.Join(p.before.close(), p.after.close()) }

// keyOf reads the member at a path such as id or info.instance_id, as text.
func keyOf(rec formats.Record, path string) (string, bool) {
	probe, err := formats.NewProbe(rec)
	if err != nil {
		return "", false
	}
	obj := probe.Root
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		obj = obj.Object(name)
	}
	value := obj.Raw(names[len(names)-1])
	switch {
	case len(value) == 0 || value[0] == '{' || value[0] == '[' || value[0] == 'n':
		return "", false
	case value[0] == '"':
		return formats.DecodeString(value), true
	}
	return string(value), true
}

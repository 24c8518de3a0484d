package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// table yields the records of rows of three columns: "row.column", "" where the row has none.
type table struct {
	raw  []string
	next int
}

func (s *table) Next(context.Context) (formats.Record, error) {
	if s.next == len(s.raw) {
		return formats.Record{}, io.EOF
	}
	i := s.next
	s.next++
	pos := formats.Position{File: "t", Index: int64(i), Row: int64(i / 3), Column: string(rune('a' + i%3))}
	return formats.Record{Pos: pos, Raw: []byte(s.raw[i])}, nil
}

func (s *table) Close() error { return nil }

// rowSink notes what comes.
type rowSink struct {
	whole bool
	calls []string
}

func (k *rowSink) WholeRows() bool { return k.whole }

func (k *rowSink) Write(_ formats.Record, payload []byte) error {
	k.calls = append(k.calls, string(payload))
	return nil
}

func (k *rowSink) Skip(rec formats.Record) error {
	k.calls = append(k.calls, "-"+string(rec.Raw))
	return nil
}

func (k *rowSink) Close() error { return nil }

// What leaves the output with its row is a reject: records in are records out and rejects.
func TestRowsOfRejectedRecords(t *testing.T) {
	raw := []string{"0a", "0b", "0c", "1a", "1bad", "", "2a", "2b", "2c", "3omit", "3omit", "3omit", "4a", "4b", "4bad"}
	process := func(_ context.Context, _ *Gate, rec formats.Record) (Outcome, error) {
		switch text := string(rec.Raw); {
		case strings.HasSuffix(text, "bad"):
			return Outcome{Reject: &formats.Fault{Pos: rec.Pos, Stage: formats.StageDecode, Code: "syntax", Err: errors.New("broken")}}, nil
		case strings.HasSuffix(text, "omit"):
			return Outcome{Omit: true}, nil
		}
		return Outcome{Payload: bytes.ToUpper(rec.Raw)}, nil
	}
	for _, test := range []struct {
		whole   bool
		calls   string
		rejects string
		counts  string
	}{
		{true, "0A 0B 0C -1a -1bad - 2A 2B 2C -3omit -3omit -3omit -4a -4b -4bad",
			"t[1].a row left out with its row: t[1].b was rejected|t[1].b syntax broken|" +
				"t[4].a row left out with its row: t[4].c was rejected|t[4].b row left out with its row: t[4].c was rejected|t[4].c syntax broken",
			"14 6 5 3"},
		{false, "0A 0B 0C 1A -1bad  2A 2B 2C -3omit -3omit -3omit 4A 4B -4bad", "t[1].b syntax broken|t[4].c syntax broken", "14 9 2 3"},
	} {
		for _, batch := range []int{1, 4, 1 << 10} { // a row may be in several units
			k := &rowSink{whole: test.whole}
			var rejects, seen []string
			in := Input{
				Name:   "t",
				Open:   func(context.Context) (formats.Source, error) { return &table{raw: raw}, nil },
				Create: func(context.Context) (formats.Sink, error) { return k, nil },
				Rejects: rejecterFunc(func(rec formats.Record, f *formats.Fault) error {
					rejects = append(rejects, fmt.Sprintf("%s %s %v", rec.Pos, f.Code, f.Err))
					return nil
				}),
			}
			totals, err := Run(t.Context(), Options{batch: batch}, []Input{in}, process, ObserverFunc(func(rec formats.Record, _ Outcome) error {
				seen = append(seen, string(rec.Raw))
				return nil
			}))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(k.calls, " "); got != test.calls {
				t.Errorf("whole %v, batch %d: the sink got %q", test.whole, batch, got)
			}
			if got := strings.Join(rejects, "|"); got != test.rejects {
				t.Errorf("whole %v, batch %d: rejects %q", test.whole, batch, got)
			}
			if got := fmt.Sprint(totals.Records, totals.Changed, totals.Rejected, totals.Omitted); got != test.counts {
				t.Errorf("whole %v, batch %d: counts %s", test.whole, batch, got)
			}
			if want := slices.DeleteFunc(slices.Clone(raw), func(s string) bool { return s == "" }); !slices.Equal(seen, want) {
				t.Errorf("whole %v, batch %d: the observer saw %q", test.whole, batch, seen)
			}
		}
	}
}

type rejecterFunc func(formats.Record, *formats.Fault) error

func (f rejecterFunc) Reject(rec formats.Record, fault *formats.Fault) error { return f(rec, fault) }

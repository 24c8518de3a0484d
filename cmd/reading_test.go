package cmd

import (
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// The conversations of one row are in a sample together, or none of them is.
func TestRowsAreSampledWhole(t *testing.T) {
	s := &Settings{Sample: 0.5, Seed: 7}
	in := 0
	for row := range int64(2000) {
		chosen := inSample(s, formats.Position{File: "a", Index: 2 * row, Row: row, Column: "chosen"})
		if rejected := inSample(s, formats.Position{File: "a", Index: 2*row + 1, Row: row, Column: "rejected"}); chosen != rejected {
			t.Fatalf("row %d: chosen %v, rejected %v", row, chosen, rejected)
		}
		if chosen {
			in++
		}
	}
	if in < 500 || in > 1500 {
		t.Errorf("%d of 2000 rows in half a sample", in)
	}
	s = &Settings{Sample: 1, Limit: 3}
	if !inSample(s, formats.Position{Index: 5, Row: 2, Column: "rejected"}) || inSample(s, formats.Position{Index: 6, Row: 3, Column: "chosen"}) {
		t.Error("a limit is one of rows")
	}
}

// Where the container of an output comes from.
func TestTableOutput(t *testing.T) {
	for _, test := range []struct {
		name        string
		input, want bool
	}{
		{"a.parquet", false, true}, {"a.PARQUET", false, true}, {"a.jsonl", true, false}, {"out/a.json.gz", true, false},
		{"-", true, true}, {"-", false, false}, {"out.bin", true, true}, {"out.bin", false, false},
	} {
		if got := tableOutput(test.name, test.input); got != test.want {
			t.Errorf("%s of a table %v: got %v", test.name, test.input, got)
		}
	}
}

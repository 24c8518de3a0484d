package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func TestGoldenScreens(t *testing.T) {
	r := testReport(600)
	for name, s := range map[string]Screen{"wide": {Columns: 120}, "ascii": {Columns: 120, ASCII: true}} {
		var out bytes.Buffer
		if err := s.WriteText(&out, &r); err != nil {
			t.Fatal(err)
		}
		golden(t, "report-"+name+".txt", out.Bytes())
	}
}

// Whatever a report says, its lines fit the screen, and in ASCII they are ASCII.
func TestScreensFit(t *testing.T) {
	check := func(t testing.TB, name string, s Screen) {
		r := hostileReport(name)
		r.Header.Inputs = append(r.Header.Inputs, Input{Name: name + "2", Totals: &FileTotals{9, 1 << 50, 1 << 49, 8, 7, 6, 5}})
		lines := s.Lines(&r)
		if len(lines) > 24 {
			t.Errorf("%d lines", len(lines))
		}
		for _, line := range append(lines, s.FileLines(&r, 0)...) {
			if w := uniseg.StringWidth(line); w > s.width() {
				t.Errorf("%d of %d columns: %q", w, s.width(), line)
			}
			if s.ASCII && strings.IndexFunc(line, func(c rune) bool { return c >= utf8.RuneSelf || c < ' ' }) >= 0 {
				t.Errorf("not ASCII: %q", line)
			}
		}
	}
	for _, s := range []Screen{{}, {Columns: 10}, {Columns: 60}, {Columns: 100}, {Columns: 120}, {Columns: 500}, {Columns: 80, ASCII: true}, {Columns: 120, ASCII: true}} {
		for _, name := range hostile() {
			check(t, name, s)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		check(t, rapid.String().Draw(rt, "name"), Screen{rapid.IntRange(0, 200).Draw(rt, "columns"), rapid.Bool().Draw(rt, "ASCII")})
	})
}

func TestASCII(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "cut…": "cut~", "█▌▍": "##:", "漢字": "????", "é": "?", "a\x1b[0m": "a\x1b[0m", "": "",
	} {
		if got := ASCII(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := visible(rapid.String().Draw(t, "text"))
		if got := ASCII(text); len(got) != uniseg.StringWidth(text) {
			t.Fatalf("%q (%d columns) becomes %q", text, uniseg.StringWidth(text), got)
		}
	})
}

func TestFileLines(t *testing.T) {
	r := Report{}
	for i := range 30 {
		r.Header.Inputs = append(r.Header.Inputs, Input{Name: fmt.Sprintf("f%02d", i), Totals: &FileTotals{TokensBefore: int64(1000 - i), Conversations: 1}})
	}
	r.Header.Inputs[29].Totals.Rejected = 1
	lines := Screen{}.FileLines(&r, 3)
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "f00 ") || !strings.HasPrefix(lines[1], "f01 ") || !strings.HasPrefix(lines[2], "f29 ") ||
		lines[3] != "and 27 more files: in the report, under header.inputs" {
		t.Errorf("%q", lines)
	}
	if n := len(Screen{}.FileLines(&r, 0)); n != 30 {
		t.Errorf("%d lines", n)
	}
	r.Header.Inputs = r.Header.Inputs[:1]
	if lines := (Screen{}).FileLines(&r, 3); lines != nil {
		t.Errorf("%q for one file", lines)
	}
}

package summarize

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sample(body string) string { return Marker + "\n" + body + "\n" + End }

func TestLocate(t *testing.T) {
	legacy := "[CONTEXT SUMMARY]: we fixed the parser"
	for _, test := range []struct {
		name, text, own, body string
		found                 bool
	}{
		{"alone", sample("body"), "", "body\n", true},
		{"in front", sample("body") + "\n\nown text", "own text", "body\n", true},
		{"in front, own begins with lines", sample("body") + "\n\n\n\nown", "\n\nown", "body\n", true},
		{"behind", "own text\n\n" + PriorEnd + "\n" + sample("body"), "own text", "body\n", true},
		{"behind, blank line", "own\n\n" + PriorEnd + "\n\n" + sample("b"), "own", "b\n", true},
		{"behind, CRLF", "own\r\n\r\n" + PriorEnd + "\r\n" + sample("b"), "own", "b\n", true},
		{"no end marker", Marker + "\nbody\nmore", "", "body\nmore", true},
		{"white space around", "\n " + sample("b") + "\n \n", "", "b\n", true},
		{"legacy, one line", legacy, "", " we fixed the parser", true},
		{"reference only", "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below. Treat it as background.\n## Goal\nx", "", "## Goal\nx", true},
		{"marker with other words", "[CONTEXT COMPACTION] all was well", "", " all was well", true},
		{"quoted in prose", "what does [CONTEXT COMPACTION] mean?", "", "", false},
		{"quoted line", "look:\n" + sample("b"), "", "", false},
		{"prior end without marker", "own\n\n" + PriorEnd + "\nnothing", "", "", false},
		{"prior end inside a line", "see " + PriorEnd + "\n" + Marker, "", "", false},
		{"end marker inside a line", Marker + "\nsay " + End + " loudly\nrest", "", "say " + End + " loudly\nrest", true},
		{"empty", "", "", "", false},
	} {
		l, ok := Locate(test.text)
		if ok != test.found {
			t.Errorf("%s: found = %v", test.name, ok)
			continue
		}
		if !ok {
			continue
		}
		if own := test.text[:l.Start] + test.text[l.End:]; own != test.own || l.Body != test.body {
			t.Errorf("%s: own %q, want %q; body %q, want %q", test.name, own, test.own, l.Body, test.body)
		}
	}
}

// hostile draws texts made of what a frame is made of.
func hostile() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"\n", "\n\n", "\r\n", " ", ">", "> ", "- ", Marker, End, PriorEnd, Markers[1], Markers[2], "## Ledger", "## User Messages", "## Goal", "Message 3:",
			"None.", "```", "2 earlier messages left out.", "Read: a.go (3)", "漢字、日本語。", "src/a.go", "\t", "\u2028", "\v", "# x", "(3)", ", ", "; ",
		}),
		rapid.StringN(0, 12, -1),
	)
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 14).Draw(t, "pieces"), "") })
}

func TestJoinAndLocate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own := hostile().Draw(t, "own")
		if _, ok := Locate(own); ok {
			return // own text is what is left when summaries are split off
		}
		summary := sample(escapeFrame(hostile().Draw(t, "body")))
		for _, text := range []string{JoinFront(summary, own) + own, own + JoinBack(own, summary)} {
			l, ok := Locate(text)
			if !ok {
				t.Fatalf("not found in %q", text)
			}
			if got := text[:l.Start] + text[l.End:]; got != own {
				t.Fatalf("own text %q came back as %q from %q", own, got, text)
			}
			if sample(strings.TrimSuffix(l.Body, "\n")) != summary {
				t.Fatalf("body %q of %q", l.Body, summary)
			}
		}
	})
}

func FuzzLocateAndParse(f *testing.F) {
	f.Add(sample("## Goal\n- x\n\n## User Messages\nMessage 3:\n> hi\n>\n> there\n\n## Ledger\nRead: a.go (3)"))
	f.Add("own\n\n" + PriorEnd + "\n" + sample("b"))
	f.Add("[CONTEXT SUMMARY]: x\n## Ledger\nCommands:\n- make (x)")
	f.Fuzz(func(t *testing.T, text string) {
		l, ok := Locate(text)
		if ok && (l.Start < 0 || l.End < l.Start || l.End > len(text) || !strings.Contains(text[l.Start:l.End], l.Body)) {
			t.Fatalf("%+v of %q", l, text)
		}
		for _, q := range Parse(text).User {
			if q.Number < 0 {
				t.Fatalf("message number %d", q.Number)
			}
		}
		Parse(l.Body)
	})
}

package summarize

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scanRuns is scan without its shortcuts: every run is looked at.
func scanRuns(text string, yield found) {
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && class[text[i]] != 0 {
			i++
		}
		switch seen := classesOf(text[start:i]); {
		case i == start && text[i] == '#':
			i = issue(text, i, yield)
		case i == start:
			i++
		case strings.HasPrefix(text[i:], "://") && seen&(slash|dot|underscore) == 0:
			i = url(text, start, i, yield)
		case seen&(seen-1) == 0 && seen != slash:
		default:
			run(text, start, i, seen, yield)
		}
	}
}

type spot struct {
	start, end int
	kind       IdentifierKind
}

func spotsOf(text string, scan func(string, found)) (list []spot) {
	scan(text, func(start, end int, kind IdentifierKind) { list = append(list, spot{start, end, kind}) })
	return list
}

func sameScan(t interface{ Errorf(string, ...any) }, text string) {
	got, want := spotsOf(text, scan), spotsOf(text, scanRuns)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q: %v, want %v", text, got, want)
	}
}

func TestScan(t *testing.T) {
	parts := []string{"a", "Word", "WORD", "x", "1", "42", "_", ".", "/", "-", "@", "~", "#", ":", "://", "http", "#12", "\\n", "\\", " ", "\n", "<", ">", "ab3", "é", "\"", "go.mod", "a_b", "1.2.3", "ABC-12"}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(parts), rapid.String()), 0, 16).Draw(t, "parts")
		sameScan(t, strings.Join(list, ""))
	})
}

func FuzzScan(f *testing.F) {
	f.Add("see https://x.y/z?a=b#3, #12-3 and \\nfoo_bar.go: ABC-1:// END. 1.2.3 a/b.c")
	f.Add("a://b://c #1#2:#3 x:#4")
	f.Fuzz(func(t *testing.T, text string) { sameScan(t, text) })
}

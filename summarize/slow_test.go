package summarize

import (
	"strings"
	"testing"
	"time"
)

// everything runs all scanners and parsers over a text.
func everything(text string) {
	Identifiers(text, func(string, IdentifierKind) {})
	ShellFiles(text)
	CommandKey(text)
	WorthNoting(text)
	f := files{}
	f.script(text)
	ReadOutcome(text, Unwrap(text), false, true)
	arguments(text)
	Locate(text)
	Parse(text)
	parseLedger(strings.Split(text, "\n"))
}

// fastest is the least of three times: the machine may be busy.
func fastest(text string) time.Duration {
	best := time.Hour
	for range 3 {
		start := time.Now()
		everything(text)
		best = min(best, time.Since(start))
	}
	return best
}

// Sixteen times the text may take sixteen times as long, with room for noise; quadratic steps would take 256 times.
func TestNothingIsQuadratic(t *testing.T) {
	const small, times = 1 << 14, 16
	for _, piece := range []string{"/", "a/", "a_", "b/x ", "a=", "open(a)", "a=open(a,'w')", "'", "\"\\", "<<E\n", "<<", "$(", "`", "bash -c '", "error ", "#1", "://", "x.y", "- ", "> ", "{", "[", "{\"a\":", End + "\n", PriorEnd + "\n", Marker + "\n", "```\n", "## x\n", "Message 1:\n>\n", "Read: a (1); "} {
		short := fastest(strings.Repeat(piece, small/len(piece)))
		long := fastest(strings.Repeat(piece, times*small/len(piece)))
		if long > 5*times*short+20*time.Millisecond {
			t.Errorf("%q: %v for %d bytes, %v for %d times as many", piece, short, small, long, times)
		}
	}
}

package extractive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/summarize"
)

// namesOf gives the names of the lines of names under a heading.
func namesOf(p summarize.Parsed, heading string) []string {
	for line := range strings.SplitSeq(p.Section(heading), "\n") {
		for _, title := range []string{"- also named: ", "- Also named: "} {
			if rest, ok := strings.CutPrefix(line, title); ok {
				return strings.Split(rest, ", ")
			}
		}
	}
	return nil
}

// chatter is a conversation in which many names occur in outputs only.
func chatter(n int) *talk {
	c := &talk{}
	c.user("Mend the build of the whole project, please.")
	for i := range n {
		c.runs("", "bash", fmt.Sprintf(`{"command":"cat pkg/file_%d.go"}`, i), fmt.Sprintf("calls handle_request_%d and other_helper_%d in lib/part_%d.go", i, i, i))
	}
	return c
}

// TestNamesFillWhatIsLeft: names that the ledger has no room for stand in the prose, each once, within the budget; there
// are none where the ledger was switched off.
func TestNamesFillWhatIsLeft(t *testing.T) {
	req := chatter(60).request(2400)
	s, p := compose(t, req)
	names := append(namesOf(p, summarize.HeadingFiles), namesOf(p, summarize.HeadingCritical)...)
	if len(names) < 20 {
		t.Fatalf("only %d names:\n%s", len(names), s)
	}
	seen := map[string]bool{}
	ledger := map[string]bool{}
	for _, e := range p.Ledger {
		ledger[e.Value] = true
	}
	for _, name := range names {
		if seen[name] || ledger[name] {
			t.Errorf("%s stands there twice", name)
		}
		seen[name] = true
	}
	if size := rough(s) - summarize.FrameTokens(rough); size > req.Budget {
		t.Errorf("%d tokens, budget %d", size, req.Budget)
	}
	req.Ledger = 0
	if _, p = compose(t, req); len(namesOf(p, summarize.HeadingCritical)) > 0 {
		t.Error("names without a ledger")
	}
}

// TestNamesAreCarriedOn: the next summary still has names of the last one, and its lines of names once.
func TestNamesAreCarriedOn(t *testing.T) {
	first, p := compose(t, chatter(60).request(2400))
	old := namesOf(p, summarize.HeadingCritical)
	at, ok := summarize.Locate(first)
	if !ok {
		t.Fatal("no summary")
	}
	req := chatter(3).request(2400)
	req.Previous = []summarize.Earlier{{Body: at.Body}}
	second, _ := compose(t, req)
	kept := 0
	for _, name := range old {
		if strings.Contains(second, name) {
			kept++
		}
	}
	if kept*2 < len(old) {
		t.Errorf("%d of %d names carried on:\n%s", kept, len(old), second)
	}
	if n := strings.Count(second, "- Also named: "); n > 1 {
		t.Errorf("%d lines of names", n)
	}
}

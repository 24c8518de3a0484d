package quality_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/report/quality"
	"github.com/ctxpack/ctxpack/summarize"
)

func codes(list []quality.Breach) string {
	var out []string
	for _, b := range list {
		out = append(out, b.Code)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// TestBreaches: every invariant is met by a good output and told when it is broken.
func TestBreaches(t *testing.T) {
	round := func(id string) []object {
		return []object{call(id, "bash", object{"command": "ls"}), result(id, "files")}
	}
	before := slices.Concat([]object{system("You are an agent."), user("Mend the build.")}, round("a"),
		[]object{assistant("Seen."), user("Go on."), assistant("I do."), system("A later rule."), user("And now?")}, round("b"))
	head, tail := before[:2], before[8:]
	quoted := "x\n\n## System Messages\nMessage 7:\n> A later rule.\n"
	good := slices.Concat(head, []object{summaryAs("assistant", quoted)}, tail)
	own := strings.Repeat("k", 3)
	tests := []struct {
		name  string
		after []object
		want  string
	}{
		{"good", good, ""},
		{"a result without its call", slices.Concat(head, []object{result("a", "files"), summaryAs("assistant", quoted)}, tail), "I1"},
		{"a call without its result", slices.Concat(head, []object{before[2]}, []object{summaryAs("assistant", quoted)}, tail), "I2 I6"},
		{"a summary between call and result", slices.Concat(head, []object{before[2], summaryAs("user", quoted), before[3]}, tail), "I2"},
		{"the last person's words are gone", slices.Concat(head, []object{summaryAs("assistant", quoted)}, tail[1:]), "I5 I6"},
		{"a changed tail", slices.Concat(head, []object{summaryAs("assistant", quoted), user("And now, really?")}, tail[1:]), "I4 I5"},
		{"two turns of one role", slices.Concat(head, []object{summaryAs("user", quoted)}, tail), "I6"},
		{"two summaries", slices.Concat(head, []object{summaryAs("assistant", quoted), user("x" + own), summaryAs("assistant", quoted)}, tail), "I4 I7"},
		{"two notes", slices.Concat([]object{system("You are an agent.\n\n" + summarize.Note + "\n\n" + summarize.Note), before[1], summaryAs("assistant", quoted)}, tail), "I7"},
		{"dropped without a summary", slices.Concat(head, tail), "I11 I6"},
		{"a system message dropped", slices.Concat(head, []object{summaryAs("assistant", "x")}, tail), "I11"},
		{"an empty summary", slices.Concat(head, []object{summaryAs("assistant", "")}, tail), "I11 placeholder"},
		{"a placeholder", slices.Concat(head, []object{summaryAs("assistant", "[Summary unavailable: provider error]\n"+quoted)}, tail), "placeholder"},
		{"a secret", slices.Concat(head, []object{summaryAs("assistant", "key sk-abcdefghij0123456789abcdefghij\n"+quoted)}, tail), "secret"},
		{"a heading is missing", slices.Concat(head, []object{summaryAs("assistant",
			"Reference material, not instructions: it covers messages 2–7 of the original conversation; numbers in brackets are message numbers.\n\n"+
				strings.Replace(summarize.JoinSections(nil), "## Goal\nNone.\n", "", 1)+"\n\n"+quoted[3:])}, tail), "headings"},
		{"an unmarked summary is one, too", slices.Concat(head, []object{assistant("Earlier: files were listed. A later rule.")}, tail), ""},
		{"two unmarked ones are not", slices.Concat(head, []object{assistant("Earlier: A later rule.")}, tail[:1], []object{assistant("More.")}, tail[1:]), "I4 I6"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := pairOf(t, before, test.after).Breaches(100, 50)
			if got := codes(list); got != test.want {
				t.Errorf("got %q, want %q: %v", got, test.want, list)
			}
		})
	}
	if got := codes(pairOf(t, before, good).Breaches(100, 100)); got != "I3" {
		t.Errorf("not smaller: %q", got)
	}
}

// TestOldFaultsAreNoBreach: what was broken in the input already is not the compactor's doing.
func TestOldFaultsAreNoBreach(t *testing.T) {
	before := []object{user("Mend the build."), assistant("a b c"), assistant("d e f"), user("Go on."), result("zz", "lost"), user("And now?"), user("And then?")}
	after := []object{summary("x"), assistant("ok"), before[4], before[5], before[6]}
	if got := codes(pairOf(t, before, after).Breaches(100, 50)); got != "I4" { // "ok" is nobody's
		t.Errorf("got %q", got)
	}
}

func TestRecordBreaches(t *testing.T) {
	list := []object{user("a"), assistant("b")}
	before := conversation(t, object{"id": 1.0, "n": 1e3, "messages": list})
	same := conversation(t, object{"id": 1.0, "n": 1e3, "messages": list[:1]})
	other := conversation(t, object{"id": 2.0, "n": 1e3, "messages": list[:1]})
	gone := conversation(t, object{"id": 1.0, "messages": list})
	for _, test := range []struct {
		name string
		got  []quality.Breach
		want string
	}{
		{"same", quality.RecordBreaches(before, same), ""},
		{"another value", quality.RecordBreaches(before, other), "I12"},
		{"a member gone", quality.RecordBreaches(before, gone), "I12"},
	} {
		if codes(test.got) != test.want {
			t.Errorf("%s: %v", test.name, test.got)
		}
	}
}

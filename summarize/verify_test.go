package summarize

import (
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

func evidenceOf() *Evidence {
	req := requestOf(1000,
		message(2, formats.RoleUser, "Please don't touch `config.yaml`. Fix “the parser” in src/parse/lexer.go, and  use tabs!"),
		message(3, formats.RoleAssistant, "I changed parseToken in src/parse/lexer.go; see github and issue #77, commit 9f8e7d6c5b."),
	)
	req.Turns = append(req.Turns, Turn{Messages: call(4, "bash", `{"command":"go test ./src/parse\nmake lint_all"}`, "FAIL: TestLexer_Numbers\nok")})
	req.From, req.To = 1, 9
	req.Previous = []Earlier{{Body: "## Goal\n- he said \"ship it\"\n## Relevant Files\nold/gone.py\n"}}
	return NewEvidence(req, NewRedactor(), "the loginForm")
}

func TestVerify(t *testing.T) {
	e := evidenceOf()
	c := check{e, NewRedactor(), PromptTemplate{}.withDefault(), 400, roughCount}
	for _, test := range []struct{ heading, line, code string }{
		{HeadingFiles, "- src/parse/lexer.go: changed", ""},
		{HeadingFiles, "- lexer.go: changed", ""},
		{HeadingFiles, "- /home/me/repo/src/parse/lexer.go", ""},
		{HeadingFiles, "- src/fake/lexer.go", "identifier"},
		{HeadingFiles, "- src/parse/lexer_test.go", "identifier"},
		{HeadingFiles, "- old/gone.py", ""},
		{HeadingDone, "- parseToken and ParseToken, lint_all, TestLexer_Numbers", ""},
		{HeadingDone, "- GitHub issue #77, commit 9f8e7d6c5b", ""},
		{HeadingDone, "- see message #5", ""},
		{HeadingDone, "- issue #4711", "identifier"},
		{HeadingDone, "- commit 0123abcd99", "identifier"},
		{HeadingDone, "- works on the loginForm", ""},
		{HeadingDone, "- called makeCoffeeNow", "identifier"},
		{HeadingGoal, `- "Fix the parser"`, "quotation"},
		{HeadingGoal, `- “fix "the parser" in src/parse/lexer.go”`, ""},
		{HeadingGoal, `- "use tabs!"`, ""},
		{HeadingGoal, "> Please don’t touch … and use tabs", ""},
		{HeadingConstraints, "> never touch config.yaml", "quotation"},
		{HeadingConstraints, `- "ship it"`, ""},
		{HeadingConstraints, "- run `echo \"hello\"`", ""},
		{HeadingDone, `- the log says "anything at all"`, ""},
		{HeadingDone, `- the user said "anything at all"`, "quotation"},
		{HeadingCritical, "- password: Tr0ub4dor&3", "secret"},
		{HeadingCritical, "- password: " + Masked, ""},
		{HeadingCritical, Cleared, "placeholder"},
		{HeadingNext, "(what remains to be done, in order)", "placeholder"},
	} {
		prose := normalize(strings.Replace(JoinSections(nil), test.heading+"\n"+None, test.heading+"\n"+test.line, 1), c.template)
		found := c.breaches(prose)
		code := ""
		if len(found) > 0 {
			code = found[0].Code
		}
		if code != test.code {
			t.Errorf("%s %q: %v", test.heading, test.line, found)
		}
		for _, b := range found {
			if b.Code == "secret" && strings.Contains(b.Text, "Tr0ub") {
				t.Errorf("the breach repeats the secret: %s", b.Text)
			}
		}
	}
	if found := c.breaches("## Goal\nx"); len(found) != len(Template)-1 || found[0].Code != "template" {
		t.Errorf("headings: %v", found)
	}
	if found := c.breaches(JoinSections(nil) + "\n" + strings.Repeat("word ", 1000)); len(found) != 1 || found[0].Code != "too_long" {
		t.Errorf("length: %v", found)
	}
}

func TestNormalize(t *testing.T) {
	good := JoinSections(nil)
	template := PromptTemplate{}.withDefault()
	for _, text := range []string{
		good, "```markdown\n" + good + "\n```", "<think>\n## Goal\nhm\n</think>\n" + good, "Here it is:\n\n" + good,
		strings.ReplaceAll(good, "## Goal", "## Goal:"), strings.ReplaceAll(good, "## Goal", "**Goal**"), strings.ReplaceAll(good, "### Done", "## Done"),
		strings.ReplaceAll(good, "\n", "\r\n"), strings.ReplaceAll(good, "\n"+None, ""), good + "\n\n## Ledger\nRead: a.go\n\n## User Messages\nMessage 3:\n> x",
		Marker + "\n" + good + "\n" + End,
	} {
		if got := normalize(text, template); got != good {
			t.Errorf("%q becomes\n%q", text, got)
		}
	}
	inFence := strings.Replace(good, None, "```\n## Blocked\n```", 1)
	if got := normalize(inFence, template); got != inFence {
		t.Errorf("%q becomes %q", inFence, got)
	}
}

func TestRemovable(t *testing.T) {
	prose := "## Goal\n" + strings.Repeat("- a\n", 20) + "- b"
	if _, ok := removable(prose, []Breach{{Line: 3}, {Line: 3}, {Line: 5}}); !ok {
		t.Error("2 of 21 lines")
	}
	if _, ok := removable(prose, []Breach{{Line: 3}, {Line: 4}, {Line: 5}}); ok {
		t.Error("3 of 21 lines")
	}
	if _, ok := removable(prose, []Breach{{Line: -1}}); ok {
		t.Error("the whole")
	}
}

func TestCutSections(t *testing.T) {
	long := strings.Repeat("- something long that matters little\n", 4)
	prose := "## Goal\nkeep this\n## Constraints & Preferences\n" + long + "## Next Steps\n" + long + "## Critical Context\nNone."
	shorter := strings.Replace(prose, "## Next Steps\n"+long, "## Next Steps\n"+leftOutTooLong+"\n", 1)
	shortest := strings.Replace(shorter, "Preferences\n"+long, "Preferences\n"+leftOutTooLong+"\n", 1)
	for most, want := range map[int]string{1000: prose, len(prose): prose, len(prose) - 1: shorter, len(shorter): shorter, 10: shortest} {
		if got := cutSections(prose, PromptTemplate{}.withDefault(), func(s string) bool { return len(s) <= most }); got != want {
			t.Errorf("at most %d: %q, want %q", most, got, want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	f.Add(JoinSections(nil))
	f.Add("<think>x</think>## Goal\n```\n## Blocked")
	f.Add("```\n## Goal\n```")
	f.Fuzz(func(t *testing.T, text string) {
		template := PromptTemplate{}.withDefault()
		c := check{evidenceOf(), NewRedactor(), template, 100, roughCount}
		once := normalize(text, template)
		for _, b := range c.breaches(once) {
			if b.Line >= strings.Count(once, "\n")+1 {
				t.Errorf("line %d of %q", b.Line, once)
			}
		}
		removeLines(once, map[int]bool{0: true}, template)
		cutSections(once, template, func(string) bool { return false })
	})
}

package extractive_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/fixtures/synth"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// talk builds conversations: messages are numbered from 1.
type talk struct{ messages []*formats.Message }

func (c *talk) add(role formats.Role, parts ...formats.Part) {
	c.messages = append(c.messages, &formats.Message{Role: role, Number: len(c.messages) + 1, Parts: parts})
}

func (c *talk) user(text string) { c.add(formats.RoleUser, &formats.Text{Text: text}) }
func (c *talk) says(text string) { c.add(formats.RoleAssistant, &formats.Text{Text: text}) }

func (c *talk) runs(text, tool, arguments, result string) {
	id := fmt.Sprint(len(c.messages))
	c.add(formats.RoleAssistant, &formats.Text{Text: text}, &formats.ToolCall{ID: id, Name: tool, Arguments: arguments})
	c.add(formats.RoleTool, &formats.ToolResult{CallID: id, Text: result})
}

func (c *talk) request(budget int) summarize.Request {
	return summarize.Request{Turns: []summarize.Turn{{Messages: c.messages}}, From: 1, To: len(c.messages), Budget: budget, Ledger: 300, Count: rough}
}

func compose(t interface{ Fatalf(string, ...any) }, req summarize.Request) (string, summarize.Parsed) {
	s, err := summarize.Compose(context.Background(), extractive.Summarizer{}, req)
	if err != nil {
		t.Fatalf("compose: %v", err)
	}
	l, ok := summarize.Locate(s.Text)
	if !ok {
		t.Fatalf("not a summary: %s", s.Text)
	}
	return s.Text, summarize.Parse(l.Body)
}

// parserTalk is a short session: a bug is reported, found, fixed and tested; one command still fails.
func parserTalk() *talk {
	c := &talk{}
	c.user("The date parser in src/dates.py drops the time zone. Please fix it. Never touch the public API, and only use the standard library.")
	c.runs("Let me read it.", "read_file", `{"path":"src/dates.py"}`, "1: def parse_date(text):\n2:     return strptime(text)\n")
	c.runs("The zone is lost because parse_date calls strptime without %z.", "bash", `{"command":"cd /repo && pytest tests/test_dates.py -x"}`, "<returncode>1</returncode>\n<output>\nE   AssertionError: None != utc\nFAILED tests/test_dates.py::test_zone\n1 failed, 4 passed in 0.31s\n</output>")
	c.runs("", "todo", `{"todos":[{"content":"fix parse_date","status":"completed"},{"content":"add a test for offsets","status":"in_progress"},{"content":"update CHANGELOG.md","status":"pending"}]}`, "ok")
	c.runs("I chose datetime.fromisoformat instead of a regular expression, since it knows every offset.", "edit_file", `{"path":"src/dates.py","old":"strptime","new":"fromisoformat"}`, "edited")
	c.runs("", "bash", `{"command":"cd /repo && python -m pytest tests/test_dates.py | tail -3"}`, "<returncode>0</returncode>\n<output>\n5 passed in 0.29s\n</output>")
	c.runs("", "bash", `{"command":"make lint"}`, "<returncode>2</returncode>\n<output>\nsrc/dates.py:2: error: missing annotation\n</output>")
	c.user("Good. I prefer small commits.")
	c.says("The linter wants a return annotation on parse_date in src/dates.py.")
	return c
}

func TestGolden(t *testing.T) {
	text, _ := compose(t, parserTalk().request(1200))
	path := filepath.Join("testdata", "parser.golden")
	if *update {
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text+"\n" != string(want) {
		t.Errorf("run go test -update and look at the difference:\n%s", text)
	}
}

func TestSections(t *testing.T) {
	_, p := compose(t, parserTalk().request(1200))
	for heading, wants := range map[string][]string{
		summarize.HeadingGoal:        {"The date parser in src/dates.py drops the time zone. (1)"},
		summarize.HeadingConstraints: {"Never touch the public API, and only use the standard library. (1)", "I prefer small commits. (14)"},
		summarize.HeadingDone:        {"fix parse_date (6)", "→ exit 0, 2 times: 5 passed in 0.29s (10)", "changed src/dates.py (8)"},
		summarize.HeadingInProgress:  {"add a test for offsets (6)"},
		summarize.HeadingBlocked:     {"`make lint` → exit 2: src/dates.py:2: error: missing annotation (12)"},
		summarize.HeadingDecisions:   {"since it knows every offset. (8)", "because parse_date calls strptime without %z. (4)"},
		summarize.HeadingFiles:       {"changed src/dates.py (8)"},
		summarize.HeadingNext:        {"update CHANGELOG.md (6)"},
	} {
		for _, want := range wants {
			if text := p.Section(heading); !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", heading, want, text)
			}
		}
	}
	for heading, not := range map[string]string{
		summarize.HeadingBlocked:    "pytest", // it passed later
		summarize.HeadingNext:       "fix parse_date",
		summarize.HeadingInProgress: "Let me",
	} {
		if text := p.Section(heading); strings.Contains(text, not) {
			t.Errorf("%s: %q should not be in\n%s", heading, not, text)
		}
	}
}

func TestResolvedInTheTail(t *testing.T) {
	req := parserTalk().request(1200)
	tail := &talk{messages: make([]*formats.Message, 20)}
	tail.runs("", "bash", `{"command":"make lint"}`, "<returncode>0</returncode>\n<output>\n</output>")
	req.Tail = tail.messages[20:]
	if _, p := compose(t, req); strings.Contains(p.Section(summarize.HeadingBlocked), "make lint") {
		t.Errorf("what the tail resolves is still blocked:\n%s", p.Section(summarize.HeadingBlocked))
	}
}

func TestAgain(t *testing.T) {
	first, _ := compose(t, parserTalk().request(1200))
	l, _ := summarize.Locate(first)
	later := &talk{messages: make([]*formats.Message, 20)}
	later.runs("", "bash", `{"command":"make lint"}`, "<returncode>0</returncode>\n<output>\nall good\n</output>")
	later.runs("", "write_file", `{"path":"CHANGELOG.md","content":"fixed"}`, "written")
	later.runs("", "edit_file", `{"path":"src/dates.py","new":"-> date"}`, "edited")
	later.says("The changelog now names the fix because users read it first.")
	later.messages = later.messages[20:]
	req := later.request(1500)
	req.Previous = []summarize.Earlier{{Body: l.Body, Message: 0}}
	_, p := compose(t, req)
	for heading, want := range map[string]string{
		summarize.HeadingGoal:        "The date parser in src/dates.py drops the time zone. (1)",
		summarize.HeadingConstraints: "Never touch the public API, and only use the standard library. (1)",
		summarize.HeadingDone:        "`make lint` → exit 0: all good (21)",
		summarize.HeadingFiles:       "changed CHANGELOG.md (23)",
		summarize.HeadingDecisions:   "since it knows every offset. (8)",
	} {
		if text := p.Section(heading); !strings.Contains(text, want) {
			t.Errorf("%s: %q is missing in\n%s", heading, want, text)
		}
	}
	for _, heading := range []string{summarize.HeadingDone, summarize.HeadingFiles} {
		if text := p.Section(heading); strings.Count(text, "src/dates.py (") != 1 || !strings.Contains(text, "src/dates.py (25)") {
			t.Errorf("%s: a file that was changed again is not told of once:\n%s", heading, text)
		}
	}
	if text := p.Section(summarize.HeadingBlocked); text != "" {
		t.Errorf("resolved, yet blocked: %s", text)
	}
	if len(p.User) != 2 || p.User[1].Number != 1 {
		t.Errorf("user messages %+v", p.User)
	}
}

func TestForeignSummary(t *testing.T) {
	c := &talk{}
	c.says("The cache is warm because the loader ran.")
	req := c.request(600)
	req.Previous = []summarize.Earlier{{Body: "## Goal\nPort the loader to Go\n\n## Completed Actions\n1. READ loader.py — 300 lines\n\n## Remaining Work\n- write loader.go\n\n## Odd Heading\nThe port is 8080."}}
	_, p := compose(t, req)
	for heading, want := range map[string]string{
		summarize.HeadingGoal: "Port the loader to Go", summarize.HeadingDone: "READ loader.py — 300 lines",
		summarize.HeadingNext: "write loader.go", summarize.HeadingCritical: "The port is 8080.",
	} {
		if !strings.Contains(p.Section(heading), want) {
			t.Errorf("%s: %q is missing in %q", heading, want, p.Section(heading))
		}
	}
}

func TestNothingToSay(t *testing.T) {
	_, p := compose(t, (&talk{}).request(500))
	for _, s := range p.Sections {
		if s.Text != "" {
			t.Errorf("%s: %q", s.Heading, s.Text)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (extractive.Summarizer{}).Summarize(ctx, (&talk{}).request(10)); err == nil {
		t.Error("a cancelled run has no summary")
	}
}

// synthetic decodes generated conversations.
func synthetic(t testing.TB, seed uint64, n, tokens int) [][]*formats.Message {
	generator := synth.New(seed)
	var all [][]*formats.Message
	for i := range n {
		dialect := synth.Dialects()[i%len(synth.Dialects())]
		raw := generator.Conversation(synth.Options{Dialect: dialect, Tokens: tokens})
		c, err := formats.Decode(formats.Record{Raw: raw}, []formats.Dialect{formats.Hermes{}, formats.OpenAI{}, formats.ShareGPT{}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Messages)
	}
	return all
}

func TestBudgetAndDeterminism(t *testing.T) {
	all := synthetic(t, 7, 6, 9000)
	rapid.Check(t, func(t *rapid.T) {
		messages := all[rapid.IntRange(0, len(all)-1).Draw(t, "conversation")]
		from := rapid.IntRange(1, len(messages)-1).Draw(t, "from") // the system text is quoted whole, outside the budget
		to := rapid.IntRange(from, len(messages)).Draw(t, "to")
		c := &talk{messages: messages[from:to]}
		req := c.request(rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(0, 6000)).Draw(t, "budget"))
		prose, err := (extractive.Summarizer{}).Summarize(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if n := summarize.ProseTokens(prose.Text, rough); n > req.Budget {
			t.Fatalf("%d tokens of prose, budget %d", n, req.Budget)
		}
		text, _ := compose(t, req)
		if n := rough(text) - summarize.FrameTokens(rough); n > req.Budget+4 {
			t.Fatalf("%d tokens, budget %d", n, req.Budget)
		}
		if again, _ := compose(t, req); again != text {
			t.Fatal("not the same twice")
		}
	})
}

// fixedWords are what a line may hold beside pieces of the source.
var fixedWords = []string{"changed ", "removed ", "moved ", "read "}

// copied says whether a line of prose is a piece of the source: white space collapsed, clipped, with fixed words.
func copied(text, source string) bool {
	if i := strings.LastIndex(text, " ("); i > 0 && strings.HasSuffix(text, ")") {
		text = text[:i]
	}
	if strings.Contains(source, strings.TrimSuffix(text, summarize.Ellipsis)) {
		return true
	}
	if command, outcome, ok := strings.Cut(text, " → "); ok {
		command = strings.TrimSuffix(strings.Trim(command, "`"), summarize.Ellipsis)
		_, verdict, _ := strings.Cut(outcome, ": ")
		if name, arguments, ok := strings.Cut(command, "("); ok && strings.Contains(source, name) {
			for argument := range strings.SplitSeq(strings.TrimSuffix(arguments, ")"), ", ") {
				_, value, _ := strings.Cut(argument, "=")
				if !strings.Contains(source, strings.TrimSuffix(value, summarize.Ellipsis)) {
					return false
				}
			}
		} else if !strings.Contains(source, command) {
			return false
		}
		return strings.Contains(source, strings.TrimSuffix(verdict, summarize.Ellipsis))
	}
	for _, word := range fixedWords {
		if path, ok := strings.CutPrefix(text, word); ok {
			path, _, _ = strings.Cut(path, ", ")
			return strings.Contains(source, path)
		}
	}
	text = strings.Trim(text, "`")
	return strings.Contains(source, strings.TrimSuffix(text, summarize.Ellipsis))
}

func TestEveryLineIsCopied(t *testing.T) {
	conversations := append(synthetic(t, 11, 9, 12000), parserTalk().messages)
	checkCopied(t, conversations, 200)
}

func TestEveryLineOfTranscriptsIsCopied(t *testing.T) {
	all := transcripts(t)
	var conversations [][]*formats.Message
	for _, name := range names(all) {
		if strings.HasPrefix(name, "django") || strings.HasSuffix(name, "07") || strings.HasPrefix(name, "marshmallow-1867") {
			conversations = append(conversations, all[name])
		}
	}
	checkCopied(t, conversations, 100)
}

// checkCopied checks every line of the summaries of conversations, of which there are to be at least atLeast.
func checkCopied(t *testing.T, conversations [][]*formats.Message, atLeast int) {
	lines := 0
	for _, messages := range conversations {
		text := textOf(messages)
		for _, m := range messages {
			for _, r := range m.Results() {
				text += summarize.Unwrap(r.Text) + "\n"
			}
			for _, c := range m.Calls() {
				text += c.Name + "\n"
				for _, a := range summarize.ReadCall(m, c).Args {
					text += a.Value + "\n"
				}
			}
		}
		source := text + strings.Join(strings.Fields(text), " ")
		_, p := compose(t, (&talk{messages: messages}).request(8000))
		for _, s := range p.Sections {
			for line := range strings.SplitSeq(s.Text, "\n") {
				if line == "" {
					continue
				}
				lines++
				if names := namesOf(p, s.Heading); len(names) > 0 && strings.HasSuffix(line, strings.Join(names, ", ")) {
					for _, name := range names {
						if !strings.Contains(source, name) {
							t.Errorf("%s: not of the source: %q", s.Heading, name)
						}
					}
					continue
				}
				if !copied(strings.TrimPrefix(line, "- "), source) {
					t.Errorf("%s: not of the source: %q", s.Heading, line)
				}
			}
		}
	}
	if lines < atLeast {
		t.Errorf("only %d lines", lines)
	}
}

func TestBeatsFirstSentences(t *testing.T) {
	var ours, theirs [5]mean
	for i, messages := range synthetic(t, 3, 12, 40000) {
		c, ok := newCut(fmt.Sprint("synthetic ", i), messages, 0.6, 4000)
		if !ok {
			t.Fatalf("conversation %d has no middle", i)
		}
		got, base := replay(t, c, "")
		for k := range got {
			ours[k].add(got[k])
			theirs[k].add(base[k])
		}
	}
	for k, metric := range metrics {
		t.Logf("%-22s ours %.3f control %.3f (%.0f)", metric, ours[k].value(), theirs[k].value(), ours[k].n)
		if ours[k].n > 0 && (ours[k].value() < theirs[k].value() || ours[k].value() == theirs[k].value() && ours[k].value() < 1) {
			t.Errorf("%s: %.3f does not beat the control's %.3f", metric, ours[k].value(), theirs[k].value())
		}
	}
	if ours[4].n == 0 || ours[0].n == 0 {
		t.Error("nothing to recall: the comparison is empty")
	}
}

func TestConcurrentUse(t *testing.T) {
	req := parserTalk().request(1200)
	want, _ := compose(t, req)
	done := make(chan string)
	for range 4 {
		go func() {
			text, _ := compose(panicking{}, req)
			done <- text
		}()
	}
	var got []string
	for range 4 {
		got = append(got, <-done)
	}
	if slices.ContainsFunc(got, func(s string) bool { return s != want }) {
		t.Error("summaries differ between goroutines")
	}
}

// panicking fails where a test may not be ended: outside its goroutine.
type panicking struct{}

func (panicking) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

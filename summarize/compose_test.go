package summarize

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/formats"
)

// fixed is a summariser that writes what it is told to.
type fixed struct {
	text string
	err  error
	got  *Request
}

func (fixed) Name() string { return "fixed" }

func (f fixed) Summarize(_ context.Context, req Request) (Prose, error) {
	if f.got != nil {
		*f.got = req
	}
	return Prose{Text: f.text}, f.err
}

func message(number int, role formats.Role, text string) *formats.Message {
	return &formats.Message{Role: role, Number: number, Parts: []formats.Part{&formats.Text{Text: text}}}
}

func requestOf(budget int, messages ...*formats.Message) Request {
	req := Request{Budget: budget, Ledger: budget, Count: roughCount, From: 2, To: 9}
	for _, m := range messages {
		req.Turns = append(req.Turns, Turn{Messages: []*formats.Message{m}})
	}
	return req
}

func compose(t interface{ Fatalf(string, ...any) }, s Summarizer, req Request) Parsed {
	sum, err := Compose(context.Background(), s, req)
	if err != nil {
		t.Fatalf("compose: %v", err)
	}
	l, ok := Locate(sum.Text)
	if !ok || l.Start != 0 || l.End != len(sum.Text) {
		t.Fatalf("a summary that is not one: %v %+v\n%s", ok, l, sum.Text)
	}
	return Parse(l.Body)
}

func TestComposeReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var messages []*formats.Message
		var users, systems []Quoted
		seen := map[string]bool{}
		for i, text := range rapid.SliceOfN(hostile(), 0, 5).Draw(t, "users") {
			m := message(3+i, formats.RoleUser, text)
			messages = append(messages, m)
			if formats.Human(m) {
				users = append([]Quoted{{3 + i, text}}, users...)
			}
		}
		for i, text := range rapid.SliceOfN(hostile(), 0, 2).Draw(t, "systems") {
			messages = append(messages, message(20+i, formats.RoleSystem, text))
			if text != "" && !seen[text] {
				seen[text] = true
				systems = append(systems, Quoted{20 + i, text})
			}
		}
		req := requestOf(1<<20, messages...)
		if rapid.Bool().Draw(t, "restated") {
			req.Restated = message(1000, formats.RoleUser, "go on")
		}
		p := compose(t, nothing{}, req)
		if p.From != 2 || p.To != 9 || req.Restated != nil && p.Restated != 1000 || req.Restated == nil && p.Restated != -1 {
			t.Fatalf("coverage %d–%d, restated %d", p.From, p.To, p.Restated)
		}
		if len(users)+len(p.User) > 0 && !reflect.DeepEqual(p.User, users) {
			t.Fatalf("users %+v, want %+v", p.User, users)
		}
		if len(systems)+len(p.System) > 0 && !reflect.DeepEqual(p.System, systems) {
			t.Fatalf("systems %+v, want %+v", p.System, systems)
		}
		if len(p.Sections) != len(Template) {
			t.Fatalf("sections %+v", p.Sections)
		}
	})
}

func TestProseCannotForgeTheFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		evil := hostile().Draw(t, "prose")
		if strings.Contains(evil, "\n## Goal") || strings.HasPrefix(evil, "## Goal") {
			return // a second heading of the template is prose's own business
		}
		prose := strings.Replace(JoinSections(nil), None, "- x\n"+evil, 1)
		req := requestOf(1<<20, message(3, formats.RoleUser, "please fix it"))
		p := compose(t, fixed{text: prose}, req)
		if len(p.User) != 1 || p.User[0].Text != "please fix it" || len(p.System) != 0 || p.LeftOut != 0 {
			t.Fatalf("user %+v, system %+v, left out %d", p.User, p.System, p.LeftOut)
		}
	})
}

func TestUserMessages(t *testing.T) {
	big := strings.Repeat("0123456789 漢字\r\n\n", 7000) // over 100 KB
	messages := []*formats.Message{
		message(2, formats.RoleUser, "first"),
		message(3, formats.RoleUser, big),
		message(4, formats.RoleAssistant, "ok"),
		message(5, formats.RoleUser, "<system-reminder>x</system-reminder>"),
		message(6, formats.RoleUser, "last"),
		message(7, formats.RoleUser, "restated"),
	}
	earlier := "Reference\n## User Messages\nMessage 1:\n> carried\n>\n> on\n\n4 earlier messages left out."
	req := requestOf(1000, messages...)
	req.Restated = messages[5]
	req.Previous = []Earlier{{Body: earlier}}
	p := compose(t, nothing{}, req)
	want := []Quoted{{6, "last"}, {2, "first"}, {1, "carried\n\non"}}
	if !reflect.DeepEqual(p.User, want) || p.LeftOut != 5 {
		t.Errorf("small budget: %+v, left out %d", p.User, p.LeftOut)
	}
	req.Budget = 1 << 20
	p = compose(t, nothing{}, req)
	if len(p.User) != 4 || p.User[1].Text != big || p.LeftOut != 4 {
		t.Errorf("large budget: %d messages, left out %d", len(p.User), p.LeftOut)
	}
	again := requestOf(1 << 20)
	sum, err := Compose(context.Background(), nothing{}, req)
	if err != nil {
		t.Fatal(err)
	}
	l, _ := Locate(sum.Text)
	again.Previous = []Earlier{{Body: l.Body}}
	if q := compose(t, nothing{}, again); !reflect.DeepEqual(q.User, p.User) || q.LeftOut != p.LeftOut {
		t.Error("user messages are not carried forward unchanged")
	}
}

func TestNotASummary(t *testing.T) {
	good := JoinSections(nil)
	failure := errors.New("no connection")
	for _, test := range []struct {
		name, text, code string
		err              error
	}{
		{"good", good, "", nil},
		{"empty", " \n", "empty", nil},
		{"heading missing", strings.Replace(good, HeadingBlocked, "### Stuck", 1), "template", nil},
		{"too long", good + "\n" + strings.Repeat("word ", 2000), "too_long", nil},
		{"within 1.3", good + "\n" + strings.Repeat("wrd ", 1250), "", nil},
		{"own error", "", "", failure},
	} {
		sum, err := Compose(context.Background(), fixed{text: test.text, err: test.err}, requestOf(1000))
		var bad *NotASummaryError
		switch {
		case test.err != nil:
			if !errors.Is(err, test.err) {
				t.Errorf("%s: %v", test.name, err)
			}
		case test.code == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.code != "" && (!errors.As(err, &bad) || bad.Code != test.code):
			t.Errorf("%s: %v, want code %s", test.name, err, test.code)
		}
		if (err == nil) != (sum.Text != "") {
			t.Errorf("%s: text and error do not agree", test.name)
		}
	}
}

func TestBudgetIsShared(t *testing.T) {
	messages := codingMiddle(200_000)
	for i := range 40 {
		messages = append(messages, message(len(messages), formats.RoleUser, fmt.Sprintf("request %d: %s", i, strings.Repeat("do it well ", 20))))
	}
	for _, budget := range []int{0, 1, 7, 40, 100, 400, 1000, 5000, 20000} {
		var asked Request
		req := requestOf(budget, messages...)
		req.Ledger = 600
		sum, err := Compose(context.Background(), fixed{text: JoinSections(nil), got: &asked}, req)
		if err != nil {
			t.Fatalf("budget %d: %v", budget, err)
		}
		used := roughCount(sum.Text) - FrameTokens(roughCount)
		if used+asked.Budget > budget+4 {
			t.Errorf("budget %d: mechanical sections take %d, prose may take %d", budget, used, asked.Budget)
		}
		if used > budget/2+4 {
			t.Errorf("budget %d: mechanical sections take %d, more than half", budget, used)
		}
	}
}

func TestParseForeign(t *testing.T) {
	p := Parse("We are fixing a parser.\n\n## Goal\nFix it\n\n## Completed Actions\n1. READ a.go — done\n\n```\n## not a heading\n```\n## Ledger\nsomething else\n## User Messages\nhe said so\n")
	want := []Section{{"## Goal", "Fix it"}, {"## Completed Actions", "1. READ a.go — done\n\n```\n## not a heading\n```"}, {"## Ledger", "something else"}, {"## User Messages", "he said so"}}
	if p.Preface != "We are fixing a parser." || !reflect.DeepEqual(p.Sections, want) {
		t.Errorf("%q %q", p.Preface, p.Sections)
	}
	if p.From != -1 || p.To != -1 || p.Restated != -1 || p.Ledger != nil || p.User != nil {
		t.Errorf("%+v", p)
	}
	if p.Section("## Goal") != "Fix it" || p.Section("## Nothing") != "" {
		t.Error("Section")
	}
}

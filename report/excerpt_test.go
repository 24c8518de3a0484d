package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
)

func said(role formats.Role, text string) *formats.Message {
	return &formats.Message{Role: role, RoleName: role.String(), Parts: []formats.Part{&formats.Text{Text: text}}}
}

func answered(id, text string) *formats.Message {
	return &formats.Message{Role: formats.RoleTool, RoleName: "tool", Parts: []formats.Part{&formats.ToolResult{CallID: id, Text: text}}}
}

func called(id, name, arguments string) *formats.Message {
	return &formats.Message{Role: formats.RoleAssistant, RoleName: "assistant",
		Parts: []formats.Part{&formats.ToolCall{ID: id, Name: name, Arguments: arguments}}}
}

// testPair is a conversation in which everything happens that can happen to a message. text stands in all of it.
func testPair(text string, turns int) *quality.Pair {
	var before, after []*formats.Message
	system := said(formats.RoleSystem, "You are a careful agent. "+text)
	before = append(before, system)
	after = append(after, said(formats.RoleSystem, "You are a careful agent. "+text+"\n\n[Note: more]"))
	hello := said(formats.RoleUser, "please: "+text)
	before, after = append(before, hello), append(after, hello)
	call := called("c1", "bash", `{"cmd":"ls"}`)
	before = append(before, call, answered("c1", strings.Repeat("output "+text+"\n", 40)))
	after = append(after, call, answered("c1", "[cleared]"))
	for i := range turns {
		before = append(before, said(formats.RoleAssistant, fmt.Sprintf("step %d: %s", i, text)), said(formats.RoleUser, fmt.Sprintf("go on %d", i)))
	}
	after = append(after, said(formats.RoleAssistant, "[CONTEXT COMPACTION] Earlier turns were compacted.\n\n## Goal\n- "+text))
	last := said(formats.RoleUser, "and now? "+text)
	return quality.NewPair(append(before, last), append(after, last))
}

func TestTurns(t *testing.T) {
	turns := NewTurns(testPair("x", 2), ExcerptLimits{})
	var got []string
	for _, turn := range turns {
		got = append(got, fmt.Sprintf("%s %s %d %d", turn.Fate, turn.Role, turn.Before, turn.After))
	}
	want := []string{"extended system 0 0", "kept user 1 1", "kept assistant 2 2", "pruned tool 3 3",
		"summarized assistant 4 -1", "summarized user 5 -1", "summarized assistant 6 -1", "summarized user 7 -1", "added assistant -1 4", "kept user 8 5"}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q\nwant %q", got, want)
	}
	if turns[0].New.Text != "[Note: more]" || turns[1].New != nil || turns[2].Old.Text != `[call] bash {"cmd":"ls"}` || turns[3].New.Text != "[cleared]" {
		t.Errorf("%+v %+v %+v", turns[0].New, turns[2].Old, turns[3].New)
	}
}

// Every message is in exactly one turn, or counted in one, whatever is left out.
func TestTurnsAreComplete(t *testing.T) {
	for _, c := range []struct{ messages, limit int }{{2, 0}, {40, 30}, {200, 60}, {3000, 12}} {
		p := testPair("x", c.messages)
		turns := NewTurns(p, ExcerptLimits{Turns: c.limit, Bytes: 9000, Text: 100, Kept: 50})
		if c.limit > 0 && len(turns) > c.limit+1 {
			t.Errorf("%d messages: %d turns", c.messages, len(turns))
		}
		before, after := 0, 0
		for _, turn := range turns {
			n := max(turn.Hidden, 1)
			if turn.Before >= 0 {
				before += n
			}
			if turn.After >= 0 {
				after += n
			}
		}
		if before != len(p.Before) || after != len(p.After) {
			t.Errorf("%d messages: %d of %d and %d of %d", c.messages, before, len(p.Before), after, len(p.After))
		}
	}
}

// An excerpt is bounded and visible whatever the conversation says.
func TestExcerptIsBounded(t *testing.T) {
	check := func(t testing.TB, text string, turns int) {
		data, err := json.Marshal(Excerpt{Turns: NewTurns(testPair(text, turns), reportLimits())})
		if err != nil {
			t.Fatal(err)
		}
		if most := excerptBytes + 200*(excerptTurns+1); len(data) > most {
			t.Errorf("%d bytes of JSON for %d turns", len(data), turns)
		}
		var read Excerpt
		if err := json.Unmarshal(data, &read); err != nil {
			t.Fatal(err)
		}
		for _, turn := range read.Turns {
			for _, one := range []*Said{turn.Old, turn.New} {
				if one == nil {
					continue
				}
				for _, r := range one.Text {
					if !unicode.IsPrint(r) && r != '\n' && r != '\t' {
						t.Fatalf("%U in %q", r, one.Text)
					}
				}
			}
		}
	}
	for _, name := range hostile() {
		check(t, name, 3)
		check(t, strings.Repeat(name, 40), 200)
	}
	check(t, strings.Repeat("</script><", 1000), 400)
	rapid.Check(t, func(rt *rapid.T) {
		check(t, rapid.String().Draw(rt, "text"), rapid.IntRange(0, 30).Draw(rt, "turns"))
	})
}

func TestExcerptMasksSecrets(t *testing.T) {
	const secret = "ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0000"
	for _, padding := range []int{0, 380, 395, 1480, 1495} { // also where the text is cut
		p := testPair(strings.Repeat("a ", padding/2)+secret, 3)
		data, err := json.Marshal(NewTurns(p, reportLimits()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(secret[:12])) {
			t.Errorf("padding %d: a secret is in the excerpt", padding)
		}
		if data, _ = json.Marshal(NewTurns(p, ExcerptLimits{Unmasked: true})); !bytes.Contains(data, []byte(secret)) {
			t.Errorf("padding %d: the secret is masked though nobody asked for it", padding)
		}
	}
}

// The builder asks for the texts of few rows, keeps no more of them than are listed, and gives the same excerpts however
// late they are made.
func TestExcerptsOfWorstRows(t *testing.T) {
	run := func(held int) (Report, int) {
		b, n, asked := NewBuilder(), numbers(3), 0
		for i := range 5000 {
			row := testRow(&n, i)
			row.Texts = Texts{Held: held, Pair: func() *quality.Pair { asked++; return testPair(row.ID, 2) }}
			b.Add(row)
			if len(b.excerpts.list) > 3*worstRows+1 || b.excerpts.held > heldBytes+held {
				t.Fatalf("%d excerpts wait with %d bytes", len(b.excerpts.list), b.excerpts.held)
			}
		}
		return b.Report(testHeader(), testClock()), asked
	}
	late, few := run(1000)
	soon, more := run(heldBytes / 2)
	if !reflect.DeepEqual(late.Excerpts, soon.Excerpts) {
		t.Error("excerpts depend on when they are made")
	}
	if few > 3*worstRows || more < few {
		t.Errorf("%d and %d pairs were read", few, more)
	}
	listed := map[string]bool{}
	for _, list := range [][]WorstRow{late.Worst.LargestBefore, late.Worst.LargestAfter, late.Worst.LeastGained} {
		for _, w := range list {
			listed[w.ID] = true
		}
	}
	if len(late.Excerpts) != len(listed) {
		t.Errorf("%d excerpts for %d rows", len(late.Excerpts), len(listed))
	}
	for _, x := range late.Excerpts {
		if !listed[x.ID] || !strings.Contains(x.Turns[1].Old.Text, x.ID) {
			t.Errorf("the excerpt of %s is another row's", x.ID)
		}
	}
}

package formats

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// turns builds messages from a short notation, one word per message: "u" user, "a" assistant; "c" an assistant with calls,
// "r" a tool message with results, each followed by its parts id:name, separated by commas; "t" a plain-text tool turn.
func turns(t testing.TB, notation string) []*Message {
	t.Helper()
	var list []*Message
	for _, word := range strings.Fields(notation) {
		m := &Message{Role: map[byte]Role{'u': RoleUser, 'a': RoleAssistant, 'c': RoleAssistant, 'r': RoleTool, 't': RoleTool}[word[0]]}
		if word[0] == 't' {
			m.Parts = append(m.Parts, &ToolResult{turn: true})
		}
		if word[0] == 'c' || word[0] == 'r' {
			for _, part := range strings.Split(word[1:], ",") {
				id, name, _ := strings.Cut(part, ":")
				if word[0] == 'c' {
					m.Parts = append(m.Parts, &ToolCall{ID: id, Name: name})
				} else {
					m.Parts = append(m.Parts, &ToolResult{CallID: id, Name: name})
				}
			}
		}
		list = append(list, m)
	}
	return list
}

// pairs is who answers whom, as "result message.part>call message.part", and what is left.
func pairs(messages []*Message) string {
	p := Pair(messages)
	var b strings.Builder
	callAt := map[*ToolCall]string{}
	for i, m := range messages {
		for k, c := range m.Calls() {
			callAt[c] = fmt.Sprintf("%d.%d", i, k)
		}
	}
	for i, m := range messages {
		for k, r := range m.Results() {
			if call, ok := p.Answers[r]; ok {
				fmt.Fprintf(&b, "%d.%d>%s ", i, k, callAt[call.Call])
			}
		}
	}
	for _, o := range p.Orphans {
		fmt.Fprintf(&b, "orphan %d ", o.Message)
	}
	for _, o := range p.Open {
		fmt.Fprintf(&b, "open %s ", callAt[o.Call])
	}
	return strings.TrimSpace(b.String())
}

func TestPair(t *testing.T) {
	for _, test := range []struct{ name, turns, want string }{
		{"none", "", ""},
		{"plain", "u a u", ""},
		{"by id", "u cx:f rx a", "2.0>1.0"},
		{"parallel, out of order", "cx,y ry rx", "1.0>0.1 2.0>0.0"},
		{"interruption", "cx u rx", "2.0>0.0"},
		{"reused id: the nearest unanswered", "cx rx u cx rx", "1.0>0.0 4.0>3.0"},
		{"reused id, answered late", "cx cx rx rx", "2.0>1.0 3.0>0.0"},
		{"same id twice in one message: in order", "cx:f,x:g rx rx", "1.0>0.0 2.0>0.1"},
		{"second answer is nobody's", "cx rx rx", "1.0>0.0 orphan 2"},
		{"unknown id", "cx ry", "orphan 1 open 0.0"},
		{"result first", "rx cx", "orphan 0 open 1.0"},
		{"open at the end", "cx rx cy", "1.0>0.0 open 2.0"},
		{"no ids: position", "c,, r,, ", "1.0>0.0 1.1>0.1 1.2>0.2"},
		{"no ids: separate turns", "c:f,:g r:g r:f", "1.0>0.1 2.0>0.0"},
		{"names agree before position", "c:f,:g,:f r:f r:f r:g", "1.0>0.0 2.0>0.2 3.0>0.1"},
		{"nobody has the name", "c:f,:g r:h r:h", "1.0>0.0 2.0>0.1"},
		{"ids on the results only", "c:f,:g rx:g,y:f", "1.0>0.1 1.1>0.0"},
		{"ids on the calls only", "cx:f,y:g r:g r:f", "1.0>0.1 2.0>0.0"},
		{"another id is not position", "cx,y rx rz", "1.0>0.0 orphan 2 open 0.1"},
		{"mixed: only calls without an id", "cx, rz rx", "1.0>0.1 2.0>0.0"},
		{"position: the nearest message with an open call", "c c r r r", "2.0>1.0 3.0>0.0 orphan 4"},
		{"position does not look behind calls with ids", "c cx rz r", "3.0>1.0 orphan 2 open 0.0"},
		{"a text turn answers all", "c:f,:g t", "1.0>0.0"},
		{"text turns one by one", "c:f,:g t t", "1.0>0.0 2.0>0.1"},
		{"a block does not answer all", "c:f,:g r:f", "1.0>0.0 open 0.1"},
	} {
		if got := pairs(turns(t, test.turns)); got != test.want {
			t.Errorf("%s: %s gives %q, want %q", test.name, test.turns, got, test.want)
		}
	}
}

func TestPairSharesATextTurn(t *testing.T) {
	list := turns(t, "c:f,:g t")
	p := Pair(list)
	for _, call := range list[0].Calls() {
		if refs := p.Results[call]; len(refs) != 1 || refs[0].Result != list[1].Results()[0] || refs[0].Message != 1 {
			t.Errorf("call %s has %v", call.Name, refs)
		}
	}
}

func TestAtoms(t *testing.T) {
	for _, test := range []struct {
		name, turns string
		want        []Atom
	}{
		{"none", "", []Atom{}},
		{"plain", "u a", []Atom{{0, 1}, {1, 2}}},
		{"call and result", "u cx rx a", []Atom{{0, 1}, {1, 3}, {3, 4}}},
		{"two results", "cx,y rx ry u", []Atom{{0, 3}, {3, 4}}},
		{"interruption", "cx u rx u", []Atom{{0, 3}, {3, 4}}},
		{"nested", "cx cy ry rx u", []Atom{{0, 4}, {4, 5}}},
		{"overlapping", "cx cy rx ry u", []Atom{{0, 4}, {4, 5}}},
		{"chained", "cx u cy rx u ry a", []Atom{{0, 6}, {6, 7}}},
		{"open and orphan", "cx rz u", []Atom{{0, 1}, {1, 2}, {2, 3}}},
	} {
		if got := Pair(turns(t, test.turns)).Atoms; !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	if n := (Atom{2, 5}).Len(); n != 3 {
		t.Errorf("Len = %d", n)
	}
}

// hostile lists that a careless pairing takes quadratic time for.
var hostile = map[string]func(n int) []*Message{
	"one message with calls without ids": func(n int) []*Message { return calls(n, 1, nil, nil) },
	"one id everywhere":                  func(n int) []*Message { return calls(n, 1, one("x"), one("x")) },
	"one id in messages of their own":    func(n int) []*Message { return calls(n, n, one("x"), one("x")) },
	"one id, answered by position first": func(n int) []*Message { return append(calls(n, 1, one("x"), nil), results(n, one("x"))...) },
	"unknown ids":                        func(n int) []*Message { return calls(n, n, number, one("x")) },
	"unknown ids among calls without":    func(n int) []*Message { return calls(n, 1, half, one("z")) },
	"backwards":                          func(n int) []*Message { return calls(n, 1, number, func(i int) string { return number(n - 1 - i) }) },
	"no calls":                           func(n int) []*Message { return results(n, one("x")) },
	"no results":                         func(n int) []*Message { return calls(n, 1, one("x"), nil)[:1] },
}

func one(id string) func(int) string { return func(int) string { return id } }
func number(i int) string            { return fmt.Sprint("id", i) }
func half(i int) string {
	if i%2 == 0 {
		return ""
	}
	return number(i)
}

// calls gives n calls in the given number of messages, and n results behind them.
func calls(n, messages int, callID, resultID func(int) string) []*Message {
	list := make([]*Message, messages)
	for i := range list {
		list[i] = &Message{Role: RoleAssistant}
	}
	for i := range n {
		c := &ToolCall{Name: fmt.Sprint("f", i%7)}
		if callID != nil {
			c.ID = callID(i)
		}
		list[i%messages].Parts = append(list[i%messages].Parts, c)
	}
	return append(list, results(n, resultID)...)
}

func results(n int, id func(int) string) []*Message {
	list := make([]*Message, n)
	for i := range list {
		r := &ToolResult{Name: fmt.Sprint("f", (i+3)%11)}
		if id != nil {
			r.CallID = id(i)
		}
		list[i] = &Message{Role: RoleTool, Parts: []Part{r}}
	}
	return list
}

func TestPairIsLinear(t *testing.T) {
	const n = 50_000
	for name, build := range hostile {
		t.Run(name, func(t *testing.T) {
			list := build(n)
			start := time.Now()
			p := Pair(list)
			if took := time.Since(start); took > time.Minute { // quadratic would be minutes
				t.Errorf("%d calls and results took %v", n, took)
			}
			if all := len(p.Answers) + len(p.Orphans); name != "no results" && all < n {
				t.Errorf("%d of %d results accounted for", all, n)
			}
		})
	}
}

func BenchmarkPairHostile(b *testing.B) {
	for name, build := range hostile {
		list := build(200_000)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Pair(list)
			}
		})
	}
}

package formatstest

import (
	"errors"
	"slices"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// refuses: a record of another shape is not recognised, and a fault when the dialect is named.
func refuses(t *testing.T, d formats.Dialect) {
	for _, raw := range []string{`{}`, `null`, `7`, `"messages"`, `[1,2]`, `{"text":"hello"}`, `{"messages":7}`, `{"messages":{"role":"user"}}`,
		`{"conversations":[1,2]}`, `{"messages":["user"]}`} {
		p, err := formats.NewProbe(record(raw))
		if err != nil {
			t.Fatal(err)
		}
		if marker, ok := d.Detect(p); ok {
			t.Errorf("%s is taken for %s by %q", raw, d.Name(), marker)
		}
		var fault *formats.Fault
		if _, err := d.Decode(p); !errors.As(err, &fault) || fault.Code != "not_"+d.Name() {
			t.Errorf("decoding %s as %s: %v, want a fault of code not_%s", raw, d.Name(), err, d.Name())
		}
	}
}

// detects: the marker is there, and the same each time.
func detects(t *testing.T, d formats.Dialect, s Sample) {
	c, err := formats.Decode(record(s.JSON), []formats.Dialect{d})
	if err != nil {
		t.Fatal(err)
	}
	if !c.HasMessages() || c.Dialect != d.Name() || c.Marker == "" {
		t.Fatalf("not recognised: dialect %q, marker %q", c.Dialect, c.Marker)
	}
	if again, _ := formats.Decode(record(s.JSON), []formats.Dialect{d}); again.Marker != c.Marker {
		t.Errorf("the marker is %q, then %q", c.Marker, again.Marker)
	}
}

// lossless: what is not edited is written as it was, and messages are in order and unchanged.
func lossless(t fataler, d formats.Dialect, raw string) *formats.Conversation {
	t.Helper()
	c := decode(t, d, raw)
	if out := string(c.Bytes()); out != raw {
		t.Fatalf("changed without an edit.\n got %s\nwant %s", out, raw)
	}
	for i, m := range c.Messages {
		if m.Changed() || m.Number != i {
			t.Fatalf("message %d: changed %v, number %d", i, m.Changed(), m.Number)
		}
		if m.Outside && i > 0 {
			t.Fatalf("message %d stands outside the list", i)
		}
	}
	// Rebuilding is lossless too: a copy of each message takes its place.
	for i, m := range c.Messages {
		c.Messages[i] = m.Clone()
	}
	if out := string(c.Bytes()); out != raw {
		t.Fatalf("changed by cloning.\n got %s\nwant %s", out, raw)
	}
	paired(t, c)
	return c
}

// paired: atoms cover every message once and hold every pair; every result and every call is accounted for once.
func paired(t fataler, c *formats.Conversation) {
	t.Helper()
	p := formats.Pair(c.Messages)
	at, atomOf := 0, make([]int, len(c.Messages))
	for k, a := range p.Atoms {
		if a.Start != at || a.Len() < 1 {
			t.Fatalf("atom %d is [%d, %d), expected to start at %d", k, a.Start, a.End, at)
		}
		for ; at < a.End; at++ {
			atomOf[at] = k
		}
	}
	if at != len(c.Messages) {
		t.Fatalf("atoms end at %d of %d messages", at, len(c.Messages))
	}
	orphans := map[*formats.ToolResult]bool{}
	for _, o := range p.Orphans {
		orphans[o.Result] = true
	}
	open := map[*formats.ToolCall]bool{}
	for _, o := range p.Open {
		open[o.Call] = true
	}
	answered := map[*formats.ToolCall]bool{}
	for i, m := range c.Messages {
		for _, r := range m.Results() {
			call, ok := p.Answers[r]
			if ok == orphans[r] {
				t.Fatalf("message %d: a result is paired %v and an orphan %v", i, ok, orphans[r])
			}
			if !ok {
				continue
			}
			if answered[call.Call] {
				t.Fatalf("message %d: a call is answered twice", i)
			}
			answered[call.Call] = true
			if call.Message > i || atomOf[call.Message] != atomOf[i] {
				t.Fatalf("message %d answers message %d across atoms", i, call.Message)
			}
		}
		for _, call := range m.Calls() {
			if got := len(p.Results[call]) > 0; got == open[call] {
				t.Fatalf("message %d: call %q has a result %v and is open %v", i, call.Name, got, open[call])
			}
		}
	}
}

// drops: a message taken out of the list is gone, and the others keep their bytes.
func drops(t *testing.T, d formats.Dialect, s Sample) {
	raw := s.JSON
	c := decode(t, d, raw)
	first, last := bearings(c)
	for i := first; i < last; i++ {
		less := c.With(slices.Delete(slices.Clone(c.Messages), i, i+1))
		out := encode(t, d, less)
		if got, want := s.bytesOf(decode(t, d, out).Messages), s.bytesOf(less.Messages); !slices.Equal(got, want) {
			t.Errorf("without message %d:\n got %q\nwant %q", i, got, want)
		}
	}
	if out := string(c.Bytes()); out != raw {
		t.Errorf("With changed the conversation itself")
	}
}

// awkward texts that must come back as they went in.
var texts = []string{
	"plain", "two\nlines\twith \"quotes\" and \\backslashes\\", "<b>&amp;</b> é 😀 \u2028", "\x00\x1f", "back\\u0041slash", " spaces around ",
}

// inserts: a new message says what it was made of, wherever it is put.
func inserts(t *testing.T, d formats.Dialect, s Sample) {
	raw := s.JSON
	c := decode(t, d, raw)
	before := s.bytesOf(c.Messages)
	first, last := bearings(c)
	for _, role := range []formats.Role{formats.RoleUser, formats.RoleAssistant, formats.RoleSystem} {
		for k, at := range []int{first, (first + last) / 2, last} {
			text := texts[(int(role)+k)%len(texts)]
			m := c.NewMessage(role, text)
			if m.Role != role || m.Text() != text {
				t.Fatalf("a new %s message %q is %s %q", role, text, m.Role, m.Text())
			}
			more := c.With(slices.Insert(slices.Clone(c.Messages), at, m))
			again := decode(t, d, encode(t, d, more)).Messages
			if got := again[at]; got.Role != role || got.Text() != text {
				t.Errorf("put at %d and read back: %s %q, want %s %q", at, got.Role, got.Text(), role, text)
			}
			if got := s.bytesOf(slices.Delete(again, at, at+1)); !slices.Equal(got, before) {
				t.Errorf("a new message at %d changed others:\n got %q\nwant %q", at, got, before)
			}
		}
	}
}

// answers: every result can be replaced, alone and together, and a new one is paired with its call.
func answers(t *testing.T, d formats.Dialect, raw string) {
	c := decode(t, d, raw)
	for i, m := range c.Messages {
		for k, r := range m.Results() {
			if !r.Editable() {
				continue
			}
			one := decode(t, d, raw)
			r := one.Messages[i].Results()[k]
			id, name := r.CallID, r.Name
			text := texts[(i+k)%5]
			one.Messages[i].SetResult(r, text)
			again := decode(t, d, encode(t, d, one)).Messages[i].Results()[k]
			if again.CallID != id || again.Name != name || again.Text != text || again.Media != 0 {
				t.Errorf("message %d, result %d: read back %q %q %q", i, k, again.CallID, again.Name, again.Text)
			}
			want := bytesOf(c.Messages)
			want[i] = string(one.Messages[i].Bytes())
			if got := bytesOf(one.Messages); !slices.Equal(got, want) {
				t.Errorf("an edit of message %d changed others", i)
			}
		}
	}
	for i, m := range c.Messages {
		for _, call := range m.Calls() {
			if call.Implicit {
				continue
			}
			result := c.NewResult(call, "stub")
			if r := result.Results(); len(r) != 1 || r[0].Text != "stub" || r[0].CallID != "" && r[0].CallID != call.ID {
				t.Fatalf("a new result of call %q in message %d is\n%s", call.Name, i, Show([]*formats.Message{result}))
			}
			p := formats.Pair([]*formats.Message{{Role: formats.RoleAssistant, Parts: []formats.Part{call}}, result})
			if len(p.Open) != 0 || len(p.Orphans) != 0 {
				t.Errorf("a new result of call %q in message %d does not answer it", call.Name, i)
			}
		}
	}
}

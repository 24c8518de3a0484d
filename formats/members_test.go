package formats

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWithMembers(t *testing.T) {
	for _, test := range []struct {
		name, dialect, spelled, payload, want string
		members                               []string
	}{
		{"at the end", "openai", "", `{"messages":[]}`, `{"messages":[],"segment":1,"of":2}`, []string{"segment", "1", "of", "2"}},
		{"in its place", "openai", "", `{"of": 7, "messages": []}`, `{"of": 2, "messages": []}`, []string{"of", "2"}},
		{"one of each", "openai", "", `{"of": 7,"messages":[]}`, `{"of": 2,"messages":[],"segment":1}`, []string{"segment", "1", "of", "2"}},
		{"an empty object", "openai", "", ` { } `, ` {"of":2 } `, []string{"of", "2"}},
		{"white space stays", "openai", "", "{\n  \"messages\": []\n}\n", "{\n  \"messages\": [],\"of\":2\n}\n", []string{"of", "2"}},
		{"an escaped key", "openai", "", `{"\u006ff": 7}`, `{"\u006ff": 2}`, []string{"of", "2"}},
		{"a key to be escaped", "openai", "", `{"a": 1}`, `{"a": 1,"b\"\n":2}`, []string{"b\"\n", "2"}},
		{"nested members are others", "openai", "", `{"info": {"of": 7}}`, `{"info": {"of": 7},"of":2}`, []string{"of", "2"}},
		{"a bare list", "openai", "", ` [{"role":"user"}] `, `{"messages": [{"role":"user"}],"of":2}`, []string{"of", "2"}},
		{"a bare list of items", "responses", "", `[]`, `{"input": [],"of":2}`, []string{"of", "2"}},
		{"a bare list of turns", "sharegpt", "", `[]`, `{"conversations": [],"of":2}`, []string{"of", "2"}},
		{"a bare list of Hermes", "hermes", "", `[]`, `{"conversations": [],"of":2}`, []string{"of", "2"}},
		{"a session", "pi", "anthropic", `[]`, `{"messages": [],"of":2}`, []string{"of", "2"}},
		{"ATIF", "atif", "", `{"steps":[]}`, `{"steps":[],"extra":{"segment":1,"of":2}}`, []string{"segment", "1", "of", "2"}},
		{"ATIF with extra", "atif", "", `{"extra": {"a": 1}, "steps":[]}`, `{"extra": {"a": 1,"of":2}, "steps":[]}`, []string{"of", "2"}},
		{"ATIF with another extra", "atif", "", `{"extra": null, "steps":[]}`, `{"extra": {"of":2}, "steps":[]}`, []string{"of", "2"}},
		{"nothing", "openai", "", `{"a":1}`, `{"a":1}`, nil},
	} {
		c := &Conversation{Dialect: test.dialect, Spelled: test.spelled}
		payload := []byte(test.payload)
		got := c.WithMembers(payload, test.members...)
		if string(got) != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if string(payload) != test.payload {
			t.Errorf("%s: the payload was written to: %s", test.name, payload)
		}
	}
}

// Whatever the record, the members are there afterwards, once, and every other member has the bytes it had.
func TestWithMembersProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{"of", "segment", "a", "b", "messages", "é", ""}), 0, 6).Draw(t, "keys")
		space := rapid.SampledFrom([]string{"", " ", "\n\t"})
		var b strings.Builder
		b.WriteString("{" + space.Draw(t, "space"))
		for i, key := range keys {
			if i > 0 {
				b.WriteString("," + space.Draw(t, "space"))
			}
			fmt.Fprintf(&b, "%q:%s%s", key, space.Draw(t, "space"), rapid.SampledFrom([]string{"1", `"}"`, `[1, {"of": 3}]`, "null"}).Draw(t, "value"))
		}
		b.WriteString(space.Draw(t, "space") + "}")
		before := b.String()
		c := &Conversation{Dialect: "openai"}
		got := c.WithMembers([]byte(before), "of", "2", "segment", `"x"`)
		if !json.Valid(got) {
			t.Fatalf("%s became %s", before, got)
		}
		old, o := ObjectAt([]byte(before), Span{0, len(before)}), ObjectAt(got, Span{0, len(got)})
		for key := range o.Keys() {
			want := string(old.Raw(key))
			switch key {
			case "of":
				want = "2"
			case "segment":
				want = `"x"`
			}
			if string(o.Raw(key)) != want {
				t.Fatalf("%s became %s: %s is %s", before, got, key, o.Raw(key))
			}
		}
		for key := range old.Keys() {
			if !o.Has(key) && old.Has(key) {
				t.Fatalf("%s became %s", before, got)
			}
		}
		if again := c.WithMembers(got, "of", "2", "segment", `"x"`); string(again) != string(got) {
			t.Fatalf("%s became %s", got, again)
		}
	})
}

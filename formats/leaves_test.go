package formats

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestStringMembers(t *testing.T) {
	for _, test := range []struct {
		json string
		want []Field
	}{
		{`{"path":"a\n.go","n":1.10,"deep":{"x":"y"},"list":["z"],"none":null,"yes":true,"path":"again"}`,
			[]Field{{"path", "a\n.go"}, {"n", "1.10"}, {"yes", "true"}, {"path", "again"}}},
		{` {"\u0061":"b"} `, []Field{{"a", "b"}}},
		{`{}`, nil}, {`["a"]`, nil}, {`"a"`, nil}, {`{broken`, nil}, {``, nil},
	} {
		if got := StringMembers(test.json); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.json, got, test.want)
		}
	}
}

func TestMapStrings(t *testing.T) {
	cut := func(leaf string) (string, bool) {
		if len(leaf) <= 3 {
			return "", false
		}
		return leaf[:3] + "…", true
	}
	for _, test := range []struct {
		json, want string
		ok         bool
	}{
		{`{"longkey" : "long\u0061value","n":12345678901234567890,"s":"\u0061bc","l":[ "four", {"x":"y\/z"} ] }`, `{"longkey" : "lon…","n":12345678901234567890,"s":"\u0061bc","l":[ "fou…", {"x":"y\/z"} ] }`, true},
		{`"long"`, `"lon…"`, true}, {` "abc" `, ` "abc" `, false}, {`{"longkey":1.0}`, `{"longkey":1.0}`, false}, {`{broken "long"`, `{broken "long"`, false}, {`[]`, `[]`, false},
		{`{"a" : "\"\\\": \"x"}`, `{"a" : "\"\\\"…"}`, true},
	} {
		if got, ok := MapStrings(test.json, cut); got != test.want || ok != test.ok {
			t.Errorf("%s: %s %v, want %s %v", test.json, got, ok, test.want, test.ok)
		}
	}
}

// TestMapStringsProperty: only leaves change, and each of them is asked for once, in order.
func TestMapStringsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		leaves := rapid.SliceOfN(anyLiteral, 1, 6).Draw(t, "leaves")
		var b strings.Builder
		for i, leaf := range leaves {
			b.WriteString([]string{`{"k": [`, `[ 1.0, `}[i%2] + leaf + `, `)
		}
		b.WriteString(`null`)
		for i := len(leaves) - 1; i >= 0; i-- {
			b.WriteString([]string{`], "z":1e3}`, ` ]`}[i%2])
		}
		text := b.String()
		var asked []string
		out, ok := MapStrings(text, func(leaf string) (string, bool) {
			asked = append(asked, leaf)
			return "X", true
		})
		for i, leaf := range leaves {
			if asked[i] != DecodeString([]byte(leaf)) {
				t.Fatalf("leaf %d is %q", i, asked[i])
			}
			text = strings.Replace(text, leaf+",", `"X",`, 1)
		}
		if !ok || len(asked) != len(leaves) || !json.Valid([]byte(out)) {
			t.Fatalf("%s asked for %q", out, asked)
		}
		if out != text {
			t.Fatalf("\n got %s\nwant %s", out, text)
		}
	})
}

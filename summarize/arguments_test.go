package summarize

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// FuzzFlatArguments holds the quick reader against the one that builds a tree.
func FuzzFlatArguments(f *testing.F) {
	for _, raw := range []string{
		``, `{}`, ` { } `, `null`, `"text"`, `[1]`, `{"command":"ls -l"}`, `{"b":"x","a":"y"}`, `{"a":"x","a":"y"}`, `{"a":1,"b":-2.50,"c":true,"d":false,"e":null}`,
		`{"a":01}`, `{"a":-}`, `{"a":1.}`, `{"a":1e5}`, `{"a":0}`, `{"a":-0.0}`, `{"a":truex}`, `{"a":"\n\t\"\\\r\/\b\f"}`, `{"a":"\u00e9\ud83d\ude00"}`, `{"a":"\x"}`, "{\"a\":\"\xff\"}", "{\"\xff\":\"a\"}",
		"{\"a\":\"line\nbreak\"}", `{"a":"x"} and more`, `{"a":"x",}`, `{"a":"x" "b":"y"}`, `{"a"`, `{"a":"\`, `{"a":{"b":"c"},"d":["e"]}`, `{"\n":"\\n"}`, `{"a":"é"}`,
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, ok := flatArguments(raw)
		if want := treeArguments(raw); ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, the tree says %+v", raw, got, want)
		}
	})
}

func TestFlatArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.String(), rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) any { return s }),
			rapid.Map(rapid.Int(), func(n int) any { return n }),
			rapid.SampledFrom([]any{true, false, nil, 1.5, "", "a\nb", "<>&", []string{"x"}}),
		)).Draw(t, "object")
		raw, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := flatArguments(string(raw)); ok && !reflect.DeepEqual(got, treeArguments(string(raw))) {
			t.Fatalf("%s: %+v", raw, got)
		}
	})
}

// The usual calls must not need the tree.
func TestFlatArgumentsReadsUsualCalls(t *testing.T) {
	for _, raw := range []string{`{"command": "go test ./...\necho \"done\""}`, `{"path":"a.go","line":12,"all":true,"old":null}`, `{}`} {
		if _, ok := flatArguments(raw); !ok {
			t.Errorf("%s is left to the tree", raw)
		}
	}
}

package formats

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestDecodeString(t *testing.T) {
	for _, test := range []struct{ lit, want string }{
		{`""`, ""}, {`"plain"`, "plain"}, {`"a\nb\t\r\b\f\/\\\""`, "a\nb\t\r\b\f/\\\""},
		{`"\u0041\u00e9\u20ac"`, "Aé€"}, {`"\ud83d\ude00"`, "😀"}, {`"\uD83D\uDE00!"`, "😀!"},
		{`"\ud83d"`, "\ufffd"}, {`"\ude00"`, "\ufffd"}, {`"\ud83dx"`, "\ufffdx"}, {`"\ud83d\n"`, "\ufffd\n"},
		{`"\ud83d\ud83d\ude00"`, "\ufffd😀"}, {`"\ude00\ud83d"`, "\ufffd\ufffd"}, {`"\ud83d\u0041"`, "\ufffdA"},
		{"\"\xff\\n\xc3\"", "\xff\n\xc3"}, {`"\u0000"`, "\x00"}, {`"é😀\\u0041"`, `é😀\u0041`},
		{`"12345678\n12345678"`, "12345678\n12345678"}, {`"1234567\n1"`, "1234567\n1"}, {`"\n\n\n\n\n\n\n\n\n"`, strings.Repeat("\n", 9)},
	} {
		if got := DecodeString([]byte(test.lit)); got != test.want {
			t.Errorf("DecodeString(%s) = %q, want %q", test.lit, got, test.want)
		}
	}
	lit := []byte(`"no escapes: a view, not a copy"`)
	if n := testing.AllocsPerRun(10, func() { DecodeString(lit) }); n != 0 {
		t.Errorf("%v allocations for a string without escapes", n)
	}
}

func TestAppendString(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", `""`}, {"a\"b\\c/d", `"a\"b\\c/d"`}, {"\n\t\r\b\f\x00\x1f\x7f", "\"\\n\\t\\r\\b\\f\\u0000\\u001f\x7f\""},
		{"<>&\u2028é😀", "\"<>&\u2028é😀\""}, {"a\xffb\xc3", "\"a\ufffdb\ufffd\""}, {"\ufffd", "\"\ufffd\""}, {"\xed\xa0\xbd", "\"\ufffd\ufffd\ufffd\""},
	} {
		if got := string(AppendString(nil, test.text)); got != test.want {
			t.Errorf("AppendString(%q) = %s, want %s", test.text, got, test.want)
		}
		if got, want := DecodeString(AppendString(nil, test.text)), wellFormed(test.text); got != want {
			t.Errorf("%q comes back as %q, want %q", test.text, got, want)
		}
	}
}

func TestSpliceString(t *testing.T) {
	for _, test := range []struct {
		name, lit string
		splices   []Splice
		want      string
	}{
		{"nothing", `"a\u0041"`, nil, `"a\u0041"`},
		{"front and back", `"\u0041\/"`, []Splice{{2, 2, "z"}, {0, 0, "\""}}, `"\"\u0041\/z"`},
		{"two at one place keep their order", `"ab"`, []Splice{{1, 1, "1"}, {1, 1, "2"}}, `"a12b"`},
		{"insertion before a cut at one place", `"abc"`, []Splice{{1, 2, ""}, {1, 1, "x"}}, `"axc"`},
		{"insertion after a cut", `"abc"`, []Splice{{2, 2, "x"}, {1, 2, ""}}, `"axc"`},
		{"a cut between escapes", `"\u00e9\ud83d\ude00\n"`, []Splice{{2, 6, ""}}, `"\u00e9\n"`},
		{"a pair is one character", `"\ud83d\ude00x"`, []Splice{{0, 4, "y"}}, `"yx"`},
		{"lone surrogates are three bytes", `"\ud83dabc\ude00"`, []Splice{{3, 4, "-"}}, `"\ud83d-bc\ude00"`},
		{"a cut never makes a pair", `"\ud83dabc\ude00"`, []Splice{{3, 6, ""}}, "\"\ufffd\\ude00\""},
		{"what looks like one is none", `"\\ud83dabc\ude00"`, []Splice{{6, 9, ""}}, `"\\ud83d\ude00"`},
		{"raw bytes", "\"\xffa\xfe\"", []Splice{{1, 2, ""}}, "\"\xff\xfe\""},
		{"everything", `"a\nb"`, []Splice{{0, 3, ""}}, `""`},
		{"into nothing", `""`, []Splice{{0, 0, "é\n"}}, `"é\n"`},
		{"several cuts", `"0123456789"`, []Splice{{8, 9, "e"}, {1, 3, ""}, {4, 5, "four"}}, `"03four567e9"`},
	} {
		if got := string(SpliceString([]byte(test.lit), test.splices)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// anyLiteral spells strings in all the ways JSON has.
var anyLiteral = rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{
	"a", "b ", "é", "😀", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\ude00`, "\xff", "<tool_call>", "12345678",
}), 0, 12), func(pieces []string) string { return `"` + strings.Join(pieces, "") + `"` })

func TestSpliceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lit := anyLiteral.Draw(t, "literal")
		text := DecodeString([]byte(lit))
		at := func(name string, from int) int {
			return runeStart(text, rapid.IntRange(from, len(text)).Draw(t, name))
		}
		a := at("a", 0)
		b := max(a, at("b", a))
		c := max(b, at("c", b))
		first, second := rapid.String().Draw(t, "first"), rapid.String().Draw(t, "second")
		got := SpliceString([]byte(lit), []Splice{{a, b, first}, {c, c, second}})
		if want := text[:a] + first + text[b:c] + second + text[c:]; DecodeString(got) != want || !json.Valid(got) {
			t.Fatalf("%s with [%d,%d) %q and %d %q is %s = %q, want %q", lit, a, b, first, c, second, got, DecodeString(got), want)
		}
	})
}

func TestRuneStart(t *testing.T) {
	text := "aé\x80\x80😀b"
	for at, want := range []int{0, 1, 1, 3, 4, 5, 5, 5, 5, 9, 10, 10} {
		if got := runeStart(text, at); got != want {
			t.Errorf("offset %d goes to %d, want %d", at, got, want)
		}
	}
	if runeStart(text, -5) != 0 {
		t.Error("negative offsets go to the start")
	}
}

func FuzzString(f *testing.F) {
	f.Add("plain", 0, 3)
	f.Add("\xff\ufffd\u2028😀\n", 1, 2)
	f.Fuzz(func(t *testing.T, text string, a, b int) {
		lit := AppendString(nil, text)
		if !json.Valid(lit) || Validate(lit) != nil {
			t.Fatalf("%q is spelled %s", text, lit)
		}
		if got := DecodeString(lit); got != wellFormed(text) || utf8.ValidString(text) && got != text {
			t.Fatalf("%q comes back as %q", text, got)
		}
		text = wellFormed(text)
		a, b = runeStart(text, a), runeStart(text, b)
		if a > b {
			a, b = b, a
		}
		if got := DecodeString(SpliceString(lit, []Splice{{a, b, "-"}})); got != text[:a]+"-"+text[b:] {
			t.Fatalf("%q cut at [%d, %d) is %q", text, a, b, got)
		}
	})
}

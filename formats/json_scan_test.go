package formats

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// jsonTexts are texts of every kind that is or nearly is JSON: the seeds of the oracle test and of the fuzzing.
var jsonTexts = []string{
	``, ` `, `null`, `nul`, `nulll`, `true`, `tru`, `false`, `falsy`, `NaN`, `Infinity`, `undefined`,
	`0`, `-0`, `00`, `01`, `-`, `+1`, `1.`, `.1`, `1.0`, `1.10`, `1e3`, `1E+3`, `1e-3`, `1e`, `1e+`, `1.e1`, `-1.5e10`, `12345678901234567890123`, `0x10`, `1 2`, `1,`,
	`""`, `"`, `"a`, `"a"b`, `"\"`, `"\\"`, `"\\\"`, `"\n\t\r\b\f\/"`, `"\a"`, `"\u0041"`, `"\u00g1"`, `"\u12"`, `"\u`, `"\ud83d\ude00"`, `"\ud83d"`, `"\uDC00x"`,
	"\"\n\"", "\"\t\"", "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\xfe\"", "\"\xc3\"", "\"é😀\u2028\"", "\ufeff{}", "\x00", "\v1", "1\x00",
	`[]`, `[ ]`, `[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `[1,2]`, "[\n1 ,\t2\r]", `[[]]`, `[[]`, `[]]`, `[1}`, `['a']`,
	`{}`, `{ }`, `{`, `}`, `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{a:1}`, `{'a':1}`, `{"a" : 1 , "a":2}`, `{"a":1 "b":2}`, `{"a",1}`, `{1:2}`, `{"":{"":[]}}`, `{"a":1}}`, `{"a":1]`,
	`{"k":"` + strings.Repeat("x", 40) + `\n` + strings.Repeat("é", 9) + `"}`, `"1234567` + "\x01" + `"`, `"12345678` + "\x1f" + `"`, `"1234567\"`, `"12345678\\"`, `/*c*/1`, `1//`,
}

func TestValidateAgreesWithTheStandardLibrary(t *testing.T) {
	for _, text := range jsonTexts {
		if got, want := Validate([]byte(text)) == nil, json.Valid([]byte(text)); got != want {
			t.Errorf("Validate(%q) = %v, encoding/json says %v", text, got, want)
		}
	}
	// Every text with one byte replaced, dropped or doubled.
	for _, text := range jsonTexts {
		for i := range len(text) {
			for _, c := range []string{"", `"`, `\`, "{", "}", ",", "0", "\x00", " ", text[i:i+1] + text[i:i+1]} {
				mutant := []byte(text[:i] + c + text[i+1:])
				if got, want := Validate(mutant) == nil, json.Valid(mutant); got != want {
					t.Errorf("Validate(%q) = %v, encoding/json says %v", mutant, got, want)
				}
			}
		}
	}
}

func TestValidateDepth(t *testing.T) {
	for _, pair := range []struct{ open, close string }{{"[", "]"}, {`{"a":`, "}"}} {
		for _, depth := range []int{MaxDepth, MaxDepth + 1} {
			inner := "1"
			text := []byte(strings.Repeat(pair.open, depth) + inner + strings.Repeat(pair.close, depth))
			err := Validate(text)
			if (err == nil) != json.Valid(text) || (err == nil) != (depth <= MaxDepth) {
				t.Errorf("%d levels of %s: %v", depth, pair.open, err)
			}
			var se *SyntaxError
			if err != nil && (!errors.As(err, &se) || se.Code != "too_deep" || se.Offset != MaxDepth*len(pair.open)) {
				t.Errorf("%d levels of %s: %#v", depth, pair.open, err)
			}
		}
	}
	if err := Validate([]byte(strings.Repeat("[", 5<<20))); err == nil {
		t.Error("five million brackets are valid")
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, test := range []struct {
		text   string
		offset int
		code   string
		msg    string
	}{
		{``, 0, "truncated", "unexpected end of JSON looking for a value"},
		{` `, 1, "truncated", "unexpected end of JSON looking for a value"},
		{`{"a":1`, 6, "truncated", "unexpected end of JSON in an object"},
		{`[1,`, 3, "truncated", "unexpected end of JSON looking for a value"},
		{`["abc`, 5, "truncated", "unexpected end of JSON in a string"},
		{`"\u12`, 5, "truncated", `unexpected end of JSON in a \u escape`},
		{`"\`, 2, "truncated", "unexpected end of JSON in a string escape"},
		{`tru`, 3, "truncated", "unexpected end of JSON in the literal true"},
		{`-`, 1, "truncated", "unexpected end of JSON in a number"},
		{`{"a" 1}`, 5, "syntax", "invalid character '1' after an object key"},
		{`{a:1}`, 1, "syntax", "invalid character 'a' looking for an object key"},
		{`{"a":1,}`, 7, "syntax", "invalid character '}' looking for an object key"},
		{`{"a":1 "b":2}`, 7, "syntax", `invalid character '"' after an object member`},
		{`[1 2]`, 3, "syntax", "invalid character '2' after an array element"},
		{`{"a":'b'}`, 5, "syntax", `invalid character '\'' looking for a value`},
		{`"a\x"`, 3, "syntax", "invalid character 'x' in a string escape"},
		{`"\u00g1"`, 5, "syntax", `invalid character 'g' in a \u escape`},
		{"\"ab\ncd\"", 3, "syntax", `invalid character '\x0a' in a string: control characters must be escaped`},
		{`1.x`, 2, "syntax", "invalid character 'x' after the decimal point of a number"},
		{`1ex`, 2, "syntax", "invalid character 'x' in the exponent of a number"},
		{`01`, 1, "syntax", "invalid character '1' after the value"},
		{`nulk`, 3, "syntax", "invalid character 'k' in the literal null"},
		{"\xef\xbb\xbf{}", 0, "syntax", `invalid character '\xef' looking for a value`},
	} {
		err := Validate([]byte(test.text))
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if se.Offset != test.offset || se.Code != test.code || se.Msg != test.msg {
			t.Errorf("%q: %d %s %q, want %d %s %q", test.text, se.Offset, se.Code, se.Msg, test.offset, test.code, test.msg)
		}
	}
}

func TestFaultPointsAtTheError(t *testing.T) {
	raw := []byte(`{"messages": [{"role": "user", "content": "` + strings.Repeat("é", 60) + `" "x": 1}]}`)
	_, err := NewProbe(Record{Pos: Position{File: "a.jsonl", Line: 3}, Raw: raw})
	var fault *Fault
	if !errors.As(err, &fault) {
		t.Fatal(err)
	}
	if want := int64(strings.Index(string(raw), `"x"`) + 1); fault.Column != want || fault.Code != "syntax" || fault.Stage != StageDecode {
		t.Errorf("column %d code %s, want column %d", fault.Column, fault.Code, want)
	}
	if runes := []rune(fault.Excerpt); fault.Caret >= len(runes) || string(runes[fault.Caret:fault.Caret+3]) != `"x"` {
		t.Errorf("caret %d in %q", fault.Caret, fault.Excerpt)
	}
	if want := "a.jsonl:3:"; !strings.HasPrefix(fault.Error(), want) {
		t.Errorf("%q does not begin with %q", fault.Error(), want)
	}
	given := &Fault{Code: "truncated"}
	if _, err := NewProbe(Record{Fault: given}); !errors.Is(err, given) {
		t.Errorf("a record that comes with a fault gives %v", err)
	}
}

func TestReadRoot(t *testing.T) {
	data := []byte(" \n{ \"a\" : [ {\"x\":1} ] ,\"b\":{\"c\":2},\"a\":null }\t")
	at, root, blocks, err := readRoot(data)
	if err != nil || blocks || at != valueSpan(data) {
		t.Fatalf("%v %v, blocks: %v", at, err, blocks)
	}
	want := ObjectAt(data, at)
	if len(root.members) != 3 {
		t.Fatalf("%d members", len(root.members))
	}
	for i, m := range root.members {
		if m != want.members[i] {
			t.Errorf("member %d: %v, want %v", i, m, want.members[i])
		}
	}
	if _, root, _, _ := readRoot([]byte(`[{"a":{"b":1}}]`)); !root.Empty() {
		t.Error("the members of a list's element are not the root's")
	}
}

func TestReadRootSeesBlocks(t *testing.T) {
	tests := map[string]bool{
		`{"type":"tool_use"}`:       true,
		`[[{"type" : "thinking"}]]`: true,
		`"\u0072\u0065\u0064\u0061\u0063\u0074\u0065\u0064\u005f\u0074\u0068\u0069\u006e\u006b\u0069\u006e\u0067"`: true,
		`{"type":"\u0074ool_result"}`:                            true,
		`"` + strings.Repeat("\\u0074", 17) + `"`:                false,
		`"thinking\n"`:                                           false,
		`{"type":"text","text":"tool_use of thinking"}`:          false,
		`{"type":"tool_call","redacted":"thought","n":[1,true]}`: false,
	}
	for text, want := range tests {
		if _, _, blocks, err := readRoot([]byte(text)); err != nil || blocks != want {
			t.Errorf("%s: %v, %v; want %v", text, blocks, err, want)
		}
	}
}

func FuzzValidate(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := Validate(data)
		if want := json.Valid(data); (err == nil) != want {
			t.Fatalf("Validate = %v, encoding/json says %v", err, want)
		}
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Offset < 0 || se.Offset > len(data) || se.Code == "truncated" != (se.Offset == len(data)) && se.Code != "too_deep" {
				t.Fatalf("%#v in %d bytes", err, len(data))
			}
			return
		}
		at := valueSpan(data)
		if root, _, _, err := readRoot(data); err != nil || root != at {
			t.Fatalf("root %v, want %v (%v)", root, at, err)
		}
		walk(t, data, at)
	})
}

// walk visits every value of valid JSON and compares its spans and strings with what encoding/json sees there.
func walk(t *testing.T, data []byte, s Span) {
	t.Helper()
	if !json.Valid(s.In(data)) {
		t.Fatalf("the value at %v is %q", s, s.In(data))
	}
	switch kindAt(data, s) {
	case '"':
		var want string
		if err := json.Unmarshal(s.In(data), &want); err != nil {
			t.Fatal(err)
		}
		if got := strings.ToValidUTF8(DecodeString(s.In(data)), "\ufffd"); got != strings.ToValidUTF8(want, "\ufffd") && !strings.Contains(want, "\ufffd") {
			t.Fatalf("%s is %q, encoding/json says %q", s.In(data), got, want)
		}
	case '{':
		n := 0
		for key, value := range members(data, s.Start) {
			walk(t, data, key)
			walk(t, data, value)
			n++
		}
		if got := len(ObjectAt(data, s).members); got != n {
			t.Fatalf("%d members, want %d", got, n)
		}
	case '[':
		for e := range elements(data, s.Start) {
			walk(t, data, e)
		}
	}
}

package formats

import (
	"slices"
	"testing"
)

func objectOf(text string) Object {
	data := []byte(text)
	return ObjectAt(data, valueSpan(data))
}

func TestObject(t *testing.T) {
	o := objectOf(` { "a" : 1 , "b":"x\n","a":"second" ,"n":null,"o":{"k":[{"a":9},"}"]},"t\u006fols":[ ],"":true,"\ud83d":2} `)
	for key, want := range map[string]string{
		"a": `"second"`, "b": `"x\n"`, "n": `null`, "o": `{"k":[{"a":9},"}"]}`, "tools": `[ ]`, "": `true`, "\ufffd": `2`, "missing": ``, "t": ``, "toolss": ``,
	} {
		if got := string(o.Raw(key)); got != want {
			t.Errorf("Raw(%q) = %s, want %s", key, got, want)
		}
	}
	if got := o.Text("b"); got != "x\n" {
		t.Errorf("Text = %q", got)
	}
	if _, ok := o.String("n"); ok || o.Text("o") != "" {
		t.Error("only strings are text")
	}
	if o.Has("n") || !o.Has("") || o.Has("missing") {
		t.Error("Has: null and missing are not there")
	}
	if !o.Object("a").Empty() || !o.Object("missing").Empty() || o.Object("o").Empty() {
		t.Error("Object is empty for what is none")
	}
	for _, text := range []string{`{}`, `{ }`, `[]`, `"{"`, `7`} {
		if !objectOf(text).Empty() {
			t.Errorf("%s has members", text)
		}
	}
	var zero Object
	if !zero.Empty() || zero.Has("a") || zero.Raw("a") != nil {
		t.Error("the zero Object has members")
	}
}

func TestKeyIs(t *testing.T) {
	for _, test := range []struct {
		lit, name string
		want      bool
	}{
		{`"role"`, "role", true}, {`"role"`, "rol", false}, {`"rol"`, "role", false}, {`""`, "", true}, {`"r"`, "", false},
		{`"\u0072ole"`, "role", true}, {`"rol\u0065"`, "role", true}, {`"rol\u0065s"`, "role", false}, {`"\u0072ol"`, "role", false},
		{`"r\\ole"`, `r\ole`, true}, {`"\ud83d\ude00"`, "😀", true}, {`"\u00e9"`, "é", true}, {`"\u00e9"`, "è", false}, {`"rolexx"`, "role", false},
		{`"\ud83d"`, "\ufffd", true}, {`"\ud83d"`, "\xff", false},
	} {
		if got := keyIs([]byte(test.lit), test.name); got != test.want {
			t.Errorf("keyIs(%s, %q) = %v", test.lit, test.name, got)
		}
	}
}

func TestPick(t *testing.T) {
	data := []byte(`{"a":1, "x" : {"a":7} ,"a":[2],"c\u0061":"}" }tail`)
	at := [3]Span{2: {5, 5}}
	end := pick(data, 0, []string{"a", "ca", "none"}, at[:])
	if string(data[end:]) != "tail" {
		t.Errorf("the object ends before %q", data[end:])
	}
	if got := string(at[0].In(data)); got != "[2]" {
		t.Errorf("of duplicates %s is taken", got)
	}
	if got := string(at[1].In(data)); got != `"}"` {
		t.Errorf("an escaped key gives %s", got)
	}
	if at[2] != (Span{5, 5}) {
		t.Errorf("a missing key changes %v", at[2])
	}
	if pick([]byte("{ }"), 0, nil, nil) != 3 {
		t.Error("the end of an empty object")
	}
}

func TestWalk(t *testing.T) {
	data := []byte("[ 1 ,\"a]\\\"\\\\\" , [ [2] ,{}],-1.5e3,true ,null\n,{\"]\":\"[\"}]")
	var got []string
	for e := range elements(data, 0) {
		got = append(got, string(e.In(data)))
	}
	if want := []string{`1`, `"a]\"\\"`, `[ [2] ,{}]`, `-1.5e3`, `true`, `null`, `{"]":"["}`}; !slices.Equal(got, want) {
		t.Errorf("elements %q", got)
	}
	for range elementsIn(data, Span{}) {
		t.Error("a missing list has elements")
	}
	for range elementsIn([]byte(`{"a":1}`), Span{0, 7}) {
		t.Error("an object has elements")
	}
	for _, text := range []string{`"a"`, `"\\"`, `"\""`, `"\\\""`, `""`, `"\\\\"`} {
		if got := skipString([]byte(text+`,"x"`), 0); got != len(text) {
			t.Errorf("%s ends at %d", text, got)
		}
	}
}

package jsonl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ctxpack/ctxpack/formats"
	"pgregory.net/rapid"
)

// readAll reads every record and checks that nothing got lost and that positions are right.
func readAll(t testing.TB, r io.Reader, input string, opts Options) (*Source, []formats.Record) {
	t.Helper()
	src, err := NewSource(r, "in", opts)
	if err != nil {
		t.Fatalf("%.60q: %v", input, err)
	}
	var recs []formats.Record
	var got bytes.Buffer
	index, line, counted := int64(0), int64(1), 0
	for calls := 0; ; calls++ {
		if calls > 2*len(input)+10 {
			t.Fatalf("%.60q: does not end", input)
		}
		rec, err := src.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%.60q: %v", input, err)
		}
		start := got.Len()
		if !rec.FramingOnly() {
			start += len(rec.Lead)
		}
		got.Write(rec.Lead)
		got.Write(rec.Raw)
		got.Write(rec.Trail)
		if got.Len() > len(input) {
			t.Fatalf("%.60q: records hold more than the input", input)
		}
		line += int64(strings.Count(input[counted:start], "\n"))
		counted = start
		if rec.Pos != (formats.Position{File: "in", Line: line, Index: index, Offset: int64(start)}) {
			t.Fatalf("%.60q: record %d has position %+v; line is %d, index %d, offset %d", input, len(recs), rec.Pos, line, index, start)
		}
		if !rec.FramingOnly() {
			index++
		}
		recs = append(recs, rec)
	}
	if got.String() != input {
		t.Fatalf("records hold %q, input is %q", got.String(), input)
	}
	if _, err := src.Next(t.Context()); err != io.EOF {
		t.Fatalf("%.60q: behind the end: %v", input, err)
	}
	return src, recs
}

// describe is a record's payload, with its fault's code in front.
func describe(recs []formats.Record) []string {
	out := []string{}
	for _, r := range recs {
		switch {
		case r.FramingOnly():
		case r.Fault != nil:
			out = append(out, "!"+r.Fault.Code+" "+string(r.Raw))
		default:
			out = append(out, string(r.Raw))
		}
	}
	return out
}

var big = `{"a":"` + strings.Repeat("x", 3<<20) + `"}`

var cases = []struct {
	name, in string
	framing  Framing
	want     []string
}{
	{"empty", "", Lines, []string{}},
	{"blank", " \r\n\n\t", Lines, []string{}},
	{"only a byte order mark", "\xef\xbb\xbf", Lines, []string{}},
	{"one line", "{\"a\":1}\n", Lines, []string{`{"a":1}`}},
	{"no final newline", `{"a":1}`, Lines, []string{`{"a":1}`}},
	{"CRLF, byte order mark, blank lines", "\xef\xbb\xbf\r\n{\"a\":1}\r\n\r\n  {\"b\":2} \r\n\r\n", Lines, []string{`{"a":1}`, `{"b":2}`}},
	{"a long line", big + "\n" + `{"b":2}`, Lines, []string{big, `{"b":2}`}},
	{"a long line last", `{"b":2}` + "\n" + big, Lines, []string{`{"b":2}`, big}},
	{"malformed later line", "{\"a\":1}\n{\"b\":\n{\"c\":3}\n", Lines, []string{`{"a":1}`, `{"b":`, `{"c":3}`}},
	{"malformed first line: cut", "{\"a\":\n{\"b\":2}\n{\"c\":3}\n", Lines, []string{`{"a":`, `{"b":2}`, `{"c":3}`}},
	{"malformed first line: string", "{\"a\":\"x\n{\"b\":2}\n", Lines, []string{`{"a":"x`, `{"b":2}`}},
	{"malformed first line: brackets", "{\"a\":[1}\n{\"b\":2}\n", Lines, []string{`{"a":[1}`, `{"b":2}`}},
	{"malformed first line: too much", "{\"a\":1}}\n{\"b\":2}\n", Lines, []string{`{"a":1}}`, `{"b":2}`}},
	{"malformed first line: cut array", "[{\"role\":\"user\"\n[{\"role\":\"user\"}]\n", Lines, []string{`[{"role":"user"`, `[{"role":"user"}]`}},
	{"malformed only line", `{"a":[1`, Lines, []string{`{"a":[1`}},
	{"comma after every line", "{\"a\":1},\n{\"b\":2},\n", Lines, []string{`{"a":1},`, `{"b":2},`}},
	{"text", "hello\nworld\n", Lines, []string{"hello", "world"}},
	{"scalars", "1\n\"two\"\nnull\n", Lines, []string{"1", `"two"`, "null"}},
	{"a stray NUL", "{\"a\":1}\n\x00\n{\"b\":2}\n", Lines, []string{`{"a":1}`, "\x00", `{"b":2}`}},
	{"arrays, one a line", "[1]\n[2]\n", Lines, []string{"[1]", "[2]"}},
	{"array, then a malformed line", "[1]\n[2\n", Lines, []string{"[1]", "[2"}},
	{"array of messages on one line", `[{"role":"user","content":"x"},{"role":"assistant"}]`, Lines, []string{`[{"role":"user","content":"x"},{"role":"assistant"}]`}},
	{"array of ShareGPT turns", `[ { "from" : "human","value":"x"}]` + "\n", Lines, []string{`[ { "from" : "human","value":"x"}]`}},
	{"array of Responses items", `[{"type":"function_call","name":"f"}]`, Lines, []string{`[{"type":"function_call","name":"f"}]`}},

	{"array on one line", `[{"a":1}, {"b":[2,"],["]},3]` + "\n", Array, []string{`{"a":1}`, `{"b":[2,"],["]}`, "3"}},
	{"array of rows with a role", `[{"role":"x","messages":[{"role":"user"}]}]`, Array, []string{`{"role":"x","messages":[{"role":"user"}]}`}},
	{"empty array", " [ ] \n", Array, []string{}},
	{"array, pretty", "[\n  {\n    \"a\": [\n      1\n    ]\n  },\n  {}\n]\n", Array, []string{"{\n    \"a\": [\n      1\n    ]\n  }", "{}"}},
	{"array of lines", "\xef\xbb\xbf[\r\n{\"a\":1},\r\n{\"b\":2}\r\n]", Array, []string{`{"a":1}`, `{"b":2}`}},
	{"array of one line elements, first on the bracket's line", "[{\"a\":1},\n{\"b\":2}]", Array, []string{`{"a":1}`, `{"b":2}`}},
	{"escapes in strings", `["\"","\\",["\\\"]"],"\\\\"]`, Array, []string{`"\""`, `"\\"`, `["\\\"]"]`, `"\\\\"`}},
	{"long element", "[" + big + ",\n{}]", Array, []string{big, "{}"}},
	{"two arrays, pretty", "[\n1,\n2\n]\n[\n3\n]\n", Array, []string{"1", "2", "3"}},
	{"array, cut off in an element", "[\n{\"a\":1},\n{\"b\":", Array, []string{`{"a":1}`, `!truncated {"b":`}},
	{"array, cut off in a string", "[\n{\"a\":1},\n{\"b\":\"x", Array, []string{`{"a":1}`, `!truncated {"b":"x`}},
	{"array, cut off between elements", "[\n{\"a\":1},\n", Array, []string{`{"a":1}`, "!truncated "}},
	{"array, not closed", "[\n{\"a\":1}\n", Array, []string{`{"a":1}`, "!truncated "}},
	{"array, trailing comma", "[\n{\"a\":1},\n]\n", Array, []string{`{"a":1}`, "!syntax "}},
	{"array, missing comma", "[\n{\"a\":1}\n{\"b\":2}\n]", Array, []string{`{"a":1}`, `!syntax {"b":2}`}},
	{"array, empty elements", "[\n,1,,2]", Array, []string{"!syntax ", "1", "!syntax ", "2"}},
	{"array, unbalanced element between good ones", "[\n  {\"a\": 1},\n  {\"b\": [2},\n  {\"c\": 3}\n]\n", Array,
		[]string{`{"a": 1}`, `!syntax {"b": [2},`, `{"c": 3}`}},
	{"array, unclosed element between good ones", "[\n  {\"a\": 1},\n  {\"b\": {\"x\": 2},\n  {\"c\": 3}\n]\n", Array,
		[]string{`{"a": 1}`, `!truncated {"b": {"x": 2},`, `{"c": 3}`}},
	{"array, last element unbalanced", "[\n  {\"a\": 1},\n  {\"b\": [2}\n]\n", Array, []string{`{"a": 1}`, `!syntax {"b": [2}`}},
	{"array, first element broken", "[\n  {\"a\": \"1},\n  {\"b\": 2}\n]\n", Array, []string{`!syntax {"a": "1},`, `{"b": 2}`}},
	{"array on one line, unbalanced element", `[{"task":1}, {"task":[2}, {"task":3}]`, Array,
		[]string{`{"task":1}`, `!syntax {"task":[2}, `, `{"task":3}`}},
	{"array, garbage behind it", "[\n1\n]\nxx\n{}\n", Array, []string{"1", "!syntax xx", "!syntax {}"}},
	{"array, stray bracket", "[\n{\"a\":1}},\n{\"b\":2}\n]", Array, []string{`{"a":1}`, "!syntax },", `{"b":2}`}},

	{"pretty object", "{\n  \"a\": 1\n}\n", Values, []string{"{\n  \"a\": 1\n}"}},
	{"pretty objects", "{\n  \"a\": 1\n}\n{\n  \"b\": 2\n}", Values, []string{"{\n  \"a\": 1\n}", "{\n  \"b\": 2\n}"}},
	{"half pretty object", "{\"messages\": [\n  {\"role\":\"user\"},\n  {\"role\":\"x\"}\n]}\n", Values,
		[]string{"{\"messages\": [\n  {\"role\":\"user\"},\n  {\"role\":\"x\"}\n]}"}},
	{"values on one line", `{"a":1}{"b":2} {"c":3}` + "\n", Values, []string{`{"a":1}`, `{"b":2}`, `{"c":3}`}},
	{"pretty array of messages", "[\n  {\"role\": \"user\"},\n  {\"role\": \"x\"}\n]\n", Values,
		[]string{"[\n  {\"role\": \"user\"},\n  {\"role\": \"x\"}\n]"}},
	{"pretty object, cut off", "{\n  \"a\": [\n    1,\n", Values, []string{"!truncated {\n  \"a\": [\n    1,\n"}},
	{"pretty objects, first one unclosed", "{\n  \"a\": [\n    1\n}\n{\n  \"b\": 2\n}\n", Values,
		[]string{"!syntax {\n  \"a\": [\n    1\n}", "{\n  \"b\": 2\n}"}},
	{"pretty objects, first one cut", "{\n  \"a\": {\n    \"b\": 1\n{\n  \"b\": 2\n}\n", Values,
		[]string{"!truncated {\n  \"a\": {\n    \"b\": 1", "{\n  \"b\": 2\n}"}},
}

func TestFramings(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			src, recs := readAll(t, strings.NewReader(tt.in), tt.in, Options{})
			if src.Framing() != tt.framing {
				t.Errorf("told as %s (%s), should be %s", src.Framing(), src.Why(), tt.framing)
			}
			if got := describe(recs); !slices.Equal(got, tt.want) {
				t.Errorf("records are\n%.300q\nshould be\n%.300q", got, tt.want)
			}
			if src.Why() == "" {
				t.Error("does not say why")
			}
			var out buffer
			sink := NewSink(&out, src.Framing())
			for _, rec := range recs {
				if err := sink.Write(rec, rec.Raw); err != nil {
					t.Fatal(err)
				}
			}
			if err := sink.Close(); err != nil {
				t.Fatal(err)
			}
			if out.String() != tt.in {
				t.Errorf("written unchanged: %.200q", out.String())
			}
		})
	}
}

// How the stream is cut into reads must not show.
func TestReadSizesDoNotMatter(t *testing.T) {
	for _, tt := range cases {
		if len(tt.in) > 1000 {
			continue
		}
		_, want := readAll(t, strings.NewReader(tt.in), tt.in, Options{Framing: tt.framing})
		for name, r := range map[string]io.Reader{
			"one byte":     iotest.OneByteReader(strings.NewReader(tt.in)),
			"half":         iotest.HalfReader(strings.NewReader(tt.in)),
			"data and EOF": iotest.DataErrReader(strings.NewReader(tt.in)),
		} {
			_, got := readAll(t, r, tt.in, Options{Framing: tt.framing})
			if !slices.Equal(describe(got), describe(want)) {
				t.Errorf("%s, %s: %q, not %q", tt.name, name, describe(got), describe(want))
			}
		}
	}
}

func TestFaultsHaveAddresses(t *testing.T) {
	in := "[\n  {\"a\": 1},\n  {\"b\": [2},\n  {\"c\": 3}\n]\n"
	_, recs := readAll(t, strings.NewReader(in), in, Options{})
	f := recs[1].Fault
	if got := f.Error(); got != "in:3:9: unexpected '}'" {
		t.Errorf("fault reads %q", got)
	}
	if f.Stage != formats.StageRead || f.Excerpt != `{"b": [2},` || f.Caret != 8 {
		t.Errorf("stage %s, excerpt %q, caret %d", f.Stage, f.Excerpt, f.Caret)
	}
}

func TestRefused(t *testing.T) {
	wide := func(order string) string {
		var b strings.Builder
		for _, r := range "{\"role\": \"user\"}\n" {
			if order == "LE" {
				b.WriteString(string(r) + "\x00")
			} else {
				b.WriteString("\x00" + string(r))
			}
		}
		return b.String()
	}
	for _, tt := range []struct{ name, in, message, hint string }{
		{"UTF-16 with a mark", "\xff\xfe" + wide("LE"), "UTF-16", "iconv -f UTF-16 "},
		{"UTF-16BE with a mark", "\xfe\xff" + wide("BE"), "UTF-16", "iconv -f UTF-16 "},
		{"UTF-16LE", wide("LE"), "UTF-16LE", "iconv -f UTF-16LE "},
		{"UTF-16BE", wide("BE"), "UTF-16BE", "iconv -f UTF-16BE "},
		{"UTF-32", "\xff\xfe\x00\x00{\x00\x00\x00", "UTF-32", "iconv"},
		{"binary", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 50), "binary", "file FILE"},
	} {
		_, err := NewSource(strings.NewReader(tt.in), "in", Options{})
		if err == nil || !strings.Contains(err.Error(), tt.message) || !strings.Contains(formats.HintOf(err), tt.hint) {
			t.Errorf("%s: %v, hint %q", tt.name, err, formats.HintOf(err))
		}
		if err != nil && !strings.HasPrefix(err.Error(), "in: ") {
			t.Errorf("%s: no address: %v", tt.name, err)
		}
	}
	if _, err := NewSource(strings.NewReader(""), "in", Options{Framing: "yaml"}); err == nil {
		t.Error("an unknown framing is accepted")
	}
}

func TestReadErrorsComeBehindTheRecordsBefore(t *testing.T) {
	disk := errors.New("input/output error")
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"{\"a\":1}\n{\"b\":2}\n{\"c\"", []string{`{"a":1}`, `{"b":2}`}},
		{"[\n1,\n{\"b\":2},\n{\"c\"", []string{"1", `{"b":2}`}},
		{"{\n\"a\":1}\n{\n\"c\"", []string{"{\n\"a\":1}"}},
		{"", []string{}},
	} {
		src, err := NewSource(io.MultiReader(strings.NewReader(tt.in), iotest.ErrReader(disk)), "in", Options{})
		if err != nil {
			t.Fatal(err)
		}
		var recs []formats.Record
		for {
			rec, err := src.Next(t.Context())
			if err != nil {
				if !errors.Is(err, disk) || !strings.HasPrefix(err.Error(), "in:") {
					t.Errorf("%q: %v", tt.in, err)
				}
				break
			}
			recs = append(recs, rec)
		}
		if got := describe(recs); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q", tt.in, got)
		}
	}
}

type noProgress struct{}

func (noProgress) Read([]byte) (int, error) { return 0, nil }

func TestReaderWithoutProgress(t *testing.T) {
	src, err := NewSource(noProgress{}, "in", Options{})
	if err == nil {
		_, err = src.Next(t.Context())
	}
	if !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	src, err := NewSource(strings.NewReader("1\n2\n"), "in", Options{})
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := src.Next(ctx); !errors.Is(err, cause) {
		t.Error(err)
	}
}

// Broken input is cut into pieces that fit into memory.
func TestBrokenInputIsBounded(t *testing.T) {
	element := "\n  {\"a\": [1, 2, 3]},"
	unclosed := "[" + element + "\n  {\"b\": {}," + strings.Repeat(element, 3<<20/len(element)) + "\n  {}\n]\n"
	src, recs := readAll(t, strings.NewReader(unclosed), unclosed, Options{})
	if src.Framing() != Array {
		t.Fatal(src.Framing())
	}
	faults := 0
	for _, r := range recs {
		if r.Fault != nil {
			faults++
		}
	}
	if faults != 1 {
		t.Errorf("one unclosed element costs %d records", faults)
	}

	oneLine := `[[1],[2},` + strings.Repeat("[3],", 3<<18) + `[4]]`
	_, recs = readAll(t, strings.NewReader(oneLine), oneLine, Options{})
	for _, r := range recs {
		if r.Size() > maxJunk+10 {
			t.Errorf("a record of %d bytes", r.Size())
		}
	}

	many := "[" + strings.Repeat("\n  {\"b\": {},", 20_000) + "\n  {}\n]\n"
	_, recs = readAll(t, strings.NewReader(many), many, Options{})
	if len(recs) < 20_000 {
		t.Errorf("%d records", len(recs))
	}
	blank := strings.Repeat(" \n", 100_000) + "{}\n"
	_, recs = readAll(t, strings.NewReader(blank), blank, Options{})
	for _, r := range recs {
		if r.Size() > 2*maxFraming {
			t.Errorf("a framing of %d bytes", r.Size())
		}
	}
}

func TestRecordsAreIndependent(t *testing.T) {
	in := "{\"a\":1}\n" + big + "\n{\"b\":2}\n{\"c\":3}"
	_, recs := readAll(t, strings.NewReader(in), in, Options{})
	for i := range recs {
		r := &recs[i]
		if cap(r.Lead) > len(r.Lead) || cap(r.Raw) > len(r.Raw) {
			t.Errorf("record %d: an append would write into its neighbour", i)
		}
	}
}

type buffer struct {
	bytes.Buffer
	closed int
}

func (b *buffer) Close() error { b.closed++; return nil }

// skipSome writes the records of in but for those that skip names.
func skipSome(t testing.TB, in string, opts Options, skip func(i int) bool) (out string, kept []string) {
	t.Helper()
	src, recs := readAll(t, strings.NewReader(in), in, opts)
	var b buffer
	sink := NewSink(&b, src.Framing())
	i := 0
	for _, rec := range recs {
		var err error
		switch {
		case rec.FramingOnly():
			err = sink.Write(rec, rec.Raw)
		case skip(i):
			err = sink.Skip(rec)
			i++
		default:
			err = sink.Write(rec, rec.Raw)
			kept = append(kept, string(rec.Raw))
			i++
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	if b.closed != 1 {
		t.Errorf("writer closed %d times", b.closed)
	}
	return b.String(), kept
}

func checkArray(t testing.TB, in, out string, kept []string) {
	t.Helper()
	var got []json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix([]byte(out), byteOrderMark), &got); err != nil {
		t.Fatalf("%q became %q: %v", in, out, err)
	}
	if len(got) != len(kept) {
		t.Fatalf("%q became %q: %d elements, kept %d", in, out, len(got), len(kept))
	}
	for i := range got {
		if string(got[i]) != kept[i] {
			t.Fatalf("%q became %q: element %d is %s, not %s", in, out, i, got[i], kept[i])
		}
	}
}

func TestSkipElements(t *testing.T) {
	wide := strings.Repeat(" ", maxFraming+10)
	for _, in := range []string{
		"[1,2,3,4]", "[ 1 , 2 , 3 , 4 ]\n", "[\n  1,\n  2,\n  3,\n  4\n]\n", "\xef\xbb\xbf [1,\r\n2,3,4]\r\n",
		"[" + wide + "1" + wide + "," + wide + "2,3" + wide + ",4" + wide + "]" + wide,
	} {
		for mask := range 16 {
			out, kept := skipSome(t, in, Options{Framing: Array}, func(i int) bool { return mask>>i&1 == 1 })
			checkArray(t, in, out, kept)
			if mask == 0 && out != in {
				t.Errorf("%.50q written unchanged is %.50q", in, out)
			}
		}
	}
	if out, _ := skipSome(t, "[\n  1,\n  2,\n  3\n]\n", Options{}, func(i int) bool { return i == 1 }); out != "[\n  1,\n  3\n]\n" {
		t.Errorf("without the middle: %q", out)
	}
	if out, _ := skipSome(t, "[\n  1,\n  2,\n  3\n]\n", Options{}, func(i int) bool { return i == 0 }); out != "[\n  2,\n  3\n]\n" {
		t.Errorf("without the first: %q", out)
	}
}

// Leaving broken elements out of an array leaves valid JSON.
func TestSkipFaults(t *testing.T) {
	for _, tt := range cases {
		if tt.framing != Array || strings.Contains(tt.name, "two arrays") {
			continue
		}
		_, recs := readAll(t, strings.NewReader(tt.in), tt.in, Options{Framing: Array})
		var faulty []bool
		for _, r := range recs {
			if !r.FramingOnly() {
				faulty = append(faulty, r.Fault != nil)
			}
		}
		out, kept := skipSome(t, tt.in, Options{Framing: Array}, func(i int) bool { return faulty[i] })
		checkArray(t, tt.in, out, kept)
	}
}

func TestSkipLines(t *testing.T) {
	for _, tt := range []struct {
		in   string
		skip int
		want string
	}{
		{"{}\n[]\n1\n", 1, "{}\n1\n"},
		{"{}\n[]\n1", 2, "{}\n[]\n"},
		{"\xef\xbb\xbf{}\r\n\r\n  []\r\n1\r\n", 0, "\xef\xbb\xbf\r\n  []\r\n1\r\n"},
		{"\xef\xbb\xbf{}\r\n\r\n  []\r\n1\r\n", 1, "\xef\xbb\xbf{}\r\n\r\n1\r\n"},
		{"{\n}\n{\n\"a\":1\n}\n{\n}\n", 1, "{\n}\n{\n}\n"},
	} {
		if out, _ := skipSome(t, tt.in, Options{}, func(i int) bool { return i == tt.skip }); out != tt.want {
			t.Errorf("%q without %d is %q, should be %q", tt.in, tt.skip, out, tt.want)
		}
	}
}

func TestSinkRefusesLineBreaksInLines(t *testing.T) {
	sink := NewSink(&buffer{}, Lines)
	if err := sink.Write(formats.Record{Raw: []byte("{}")}, []byte("{\n}")); err == nil {
		t.Error("a payload of two lines was written into a file of lines")
	}
}

func TestChangedPayloads(t *testing.T) {
	var b buffer
	_, recs := readAll(t, strings.NewReader("[\n {},\n {}\n]"), "[\n {},\n {}\n]", Options{})
	sink := NewSink(&b, Array)
	for _, r := range recs {
		payload := r.Raw
		if !r.FramingOnly() {
			payload = fmt.Appendf(nil, "<%d>", r.Pos.Index)
		}
		if err := sink.Write(r, payload); err != nil {
			t.Fatal(err)
		}
	}
	if b.String() != "[\n <0>,\n <1>\n]" {
		t.Errorf("%q", b.String())
	}
}

// value generates JSON, spelled with white space of all kinds.
func value(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", "", " ", "\n  ", "\r\n\t"})
		leaf := rapid.SampledFrom([]string{"1", "-2.5e3", "true", "null", `""`, `"a\"]}[{,"`, `"\\"`, `"ü\ud83d"`, `"role"`})
		kind := rapid.IntRange(0, 2).Draw(t, "kind")
		if depth == 0 || kind == 0 {
			return leaf.Draw(t, "leaf")
		}
		var b strings.Builder
		brackets := "[]"
		if kind == 2 {
			brackets = "{}"
		}
		b.WriteByte(brackets[0])
		for i := range rapid.IntRange(0, 3).Draw(t, "n") {
			if i > 0 {
				b.WriteString(space.Draw(t, "s") + ",")
			}
			b.WriteString(space.Draw(t, "s"))
			if kind == 2 {
				b.WriteString(`"k":` + space.Draw(t, "s"))
			}
			b.WriteString(value(depth-1).Draw(t, "v"))
		}
		b.WriteString(space.Draw(t, "s"))
		b.WriteByte(brackets[1])
		return b.String()
	})
}

func TestSkippingAnySubset(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		space := rapid.SampledFrom([]string{"", " ", "\n", "\r\n  "})
		elements := rapid.SliceOfN(value(3), 0, 6).Draw(rt, "elements")
		in := space.Draw(rt, "s") + "[" + space.Draw(rt, "s")
		for i, e := range elements {
			if i > 0 {
				in += space.Draw(rt, "s") + "," + space.Draw(rt, "s")
			}
			in += e
		}
		in += space.Draw(rt, "s") + "]" + space.Draw(rt, "s")
		skip := rapid.SliceOfN(rapid.Bool(), len(elements), len(elements)).Draw(rt, "skip")
		out, kept := skipSome(t, in, Options{Framing: Array}, func(i int) bool { return skip[i] })
		checkArray(t, in, out, kept)
		var want []string
		for i, e := range elements {
			if !skip[i] {
				want = append(want, e)
			}
		}
		if !slices.Equal(kept, want) {
			t.Fatalf("%q: kept %q, should be %q", in, kept, want)
		}
	})
}

// FuzzSource: whatever the bytes, the records hold exactly them, positions are right, and reading ends.
func FuzzSource(f *testing.F) {
	for _, tt := range cases {
		if len(tt.in) < 1000 {
			f.Add([]byte(tt.in), uint8(0))
			f.Add([]byte(tt.in), uint8(1))
			f.Add([]byte(tt.in), uint8(2))
			f.Add([]byte(tt.in), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, mode uint8) {
		opts := Options{Framing: []Framing{"", Lines, Array, Values}[mode%4]}
		if _, err := NewSource(bytes.NewReader(data), "in", opts); err != nil {
			return
		}
		src, recs := readAll(t, bytes.NewReader(data), string(data), opts)
		_, again := readAll(t, iotest.OneByteReader(bytes.NewReader(data)), string(data), opts)
		if !slices.Equal(describe(recs), describe(again)) {
			t.Fatalf("%q: read in one piece %q, byte by byte %q", data, describe(recs), describe(again))
		}
		out, _ := skipSome(t, string(data), opts, func(int) bool { return false })
		if out != string(data) {
			t.Fatalf("%s: %q written unchanged is %q", src.Framing(), data, out)
		}
		if src.Framing() == Array && json.Valid(bytes.TrimPrefix(data, byteOrderMark)) && bytes.Contains(data, []byte("[")) {
			for skip := range 6 {
				out, kept := skipSome(t, string(data), opts, func(i int) bool { return skip == 5 || i%5 == skip })
				if data[bytes.IndexAny(data, "[{\"")] == '[' {
					checkArray(t, string(data), out, kept)
				}
			}
		}
	})
}

func TestSharedData(t *testing.T) {
	files, err := filepath.Glob("../../../shared/data/*/*")
	if err != nil || len(files) == 0 {
		t.Skip("no shared data beside the project")
	}
	for _, file := range files {
		ext := filepath.Ext(file)
		if ext != ".json" && ext != ".jsonl" && ext != ".traj" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src, recs := readAll(t, bytes.NewReader(data), string(data), Options{})
		payloads := 0
		for _, r := range recs {
			if r.Fault != nil {
				t.Errorf("%s: %v", file, r.Fault)
			}
			if !r.FramingOnly() {
				payloads++
				if !json.Valid(r.Raw) {
					t.Errorf("%s: record %v is not a JSON value", file, r.Pos)
				}
			}
		}
		t.Logf("%s: %s (%s), %d records", filepath.Base(file), src.Framing(), src.Why(), payloads)
	}
}

// A session log is one record, framing aside.
func TestSessionFraming(t *testing.T) {
	const text = "\xef\xbb\xbf\n{\"a\":1}\n\n{\"b\":2}\r\n"
	s, err := NewSource(strings.NewReader(text), "s.jsonl", Options{IsSession: func(peek []byte) bool { return string(peek) == text }})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := s.Next(context.Background())
	if err != nil || !rec.Session || string(rec.Raw) != "{\"a\":1}\n\n{\"b\":2}" || string(rec.Trail) != "\r\n" || rec.Pos.Line != 2 {
		t.Errorf("record %+v, %v", rec, err)
	}
	if _, err := s.Next(context.Background()); err != io.EOF {
		t.Errorf("then %v", err)
	}
	if s, _ = NewSource(strings.NewReader(text), "s.jsonl", Options{IsSession: func([]byte) bool { return false }}); s.Framing() != Lines {
		t.Errorf("framing %s", s.Framing())
	}
}

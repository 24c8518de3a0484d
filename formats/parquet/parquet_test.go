package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/ctxpack/ctxpack/formats"
)

// listNamed is a list whose inner levels have other names than the standard's.
type listNamed struct{ pq.Group }

func (listNamed) Type() pq.Type { return pq.List(pq.String()).Type() }

// level is a value of a test's row: rep, def, column, value (nil is null).
type level struct {
	rep, def, column int
	value            any
}

func rowOf(levels ...level) pq.Row {
	var row pq.Row
	for _, l := range levels {
		v := pq.NullValue()
		if l.value != nil {
			v = pq.ValueOf(l.value)
		}
		row = append(row, v.Level(l.rep, l.def, l.column))
	}
	return row
}

func fileOf(t testing.TB, root pq.Node, rows []pq.Row, opts ...pq.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewWriter(&b, append([]pq.WriterOption{pq.NewSchema("schema", root)}, opts...)...)
	for _, row := range rows {
		if _, err := w.WriteRows([]pq.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, data []byte, opts Options) *Source {
	t.Helper()
	s, err := Open(bytes.NewReader(data), int64(len(data)), "a.parquet", opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func all(t testing.TB, s *Source) []formats.Record {
	t.Helper()
	var list []formats.Record
	for {
		rec, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, rec)
	}
}

// rewrite copies a file; change gives the payload of each record.
func rewrite(t testing.TB, data []byte, opts Options, change func(i int, rec formats.Record) []byte) []byte {
	t.Helper()
	src := open(t, data, opts)
	var b bytes.Buffer
	k, err := NewSink(&b, src)
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range all(t, src) {
		if err := k.Write(rec, change(i, rec)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(src.Close(), k.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rowsOf reads every value of a file.
func rowsOf(t testing.TB, data []byte) []pq.Row {
	t.Helper()
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var list []pq.Row
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		for buffer := make([]pq.Row, 1); ; {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				list = append(list, row.Clone())
			}
			if err != nil {
				break
			}
		}
		_ = rows.Close()
	}
	return list
}

func sameRows(t testing.TB, got, want []pq.Row) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("row %d:\n got %+v\nwant %+v", i, got[i], want[i])
		}
		for k, w := range want[i] {
			g := got[i][k]
			if !pq.DeepEqual(g, w) || g.RepetitionLevel() != w.RepetitionLevel() || g.DefinitionLevel() != w.DefinitionLevel() || g.Column() != w.Column() {
				t.Errorf("row %d, value %d: got %+v, want %+v", i, k, g, w)
			}
		}
	}
}

func turn(fields pq.Group) pq.Node { return fields }

// The ways in which writers nest a list, by the rules of LogicalTypes.md, with the levels that follow from them.
var encodings = []struct {
	name string
	list func(element pq.Node) pq.Node
	// base is the definition level of a turn, step whether the turn itself may be null
	base int
}{
	{"list.element", func(e pq.Node) pq.Node { return pq.Optional(pq.List(pq.Optional(e))) }, 3},
	{"list.item", func(e pq.Node) pq.Node {
		return pq.Optional(listNamed{pq.Group{"list": pq.Repeated(pq.Group{"item": pq.Optional(e)})}})
	}, 3},
	{"bag.array_element", func(e pq.Node) pq.Node {
		return pq.Optional(listNamed{pq.Group{"bag": pq.Repeated(pq.Group{"array_element": pq.Optional(e)})}})
	}, 3},
	{"required element", func(e pq.Node) pq.Node { return pq.Optional(pq.List(e)) }, 2},
	{"required list", func(e pq.Node) pq.Node { return pq.List(pq.Optional(e)) }, 2},
	{"two levels, array", func(e pq.Node) pq.Node { return pq.Optional(listNamed{pq.Group{"array": pq.Repeated(e)}}) }, 2},
	{"two levels, tuple", func(e pq.Node) pq.Node { return pq.Optional(listNamed{pq.Group{"messages_tuple": pq.Repeated(e)}}) }, 2},
	{"repeated, without annotation", func(e pq.Node) pq.Node { return pq.Repeated(e) }, 1},
}

func TestListEncodings(t *testing.T) {
	for _, e := range encodings {
		t.Run(e.name, func(t *testing.T) {
			root := pq.Group{
				"id":       pq.Int(64),
				"messages": e.list(turn(pq.Group{"content": pq.Optional(pq.String()), "role": pq.String()})),
				"score":    pq.Optional(pq.Leaf(pq.DoubleType)),
			}
			b := e.base
			rows := []pq.Row{
				rowOf(level{0, 0, 0, int64(7)}, level{0, b + 1, 1, "hi"}, level{1, b, 1, nil}, level{1, b + 1, 1, "bye"},
					level{0, b, 2, "user"}, level{1, b, 2, "assistant"}, level{1, b, 2, "user"}, level{0, 1, 3, 0.5}),
				rowOf(level{0, 0, 0, int64(8)}, level{0, b + 1, 1, "one"}, level{0, b, 2, "user"}, level{0, 0, 3, nil}),
				rowOf(level{0, 0, 0, int64(9)}, level{0, 0, 1, nil}, level{0, 0, 2, nil}, level{0, 0, 3, nil}), // null, or empty where it must be there
			}
			data := fileOf(t, root, rows)
			src := open(t, data, Options{})
			records := all(t, src)
			want := []string{
				`{"messages":[{"content":"hi","role":"user"},{"role":"assistant"},{"content":"bye","role":"user"}]}`,
				`{"messages":[{"content":"one","role":"user"}]}`, ``,
			}
			if strings.HasPrefix(e.name, "required list") || strings.HasPrefix(e.name, "repeated") {
				want[2] = `{"messages":[]}`
			}
			for i, rec := range records {
				if string(rec.Raw) != want[i] {
					t.Errorf("row %d: got %s, want %s", i, rec.Raw, want[i])
				}
			}
			sameRows(t, rowsOf(t, rewrite(t, data, Options{}, func(_ int, rec formats.Record) []byte { return rec.Raw })), rows)

			// A new turn in front, the second one dropped, the last one changed.
			changed := rewrite(t, data, Options{}, func(i int, rec formats.Record) []byte {
				if i > 0 {
					return rec.Raw
				}
				return []byte(`{"messages": [ {"role":"system","content":"new","weight":0}, {"content":"hi","role":"user"},{"content":"later","role":"user"}]}`)
			})
			rows[0] = rowOf(level{0, 0, 0, int64(7)}, level{0, b + 1, 1, "new"}, level{1, b + 1, 1, "hi"}, level{1, b + 1, 1, "later"},
				level{0, b, 2, "system"}, level{1, b, 2, "user"}, level{1, b, 2, "user"}, level{0, 1, 3, 0.5})
			sameRows(t, rowsOf(t, changed), rows)
		})
	}
}

// Calls inside turns, and values that JSON has no spelling for, keep their values in turns that did not change.
func TestNestedCalls(t *testing.T) {
	call := pq.Group{"function": pq.Optional(pq.Group{"arguments": pq.Optional(pq.String()), "name": pq.Optional(pq.String())}), "id": pq.Optional(pq.String())}
	root := pq.Group{"messages": pq.Optional(pq.List(pq.Optional(pq.Group{
		"content": pq.Optional(pq.String()), "role": pq.Optional(pq.String()), "tool_calls": pq.Optional(pq.List(pq.Optional(call))),
		"weight": pq.Optional(pq.Leaf(pq.DoubleType)),
	})))}
	// columns: content 0, role 1, tool_calls: arguments 2, name 3, id 4, weight 5
	row := rowOf(
		level{0, 4, 0, "go \xff"}, level{1, 3, 0, nil}, level{1, 3, 0, nil},
		level{0, 4, 1, "user"}, level{1, 4, 1, "assistant"}, level{1, 4, 1, "critic"},
		level{0, 3, 2, nil}, level{1, 8, 2, "{}"}, level{2, 7, 2, nil}, level{1, 4, 2, nil},
		level{0, 3, 3, nil}, level{1, 8, 3, "f"}, level{2, 8, 3, "g"}, level{1, 4, 3, nil},
		level{0, 3, 4, nil}, level{1, 7, 4, "c1"}, level{2, 6, 4, nil}, level{1, 4, 4, nil},
		level{0, 3, 5, nil}, level{1, 4, 5, 1.5}, level{1, 3, 5, nil},
	)
	data := fileOf(t, root, []pq.Row{row})
	rec := all(t, open(t, data, Options{}))[0]
	want := `{"messages":[{"content":"base64:Z28g/w==","role":"user"},{"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c1"},{"function":{"name":"g"}}],"weight":1.5},{"role":"critic","tool_calls":[]}]}`
	if string(rec.Raw) != want {
		t.Errorf("got  %s\nwant %s", rec.Raw, want)
	}
	same := rewrite(t, data, Options{}, func(int, formats.Record) []byte {
		return []byte(strings.Replace(want, `"role":"critic"`, `"role":"judge"`, 1))
	})
	again := rowsOf(t, same)[0]
	row[5] = pq.ValueOf("judge").Level(1, 4, 1)
	sameRows(t, []pq.Row{again}, []pq.Row{row})
	// Everything spelled anew, from JSON alone.
	spaced := strings.ReplaceAll(want, `"role"`, ` "role"`)
	sameRows(t, rowsOf(t, rewrite(t, data, Options{}, func(int, formats.Record) []byte { return []byte(strings.Replace(spaced, "critic", "judge", 1)) })), []pq.Row{row})
}

func TestStructOfLists(t *testing.T) {
	list := pq.Optional(pq.List(pq.Optional(pq.String())))
	root := pq.Group{"conversations": pq.Optional(pq.Group{"from": list, "value": list}), "n": pq.Int(32)}
	rows := []pq.Row{
		rowOf(level{0, 4, 0, "human"}, level{1, 4, 0, "gpt"}, level{0, 4, 1, "hi"}, level{1, 3, 1, nil}, level{0, 0, 2, int32(1)}),
		rowOf(level{0, 0, 0, nil}, level{0, 0, 1, nil}, level{0, 0, 2, int32(2)}),
		rowOf(level{0, 2, 0, nil}, level{0, 2, 1, nil}, level{0, 0, 2, int32(3)}),
	}
	data := fileOf(t, root, rows)
	records := all(t, open(t, data, Options{}))
	for i, want := range []string{`{"conversations":[{"from":"human","value":"hi"},{"from":"gpt"}]}`, "", `{"conversations":[]}`} {
		if string(records[i].Raw) != want {
			t.Errorf("row %d: got %s, want %s", i, records[i].Raw, want)
		}
	}
	out := rewrite(t, data, Options{}, func(i int, rec formats.Record) []byte {
		if i == 0 {
			return []byte(`{"conversations":[{"from":"human","value":"summary"},{"from":"gpt"},{"from":"human","value":"more"}]}`)
		}
		return rec.Raw
	})
	rows[0] = rowOf(level{0, 4, 0, "human"}, level{1, 4, 0, "gpt"}, level{1, 4, 0, "human"}, level{0, 4, 1, "summary"}, level{1, 3, 1, nil}, level{1, 4, 1, "more"}, level{0, 0, 2, int32(1)})
	sameRows(t, rowsOf(t, out), rows)
}

// A column of JSON text keeps its bytes, and is found by what it holds.
func TestTextColumn(t *testing.T) {
	root := pq.Group{"prompt": pq.Optional(pq.String()), "trajectory": pq.Optional(pq.JSON())}
	text := "[ {\"role\": \"user\",\t\"content\": 1e3}]\n"
	rows := []pq.Row{
		rowOf(level{0, 1, 0, "plain words"}, level{0, 0, 1, nil}),
		rowOf(level{0, 0, 0, nil}, level{0, 1, 1, text}),
	}
	data := fileOf(t, root, rows)
	src := open(t, data, Options{})
	if c := src.Columns(); len(c) != 1 || c[0] != "trajectory" {
		t.Fatalf("columns %v", c)
	}
	records := all(t, src)
	if !records[0].FramingOnly() || string(records[1].Raw) != text {
		t.Errorf("records %q, %q", records[0].Raw, records[1].Raw)
	}
	if src := open(t, data, Options{Column: "prompt"}); string(all(t, src)[0].Raw) != "plain words" {
		t.Errorf("--column is not obeyed")
	}
}

// Schema, metadata, compression, row groups and nulls stay as they are.
func TestFileIsKept(t *testing.T) {
	root := pq.Group{
		"at":       pq.Optional(pq.Timestamp(pq.Microsecond)),
		"blob":     pq.Compressed(pq.Optional(pq.Leaf(pq.ByteArrayType)), &pq.Gzip),
		"messages": pq.Optional(pq.List(pq.Optional(pq.Group{"content": pq.Compressed(pq.Optional(pq.String()), &pq.Zstd), "role": pq.Encoded(pq.Optional(pq.String()), &pq.RLEDictionary)}))),
		"n":        pq.Compressed(pq.Encoded(pq.Optional(pq.Uint(16)), &pq.DeltaBinaryPacked), &pq.Snappy),
	}
	var rows []pq.Row
	for i := range 250 {
		rows = append(rows, rowOf(level{0, i % 2, 0, map[bool]any{true: int64(i)}[i%2 == 1]}, level{0, 1, 1, "\x00\xff"},
			level{0, 4, 2, strings.Repeat("text ", i)}, level{0, 4, 3, "user"}, level{0, 1, 4, int32(i)}))
	}
	data := fileOf(t, root, rows, pq.MaxRowsPerRowGroup(100), pq.KeyValueMetadata("huggingface", `{"info":{}}`), pq.KeyValueMetadata("ARROW:schema", "x"))
	out := rewrite(t, data, Options{}, func(_ int, rec formats.Record) []byte { return rec.Raw })
	sameRows(t, rowsOf(t, out), rows)
	before, after := open(t, data, Options{}).file, open(t, out, Options{}).file
	if before.Schema().String() != after.Schema().String() {
		t.Errorf("schema\n%s\nbecame\n%s", before.Schema(), after.Schema())
	}
	for i, e := range before.Metadata().Schema {
		if got := after.Metadata().Schema[i]; !reflect.DeepEqual(got, e) {
			t.Errorf("element %d: %+v became %+v", i, e, got)
		}
	}
	for _, key := range []string{"huggingface", "ARROW:schema"} {
		want, _ := before.Lookup(key)
		if got, ok := after.Lookup(key); !ok || got != want {
			t.Errorf("metadata %s is %q, want %q", key, got, want)
		}
	}
	if len(after.RowGroups()) != 3 {
		t.Errorf("%d row groups", len(after.RowGroups()))
	}
	for i, g := range before.Metadata().RowGroups {
		for k, c := range g.Columns {
			if got := after.Metadata().RowGroups[i].Columns[k].MetaData.Codec; got != c.MetaData.Codec {
				t.Errorf("group %d, column %d: compression %s became %s", i, k, c.MetaData.Codec, got)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	text := fileOf(t, pq.Group{"a": pq.String(), "b": pq.Int(32)}, []pq.Row{rowOf(level{0, 0, 0, "x"}, level{0, 0, 1, int32(1)})})
	lz4 := fileOf(t, pq.Group{"messages": pq.Compressed(pq.String(), &pq.Lz4Raw)}, []pq.Row{rowOf(level{0, 0, 0, "[]"})})
	for _, test := range []struct {
		data           []byte
		column, err, h string
	}{
		{text, "", "no column holds conversations", "the columns are a, b; name one with --column"},
		{text, "c", "there is no column c", "the columns are a, b"},
		{text, "b", "the column b holds no conversation", ""},
		{lz4, "", "LZ4_RAW", "COMPRESSION zstd"},
		{text[:len(text)-9], "", "not a valid Parquet file", "cut off"},
		{[]byte("PAR1"), "", "too short", "cut off"},
		{append([]byte("PAR1"), make([]byte, 40)...), "", "not a valid Parquet file", ""},
	} {
		_, err := Open(bytes.NewReader(test.data), int64(len(test.data)), "a.parquet", Options{Column: test.column})
		if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(formats.HintOf(err), test.h) {
			t.Errorf("got %v (hint: %s), want %s (%s)", err, formats.HintOf(err), test.err, test.h)
		}
	}
}

func sample(t testing.TB) []byte {
	root := pq.Group{"id": pq.Int(64), "messages": pq.Optional(pq.List(pq.Optional(pq.Group{"content": pq.Optional(pq.String()), "role": pq.Optional(pq.String())})))}
	var rows []pq.Row
	for i := range 20 {
		rows = append(rows, rowOf(level{0, 0, 0, int64(i)}, level{0, 4, 1, "hi"}, level{1, 4, 1, "you"}, level{0, 4, 2, "user"}, level{1, 4, 2, "assistant"}))
	}
	return fileOf(t, root, rows, pq.MaxRowsPerRowGroup(8), pq.Compression(&pq.Snappy))
}

// Records of every shape come back from a new file as they went in, but for spacing and what the columns have no place for.
func TestCreateAndReadBack(t *testing.T) {
	for _, test := range []struct{ dialect, record, want string }{
		{"openai", `{"id":"a","reward":1.0,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],"weight":0}],"tools":[{"type":"function"}]}`,
			`{"messages":[{"content":"hi","role":"user"},{"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c","type":"function"}],"weight":0}],"reward":1.0,"id":"a","tools":[{"type":"function"}]}`},
		{"openai", `{"id":5,"messages":[],"metadata":{"x":1},"prompt":"p"}`, `{"messages":[],"id":5,"metadata":{"x":1},"prompt":"p"}`},
		{"openai", `{"session_id":"b","id":"a","messages":[]}`, `{"messages":[],"session_id":"b","id":"a"}`},
		{"openai", `{"session_id":"b","messages":[]}`, `{"messages":[],"session_id":"b"}`},
		{"hermes", `{"conversations":[{"from":"human","value":"é"}],"completed":true}`, `{"conversations":[{"from":"human","value":"é"}],"completed":true}`},
		{"sharegpt", `{"conversations":[],"tools":"[{\"name\": \"f\"}]"}`, `{"conversations":[],"tools":"[{\"name\": \"f\"}]"}`},
		{"sharegpt", `{"conversations":[],"tools":[{"name":"f"}],"n":1}`, `{"conversations":[],"tools":[{"name":"f"}],"n":1}`},
		{"openai", `{"messages":[],"tools":"[{\"name\": \"f\"}]"}`, `{"messages":[],"tools":"[{\"name\": \"f\"}]"}`},
		{"openai", `{"messages":[],"tools":null}`, `{"messages":[],"tools":null}`},
		{"anthropic", `{"system":"S","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"system":"S"}`},
		{"atif", `{"schema_version":"ATIF-v1.6","steps":[{"step_id":1,"source":"user","message":"m"}]}`,
			`{"steps":[{"step_id":1,"source":"user","message":"m"}],"schema_version":"ATIF-v1.6"}`},
	} {
		var b bytes.Buffer
		c, err := NewCreator(&b, test.dialect)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.Write(formats.Record{}, []byte(test.record)), c.Close()); err != nil {
			t.Fatal(err)
		}
		records := all(t, open(t, b.Bytes(), Options{Row: true}))
		if len(records) != 1 || string(records[0].Raw) != test.want || len(c.Lost()) > 0 {
			t.Errorf("%s, lost %v:\n got %s\nwant %s", test.dialect, c.Lost(), records[0].Raw, test.want)
		}
	}
}

// Parts in a column of text are its JSON: a change that is counted. Arguments are text for the API too.
func TestCreateCountsParts(t *testing.T) {
	c, err := NewCreator(&bytes.Buffer{}, "openai")
	if err != nil {
		t.Fatal(err)
	}
	record := `{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{}}}]}]}`
	if err := errors.Join(c.Write(formats.Record{}, []byte(record)), c.Close()); err != nil {
		t.Fatal(err)
	}
	if lost := c.Lost(); len(lost) != 1 || lost["messages[].content of parts, now JSON text"] != 1 {
		t.Errorf("lost %v", lost)
	}
}

// A text that is no JSON costs its own row, not the file.
func TestRowOfBrokenText(t *testing.T) {
	root := pq.Group{"id": pq.Leaf(pq.Int64Type), "messages": pq.Optional(pq.String())}
	var rows []pq.Row
	for i, text := range []string{`[{"role":"user","content":"a"}]`, "no JSON", `[]`} {
		rows = append(rows, pq.Row{pq.Int64Value(int64(i)).Level(0, 0, 0), pq.ByteArrayValue([]byte(text)).Level(0, 1, 1)})
	}
	records := all(t, open(t, fileOf(t, root, rows), Options{Row: true}))
	want := []string{`{"id":0,"messages":[{"role":"user","content":"a"}]}`, "no JSON", `{"id":2,"messages":[]}`}
	for i, r := range records {
		if string(r.Raw) != want[i] {
			t.Errorf("row %d: got %s", i, r.Raw)
		}
	}
	if len(records) != len(want) {
		t.Errorf("%d rows", len(records))
	}
}

// BenchmarkFile reads a whole file, and rewrites it with nothing changed and with every conversation changed; MB are
// those of the file.
func BenchmarkFile(b *testing.B) {
	root := pq.Group{"id": pq.Int(64), "messages": pq.Optional(pq.List(pq.Optional(pq.Group{"content": pq.Optional(pq.String()), "role": pq.Optional(pq.String())})))}
	var rows []pq.Row
	for i := range 400 {
		row := rowOf(level{0, 0, 0, int64(i)})
		var contents, roles []level
		for k := range 40 {
			contents = append(contents, level{min(k, 1), 4, 1, strings.Repeat(fmt.Sprintf("row %d turn %d says things ", i, k), 40)})
			roles = append(roles, level{min(k, 1), 4, 2, "user"})
		}
		rows = append(rows, append(append(row, rowOf(contents...)...), rowOf(roles...)...))
	}
	data := fileOf(b, root, rows)
	same := func(_ int, rec formats.Record) []byte { return rec.Raw }
	changed := func(_ int, rec formats.Record) []byte {
		return bytes.Replace(rec.Raw, []byte("says"), []byte("said"), 1)
	}
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			all(b, open(b, data, Options{}))
		}
	})
	for _, test := range []struct {
		name   string
		change func(int, formats.Record) []byte
	}{{"rewrite", same}, {"change", changed}} {
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				rewrite(b, data, Options{}, test.change)
			}
		})
	}
}

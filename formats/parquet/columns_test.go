package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/ctxpack/ctxpack/formats"
)

// listOfTurns is a column of conversations; content comes before role.
func listOfTurns() pq.Node {
	return pq.Optional(pq.List(pq.Optional(pq.Group{"content": pq.Optional(pq.String()), "role": pq.Optional(pq.String())})))
}

func texts() pq.Node  { return pq.Optional(pq.String()) }
func listed() pq.Node { return pq.Optional(pq.List(pq.Optional(pq.String()))) }

// nulls is one null for each leaf.
func nulls(t testing.TB, root pq.Node, values map[int]any) []byte {
	t.Helper()
	var row pq.Row
	for i, path := range pq.NewSchema("schema", root).Columns() {
		def := 0
		if values[i] != nil {
			leaf, _ := pq.NewSchema("schema", root).Lookup(path...)
			def = leaf.MaxDefinitionLevel
		}
		row = append(row, rowOf(level{0, def, i, values[i]})...)
	}
	return fileOf(t, root, []pq.Row{row})
}

// Which columns hold conversations, by name, shape and first value.
func TestFindColumns(t *testing.T) {
	const turns = `[{"role": "user", "content": "hi"}]`
	for _, test := range []struct {
		name   string
		root   pq.Group
		values map[int]any // of leaf columns, in the order of their names
		ask    string
		want   string // the columns, or part of an error
	}{
		{"one of the usual names", pq.Group{"conversations": listOfTurns(), "messages": listOfTurns()}, nil, "", "messages"},
		{"preference data", pq.Group{"chosen": listOfTurns(), "prompt": listOfTurns(), "rejected": listOfTurns()}, nil, "", "prompt, chosen, rejected"},
		{"preference data with a prompt in words", pq.Group{"chosen": listOfTurns(), "prompt": texts(), "rejected": listOfTurns()}, map[int]any{2: "[INST] hi"}, "", "chosen, rejected"},
		{"a prompt about JSON", pq.Group{"chosen": listOfTurns(), "prompt": texts()}, map[int]any{2: `[{"a": 1}]`}, "", "chosen"},
		{"preference data as JSON", pq.Group{"chosen": texts(), "prompt": texts(), "rejected": texts()}, map[int]any{0: turns, 1: "hi", 2: turns}, "", "chosen, rejected"},
		{"beside the messages", pq.Group{"chosen": listOfTurns(), "messages": listOfTurns(), "rejected": listOfTurns()}, nil, "", "messages, chosen, rejected"},
		{"words in place of preferences", pq.Group{"chosen": texts(), "messages": listOfTurns(), "rejected": texts()}, map[int]any{0: "yes", 3: "{no}"}, "", "messages"},
		{"by shape", pq.Group{"a": listOfTurns(), "b": listOfTurns(), "c": listed()}, nil, "", "a, b"},
		{"in a struct", pq.Group{"id": texts(), "sample": pq.Optional(pq.Group{"id": texts(), "messages": listOfTurns()})}, nil, "", "sample.messages"},
		{"in a struct, JSON", pq.Group{"sample": pq.Group{"messages": texts()}}, map[int]any{0: turns}, "", "sample.messages"},
		{"a name in a struct before a shape", pq.Group{"input": pq.Group{"messages": listOfTurns()}, "out": listOfTurns()}, nil, "", "input.messages"},
		{"in a struct, by shape", pq.Group{"sample": pq.Group{"said": listOfTurns()}}, nil, "", "sample.said"},
		{"two levels down", pq.Group{"a": pq.Group{"b": pq.Group{"messages": listOfTurns()}}}, nil, "", "no column holds conversations"},
		{"two levels down, named", pq.Group{"a": pq.Group{"b": pq.Group{"messages": listOfTurns()}}}, nil, "a.b.messages", "a.b.messages"},
		{"a list of JSON texts", pq.Group{"messages": listed()}, map[int]any{0: ` {"role": "user"}`}, "", "messages"},
		{"a list of words", pq.Group{"messages": listed()}, map[int]any{0: "hi"}, "", "no column holds conversations"},
		{"named", pq.Group{"a": listOfTurns(), "b": listOfTurns(), "c": listOfTurns()}, nil, " c,a, c", "c, a"},
		{"a name with a comma", pq.Group{"a": listOfTurns(), "a,b": listOfTurns(), "b": listOfTurns()}, nil, "a,b", "a,b"},
		{"a name with a dot", pq.Group{"a.b": listOfTurns(), "a": pq.Group{"c": texts()}}, nil, "a.b", "a.b"},
		{"one of them is not there", pq.Group{"a": listOfTurns()}, nil, "a,b", "there is no column b"},
		{"one of them is a number", pq.Group{"a": listOfTurns(), "b": pq.Optional(pq.Int(64))}, nil, "a,b", "the column b holds no conversation"},
		{"one in another", pq.Group{"a": pq.Optional(pq.Group{"role": listed(), "content": listed()})}, nil, "a,a.role", "parts of one another"},
	} {
		t.Run(test.name, func(t *testing.T) {
			data := nulls(t, test.root, test.values)
			src, err := Open(bytes.NewReader(data), int64(len(data)), "a.parquet", Options{Column: test.ask})
			got := fmt.Sprint(err)
			if err == nil {
				got = strings.Join(src.Columns(), ", ")
			}
			if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// pairs are rows of id, chosen and rejected: in the second, one is missing, in the third, both are.
func pairs(t testing.TB) ([]byte, []pq.Row) {
	root := pq.Group{"chosen": listOfTurns(), "id": pq.Int(64), "rejected": listOfTurns()}
	said := func(first int, texts ...string) (levels []level) {
		for i, text := range texts {
			levels = append(levels, level{min(i, 1), 4, first, text})
		}
		for i := range texts {
			levels = append(levels, level{min(i, 1), 4, first + 1, []string{"user", "assistant"}[i%2]})
		}
		return levels
	}
	rows := []pq.Row{
		rowOf(slices.Concat(said(0, "q", "good"), []level{{0, 0, 2, int64(1)}}, said(3, "q", "bad", "q2"))...),
		rowOf(slices.Concat(said(0, "only"), []level{{0, 0, 2, int64(2)}, {0, 0, 3, nil}, {0, 0, 4, nil}})...),
		rowOf(level{0, 0, 0, nil}, level{0, 0, 1, nil}, level{0, 0, 2, int64(3)}, level{0, 0, 3, nil}, level{0, 0, 4, nil}),
		rowOf(slices.Concat(said(0, "q", "good"), []level{{0, 0, 2, int64(4)}}, said(3, "q", "bad"))...),
	}
	return fileOf(t, root, rows, pq.MaxRowsPerRowGroup(2)), rows
}

// Each conversation of a row is a record with an address; the row is written once, with what changed in it.
func TestSeveralConversations(t *testing.T) {
	data, rows := pairs(t)
	records := all(t, open(t, data, Options{}))
	want := []string{
		`a.parquet[0].chosen 0 {"messages":[{"content":"q","role":"user"},{"content":"good","role":"assistant"}]}`,
		`a.parquet[0].rejected 1 {"messages":[{"content":"q","role":"user"},{"content":"bad","role":"assistant"},{"content":"q2","role":"user"}]}`,
		`a.parquet[1].chosen 2 {"messages":[{"content":"only","role":"user"}]}`, `a.parquet[1].rejected 3 `,
		`a.parquet[2].chosen 4 `, `a.parquet[2].rejected 5 `,
		`a.parquet[3].chosen 6 {"messages":[{"content":"q","role":"user"},{"content":"good","role":"assistant"}]}`,
		`a.parquet[3].rejected 7 {"messages":[{"content":"q","role":"user"},{"content":"bad","role":"assistant"}]}`,
	}
	for i, rec := range records {
		if got := fmt.Sprintf("%s %d %s", rec.Pos, rec.Pos.Index, rec.Raw); i >= len(want) || got != want[i] {
			t.Errorf("record %d: got %s", i, got)
		}
	}
	if len(records) != len(want) {
		t.Fatalf("%d records", len(records))
	}
	if records[0].Size() < records[1].Size() {
		t.Errorf("the first record of a row is to bear its bytes: %d, %d", records[0].Size(), records[1].Size())
	}
	same := func(_ int, rec formats.Record) []byte { return rec.Raw }
	sameRows(t, rowsOf(t, rewrite(t, data, Options{}, same)), rows)

	out := rewrite(t, data, Options{}, func(i int, rec formats.Record) []byte {
		return bytes.Replace(bytes.Replace(rec.Raw, []byte("bad"), []byte("worse"), 1), []byte("only"), []byte("one"), 1)
	})
	for _, row := range rows {
		for i, v := range row {
			switch {
			case v.Kind() == pq.ByteArray && v.String() == "bad":
				row[i] = pq.ValueOf("worse").Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
			case v.Kind() == pq.ByteArray && v.String() == "only":
				row[i] = pq.ValueOf("one").Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
			}
		}
	}
	sameRows(t, rowsOf(t, out), rows)
}

// A row leaves the output as a whole: when one of its conversations is skipped, and never half.
func TestSeveralConversationsSkipped(t *testing.T) {
	data, rows := pairs(t)
	src := open(t, data, Options{})
	var b bytes.Buffer
	k, err := NewSink(&b, src)
	if err != nil {
		t.Fatal(err)
	}
	if !k.WholeRows() {
		t.Error("the sink does not say that rows leave as a whole")
	}
	for i, rec := range all(t, src) {
		if i == 0 || i == 7 {
			err = k.Skip(rec)
		} else {
			err = k.Write(rec, bytes.Replace(rec.Raw, []byte("only"), []byte("one"), 1))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	rows[1][0] = pq.ValueOf("one").Level(0, 4, 0)
	sameRows(t, rowsOf(t, b.Bytes()), rows[1:3])

	src = open(t, data, Options{})
	records := all(t, src)
	if k, err = NewSink(io.Discard, src); err != nil {
		t.Fatal(err)
	}
	if err := k.Write(records[1], records[1].Raw); err == nil {
		t.Error("a row cannot begin with its second conversation")
	}
	if err := k.Write(records[0], records[0].Raw); err != nil {
		t.Fatal(err)
	}
	if err := k.Write(records[3], records[3].Raw); err == nil {
		t.Error("a row cannot go on with the conversation of another")
	}
	if err := k.Close(); err == nil {
		t.Error("half a row was written")
	}
}

// A conversation in a struct changes in its place; null structs and null lists stay what they are.
func TestConversationInStruct(t *testing.T) {
	root := pq.Group{"sample": pq.Optional(pq.Group{"messages": listOfTurns(), "n": pq.Optional(pq.Int(64))})}
	rows := []pq.Row{
		rowOf(level{0, 5, 0, "a"}, level{1, 5, 0, "b"}, level{0, 5, 1, "user"}, level{1, 4, 1, nil}, level{0, 2, 2, int64(1)}),
		rowOf(level{0, 1, 0, nil}, level{0, 1, 1, nil}, level{0, 2, 2, int64(2)}),
		rowOf(level{0, 0, 0, nil}, level{0, 0, 1, nil}, level{0, 0, 2, nil}),
		rowOf(level{0, 2, 0, nil}, level{0, 2, 1, nil}, level{0, 1, 2, nil}),
	}
	data := fileOf(t, root, rows)
	want := []string{`{"messages":[{"content":"a","role":"user"},{"content":"b"}]}`, "", "", `{"messages":[]}`}
	whole := []string{`{"sample":{"n":1},"messages":[{"content":"a","role":"user"},{"content":"b"}]}`, `{"sample":{"n":2}}`, `{}`, `{"messages":[]}`}
	records, full := all(t, open(t, data, Options{})), all(t, open(t, data, Options{Row: true}))
	for i := range want {
		if string(records[i].Raw) != want[i] || string(full[i].Raw) != whole[i] {
			t.Errorf("row %d: got %s and %s", i, records[i].Raw, full[i].Raw)
		}
	}
	out := rewrite(t, data, Options{Column: "sample.messages"}, func(i int, rec formats.Record) []byte {
		return bytes.Replace(rec.Raw, []byte(`{"content":"b"}`), []byte(`{"content":"c"},{"content":"d"}`), 1)
	})
	rows[0] = rowOf(level{0, 5, 0, "a"}, level{1, 5, 0, "c"}, level{1, 5, 0, "d"}, level{0, 5, 1, "user"}, level{1, 4, 1, nil}, level{1, 4, 1, nil}, level{0, 2, 2, int64(1)})
	sameRows(t, rowsOf(t, out), rows)
}

// A list of JSON texts: one that is no object is a string, however it is spelled, and kept texts keep their bytes.
func TestListOfTexts(t *testing.T) {
	root := pq.Group{"messages": listed()}
	const first = " {\"role\": \"user\",\t\"content\": 1e3}\n"
	inner := []any{first, `{"a":1},{"b":2}`, nil, `"hi"`, `hi`, `{"role":"assistant","content":"x"}`, "{\xff}"}
	var levels []level
	for i, v := range inner {
		l := level{min(i, 1), 3, 0, v}
		if v == nil {
			l.def = 2
		}
		levels = append(levels, l)
	}
	rows := []pq.Row{rowOf(levels...), rowOf(level{0, 1, 0, nil}), rowOf(level{0, 0, 0, nil})}
	data := fileOf(t, root, rows)
	want := []string{
		`{"messages":[` + strings.TrimSpace(first) + `,"{\"a\":1},{\"b\":2}",null,"\"hi\"","hi",{"role":"assistant","content":"x"},"base64:e/99"]}`,
		`{"messages":[]}`, "",
	}
	for i, rec := range all(t, open(t, data, Options{})) {
		if string(rec.Raw) != want[i] {
			t.Errorf("row %d: got %s\nwant %s", i, rec.Raw, want[i])
		}
	}
	out := rewrite(t, data, Options{}, func(i int, rec formats.Record) []byte {
		return bytes.Replace(rec.Raw, []byte(`null,"\"hi\""`), []byte(`{"role": "user", "content": "sum"}`), 1)
	})
	var after []level
	for _, v := range slices.Concat(inner[:2], []any{`{"role": "user", "content": "sum"}`}, inner[4:]) {
		after = append(after, level{min(len(after), 1), 3, 0, v})
	}
	rows[0] = rowOf(after...)
	sameRows(t, rowsOf(t, out), rows)
}

// What a row says as one record, whatever the shape of its conversation.
func TestRows(t *testing.T) {
	for _, test := range []struct {
		name   string
		root   pq.Group
		values map[int]any
		ask    string
		want   string
	}{
		{"an object in a text", pq.Group{"id": texts(), "messages": texts()}, map[int]any{0: "x", 1: ` { "messages": [{"role": "user"}], "n": 1e3 } `}, "",
			`{"id":"x","messages": [{"role": "user"}], "n": 1e3}`},
		{"names that are there twice", pq.Group{"id": texts(), "messages": texts(), "n": pq.Optional(pq.Int(64)), "tools": texts()},
			map[int]any{0: "x", 1: `{"id":"y","messages":[],"n":3}`, 2: int64(3), 3: "t"}, "", `{"row_id":"x","id":"y","messages":[],"n":3,"tools":"t"}`},
		{"a list in a text of any name", pq.Group{"talk": texts(), "id": texts()}, map[int]any{0: "x", 1: `[{"role":"user"}]`}, "talk",
			`{"id":"x","messages":[{"role":"user"}]}`},
		{"no conversation", pq.Group{"id": texts(), "messages": listOfTurns()}, map[int]any{0: "x"}, "", `{"id":"x"}`},
		{"no text", pq.Group{"id": texts(), "messages": texts()}, map[int]any{0: "x", 1: ""}, "", `{"id":"x"}`},
		{"another than the first", pq.Group{"chosen": texts(), "messages": texts()}, map[int]any{0: `[{"role":"a"}]`, 1: `[{"role":"b"}]`}, "chosen",
			`{"messages":[{"role":"a"}],"row_messages":"[{\"role\":\"b\"}]"}`},
		{"a name that is looked at before", pq.Group{"conversations": texts(), "messages": texts()}, map[int]any{0: `[{"role":"a"}]`, 1: `[{"role":"b"}]`}, "conversations",
			`{"conversations":[{"role":"a"}],"row_messages":"[{\"role\":\"b\"}]"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			rec := all(t, open(t, nulls(t, test.root, test.values), Options{Row: true, Column: test.ask}))[0]
			if string(rec.Raw) != test.want || rec.Held != nil {
				t.Errorf("got %s, want %s", rec.Raw, test.want)
			}
		})
	}
}

// Members of new turns that the schema has no column for are counted by their names.
func TestSinkCountsLosses(t *testing.T) {
	root := pq.Group{"chosen": listOfTurns(), "rejected": pq.Optional(pq.Group{"role": listed(), "content": listed()})}
	row := rowOf(level{0, 4, 0, "a"}, level{0, 4, 1, "user"}, level{0, 4, 2, "a"}, level{0, 4, 3, "user"})
	data := fileOf(t, root, []pq.Row{row, row})
	src := open(t, data, Options{})
	k, err := NewSink(io.Discard, src)
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range all(t, src) {
		payload := rec.Raw
		if i != 2 {
			payload = bytes.Replace(payload, []byte(`[`), []byte(`[{"role":"assistant","content":["x"],"weight":0,"name":null,"`+rec.Pos.Column+`":1},`), 1)
		}
		if err := k.Write(rec, payload); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	want := formats.Loss{"messages[].weight": 2, "messages[].chosen": 1, "messages[].rejected": 2, "messages[].content of parts, now JSON text": 1}
	if fmt.Sprint(k.Lost()) != fmt.Sprint(want) {
		t.Errorf("lost %v, want %v", k.Lost(), want)
	}
}

// Lists of different lengths cost their own row.
func TestListsThatDiffer(t *testing.T) {
	root := pq.Group{"conversations": pq.Optional(pq.Group{"from": listed(), "value": listed()})}
	rows := []pq.Row{rowOf(level{0, 4, 0, "human"}, level{0, 4, 1, "a"}, level{1, 4, 1, "b"}), rowOf(level{0, 4, 0, "human"}, level{0, 4, 1, "a"})}
	data := fileOf(t, root, rows)
	for _, whole := range []bool{false, true} {
		records := all(t, open(t, data, Options{Row: whole}))
		if formats.Validate(records[0].Raw) == nil || !strings.Contains(string(records[0].Raw), "differ in length") || formats.Validate(records[1].Raw) != nil {
			t.Errorf("got %s and %s", records[0].Raw, records[1].Raw)
		}
	}
	sameRows(t, rowsOf(t, rewrite(t, data, Options{}, func(_ int, rec formats.Record) []byte { return rec.Raw })), rows)
}

// A footer that promises more rows than there are is found at the end.
func TestRowsAreCounted(t *testing.T) {
	src := open(t, sample(t), Options{})
	src.groups = src.groups[:1]
	for {
		if _, err := src.Next(context.Background()); errors.Is(err, io.EOF) {
			t.Fatal("nothing is missing")
		} else if err != nil {
			if !strings.Contains(err.Error(), "it has 8 rows, and 20 by its footer") {
				t.Error(err)
			}
			return
		}
	}
}

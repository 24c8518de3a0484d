package quality_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
	"github.com/ctxpack/ctxpack/summarize"
)

// object is JSON in the making.
type object = map[string]any

func system(text string) object    { return object{"role": "system", "content": text} }
func user(text string) object      { return object{"role": "user", "content": text} }
func assistant(text string) object { return object{"role": "assistant", "content": text} }

// call is an assistant message with one call, answered by result.
func call(id, tool string, arguments object) object {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return object{"role": "assistant", "content": nil, "tool_calls": []any{object{
		"id": id, "type": "function", "function": object{"name": tool, "arguments": string(raw)},
	}}}
}

func result(id, text string) object {
	return object{"role": "tool", "tool_call_id": id, "content": text}
}

// decode makes messages of objects by way of a record.
func decode(t testing.TB, list ...object) []*formats.Message {
	t.Helper()
	return conversation(t, object{"messages": list}).Messages
}

func conversation(t testing.TB, record object) *formats.Conversation {
	t.Helper()
	raw, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	c, err := formats.Decode(formats.Record{Raw: raw}, []formats.Dialect{formats.OpenAI{}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// summary is a user message that holds a summary.
func summary(body string) object {
	return user(summarize.Marker + "\n" + body + "\n" + summarize.End)
}

// session is a middle with a little of everything, between a request and a last question.
func session(middle ...object) []object {
	list := []object{system("You are an agent."), user("Mend the build.")}
	list = append(list, middle...)
	return append(list, user("And now?"), assistant("Now I look again."))
}

// compacted is the session with a summary in place of the middle.
func compacted(body string) []object {
	return []object{system("You are an agent."), user("Mend the build."), summaryAs("assistant", body), user("And now?"), assistant("Now I look again.")}
}

func summaryAs(role, body string) object {
	m := summary(body)
	m["role"] = role
	return m
}

func pairOf(t testing.TB, before, after []object) *quality.Pair {
	t.Helper()
	return quality.NewPair(decode(t, before...), decode(t, after...))
}

// TestMetrics holds every metric to values known by hand.
func TestMetrics(t *testing.T) {
	write := func(id, path string) []object {
		return []object{call(id, "write_file", object{"path": path, "content": "x"}), result(id, "ok")}
	}
	read := func(id, path string) []object {
		return []object{call(id, "read_file", object{"path": path}), result(id, "some text")}
	}
	tests := []struct {
		name   string
		metric string
		middle []object
		body   string
		future []object
		want   float64 // NaN: not known
	}{
		{"both files", "modified_file_recall", slices.Concat(write("a", "src/one.go"), write("b", "src/two.go")), "wrote src/one.go and src/two.go", nil, 1},
		{"one of two", "modified_file_recall", slices.Concat(write("a", "src/one.go"), write("b", "src/two.go")), "wrote src/one.go", nil, 0.5},
		{"one twice counts once", "modified_file_recall", slices.Concat(write("a", "src/one.go"), write("b", "src/one.go"), write("c", "src/two.go")), "src/two.go", nil, 0.5},
		{"no file written", "modified_file_recall", read("a", "src/one.go"), "src/one.go", nil, math.NaN()},
		{"a failed write is none", "modified_file_recall",
			slices.Concat(write("a", "src/one.go"), []object{call("b", "write_file", object{"path": "src/two.go"}), result("b", "Error: permission denied")}), "src/one.go", nil, 1},
		{"unique base name is enough", "modified_file_recall", write("a", "deep/down/one.go"), "one.go is done", nil, 1},
		{"base name of two files is not", "modified_file_recall", slices.Concat(write("a", "a/one.go"), write("b", "b/one.go")), "one.go is done", nil, 0},
		{"a longer path ends in it", "modified_file_recall", slices.Concat(write("a", "pkg/one.go"), write("b", "x/one.go")), "/repo/pkg/one.go", nil, 0.5},
		{"a longer name is another file", "modified_file_recall", write("a", "one.go"), "done_one.go", nil, 0},
		{"a path with spaces", "modified_file_recall", write("a", "my docs/the plan.md"), "wrote `my docs/the plan.md`.", nil, 1},
		{"a path with spaces, gone", "modified_file_recall", write("a", "my docs/the plan.md"), "wrote my docs", nil, 0},
		{"CJK in a path", "modified_file_recall", write("a", "文档/计划.md"), "写入 文档/计划.md", nil, 1},
		{"renamed by a shell", "modified_file_recall",
			[]object{call("a", "bash", object{"command": "mv src/old_name.py src/new_name.py"}), result("a", "")}, "src/new_name.py (was src/old_name.py)", nil, 1},
		{"split by Markdown", "modified_file_recall", write("a", "src/my_file.go"), `wrote src/**my\_file.go**`, nil, 1},
		{"read", "read_file_recall", slices.Concat(read("a", "a.go"), read("b", "b.go"), read("c", "c.go"), read("d", "d.go")), "a.go, b.go, c.go", nil, 0.75},
		{"written is not read", "read_file_recall", slices.Concat(read("a", "a.go"), write("b", "a.go")), "nothing", nil, math.NaN()},

		{"all of the future", "future_recall", []object{assistant("See parse_config in src/conf.py.")}, "parse_config in src/conf.py",
			[]object{call("z", "bash", object{"command": "grep parse_config src/conf.py"})}, 1},
		{"half of the future", "future_recall", []object{assistant("See parse_config in src/conf.py.")}, "it stands in src/conf.py",
			[]object{call("z", "bash", object{"command": "grep parse_config src/conf.py"})}, 0.5},
		{"what R does not know is no loss", "future_recall", []object{assistant("See parse_config.")}, "parse_config",
			[]object{call("z", "bash", object{"command": "cat brand/new_file.py; grep parse_config"})}, 1},
		{"no future", "future_recall", []object{assistant("See parse_config.")}, "parse_config", nil, math.NaN()},
		{"paths only", "future_path_recall", []object{assistant("See parse_config in src/conf.py.")}, "src/conf.py",
			[]object{call("z", "bash", object{"command": "grep parse_config src/conf.py"})}, 1},
		{"emphasis inside a name", "future_recall", []object{assistant("See parse_config.")}, `look at parse\_config`,
			[]object{call("z", "bash", object{"command": "grep parse_config"})}, 1},

		{"nothing invented", "novel_identifiers", []object{assistant("parse_config, load_config")}, "parse_config", nil, 0},
		{"one of two invented", "novel_identifiers", []object{assistant("parse_config")}, "parse_config in src/ghost.py", nil, 0.5},
		{"a piece is not invented", "novel_identifiers", []object{assistant("https://example.com/a/long/path_name")}, "path_name", nil, 0},
		{"clipped is not invented", "novel_identifiers", []object{assistant("src/very_long/path_name.go")}, "src/very_long/path_na…", nil, 0},
		{"an invented folder", "novel_identifiers", []object{assistant("open conf.py")}, "src/conf.py", nil, 1},
		{"numbers known", "novel_numbers", []object{assistant("1234 rows, version 1.2.3, line 7")}, "1,234 rows, 1.2.3, line 7", nil, 0},
		{"numbers invented", "novel_numbers", []object{assistant("1234 rows")}, "1234 rows, 99999 columns, line 8, version 9.9.9", nil, 0.75},
		{"message numbers are none", "novel_numbers", []object{assistant("1234 rows")},
			"Reference material, not instructions: it covers messages 200–240 of the original conversation; numbers in brackets are message numbers.\n1234 rows (212, 230)", nil, 0},

		{"a true quotation", "quote_fidelity", []object{user("Please keep the old\nname of it.")}, "## Goal\nThe user wants \"keep the old name of it\"", nil, 1},
		{"a bent one", "quote_fidelity", []object{user("Please keep the old name.")}, "## Goal\n\"please change the old name\" and \"keep the old name\"", nil, 0.5},
		{"a block quote over lines", "quote_fidelity", []object{user("Keep the name.\nAnd the tests.")}, "## Goal\n> Keep the name.\n> And the tests.", nil, 1},
		{"said elsewhere", "quote_fidelity", []object{user("Keep it.")}, "## Critical Context\nThe user said \"never keep any of it\"", nil, 0},
		{"tools may be quoted", "quote_fidelity", []object{user("Keep it.")}, "## Critical Context\nIt printed \"no such file here\"", nil, math.NaN()},
		{"clipped", "quote_fidelity", []object{user("Please keep the old name of the module as it is.")}, "## Goal\n\"keep the old name… as it is\"", nil, 1},
		{"masked", "quote_fidelity", []object{user("Use password=" + "hunter2-Xyz_99 for it.")}, "## Goal\n> Use password=[REDACTED] for it.", nil, 1},
		{"Chinese", "quote_fidelity", []object{user("请不要修改数据库里的任何表格")}, "## Goal\n用户说「不要修改数据库里的任何表格」", nil, 1},

		{"verbatim", "constraint_recall", []object{user("Hello. You must never touch the migrations folder. Thanks.")}, "- You must never touch the migrations folder.", nil, 1},
		{"most of its words", "constraint_recall", []object{user("You must never touch the migrations folder.")}, "- never touch migrations folder", nil, 1},
		{"words all over the place", "constraint_recall", []object{user("You must never touch the migrations folder.")}, "- never mind\n\n- touch\n\n- migrations\n\n- folder", nil, 0},
		{"one of two", "constraint_recall", []object{user("Never touch migrations here.\nAlways write documentation first.")}, "Never touch migrations here.", nil, 0.5},
		{"nobody demands", "constraint_recall", []object{user("How is the weather today?")}, "fine", nil, math.NaN()},
		{"a statement is no demand", "constraint_recall", []object{user("I don't have the number with me.")}, "fine", nil, math.NaN()},
		{"Chinese demand", "constraint_recall", []object{user("必须保留旧的接口名称。")}, "必须保留旧的接口名称。", nil, 1},

		{"human kept", "human_verbatim", []object{user("First line.\nSecond line.")}, "## User Messages\nMessage 2:\n> First line.\n> Second line.", nil, 1},
		{"human lost", "human_verbatim", []object{user("First line."), assistant("Yes."), user("Second thing.")}, "First line.", nil, 0.75},

		{"sections", "section_completeness", write("a", "src/one.go"), "## Goal\nx\n\n### Done\nNone.\n\n## Relevant Files\nsrc/one.go", nil, 2. / 3},
		{"no template", "section_completeness", write("a", "src/one.go"), "just prose", nil, math.NaN()},
	}
	for _, test := range tests {
		t.Run(test.metric+"/"+test.name, func(t *testing.T) {
			p := pairOf(t, session(test.middle...), compacted(test.body))
			c := quality.Case{Pair: p}
			if test.future != nil {
				c.Future = decode(t, test.future...)
			}
			metric, ok := quality.MetricNamed(test.metric)
			if !ok {
				t.Fatal("no such metric")
			}
			got := metric.Measure(&c)
			switch {
			case math.IsNaN(test.want) && got.Known:
				t.Errorf("got %v, want nothing", got.Value)
			case !math.IsNaN(test.want) && (!got.Known || math.Abs(got.Value-test.want) > 1e-9):
				t.Errorf("got %v, want %v\nsummary: %q\nfates: %v", got, test.want, p.Summary, p.Fates)
			}
		})
	}
}

func TestSizeMetrics(t *testing.T) {
	sizes := quality.Sizes{Before: 1000, After: 250, Summary: 130, Earlier: 104, Budget: 100}
	for _, test := range []struct {
		name string
		got  quality.Score
		want float64
	}{
		{"saving", quality.Saving(sizes.Before, sizes.After), 0.75},
		{"saving of nothing", quality.Saving(0, 0), math.NaN()},
		{"budget_use", quality.BudgetUse(sizes), 1.3},
		{"budget not known", quality.BudgetUse(quality.Sizes{Summary: 5}), math.NaN()},
		{"growth", quality.Growth(sizes), 1.25},
		{"no earlier summary", quality.Growth(quality.Sizes{Summary: 5}), math.NaN()},
		{"cascade", quality.Cascade(quality.Score{Value: 0.72, Known: true}, quality.Score{Value: 0.8, Known: true}), 0.9},
		{"cascade without a future", quality.Cascade(quality.Score{}, quality.Score{Value: 0.8, Known: true}), math.NaN()},
	} {
		if test.got.Known == math.IsNaN(test.want) || test.got.Known && math.Abs(test.got.Value-test.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
		}
	}
}

// TestUnchangedHasNoScores: metrics speak of compactions only.
func TestUnchangedHasNoScores(t *testing.T) {
	list := session(assistant("parse_config"))
	p := pairOf(t, list, list)
	c := quality.Case{Pair: p, Sizes: quality.Sizes{Before: 10, After: 10}}
	if got := c.Measure(); len(got) > 0 || !p.Unchanged || len(p.Breaches(10, 10)) > 0 {
		t.Errorf("scores %v, unchanged %v, breaches %v", got, p.Unchanged, p.Breaches(10, 10))
	}
}

func TestMetricsAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range quality.Metrics() {
		if m.Name == "" || m.Formula == "" || m.Measure == nil || seen[m.Name] {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
	}
	if len(seen) != 14 {
		t.Errorf("%d metrics, quality.md has 14", len(seen))
	}
}

func fates(p *quality.Pair) string {
	var b strings.Builder
	for _, f := range p.Fates {
		b.WriteByte("KEPSR"[f])
	}
	return b.String()
}

func TestAlignment(t *testing.T) {
	long := strings.Repeat("long text of a tool ", 30)
	round := []object{call("a", "bash", object{"command": "ls"}), result("a", long)}
	before := session(slices.Concat(round, []object{assistant("Seen."), user("Go on with it, please.")})...)
	after := func(list ...object) []object { return list }
	head, tail := before[:2], before[len(before)-2:]
	tests := []struct {
		name  string
		after []object
		want  string // K kept, E extended, P pruned, S summarised, R removed
	}{
		{"a summary of its own", slices.Concat(head, after(summaryAs("assistant", "x")), tail), "KKSSSSKK"},
		{"the note", slices.Concat(after(system("You are an agent.\n\n"+summarize.Note), before[1], summaryAs("assistant", "x")), tail), "EKSSSSKK"},
		{"appended to the head", slices.Concat(after(before[0], user("Mend the build.\n\n"+summarize.PriorEnd+"\n"+summarize.Marker+"\nx\n"+summarize.End)), tail), "KESSSSKK"},
		{"merged in front", slices.Concat(head, after(user(summarize.Marker+"\nx\n"+summarize.End+"\n\nAnd now?"), tail[1])), "KKSSSSEK"},
		{"re-stated", slices.Concat(head, after(summaryAs("assistant", "x"), before[5]), tail), "KKSSSKKK"},
		{"re-stated behind the summary", slices.Concat(after(before[0], user(summarize.Marker+"\nx\n"+summarize.End+"\n\nMend the build."), before[4]), tail), "KESSKSKK"},
		{"re-stated from the middle", slices.Concat(after(before[0], user(summarize.Marker+"\nx\n"+summarize.End+"\n\nGo on with it, please.")), before[7:]), "KSSSSESK"},
		{"pruned only", slices.Concat(head, after(round[0], result("a", "[cleared]")), before[4:]), "KKKPKKKK"},
		{"pruned head and summary", slices.Concat(head, after(round[0], result("a", "[cleared]"), summaryAs("user", "x")), tail), "KKKPSSKK"},
		{"dropped without a word", slices.Concat(head, tail), "KKRRRRKK"},
		{"everything summarised", after(summary("x")), "SSSSSSSS"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := fates(pairOf(t, before, test.after)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestKeyIsCanonical: a conversation is itself however it is spelled.
func TestKeyIsCanonical(t *testing.T) {
	a, err := formats.Decode(formats.Record{Raw: []byte(`{"messages":[{"role":"user","content":"h\u00e9"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]}]}`)}, []formats.Dialect{formats.OpenAI{}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := formats.Decode(formats.Record{Raw: []byte(`{"x":1, "messages": [ {"content":"hé", "role":"user"}, {"role":"assistant","content":null,"tool_calls":[{"type":"function","id":"1","function":{"arguments":"{\"a\":1}","name":"f"}}]} ]}`)}, []formats.Dialect{formats.OpenAI{}})
	if err != nil {
		t.Fatal(err)
	}
	if quality.Key(a.Messages) != quality.Key(b.Messages) {
		t.Error("two spellings, two keys")
	}
	if quality.Key(a.Messages) == quality.Key(a.Messages[:1]) {
		t.Error("two conversations, one key")
	}
}

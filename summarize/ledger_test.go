package summarize

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/formats"
)

func TestLedgerReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var entries []Entry
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			e := Entry{EntryKind(rapid.IntRange(0, int(entryKinds)-1).Draw(t, "kind")), hostile().Draw(t, "value"), rapid.IntRange(0, 99).Draw(t, "number")}
			if fitsLedger(e.Kind, e.Value) {
				entries = append(entries, e)
			}
		}
		slices.SortStableFunc(entries, func(a, b Entry) int {
			if a.Kind != b.Kind {
				return int(a.Kind) - int(b.Kind)
			}
			return b.Number - a.Number
		})
		got, ok := parseLedger(strings.Split(writeLedger(entries), "\n"))
		if !ok || len(got)+len(entries) > 0 && !reflect.DeepEqual(got, entries) {
			t.Fatalf("%v %+v, want %+v\n%s", ok, got, entries, writeLedger(entries))
		}
	})
}

func TestLedgerKeepsItsBudget(t *testing.T) {
	messages := codingMiddle(60_000)
	req := requestOf(1<<20, messages...)
	req.Actions = Actions(messages)
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.IntRange(0, 3000).Draw(t, "budget")
		text := ranked(req, nil, budget)
		if roughCount(text) > budget {
			t.Fatalf("%d tokens, budget %d", roughCount(text), budget)
		}
		if text != ranked(req, nil, budget) {
			t.Fatal("not the same twice")
		}
	})
}

func call(number int, name, arguments, result string) []*formats.Message {
	id := name + string(rune('0'+number%10))
	return []*formats.Message{
		{Role: formats.RoleAssistant, Number: number, Parts: []formats.Part{&formats.ToolCall{ID: id, Name: name, Arguments: arguments}}},
		{Role: formats.RoleTool, Number: number + 1, Parts: []formats.Part{&formats.ToolResult{CallID: id, Text: result}}},
	}
}

func TestLedgerRanking(t *testing.T) {
	messages := slices.Concat(
		call(2, "read_file", `{"path":"docs/old.md"}`, "see listed/only.go and parse_date"),
		call(4, "edit_file", `{"path":"src/a.go","new":"x"}`, "ok"),
		call(6, "read_file", `{"path":"src/b.go"}`, "fine"),
		call(8, "read_file", `{"path":"src/c.go"}`, "fine"),
	)
	req := requestOf(1<<20, messages...)
	req.Actions = Actions(messages)
	req.Tail = call(10, "read_file", `{"path":"src/c.go"}`, "fine")
	earlier := []Parsed{{Ledger: []Entry{{EntryWritten, "src/earlier.go", 1}, {EntrySymbol, "oldSymbol", 1}}}}
	var order []string
	for _, e := range rankEntries(req, earlier) {
		order = append(order, e.Value)
	}
	before := func(a, b string) {
		t.Helper()
		i, j := slices.Index(order, a), slices.Index(order, b)
		if i < 0 || j < 0 || i >= j {
			t.Errorf("%s (%d) should stand before %s (%d) in %q", a, i, b, j, order)
		}
	}
	before("src/a.go", "src/b.go")             // written over read
	before("src/b.go", "docs/old.md")          // recency
	before("src/b.go", "src/c.go")             // shown in the tail anyway
	before("docs/old.md", "listed/only.go")    // an input over an output
	before("src/earlier.go", "oldSymbol")      // of an earlier ledger, kinds kept
	before("src/earlier.go", "listed/only.go") // an earlier entry competes
	text := ranked(req, earlier, 400)
	for _, want := range []string{"Written: src/a.go (4); src/earlier.go (1)", "src/b.go (6)", "oldSymbol (1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// ranked is the section of candidates ranked anew.
func ranked(req Request, earlier []Parsed, budget int) string {
	req.Ranked = rankEntries(req, earlier)
	return ledgerSection(req, budget)
}

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// TestHermesKeys checks every key of Hermes' compression_metrics.json, and its value, against a literal list.
func TestHermesKeys(t *testing.T) {
	b := NewBuilder()
	add := func(status compress.Status, before, after, messagesBefore, messagesAfter int, over bool, s *compress.SummaryInfo) {
		b.Add(NewRow(formats.Record{}, nil, compress.Result{Status: status, OverLimit: over, Code: "summary", Summary: s,
			Before: compress.Tally{Tokens: before, Messages: messagesBefore}, After: compress.Tally{Tokens: after, Messages: messagesAfter}}))
	}
	info := &compress.SummaryInfo{Prose: summarize.Prose{Calls: 2, Retries: 1}}
	add(compress.Untouched, 100, 100, 5, 5, false, nil)
	add(compress.Summarized, 3000, 1000, 30, 10, false, info)
	add(compress.Summarized, 7000, 2000, 71, 20, true, info)
	add(compress.Pruned, 9001, 4000, 12, 12, false, nil)
	add(compress.Failed, 500, 500, 6, 6, true, nil)
	b.Add(RejectRow(&formats.Fault{Code: "syntax", Err: errors.New("x")}))
	start := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	r := b.Report(Header{}, Clock{Start: start, End: start.Add(1234567 * time.Microsecond)})
	var out bytes.Buffer
	if err := WriteJSON(&out, &r); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]any{
		"summary": {"total_trajectories": 6.0, "trajectories_compressed": 3.0, "trajectories_skipped_under_target": 1.0,
			"trajectories_still_over_limit": 2.0, "trajectories_failed": 2.0, "compression_rate": 0.5},
		"tokens":        {"total_before": 19601.0, "total_after": 7600.0, "total_saved": 12001.0, "overall_compression_ratio": 0.3877},
		"turns":         {"total_before": 124.0, "total_after": 53.0, "total_removed": 71.0},
		"averages":      {"avg_compression_ratio": 0.3545, "avg_tokens_saved_per_compressed": 4000.3, "avg_turns_removed_per_compressed": 23.67},
		"summarization": {"total_api_calls": 4.0, "total_errors": 1.0, "success_rate": 0.75},
		"processing":    {"start_time": "2026-11-20T09:00:00Z", "end_time": "2026-11-20T09:00:01.234567Z", "duration_seconds": 1.23},
	}
	for object, keys := range want {
		for key, value := range keys {
			if have := got[object].(map[string]any)[key]; have != value {
				t.Errorf("%s.%s is %v, want %v", object, key, have, value)
			}
		}
	}
}

// TestNothingCompressed checks Hermes' values where it would divide by nothing.
func TestNothingCompressed(t *testing.T) {
	r := NewBuilder().Report(Header{}, Clock{})
	if r.Averages.Ratio != 1 || r.Tokens.Ratio != 1 || r.Summarization.SuccessRate != 1 || r.Summary.CompressRate != 0 {
		t.Errorf("%+v %+v %+v %+v", r.Averages, r.Tokens, r.Summarization, r.Summary)
	}
}

// TestRoundLikePython checks against values that CPython's round gives.
func TestRoundLikePython(t *testing.T) {
	for _, c := range []struct {
		f      float64
		digits int
		want   float64
	}{{2.675, 2, 2.67}, {0.125, 2, 0.12}, {0.375, 2, 0.38}, {1.00015, 4, 1.0002}, {2.5, 0, 2}, {0.16666, 4, 0.1667}} {
		if got := round(c.f, c.digits); got != c.want {
			t.Errorf("round(%v, %d) is %v, want %v", c.f, c.digits, got, c.want)
		}
	}
}

// TestSumsAddUp checks what must hold for any rows.
func TestSumsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := numbers(rapid.Uint64().Draw(t, "seed"))
		rows := rapid.IntRange(0, 300).Draw(t, "rows")
		b := NewBuilder(rapid.IntRange(-1, 2_000_000).Draw(t, "window"))
		var all []Row
		for i := range rows {
			all = append(all, testRow(&n, i))
			b.Add(all[i])
		}
		r := b.Report(Header{}, Clock{})
		var records, before, after, phases int64
		for _, s := range r.Records.Statuses {
			records, before, after = records+s.Records, before+s.TokensBefore, after+s.TokensAfter
		}
		for _, p := range r.Saved.Phases {
			phases += p.Tokens
		}
		rejected := r.Records.Of(compress.Rejected).Records
		switch {
		case records != int64(rows) || r.Records.Total != records:
			t.Fatalf("statuses have %d of %d records", records, rows)
		case r.Records.Conversations+r.Records.NoConversation+rejected != records:
			t.Fatalf("%+v does not add up", r.Records)
		case before != r.Tokens.Before || after != r.Tokens.After || r.Tokens.Saved != before-after:
			t.Fatalf("statuses have %d -> %d, the totals %+v", before, after, r.Tokens)
		case phases != r.Saved.Total || phases != r.Tokens.Saved:
			t.Fatalf("phases saved %d of %d", phases, r.Tokens.Saved)
		case r.Roles.Before.Total() != before || r.Roles.After.Total() != after:
			t.Fatalf("roles have %+v of %d -> %d", r.Roles, before, after)
		case r.Sizes.Before.Count != r.Records.Conversations || r.Sizes.After.Count != r.Records.Conversations:
			t.Fatalf("distributions of %d and %d", r.Sizes.Before.Count, r.Sizes.After.Count)
		}
		checkWorst(t, r, all)
	})
}

// checkWorst sorts all rows and compares the first ten with the lists.
func checkWorst(t *rapid.T, r Report, rows []Row) {
	for name, c := range map[string]struct {
		got    []WorstRow
		takes  func(Row) bool
		before func(a, b *WorstRow) bool
	}{
		"largest before": {r.Worst.LargestBefore, func(Row) bool { return true }, func(a, b *WorstRow) bool { return a.TokensBefore > b.TokensBefore }},
		"largest after":  {r.Worst.LargestAfter, func(Row) bool { return true }, func(a, b *WorstRow) bool { return a.TokensAfter > b.TokensAfter }},
		"least gained": {r.Worst.LeastGained, func(r Row) bool {
			return r.Status != compress.Untouched && r.Status != compress.Failed
		}, gainedLess},
	} {
		want := []WorstRow{}
		for _, row := range rows {
			if row.Status != compress.Rejected && !row.NoConversation && c.takes(row) {
				want = append(want, row.worst())
			}
		}
		slices.SortStableFunc(want, func(a, b WorstRow) int {
			switch {
			case c.before(&a, &b):
				return -1
			case c.before(&b, &a):
				return 1
			}
			return 0
		})
		if want = want[:min(len(want), worstRows)]; !reflect.DeepEqual(c.got, want) {
			t.Fatalf("%s: %+v, want %+v", name, c.got, want)
		}
	}
}

// TestTimeStaysInProcessing makes one run twice, the second slower: only processing may differ.
func TestTimeStaysInProcessing(t *testing.T) {
	report := func(slower time.Duration, settings []Setting) []byte {
		b := NewBuilder()
		n := numbers(3)
		for i := range 500 {
			row := testRow(&n, i)
			row.Elapsed *= slower
			b.Add(row)
		}
		clock := testClock()
		clock.End, clock.Settings = clock.End.Add(slower*time.Minute), settings
		r := b.Report(testHeader(), clock)
		var out bytes.Buffer
		if err := WriteJSON(&out, &r); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	one, two := report(1, nil), report(7, []Setting{{"workers", 8, "--workers"}})
	if bytes.Equal(one, two) {
		t.Error("times are not in the report")
	}
	until := []byte("\n  \"processing\": {")
	before1, _, ok1 := bytes.Cut(one, until)
	before2, _, ok2 := bytes.Cut(two, until)
	if !ok1 || !ok2 || !bytes.Equal(before1, before2) {
		t.Error("something before processing depends on time")
	}
}

// TestBoundedNames adds more distinct names than are counted one by one: nothing is lost, and memory does not follow.
func TestBoundedNames(t *testing.T) {
	b := NewBuilder()
	const rows = 4 * maxDistinct
	for i := range rows {
		name := fmt.Sprintf("name%d", i)
		row := Row{Status: compress.Summarized, TokensBefore: 10, TokensAfter: 5, Model: name, Dialect: name, Marker: name,
			Tools:   []ToolTotal{{Name: name, TokensBefore: 4, TokensAfter: 2, ResultsBefore: 1, ResultsAfter: 1}, {Name: "bash", TokensBefore: 3}},
			Summary: &RowSummary{Model: name, Warnings: []string{name}}, UnknownRoles: []Count{{Name: name, Count: 2}},
			Actions: []ActionTotal{{compress.ActionKind(name), 1, 1}}}
		b.Add(row)
		b.Add(Row{Status: compress.Rejected, Code: name})
	}
	for name, n := range map[string]int{"tools": len(b.tools.at), "models": len(b.models.at), "roles": len(b.unknownRoles.at),
		"dialects": len(b.dialects.at), "warnings": len(b.warnings.at), "failures": len(b.failures.at), "actions": len(b.actions.at)} {
		if n > maxDistinct {
			t.Errorf("%d %s are kept", n, name)
		}
	}
	r := b.Report(Header{}, Clock{})
	if !r.Tools.Capped || r.Tools.Distinct != maxDistinct || len(r.Tools.List) != listed {
		t.Errorf("tools: %d distinct, capped %v, %d listed", r.Tools.Distinct, r.Tools.Capped, len(r.Tools.List))
	}
	if bash := r.Tools.List[0]; bash.Name != "bash" || bash.TokensBefore != 3*rows {
		t.Errorf("the largest tool is %+v", bash)
	}
	tokens, models, roles, failures := r.Tools.Other.TokensBefore, r.Models.Other, r.UnknownRoles.Other, r.Failures.Other
	for _, tool := range r.Tools.List {
		tokens += tool.TokensBefore
	}
	for _, m := range r.Models.List {
		models += m.Records
	}
	for _, role := range r.UnknownRoles.List {
		roles += role.Count
	}
	for _, f := range r.Failures.Kinds {
		failures += f.Records
	}
	if tokens != 7*rows || models != rows || roles != 2*rows || failures != rows {
		t.Errorf("lost: %d tokens, %d models, %d roles, %d failures", tokens, models, roles, failures)
	}
	var text bytes.Buffer
	if err := WriteMarkdown(&text, &r); err != nil || text.Len() > 200_000 {
		t.Errorf("Markdown of %d bytes: %v", text.Len(), err)
	}
}

// TestMemoryIsConstant adds 200,000 rows and compares the heap with that after 20,000.
func TestMemoryIsConstant(t *testing.T) {
	b := NewBuilder()
	n := numbers(1)
	rows := make([]Row, 1000)
	for i := range rows {
		rows[i] = testRow(&n, i)
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	add := func(from, to int) {
		for i := from; i < to; i++ {
			row := rows[i%len(rows)]
			row.Index = int64(i)
			b.Add(row)
		}
	}
	add(0, 20_000)
	before := heap()
	add(20_000, 200_000)
	if grown := int64(heap()) - int64(before); grown > 256<<10 {
		t.Errorf("180,000 rows took %d bytes", grown)
	}
	runtime.KeepAlive(b)
	if allocs := testing.AllocsPerRun(2000, func() { b.Add(rows[1]) }); allocs > 0.1 {
		t.Errorf("adding a row allocates %v times", allocs)
	}
}

// TestRowOwnsItsStrings changes the record after the row was made.
func TestRowOwnsItsStrings(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	row := NewRow(formats.Record{}, &formats.Conversation{ID: long, Model: "m", Dialect: "d"}, compress.Result{Code: "c", Reason: long})
	if len(row.ID) > maxName || !strings.HasSuffix(row.ID, "é…") || len(row.Reason) > maxMessage {
		t.Errorf("an id of %d and a reason of %d bytes", len(row.ID), len(row.Reason))
	}
	raw := []byte("bash")
	tool := string(raw)
	tools := mergeTools([]compress.ToolTokens{{Name: tool, Tokens: 7, Results: 1}}, []compress.ToolTokens{{Name: tool, Tokens: 3, Results: 1}, {Name: "new"}})
	want := []ToolTotal{{"bash", 7, 3, 1, 1}, {Name: "new"}}
	if !reflect.DeepEqual(tools, want) {
		t.Errorf("%+v, want %+v", tools, want)
	}
}

// TestRejectedCountsNowhere: a record that was rejected after an engine saw it has no tokens in any total.
func TestRejectedCountsNowhere(t *testing.T) {
	b := NewBuilder()
	b.Add(Row{Status: compress.Rejected, Stage: formats.StageEngine, Code: "summary", TokensBefore: 500, TokensAfter: 500, OverLimit: true})
	r := b.Report(Header{}, Clock{})
	if r.Tokens.Before != 0 || r.Records.OverLimit != 0 || r.Records.Of(compress.Rejected).TokensBefore != 0 || r.Failures.Kinds[0].Records != 1 {
		t.Errorf("%+v %+v", r.Tokens, r.Records)
	}
}

func BenchmarkAdd(b *testing.B) {
	n := numbers(1)
	rows := make([]Row, 4096)
	for i := range rows {
		rows[i] = testRow(&n, i)
	}
	builder := NewBuilder()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		builder.Add(rows[i&4095])
		i++
	}
}

func BenchmarkNewRow(b *testing.B) {
	res := compress.Result{Status: compress.Summarized, Before: testTally(90_000, 200), After: testTally(40_000, 50)}
	rec := formats.Record{Raw: []byte(`{"id":"run-0001","model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`)}
	conv, err := formats.Decode(rec, []formats.Dialect{formats.OpenAI{}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		NewRow(rec, conv, res)
	}
}

// BenchmarkMillion is a run of a million rows, the report included.
func BenchmarkMillion(b *testing.B) {
	n := numbers(1)
	rows := make([]Row, 4096)
	for i := range rows {
		rows[i] = testRow(&n, i)
	}
	for b.Loop() {
		builder := NewBuilder()
		for i := range 1_000_000 {
			builder.Add(rows[i&4095])
		}
		builder.Report(testHeader(), testClock())
	}
}

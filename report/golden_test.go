package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
	"github.com/ctxpack/ctxpack/summarize"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test ./report -update writes it anew); got:\n%s", path, got)
	}
}

// testHeader is the header of the runs of these tests.
func testHeader() Header {
	return Header{
		Tool: "ctxpack", Version: "0.1.0", Command: "compact",
		Settings: []Setting{
			{"model", "gpt-4o", "--model"},
			{"compression.fit", int64(64_000), "CTXPACK_FIT"},
			{"compression.target_ratio", 0.2, "default"},
			{"compression.keep_tools", []string{"todo", "plan"}, "ctxpack.yaml:3"},
			{"seed", nil, "default"},
		},
		Inputs: []Input{
			{"runs/a.jsonl", 812_331_000, "aa11", 10_000, "out/a.jsonl", nil},
			{"runs/b|`x`.jsonl", 1_200, "bb22", 2_418, "out/b.jsonl", nil},
		},
		Target:     Target{Model: "gpt-4o", ContextLength: 128_000, Source: "gpt-4o, litellm 2026-09-01", Strategy: "fit", Window: 64_000, Threshold: 64_000},
		Tokenizer:  Tokenizer{"o200k_base", true},
		Summarizer: "extractive", PriceDate: "2026-09-01",
	}
}

// testClock is a run of 14 minutes and 8.2 seconds.
func testClock() Clock {
	start := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	return Clock{start, start.Add(14*time.Minute + 8200*time.Millisecond), []Setting{{"workers", int64(2), "default"}}}
}

// numbers is a small deterministic generator (an LCG with the constants of Knuth's MMIX).
type numbers uint64

func (n *numbers) below(limit int) int {
	*n = *n*6364136223846793005 + 1442695040888963407
	return int(uint64(*n) >> 33 % uint64(limit))
}

// testRow is the i-th row of a run that has every status.
func testRow(n *numbers, i int) Row {
	pos := formats.Position{File: "runs/a.jsonl", Line: int64(i + 1), Index: int64(i)}
	switch {
	case i%97 == 13:
		return RejectRow(&formats.Fault{Pos: pos, Stage: formats.StageDecode, Code: "syntax", Column: 87,
			Err: errors.New("invalid character 'x' in string escape")})
	case i%89 == 17:
		return NewRow(formats.Record{Pos: pos}, &formats.Conversation{}, compress.Result{Status: compress.Untouched})
	}
	before := 500 << n.below(10)
	before += n.below(before)
	res := compress.Result{
		Status: compress.Untouched, Before: testTally(before, 10+n.below(200)),
		Budget: compress.Budget{ContextLength: 128_000, Threshold: 64_000},
	}
	res.After = res.Before
	if before > 64_000 {
		fire(&res, n, i)
	}
	row := NewRow(formats.Record{Pos: pos}, nil, res)
	row.NoConversation = false
	row.ID, row.Dialect, row.Marker = fmt.Sprintf("run-%04d", i), "openai", "messages[] with role"
	row.Model, row.ContextSource = "gpt-4o", "gpt-4o, litellm 2026-09-01"
	if i%50 == 0 {
		row.UnknownRoles = []Count{{Name: "critic", Count: 2}}
	}
	row.Elapsed = time.Duration(before) * time.Microsecond
	return row
}

func fire(res *compress.Result, n *numbers, i int) {
	res.Status = []compress.Status{compress.Summarized, compress.Pruned, compress.Summarized, compress.NothingToDo,
		compress.Failed, compress.Summarized, compress.NoGain}[i%7]
	switch res.Status {
	case compress.Failed:
		res.OverLimit, res.Code, res.Reason = true, "summary", "the summary names src/never.go, which the middle does not"
		return
	case compress.NothingToDo, compress.NoGain:
		res.OverLimit = true
		return
	}
	after := 30_000 + n.below(34_000)
	res.After = testTally(after, res.Before.Messages/2)
	saved := res.Before.Tokens - after
	res.Actions = []compress.Action{
		{Kind: compress.ActionDescribe, Message: 2, Tool: "bash", Saved: saved / 4},
		{Kind: compress.ActionDescribe, Message: 4, Tool: "bash", Saved: saved / 4},
	}
	if i%3 == 0 {
		res.Actions = append(res.Actions, compress.Action{Kind: compress.ActionStub, Saved: -9},
			compress.Action{Kind: compress.ActionRemove, Saved: 40})
	}
	if res.Status == compress.Summarized {
		res.HeadShortened = i%5 == 0
		res.Summary = &compress.SummaryInfo{From: 4, To: 40, Tokens: 2100, Budget: 2000, Source: saved/2 + 2100,
			Prose: summarize.Prose{Warnings: []string{"no plan was found"}}}
		res.Actions = append(res.Actions, compress.Action{Kind: compress.ActionSummarize, Message: 4, Through: 40, Saved: saved / 2},
			compress.Action{Kind: compress.ActionNote, Saved: -15})
	}
}

// testTally spreads tokens over roles and tools.
func testTally(tokens, messages int) compress.Tally {
	t := compress.Tally{Tokens: tokens, Messages: messages, Schema: tokens / 50}
	t.Role[formats.RoleSystem] = tokens / 20
	t.Role[formats.RoleUser] = tokens / 10
	t.Role[formats.RoleAssistant] = tokens / 4
	t.Role[formats.RoleTool] = tokens - t.Schema - tokens/20 - tokens/10 - tokens/4
	t.Tools = []compress.ToolTokens{
		{Name: "read_file", Tokens: t.Role[formats.RoleTool] / 2, Results: 9},
		{Name: "bash", Tokens: t.Role[formats.RoleTool] / 3, Results: 12},
		{Name: "evil|`<b>\n\x1b[31m", Tokens: t.Role[formats.RoleTool] / 10, Results: 1},
		{Name: "", Tokens: t.Role[formats.RoleTool] / 20, Results: 1},
	}
	return t
}

// testReport is a report over so many rows.
func testReport(rows int) Report {
	b := NewBuilder(64_000)
	n := numbers(7)
	for i := range rows {
		row := testRow(&n, i)
		if i == 146 || i == 366 { // two of the worst, so that the golden file stays readable
			row.Texts = Texts{Pair: func() *quality.Pair { return testPair("the tests of "+row.ID, 2) }}
		}
		b.Add(row)
	}
	r := b.Report(testHeader(), testClock())
	r.Failures.RejectsFile = "out/rejects.jsonl"
	r.Failures.Rerun = "ctxpack compact out/rejects.jsonl -o out/again.jsonl"
	return r
}

func TestGolden(t *testing.T) {
	r := testReport(600)
	for _, renderer := range Renderers() {
		var out bytes.Buffer
		if err := renderer.Render(&out, &r); err != nil {
			t.Fatal(err)
		}
		if renderer.Ending == ".html" {
			continue // its structure is tested, its looks are to be looked at (make demo)
		}
		golden(t, "report"+renderer.Ending, out.Bytes())
	}
	golden(t, "line.txt", []byte(Line(&r)+"\n"))
	n := numbers(7)
	var rows []byte
	for i := range 20 {
		var err error
		if rows, err = AppendRow(rows, testRow(&n, i)); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "rows.jsonl", rows)
}

func TestGoldenSmall(t *testing.T) {
	for name, rows := range map[string]int{"empty": 0, "one": 1} {
		r := testReport(rows)
		r.Header.Target, r.Header.Inputs, r.Failures = Target{Strategy: "full"}, nil, Failures{}
		var out bytes.Buffer
		if err := WriteText(&out, &r); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", out.Bytes())
	}
}

package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/replay"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
)

// writtenSegment is a segment as it stands in an output.
type writtenSegment struct {
	Segment     int      `json:"segment"`
	Of          int      `json:"of"`
	SourceID    string   `json:"source_id"`
	NewMessages [2]int   `json:"new_messages"`
	LossSpans   [][2]int `json:"loss_spans"`

	Extra *writtenSegment `json:"extra"`

	record []byte
	list   []json.RawMessage
}

// segmentsIn reads an output and checks that each record's segments are whole and in order.
func segmentsIn(t *testing.T, name string) map[string][]writtenSegment {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]writtenSegment{}
	for line := range bytes.Lines(data) {
		var s writtenSegment
		var members map[string]json.RawMessage
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if _, atif := members["steps"]; atif {
			s = *s.Extra
		}
		s.record = bytes.TrimSpace(line)
		for _, key := range []string{"messages", "conversations", "conversation", "input", "history", "steps"} {
			if raw, ok := members[key]; ok {
				if err := json.Unmarshal(raw, &s.list); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(s.list) == 0 {
			t.Fatalf("no messages: %.200s", line)
		}
		all[s.SourceID] = append(all[s.SourceID], s)
	}
	for id, list := range all {
		at := 0
		for i, s := range list {
			if s.Segment != i+1 || s.Of != len(list) || s.NewMessages[0] != at || s.NewMessages[1] < at {
				t.Errorf("%s: segment %d of %d, new %v, where %d of %d and from %d on is due", id, s.Segment, s.Of, s.NewMessages, i+1, len(list), at)
			}
			at = s.NewMessages[1]
		}
	}
	return all
}

// fresh are the messages of the segments that are to be trained, in order.
func fresh(t *testing.T, list []writtenSegment) []string {
	t.Helper()
	var all []string
	for _, s := range list {
		at := 0
		for _, span := range s.LossSpans {
			if span[0] < at || span[1] <= span[0] || span[1] > len(s.list) {
				t.Fatalf("%s: spans %v of %d messages", s.SourceID, s.LossSpans, len(s.list))
			}
			at = span[1]
			for _, m := range s.list[span[0]:span[1]] {
				all = append(all, unnumbered(t, m))
			}
		}
	}
	return all
}

// unnumbered is a message without the numbers that depend on its place: that of a step of ATIF, and those of calls that
// had no id.
func unnumbered(t *testing.T, m json.RawMessage) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(m, &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "step_id")
	return regexp.MustCompile(`call_\d+`).ReplaceAllString(compactJSON(members), "call")
}

// replayed runs the command in a directory of its own.
func replayed(t *testing.T, input, output string, args ...string) string {
	t.Helper()
	p := newTestProcess(t)
	out := filepath.Join(t.TempDir(), output)
	args = append([]string{"replay", input, "-o", out, "--loss-spans", "-q", "--fail-on", "none"}, args...)
	if code := p.run(args...); code != ExitDone {
		t.Fatalf("%v: exit code %d: %s", args, code, p.stderr.String())
	}
	return out
}

// In every dialect, what is new in the segments of a conversation is, taken together, the conversation as it is written
// whole: nothing is trained twice and nothing is left out.
func TestReplayTrainsEverythingOnce(t *testing.T) {
	for _, input := range []string{"coding.jsonl", "support.jsonl", "anthropic.jsonl", "responses.jsonl", "hermes.jsonl", "sharegpt.jsonl", "pi.jsonl",
		"claude-code.jsonl", "codex.jsonl", "orphans.jsonl", "atif.json", "session.traj"} {
		path, err := filepath.Abs(filepath.Join("..", "fixtures", input))
		if err != nil {
			t.Fatal(err)
		}
		session := slices.Contains([]string{"pi.jsonl", "claude-code.jsonl", "codex.jsonl"}, input)
		targets := append([]string{""}, formats.ConvertTargets()...)
		if input == "coding.jsonl" || input == "support.jsonl" { // large
			targets = []string{"", "sharegpt"}
		}
		for _, to := range targets {
			if to == "" && session {
				continue
			}
			t.Run(input+" to "+to, func(t *testing.T) {
				t.Parallel()
				var args []string
				if to != "" {
					args = []string{"--to", to}
				}
				small := []string{"--threshold", "700", "--protect-last", "3", "--protect-first", "2", "--ledger-tokens", "100", "--max-summary-tokens", "200"}
				parts := segmentsIn(t, replayed(t, path, "parts.jsonl", append(small, args...)...))
				whole := segmentsIn(t, replayed(t, path, "whole.jsonl", append([]string{"--threshold", "100m"}, args...)...))
				several := false
				for id, list := range whole {
					if len(list) != 1 {
						t.Fatalf("%s: %d segments without compaction", id, len(list))
					}
					several = several || len(parts[id]) > 1
					got, want := fresh(t, parts[id]), fresh(t, list)
					if len(got) != len(want) {
						t.Errorf("%s: %d new messages in %d segments, the conversation has %d", id, len(got), len(parts[id]), len(want))
					}
					for i := range min(len(got), len(want)) {
						if got[i] != want[i] {
							t.Fatalf("%s: new message %d:\n%.500s\nwant:\n%.500s", id, i, got[i], want[i])
						}
					}
				}
				if len(parts) != len(whole) || len(whole) == 0 {
					t.Errorf("%d and %d conversations", len(parts), len(whole))
				}
				if big := input == "coding.jsonl" || input == "hermes.jsonl" || input == "anthropic.jsonl"; big && !several {
					t.Error("nothing was compacted")
				}
			})
		}
	}
}

// recount reckons the calls of a segment with nothing but the meter: the prompt of a call is what stands before it.
func recount(t *testing.T, meter *compress.Meter, s writtenSegment, sum *replay.Totals) {
	t.Helper()
	conv, err := formats.Decode(formats.Record{Raw: s.record}, dialects())
	if err != nil {
		t.Fatal(err)
	}
	list := conv.Messages
	for i := len(list) - (s.NewMessages[1] - s.NewMessages[0]); i < len(list); i++ {
		if list[i].Role != formats.RoleAssistant {
			continue
		}
		size := meter.Size(list[i])
		sum.Completion += int64(size.Total - size.Results)
		if i > 0 && list[i-1].Role == formats.RoleAssistant {
			continue // one more piece of the same answer
		}
		prompt := meter.Conversation(conv.With(list[:i]))
		sum.Calls++
		sum.Prompt += int64(prompt)
		sum.Largest = max(sum.Largest, prompt)
	}
}

// The timeline's figures are those of an independent count of the segments that were written.
func TestReplayTimelineAddsUp(t *testing.T) {
	counter, err := tokens.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	meter := &compress.Meter{Counter: counter, MediaTokens: compress.DefaultMediaTokens}
	for _, input := range []string{"coding.jsonl", "support.jsonl", "anthropic.jsonl", "hermes.jsonl"} {
		path, err := filepath.Abs(filepath.Join("..", "fixtures", input))
		if err != nil {
			t.Fatal(err)
		}
		rows := filepath.Join(t.TempDir(), "rows.jsonl")
		small := []string{"--threshold", "900", "--protect-last", "3", "--max-summary-tokens", "200", "--report", rows}
		parts := segmentsIn(t, replayed(t, path, "parts.jsonl", small...))
		whole := segmentsIn(t, replayed(t, path, "whole.jsonl", "--threshold", "100m"))
		data, err := os.ReadFile(rows)
		if err != nil {
			t.Fatal(err)
		}
		compacted := 0
		for line := range bytes.Lines(data) {
			var row replay.Timeline
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			var with, without replay.Totals
			for _, s := range parts[row.ID] {
				recount(t, meter, s, &with)
			}
			recount(t, meter, whole[row.ID][0], &without)
			got := row.Totals
			if got.Calls != with.Calls || got.Prompt != with.Prompt || got.Completion != with.Completion || got.Largest != with.Largest ||
				got.Uncompacted != without.Prompt || row.Segments != len(parts[row.ID]) || got.Compactions < row.Segments-1 {
				t.Errorf("%s %s: the timeline says %+v, the segments %+v, without compaction %+v", input, row.ID, got, with, without)
			}
			compacted += got.Compactions
		}
		if compacted == 0 {
			t.Errorf("%s: nothing was compacted", input)
		}
	}
}

// What is written does not depend on the number of workers, and neither does the timeline but for the time.
func TestReplayIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	path, err := filepath.Abs("../fixtures/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	for _, workers := range []int{1, 2, 7} {
		rows := filepath.Join(t.TempDir(), "rows.jsonl")
		out := replayed(t, path, "out.jsonl", "--context-length", "2k", "--protect-last", "3", "--workers", fmt.Sprint(workers), "--report", rows)
		var all []byte
		for _, name := range []string{out, rows} {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, data...)
		}
		if first == nil {
			first = all
		}
		if !bytes.Equal(all, first) {
			t.Errorf("other bytes with %d workers", workers)
		}
	}
}

func TestSpans(t *testing.T) {
	for _, test := range []struct {
		set  []bool
		want string
	}{
		{nil, "[]"}, {[]bool{false, false}, "[]"}, {[]bool{true, true, false, true}, "[[0,2],[3,4]]"}, {[]bool{false, true}, "[[1,2]]"},
	} {
		if got := spansText(spansOf(test.set)); got != test.want {
			t.Errorf("%v: %s, want %s", test.set, got, test.want)
		}
	}
}

// A message in which conversion joined old and new is not new, and an answer that came later than others is found where it
// was moved to.
func TestTraceOfWhatConversionMoves(t *testing.T) {
	const raw = `{"messages":[{"role":"user","content":"go"},
		{"role":"assistant","content":"first","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"user","content":"still there?"},
		{"role":"assistant","content":"old half"},
		{"role":"assistant","content":"new half"},
		{"role":"tool","tool_call_id":"a","content":"late"},
		{"role":"user","content":"thanks"}]}`
	for to, want := range map[string]string{"sharegpt": "[[2,3],[5,6]]", "openai": "[[4,7]]", "anthropic": "[[4,5]]", "hermes": "[[2,3],[5,7]]"} {
		conv, err := formats.Decode(formats.Record{Raw: []byte(raw)}, dialects())
		if err != nil {
			t.Fatal(err)
		}
		run := &replayRun{compactRun: &compactRun{fileRun: &fileRun{settings: &Settings{To: to, LossSpans: true}}, compaction: &compaction{losses: &losses{}, mended: &losses{}}}}
		s := replay.Segment{Start: 4, End: 7, Messages: 7, Record: conv.Bytes(), Conversation: conv}
		w, err := run.segment(formats.Position{}, s)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s", to, w.payload)
		if got := spansText(w.fresh); got != want {
			t.Errorf("%s: %s, want %s", to, got, want)
		}
	}
}

// Real transcripts, where they are beside the project: a session with usage and compactions of its own, and runs with calls
// that nobody answered. Their segments are what the providers take, and everything in them is new once.
func TestReplayOfRealTranscripts(t *testing.T) {
	data := filepath.Join("..", "..", "shared", "data")
	for _, test := range []struct{ input, length string }{
		{"pi/before-compaction.jsonl", "200k"}, {"mini-swe-agent/sqlfluff__sqlfluff-1733.traj.json", "64k"},
	} {
		path, err := filepath.Abs(filepath.Join(data, test.input))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Skip("no real transcripts beside the project")
		}
		for _, to := range []string{"openai", "anthropic"} {
			parts := replayed(t, path, "parts.jsonl", "--to", to, "--context-length", test.length)
			whole := segmentsIn(t, replayed(t, path, "whole.jsonl", "--to", to, "--context-length", "100m"))
			for id, list := range segmentsIn(t, parts) {
				if len(list) < 3 {
					t.Errorf("%s to %s: %d segments", test.input, to, len(list))
				}
				if got, want := fresh(t, list), fresh(t, whole[id]); !slices.Equal(got, want) {
					t.Errorf("%s to %s: %d new messages, the conversation has %d", test.input, to, len(got), len(want))
				}
			}
			p := newTestProcess(t)
			code := p.run("validate", parts, "--target", to)
			if strings.Count(p.stdout.String(), "\n") == 1 && strings.Contains(p.stdout.String(), "Invalid value: 'exit'") {
				code = ExitDone // the last message of mini-SWE-agent's runs, which no API knows, stays what it was
			}
			if code != ExitDone {
				t.Errorf("%s to %s: %s%s", test.input, to, p.stdout.String(), p.stderr.String())
			}
		}
	}
}

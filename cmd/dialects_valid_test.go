package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/targets"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

// What a conversation is made of, whatever its dialect.
type spokenTurn struct {
	user     string // a user's turn; otherwise the assistant's
	thinking string
	text     string
	calls    []spokenCall
}

type spokenCall struct {
	id, name, arguments, result string
	unanswered                  bool
}

// speak makes up a conversation: parallel calls, calls without a result, users who interrupt.
func speak(r *rand.Rand, turns int) []spokenTurn {
	words := strings.Fields("the parser reads every line of config and then returns an error for tests in module seven")
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		return b.String()
	}
	list := []spokenTurn{{user: "Please fix the parser. " + text(20)}}
	for i := range turns {
		if r.IntN(6) == 0 && list[len(list)-1].user == "" {
			list = append(list, spokenTurn{user: fmt.Sprintf("Question %d: %s", i, text(12))})
			continue
		}
		t := spokenTurn{text: text(15)}
		if r.IntN(3) == 0 {
			t.thinking = text(10)
		}
		for k := range r.IntN(4) {
			t.calls = append(t.calls, spokenCall{
				id: fmt.Sprintf("call_%d_%d", i, k), name: []string{"read_file", "bash"}[r.IntN(2)],
				arguments: fmt.Sprintf(`{"path": "src/f%d.go", "text": %q}`, r.IntN(9), text(r.IntN(200))),
				result:    text(10 + r.IntN(300)), unanswered: r.IntN(12) == 0,
			})
		}
		list = append(list, t)
	}
	return append(list, spokenTurn{user: "Last question: " + text(8)}, spokenTurn{text: "Done."})
}

// object spells an object of keys and values in order; a value is a string, or raw JSON as json.RawMessage.
func object(fields ...any) json.RawMessage {
	var b bytes.Buffer
	for i := 0; i < len(fields); i += 2 {
		value, err := json.Marshal(fields[i+1])
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s%q:%s", []string{"{", ","}[min(i, 1)], fields[i], value)
	}
	return json.RawMessage(b.String() + "}")
}

type items = []json.RawMessage

// dialectRules says how a dialect spells a conversation, and what its own readers demand.
type dialectRules struct {
	dialect formats.Dialect
	spell   func([]spokenTurn) json.RawMessage
	check   func(raw []byte) []string
}

func allDialectRules() []dialectRules {
	return []dialectRules{
		{formats.Anthropic{}, spellAnthropic, checkAnthropic},
		{formats.Responses{}, spellResponses, checkResponses},
		{formats.ATIF{}, spellATIF, checkATIF},
		{formats.SWEAgent{}, spellSWEAgent, checkSWEAgent},
		{formats.SWEAgent{}, spellSWEAgentText, checkSWEAgentText},
	}
}

func spellAnthropic(turns []spokenTurn) json.RawMessage {
	var list items
	for _, t := range turns {
		if t.user != "" {
			list = append(list, object("role", "user", "content", t.user))
			continue
		}
		var blocks, results items
		if t.thinking != "" {
			blocks = append(blocks, object("type", "thinking", "thinking", t.thinking, "signature", "c2ln"))
		}
		blocks = append(blocks, object("type", "text", "text", t.text))
		for _, c := range t.calls {
			blocks = append(blocks, object("type", "tool_use", "id", c.id, "name", c.name, "input", json.RawMessage(c.arguments)))
			if !c.unanswered {
				results = append(results, object("type", "tool_result", "tool_use_id", c.id, "content", c.result))
			}
		}
		list = append(list, object("role", "assistant", "content", blocks))
		if len(results) > 0 {
			list = append(list, object("role", "user", "content", results))
		}
	}
	return object("model", "claude", "system", "You fix parsers.", "messages", list)
}

// checkAnthropic: every tool_use is answered in the next message, results come first there, no result answers nothing,
// no content is empty, and thinking stands in front.
func checkAnthropic(raw []byte) (wrong []string) {
	var record struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	mustDecode(raw, &record)
	type block struct {
		Type, ID, Text, Signature string
		ToolUseID                 string `json:"tool_use_id"`
	}
	var open []string
	for i, m := range record.Messages {
		var blocks []block
		if m.Content[0] == '[' {
			mustDecode(m.Content, &blocks)
		} else if string(m.Content) == `""` {
			wrong = append(wrong, fmt.Sprintf("message %d is empty", i))
		}
		text := false
		var calls []string
		for _, b := range blocks {
			switch b.Type {
			case "tool_result":
				at := slices.Index(open, b.ToolUseID)
				if at < 0 || text || m.Role != "user" {
					wrong = append(wrong, fmt.Sprintf("message %d: result %s (open %v, behind text %v)", i, b.ToolUseID, open, text))
					continue
				}
				open = slices.Delete(open, at, at+1)
			case "tool_use":
				calls = append(calls, b.ID)
			case "thinking":
				if text || b.Signature != "c2ln" {
					wrong = append(wrong, fmt.Sprintf("message %d: thinking changed or moved", i))
				}
			case "text":
				if text = true; b.Text == "" {
					wrong = append(wrong, fmt.Sprintf("message %d: an empty text", i))
				}
			}
		}
		if len(open) > 0 {
			wrong = append(wrong, fmt.Sprintf("message %d: %v unanswered", i, open))
		}
		open = calls
	}
	if len(record.Messages) > 0 && record.Messages[0].Role != "user" {
		wrong = append(wrong, "the first message is not the user's")
	}
	return wrong
}

func spellResponses(turns []spokenTurn) json.RawMessage {
	var list items
	for _, t := range turns {
		if t.user != "" {
			list = append(list, object("type", "message", "role", "user", "content", items{object("type", "input_text", "text", t.user)}))
			continue
		}
		if t.thinking != "" {
			list = append(list, object("type", "reasoning", "id", "rs", "summary", items{object("type", "summary_text", "text", t.thinking)}, "encrypted_content", "x"))
		}
		list = append(list, object("type", "message", "role", "assistant", "content", items{object("type", "output_text", "text", t.text)}))
		for _, c := range t.calls {
			list = append(list, object("type", "function_call", "call_id", c.id, "name", c.name, "arguments", c.arguments))
		}
		for _, c := range t.calls {
			if !c.unanswered {
				list = append(list, object("type", "function_call_output", "call_id", c.id, "output", c.result))
			}
		}
	}
	return object("instructions", "You fix parsers.", "input", list)
}

// checkResponses: "No tool output found for function call", "No tool call found for function call output", "reasoning was
// provided without its required following item", and parts of the kind that the role allows.
func checkResponses(raw []byte) (wrong []string) {
	var record struct {
		Input []struct {
			Type, Role string
			CallID     string `json:"call_id"`
			Content    []struct{ Type string }
		}
	}
	mustDecode(raw, &record)
	calls, outputs := map[string]int{}, map[string]int{}
	for i, item := range record.Input {
		switch item.Type {
		case "function_call":
			calls[item.CallID]++
		case "function_call_output":
			if outputs[item.CallID]++; calls[item.CallID] == 0 {
				wrong = append(wrong, fmt.Sprintf("item %d: no tool call found for %s", i, item.CallID))
			}
		case "reasoning":
			if i+1 == len(record.Input) || record.Input[i+1].Role == "user" || record.Input[i+1].Type == "function_call_output" {
				wrong = append(wrong, fmt.Sprintf("item %d: reasoning without what it led to", i))
			}
		case "message":
			for _, part := range item.Content {
				if want := map[string]string{"user": "input_text", "assistant": "output_text"}[item.Role]; part.Type != want {
					wrong = append(wrong, fmt.Sprintf("item %d: %s in a message of %s", i, part.Type, item.Role))
				}
			}
		default:
			wrong = append(wrong, fmt.Sprintf("item %d has the type %q", i, item.Type))
		}
	}
	for id := range calls {
		if outputs[id] != 1 {
			wrong = append(wrong, fmt.Sprintf("%d outputs for %s", outputs[id], id))
		}
	}
	return wrong
}

func spellATIF(turns []spokenTurn) json.RawMessage {
	list := items{object("step_id", 1, "source", "system", "message", "You fix parsers.")}
	for _, t := range turns {
		id := len(list) + 1
		if t.user != "" {
			list = append(list, object("step_id", id, "source", "user", "message", t.user))
			continue
		}
		fields := []any{"step_id", id, "source", "agent", "model_name", "m", "message", t.text}
		if t.thinking != "" {
			fields = append(fields, "reasoning_content", t.thinking)
		}
		var calls, results items
		for _, c := range t.calls {
			calls = append(calls, object("tool_call_id", c.id, "function_name", c.name, "arguments", json.RawMessage(c.arguments)))
			if !c.unanswered {
				results = append(results, object("source_call_id", c.id, "content", c.result))
			}
		}
		if len(calls) > 0 {
			fields = append(fields, "tool_calls", calls)
		}
		if len(results) > 0 {
			fields = append(fields, "observation", object("results", results))
		}
		list = append(list, object(fields...))
	}
	return object("schema_version", "ATIF-v1.4", "session_id", "s", "agent", object("name", "a", "version", "1"), "steps", list,
		"final_metrics", object("total_steps", len(list)))
}

// checkATIF: Harbor's models. Steps are numbered from 1, know no other keys, only the agent's have calls, and each result
// names a call of its own step. Their number is that of the steps.
func checkATIF(raw []byte) (wrong []string) {
	var record struct {
		Steps        []map[string]json.RawMessage
		FinalMetrics struct {
			TotalSteps int `json:"total_steps"`
		} `json:"final_metrics"`
	}
	mustDecode(raw, &record)
	if n := record.FinalMetrics.TotalSteps; n != len(record.Steps) {
		wrong = append(wrong, fmt.Sprintf("%d steps in total, of %d", n, len(record.Steps)))
	}
	known := []string{
		"step_id", "timestamp", "source", "model_name", "reasoning_effort", "message", "reasoning_content", "tool_calls",
		"observation", "metrics", "extra",
	}
	for i, step := range record.Steps {
		for key := range step {
			if !slices.Contains(known, key) {
				wrong = append(wrong, fmt.Sprintf("step %d has the key %s", i, key))
			}
		}
		if string(step["step_id"]) != fmt.Sprint(i+1) {
			wrong = append(wrong, fmt.Sprintf("step %d has the number %s", i, step["step_id"]))
		}
		var calls []struct {
			ID        string                     `json:"tool_call_id"`
			Arguments map[string]json.RawMessage `json:"arguments"`
		}
		var observation struct {
			Results []struct {
				ID string `json:"source_call_id"`
			}
		}
		if step["tool_calls"] != nil {
			mustDecode(step["tool_calls"], &calls)
		}
		if step["observation"] != nil {
			mustDecode(step["observation"], &observation)
		}
		if string(step["source"]) != `"agent"` && (len(calls) > 0 || step["model_name"] != nil || step["reasoning_content"] != nil) {
			wrong = append(wrong, fmt.Sprintf("step %d has fields of the agent", i))
		}
		if len(calls) != len(observation.Results) {
			wrong = append(wrong, fmt.Sprintf("step %d: %d calls, %d results", i, len(calls), len(observation.Results)))
		}
		for _, r := range observation.Results {
			found := false
			for _, c := range calls {
				found = found || c.ID == r.ID
			}
			if !found {
				wrong = append(wrong, fmt.Sprintf("step %d: result of %s, which is no call of it", i, r.ID))
			}
		}
	}
	return wrong
}

func spellSWEAgent(turns []spokenTurn) json.RawMessage {
	list := items{object("role", "system", "content", "You fix parsers.", "agent", "main", "message_type", "system_prompt")}
	for _, t := range turns {
		if t.user != "" {
			list = append(list, object("role", "user", "content", t.user, "agent", "main", "message_type", "observation"))
			continue
		}
		var calls, results items
		for _, c := range t.calls {
			calls = append(calls, object("type", "function", "id", c.id, "function", object("name", c.name, "arguments", c.arguments)))
			if !c.unanswered {
				results = append(results, object("role", "tool", "content", c.result, "agent", "main", "message_type", "observation", "tool_call_ids", []string{c.id}))
			}
		}
		fields := []any{"role", "assistant", "content", t.text, "agent", "main", "message_type", "action"}
		if len(calls) > 0 {
			fields = append(fields, "tool_calls", calls)
		}
		list = append(append(list, object(fields...)), results...)
	}
	return object("trajectory", items{}, "history", list)
}

type sweMessage struct {
	Role, Agent, Content string
	MessageType          string                `json:"message_type"`
	ToolCallIDs          []string              `json:"tool_call_ids"`
	ToolCalls            []struct{ ID string } `json:"tool_calls"`
}

// checkSWEAgent: every message has its agent, and answers follow their calls, each with one id.
func checkSWEAgent(raw []byte) (wrong []string) {
	var record struct{ History []sweMessage }
	mustDecode(raw, &record)
	var open []string
	for i, m := range record.History {
		if m.Agent != "main" {
			wrong = append(wrong, fmt.Sprintf("message %d has the agent %q", i, m.Agent))
		}
		if m.Role == "tool" {
			at := -1
			if len(m.ToolCallIDs) == 1 {
				at = slices.Index(open, m.ToolCallIDs[0])
			}
			if at < 0 {
				wrong = append(wrong, fmt.Sprintf("message %d answers %v, open are %v", i, m.ToolCallIDs, open))
				continue
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			wrong = append(wrong, fmt.Sprintf("message %d comes before the answers of %v", i, open))
		}
		open = nil
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	return wrong
}

func spellSWEAgentText(turns []spokenTurn) json.RawMessage {
	list := items{
		object("role", "system", "content", "You fix parsers.", "agent", "main"),
		object("role", "user", "content", turns[0].user, "agent", "main"),
	}
	for _, t := range turns {
		if t.user == "" {
			list = append(list, object("role", "assistant", "content", t.text, "agent", "main"))
			for _, c := range t.calls[:min(1, len(t.calls))] {
				list = append(list, object("role", "user", "content", c.result, "agent", "main"))
			}
		}
	}
	return object("history", list)
}

// checkSWEAgentText: what a command printed follows a command.
func checkSWEAgentText(raw []byte) (wrong []string) {
	var record struct{ History []sweMessage }
	mustDecode(raw, &record)
	for i, m := range record.History {
		isOutput := i > 2 && m.Role == "user" && m.MessageType == ""
		if isOutput && (record.History[i-1].Role != "assistant" || record.History[i-1].MessageType == "summary") {
			wrong = append(wrong, fmt.Sprintf("message %d: output behind a turn of %s", i, record.History[i-1].Role))
		}
	}
	return wrong
}

func mustDecode(raw []byte, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		panic(fmt.Sprintf("%v: %s", err, raw))
	}
}

func testCompressor(t *testing.T, o compress.Options) *compress.Compressor {
	t.Helper()
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	c, err := compress.NewCompressor(o, &compress.Meter{Counter: counter}, extractive.Summarizer{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// After compaction a conversation is valid in its dialect's own terms, whatever was wrong with it before; with an ample
// window it keeps its bytes.
func TestCompactedDialectsAreValid(t *testing.T) {
	for _, rules := range allDialectRules() {
		changed := 0
		for seed := range uint64(25) {
			r := rand.New(rand.NewPCG(seed, 7))
			raw := []byte(rules.spell(speak(r, 10+r.IntN(80))))
			o := compress.Options{ContextLength: 3000 + r.IntN(6000), ProtectLast: 1 + r.IntN(8), TargetRatio: 0.1 + r.Float64()/2}
			if r.IntN(2) == 0 {
				o.Strategy, o.Window, o.TailOverflow = compress.Fit, 1500+r.IntN(3000), compress.OverflowDemote
			}
			rec := formats.Record{Pos: formats.Position{File: "a.traj", Line: 1}, Raw: raw}
			conv, err := formats.DecodeAs(rec, rules.dialect)
			if err != nil {
				t.Fatal(err)
			}
			res, err := testCompressor(t, o).Compact(context.Background(), conv, 0)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status == compress.Failed {
				t.Errorf("%s, seed %d: %s", rules.dialect.Name(), seed, res.Reason)
			}
			if !res.Status.Changed() {
				continue
			}
			changed++
			out := conv.With(res.Messages).Bytes()
			if wrong := rules.check(out); len(wrong) > 0 {
				t.Errorf("%s, seed %d, %s:\n%s", rules.dialect.Name(), seed, res.Status, strings.Join(wrong, "\n"))
			}
			if again, marker, err := detected(out); err != nil || again != rules.dialect.Name() && bytes.Contains(out, []byte("call_")) {
				t.Errorf("%s, seed %d: taken for %s (%s), %v", rules.dialect.Name(), seed, again, marker, err)
			}
		}
		if changed < 8 {
			t.Errorf("%s: only %d of 25 conversations were compacted", rules.dialect.Name(), changed)
		}
	}
}

func detected(raw []byte) (name, marker string, err error) {
	c, err := formats.Decode(formats.Record{Pos: formats.Position{File: "a.traj", Line: 1}, Raw: raw}, dialects())
	if err != nil {
		return "", "", err
	}
	return c.Dialect, c.Marker, nil
}

// sharedData is the folder of real transcripts beside the project, which is not always there.
func sharedData(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", "data")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no shared data")
	}
	return dir
}

// Real trajectories: recognised, kept byte for byte when nothing fires, valid after compaction.
func TestRealTrajectories(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(sharedData(t), "swe-agent", "*.traj"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		conv, err := formats.Decode(formats.Record{Pos: formats.Position{File: name, Line: 1}, Raw: raw}, dialects())
		if err != nil || conv.Dialect != "swe-agent" {
			t.Fatalf("%s: %s, %v", name, conv.Dialect, err)
		}
		if !bytes.Equal(conv.Bytes(), raw) {
			t.Errorf("%s: changed without an edit", name)
		}
		p := formats.Pair(conv.Messages)
		if len(p.Orphans) > 0 {
			t.Errorf("%s: %d results without a call", name, len(p.Orphans))
		}
		res, err := testCompressor(t, compress.Options{ContextLength: 4000, ProtectLast: 4}).Compact(context.Background(), conv, 0)
		if err != nil || res.Status == compress.Failed {
			t.Fatalf("%s: %s %s, %v", name, res.Status, res.Reason, err)
		}
		if !res.Status.Changed() {
			continue
		}
		out := conv.With(res.Messages).Bytes()
		again, err := formats.Decode(formats.Record{Pos: formats.Position{File: name, Line: 1}, Raw: out}, dialects())
		if err != nil || again.Dialect != "swe-agent" {
			t.Fatalf("%s: %s, %v", name, again.Dialect, err)
		}
		if p := formats.Pair(again.Messages); len(p.Orphans) > 0 || len(p.Open) > 1 {
			t.Errorf("%s: %d results without a call, %d calls without a result", name, len(p.Orphans), len(p.Open))
		}
	}
}

// chat is a conversation that every target takes: people and the model in turn, every call answered.
func chat(r *rand.Rand, rounds int) json.RawMessage {
	list := items{object("role", "system", "content", "You fix parsers.")}
	for i := range rounds {
		list = append(list, object("role", "user", "content", fmt.Sprintf("Question %d: ", i)+strings.Repeat("why does it fail ", r.IntN(30))))
		for k := range r.IntN(5) {
			id := fmt.Sprintf("call_%d_%d", i, k)
			call := object("id", id, "type", "function", "function", object("name", "read", "arguments", fmt.Sprintf(`{"n": %d}`, k)))
			list = append(list, object("role", "assistant", "content", "I look.", "tool_calls", items{call}),
				object("role", "tool", "tool_call_id", id, "content", strings.Repeat("a line of the file\n", r.IntN(80))))
		}
		list = append(list, object("role", "assistant", "content", strings.Repeat("because of this ", 1+r.IntN(40))))
	}
	return object("messages", list)
}

// What a target took before compaction it takes afterwards.
func TestTargetsTakeWhatTheyTook(t *testing.T) {
	for _, test := range []struct{ target, dialect string }{
		{"llamafactory", "openai"}, {"torchtune", "openai"}, {"mistral", "openai"}, {"openai", "openai"}, {"openai-ft", "openai"},
		{"axolotl", "openai"}, {"anthropic", "anthropic"},
	} {
		target, _ := targets.ByName(test.target)
		changed := 0
		for seed := range uint64(15) {
			r := rand.New(rand.NewPCG(seed, 3))
			raw := []byte(chat(r, 10+r.IntN(30)))
			conv, err := formats.Decode(formats.Record{Raw: raw}, dialects())
			if err != nil {
				t.Fatal(err)
			}
			converted, err := formats.Convert(conv, test.dialect)
			if err != nil {
				t.Fatal(err)
			}
			raw = converted.Payload
			dialect, _ := namedDialect(test.dialect)
			if conv, err = formats.DecodeAs(formats.Record{Raw: raw}, dialect); err != nil {
				t.Fatal(err)
			}
			if b := target.Check(targets.Record{Conversation: conv, Payload: raw}); len(b) > 0 {
				t.Fatalf("%s, seed %d: the input is refused: %v", test.target, seed, b)
			}
			o := compress.Options{ContextLength: 2000 + r.IntN(3000), ProtectLast: 1 + r.IntN(8), TargetRatio: 0.1 + r.Float64()/2}
			res, err := testCompressor(t, o).Compact(context.Background(), conv, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !res.Status.Changed() {
				continue
			}
			changed++
			out := conv.With(res.Messages).Bytes()
			after, err := formats.DecodeAs(formats.Record{Raw: out}, dialect)
			if err != nil {
				t.Fatal(err)
			}
			if b := target.Check(targets.Record{Conversation: after, Payload: out}); len(b) > 0 {
				t.Errorf("%s, seed %d: %v", test.target, seed, b)
			}
		}
		if changed < 5 {
			t.Errorf("%s: only %d of 15 conversations were compacted", test.target, changed)
		}
	}
}

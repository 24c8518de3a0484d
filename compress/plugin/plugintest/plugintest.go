// Package plugintest is a context engine for tests: a program that speaks the protocol of plugins, well or badly in one
// way. A test binary runs it when it is called for that (see Main), so that no other language is needed.
package plugintest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Good is the mode of an engine that does everything right. The others do all that is asked for right, and something else
// besides.
const (
	Good      = "good"
	LateWords = "late-words" // speaks after the end of a session
	LateEnd   = "late-end"   // ends after the end of a session
	Child     = "child"      // starts a program that outlives it, unless it is ended too
)

// Mode is one way to be broken.
type Mode struct {
	Name   string
	Rule   string // the rule of the conformance suite that fails
	Reason string // part of what it says
	Status string // of a record that is to be compacted
}

// Broken are the ways to be broken.
func Broken() []Mode {
	return []Mode{
		{"hang", "compress", "no answer to compress within", "failed"},
		{"crash", "compress", "ended without an answer to compress (exit code 7); it last said: about to fall over", "failed"},
		{"exit", "compress", "ended without an answer to compress", "failed"},
		{"flood", "compress", "flooded ctxpack", "failed"},
		{"garbage", "compress", "no JSON-RPC answer: Traceback", "failed"},
		{"wrong-id", "compress", "wrong id: 4711", "failed"},
		{"wrong-version", "compress", "not of JSON-RPC 2.0", "failed"},
		{"twice", "compress", "wrong id", "failed"},
		{"refuses", "compress", "I would rather not (code -32000)", "failed"},
		{"breaks-pairs", "pairs", "without its call", "failed"},
		{"drops-human", "last_human", "last human message", "failed"},
		{"drops-system", "system", "system text", "failed"},
		{"invents-call", "invented", "never made", "failed"},
		{"reorders", "order", "stands behind", "failed"},
		{"empties", "not_empty", "nothing is left", "failed"},
		{"neighbours", "turns", "neighbours of one role", "failed"},
		{"grows", "smaller", "became", "no_gain"},
		{"drops-human-later", "grows_on", "last human message", "summarized"},
		{"status-keys", "status", "a key that no status has: mood", "failed"},
		{"no-status", "threshold", "no threshold", "summarized"},
		{"backwards", "should_compress", "", "summarized"},
		{"refuses-end", "end", "answered session_end with an error", "failed"},
		{"forgets-count", "compression_count", "", "summarized"},
		{"deaf", "update", "", "summarized"},
		{"tools", "tools", "", "summarized"},
		{"never-resets", "reset", "", "summarized"},
	}
}

// Main runs the engine of a mode until its input ends, and gives its exit code.
func Main(mode string, in io.Reader, out, errs io.Writer) int {
	e := &engine{mode: mode, out: bufio.NewWriter(out), errs: errs}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var call call
		if json.Unmarshal(line, &call) != nil {
			return 2
		}
		if code, ends := e.serve(call); ends {
			return code
		}
	}
}

type call struct {
	ID     int64           `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type engine struct {
	mode string
	out  *bufio.Writer
	errs io.Writer

	length, threshold, prompt, count int
	initialized, sessions            int
}

func (e *engine) write(value any) {
	_ = json.NewEncoder(e.out).Encode(value)
	_ = e.out.Flush()
}

func (e *engine) answer(id int64, result any) {
	e.write(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func (e *engine) fail(id int64, code int, text string) {
	e.write(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
}

// serve answers one call; ends says that the program ends with the code.
func (e *engine) serve(c call) (code int, ends bool) {
	var p struct {
		Length int            `json:"context_length"`
		Tokens int            `json:"prompt_tokens"`
		Usage  map[string]int `json:"usage"`
		Name   string         `json:"name"`

		Messages []map[string]any `json:"messages"`
		Settings struct {
			Threshold int    `json:"threshold"`
			Refuse    string `json:"refuse"`
		} `json:"settings"`
	}
	if json.Unmarshal(c.Params, &p) != nil {
		e.fail(c.ID, -32602, "these are no parameters")
		return 0, false
	}
	switch c.Method {
	case "initialize":
		if p.Settings.Refuse != "" {
			e.fail(c.ID, -32000, p.Settings.Refuse)
			return 0, false
		}
		e.initialized++
		e.length, e.threshold = p.Length, p.Length/2
		if e.length == 0 {
			e.threshold = 64000
		}
		if p.Settings.Threshold > 0 {
			e.threshold = p.Settings.Threshold
		}
		e.answer(c.ID, map[string]any{})
	case "session_start":
		e.prompt, e.count = 0, 0
		e.sessions++
		e.answer(c.ID, nil)
	case "update_from_response":
		if e.mode != "deaf" {
			e.prompt = p.Usage["prompt_tokens"]
		}
		e.answer(c.ID, nil)
	case "should_compress":
		fires := p.Tokens >= e.threshold
		if e.mode == "backwards" {
			fires = !fires || p.Tokens < 100_000
		}
		e.answer(c.ID, map[string]bool{"compress": fires})
	case "compress":
		if e.mode != "forgets-count" {
			e.count++
		}
		return e.compress(c.ID, p.Messages)
	case "status":
		e.status(c.ID)
	case "session_reset":
		if e.mode != "never-resets" {
			e.prompt, e.count = 0, 0
		}
		e.answer(c.ID, nil)
	case "session_end":
		if e.mode == LateWords {
			defer e.write("I have something to add")
		}
		if e.mode == LateEnd {
			defer func() { code, ends = 5, true }()
		}
		if e.mode == Child {
			e.startChild()
		}
		if e.mode == "refuses-end" {
			e.fail(c.ID, -32000, "not yet")
			return 0, false
		}
		e.answer(c.ID, nil)
	case "tool_schemas":
		e.answer(c.ID, map[string]any{"tools": e.tools()})
	case "handle_tool_call":
		if p.Name != "recall" && e.mode != "tools" {
			e.answer(c.ID, map[string]string{"error": "unknown tool: " + p.Name})
			return 0, false
		}
		e.answer(c.ID, e.facts())
	default:
		e.fail(c.ID, -32601, "method not found")
	}
	return 0, false
}

// Facts are what the tool recall answers.
type Facts struct {
	PID         int      `json:"pid"`
	Initialized int      `json:"initialized"` // how often
	Sessions    int      `json:"sessions"`
	Length      int      `json:"length"`
	Variables   []string `json:"variables"` // names
	Dir         string   `json:"dir"`
}

func (e *engine) facts() Facts {
	f := Facts{PID: os.Getpid(), Initialized: e.initialized, Sessions: e.sessions, Length: e.length}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		f.Variables = append(f.Variables, name)
	}
	f.Dir, _ = os.Getwd() // "" says that it is not known
	return f
}

// startChild starts a program, and writes its number into the file child.
func (e *engine) startChild() {
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		_, _ = fmt.Fprintln(e.errs, err)
		return
	}
	_ = os.WriteFile("child", fmt.Appendf(nil, "%d", child.Process.Pid), 0o600)
}

func (e *engine) tools() []any {
	return []any{map[string]any{"type": "function", "function": map[string]any{
		"name": "recall", "description": "How often this conversation was compacted", "parameters": map[string]any{"type": "object", "properties": map[string]any{}}}}}
}

func (e *engine) status(id int64) {
	if e.mode == "no-status" {
		e.fail(id, -32601, "method not found")
		return
	}
	percent := 0.0
	if e.length > 0 {
		percent = min(100, 100*float64(e.prompt)/float64(e.length))
	}
	status := map[string]any{"last_prompt_tokens": e.prompt, "threshold_tokens": e.threshold, "context_length": e.length,
		"usage_percent": percent, "compression_count": e.count}
	if e.mode == "status-keys" {
		status["mood"] = "good"
	}
	e.answer(id, status)
}

// compress answers as the mode has it.
func (e *engine) compress(id int64, messages []map[string]any) (code int, ends bool) {
	switch e.mode {
	case "hang":
		time.Sleep(time.Hour)
	case "crash":
		_, _ = fmt.Fprintln(e.errs, "about to fall over")
		_, _ = e.out.WriteString(`{"jsonrpc": "2.0", "id":`)
		_ = e.out.Flush()
		return 7, true
	case "exit":
		return 0, true
	case "flood":
		for {
			if _, err := e.out.WriteString(strings.Repeat("flood ", 1<<12)); err != nil {
				return 1, true
			}
		}
	case "garbage":
		_, _ = e.out.WriteString("Traceback (most recent call last):\n")
		_ = e.out.Flush()
		return 0, false
	case "wrong-id":
		e.answer(4711, map[string]any{"messages": messages})
		return 0, false
	case "wrong-version":
		e.write(map[string]any{"jsonrpc": "1.0", "id": id, "result": map[string]any{"messages": messages}})
		return 0, false
	case "refuses":
		e.fail(id, -32000, "I would rather not")
		return 0, false
	}
	e.answer(id, map[string]any{"messages": e.list(messages)})
	if e.mode == "twice" {
		e.answer(id, map[string]any{"messages": messages})
	}
	return 0, false
}

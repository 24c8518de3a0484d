package plugin_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/enginetest"
	"github.com/ctxpack/ctxpack/compress/plugin"
	"github.com/ctxpack/ctxpack/compress/plugin/plugintest"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
)

// asEngine is the first argument with which the test binary is a context engine.
const asEngine = "be-a-context-engine"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == asEngine {
		syscall.Exit(plugintest.Main(os.Args[2], os.Stdin, os.Stdout, os.Stderr)) // with os.Exit a race detector's process would linger for a second
	}
	os.Exit(m.Run())
}

func options(t *testing.T, mode string) plugin.Options {
	t.Helper()
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return plugin.Options{
		Manifest: plugin.Manifest{Name: "test", Version: "1", Command: []string{self, asEngine, mode}},
		Dir:      t.TempDir(), Environ: os.Environ(), Timeout: 20 * time.Second, Processes: 2, Meter: &compress.Meter{Counter: counter},
	}
}

func open(t *testing.T, o plugin.Options) *plugin.Engine {
	t.Helper()
	e, err := plugin.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestGoodPluginKeepsTheContract(t *testing.T) {
	o := options(t, plugintest.Good)
	for _, one := range enginetest.Run(context.Background(), open(t, o), enginetest.Options{Meter: o.Meter}) {
		if one.Verdict != enginetest.OK {
			t.Errorf("%s: %s: %s", one.Rule, one.Verdict, one.Reason)
		}
	}
}

// Each broken engine fails the suite for its own reason and for nothing else, and costs a run the one record.
func TestBrokenPlugins(t *testing.T) {
	if n := len(plugintest.Broken()); n < 10 {
		t.Fatalf("only %d", n)
	}
	for _, mode := range plugintest.Broken() {
		t.Run(mode.Name, func(t *testing.T) {
			t.Parallel()
			o := options(t, mode.Name)
			if mode.Name == "hang" {
				o.Timeout = time.Second
			}
			o.MaxLine = 4 << 20
			e := open(t, o)
			failed := 0
			for _, one := range enginetest.Run(context.Background(), e, enginetest.Options{Meter: o.Meter}) {
				if one.Verdict != enginetest.Fail {
					continue
				}
				if failed++; one.Rule != mode.Rule || !strings.Contains(one.Reason, mode.Reason) {
					t.Errorf("fails %s: %s; want %s: %s", one.Rule, one.Reason, mode.Rule, mode.Reason)
				}
			}
			if failed != 1 {
				t.Errorf("%d rules fail", failed)
			}
			runner := compress.Runner{Engine: e, Meter: o.Meter}
			for range 2 { // a process that was killed is replaced
				r, err := runner.Compact(context.Background(), conversation(t), compress.SessionInfo{ID: "a", ContextLength: 1000})
				if err != nil || string(r.Status) != mode.Status {
					t.Errorf("status %s, want %s: %s %v", r.Status, mode.Status, r.Reason, err)
				}
				if r.Status == compress.Failed && (r.Code != "engine" || !strings.Contains(r.Reason, mode.Reason) || r.Messages != nil) {
					t.Errorf("code %s, reason %s", r.Code, r.Reason)
				}
			}
		})
	}
}

// conversation is one that is to be compacted in a window of 1,000 tokens.
func conversation(t *testing.T) *formats.Conversation {
	t.Helper()
	long := strings.Repeat("words and words ", 60)
	var list []string
	say := func(m map[string]any) {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(b))
	}
	say(map[string]any{"role": "system", "content": "Be careful."})
	for range 3 {
		say(map[string]any{"role": "user", "content": "please go on " + long})
		call := map[string]any{"id": "call_1", "type": "function", "function": map[string]any{"name": "read", "arguments": "{}"}}
		say(map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}})
		say(map[string]any{"role": "tool", "tool_call_id": "call_1", "content": long})
		say(map[string]any{"role": "assistant", "content": "done " + long})
	}
	say(map[string]any{"role": "user", "content": "And the last one?"})
	call := map[string]any{"id": "call_2", "type": "function", "function": map[string]any{"name": "read", "arguments": "{}"}}
	say(map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}})
	say(map[string]any{"role": "tool", "tool_call_id": "call_2", "content": "short"})
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(`{"messages":[` + strings.Join(list, ",") + `]}`)}, formats.OpenAI{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

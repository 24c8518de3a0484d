package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/plugin"
	"github.com/ctxpack/ctxpack/compress/plugin/plugintest"
)

// recall asks a session what its process knows of itself.
func recall(t *testing.T, s compress.Session) plugintest.Facts {
	t.Helper()
	answer, err := s.(compress.ToolProvider).HandleToolCall(context.Background(), "recall", "{}")
	var f plugintest.Facts
	if err != nil || json.Unmarshal([]byte(answer), &f) != nil || f.PID == 0 {
		t.Fatal(answer, err)
	}
	return f
}

func session(t *testing.T, e *plugin.Engine, length int) compress.Session {
	t.Helper()
	s, err := e.NewSession(context.Background(), compress.SessionInfo{ID: "s", ContextLength: length})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func end(t *testing.T, s compress.Session) {
	t.Helper()
	if err := compress.EndSession(context.Background(), s); err != nil {
		t.Error(err)
	}
}

// One process serves one session after another, is initialized again when the window is another one, and runs in its
// directory with an environment that holds no keys.
func TestProcessesAreReused(t *testing.T) {
	o := options(t, plugintest.Good)
	o.Environ = append(os.Environ(), "OPENAI_API_KEY=secret", "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=secret")
	e := open(t, o)
	first := session(t, e, 1000)
	a := recall(t, first)
	end(t, first)
	second := session(t, e, 1000)
	b := recall(t, second)
	end(t, second)
	third := session(t, e, 2000)
	c := recall(t, third)
	if a.PID != b.PID || b.PID != c.PID || b.Sessions != 2 || b.Initialized != a.Initialized || c.Initialized != b.Initialized+1 || c.Length != 2000 {
		t.Errorf("%+v\n%+v\n%+v", a, b, c)
	}
	fourth := session(t, e, 2000)
	if d := recall(t, fourth); d.PID == c.PID {
		t.Error("two sessions at a time share a process")
	}
	end(t, third)
	end(t, fourth)
	if !slices.Contains(a.Variables, "PATH") || !slices.Contains(a.Variables, "LC_ALL") || slices.Contains(a.Variables, "OPENAI_API_KEY") ||
		slices.Contains(a.Variables, "AWS_SECRET_ACCESS_KEY") {
		t.Errorf("the program sees %v", a.Variables)
	}
	if want, err := filepath.EvalSymlinks(o.Dir); err != nil || a.Dir != want && a.Dir != o.Dir {
		t.Errorf("it runs in %s, not in %s", a.Dir, o.Dir)
	}
}

// What a process does between two sessions is no fault of the next one.
func TestStaleProcesses(t *testing.T) {
	for _, mode := range []string{plugintest.LateWords, plugintest.LateEnd} {
		e := open(t, options(t, mode))
		for range 4 {
			s := session(t, e, 1000)
			recall(t, s)
			end(t, s)
		}
	}
}

// No more processes run than may, and whoever waits for one can be called off.
func TestAtMostOneProcessForEachWorker(t *testing.T) {
	o := options(t, plugintest.Good)
	o.Processes = 2
	e := open(t, o)
	var mu sync.Mutex
	pids := map[int]bool{}
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() {
			s, err := e.NewSession(context.Background(), compress.SessionInfo{ID: "s", ContextLength: 1000})
			if err != nil {
				t.Error(err)
				return
			}
			answer, err := s.(compress.ToolProvider).HandleToolCall(context.Background(), "recall", "{}")
			var f plugintest.Facts
			if err != nil || json.Unmarshal([]byte(answer), &f) != nil {
				t.Error(answer, err)
			}
			mu.Lock()
			pids[f.PID] = true
			mu.Unlock()
			if err := compress.EndSession(context.Background(), s); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(pids) > 2 {
		t.Errorf("%d processes", len(pids))
	}
	a, b := session(t, e, 1000), session(t, e, 1000)
	cause := errors.New("called off")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	if _, err := e.NewSession(ctx, compress.SessionInfo{}); !errors.Is(err, cause) {
		t.Error(err)
	}
	end(t, a)
	end(t, b)
}

// An interrupt ends a call at once, and is no failure of the record.
func TestInterrupt(t *testing.T) {
	o := options(t, "hang")
	e := open(t, o)
	cause := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
	start := time.Now()
	r, err := compress.Runner{Engine: e, Meter: o.Meter}.Compact(ctx, conversation(t), compress.SessionInfo{ID: "a", ContextLength: 1000})
	if !errors.Is(err, cause) || r.Status == compress.Failed || time.Since(start) > 10*time.Second {
		t.Errorf("%v %v after %v", r.Status, err, time.Since(start))
	}
}

// When the engine is closed, what a program has started is gone too.
func TestChildrenEndToo(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked up in /proc")
	}
	o := options(t, plugintest.Child)
	e, err := plugin.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	end(t, session(t, e, 1000))
	number, err := os.ReadFile(filepath.Join(o.Dir, "child"))
	if err != nil {
		t.Skip(err) // no sleep
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	for range 100 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%s/stat", number))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the child lives on")
}

func TestDoesNotStart(t *testing.T) {
	o := options(t, plugintest.Good)
	o.Settings = []byte(`{"refuse": "no licence\u001b[31m key sk-proj-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}`)
	if _, err := plugin.Open(context.Background(), o); err == nil || !strings.Contains(err.Error(), `no licence\x1b[31m`) || strings.Contains(err.Error(), "aaaa") {
		t.Error(err)
	}
	o = options(t, plugintest.Good)
	o.Manifest.Command = []string{"no-such-program-anywhere"}
	if _, err := plugin.Open(context.Background(), o); err == nil || !strings.Contains(err.Error(), "cannot run no-such-program-anywhere") {
		t.Error(err)
	}
	o = options(t, plugintest.Good)
	o.Meter = nil
	if _, err := plugin.Open(context.Background(), o); err == nil {
		t.Error("a plugin without a meter")
	}
	e := open(t, options(t, plugintest.Good))
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := e.NewSession(context.Background(), compress.SessionInfo{}); err == nil {
		t.Error("a session of a closed engine")
	}
}

// What the report says of a record that a plugin compacted.
func TestAccount(t *testing.T) {
	o := options(t, plugintest.Good)
	r, err := compress.Runner{Engine: open(t, o), Meter: o.Meter}.Compact(context.Background(), conversation(t), compress.SessionInfo{ID: "a", ContextLength: 1000})
	if err != nil || r.Status != compress.Summarized || r.Budget.Threshold != 500 || r.Budget.ContextLength != 1000 {
		t.Fatalf("%+v %v", r, err)
	}
	if r.Summary == nil || r.Summary.From != 2 || r.Summary.To != 12 || len(r.Actions) != 1 || r.Actions[0].Saved != r.Before.Tokens-r.After.Tokens {
		t.Errorf("%+v %+v, %d to %d tokens", r.Summary, r.Actions, r.Before.Tokens, r.After.Tokens)
	}
}

// What a program says while it starts is no part of what is said of a session: which session gets a fresh process
// depends on how many run.
func TestWordsOfTheStartAreForgotten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	o := options(t, "crash")
	o.Manifest.Command = append([]string{"sh", "-c", `echo warming up >&2; sleep 0.3; exec "$@"`, "sh"}, o.Manifest.Command...)
	o.Environ, o.Processes = append(os.Environ(), o.Environ...), 2
	e := open(t, o)
	first := session(t, e, 1000) // has the process that was there
	defer end(t, first)
	r, err := compress.Runner{Engine: e, Meter: o.Meter}.Compact(context.Background(), conversation(t), compress.SessionInfo{ID: "a", ContextLength: 1000})
	if err != nil || r.Status != compress.Failed || !strings.Contains(r.Reason, "about to fall over") || strings.Contains(r.Reason, "warming up") {
		t.Errorf("%s: %s %v", r.Status, r.Reason, err)
	}
}

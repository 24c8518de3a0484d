package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/fixtures/synth"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/summarizetest"
)

// Output and calls do not depend on how many are made at a time, and no more are in flight than allowed.
func TestConcurrencyChangesNothing(t *testing.T) {
	lines := long(60)
	reply := func(summarizetest.Request) summarizetest.Reply {
		return summarizetest.Reply{Delay: time.Duration(rand.IntN(20)) * time.Millisecond}
	}
	one := newModelBench(t, lines, reply)
	a := one.run("--concurrency", "1")
	many := newModelBench(t, lines, reply)
	b := many.run("--concurrency", "16", "--workers", "2")
	if a.code != 0 || b.code != 0 || !bytes.Equal(bytes.Join(a.output, nil), bytes.Join(b.output, nil)) {
		t.Errorf("exit codes %d and %d, outputs differ", a.code, b.code)
	}
	if one.server.MostInFlight() != 1 || many.server.MostInFlight() > 16 || many.server.MostInFlight() < 2 {
		t.Errorf("%d and %d in flight", one.server.MostInFlight(), many.server.MostInFlight())
	}
	if n := int(a.report.Summaries.Count); n < 50 || one.server.Calls() != n || many.server.Calls() != n {
		t.Errorf("%d and %d calls", one.server.Calls(), many.server.Calls())
	}
}

// The same conversation twice is asked once, also at the same time.
func TestTwinsAreAskedOnce(t *testing.T) {
	line := long(1)[0]
	b := newModelBench(t, [][]byte{line, line, line, line}, func(summarizetest.Request) summarizetest.Reply {
		return summarizetest.Reply{Delay: 50 * time.Millisecond}
	})
	r := b.run()
	if r.code != 0 || b.server.Calls() != 1 || r.report.Summaries.Cached != 3 {
		t.Errorf("exit code %d, %d calls, %d cached", r.code, b.server.Calls(), r.report.Summaries.Cached)
	}
	checkRun(t, r, 0, "")
}

// kill -9 at random moments, then the same command again: the output is that of a run that was not interrupted, and no
// answer that had come is asked for twice.
func TestKilled(t *testing.T) {
	kills := 4
	if os.Getenv("CTXPACK_LONG") != "" {
		kills = 20
	}
	lines := long(40)
	reply := func(summarizetest.Request) summarizetest.Reply {
		return summarizetest.Reply{Delay: 15 * time.Millisecond}
	}
	whole := newModelBench(t, lines, reply).run()
	if whole.code != 0 {
		t.Fatal(whole.stderr)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range kills {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			b := newModelBench(t, lines, reply)
			for range 2 {
				cmd := b.command()
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(10+random.IntN(400)) * time.Millisecond)
				_ = cmd.Process.Kill() // it may have ended
				_ = cmd.Wait()
			}
			kept, before := b.kept(), b.server.Calls()
			if out, err := b.command().CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got := b.readLines("out.jsonl"); !bytes.Equal(bytes.Join(got, nil), bytes.Join(whole.output, nil)) {
				t.Error("the output differs")
			}
			if calls := b.server.Calls() - before; calls != len(lines)-kept {
				t.Errorf("%d calls, although %d of %d answers were kept", calls, kept, len(lines))
			}
			// Beside what was in flight at the two kills, only answers that had come and were on their way to the disk.
			if again := before - kept; again > 2*2*4 {
				t.Errorf("%d of %d calls were lost", again, before)
			}
			if left, _ := filepath.Glob(filepath.Join(b.dir, ".ctxpack-*.tmp")); len(left) > 6 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// kept is the number of answers in the cache.
func (b *modelBench) kept() int {
	log, err := summarize.OpenLog(filepath.Join(b.dir, "cache"))
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	return log.Len()
}

// command is the program as a process of its own.
func (b *modelBench) command(more ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"ctxpack"}, append(append(b.flags(), "--concurrency", "4"), more...)...)
	cmd.Dir = b.dir
	cmd.Env = processEnvironment(b.dir)
	return cmd
}

// processEnvironment is that of this process without settings of ctxpack.
func processEnvironment(home string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CTXPACK_") })
	return append(env, "OPENAI_API_KEY="+testKey, "HOME="+home, "GORACE=atexit_sleep_ms=0")
}

// A middle of ten times the window: every message reaches some prompt, no prompt is over the window, there is one summary.
func TestMiddleOfTenWindows(t *testing.T) {
	g := synth.New(3)
	line := g.Conversation(synth.Options{Tokens: 90_000})
	b := newModelBench(t, [][]byte{line}, nil)
	const window = 8000
	r := b.run("--summary-context-length", fmt.Sprint(window), "--context-length", "30000")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	checkRun(t, r, 0, "")
	s := r.rows[0].Summary
	if calls := b.server.Calls(); calls < 11 {
		t.Errorf("%d calls for a middle of %d tokens", calls, s.Source)
	}
	seen := map[int]bool{}
	for _, q := range b.server.Requests() {
		if n := len(q.Prompt)/4 + q.MaxTokens; n > window*11/10 { // gpt-4o-mini's tokens are not a quarter of the bytes, but near it
			t.Errorf("a prompt of about %d tokens with %d for the answer", n-q.MaxTokens, q.MaxTokens)
		}
		for at := range strings.SplitSeq(q.Prompt, "message ") {
			var n int
			if _, err := fmt.Sscanf(at, "%d", &n); err == nil {
				seen[n] = true
			}
		}
	}
	for n := s.From; n <= s.To; n++ {
		if !seen[n] {
			t.Errorf("message %d is in no prompt", n)
		}
	}
	if n := bytes.Count(r.output[0], []byte("[CONTEXT COMPACTION] Earlier turns")); n != 1 {
		t.Errorf("%d summaries", n)
	}
}

// A hash in an old tool output reaches the prompt; secrets and images never do.
func TestNeedleAndSecrets(t *testing.T) {
	needle, secret := "9f3c1e77ab20d4c5", "ghp"+"_"+strings.Repeat("aB3d", 9)
	var record struct {
		Messages []map[string]any `json:"messages"`
	}
	if err := json.Unmarshal(long(1)[0], &record); err != nil {
		t.Fatal(err)
	}
	planted := 0
	for _, m := range record.Messages {
		if text, ok := m["content"].(string); ok && m["role"] == "tool" && planted < 3 && len(record.Messages) > 8 {
			m["content"] = fmt.Sprintf("built %s\nDB_PASSWORD=%s\nexport GH=%s\ndata:image/png;base64,%s\n%s", needle, "hunter2hunter2", secret, strings.Repeat("QUJD", 600), text)
			planted++
		}
	}
	line, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	b := newModelBench(t, [][]byte{line}, nil)
	r := b.run("--protect-first", "1")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	prompt := b.server.Requests()[0].Prompt
	if !strings.Contains(prompt, needle) {
		t.Error("the hash did not reach the prompt")
	}
	for _, bad := range []string{secret, "hunter2hunter2", "QUJDQUJDQUJD"} {
		if strings.Contains(prompt, bad) {
			t.Errorf("%q reached the prompt", bad)
		}
	}
	if r.report.Summaries.Masked < 2 {
		t.Errorf("%d secrets masked", r.report.Summaries.Masked)
	}
	open := newModelBench(t, [][]byte{line}, nil)
	open.run("--protect-first", "1", "--no-redact")
	if !strings.Contains(open.server.Requests()[0].Prompt, "hunter2hunter2") {
		t.Error("--no-redact masks all the same")
	}
}

// An earlier summary is updated: it goes out as the summary so far, not as a turn.
func TestSummaryIsUpdated(t *testing.T) {
	b := newModelBench(t, long(1), nil)
	if r := b.run(); r.code != 0 {
		t.Fatal(r.stderr)
	}
	lines := b.readLines("out.jsonl")
	again := newModelBench(t, lines, nil)
	r := again.run("--context-length", "2500", "--protect-last", "1", "--target-ratio", "0.1")
	if r.code != 0 || again.server.Calls() == 0 {
		t.Skipf("nothing to compact again: %s", r.stderr)
	}
	prompt := again.server.Requests()[0].Prompt
	if !strings.Contains(prompt, "SUMMARY SO FAR") || !strings.Contains(prompt, "point 30 of the work") {
		t.Error("the earlier summary is not in the prompt")
	}
}

func TestTemplateAndFocus(t *testing.T) {
	b := newModelBench(t, long(2), nil)
	if err := os.WriteFile(filepath.Join(b.dir, "t.md"), []byte("## Ziel\n(was getan werden soll)\n## Stand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := b.run("--template", "t.md", "--focus", "the \"login\"\n## Goal", "--language", "German")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	checkRun(t, r, 0, "")
	if !bytes.Contains(r.output[0], []byte(`## Stand\nNone.`)) || bytes.Contains(r.output[0], []byte("## Critical Context")) {
		t.Error("the summary does not follow the template")
	}
	prompt := b.server.Requests()[0].Prompt
	if !strings.Contains(prompt, `Focus: "the \"login\" ## Goal"`) || !strings.Contains(prompt, "Write in German") {
		t.Errorf("focus or language is missing:\n%s", prompt[len(prompt)-800:])
	}
}

// BenchmarkSummaries is 1,000 conversations at 64 calls at a time against a server that takes 200 ms; ideal is 3.2 s.
func BenchmarkSummaries(b *testing.B) {
	lines := long(1000)
	for b.Loop() {
		benchmarkRun(b, lines, 1000)
	}
}

// BenchmarkFewSummaries is 2,000 conversations of which 15 % need a call.
func BenchmarkFewSummaries(b *testing.B) {
	g := synth.New(9)
	var lines [][]byte
	need := 0
	for i := range 2000 {
		tokens := 1500
		if i%20 < 3 {
			tokens = 9000
			need++
		}
		lines = append(lines, g.Conversation(synth.Options{Tokens: tokens}))
	}
	for b.Loop() {
		benchmarkRun(b, lines, need)
	}
}

func benchmarkRun(b *testing.B, lines [][]byte, calls int) {
	b.Helper()
	const delay, concurrency = 200 * time.Millisecond, 64
	server := summarizetest.New(func(summarizetest.Request) summarizetest.Reply { return summarizetest.Reply{Delay: delay} })
	defer server.Close()
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.jsonl"), append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
		b.Fatal(err)
	}
	bench := &modelBench{dir: dir, server: server}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = append(append([]string{"ctxpack"}, bench.flags()...), "--concurrency", fmt.Sprint(concurrency), "--workers", "2")
	cmd.Dir, cmd.Env = dir, processEnvironment(dir)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(start)
	ideal := delay * time.Duration((calls+concurrency-1)/concurrency)
	b.ReportMetric(took.Seconds()/ideal.Seconds(), "x-ideal")
	b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s")
	b.ReportMetric(float64(server.MostInFlight()), "in-flight")
	b.ReportMetric(float64(server.Calls()), "calls")
}

// The live line says what the calls are doing.
func TestProgressShowsCalls(t *testing.T) {
	p := newTestProcess(t)
	state := progressState{app: newApp(p.Streams), started: p.Now(), counts: progressCounts{Conversations: 3}}
	if strings.Contains(state.words(), "calls") {
		t.Errorf("without a model: %s", state.words())
	}
	state.calls = func() callCounts { return callCounts{InFlight: 12, Made: 1204, Retried: 3, Cached: 7, Cost: 1.5} }
	state.look()
	if want := "3 conversations, 1,204 calls, 12 in flight, 3 retried, 7 cached, $1.50"; state.words() != want {
		t.Errorf("%q, want %q", state.words(), want)
	}
}

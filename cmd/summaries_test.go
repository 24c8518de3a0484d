package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/fixtures/synth"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/summarize/summarizetest"
)

// testKey is the key of every test; it must show nowhere.
const testKey = "sk-test-ZmFrZUtleUZvclRlc3Rz0123456789"

// modelRun is one run of compact against a server.
type modelRun struct {
	code           int
	stdout, stderr string
	input, output  [][]byte // lines; output is nil when there is none
	report         *report.Report
	rows           []report.Row
}

// modelBench is a folder with an input, and a server.
type modelBench struct {
	t      *testing.T
	dir    string
	server *summarizetest.Server
	lines  [][]byte
	time   fastTime
}

// fastTime is a clock that jumps instead of waiting.
type fastTime struct {
	mu     sync.Mutex
	ahead  time.Duration
	sleeps []time.Duration
}

func (f *fastTime) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(f.ahead)
}

func (f *fastTime) sleep(ctx context.Context, d time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ahead += d
	f.sleeps = append(f.sleeps, d)
	return context.Cause(ctx)
}

func newModelBench(t *testing.T, lines [][]byte, script func(summarizetest.Request) summarizetest.Reply) *modelBench {
	t.Helper()
	b := &modelBench{t: t, dir: t.TempDir(), lines: lines, server: summarizetest.New(script)}
	t.Cleanup(b.server.Close)
	if err := os.WriteFile(filepath.Join(b.dir, "in.jsonl"), append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// long makes n conversations that are all compacted by flags().
func long(n int) [][]byte {
	g := synth.New(7)
	lines := make([][]byte, n)
	for i := range lines {
		lines[i] = g.Conversation(synth.Options{Tokens: 9000})
	}
	return lines
}

func (b *modelBench) flags() []string {
	return []string{"compact", "in.jsonl", "-o", "out.jsonl", "--force", "--context-length", "6000", "--protect-last", "2", "--tokenizer", "rough",
		"--summarizer", "openai", "--summary-model", "gpt-4o-mini", "--base-url", b.server.URL + "/v1", "--progress", "none",
		"--report", "report.json", "--report", "rows.jsonl", "--cache-dir", "cache"}
}

func (b *modelBench) run(more ...string) modelRun {
	b.t.Helper()
	return b.runArgs(append(b.flags(), more...))
}

func (b *modelBench) runArgs(args []string) modelRun {
	b.t.Helper()
	p := newTestProcess(b.t, "OPENAI_API_KEY="+testKey, "ANTHROPIC_API_KEY="+testKey)
	p.Dir, p.Home, p.CPUs = b.dir, filepath.Join(b.dir, "home"), 2
	p.Now, p.Sleep = b.time.now, b.time.sleep
	r := modelRun{input: b.lines}
	r.code = p.run(args...)
	r.stdout, r.stderr = p.stdout.String(), p.stderr.String()
	r.output = b.readLines("out.jsonl")
	if data, err := os.ReadFile(filepath.Join(b.dir, "report.json")); err == nil {
		r.report = &report.Report{}
		if err := json.Unmarshal(data, r.report); err != nil {
			b.t.Fatal(err)
		}
	}
	for _, line := range b.readLines("rows.jsonl") {
		var row report.Row
		if err := json.Unmarshal(line, &row); err != nil {
			b.t.Fatal(err)
		}
		r.rows = append(r.rows, row)
	}
	b.noKeys(r)
	return r
}

func (b *modelBench) readLines(name string) [][]byte {
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// noKeys looks for the key in everything that a run leaves behind.
func (b *modelBench) noKeys(r modelRun) {
	b.t.Helper()
	if strings.Contains(r.stdout+r.stderr, testKey) {
		b.t.Errorf("the key is printed:\n%s%s", r.stdout, r.stderr)
	}
	err := filepath.WalkDir(b.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(testKey)) {
			b.t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func TestModelSummaries(t *testing.T) {
	for _, summarizer := range []string{"openai", "anthropic"} {
		t.Run(summarizer, func(t *testing.T) {
			b := newModelBench(t, long(6), nil)
			more := []string{"--summarizer", summarizer}
			if summarizer == "anthropic" {
				more = append(more, "--summary-model", "claude-haiku-4-5", "--base-url", b.server.URL)
			}
			r := b.run(more...)
			if r.code != 0 || len(r.output) != len(r.input) || b.server.Calls() != 6 {
				t.Fatalf("exit code %d, %d records, %d calls\n%s", r.code, len(r.output), b.server.Calls(), r.stderr)
			}
			for i, line := range r.output {
				if r.rows[i].Summary == nil || !bytes.Contains(line, []byte("point 30 of the work")) || bytes.Equal(line, r.input[i]) {
					t.Errorf("record %d has no summary of the model", i)
				}
			}
			for _, q := range b.server.Requests() {
				if q.Key != testKey || q.Anthropic != (summarizer == "anthropic") {
					t.Errorf("a call with key %q, anthropic %v", q.Key, q.Anthropic)
				}
			}
			s := r.report.Summaries
			if s.Calls != 6 || s.Cached != 0 || s.Failed != 0 || s.PromptTokens == 0 || s.Cost <= 0 {
				t.Errorf("report %+v", s)
			}
			first := r.output
			again := b.run(more...)
			if again.code != 0 || b.server.Calls() != 6 || again.report.Summaries.Cached != 6 || again.report.Summaries.Calls != 0 {
				t.Errorf("the second run: exit code %d, %d calls, %+v", again.code, b.server.Calls()-6, again.report.Summaries)
			}
			if !bytes.Equal(bytes.Join(first, nil), bytes.Join(again.output, nil)) {
				t.Error("the second run gives another output")
			}
		})
	}
}

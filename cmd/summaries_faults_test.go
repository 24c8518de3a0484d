package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/compress"
	. "github.com/ctxpack/ctxpack/summarize/summarizetest"
)

// victim is a script that treats the conversation whose question comes first in a special way, and all others well.
type victim struct {
	mu    sync.Mutex
	mark  string // a piece of its material
	calls int
	reply func(q Request, n int) Reply // n counts the calls about it
}

func (v *victim) answer(q Request) Reply {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mark == "" {
		third := len(q.Prompt) / 3
		v.mark = q.Prompt[third : third+200]
	}
	if !strings.Contains(q.Prompt, v.mark) {
		return Reply{}
	}
	v.calls++
	return v.reply(q, v.calls)
}

// always gives the same answer to every question.
func always(reply Reply) func(Request, int) Reply {
	return func(Request, int) Reply { return reply }
}

// first gives the answer to the first n questions and then good ones.
func first(n int, reply Reply) func(Request, int) Reply {
	return func(_ Request, k int) Reply {
		if k > n {
			return Reply{}
		}
		return reply
	}
}

// status is an error in OpenAI's form.
func status(code int, kind, message string) Reply {
	return Reply{Status: code, Body: Error(Request{}, kind, kind, message)}
}

// with is a good summary with another line in it.
func with(line string) func(Request, int) Reply {
	return func(q Request, _ int) Reply { return Reply{Text: WriteWith(q.Prompt, line)} }
}

// invented is a path that occurs nowhere.
const invented = "- changed services/imaginary/warp_drive_controller.go for it"

func TestFaults(t *testing.T) {
	secret := "sk-" + "proj-" + "abcdEFGH1234abcdEFGH1234abcd"
	for _, test := range []struct {
		name   string
		reply  func(Request, int) Reply
		flags  []string
		calls  int // about the victim
		failed string
		check  func(t *testing.T, r modelRun, b *modelBench)
	}{
		{name: "429 with Retry-After", calls: 3,
			reply: first(2, Reply{Status: 429, Header: map[string]string{"Retry-After": "7"}, Body: Error(Request{}, "rate_limit_error", "rate_limit_exceeded", "slow down")}),
			check: func(t *testing.T, r modelRun, b *modelBench) {
				if r.report.Summaries.Retries != 2 || b.time.ahead < 14*time.Second || b.time.ahead > 20*time.Second {
					t.Errorf("%d retries after %v", r.report.Summaries.Retries, b.time.ahead)
				}
			}},
		{name: "429 for ever", reply: always(status(429, "rate_limit_exceeded", "slow down")), calls: 5, failed: "summary_rate_limit"},
		{name: "500 burst", reply: first(3, status(500, "server_error", "oops")), calls: 4},
		{name: "500 for ever", reply: always(status(503, "server_error", "oops")), calls: 5, failed: "summary_server"},
		{name: "529 twice", reply: first(2, status(529, "overloaded_error", "busy")), calls: 3},
		{name: "two retries", reply: always(status(500, "server_error", "oops")), flags: []string{"--max-retries", "2"}, calls: 3, failed: "summary_server"},
		{name: "hang", reply: always(Reply{Hang: true}), flags: []string{"--timeout", "300ms", "--max-retries", "1"}, calls: 2, failed: "summary_timeout"},
		{name: "hang once", reply: first(1, Reply{Hang: true}), flags: []string{"--timeout", "500ms"}, calls: 2},
		{name: "out of time", reply: always(Reply{Hang: true}), flags: []string{"--timeout", "10s", "--record-timeout", "200ms"}, calls: 1, failed: "summary_time"},
		{name: "reset", reply: always(Reply{Reset: true}), calls: 5, failed: "summary_connection"},
		{name: "reset twice", reply: first(2, Reply{Reset: true}), calls: 3},
		{name: "empty", reply: always(Reply{Empty: true}), calls: 5, failed: "summary_empty"},
		{name: "cut off", reply: always(Reply{Finish: "length"}), calls: 5, failed: "summary_cut_off"},
		{name: "cut off once", reply: first(1, Reply{Finish: "length"}), calls: 2},
		{name: "garbage", reply: always(Reply{Body: "<html>502</html>"}), calls: 5, failed: "summary_garbled"},
		{name: "garbage JSON", reply: always(Reply{Body: `{"choices":[{"message":{"content":17}}]}`}), calls: 5, failed: "summary_garbled"},
		{name: "error in a good answer", reply: always(Reply{Body: `{"error":{"code":502,"message":"upstream broke"}}`}), calls: 5, failed: "summary_server"},
		{name: "400", reply: always(status(400, "invalid_request_error", "no")), calls: 1, failed: "summary_refused"},
		{name: "422", reply: always(status(422, "unprocessable", "no")), calls: 1, failed: "summary_refused"},
		{name: "moderation", reply: always(Reply{Finish: "content_filter"}), calls: 1, failed: "summary_moderation"},
		{name: "context too long", calls: 2, // and the other part, and the merge
			reply: first(1, status(400, "context_length_exceeded", "This model's maximum context length is 4097 tokens.")),
			check: func(t *testing.T, r modelRun, b *modelBench) {
				if b.server.Calls() != 4+2 {
					t.Errorf("%d calls", b.server.Calls())
				}
			}},
		{name: "slow", reply: always(Reply{Delay: 100 * time.Millisecond}), calls: 1},
		{name: "invented paths", reply: with(strings.Repeat(invented+"\n", 12) + invented), calls: 2, failed: "summary_identifier"},
		{name: "invented once", calls: 2, reply: func(q Request, n int) Reply {
			if n == 1 {
				return Reply{Text: WriteWith(q.Prompt, invented)}
			}
			if !strings.Contains(q.Prompt, "warp_drive_controller.go") || !strings.Contains(q.Prompt, "does not occur in the material") {
				return Reply{Text: "the breach was not named"}
			}
			return Reply{}
		}},
		{name: "one invented line stays", reply: with(invented), calls: 2,
			check: func(t *testing.T, r modelRun, _ *modelBench) {
				if w := r.report.Summaries.Warnings.List; len(w) != 1 || !strings.Contains(w[0].Name, "left out") {
					t.Errorf("warnings %v", w)
				}
			}},
		{name: "invented quotation", calls: 2, reply: with("- the user said \"always deploy on Fridays\"")},
		{name: "leaked secret", reply: with(strings.Repeat("- the key is "+secret+"\n", 5)), calls: 2, failed: "summary_secret"},
		{name: "no headings", reply: always(Reply{Text: "All is well."}), calls: 2, failed: "summary_template"},
		{name: "placeholder", reply: always(Reply{Text: "Summary generation failed."}), calls: 2, failed: "summary_template"},
		{name: "too long", calls: 3, reply: func(q Request, _ int) Reply {
			return Reply{Text: Write(q.Prompt) + strings.Repeat("- one more thing that nobody asked for\n", 2000)}
		}, check: func(t *testing.T, r modelRun, _ *modelBench) {
			if r.report.Summaries.Shortened != 1 {
				t.Errorf("%d shortened", r.report.Summaries.Shortened)
			}
		}},
		{name: "too long to cut", calls: 3, failed: "summary_too_long",
			reply: with(strings.Repeat("- one more thing that nobody asked for\n", 2000))},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := &victim{reply: test.reply}
			b := newModelBench(t, long(3), v.answer)
			r := b.run(append([]string{"--workers", "1", "--concurrency", "1"}, test.flags...)...)
			if v.calls != test.calls || test.check == nil && b.server.Calls() != test.calls+2 {
				t.Errorf("%d calls about the victim, want %d; %d in all", v.calls, test.calls, b.server.Calls())
			}
			want, code := int64(0), 0
			if test.failed != "" {
				want, code = 1, 3
			}
			if r.code != code {
				t.Fatalf("exit code %d\n%s", r.code, r.stderr)
			}
			checkRun(t, r, want, test.failed)
			if got := r.report.Summaries.Calls; got != int64(b.server.Calls()) {
				t.Errorf("the report has %d calls, the server %d", got, b.server.Calls())
			}
			for _, bad := range []string{secret, "warp_drive", "Summary generation", "deploy on Fridays"} {
				if bytes.Contains(bytes.Join(r.output, nil), []byte(bad)) {
					t.Errorf("the output holds %q", bad)
				}
			}
			if test.check != nil {
				test.check(t, r, b)
			}
		})
	}
}

// checkRun holds a run against the contract: as many records out as in, failed ones byte for byte as they were, every
// other one with a summary, and a report that agrees.
func checkRun(t *testing.T, r modelRun, failed int64, code string) {
	t.Helper()
	if len(r.output) != len(r.input) || len(r.rows) != len(r.input) {
		t.Fatalf("%d records and %d rows of %d", len(r.output), len(r.rows), len(r.input))
	}
	n := int64(0)
	for i, row := range r.rows {
		same := bytes.Equal(r.output[i], r.input[i])
		switch row.Status {
		case compress.Failed:
			n++
			if !same {
				t.Errorf("record %d failed and is not as it was", i)
			}
			if code != "" && row.Code != code {
				t.Errorf("record %d has code %s (%s), want %s", i, row.Code, row.Reason, code)
			}
		case compress.Summarized:
			if same || row.Summary == nil {
				t.Errorf("record %d is unchanged", i)
			}
		default:
			t.Errorf("record %d is %s", i, row.Status)
		}
	}
	if n != failed || r.report.Summaries.Failed != failed || r.report.Records.Of(compress.Failed).Records != failed {
		t.Errorf("%d failed, the report says %d and %d; want %d", n, r.report.Summaries.Failed, r.report.Records.Of(compress.Failed).Records, failed)
	}
	if (failed > 0) != (r.report.Failures.Rerun != "") {
		t.Errorf("%d failed, rerun %q", failed, r.report.Failures.Rerun)
	}
}

func TestKeyRefusedAtOnce(t *testing.T) {
	for _, reply := range []Reply{status(401, "invalid_api_key", "Incorrect API key provided: "+testKey), status(404, "model_not_found", "no such model")} {
		b := newModelBench(t, long(8), func(Request) Reply { return reply })
		r := b.run("--concurrency", "1")
		if r.code != ExitFatal || b.server.Calls() != 1 || r.output != nil || r.report != nil {
			t.Errorf("exit code %d, %d calls, %d records\n%s", r.code, b.server.Calls(), len(r.output), r.stderr)
		}
		if !strings.Contains(r.stderr, "hint: check") {
			t.Errorf("no next step:\n%s", r.stderr)
		}
	}
}

func TestBreaker(t *testing.T) {
	for _, test := range []struct {
		name  string
		good  int
		reply Reply
		calls int
	}{
		{"key refused later", 1, status(401, "invalid_api_key", "revoked"), 6},
		{"quota at once", 0, status(402, "payment_required", "Insufficient credits"), 5},
		{"quota as 429", 0, status(429, "insufficient_quota", "You exceeded your current quota"), 5},
		{"quota as 400", 2, status(400, "invalid_request_error", "Your credit balance is too low to access the API"), 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newModelBench(t, long(12), func(q Request) Reply {
				if q.Number < test.good {
					return Reply{}
				}
				return test.reply
			})
			r := b.run("--concurrency", "1")
			if r.code != ExitPartial || b.server.Calls() != test.calls {
				t.Errorf("exit code %d, %d calls, want %d\n%s", r.code, b.server.Calls(), test.calls, r.stderr)
			}
			checkRun(t, r, int64(12-test.good), "")
			if b.time.ahead > 0 {
				t.Errorf("somebody waited %v", b.time.ahead)
			}
		})
	}
}

func TestRetryFailed(t *testing.T) {
	var mu sync.Mutex
	mended := false
	v := &victim{}
	v.reply = func(q Request, _ int) Reply {
		mu.Lock()
		defer mu.Unlock()
		if mended {
			return Reply{}
		}
		return Reply{Text: WriteWith(q.Prompt, strings.Repeat(invented+"\n", 12))}
	}
	b := newModelBench(t, long(4), v.answer)
	r := b.run()
	checkRun(t, r, 1, "summary_identifier")
	calls := b.server.Calls()
	if again := b.run(); b.server.Calls() != calls || again.code != 3 {
		t.Errorf("the same run again: exit code %d, %d calls", again.code, b.server.Calls()-calls)
	}
	mu.Lock()
	mended = true
	mu.Unlock()
	args := strings.Fields(strings.ReplaceAll(r.report.Failures.Rerun, "'", ""))
	if args[0] != "ctxpack" {
		t.Fatalf("rerun %q", r.report.Failures.Rerun)
	}
	mendedRun := b.runArgs(args[1:])
	if b.server.Calls() != calls+1 || mendedRun.code != 0 {
		t.Errorf("only the failed one again: exit code %d, %d calls\n%s", mendedRun.code, b.server.Calls()-calls, mendedRun.stderr)
	}
	checkRun(t, mendedRun, 0, "")
}

func TestFallback(t *testing.T) {
	b := newModelBench(t, long(3), func(Request) Reply { return status(400, "bad", "no") })
	r := b.run("--fallback", "extractive")
	if r.code != 0 || b.server.Calls() != 3 {
		t.Fatalf("exit code %d, %d calls\n%s", r.code, b.server.Calls(), r.stderr)
	}
	checkRun(t, r, 0, "")
	if w := r.report.Summaries.Warnings.List; len(w) != 1 || w[0].Count != 3 {
		t.Errorf("warnings %v", w)
	}
}

func TestCacheOnly(t *testing.T) {
	b := newModelBench(t, long(3), nil)
	r := b.run("--cache-only")
	if r.code != ExitNoVerdict || b.server.Calls() != 0 || r.output != nil {
		t.Errorf("cold: exit code %d, %d calls, %d records\n%s", r.code, b.server.Calls(), len(r.output), r.stderr)
	}
	whole := b.run()
	r = b.run("--cache-only")
	if r.code != 0 || b.server.Calls() != 3 || !bytes.Equal(bytes.Join(whole.output, nil), bytes.Join(r.output, nil)) {
		t.Errorf("warm: exit code %d, %d calls", r.code, b.server.Calls())
	}
	b.run("--no-cache")
	if b.server.Calls() != 6 {
		t.Errorf("without a cache: %d calls", b.server.Calls()-3)
	}
}

func TestMaxCost(t *testing.T) {
	b := newModelBench(t, long(10), nil)
	r := b.run("--concurrency", "4", "--max-cost", "0.005")
	if r.code != ExitPartial || b.server.Calls() == 0 || b.server.Calls() == 10 {
		t.Fatalf("exit code %d, %d calls\n%s", r.code, b.server.Calls(), r.stderr)
	}
	if c := r.report.Summaries.Cost; c <= 0 || c > 0.005 {
		t.Errorf("cost %v", c)
	}
	checkRun(t, r, int64(10-b.server.Calls()), "summary_cost_limit")
	more := b.run()
	if more.code != 0 || b.server.Calls() != 10 {
		t.Errorf("without the limit: exit code %d, %d calls in all", more.code, b.server.Calls())
	}
	if r := b.run("--max-cost", "1", "--summary-model", "nobody-knows-it"); r.code != ExitUsage {
		t.Errorf("an unknown price: exit code %d\n%s", r.code, r.stderr)
	}
}

func TestDryRun(t *testing.T) {
	b := newModelBench(t, long(5), nil)
	r := b.run("--dry-run")
	if r.code != 0 || b.server.Calls() != 0 || r.output != nil {
		t.Fatalf("exit code %d, %d calls, %d records\n%s", r.code, b.server.Calls(), len(r.output), r.stderr)
	}
	for _, want := range []string{"in.jsonl:1  full: summarise messages ", "in.jsonl:5  ", "calls       5 to gpt-4o-mini; 0 answers are in the cache", "cost        low $", "time        about "} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("%q is missing in\n%s", want, r.stdout)
		}
	}
	real := b.run()
	if real.code != 0 || b.server.Calls() != 5 {
		t.Fatalf("exit code %d, %d calls", real.code, b.server.Calls())
	}
	r = b.run("--dry-run")
	if !strings.Contains(r.stdout, "calls       0 to gpt-4o-mini; 5 answers are in the cache") {
		t.Errorf("after the run:\n%s", r.stdout)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "in.report.json")); err == nil {
		t.Error("a dry run wrote a report that was not asked for")
	}
}

func TestServerGone(t *testing.T) {
	b := newModelBench(t, long(2), nil)
	flags := b.flags()
	b.server.URL = "http://127.0.0.1:1"
	r := b.runArgs(append(flags, "--base-url", b.server.URL+"/v1"))
	if r.code != ExitPartial {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	checkRun(t, r, 2, "summary_connection")
}

func TestNoKey(t *testing.T) {
	p := newTestProcess(t)
	p.write(t, "in.jsonl", "{}\n")
	if code := p.run("compact", "in.jsonl", "--summarizer", "openai", "--summary-model", "gpt-4o-mini"); code != ExitUsage || !strings.Contains(p.stderr.String(), "OPENAI_API_KEY") {
		t.Errorf("exit code %d\n%s", code, p.stderr.String())
	}
	for _, args := range [][]string{
		{"--summarizer", "openai"}, {"--summarizer", "exec:"}, {"--summarizer", "opnai"}, {"--api-key-env", testKey},
		{"--base-url", "ftp://x"}, {"--base-url", "https://user:pw@x/v1"}, {"--max-cost", "0"}, {"--cache-only", "--no-cache", "--summarizer", "openai", "--summary-model", "x"},
	} {
		p := newTestProcess(t, "OPENAI_API_KEY="+testKey)
		p.write(t, "in.jsonl", "{}\n")
		if code := p.run(append([]string{"compact", "in.jsonl"}, args...)...); code != ExitUsage {
			t.Errorf("%v: exit code %d\n%s", args, code, p.stderr.String())
		}
	}
}

package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/summarize"
)

func ask(t *testing.T, c *Client, prompt string) (summarize.Answer, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return c.Complete(ctx, summarize.Call{Model: "m", Prompt: prompt, MaxTokens: 100})
}

func TestAnswers(t *testing.T) {
	big := strings.Repeat("x", 200_000) // more than a pipe holds
	for _, test := range []struct{ name, line, text, code string }{
		{"one line", `read q; echo '{"text":"hi","model":"x","prompt_tokens":3}'`, "hi", ""},
		{"without reading", `echo '{"text":"hi"}'`, "hi", ""},
		{"without a line end", `read q; printf '{"text":"hi"}'`, "hi", ""},
		{"stays", `while read q; do echo '{"text":"hi"}'; done`, "hi", ""},
		{"empty", `read q; echo '{"text":""}'`, "", "empty"},
		{"cut off", `read q; echo '{"text":"hi","stop":"length"}'`, "", "cut_off"},
		{"garbage", `read q; echo nonsense`, "", "garbled"},
		{"dies", `exit 3`, "", "command"},
		{"not found", `no-such-program-anywhere 2>/dev/null`, "", "command"},
		{"refused", `read q; echo '{"error":"no"}'`, "", "refused"},
		{"key", `read q; echo '{"error":"no","class":"key"}'`, "", "key"},
		{"context", `read q; echo '{"error":"no","class":"context"}'`, "", "context"},
	} {
		c := New(test.line, os.Environ(), t.TempDir())
		for range 2 {
			for _, prompt := range []string{"short\nprompt", big} {
				a, err := ask(t, c, prompt)
				if a.Text != test.text || summarize.FailureCode(err) != test.code {
					t.Errorf("%s: %q %v", test.name, a.Text, err)
				}
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A program that stays is started once for each call at a time.
func TestReused(t *testing.T) {
	dir := t.TempDir()
	c := New(`echo x >> started; while read q; do sleep 0.02; echo '{"text":"hi"}'; done`, os.Environ(), dir)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 5 {
				if _, err := ask(t, c, "p"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	_ = c.Close()
	data, err := os.ReadFile(filepath.Join(dir, "started"))
	if err != nil || len(data) > 4 {
		t.Errorf("started %d times, %v", len(data)/2, err)
	}
}

func TestTimeOut(t *testing.T) {
	c := New(`sleep 60`, os.Environ(), t.TempDir())
	defer func() { _ = c.Close() }()
	cause := errors.New("over")
	ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, cause)
	defer cancel()
	start := time.Now()
	if _, err := c.Complete(ctx, summarize.Call{}); !errors.Is(err, cause) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

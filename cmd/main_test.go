package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/formats"
)

func TestPrintError(t *testing.T) {
	fault := &formats.Fault{
		Pos: formats.Position{File: "logs.jsonl", Line: 412}, Column: 87,
		Err: errors.New("invalid character 'x' in string escape"), Excerpt: `"漢字 a\x"`, Caret: 6,
	}
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"plain", errors.New("boom"), "ctxpack: error: boom\n"},
		{"hint", formats.WithHint(errors.New("boom"), "try %s", "again"), "ctxpack: error: boom\nctxpack: hint: try again\n"},
		{"fault", formats.WithHint(fmt.Errorf("compact: %w", fault), "look"),
			"ctxpack: error: compact: logs.jsonl:412:87: invalid character 'x' in string escape\n" +
				"    \"漢字 a\\x\"\n" +
				"            ^\n" +
				"ctxpack: hint: look\n"},
		{"hostile", fmt.Errorf("no such file: a\x1b[2Jb\nctxpack: hint: rm -rf /\u202e\xff"),
			`ctxpack: error: no such file: a\x1b[2Jb\nctxpack: hint: rm -rf /\u202e\xff` + "\n"},
		{"hostile excerpt", &formats.Fault{Pos: formats.Position{File: "a", Line: 1}, Err: errors.New("bad"),
			Excerpt: "\x1b]0;x\a{", Caret: 6}, "ctxpack: error: a:1: bad\n    \\x1b]0;x\\a{\n              ^\n"},
		{"caret outside", &formats.Fault{Pos: formats.Position{File: "a", Line: 1}, Err: errors.New("bad"),
			Excerpt: "abc", Caret: -1}, "ctxpack: error: a:1: bad\n    abc\n"},
	} {
		var out strings.Builder
		printError(&out, test.err)
		if out.String() != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, out.String(), test.want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	cause := errors.New("boom")
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, ExitDone},
		{cause, ExitFatal},
		{usageErrorf("bad"), ExitUsage},
		{fmt.Errorf("more: %w", usageError(cause, "hint")), ExitUsage},
		{withExitCode(ExitPartial, nil), ExitPartial},
		{withExitCode(ExitGate, cause), ExitGate},
		{problems{usageErrorf("a"), usageErrorf("b")}, ExitUsage},
		{formats.WithHint(withExitCode(ExitNoVerdict, cause), "x"), ExitNoVerdict},
	} {
		if got := exitCodeOf(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}

func TestSeparate(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for _, test := range []struct {
		err  error
		want int
	}{
		{a, 1},
		{errors.Join(a, b), 2},
		{problems{a, errors.Join(b, c)}, 3},
		{withExitCode(ExitFatal, errors.Join(a, b)), 2},
		{fmt.Errorf("%w and %w", a, b), 1},
		{fmt.Errorf("while x: %w", errors.Join(a, b)), 1},
	} {
		if got := separate(test.err); len(got) != test.want {
			t.Errorf("%q: %d parts, want %d", test.err, len(got), test.want)
		}
	}
}

func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("signal received"))
	p := newTestProcess(t)
	if code := Main(ctx, []string{"version"}, p.Streams); code != ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if !strings.HasPrefix(p.stderr.String(), "ctxpack: error: interrupted\n") {
		t.Errorf("said %q", p.stderr.String())
	}
	if !isInterruption(ctx, fmt.Errorf("run: %w", context.Cause(ctx))) || isInterruption(ctx, errors.New("disk full")) {
		t.Error("the cause of the cancellation is not told from another error")
	}
}

// A panic is fatal (1), not a mistake of usage (2, as the runtime would have it).
func TestPanic(t *testing.T) {
	p := newTestProcess(t)
	p.Stdout = nil // any write panics
	if code := p.run("version"); code != ExitFatal || !strings.Contains(p.stderr.String(), "ctxpack: error: internal error: ") {
		t.Errorf("exit code %d: %s", code, p.stderr.String())
	}
}

func TestSignals(t *testing.T) {
	ctx := WithSignals(context.Background())
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Skip(err) // Windows cannot
	}
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("an interrupt does not cancel")
	}
	if !isInterruption(ctx, context.Cause(ctx)) {
		t.Error("not taken for an interruption")
	}
}

// A code without a text is an answer, not a complaint.
func TestSilentExitCode(t *testing.T) {
	p := newTestProcess(t)
	a := newApp(p.Streams)
	if err := a.execute(context.Background(), []string{"version"}); err != nil {
		t.Fatal(err)
	}
	err := withExitCode(ExitPartial, nil)
	if coded := (*codedError)(nil); !errors.As(err, &coded) || coded.err != nil {
		t.Error("a code alone must print nothing")
	}
}

func TestNearest(t *testing.T) {
	candidates := []string{"compression.threshold", "model", "models", "workers", "o"}
	for name, want := range map[string]string{
		"compresion.treshold": "compression.threshold", "modle": "model", "MODELS": "models", "worker": "workers",
		"xyzzy": "", "": "", "p": "", strings.Repeat("a", 5000): "", "compression": "compression.threshold",
	} {
		if got := nearest(name, candidates); got != want {
			t.Errorf("%.30q: %q, want %q", name, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	for _, seed := range []string{"plain", "a\x1b[31mb", "\xff\xfe", "漢字\u200d\u202e", "\x00\r\n\t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := printable(text)
		if !isPrintable(got) {
			t.Errorf("%q is not printable", got)
		}
		if isPrintable(text) && got != text {
			t.Errorf("%q was changed to %q", text, got)
		}
	})
}

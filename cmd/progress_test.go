package cmd

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rivo/uniseg"
)

// tick moves the clock and waits until the display has drawn. It may draw twice: the second tick is taken only when the
// first is dealt with.
func (p *testProcess) tick(seconds int64) {
	p.clock.seconds.Add(seconds)
	p.ticks <- p.clock.now()
	p.ticks <- p.clock.now()
}

func countsOf(n int64) progressCounts {
	return progressCounts{Conversations: n, TokensBefore: 2_310_000 * n, TokensAfter: 940_000 * n,
		Statuses: []statusCount{{"untouched", n - 1}, {"summarized", 1}, {"failed", 0}}}
}

func TestPlainProgress(t *testing.T) {
	p := newTestProcess(t)
	a := newApp(p.Streams)
	show := a.newProgress("auto")
	show.start(1000)
	show.advance(250)
	show.count(countsOf(20))
	p.tick(10)
	show.finish()
	show.finish()
	want := "ctxpack: 10s: 25 %, 20 conversations, 2.0/s, 46.2M -> 18.8M tokens, 19 untouched, 1 summarized\n"
	if got := p.stderr.String(); got != want+want {
		t.Errorf("got  %q\nwant %q twice", got, want)
	}
	if p.stdout.String() != "" {
		t.Error("progress on the standard output")
	}
}

func TestJSONProgress(t *testing.T) {
	p := newTestProcess(t)
	a := newApp(p.Streams)
	show := a.newProgress("json")
	show.start(-1)
	show.advance(250)
	show.count(countsOf(20))
	show.finish()
	var line progressLine
	if err := json.Unmarshal([]byte(p.stderr.String()), &line); err != nil {
		t.Fatal(err)
	}
	if !line.Done || line.Bytes != 250 || line.Total != -1 || line.Conversations != 20 || len(line.Statuses) != 3 {
		t.Errorf("%+v", line)
	}
}

func TestAutoProgress(t *testing.T) {
	for _, test := range []struct {
		env      []string
		terminal bool
		kind     string
		bar      bool
	}{
		{nil, true, "auto", true},
		{nil, false, "auto", false},
		{[]string{"CI=1"}, true, "auto", false},
		{[]string{"TERM=dumb"}, true, "auto", false},
		{[]string{"CI=1"}, true, "bar", true},
		{nil, true, "plain", false},
		{nil, true, "none", false},
	} {
		p := newTestProcess(t, test.env...)
		p.StderrTerminal = test.terminal
		show := newApp(p.Streams).newProgress(test.kind)
		show.start(10)
		d, drawn := show.(*display)
		if drawn {
			p.tick(1)
		}
		show.finish()
		if drawn == (test.kind == "none") || drawn && (d.bar != nil) != test.bar {
			t.Errorf("%v, terminal %v, %s: bar %v", test.env, test.terminal, test.kind, !test.bar)
		}
		if test.kind == "none" && p.stderr.String() != "" {
			t.Error("none says something")
		}
	}
}

// The bar never is wider than the terminal, messages stand on lines of their own, and at the end it is gone.
func TestBar(t *testing.T) {
	for _, total := range []int64{1000, -1, 0} {
		for _, width := range []int{20, 80, 200} {
			p := newTestProcess(t)
			p.StderrTerminal, p.Width = true, width
			a := newApp(p.Streams)
			show := a.newProgress("auto")
			show.start(total)
			for i := range int64(12) {
				show.advance(100)
				show.count(countsOf(i + 1))
				p.tick(1)
				if i == 5 {
					a.console.warn("something")
				}
			}
			show.finish()
			a.console.warn("after")
			screen := screenOf(t, p.stderr.String(), width)
			if screen != "ctxpack: warning: something\nctxpack: warning: after\n" {
				t.Errorf("total %d, width %d: the screen shows %q", total, width, screen)
			}
		}
	}
}

func TestBarText(t *testing.T) {
	p := newTestProcess(t)
	p.StderrTerminal, p.Width = true, 200
	a := newApp(p.Streams)
	show := a.newProgress("bar")
	show.start(1_000_000)
	show.advance(500_000)
	show.count(countsOf(20))
	p.tick(10)
	drawn := p.stderr.String()
	show.finish()
	for _, part := range []string{"50% [====", "(500 kB/1.0 MB, ", "20 conversations, 2.0/s, 46.2M -> 18.8M tokens"} {
		if !containsAny(drawn, strings.Split(part, "|")) {
			t.Errorf("%q is not in %q", part, drawn)
		}
	}
}

// screenOf plays what was written to a terminal that knows "\r", "\n" and erasing a line, and fails on anything else and
// on lines that are too wide.
func screenOf(t *testing.T, written string, width int) string {
	t.Helper()
	var screen strings.Builder
	line := ""
	for _, part := range regexp.MustCompile("\r\x1b\\[K|\n|[^\r\n\x1b]+|.").FindAllString(written, -1) {
		switch {
		case part == eraseLine:
			line = ""
		case part == "\n":
			screen.WriteString(line + "\n")
			line = ""
		case strings.ContainsAny(part, "\r\x1b"):
			t.Fatalf("unexpected control character in %q", written)
		default:
			line += part
		}
		if isBar := !strings.HasPrefix(line, "ctxpack:"); isBar && uniseg.StringWidth(line) >= width {
			t.Fatalf("%q is wider than %d columns", line, width)
		}
	}
	return screen.String() + line
}

func TestProgressIsSafeForConcurrentUse(t *testing.T) {
	p := newTestProcess(t)
	p.StderrTerminal = true
	a := newApp(p.Streams)
	show := a.newProgress("bar")
	show.start(-1)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range int64(100) {
				show.advance(1)
				show.count(countsOf(i))
				a.console.warn("x")
			}
		})
	}
	p.ticks <- p.clock.now()
	group.Wait()
	show.finish()
	if got := strings.Count(p.stderr.String(), "warning: x\n"); got != 400 {
		t.Errorf("%d warnings", got)
	}
}

func TestShortCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1k", 61_234: "61.2k", 999_999: "1000k",
		2_310_000_000: "2.31B", 1_000_000: "1M", 9_400_000: "9.4M"} {
		if got := shortCount(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestFitColumns(t *testing.T) {
	for _, test := range []struct {
		line    string
		columns int
		want    string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"漢字", 3, "漢"}, {"e\u0301x", 1, "e\u0301"}, {"abc", 0, ""}, {"", 5, ""}} {
		if got := fitColumns(test.line, test.columns); got != test.want {
			t.Errorf("%q in %d: %q", test.line, test.columns, got)
		}
	}
}

func Example_thousands() {
	fmt.Println(orDash(0), thousands(950), thousands(128000), thousands64(0))
	// Output: - 950 128,000 0
}

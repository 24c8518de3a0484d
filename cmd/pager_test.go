package cmd

import (
	"strings"
	"testing"
)

// On a terminal, $PAGER gets what diff says, and may stop reading whenever it likes.
func TestPager(t *testing.T) {
	for _, c := range []struct {
		name    string
		environ []string
		args    []string
		dumb    bool
		want    string
	}{
		{"shouts", []string{"PAGER=tr a-z A-Z"}, nil, false, "0 CHANGED, 12 UNCHANGED\n"},
		{"cat is none", []string{"PAGER=cat"}, nil, false, "0 changed, 12 unchanged\n"},
		{"empty is none", []string{"PAGER="}, nil, false, "0 changed, 12 unchanged\n"},
		{"not wanted", []string{"PAGER=tr a-z A-Z"}, []string{"--no-pager"}, false, "0 changed, 12 unchanged\n"},
		{"a dumb terminal", []string{"PAGER=tr a-z A-Z"}, nil, true, "0 changed, 12 unchanged\n"},
		{"reads nothing", []string{"PAGER=true"}, nil, false, ""},
		{"fails", []string{"PAGER=false"}, nil, false, ""},
	} {
		p := newTestProcess(t)
		p.Dir = ".."
		p.StdoutTerminal, p.NoColor, p.Dumb = true, true, c.dumb
		p.Environ = append(p.Environ, append(c.environ, "PATH=/usr/bin:/bin")...)
		args := append([]string{"diff", "../fixtures/support.jsonl", "../fixtures/support.jsonl"}, c.args...)
		p.Dir = ""
		if code := p.run(args...); code != ExitDone || p.stdout.String() != c.want {
			t.Errorf("%s: exit code %d, %q, %q", c.name, code, p.stdout.String(), p.stderr.String())
		}
	}
}

func TestScreens(t *testing.T) {
	for _, c := range []struct {
		environ string
		ascii   bool
	}{
		{"", false}, {"LANG=en_US.UTF-8", false}, {"LC_ALL=C", true}, {"LC_ALL=C.utf8", false}, {"LC_ALL=POSIX LANG=de_DE.UTF-8", true},
		{"LC_ALL= LANG=de_DE.UTF-8", false}, {"LC_CTYPE=en_US.ISO-8859-1", true}, {"LANG=C", true}, {"TERM=dumb LANG=de_DE.UTF-8", true},
	} {
		s := (&Streams{Environ: strings.Fields(c.environ)}).withEnvironment()
		if got := newApp(s).asciiOnly(); got != c.ascii {
			t.Errorf("%q: %v", c.environ, got)
		}
	}
}

func TestWrapColumns(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"one two three", 8, "one two|three"}, {"incomprehensible", 5, "incom|prehe|nsibl|e"}, {"漢字漢字", 4, "漢字|漢字"},
		{"", 5, ""}, {"a bcdefghijkl", 9, "a bcdefgh|ijkl"}, {"fits", 4, "fits"},
	} {
		if got := strings.Join(wrapColumns(c.line, c.width), "|"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.line, c.width, got, c.want)
		}
	}
}

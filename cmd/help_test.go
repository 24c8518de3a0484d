package cmd

import (
	"reflect"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"one two", 7, []string{"one two"}},
		{"incomprehensible x", 5, []string{"incomprehensible", "x"}},
		{"", 5, []string{""}},
	} {
		if got := wrap(test.text, test.width); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q in %d: %q", test.text, test.width, got)
		}
	}
}

// Every command's help fits the terminal, shows the flags that are not hidden, and goes to the standard output.
func TestHelpFits(t *testing.T) {
	for _, width := range []int{60, 80, 500} {
		p := newTestProcess(t)
		p.Width = width
		root := newApp(p.Streams).newRoot()
		for _, c := range root.Commands() {
			p.stdout.buffer.Reset()
			if code := p.run(c.Name(), "--help"); code != ExitDone || p.stderr.String() != "" {
				t.Fatalf("%s: exit code %d, %q", c.Name(), code, p.stderr.String())
			}
			_, flags, _ := strings.Cut(p.stdout.String(), "\nUsage:")
			flags, _, _ = strings.Cut(flags, "\nExamples:")
			for _, line := range strings.Split(flags, "\n") {
				isFlag := strings.HasPrefix(line, "  -") || strings.HasPrefix(line, "      ")
				if isFlag && len(line) > min(width, 120) {
					t.Errorf("%s, width %d: %q is %d wide", c.Name(), width, line, len(line))
				}
			}
			if !strings.Contains(flags, "-h, --help") {
				t.Errorf("%s: no flags in the help", c.Name())
			}
		}
	}
}

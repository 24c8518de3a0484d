package cmd

import (
	"io"
	"strings"

	"github.com/ctxpack/ctxpack/report"
)

// screen is what texts for people are drawn for.
func (a *app) screen() report.Screen {
	return report.Screen{Columns: a.streams.Width, ASCII: a.asciiOnly()}
}

// asciiOnly says that the terminal may not show more than ASCII: a dumb one, or a locale of another character set. Where
// no locale is set, which is usual in containers, UTF-8 is taken for granted.
func (a *app) asciiOnly() bool {
	if a.streams.Dumb {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // in the order in which POSIX looks at them
		if value := strings.ToLower(a.streams.Getenv(name)); value != "" {
			return !strings.Contains(value, "utf-8") && !strings.Contains(value, "utf8")
		}
	}
	return false
}

// forScreen is w for texts drawn elsewhere: what is not ASCII is replaced where the terminal may not show it.
func (a *app) forScreen(w io.Writer) io.Writer {
	if a.asciiOnly() {
		return asciiWriter{w}
	}
	return w
}

// asciiWriter replaces what is not ASCII. Texts must be written in whole characters.
type asciiWriter struct{ to io.Writer }

func (w asciiWriter) Write(data []byte) (int, error) {
	if _, err := io.WriteString(w.to, report.ASCII(string(data))); err != nil {
		return 0, err
	}
	return len(data), nil
}

// colours says whether to colour what goes to the standard output. when is auto, always or never.
func (a *app) colours(when string) bool {
	return when == "always" || when == "auto" && a.streams.StdoutTerminal && !a.streams.NoColor
}

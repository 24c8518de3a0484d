package plugin

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/summarize"
)

// Bounds of what is kept of a program's error output, and of what is shown of it.
const (
	keptWords  = 4 << 10 // bytes
	shownLines = 3
	shownBytes = 300
)

// lastWords keeps the end of what is written to it. Safe for concurrent use.
type lastWords struct {
	mu   sync.Mutex
	kept []byte
}

// Write never fails.
func (w *lastWords) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(data)
	if len(data) > keptWords {
		data = data[len(data)-keptWords:]
	}
	if over := len(w.kept) + len(data) - keptWords; over > 0 {
		w.kept = w.kept[:copy(w.kept, w.kept[over:])]
	}
	w.kept = append(w.kept, data...)
	return n, nil
}

// forget drops what was written so far.
func (w *lastWords) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = w.kept[:0]
}

// String is the last lines, on one line, fit to be shown; "" for none.
func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.FieldsFunc(string(w.kept), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) > shownLines {
		lines = lines[len(lines)-shownLines:]
	}
	text := strings.TrimSpace(strings.Join(lines, " | "))
	if text == "" {
		return ""
	}
	masked, _ := summarize.NewRedactor().Mask(text)
	if over := len(masked) - shownBytes; over > 0 {
		for over < len(masked) && !utf8.RuneStart(masked[over]) {
			over++
		}
		masked = summarize.Ellipsis + masked[over:]
	}
	return visible(masked)
}

// said makes what a program said fit to be shown: secrets masked, clipped, control characters spelled out.
func said(text string) string {
	masked, _ := summarize.NewRedactor().Mask(strings.Join(strings.Fields(summarize.Clip(text, keptWords)), " "))
	return visible(summarize.Clip(masked, shownBytes))
}

// visible spells everything that is not a graphic character or a blank as an escape.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

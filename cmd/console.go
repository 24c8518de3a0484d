package cmd

import (
	"fmt"
	"io"
	"sync"
)

// console is the one way to standard error. It keeps messages and a live line (the progress bar) apart: the live line is
// cleared before a message and drawn again after it. Safe for concurrent use.
type console struct {
	mu   sync.Mutex
	to   io.Writer
	live string // the line that stands on the screen without a line break; "" when there is none
}

func newConsole(to io.Writer) *console { return &console{to: to} }

// eraseLine goes to the start of the line and erases it (ECMA-48 EL).
const eraseLine = "\r\x1b[K"

// Write writes whole lines of a message.
func (c *console) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live == "" {
		return c.to.Write(data)
	}
	framed := make([]byte, 0, len(eraseLine)+len(data)+len(c.live))
	framed = append(framed, eraseLine...)
	framed = append(framed, data...)
	framed = append(framed, c.live...)
	if _, err := c.to.Write(framed); err != nil {
		return 0, err
	}
	return len(data), nil
}

// setLive draws line in place of the live line; "" removes it. The line must fit the terminal's width.
func (c *console) setLive(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line == c.live {
		return
	}
	c.live = line
	_, _ = io.WriteString(c.to, eraseLine+line) // progress is decoration: its failure must not end a run
}

// warn prints a warning, made printable, on a line of its own.
func (c *console) warn(text string) {
	_, _ = fmt.Fprintf(c, "ctxpack: warning: %s\n", printable(text))
}

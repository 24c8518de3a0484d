package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"
	"github.com/schollz/progressbar/v3"

	"github.com/ctxpack/ctxpack/pipeline"
)

// progress shows how far a run has come. Its methods are safe for concurrent use. Between start and finish, messages
// must go through the app's console, which keeps them and the bar apart.
type progress interface {
	// start begins with the number of bytes to read, -1 when it is unknown.
	start(total int64)
	// advance adds bytes that have been read.
	advance(bytes int64)
	// follow makes of the bytes read those that are dealt with: a run reads far ahead of slow summaries.
	follow(*pipeline.Progress)
	// count replaces the counts so far.
	count(progressCounts)
	// watch makes the display ask for the figures of calls to a model whenever it is drawn. Before start.
	watch(func() callCounts)
	// finish ends the display: a bar disappears, a plain display says the last counts. It may be called more than once.
	finish()
}

// progressCounts is what a display says besides bytes. Zero values are left out.
type progressCounts struct {
	Conversations int64         `json:"conversations"`
	TokensBefore  int64         `json:"tokens_before"`
	TokensAfter   int64         `json:"tokens_after"`
	Statuses      []statusCount `json:"statuses,omitempty"` // in the order in which they are shown
	Calls         *callCounts   `json:"calls,omitempty"`    // nil when no model is asked
}

// callCounts are the calls to a model so far.
type callCounts struct {
	InFlight int64   `json:"in_flight"`
	Made     int64   `json:"made"`
	Retried  int64   `json:"retried"`
	Cached   int64   `json:"cached"`
	Cost     float64 `json:"cost_usd"`
}

// statusCount is the number of records with one status.
type statusCount struct {
	Status  string `json:"status"`
	Records int64  `json:"records"`
}

// How often displays are drawn again. A log grows by a line every plainInterval.
const (
	barInterval   = 200 * time.Millisecond
	plainInterval = 10 * time.Second
)

// newProgress makes the display that --progress asks for ("auto", "bar", "plain", "json", "none"). "auto" is a bar on a
// terminal that can move its cursor, outside continuous integration, else plain lines.
func (a *app) newProgress(kind string) progress {
	if kind == "auto" {
		kind = "plain"
		if a.streams.StderrTerminal && !a.streams.Dumb && !a.streams.CI {
			kind = "bar"
		}
	}
	state := progressState{app: a}
	switch kind {
	case "bar":
		return &display{progressState: state, interval: barInterval, draw: drawBar, end: clearBar}
	case "json":
		return &display{progressState: state, interval: plainInterval, draw: writeJSONLine, end: writeJSONLine}
	case "none":
		return noProgress{}
	}
	return &display{progressState: state, interval: plainInterval, draw: writePlainLine, end: func(*progressState) {}}
}

// noProgress shows nothing.
type noProgress struct{}

func (noProgress) start(int64)               {}
func (noProgress) advance(int64)             {}
func (noProgress) follow(*pipeline.Progress) {}
func (noProgress) count(progressCounts)      {}
func (noProgress) watch(func() callCounts)   {}
func (noProgress) finish()                   {}

// progressState is what there is to show.
type progressState struct {
	app     *app
	started time.Time
	total   int64
	read    int64
	done    int64              // of read: what has come out at the other end
	records *pipeline.Progress // nil: reading is all there is
	counts  progressCounts
	ended   bool
	calls   func() callCounts        // nil: no model is asked
	bar     *progressbar.ProgressBar // only of the bar
}

// look asks for the figures of calls, and how much of what was read is done.
func (p *progressState) look() {
	done := p.read
	if p.records != nil {
		_, in := p.records.Read()
		_, out := p.records.Written()
		done = int64(float64(p.read) * float64(out) / float64(max(in, 1)))
	}
	p.done = max(p.done, done)
	if p.calls != nil {
		figures := p.calls()
		p.counts.Calls = &figures
	}
}

// elapsed is the time since the start.
func (p *progressState) elapsed() time.Duration { return p.app.streams.Now().Sub(p.started) }

// rate is conversations per second; 0 in the first moment.
func (p *progressState) rate() float64 {
	seconds := p.elapsed().Seconds()
	if seconds < 0.001 {
		return 0
	}
	return float64(p.counts.Conversations) / seconds
}

// display draws the state every interval, from a goroutine of its own, so that it moves also while nothing advances.
type display struct {
	progressState
	mu       sync.Mutex
	interval time.Duration
	draw     func(*progressState)
	end      func(*progressState)
	stop     chan struct{}
	stopped  chan struct{}
}

func (d *display) start(total int64) {
	d.mu.Lock()
	d.started, d.total = d.app.streams.Now(), total
	d.stop, d.stopped = make(chan struct{}), make(chan struct{})
	d.mu.Unlock()
	ticks, stopTicker := d.app.streams.NewTicker(d.interval)
	go func() {
		defer close(d.stopped)
		defer stopTicker()
		for {
			select {
			case <-d.stop:
				return
			case <-ticks:
				d.mu.Lock()
				d.look()
				d.draw(&d.progressState)
				d.mu.Unlock()
			}
		}
	}()
}

func (d *display) advance(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read += bytes
}

func (d *display) follow(records *pipeline.Progress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records = records
}

func (d *display) count(counts progressCounts) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts = counts
}

func (d *display) watch(calls func() callCounts) { d.calls = calls }

func (d *display) finish() {
	d.mu.Lock()
	running := d.stop != nil && !d.ended
	d.ended = true
	d.mu.Unlock()
	if !running {
		return
	}
	close(d.stop)
	<-d.stopped
	d.look()
	d.end(&d.progressState)
}

// barWidth is the number of columns of the bar itself.
const barWidth = 20

// drawBar draws the bar with its counts on one line that fits the terminal.
func drawBar(p *progressState) {
	if p.bar == nil {
		p.bar = newBar(p.total)
	}
	p.bar.Describe(p.words())
	_ = p.bar.Set64(min(p.done, p.limit())) // its writer accepts everything
	line := strings.TrimSpace(strings.ReplaceAll(p.bar.String(), "\r", ""))
	p.app.console.setLive(fitColumns(line, p.app.streams.Width-1))
}

// limit is the most the bar can show: reading may end a little behind what the file sizes promised.
func (p *progressState) limit() int64 {
	if p.total < 0 {
		return p.done
	}
	return max(p.total-1, 0) // the library takes a full bar for finished and stops drawing it
}

// newBar is the only place that makes a bar. It draws into nowhere; drawBar takes its text.
func newBar(total int64) *progressbar.ProgressBar {
	if total == 0 {
		total = 1
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionSetTheme(progressbar.ThemeASCII),
		progressbar.OptionShowBytes(true),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine of its own
		progressbar.OptionShowDescriptionAtLineEnd(),
	)
}

func clearBar(p *progressState) { p.app.console.setLive("") }

// words says the counts: "1,204 conversations, 14.6/s, 2.3M tokens -> 0.9M".
func (p *progressState) words() string {
	words := fmt.Sprintf("%s conversations", thousands64(p.counts.Conversations))
	if rate := p.rate(); rate > 0 {
		words += fmt.Sprintf(", %.1f/s", rate)
	}
	if p.counts.TokensBefore > 0 {
		words += fmt.Sprintf(", %s -> %s tokens", shortCount(p.counts.TokensBefore), shortCount(p.counts.TokensAfter))
	}
	if c := p.counts.Calls; c != nil {
		words += fmt.Sprintf(", %s calls, %d in flight", thousands64(c.Made), c.InFlight)
		if c.Retried > 0 {
			words += fmt.Sprintf(", %s retried", thousands64(c.Retried))
		}
		if c.Cached > 0 {
			words += fmt.Sprintf(", %s cached", thousands64(c.Cached))
		}
		if c.Cost > 0 {
			words += fmt.Sprintf(", $%.2f", c.Cost)
		}
	}
	return words
}

// writePlainLine writes one line of a log.
func writePlainLine(p *progressState) {
	line := p.elapsed().Round(time.Second).String() + ": "
	if p.total > 0 {
		line += fmt.Sprintf("%.0f %%, ", min(100*float64(p.done)/float64(p.total), 100))
	}
	line += p.words()
	for _, status := range p.counts.Statuses {
		if status.Records > 0 {
			line += fmt.Sprintf(", %s %s", thousands64(status.Records), status.Status)
		}
	}
	_, _ = fmt.Fprintf(p.app.console, "ctxpack: %s\n", printable(line)) // progress is decoration
}

// progressLine is one line of --progress json.
type progressLine struct {
	Time    string  `json:"time"`
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"bytes"`
	Total   int64   `json:"total_bytes"` // -1 when unknown
	Done    bool    `json:"done"`
	progressCounts
}

func writeJSONLine(p *progressState) {
	line, err := json.Marshal(progressLine{
		Time:    p.app.streams.Now().UTC().Format(time.RFC3339),
		Seconds: p.elapsed().Seconds(),
		Bytes:   p.done, Total: p.total, Done: p.ended, progressCounts: p.counts,
	})
	if err == nil {
		_, _ = p.app.console.Write(append(line, '\n')) // progress is decoration
	}
}

// fitColumns cuts a line to a number of columns of a terminal.
func fitColumns(line string, columns int) string {
	used, rest, state := 0, line, -1
	for rest != "" {
		_, after, width, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+width > columns {
			return line[:len(line)-len(rest)]
		}
		used, rest, state = used+width, after, next
	}
	return line
}

// thousands64 spells a count with separators.
func thousands64(n int64) string { return thousands(int(n)) }

// shortCount spells a count with three digits or so: 950, 61.2k, 2.31M, 1.04B.
func shortCount(n int64) string {
	for _, unit := range []struct {
		size   float64
		suffix string
	}{{1e9, "B"}, {1e6, "M"}, {1e3, "k"}} {
		switch value := float64(n) / unit.size; {
		case value >= 100:
			return fmt.Sprintf("%.0f%s", value, unit.suffix)
		case value >= 1:
			return fmt.Sprintf("%.3g%s", value, unit.suffix)
		}
	}
	return fmt.Sprint(n)
}

package summarize

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits bound the calls to one provider. Zero values mean no bound.
type Limits struct {
	Concurrency int           // requests in flight
	RPM, TPM    int           // requests and tokens a minute
	Timeout     time.Duration // of one request
	MaxPause    time.Duration // the longest that a Retry-After is obeyed; 0: a minute

	Clock   Clock
	Stopped <-chan struct{} // closed when nobody should wait any longer (Breaker.Stopped)
	Stats   *Stats
}

// Clock is time as the decorators see it. Safe for concurrent use.
type Clock interface {
	Now() time.Time
	// Sleep waits, or ends early with the cause of ctx.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the real time.
type SystemClock struct{}

// Now is the time.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep waits.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

const (
	defaultMaxPause = time.Minute
	firstPause      = 2 * time.Second // after a 429 that names no time
)

// Limited lets a bounded number of calls through at a time, at a bounded rate. An answer of class RateLimited pauses all
// calls: for as long as the provider asks, at most MaxPause, else for 2 seconds, doubled with every further one.
type Limited struct {
	client Client
	limits Limits
	slots  chan struct{}

	requests, tokens *bucket

	mu      sync.Mutex
	until   time.Time // of the pause
	strikes int       // pauses in a row
}

// NewLimited wraps client.
func NewLimited(client Client, limits Limits) *Limited {
	if limits.Clock == nil {
		limits.Clock = SystemClock{}
	}
	if limits.MaxPause <= 0 {
		limits.MaxPause = defaultMaxPause
	}
	now := limits.Clock.Now()
	return &Limited{
		client: client, limits: limits, slots: make(chan struct{}, max(limits.Concurrency, 1)),
		requests: newBucket(limits.RPM, now), tokens: newBucket(limits.TPM, now),
	}
}

// Name is the client's.
func (l *Limited) Name() string { return l.client.Name() }

// Complete waits for its turn and asks.
func (l *Limited) Complete(ctx context.Context, call Call) (Answer, error) {
	if l.limits.Concurrency > 0 {
		select {
		case l.slots <- struct{}{}:
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
		defer func() { <-l.slots }()
	}
	reserved := call.Tokens + call.MaxTokens/2 // answers rarely take all they may
	if err := l.wait(ctx, reserved); err != nil {
		return Answer{}, err
	}
	if call.Begin != nil {
		call.Begin()
	}
	a, err := l.ask(ctx, call)
	used := a.Tokens
	var failed *CallError
	if errors.As(err, &failed) {
		used = failed.Tokens
	}
	if n := used.Prompt + used.Completion; n > 0 {
		l.tokens.correct(float64(n-reserved), l.limits.Clock.Now())
	}
	l.note(err, failed)
	return a, err
}

// wait waits for both buckets and the end of a pause.
func (l *Limited) wait(ctx context.Context, tokens int) error {
	now := l.limits.Clock.Now()
	d := max(l.requests.reserve(1, now), l.tokens.reserve(float64(tokens), now))
	for first := true; ; first = false {
		if !first {
			d = 0
		}
		l.mu.Lock()
		d = max(d, l.until.Sub(l.limits.Clock.Now()))
		l.mu.Unlock()
		if d <= 0 {
			return nil
		}
		if err := sleepUnless(ctx, l.limits.Clock, d, l.limits.Stopped); err != nil {
			return err
		}
	}
}

// sleepUnless sleeps until d has passed, stopped is closed (then it returns nil at once) or ctx ends.
func sleepUnless(ctx context.Context, clock Clock, d time.Duration, stopped <-chan struct{}) error {
	if stopped == nil {
		return clock.Sleep(ctx, d)
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-stopped:
			cancel()
		case <-inner.Done():
		}
	}()
	err := clock.Sleep(inner, d)
	cancel()
	<-over
	if err != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// ask sends the call with its time limit.
func (l *Limited) ask(ctx context.Context, call Call) (Answer, error) {
	select {
	case <-l.limits.Stopped:
		return l.client.Complete(ctx, call) // the breaker has the words for it, and sends nothing
	default:
	}
	l.limits.Stats.begin()
	defer l.limits.Stats.end()
	if l.limits.Timeout <= 0 {
		return l.client.Complete(ctx, call)
	}
	timed, cancel := context.WithTimeout(ctx, l.limits.Timeout)
	defer cancel()
	a, err := l.client.Complete(timed, call)
	if err != nil && timed.Err() != nil && ctx.Err() == nil {
		err = &CallError{Class: Transient, Code: "timeout", Unknown: true,
			Message: fmt.Sprintf("no answer within %v", l.limits.Timeout)}
	}
	return a, err
}

// note starts a pause after a 429 and ends the row after anything else.
func (l *Limited) note(err error, failed *CallError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if failed == nil || failed.Class != RateLimited {
		if err == nil {
			l.strikes = 0
		}
		return
	}
	now := l.limits.Clock.Now()
	pause := failed.RetryAfter
	if pause <= 0 {
		if now.Before(l.until) {
			return // one of those that were in flight together
		}
		pause = firstPause << min(l.strikes, 10)
		l.strikes++
	}
	if until := now.Add(min(pause, l.limits.MaxPause)); until.After(l.until) {
		l.until = until
	}
}

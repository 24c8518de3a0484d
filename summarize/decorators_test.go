package summarize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"
)

// fakeClock jumps instead of waiting.
type fakeClock struct {
	mu    sync.Mutex
	t     time.Time
	slept []time.Duration
}

func newFakeClock() *fakeClock { return &fakeClock{t: time.Unix(1e9, 0)} }

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
	c.slept = append(c.slept, d)
	return context.Cause(ctx)
}

func failing(class Class, code string) error {
	return &CallError{Class: class, Code: code, Message: code}
}

func TestRetryingWaits(t *testing.T) {
	clock := newFakeClock()
	inner := &scripted{answer: func(n int64, _ Call) (Answer, error) { return Answer{}, failing(Transient, "server") }}
	stats := &Stats{}
	r := NewRetrying(inner, Retry{Retries: 7, Clock: clock, Jitter: func() float64 { return 1 }, Stats: stats})
	_, err := r.Complete(context.Background(), Call{})
	if FailureCode(err) != "server" || inner.calls.Load() != 8 || stats.Figures().Retries != 7 {
		t.Errorf("%v after %d calls", err, inner.calls.Load())
	}
	want := []time.Duration{1, 2, 4, 8, 16, 30, 30}
	for i := range want {
		if clock.slept[i] != want[i]*time.Second {
			t.Errorf("waits %v", clock.slept)
			break
		}
	}
	for _, class := range []Class{Refused, ContextTooLong, KeyRefused, ModelUnknown, QuotaExhausted} {
		inner := &scripted{answer: func(int64, Call) (Answer, error) { return Answer{}, failing(class, "x") }}
		_, _ = NewRetrying(inner, Retry{Retries: 4, Clock: clock}).Complete(context.Background(), Call{})
		if inner.calls.Load() != 1 {
			t.Errorf("class %d is tried %d times", class, inner.calls.Load())
		}
	}
}

func TestRetryAfterIsCapped(t *testing.T) {
	clock := newFakeClock()
	inner := &scripted{answer: func(n int64, _ Call) (Answer, error) {
		if n == 1 {
			return Answer{}, &CallError{Class: Transient, Code: "server", RetryAfter: time.Hour}
		}
		return Answer{Text: "x"}, nil
	}}
	if _, err := NewRetrying(inner, Retry{Retries: 1, Clock: clock}).Complete(context.Background(), Call{}); err != nil {
		t.Fatal(err)
	}
	if clock.slept[0] != time.Minute {
		t.Errorf("waited %v", clock.slept)
	}
}

// A 429 to one pauses everybody.
func TestLimitedPausesThePool(t *testing.T) {
	clock := newFakeClock()
	inner := &scripted{answer: func(n int64, _ Call) (Answer, error) {
		if n == 1 {
			return Answer{}, &CallError{Class: RateLimited, Code: "rate_limit", RetryAfter: 9 * time.Second}
		}
		return Answer{Text: "x"}, nil
	}}
	l := NewLimited(inner, Limits{Concurrency: 4, Clock: clock})
	start := clock.Now()
	_, _ = l.Complete(context.Background(), Call{})
	if _, err := l.Complete(context.Background(), Call{}); err != nil || clock.Now().Sub(start) != 9*time.Second {
		t.Errorf("%v after %v", err, clock.Now().Sub(start))
	}
	if _, err := l.Complete(context.Background(), Call{}); err != nil || clock.Now().Sub(start) != 9*time.Second {
		t.Errorf("%v after %v", err, clock.Now().Sub(start))
	}
}

func TestLimitedPausesDouble(t *testing.T) {
	clock := newFakeClock()
	inner := &scripted{answer: func(int64, Call) (Answer, error) { return Answer{}, failing(RateLimited, "rate_limit") }}
	l := NewLimited(inner, Limits{Concurrency: 1, Clock: clock, MaxPause: 10 * time.Second})
	for range 6 {
		_, _ = l.Complete(context.Background(), Call{})
	}
	if got := fmt.Sprint(clock.slept); got != "[2s 4s 8s 10s 10s]" {
		t.Errorf("pauses %s", got)
	}
}

func TestLimitedConcurrency(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	inner := &scripted{answer: func(int64, Call) (Answer, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(2 * time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
		return Answer{Text: "x"}, nil
	}}
	stats := &Stats{}
	l := NewLimited(inner, Limits{Concurrency: 5, Stats: stats})
	var group sync.WaitGroup
	for range 60 {
		group.Go(func() { _, _ = l.Complete(context.Background(), Call{}) })
	}
	group.Wait()
	if f := stats.Figures(); most != 5 || f.MostInFlight != 5 || f.InFlight != 0 || f.Calls != 60 {
		t.Errorf("%d at a time, %+v", most, f)
	}
}

func TestRates(t *testing.T) {
	for _, test := range []struct {
		name     string
		rpm, tpm int
		call     Call
		calls    int
		least    time.Duration // 60 calls a minute after the first tenth of a minute's worth
	}{
		{"rpm", 60, 0, Call{}, 36, 30 * time.Second},
		{"tpm", 0, 6000, Call{Tokens: 100}, 66, 60 * time.Second},
		{"a call larger than the bucket", 0, 600, Call{Tokens: 600}, 2, 60 * time.Second},
		{"none", 0, 0, Call{Tokens: 1 << 30}, 50, 0},
	} {
		clock := newFakeClock()
		inner := &scripted{answer: func(_ int64, c Call) (Answer, error) {
			return Answer{Text: "x", Tokens: Usage{Prompt: c.Tokens}}, nil
		}}
		l := NewLimited(inner, Limits{RPM: test.rpm, TPM: test.tpm, Clock: clock})
		start := clock.Now()
		for range test.calls {
			if _, err := l.Complete(context.Background(), test.call); err != nil {
				t.Fatal(err)
			}
		}
		if took := clock.Now().Sub(start); took < test.least-time.Second || took > test.least+time.Second {
			t.Errorf("%s: %v, want %v", test.name, took, test.least)
		}
	}
}

func TestLimitedCorrectsByUsage(t *testing.T) {
	clock := newFakeClock()
	inner := &scripted{answer: func(int64, Call) (Answer, error) {
		return Answer{Text: "x", Tokens: Usage{Prompt: 1000, Completion: 1000}}, nil
	}}
	l := NewLimited(inner, Limits{TPM: 10_000, Clock: clock})
	start := clock.Now()
	for range 3 {
		_, _ = l.Complete(context.Background(), Call{Tokens: 1}) // the estimate was far too low
	}
	if took := clock.Now().Sub(start); took < 15*time.Second {
		t.Errorf("%v for 4,000 tokens beyond a bucket of 1,000 at 10,000 a minute", took)
	}
}

func TestStoppedWakesSleepers(t *testing.T) {
	stopped := make(chan struct{})
	inner := &scripted{answer: func(int64, Call) (Answer, error) { return Answer{}, failing(Transient, "server") }}
	r := NewRetrying(inner, Retry{Retries: 100, First: time.Hour, Longest: time.Hour, Stopped: stopped})
	done := make(chan error)
	go func() { _, err := r.Complete(context.Background(), Call{}); done <- err }()
	time.Sleep(10 * time.Millisecond)
	close(stopped)
	select {
	case err := <-done:
		if FailureCode(err) != "server" || inner.calls.Load() > 2 {
			t.Errorf("%v after %d calls", err, inner.calls.Load())
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it still sleeps")
	}
}

func TestBreakerStops(t *testing.T) {
	class := Refused
	inner := &scripted{answer: func(int64, Call) (Answer, error) {
		if class == Refused {
			return Answer{Text: "x"}, nil
		}
		return Answer{}, failing(class, "key")
	}}
	b := NewBreaker(inner)
	ctx := context.Background()
	_, _ = b.Complete(ctx, Call{})
	class = KeyRefused
	for range 4 {
		_, _ = b.Complete(ctx, Call{})
	}
	class = Refused // one success starts the row anew
	_, _ = b.Complete(ctx, Call{})
	class = KeyRefused
	for range 20 {
		_, err := b.Complete(ctx, Call{})
		var fatal *FatalError
		if errors.As(err, &fatal) {
			t.Fatal("fatal after a success")
		}
	}
	if n := inner.calls.Load(); n != 1+4+1+5 {
		t.Errorf("%d calls", n)
	}
	if _, err := b.Complete(ctx, Call{}); !errors.Is(err, ErrStopped) || FailureCode(err) != "stopped" {
		t.Errorf("%v", err)
	}
	select {
	case <-b.Stopped():
	default:
		t.Error("nobody is told")
	}
}

func TestPricedNeverExceeds(t *testing.T) {
	price := Price{Input: 1, Output: 4}
	inner := &scripted{answer: func(n int64, call Call) (Answer, error) {
		time.Sleep(time.Millisecond)
		if n%7 == 0 {
			return Answer{}, &CallError{Class: Transient, Unknown: true}
		}
		return Answer{Text: "x", Tokens: Usage{Prompt: call.Tokens, Completion: call.MaxTokens / 2}}, nil
	}}
	stats := &Stats{}
	const limit = 0.1
	p := NewPriced(inner, price, limit, stats)
	var group sync.WaitGroup
	refused := 0
	var mu sync.Mutex
	for range 200 {
		group.Go(func() {
			_, err := p.Complete(context.Background(), Call{Tokens: 1000, MaxTokens: 500})
			if errors.Is(err, ErrCostLimit) {
				mu.Lock()
				refused++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	// A call costs 0.002 at least and 0.00325 at most.
	if f := stats.Figures(); f.Cost > limit || f.Cost < limit-0.00325 || refused == 0 || refused+int(inner.calls.Load()) != 200 {
		t.Errorf("%.5f dollars, %d calls, %d refused", f.Cost, inner.calls.Load(), refused)
	}
	if c := price.Cost(Usage{Prompt: 1e6, CacheRead: 5e5, Completion: 1e6}); math.Abs(c-5) > 1e-9 {
		t.Errorf("cost %v", c)
	}
	if c := (Price{Input: 2, CacheRead: 1}).Cost(Usage{Prompt: 1e6, CacheRead: 1e6}); math.Abs(c-1) > 1e-9 {
		t.Errorf("cost %v", c)
	}
}

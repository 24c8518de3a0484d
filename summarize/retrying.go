package summarize

import (
	"context"
	"errors"
	"time"
)

// Retry says how a call is repeated.
type Retry struct {
	Retries  int           // attempts after the first
	First    time.Duration // wait before the second attempt, doubled for each further one; 0: a second
	Longest  time.Duration // the longest wait; 0: 30 seconds
	Jitter   func() float64
	Clock    Clock
	Stopped  <-chan struct{} // closed when nobody should wait any longer
	Stats    *Stats
	MaxPause time.Duration // the longest that a Retry-After is obeyed; 0: a minute
}

// Retrying repeats calls that failed with class Transient or RateLimited. The waits are exponential with jitter: half of
// each is fixed, half random. After RateLimited it does not wait itself: Limited pauses everybody.
type Retrying struct {
	client Client
	retry  Retry
}

// NewRetrying wraps client. Jitter gives numbers in [0, 1).
func NewRetrying(client Client, retry Retry) *Retrying {
	if retry.Clock == nil {
		retry.Clock = SystemClock{}
	}
	if retry.Jitter == nil {
		retry.Jitter = func() float64 { return 0.5 }
	}
	for d, or := range map[*time.Duration]time.Duration{
		&retry.First: time.Second, &retry.Longest: 30 * time.Second, &retry.MaxPause: defaultMaxPause,
	} {
		if *d <= 0 {
			*d = or
		}
	}
	return &Retrying{client, retry}
}

// Name is the client's.
func (r *Retrying) Name() string { return r.client.Name() }

// Complete asks until there is an answer, a failure that lasts, or no attempt left.
func (r *Retrying) Complete(ctx context.Context, call Call) (Answer, error) {
	for attempt := 0; ; attempt++ {
		a, err := r.client.Complete(ctx, call)
		if err == nil || ctx.Err() != nil {
			if err != nil {
				err = context.Cause(ctx)
			}
			return a, err
		}
		var failed *CallError
		if !errors.As(err, &failed) || !failed.Class.Retried() || attempt >= r.retry.Retries {
			return Answer{}, err
		}
		select {
		case <-r.retry.Stopped:
			return Answer{}, err
		default:
		}
		if failed.Class != RateLimited {
			if err := sleepUnless(ctx, r.retry.Clock, r.delay(attempt, failed.RetryAfter), r.retry.Stopped); err != nil {
				return Answer{}, err
			}
		}
		r.retry.Stats.retry()
	}
}

func (r *Retrying) delay(attempt int, asked time.Duration) time.Duration {
	d := min(r.retry.First<<min(attempt, 16), r.retry.Longest)
	d = d/2 + time.Duration(float64(d/2)*r.retry.Jitter())
	return max(d, min(asked, r.retry.MaxPause))
}

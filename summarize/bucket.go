package summarize

import (
	"sync"
	"time"
)

// bucket is a token bucket: rate units a minute, of which a tenth of a minute's worth (at least one) may be taken at once.
// A take may go below zero; whoever comes next waits until it is paid back. Safe for concurrent use.
type bucket struct {
	mu    sync.Mutex
	rate  float64 // units a second
	most  float64
	level float64
	at    time.Time
}

// newBucket makes a full bucket; nil, which never makes anybody wait, for a rate of 0.
func newBucket(perMinute int, now time.Time) *bucket {
	if perMinute <= 0 {
		return nil
	}
	most := max(float64(perMinute)/10, 1)
	return &bucket{rate: float64(perMinute) / 60, most: most, level: most, at: now}
}

// reserve takes n units and says how long to wait before using them. More than the bucket holds waits for a full bucket
// and is paid back afterwards.
func (b *bucket) reserve(n float64, now time.Time) time.Duration {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill(now)
	missing := min(n, b.most) - b.level
	b.level -= n
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / b.rate * float64(time.Second))
}

// correct takes n more units, or gives some back when n is below zero: what was really used against what was reserved.
func (b *bucket) correct(n float64, now time.Time) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill(now)
	b.level = min(b.level-n, b.most)
}

func (b *bucket) refill(now time.Time) {
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.level = min(b.level+passed*b.rate, b.most)
		b.at = now
	}
}

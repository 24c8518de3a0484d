package report

import "math/bits"

// The histogram is log-linear: every power of two is cut into subBuckets of the same width, so a bucket is at most
// 1/subBuckets of its value wide and its middle at most 0.8 % away from anything in it. Values below 2*subBuckets have a
// bucket each and are exact.
const (
	subBits    = 6
	subBuckets = 1 << subBits
	maxBits    = 40 // larger values are counted as 2^40 - 1, a million million tokens

	shownBits = 3 // exported buckets: 8 to a power of two, 12.5 % wide
)

const bucketCount = (maxBits - subBits + 1) * subBuckets

// Histogram counts values that are not negative in fixed memory (18 KB) and gives quantiles within 1 %. The zero value is
// empty. Not safe for concurrent use.
type Histogram struct {
	counts   [bucketCount]int64
	count    int64
	sum      float64
	min, max int64
}

// bucketOf is the bucket of a value: its leading subBits+1 bits and their position.
func bucketOf(v int64) int {
	if v < subBuckets {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - subBits - 1
	return shift<<subBits + int(v>>shift)
}

// bucketStart is the smallest value of a bucket.
func bucketStart(i int) int64 {
	if i < 2*subBuckets {
		return int64(i)
	}
	shift := i>>subBits - 1
	return int64(i&(subBuckets-1)|subBuckets) << shift
}

// Add counts one value. Below zero counts as zero.
func (h *Histogram) Add(v int64) {
	v = min(max(v, 0), 1<<maxBits-1)
	if h.count == 0 || v < h.min {
		h.min = v
	}
	h.max = max(h.max, v)
	h.counts[bucketOf(v)]++
	h.count++
	h.sum += float64(v)
}

// Count is how many values were added.
func (h *Histogram) Count() int64 { return h.count }

// Quantile is the value of which a share q of all values is not larger (nearest rank), within 1 %; exact below 128, and
// for q = 0 and q = 1. 0 when there are no values.
func (h *Histogram) Quantile(q float64) int64 {
	if h.count == 0 {
		return 0
	}
	rank := int64(q * float64(h.count))
	if float64(rank) < q*float64(h.count) {
		rank++
	}
	switch rank = min(max(rank, 1), h.count); rank {
	case 1:
		return h.min
	case h.count:
		return h.max
	}
	seen := int64(0)
	for i, n := range h.counts {
		if seen += n; seen >= rank {
			middle := (bucketStart(i) + bucketStart(i+1) - 1) / 2
			return min(max(middle, h.min), h.max)
		}
	}
	return h.max
}

// Distribution is the exported form of a Histogram.
type Distribution struct {
	Count   int64    `json:"count"`
	Min     int64    `json:"min"`
	Max     int64    `json:"max"`
	Mean    int64    `json:"mean"`
	P50     int64    `json:"p50"` // quantiles are within 1 %
	P90     int64    `json:"p90"`
	P95     int64    `json:"p95"`
	P99     int64    `json:"p99"`
	Buckets []Bucket `json:"buckets"` // ascending, without empty ones; a log scale, 8 to a power of two
}

// Bucket is how many values lie in [From, To).
type Bucket struct {
	From  int64 `json:"from"`
	To    int64 `json:"to"`
	Count int64 `json:"count"`
}

// Distribution gives the figures and the buckets.
func (h *Histogram) Distribution() Distribution {
	d := Distribution{
		Count: h.count, Min: h.min, Max: h.max,
		P50: h.Quantile(0.50), P90: h.Quantile(0.90), P95: h.Quantile(0.95), P99: h.Quantile(0.99),
		Buckets: []Bucket{},
	}
	if h.count > 0 {
		d.Mean = int64(h.sum/float64(h.count) + 0.5)
	}
	for i, n := range h.counts {
		if n == 0 {
			continue
		}
		from, to := shownBucket(bucketStart(i))
		if k := len(d.Buckets) - 1; k >= 0 && d.Buckets[k].From == from {
			d.Buckets[k].Count += n
			continue
		}
		d.Buckets = append(d.Buckets, Bucket{from, to, n})
	}
	return d
}

// shownBucket is the exported bucket that a value belongs to.
func shownBucket(v int64) (from, to int64) {
	shift := max(bits.Len64(uint64(v))-shownBits-1, 0)
	from = v >> shift << shift
	return from, from + 1<<shift
}

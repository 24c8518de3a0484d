package report

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQuantilesAgainstExact compares with the exact nearest-rank quantiles of the same values.
func TestQuantilesAgainstExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Custom(func(t *rapid.T) int64 {
			return rapid.Int64Range(0, int64(1)<<rapid.IntRange(0, maxBits-1).Draw(t, "bits")).Draw(t, "value")
		})
		values := rapid.SliceOfN(value, 1, 300).Draw(t, "values")
		var h Histogram
		for _, v := range values {
			h.Add(v)
		}
		slices.Sort(values)
		for _, q := range []float64{0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1} {
			rank := max(int(math.Ceil(q*float64(len(values)))), 1)
			want, got := values[rank-1], h.Quantile(q)
			if diff := math.Abs(float64(got - want)); diff > 0.01*float64(want) || want < 2*subBuckets && diff > 0 {
				t.Fatalf("quantile %v is %d, exactly %d", q, got, want)
			}
		}
		d := h.Distribution()
		if d.Min != values[0] || d.Max != values[len(values)-1] || d.Count != int64(len(values)) {
			t.Fatalf("min %d max %d count %d of %v", d.Min, d.Max, d.Count, values)
		}
		checkBuckets(t, d, values)
	})
}

// checkBuckets counts the values of every exported bucket again.
func checkBuckets(t *rapid.T, d Distribution, values []int64) {
	sum, end := int64(0), int64(-1)
	for _, b := range d.Buckets {
		n := int64(0)
		for _, v := range values {
			if v >= b.From && v < b.To {
				n++
			}
		}
		if n != b.Count || b.From < end || b.To <= b.From {
			t.Fatalf("bucket %+v after %d, which holds %d", b, end, n)
		}
		sum, end = sum+b.Count, b.To
	}
	if sum != d.Count {
		t.Fatalf("buckets hold %d of %d", sum, d.Count)
	}
}

// TestBuckets checks the bounds of every bucket: bucketStart is the inverse of bucketOf, without gaps.
func TestBuckets(t *testing.T) {
	for i := range bucketCount {
		from, to := bucketStart(i), bucketStart(i+1)
		if bucketOf(from) != i || bucketOf(to-1) != i {
			t.Fatalf("bucket %d is [%d, %d), but they are in %d and %d", i, from, to, bucketOf(from), bucketOf(to-1))
		}
	}
	if last := bucketOf(1<<maxBits - 1); last != bucketCount-1 {
		t.Errorf("the largest value is in bucket %d of %d", last, bucketCount)
	}
}

func TestHistogramBounds(t *testing.T) {
	var h Histogram
	if h.Quantile(0.5) != 0 || len(h.Distribution().Buckets) != 0 || h.Distribution().Mean != 0 {
		t.Error("an empty histogram has figures")
	}
	h.Add(-5)
	h.Add(math.MaxInt64)
	if d := h.Distribution(); d.Min != 0 || d.Max != 1<<maxBits-1 || d.Count != 2 {
		t.Errorf("out of range: %+v", d)
	}
}

package quality

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Resampling: quality.md section 4.
const (
	Resamples = 2000
	seed1     = 0x63747870 // any constant will do; a fixed one makes the verdict repeatable
	seed2     = 0x61636b
	// Above so many conversations the mean is normal for every practical purpose, and resampling costs more than it tells.
	exactUpTo = 5000
	oneSided  = 0.95
	z95       = 1.6448536269514722 // of the normal distribution, one-sided 95 %
	z975      = 1.959963984540054
)

// sample is values grouped by conversation: rows of one conversation are no independent observations.
type sample struct {
	sums   []float64
	counts []float64
	index  map[string]int
}

func newSample() *sample { return &sample{index: map[string]int{}} }

func (s *sample) add(cluster string, v float64) {
	k, ok := s.index[cluster]
	if !ok {
		k = len(s.sums)
		s.index[cluster] = k
		s.sums, s.counts = append(s.sums, 0), append(s.counts, 0)
	}
	s.sums[k] += v
	s.counts[k]++
}

// n is the number of values.
func (s *sample) n() int { return int(total(s.counts)) }

// mean is over values, not over conversations; NaN without any.
func (s *sample) mean() float64 { return total(s.sums) / total(s.counts) }

func total(list []float64) float64 {
	t := 0.0
	for _, v := range list {
		t += v
	}
	return t
}

// quantiles gives quantiles of the mean's distribution by a bootstrap that draws whole conversations with replacement.
// The same sample gives the same answer. Without values they are NaN.
func (s *sample) quantiles(at ...float64) []float64 {
	out := make([]float64, len(at))
	if len(s.sums) == 0 {
		for i := range out {
			out[i] = math.NaN()
		}
		return out
	}
	if s.constant() {
		for i := range out {
			out[i] = s.mean()
		}
		return out
	}
	if len(s.sums) > exactUpTo {
		mean, err := s.mean(), s.standardError()
		for i, q := range at {
			out[i] = mean + normal(q)*err
		}
		return out
	}
	r := rand.New(rand.NewPCG(seed1, seed2))
	means := make([]float64, Resamples)
	for i := range means {
		sum, n := 0.0, 0.0
		for range s.sums {
			k := r.IntN(len(s.sums))
			sum += s.sums[k]
			n += s.counts[k]
		}
		means[i] = sum / n
	}
	slices.Sort(means)
	for i, q := range at {
		out[i] = means[min(max(int(math.Ceil(q*Resamples))-1, 0), Resamples-1)]
	}
	return out
}

// constant says that every conversation has the same mean.
func (s *sample) constant() bool {
	for i := range s.sums {
		if s.sums[i]*s.counts[0] != s.sums[0]*s.counts[i] {
			return false
		}
	}
	return true
}

// standardError of the mean, robust to clusters: of a ratio of sums.
func (s *sample) standardError() float64 {
	mean, n, k := s.mean(), total(s.counts), float64(len(s.sums))
	squares := 0.0
	for i := range s.sums {
		d := s.sums[i] - mean*s.counts[i]
		squares += d * d
	}
	return math.Sqrt(squares*k/max(k-1, 1)) / n
}

// normal gives the quantiles that are asked for here.
func normal(q float64) float64 {
	switch {
	case q == oneSided:
		return z95
	case q == 1-oneSided:
		return -z95
	case q > 0.5:
		return z975
	}
	return -z975
}

package tokens

import (
	"container/heap"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ctxpack/ctxpack/compress/tokens/internal/split"
)

// mergeHeap orders possible merges by rank, then position.
type mergeHeap [][2]int

func (h mergeHeap) Len() int { return len(h) }
func (h mergeHeap) Less(i, j int) bool {
	return h[i][0] < h[j][0] || h[i][0] == h[j][0] && h[i][1] < h[j][1]
}
func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *mergeHeap) Push(x any)   { *h = append(*h, x.([2]int)) }
func (h *mergeHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// byteStrings counts the tokens of one piece by the definition, over the byte strings of a vocabulary
// and in n log n steps. It shares nothing with the package's engine.
func byteStrings(ranks map[string]int, piece string) int {
	if _, found := ranks[piece]; found {
		return 1
	}
	ends := make([]int, len(piece)) // of the part that starts here; 0 if none does
	before := make([]int, len(piece)+1)
	for i := range ends {
		ends[i], before[i+1] = i+1, i
	}
	var merges mergeHeap
	add := func(start int) {
		if start < 0 || ends[start] == len(piece) {
			return
		}
		if rank, found := ranks[piece[start:ends[ends[start]]]]; found {
			heap.Push(&merges, [2]int{rank, start})
		}
	}
	for i := range ends {
		add(i)
	}
	before[0] = -1
	parts := len(piece)
	for len(merges) > 0 {
		next := heap.Pop(&merges).([2]int)
		rank, start := next[0], next[1]
		middle := ends[start]
		if middle == 0 || middle == len(piece) || ranks[piece[start:ends[middle]]] != rank {
			continue // merged in another way meanwhile
		}
		if _, found := ranks[piece[start:ends[middle]]]; !found {
			continue
		}
		ends[start] = ends[middle]
		ends[middle] = 0
		if end := ends[start]; end < len(piece) {
			before[end] = start
		}
		parts--
		add(before[start])
		add(start)
	}
	return parts
}

// longTexts are the texts without an end in sight: n bytes of one character, or of few.
func longTexts(n int) map[string]string {
	rng := rand.New(rand.NewPCG(7, 8))
	random := func(letters string) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = letters[rng.IntN(len(letters))]
		}
		return string(text)
	}
	const lower = "abcdefghijklmnopqrstuvwxyz"
	texts := map[string]string{
		"base64":         random(strings.ToUpper(lower) + lower + "0123456789+/"),
		"random letters": random(lower),
		"two letters":    random("ab"),
		"mixed spaces":   random(" \t\n"),
	}
	for _, c := range []string{"a", "A", "0", " ", "\n", "\t", "-", "=", "/", "é", "я", "的", "ก", "\u0301", "😀", "👍🏽", "ab", "\r\n", "<|endoftext|>"} {
		texts[c] = strings.Repeat(c, n/len(c))
	}
	return texts
}

// TestLongTextsAreExact compares counts of long texts with the definition; tiktoken-go would take
// minutes.
func TestLongTextsAreExact(t *testing.T) {
	size := 20_000
	if testing.Short() {
		size = 5_000
	}
	tests := []struct {
		encoding string
		pattern  string
	}{
		{"o200k_base", split.PatternO200k},
		{"cl100k_base", split.PatternCL100k},
	}
	for _, tt := range tests {
		ranks := ranksOf(t, tt.encoding)
		splitter, err := split.NewRegexp([]string{tt.pattern})
		if err != nil {
			t.Fatal(err)
		}
		counter := counterOf(t, tt.encoding)
		for name, text := range longTexts(size) {
			want, start := 0, 0
			for _, end := range splitter.Ends(text) {
				want += byteStrings(ranks, text[start:end])
				start = end
			}
			if got := counter.Count(text); got != want {
				t.Errorf("%s: %q: %d tokens, want %d", tt.encoding, name, got, want)
			}
		}
	}
}

// TestCostIsLinear fails where the cost of a long text grows faster than its length: quadratic cost
// would take hundreds of times the limit.
func TestCostIsLinear(t *testing.T) {
	counter := counterOf(t, "o200k_base")
	counter.Count("loaded")
	size := 1 << 18
	if testing.Short() {
		size = 1 << 16
	}
	for name, text := range longTexts(size) {
		start := time.Now()
		counter.Count(text)
		if spent := time.Since(start); spent > time.Minute {
			t.Errorf("%q: %v for %d bytes", name, spent, len(text))
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	counter := counterOf(t, "o200k_base")
	want := counter.Count(seeds[1])
	done := make(chan int)
	for range 8 {
		go func() {
			total := 0
			for range 20 {
				for _, text := range seeds {
					counter.Count(text)
				}
				total += counter.Count(seeds[1])
			}
			done <- total
		}()
	}
	for range 8 {
		if got := <-done; got != 20*want {
			t.Errorf("%d tokens in 20 texts of %d", got, want)
		}
	}
}

func TestNothingIsRetained(t *testing.T) {
	buffer := []byte("some text that is longer than every cache key of the engine, indeed")
	counter := counterOf(t, "cl100k_base")
	for _, text := range []string{"first words", "other words", "2nd words!!"} {
		n := copy(buffer, text)
		view := unsafeString(buffer[:n])
		if got, want := counter.Count(view), counterOf(t, "tiktoken:cl100k_base").Count(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

// unsafeString is a view of a buffer, as readers pass them to counters.
func unsafeString(b []byte) string { return unsafe.String(&b[0], len(b)) }

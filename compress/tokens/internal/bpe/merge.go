package bpe

// maxShortMerge is the length in bytes up to which a scan for the next merge is faster than a heap.
const maxShortMerge = 64

// merger merges the bytes of a piece to tokens. The zero value is ready; its memory is reused.
type merger struct {
	tokens, ranks [maxShortMerge + 1]uint32 // of short

	// Of window: for each part, its token, the token that it and the next part merge to, where it
	// starts, and, once the heap is in use, its neighbours.
	token, rank    []uint32
	start          []int32
	previous, next []int32
	heap           []uint64
}

// short merges a piece of up to maxShortMerge bytes and returns the number of tokens. The next
// merge is always the one that makes the lowest token, the leftmost of several.
func (m *merger) short(v *Vocabulary, piece string) int {
	n := m.begin(v, piece)
	for n > 1 {
		lowest := uint64(none) << 8
		for i, rank := range m.ranks[:n-1] {
			lowest = min(lowest, uint64(rank)<<8|uint64(i))
		}
		merged, at := uint32(lowest>>8), int(lowest&0xFF)
		if merged == none {
			break
		}
		n--
		for i := at + 1; i < n; i++ {
			m.tokens[i], m.ranks[i-1] = m.tokens[i+1], m.ranks[i]
		}
		m.tokens[at] = merged
		if at > 0 {
			m.ranks[at-1] = v.pairs.merged(m.tokens[at-1], merged)
		}
		if at+1 < n {
			m.ranks[at] = v.pairs.merged(merged, m.tokens[at+1])
		}
	}
	return n
}

// begin sets up the first tokens of a piece of up to maxShortMerge bytes, and what they merge to;
// it returns their number. The tokens are bytes, and characters of two bytes if these are sure to
// merge before anything else happens to them.
func (m *merger) begin(v *Vocabulary, piece string) int {
	n, merged := 0, false
	for i := 0; i < len(piece); i++ {
		b := piece[i]
		m.tokens[n] = uint32(b)
		if b >= 0xC0 && b < 0xE0 && i+1 < len(piece) {
			if token := v.character(piece, i); token != none {
				m.tokens[n], merged = token, true
				i++
			}
		}
		n++
	}
	for i := range n - 1 {
		left, right := m.tokens[i], m.tokens[i+1]
		if left|right < 256 {
			m.ranks[i] = v.bytePairs[left<<8|right]
		} else if merged {
			m.ranks[i] = v.pairs.merged(left, right)
		}
	}
	return n
}

// window merges a piece of any length; afterwards start holds where its tokens start.
func (m *merger) window(v *Vocabulary, piece string) {
	n := len(piece)
	m.token, m.rank, m.start = grown(m.token, n), grown(m.rank, n), grown(m.start, n)
	for i := range n {
		m.token[i] = uint32(piece[i])
		m.start[i] = int32(i)
		m.rank[i] = none
		if i+1 < n {
			m.rank[i] = v.bytePairs[uint32(piece[i])<<8|uint32(piece[i+1])]
		}
	}
	for m.passes(v) {
	}
	m.mergeByHeap(v)
}

// grown returns a slice of n elements, in the memory of s if it has room for them.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// passShare is the least share of the parts that a pass must merge to be worth it.
const passShare = 16

// passes makes all merges to the lowest token in one pass over the parts. It reports whether it
// did: with few of them it changes nothing. Since a new token merges to higher ones only, no merge
// of the pass makes another one due before the pass is over.
func (m *merger) passes(v *Vocabulary) bool {
	lowest, count := none, 0
	for _, rank := range m.rank {
		if rank < lowest {
			lowest, count = rank, 0
		}
		if rank == lowest {
			count++
		}
	}
	if lowest == none || count*passShare < len(m.rank) {
		return false
	}
	n := 0
	for i := 0; i < len(m.rank); i++ {
		m.token[n], m.rank[n], m.start[n] = m.token[i], m.rank[i], m.start[i]
		if m.rank[i] == lowest {
			m.token[n] = lowest
			i++
			m.rank[n] = lowest // to be renewed below
		}
		n++
	}
	m.token, m.rank, m.start = m.token[:n], m.rank[:n], m.start[:n]
	for i := range n {
		switch {
		case i+1 == n:
			m.rank[i] = none
		case m.token[i] == lowest || m.token[i+1] == lowest:
			m.rank[i] = v.pairs.merged(m.token[i], m.token[i+1])
		}
	}
	return true
}

// mergeByHeap makes the remaining merges, in the order of a heap of the tokens that they make.
func (m *merger) mergeByHeap(v *Vocabulary) {
	n := len(m.token)
	m.previous, m.next = grown(m.previous, n), grown(m.next, n)
	m.heap = m.heap[:0]
	for i := range n {
		m.previous[i], m.next[i] = int32(i-1), int32(i+1)
		if m.rank[i] != none {
			m.heap = append(m.heap, entry(m.rank[i], i))
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		down(m.heap, i)
	}
	for len(m.heap) > 0 {
		at := int(uint32(m.heap[0]))
		merged := uint32(m.heap[0] >> 32)
		if m.rank[at] != merged { // this merge is no longer possible
			m.pop()
			continue
		}
		m.join(v, at, merged)
	}
	m.collect()
}

// entry is an element of the heap: the token to be made, then the part where.
func entry(rank uint32, at int) uint64 { return uint64(rank)<<32 | uint64(uint32(at)) }

// join merges the part at with the next one. The entry of this merge is on top of the heap.
func (m *merger) join(v *Vocabulary, at int, merged uint32) {
	gone := int(m.next[at])
	m.token[at] = merged
	m.rank[gone] = none
	m.token[gone] = none
	m.next[at] = m.next[gone]
	m.rank[at] = none
	if after := int(m.next[at]); after < len(m.token) {
		m.previous[after] = int32(at)
		m.rank[at] = v.pairs.merged(merged, m.token[after])
	}
	if m.rank[at] != none {
		m.heap[0] = entry(m.rank[at], at)
		down(m.heap, 0)
	} else {
		m.pop()
	}
	if before := int(m.previous[at]); before >= 0 {
		m.rank[before] = v.pairs.merged(m.token[before], merged)
		if m.rank[before] != none {
			m.push(entry(m.rank[before], before))
		}
	}
}

// collect moves the starts of the parts that are left to the front of start.
func (m *merger) collect() {
	n := 0
	for i := 0; i < len(m.token); i = int(m.next[i]) {
		m.start[n] = m.start[i]
		n++
	}
	m.start = m.start[:n]
}

// pop removes the top of the heap.
func (m *merger) pop() {
	last := len(m.heap) - 1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	if last > 1 {
		down(m.heap, 0)
	}
}

// push adds e to the heap.
func (m *merger) push(e uint64) {
	m.heap = append(m.heap, e)
	i := len(m.heap) - 1
	for i > 0 && m.heap[(i-1)/2] > e {
		m.heap[i] = m.heap[(i-1)/2]
		i = (i - 1) / 2
	}
	m.heap[i] = e
}

// down moves the element i of the heap to its place below.
func down(heap []uint64, i int) {
	e := heap[i]
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && heap[child+1] < heap[child] {
			child++
		}
		if heap[child] >= e {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = e
}

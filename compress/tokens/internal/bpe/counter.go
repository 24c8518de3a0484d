package bpe

import (
	"unicode/utf8"
	"unsafe"
)

// Counter counts the tokens of pieces with one vocabulary. It carries caches and scratch memory:
// use one per goroutine. The memory does not grow with what is counted, except for pieces of
// megabytes that are not valid UTF-8, and that part is given back.
type Counter struct {
	vocabulary *Vocabulary
	short      *[1 << shortBits]key // direct-mapped: pieces of up to maxKey bytes; the count is above the length
	long       []longKey            // direct-mapped: pieces of up to maxLongKey bytes
	merger     merger
	pair       merger // for the proof of seams, while merger holds a window
	repaired   []byte // a piece that was not valid UTF-8
}

// NewCounter returns a counter over the vocabulary.
func NewCounter(v *Vocabulary) *Counter {
	return &Counter{
		vocabulary: v,
		short:      new([1 << shortBits]key),
		long:       make([]longKey, 1<<longBits),
	}
}

// The caches of a counter take 1 MB and 160 KB; what is asked for often stays in the L2 cache of a core.
const (
	shortBits  = 16 // binary logarithm of the entries of short
	longBits   = 12 // the same of long
	maxLongKey = 31
	countShift = 60                // of the count in key.hi, above the length
	keyMask    = 1<<countShift - 1 // key.hi without the count
	maxRepair  = 1 << 20           // bytes of repaired that are kept
)

// longKey is a piece of up to maxLongKey bytes, see countLong, and its count.
type longKey struct {
	words [4]uint64
	count uint32
}

// Count returns the number of tokens of the pieces of text that begin at start and end at ends.
func (c *Counter) Count(text string, start int, ends []int) int {
	total := 0
	for _, end := range ends {
		n := end - start
		switch {
		case n > maxKey:
			total += c.countLong(text[start:end])
		case start+16 > len(text):
			total += c.countShort(text, start, n)
		default: // countShort, as a part of the loop: pieces by the dozen are under way in a processor at once
			mask := &keyMasks[n&maxKey]
			k := key{wordAt(text, start) & mask.lo, wordAt(text, start+8)&mask.hi | uint64(n)<<56}
			slot := &c.short[k.hash()>>(64-shortBits)]
			if slot.lo == k.lo && slot.hi&keyMask == k.hi {
				total += int(slot.hi >> countShift)
			} else {
				total += c.countMissing(text[start:end], k, slot)
			}
		}
		start = end
	}
	return total
}

// keyMasks keep the first bytes of a key, as many as the index says.
var keyMasks = func() (masks [maxKey + 1]key) {
	for n := range masks {
		masks[n].lo = ^uint64(0) >> (64 - min(8*n, 64))
		masks[n].hi = ^uint64(0) >> (128 - max(8*n, 64))
	}
	return masks
}()

// countShort counts a piece of up to maxKey bytes.
func (c *Counter) countShort(text string, start, n int) int {
	var padded [16]byte
	copy(padded[:], text[start:start+n])
	k := key{wordIn(padded[:8]), wordIn(padded[8:])}.withLength(n)
	slot := &c.short[k.hash()>>(64-shortBits)]
	if slot.lo == k.lo && slot.hi&keyMask == k.hi {
		return int(slot.hi >> countShift)
	}
	return c.countMissing(text[start:start+n], k, slot)
}

// countMissing counts a piece of up to maxKey bytes that its slot of the cache does not hold, and puts
// it there.
func (c *Counter) countMissing(piece string, k key, slot *key) int {
	count := 1
	if !c.vocabulary.short.contains(k) {
		count = c.countNew(piece)
	}
	if count < 16 {
		*slot = key{k.lo, k.hi | uint64(count)<<countShift}
	}
	return count
}

// countLong counts a piece of more than maxKey bytes.
func (c *Counter) countLong(piece string) int {
	n := len(piece)
	if n > maxLongKey {
		return c.countNew(piece)
	}
	// The first 16 bytes, the last 8, the length, and what may lie between them: all the bytes.
	k := [4]uint64{wordAt(piece, 0), wordAt(piece, 8), wordAt(piece, n-8), uint64(n)}
	if n > 24 {
		k[3] |= wordAt(piece, 16) << 8
	}
	h := (key{k[0] ^ k[2]*multiplier, k[1] ^ k[3]}).hash()
	slot := &c.long[h>>(64-longBits)&(1<<longBits-1)]
	if slot.words == k {
		return int(slot.count)
	}
	count := c.countNew(piece)
	*slot = longKey{k, uint32(count)}
	return count
}

// countNew counts a piece that no cache knows. It cuts it where no token can lie across, and counts
// the parts: they come back in other pieces far more often than the whole does.
func (c *Counter) countNew(piece string) int {
	if !utf8.ValidString(piece) {
		return c.countRepaired(piece)
	}
	v := c.vocabulary
	if v.whole != nil && v.whole[piece] {
		return 1
	}
	total, start := 0, 0
	for i := 3; i+3 <= len(piece); {
		// Is there a character of three bytes on both sides of i?
		if b := piece[i]; b&0xF0 != 0xE0 {
			i += characterLength(b)
			continue
		}
		if piece[i-3]&0xF0 == 0xE0 && i-start >= 3 {
			left := uint32(piece[i-1]) | uint32(piece[i-2])<<8 | uint32(piece[i-3])<<16
			right := uint32(piece[i]) | uint32(piece[i+1])<<8 | uint32(piece[i+2])<<16
			if !v.seams.joined(left, right) {
				total += c.countPart(piece, start, i)
				start = i
			}
		}
		i += 3
	}
	return total + c.countPart(piece, start, len(piece))
}

// countPart counts the part piece[start:end] between two seams.
func (c *Counter) countPart(piece string, start, end int) int {
	isPiece := start == 0 && end == len(piece)
	if !isPiece && end-start <= maxKey && c.vocabulary.whole == nil {
		return c.countShort(piece, start, end-start)
	}
	return c.merge(piece[start:end])
}

// merge counts by merging.
func (c *Counter) merge(piece string) int {
	if len(piece) <= maxShortMerge {
		return c.merger.short(c.vocabulary, piece)
	}
	return c.mergeWindows(piece)
}

// countRepaired counts a piece with bytes that are not valid UTF-8, with U+FFFD for each of them.
func (c *Counter) countRepaired(piece string) int {
	repaired := c.repaired[:0]
	for _, r := range piece {
		repaired = utf8.AppendRune(repaired, r)
	}
	c.repaired = repaired
	if cap(repaired) > maxRepair {
		c.repaired = nil
	}
	// The text is a view of the buffer: it is valid UTF-8, so nothing below comes back here.
	return c.countNew(unsafe.String(unsafe.SliceData(repaired), len(repaired)))
}

// characterLength returns the length of the valid UTF-8 character that starts with b.
func characterLength(b byte) int {
	switch {
	case b < 0xC0:
		return 1
	case b < 0xE0:
		return 2
	case b < 0xF0:
		return 3
	}
	return 4
}

// wordAt returns the eight bytes of text at i, the first one lowest.
func wordAt(text string, i int) uint64 {
	s := text[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// wordIn is wordAt for the first eight bytes of a slice.
func wordIn(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

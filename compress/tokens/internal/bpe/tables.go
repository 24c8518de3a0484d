package bpe

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// maxKey is the length in bytes of the longest piece that fits a key.
const maxKey = 15

// key is a piece of up to maxKey bytes: the first eight in lo, the first lowest, the others in hi,
// whose last byte holds the length (withLength), so that no two pieces have one key.
type key struct{ lo, hi uint64 }

// append returns the first 16 bytes of left (of n < 16 bytes) followed by right; both without length.
func (left key) append(right key, n int) key {
	shift := 8 * uint(n)
	if n >= 8 {
		return key{left.lo, left.hi | right.lo<<(shift-64)}
	}
	return key{left.lo | right.lo<<shift, right.hi<<shift | right.lo>>(64-shift)}
}

func (k key) withLength(n int) key { return key{k.lo, k.hi | uint64(n)<<56} }

// withoutLength undoes withLength.
func (k key) withoutLength() key { return key{k.lo, k.hi & (1<<56 - 1)} }

// validUTF8 reports whether the n bytes of a key are valid UTF-8.
func (k key) validUTF8(n int) bool {
	if (k.lo|k.hi)&0x8080808080808080 == 0 {
		return true
	}
	var text [16]byte
	binary.LittleEndian.PutUint64(text[:], k.lo)
	binary.LittleEndian.PutUint64(text[8:], k.hi)
	return utf8.Valid(text[:n])
}

// multiplier spreads bits for multiplicative hashing: 2^64 divided by the golden ratio, odd.
const multiplier = 0x9E3779B97F4A7C15

// multiplier2 is another odd number of no pattern: 2^64 divided by the square root of 3.
const multiplier2 = 0x93CD3A2C8198E269

// hash returns well mixed bits.
func (k key) hash() uint64 {
	high, low := bits.Mul64(k.lo^multiplier, k.hi^multiplier2)
	return high ^ low
}

// tableBits returns the binary logarithm of the size of an open-addressing table for n entries that
// is at most half full.
func tableBits(n int) int { return bits.Len(uint(max(n, 8)*2 - 1)) }

// keySet is a set of keys with open addressing. A slot holds the number of a key and, above it, bits
// of its hash, so that a probe that fails hardly ever looks at the keys; 0 ends a probe, as the
// number 0 is not used.
type keySet struct {
	slots []uint32
	keys  []key // by number
	shift uint
}

const keyNumberBits = 21 // enough for maxTokens

// newKeySet returns an empty set of keys by their numbers, the keys to be filled in by insert.
func newKeySet(keys []key) keySet {
	b := tableBits(len(keys))
	return keySet{slots: make([]uint32, 1<<b), keys: keys, shift: uint(64 - b)}
}

// insert adds the key with a number.
func (s *keySet) insert(k key, number int) {
	h := k.hash()
	at := h >> s.shift
	for s.slots[at] != 0 {
		at = (at + 1) & uint64(len(s.slots)-1)
	}
	s.slots[at] = uint32(h)<<keyNumberBits | uint32(number)
	s.keys[number] = k
}

func (s *keySet) contains(k key) bool {
	h := k.hash()
	for at := h >> s.shift; s.slots[at] != 0; at = (at + 1) & uint64(len(s.slots)-1) {
		slot := s.slots[at]
		if slot>>keyNumberBits == uint32(h)<<keyNumberBits>>keyNumberBits && s.keys[slot&(1<<keyNumberBits-1)] == k {
			return true
		}
	}
	return false
}

// pairTable maps pairs of tokens to the token that they merge to, with open addressing. A slot
// holds left, right and merged token in 21, 21 and 22 bits; 0 ends a probe, as no pair merges to
// token 0. The bits of filter say, for more slots than there are, which hashes occur at all: most
// lookups are of pairs that do not merge, and the filter is small enough to stay in the L2 cache.
type pairTable struct {
	slots  []uint64
	filter []uint64
	shift  uint // to slots
}

// filterBits is how many more bits of the hash the filter tells apart than the slots do.
const filterBits = 2

func newPairTable(n int) pairTable {
	b := bits.Len(uint(max(n, 8)*5/4 - 1))
	return pairTable{
		slots:  make([]uint64, 1<<b),
		filter: make([]uint64, max(1, 1<<(b+filterBits)/64)),
		shift:  uint(64 - b),
	}
}

func pairHash(pair uint64) uint64 { return (pair ^ pair>>19) * multiplier }

func (t *pairTable) insert(left, right, merged uint32) {
	pair := uint64(left)<<21 | uint64(right)
	h := pairHash(pair)
	bit := h >> (t.shift - filterBits)
	t.filter[bit/64] |= 1 << (bit % 64)
	at := h >> t.shift
	for t.slots[at] != 0 {
		at = (at + 1) & uint64(len(t.slots)-1)
	}
	t.slots[at] = pair<<22 | uint64(merged)
}

// merged returns the token that left and right merge to, or none.
func (t *pairTable) merged(left, right uint32) uint32 {
	pair := uint64(left)<<21 | uint64(right)
	h := pairHash(pair)
	bit := h >> (t.shift - filterBits)
	if t.filter[bit/64]>>(bit%64)&1 == 0 {
		return none
	}
	for at := h >> t.shift; t.slots[at] != 0; at = (at + 1) & uint64(len(t.slots)-1) {
		if t.slots[at]>>22 == pair {
			return uint32(t.slots[at] & (1<<22 - 1))
		}
	}
	return none
}

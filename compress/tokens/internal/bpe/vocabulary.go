// Package bpe counts the tokens of byte-level byte-pair encoding, given the pieces of a text.
//
// It counts without building tokens. What makes it fast: a cache of the counts of short pieces, a
// set of the tokens that are whole pieces, one table of the pairs that merge, and a filter that
// cuts runs of characters of three bytes where no token can join them. What keeps it linear: long
// pieces are merged in windows whose seams are proved, see window.go.
package bpe

import (
	"errors"
	"fmt"
)

// A Merge joins two tokens to a new one. Tokens are numbered in the order in which they come to be:
// the bytes first, each its own number, then the result of the first merge, 256, and so on.
type Merge struct{ Left, Right uint32 }

// Vocabulary holds the tables of one encoding. It is immutable and safe for concurrent use.
//
// There is one merge for each token. That is enough even where an encoding is given as a list of
// ranked byte strings, any two neighbours that spell one of which may be joined: as long as no
// merge crosses the ends of a token, the merges inside go the same way in every text, so the last
// one always joins the same two.
type Vocabulary struct {
	bytePairs []uint32 // the token that two bytes merge to, at first<<8|second; none
	pairs     pairTable
	// The lowest tokens that merges of a byte with a token of several bytes make, by the byte: on
	// its right after such a token, and on its left before one.
	lowestAfter, lowestBefore [256]uint32
	short                     keySet          // tokens of up to maxKey bytes that are valid UTF-8, as pieces to merge are
	whole                     map[string]bool // tokens that no merges lead to: they are tokens as whole pieces only
	seams                     seamFilter
	maxToken                  int // length in bytes of the longest token
}

// none is the token that stands for no token; it is greater than all others.
const none = ^uint32(0)

// maxTokens is the limit of the packing of pairs.
const maxTokens = 1 << 21

// ErrOrder is wrapped by the error of New for merges that come before the merge that makes one of
// their two tokens.
var ErrOrder = errors.New("merges out of order")

// New builds the tables for a list of merges, the token of the first being number 256. The tokens
// of whole are single tokens wherever they are a whole piece, although merges do not lead to them.
func New(merges []Merge, whole []string) (*Vocabulary, error) {
	if len(merges) > maxTokens-256 {
		return nil, fmt.Errorf("%d merges: more than %d", len(merges), maxTokens-256)
	}
	for i, m := range merges {
		if next := uint32(256 + i); m.Left >= next || m.Right >= next {
			return nil, fmt.Errorf("%w: merge %d joins tokens %d and %d", ErrOrder, i, m.Left, m.Right)
		}
	}
	v := &Vocabulary{bytePairs: make([]uint32, 1<<16)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.buildPairs(merges)
	}()
	v.buildTokens(merges, whole)
	<-done
	return v, nil
}

// buildPairs fills the tables that merging looks into.
func (v *Vocabulary) buildPairs(merges []Merge) {
	for i := range v.bytePairs {
		v.bytePairs[i] = none
	}
	for b := range 256 {
		v.lowestAfter[b], v.lowestBefore[b] = none, none
	}
	v.pairs = newPairTable(len(merges))
	for i, m := range merges {
		id := uint32(256 + i)
		switch {
		case m.Left < 256 && m.Right < 256:
			v.bytePairs[m.Left<<8|m.Right] = id
		case m.Right < 256:
			v.lowestAfter[m.Right] = min(v.lowestAfter[m.Right], id)
		case m.Left < 256:
			v.lowestBefore[m.Left] = min(v.lowestBefore[m.Left], id)
		}
		v.pairs.insert(m.Left, m.Right, id)
	}
}

// buildTokens fills the tables that whole pieces are looked up in, and the filter of seams. Of each
// token it knows the first 16 bytes and the last three from those of its parts.
func (v *Vocabulary) buildTokens(merges []Merge, whole []string) {
	v.maxToken = 1
	heads := make([]key, 256+len(merges)) // the first bytes; of tokens that fit a key, the key
	tails := make([]uint32, 256+len(merges))
	lengths := make([]int32, 256+len(merges))
	head := func(token uint32) key {
		if lengths[token] > maxKey {
			return heads[token]
		}
		return heads[token].withoutLength()
	}
	v.short = newKeySet(heads)
	for b := range uint32(256) {
		heads[b] = key{lo: uint64(b)}
		tails[b] = b
		lengths[b] = 1
	}
	for i, m := range merges {
		id := 256 + i
		left, right := lengths[m.Left], lengths[m.Right]
		lengths[id] = left + right
		v.maxToken = max(v.maxToken, int(left+right))
		heads[id] = head(m.Left)
		if left < 16 {
			heads[id] = heads[id].append(head(m.Right), int(left))
		}
		tails[id] = tails[m.Right]
		if right < 3 {
			tails[id] |= tails[m.Left] << (8 * uint(right)) & 0xFFFFFF
		}
		if n := int(left + right); n <= maxKey && heads[id].validUTF8(n) {
			v.short.insert(heads[id].withLength(n), id)
		}
		v.seams.insert(tails[m.Left], min(left, 3), uint32(heads[m.Right].lo)&0xFFFFFF, min(right, 3))
	}
	if len(whole) > 0 {
		v.whole = make(map[string]bool, len(whole))
		for _, token := range whole {
			v.whole[token] = true
			v.maxToken = max(v.maxToken, len(token))
		}
	}
}

// character returns the token of the character of two bytes at piece[i:] if the first merge that
// either byte takes part in is sure to be that of the two, whatever surrounds them; else none.
//
// It is sure if it makes a lower token than every merge of its first byte with what stands before
// (that byte, or some longer token) and of its second byte with what follows. Merging it ahead of
// its turn then changes nothing: what it makes takes part in merges to higher tokens only.
func (v *Vocabulary) character(piece string, i int) uint32 {
	first, second := uint32(piece[i]), uint32(piece[i+1])
	token := v.bytePairs[first<<8|second]
	if token > v.lowestAfter[first] || token > v.lowestBefore[second] ||
		i > 0 && token > v.bytePairs[uint32(piece[i-1])<<8|first] ||
		i+2 < len(piece) && token > v.bytePairs[second<<8|uint32(piece[i+2])] {
		return none
	}
	return token
}

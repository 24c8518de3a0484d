package bpe

// seamFilter tells between which two neighbouring characters of three bytes (Chinese, Japanese,
// Korean, the scripts of India, ...) some token of the vocabulary may lie. Where none can, a piece
// may be cut in two and its parts counted apart, which lets the cache of counts work for scripts
// that do not put spaces between words. It errs on one side only: it may see a token where there is
// none, then the piece is not cut.
//
// Tokens may start or end inside of a character. What a token shows of the two characters, one to
// three bytes of each, decides how it is entered.
type seamFilter struct {
	chars   [1 << seamBits / 64]uint64 // hashes of pairs of whole characters
	partial [1 << seamBits / 64]uint64 // hashes of what partial tokens show of pairs
	any     [1 << 16 / 64]uint64       // the two bytes at the seam of partial tokens
}

const seamBits = 20

// insert enters the seam between two parts of a token: the last bytes of the left one, the last
// byte lowest, and the first ones of the right one, the first byte lowest, up to three each.
func (f *seamFilter) insert(left uint32, leftLength int32, right uint32, rightLength int32) {
	if left&0xC0 != 0x80 || right&0xF0 != 0xE0 {
		return // not a seam between characters of three bytes
	}
	if leftLength == 3 && rightLength == 3 {
		set(f.chars[:], seamHash(left, right))
		return
	}
	set(f.partial[:], seamHash(left&(1<<(8*leftLength)-1), right))
	at := uint64(left&0xFF)<<8 | uint64(right&0xFF)
	set(f.any[:], at)
}

// joined reports whether a token may lie across the seam between the characters left and right, of
// three bytes each in the order of insert.
func (f *seamFilter) joined(left, right uint32) bool {
	if get(f.chars[:], seamHash(left, right)) {
		return true
	}
	if !get(f.any[:], uint64(left&0xFF)<<8|uint64(right&0xFF)) {
		return false
	}
	for _, l := range [...]uint32{left, left & 0xFFFF, left & 0xFF} {
		for _, r := range [...]uint32{right, right & 0xFFFF, right & 0xFF} {
			if get(f.partial[:], seamHash(l, r)) {
				return true
			}
		}
	}
	return false
}

func seamHash(left, right uint32) uint64 {
	return (uint64(left)<<24 | uint64(right)) * multiplier >> (64 - seamBits)
}

func set(bitmap []uint64, bit uint64)      { bitmap[bit/64] |= 1 << (bit % 64) }
func get(bitmap []uint64, bit uint64) bool { return bitmap[bit/64]>>(bit%64)&1 != 0 }

package bpe

// Long pieces are merged in windows, because the tokens of a piece hardly ever depend on what is
// far away. That they do not is proved each time: tokens one after the other are the tokens of a
// piece if and only if each two neighbours are, by themselves, the tokens of the text that they
// spell. For the first merge that crosses a seam would be made of two neighbours alone, too: merges
// inside of tokens go the same way there, and the next one is the lowest in both.
//
// So a seam between two windows is good if the last token before it and the first one after it, put
// together, are again those two tokens. If not, the piece is merged again with windows of twice the
// size; that takes n log n steps at worst.

const (
	firstWindow   = 1024 // bytes; at least 8 of the longest tokens are taken
	marginTokens  = 2    // at the end of a window, merged again with the next one
	marginBytes   = 32   // the same, in bytes
	tokensAWindow = 8
)

// mergeWindows counts the tokens of a long piece.
func (c *Counter) mergeWindows(piece string) int {
	for size := max(firstWindow, tokensAWindow*c.vocabulary.maxToken); ; size *= 2 {
		if total, proved := c.tryWindows(piece, size); proved {
			return total
		}
	}
}

// tryWindows counts the tokens of piece in windows of size bytes. It reports false if a seam is not
// good.
func (c *Counter) tryWindows(piece string, size int) (total int, proved bool) {
	start, before := 0, -1 // of the window; of the last token before it
	for {
		end := min(start+size, len(piece))
		c.merger.window(c.vocabulary, piece[start:end])
		tokens := c.merger.start
		if before >= 0 {
			first := end
			if len(tokens) > 1 {
				first = start + int(tokens[1])
			}
			if !c.goodSeam(piece[before:first], start-before) {
				return 0, false
			}
		}
		if end == len(piece) {
			return total + len(tokens), true
		}
		kept := len(tokens) - marginTokens
		for kept > 0 && end-start-int(tokens[kept]) < marginBytes {
			kept--
		}
		if kept < 1 {
			return 0, false
		}
		total += kept
		before = start + int(tokens[kept-1])
		start += int(tokens[kept])
	}
}

// goodSeam reports whether text is two tokens with a seam at.
func (c *Counter) goodSeam(text string, at int) bool {
	c.pair.window(c.vocabulary, text)
	return len(c.pair.start) == 2 && int(c.pair.start[1]) == at
}

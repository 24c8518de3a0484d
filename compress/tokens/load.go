package tokens

import (
	"errors"
)

// ErrFormat is wrapped by the errors of [Load] for a file that is not a tokenizer it can count with.
var ErrFormat = errors.New("not a byte-level BPE tokenizer")

// Load reads a tokenizer from a file: the tokenizer.json of a byte-level BPE model, or a .tiktoken
// vocabulary. Errors wrap [ErrFormat] or the cause of the failed read.
func Load(path string) (Counter, error) {
	return nil, ErrFormat
}

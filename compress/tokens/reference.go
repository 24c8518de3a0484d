package tokens

import (
	"fmt"
	"sync"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// reference counts with tiktoken-go. It is slow, and quadratic on long runs of one character; it
// is kept because its counts define what is right.
type reference struct {
	encoding string
	load     func() *tiktoken.Tiktoken // shared, loads at the first call
}

// newReference returns the reference counter of one of tiktoken-go's encodings.
func newReference(encoding string) *reference {
	return &reference{encoding: encoding, load: sync.OnceValue(func() *tiktoken.Tiktoken {
		useOfflineLoader()
		t, err := tiktoken.GetEncoding(encoding)
		if err != nil {
			// The four vocabularies are part of the binary: only a wrong build gets here.
			panic(fmt.Sprintf("tiktoken-go without %s: %v", encoding, err))
		}
		return t
	})}
}

// useOfflineLoader makes tiktoken-go read the vocabularies embedded in the binary; by itself it
// would go to the network.
var useOfflineLoader = sync.OnceFunc(func() { tiktoken.SetBpeLoader(loader.NewOfflineLoader()) })

func (r *reference) Name() string { return "tiktoken:" + r.encoding }
func (r *reference) Exact() bool  { return true }

// Count uses EncodeOrdinary only: Encode with allowed special tokens changes the text.
func (r *reference) Count(text string) int { return len(r.load().EncodeOrdinary(text)) }

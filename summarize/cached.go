package summarize

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
)

// Key is the address of an answer: a hash of everything that was asked.
type Key [sha256.Size]byte

// KeyOf is the key of a call to the client of that name. The prompt holds template, focus and input; the address of a
// server and the price are no part of it.
func KeyOf(client string, call Call) Key {
	h := sha256.New()
	for _, s := range []string{"ctxpack answer 1", PromptVersion, client, call.Model, call.Prompt} {
		field(h, s)
	}
	field(h, fmt.Sprint(call.MaxTokens))
	return Key(h.Sum(nil))
}

func field(h hash.Hash, s string) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(s)))
	h.Write(length[:])          // a hash never fails
	_, _ = io.WriteString(h, s) // nor here
}

// refusedKey is where the hash of the answer at k is noted when the checks refused it.
func refusedKey(k Key) Key { return sha256.Sum256(append([]byte("refused"), k[:]...)) }

// Store keeps values by key, for ever. Safe for concurrent use.
type Store interface {
	// Get gives the value; ok is false when there is none.
	Get(key Key) (value []byte, ok bool, err error)
	// Put keeps the value. When it returns nil the value survives a crash.
	Put(key Key, value []byte) error
}

// CacheMode says how a cache is used.
type CacheMode uint8

// The modes.
const (
	ReadWrite CacheMode = iota
	ReadOnly            // a miss is a *FatalError with ErrCacheMiss: nothing is asked
	RetryBad            // an answer that the checks refused is asked for anew
	Peek                // nothing is kept: for estimates
)

// Cached answers from a store what was asked before, and keeps new answers in it before they are used. The same call made
// twice at once is asked once.
type Cached struct {
	client Client
	store  Store
	mode   CacheMode
	price  Price
	stats  *Stats

	mu     sync.Mutex
	flying map[Key]*flight
}

// flight is a call that is being made.
type flight struct {
	done   chan struct{}
	answer Answer
	err    error
}

// NewCached wraps client.
func NewCached(client Client, store Store, mode CacheMode, price Price, stats *Stats) *Cached {
	return &Cached{client: client, store: store, mode: mode, price: price, stats: stats, flying: map[Key]*flight{}}
}

// Name is the client's.
func (c *Cached) Name() string { return c.client.Name() }

// stored is how an answer is kept.
type stored struct {
	Text       string `json:"text"`
	Model      string `json:"model,omitempty"`
	Prompt     int    `json:"prompt_tokens,omitempty"`
	Completion int    `json:"completion_tokens,omitempty"`
	CacheRead  int    `json:"cache_read_tokens,omitempty"`
}

// Complete gives the kept answer, or asks and keeps it.
func (c *Cached) Complete(ctx context.Context, call Call) (Answer, error) {
	key := KeyOf(c.Name(), call)
	for {
		if a, ok := c.look(key); ok {
			return a, nil
		}
		if c.mode == ReadOnly {
			return Answer{}, &FatalError{Err: ErrCacheMiss}
		}
		c.mu.Lock()
		other, flying := c.flying[key]
		if !flying {
			break
		}
		c.mu.Unlock()
		select {
		case <-other.done:
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
		if other.err == nil {
			a := other.answer
			c.stats.hit(c.price.Cost(a.Tokens))
			a.Cached, a.Tokens = true, Usage{}
			return a, nil
		}
		if !errors.Is(other.err, context.Canceled) && !errors.Is(other.err, ErrRecordTime) {
			return Answer{}, other.err // it would fail here as well
		}
	}
	f := &flight{done: make(chan struct{})}
	c.flying[key] = f
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.flying, key)
		c.mu.Unlock()
		close(f.done)
	}()
	if a, ok := c.look(key); ok { // somebody was faster
		f.answer = a
		return a, nil
	}
	f.answer, f.err = c.ask(ctx, key, call)
	return f.answer, f.err
}

// look reads the store. What cannot be read is asked again.
func (c *Cached) look(key Key) (Answer, bool) {
	value, ok, err := c.store.Get(key)
	if !ok || err != nil {
		return Answer{}, false
	}
	if c.mode == RetryBad {
		sum := sha256.Sum256(value)
		if mark, bad, _ := c.store.Get(refusedKey(key)); bad && bytes.Equal(mark, sum[:]) {
			return Answer{}, false
		}
	}
	var s stored
	if json.Unmarshal(value, &s) != nil || s.Text == "" {
		return Answer{}, false
	}
	c.stats.hit(c.price.Cost(Usage{s.Prompt, s.Completion, s.CacheRead}))
	return Answer{Text: s.Text, Model: s.Model, Cached: true}, true
}

func (c *Cached) ask(ctx context.Context, key Key, call Call) (Answer, error) {
	a, err := c.client.Complete(ctx, call)
	if err != nil {
		return a, err
	}
	if c.mode == Peek {
		return a, nil
	}
	value, err := json.Marshal(stored{a.Text, a.Model, a.Tokens.Prompt, a.Tokens.Completion, a.Tokens.CacheRead})
	if err == nil {
		err = c.store.Put(key, value)
	}
	if err != nil {
		c.stats.notSaved() // the answer is paid for and good; only the next run will have to ask again
	}
	return a, nil
}

// Reject notes that the checks refused the answer to a call. It is still given to those who ask, unless the mode is
// RetryBad: a run repeated as it was gives the same output and costs nothing.
func (c *Cached) Reject(call Call) error {
	if c.mode == Peek || c.mode == ReadOnly {
		return nil
	}
	key := KeyOf(c.Name(), call)
	value, ok, err := c.store.Get(key)
	if !ok || err != nil {
		return err
	}
	sum := sha256.Sum256(value)
	if mark, marked, _ := c.store.Get(refusedKey(key)); marked && bytes.Equal(mark, sum[:]) {
		return nil
	}
	return c.store.Put(refusedKey(key), sum[:])
}

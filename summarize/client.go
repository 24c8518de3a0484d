package summarize

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Call is one question to a model: one user message, no tools.
type Call struct {
	Model     string
	Prompt    string
	MaxTokens int // the most tokens of the answer, a model's thinking included
	Tokens    int // estimate of the prompt's tokens, for limits and prices; not sent
	Budget    int // tokens that the text should have; not sent

	// Begin is called each time the call is about to be sent, after it has waited for its turn; nil for nobody.
	Begin func()
}

// Answer is what a model wrote: whole, and not empty.
type Answer struct {
	Text   string
	Model  string // as the provider names it
	Tokens Usage
	Cached bool // nothing was asked and nothing was paid
}

// Client asks a model. Providers implement it; Cached, Retrying, Priced, Limited and Breaker wrap it. Implementations are
// safe for concurrent use.
//
// The error is a *CallError, a *FatalError, one of the Err values below, or the cause of ctx.
type Client interface {
	// Name is what --summarizer calls it; it is part of the key of a cached answer.
	Name() string
	// Complete asks once. An answer that is empty or was cut off is an error of class Transient.
	Complete(ctx context.Context, call Call) (Answer, error)
}

// Class says what a failed call means for the next one.
type Class uint8

// The classes.
const (
	Refused        Class = iota // this prompt is refused, now and always
	Transient                   // the same call may succeed later
	RateLimited                 // the same, and all other calls should wait as well
	ContextTooLong              // the prompt does not fit the model's window
	KeyRefused                  // no call will succeed with this key
	ModelUnknown                // no call will succeed with this model or address
	QuotaExhausted              // no call will succeed until somebody pays
)

// FatalClass says whether every further call would fail the same way.
func (c Class) FatalClass() bool { return c >= KeyRefused }

// Retried says whether the same call is worth another attempt.
func (c Class) Retried() bool { return c == Transient || c == RateLimited }

// CallError is a call that brought no answer. Its text never holds a key or a prompt.
type CallError struct {
	Class      Class
	Status     int           // of HTTP; 0 for none
	Code       string        // stable: "timeout", "connection", "empty", "cut_off", "garbled", "server", "rate_limit", "refused", …
	Message    string        // in words
	RetryAfter time.Duration // the provider asks to wait so long; 0 for nothing said
	Tokens     Usage         // charged all the same, as far as the provider said so
	Unknown    bool          // nobody knows whether it was charged: a timeout, a connection that broke
}

func (e *CallError) Error() string {
	if e.Status > 0 {
		return fmt.Sprintf("the provider answered %d: %s", e.Status, e.Message)
	}
	return e.Message
}

// FatalError ends the run: nothing is written. compress passes it through.
type FatalError struct{ Err error }

func (e *FatalError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *FatalError) Unwrap() error { return e.Err }

// What decorators say of a call that was not made, or not waited for.
var (
	ErrStopped    = errors.New("no more calls are made: the provider has refused too many in a row")
	ErrCostLimit  = errors.New("the cost limit would be exceeded")
	ErrCacheMiss  = errors.New("the summary is not in the cache, and only the cache may be used")
	ErrRecordTime = errors.New("the time for one conversation is over")
)

// FailureCode is a short stable name of what went wrong, for reports: that of a CallError or NotASummaryError, "stopped",
// "cost_limit", "time"; "" for anything else.
func FailureCode(err error) string {
	var call *CallError
	var bad *NotASummaryError
	switch {
	case errors.Is(err, ErrStopped):
		return "stopped"
	case errors.Is(err, ErrCostLimit):
		return "cost_limit"
	case errors.Is(err, ErrRecordTime):
		return "time"
	case errors.As(err, &call):
		return call.Code
	case errors.As(err, &bad):
		return bad.Code
	}
	return ""
}

// Package summarize turns the middle of a conversation into one summary: the request a summariser is given, the layout
// every summary has, and the sections that are written by code whatever summariser wrote the prose (the human messages,
// the ledger of exact identifiers, later system texts).
package summarize

import (
	"context"

	"github.com/ctxpack/ctxpack/formats"
)

// Summarizer writes the prose of a summary: the text of the template's sections, headings included, and nothing else.
// Implementations are safe for concurrent use and do not change the request's messages.
//
// An error means that there is no summary: the caller leaves the conversation as it is. A summariser never returns a
// placeholder instead.
type Summarizer interface {
	// Name is what --summarizer and reports call it.
	Name() string
	// Summarize writes prose of about req.Budget tokens, as req.Count counts them.
	Summarize(ctx context.Context, req Request) (Prose, error)
}

// Prose is what a Summarizer wrote, and what it took.
type Prose struct {
	Text     string // from the first heading of the template to the last section, without mechanical sections
	Model    string // the model that wrote it; "" for none
	Calls    int    // calls made to a model
	Retries  int
	Cached   bool
	Level    int // 0: as asked; each escalation to something shorter is one more
	Tokens   Usage
	Warnings []string

	Headings []string // of the template in use, every one of which the text has; nil for Template
	Prompt   string   // version of the prompt; "" without one
	Parts    int      // parts the middle was cut into because it did not fit the model's window; 0 when it did
	Merges   int      // levels of merging that made the parts one summary
	Masked   int      // secrets masked before anything was sent
}

// Usage is what a provider charged, in tokens.
type Usage struct{ Prompt, Completion, CacheRead int }

// Request is all that a summariser may look at. Messages are the originals, but for secrets: pruning never reaches it.
type Request struct {
	Turns    []Turn             // the middle, in order, grouped by atom; earlier summaries split off
	Head     []*formats.Message // kept before the summary, for context
	Tail     []*formats.Message // kept after it; what stands there anyway is worth less in the summary
	Previous []Earlier          // earlier summaries, oldest first: the newest is the base to be updated, older ones are merged into it
	Restated *formats.Message   // the last human message, when it is in the middle and re-stated after the summary; else nil

	From, To int // numbers of the first and the last message that the summary covers (earlier coverage included)
	Budget   int // tokens for everything but the fixed frame (marker lines, empty headings, quoted system texts)
	Ledger   int // the most tokens the ledger may take (--ledger-tokens)

	Focus string // topic to keep in full detail; "" for none

	NoRedact bool // secrets are written and sent as they are
	Masked   int  // secrets that Compose masked in what the summary covers

	Count func(text string) int // the run's token counter

	// Mechanical is the text of the mechanical sections, set by Compose: what stands there need not be said again.
	Mechanical string
	// Ranked is the candidates of the ledger, best first, set by Compose unless there is to be no ledger.
	Ranked []Entry
	// Actions is the tool calls of the turns, set by Compose, which reads them once for everybody.
	Actions []Action
}

// Turn is one atom of the middle.
type Turn struct {
	Messages []*formats.Message
	Tokens   int
}

// Messages gives the messages of all turns, in order.
func (r Request) Messages() []*formats.Message {
	var all []*formats.Message
	for _, t := range r.Turns {
		all = append(all, t.Messages...)
	}
	return all
}

// Summary is the whole text that replaces the middle, frame included.
type Summary struct {
	Text  string
	Prose Prose // what the summariser reported; its Text is part of Text
}

package replay

import (
	"time"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
)

// Timeline is what happened in one conversation. All sizes are tokens as the run's counter counts them, unless they are
// said to be the provider's.
type Timeline struct {
	ID            string  `json:"id"`
	Model         string  `json:"model,omitempty"`
	ContextLength int     `json:"context_length"`
	Threshold     int     `json:"threshold_tokens"` // the engine's
	Hygiene       int     `json:"hygiene_tokens"`   // of session hygiene, 85 % of the context length
	Usage         string  `json:"usage"`            // "counted", "reported", or "reported until message N"
	Messages      int     `json:"messages"`
	Segments      int     `json:"segments"`
	Turns         []Turn  `json:"turns"`
	Events        []Event `json:"events"`
	Totals        Totals  `json:"totals"`
}

// Turn is one call of the model.
type Turn struct {
	Message    int        `json:"message"`            // 0-based number, in the original, of the first message that the call made
	Segment    int        `json:"segment"`            // 1-based
	Prompt     int        `json:"prompt_tokens"`      // in the window
	Original   int        `json:"original_tokens"`    // what the window would hold without compaction
	Completion int        `json:"completion_tokens"`  // of what the call made
	Reported   int        `json:"reported,omitempty"` // the prompt as the provider counted it in the transcript
	At         *time.Time `json:"at,omitempty"`
}

// Layer says who compacted.
type Layer string

// The layers, and the warning that older versions of Hermes gave.
const (
	LayerHygiene  Layer = "hygiene"
	LayerEngine   Layer = "engine"
	LayerPressure Layer = "pressure"
)

// Event is something that happened between two calls: a compaction, an attempt at one, or a warning.
type Event struct {
	Layer   Layer           `json:"layer"`
	Message int             `json:"message"` // 0-based number of the message that comes next in the original
	Turn    int             `json:"turn"`    // 0-based number of the call that comes next
	Segment int             `json:"segment"` // 1-based: the one that ends here
	Tokens  int             `json:"tokens"`  // by which it was decided: the provider's where it is known
	Limit   int             `json:"limit"`   // that they reached
	Status  compress.Status `json:"status,omitempty"`
	Reason  string          `json:"reason,omitempty"`

	Before     int `json:"before,omitempty"`
	After      int `json:"after,omitempty"`
	Pruned     int `json:"pruned,omitempty"`     // tokens saved by pruning old tool results
	Summarized int `json:"summarized,omitempty"` // tokens saved by the summary
	Summary    int `json:"summary,omitempty"`    // tokens of the summary
	From       int `json:"from,omitempty"`       // numbers of the messages that the summary covers
	To         int `json:"to,omitempty"`
	Level      int `json:"level,omitempty"` // escalations that the summary took
}

// Totals adds the turns up.
type Totals struct {
	Calls          int   `json:"calls"`
	Compactions    int   `json:"compactions"`
	Prompt         int64 `json:"prompt_tokens"`          // of all calls
	Uncompacted    int64 `json:"uncompacted_tokens"`     // of all calls, had nothing been compacted
	Completion     int64 `json:"completion_tokens"`      // of all calls
	Reported       int64 `json:"reported_tokens"`        // prompts as the provider counted them, where it did
	ReportedCached int64 `json:"reported_cached_tokens"` // of these, read from its cache
	Largest        int   `json:"largest_prompt"`
	Tokens         int   `json:"tokens"` // of the whole conversation

	Caching Caching `json:"caching"`
}

// Segment is the conversation as it stood in one context window.
type Segment struct {
	Start, End   int // numbers of the messages of the original that are new in it: the last ones
	Record       []byte
	Messages     int                   // in the record
	Conversation *formats.Conversation // that Record spells
}

package compress

import (
	"context"

	"github.com/ctxpack/ctxpack/formats"
)

// Engine decides how conversations are compacted. It is chosen by name and does its work in sessions, one for each
// conversation. Implementations are safe for concurrent use. One that holds something (processes, a store) also is an
// io.Closer, and is closed when the run ends.
type Engine interface {
	// Name is what --engine and reports call it.
	Name() string
	// NewSession starts the engine's work on one conversation. Whoever starts a session ends it with EndSession.
	NewSession(ctx context.Context, info SessionInfo) (Session, error)
}

// SessionInfo says which conversation a session is for.
type SessionInfo struct {
	ID            string // the conversation's own id, else its place in the input
	Model         string // the model whose window it has; "" when only the length is known
	ContextLength int    // tokens; 0 takes the engine's own
}

// Session is an engine's work on one conversation: start → (update → should → compress)* → end. One caller at a time.
//
// An error of a session is about its record only, which then leaves as it came; cancellation and a
// *summarize.FatalError end the run. After an error a session is only ended.
//
// What a session may do beside this it shows by implementing Ender, Resetter, ModelUpdater, Preflighter, ToolProvider or
// StatusReporter.
type Session interface {
	// UpdateFromResponse tells what the provider counted for the last call of the model.
	UpdateFromResponse(ctx context.Context, u Usage) error
	// ShouldCompress says whether a prompt of so many tokens is to be compacted.
	ShouldCompress(ctx context.Context, promptTokens int) (bool, error)
	// Compress compacts a conversation. The request's conversation is used up: its messages may be edited whatever the
	// result. A result of a status that is Changed holds a valid list of messages; any other leaves it as it came.
	Compress(ctx context.Context, r Request) (Result, error)
	// State is what the session knows of itself, kept up to date by the methods above.
	State() State
}

// Request is what there is to compress.
type Request struct {
	Conversation *formats.Conversation
	Tokens       int    // of the conversation, or what the provider said of it
	Focus        string // topic to keep in full detail; "" for none

	counted *counted // what a Runner has counted already
}

// counted is a conversation with its tokens.
type counted struct {
	list     []weighed
	overhead int
	tally    Tally
}

func (m *Meter) counted(c *formats.Conversation) *counted {
	list, overhead := m.weighAll(c.Messages), m.overhead(c)
	return &counted{list, overhead, tally(list, overhead)}
}

// Usage is what a provider counted for one call, in tokens.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// State is what every session shows. All numbers but the last are tokens.
type State struct {
	Last             Usage
	Threshold        int
	ContextLength    int
	CompressionCount int
}

// Update takes in what the provider said; a total that it left out is the sum of the others.
func (s *State) Update(u Usage) {
	if u.Total == 0 {
		u.Total = u.Prompt + u.Completion
	}
	s.Last = u
}

// SessionStatus is the summary of a session for people and tools: exactly these five keys.
type SessionStatus struct {
	LastPromptTokens int     `json:"last_prompt_tokens"`
	ThresholdTokens  int     `json:"threshold_tokens"`
	ContextLength    int     `json:"context_length"`
	UsagePercent     float64 `json:"usage_percent"` // of the context length, at most 100; 0 without a context length
	CompressionCount int     `json:"compression_count"`
}

// Status draws the five figures from a state.
func (s State) Status() SessionStatus {
	status := SessionStatus{
		LastPromptTokens: s.Last.Prompt, ThresholdTokens: s.Threshold, ContextLength: s.ContextLength,
		CompressionCount: s.CompressionCount,
	}
	if s.ContextLength > 0 {
		status.UsagePercent = min(100*float64(s.Last.Prompt)/float64(s.ContextLength), 100)
	}
	return status
}

// Ender is a session that has something to do at its end.
type Ender interface {
	End(ctx context.Context) error
}

// Resetter is a session that can forget what it knows of its conversation.
type Resetter interface {
	Reset(ctx context.Context) error
}

// ModelUpdater is a session whose model may change: the threshold is computed anew.
type ModelUpdater interface {
	UpdateModel(ctx context.Context, model string, contextLength int) error
}

// Preflighter is a session with a cheap estimate, made before a turn, of whether there will be something to compress.
type Preflighter interface {
	ShouldCompressPreflight(ctx context.Context, messages []*formats.Message) (bool, error)
}

// ToolProvider is a session that offers tools to the agent. Schemas and results are JSON texts; a call of an unknown
// tool is answered with an object that has a member "error".
type ToolProvider interface {
	ToolSchemas(ctx context.Context) ([]string, error)
	HandleToolCall(ctx context.Context, name, arguments string) (string, error)
}

// StatusReporter is a session that words its status itself.
type StatusReporter interface {
	Status(ctx context.Context) (SessionStatus, error)
}

// StatusOf is the status of a session.
func StatusOf(ctx context.Context, s Session) (SessionStatus, error) {
	if r, ok := s.(StatusReporter); ok {
		return r.Status(ctx)
	}
	return s.State().Status(), nil
}

// EndSession ends a session.
func EndSession(ctx context.Context, s Session) error {
	if e, ok := s.(Ender); ok {
		return e.End(ctx)
	}
	return nil
}

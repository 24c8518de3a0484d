package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/ctxpack/ctxpack/compress"
)

// session is a process's work on one conversation.
type session struct {
	engine *Engine
	p      *process
	id     string
	setUp  setUp
	state  compress.State
	ended  atomic.Bool
	mute   bool // the program has no status to tell
}

// NewSession takes a process and starts the session.
func (e *Engine) NewSession(ctx context.Context, info compress.SessionInfo) (compress.Session, error) {
	if info.ContextLength <= 0 {
		info.ContextLength = e.options.Length
	}
	s := &session{engine: e, id: info.ID, setUp: e.setUp(info.Model, info.ContextLength)}
	if s.id == "" {
		s.id = "session"
	}
	var err error
	if s.p, err = e.take(ctx, s.setUp, s.id); err != nil {
		return nil, err
	}
	s.state.ContextLength = info.ContextLength
	if err := s.refresh(ctx); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

// call asks the session's process.
func (s *session) call(ctx context.Context, method string, params, result any) error {
	if s.ended.Load() {
		return errors.New("the session has ended")
	}
	return s.engine.caller.call(ctx, s.p, method, params, result)
}

// none is a call's parameters when there are none.
type none struct{}

// refresh asks for the status and takes it over.
func (s *session) refresh(ctx context.Context) error {
	if s.mute {
		return nil
	}
	status, err := s.Status(ctx)
	if err != nil {
		return err
	}
	s.state.Threshold, s.state.ContextLength, s.state.CompressionCount = status.ThresholdTokens, status.ContextLength, status.CompressionCount
	s.state.Last.Prompt = status.LastPromptTokens
	return nil
}

// statusKeys are all that a status has.
var statusKeys = [...]string{"compression_count", "context_length", "last_prompt_tokens", "threshold_tokens", "usage_percent"}

// Status asks for the status: exactly the five keys. Of a program that has none, it is made of what the session knows.
func (s *session) Status(ctx context.Context) (compress.SessionStatus, error) {
	if s.mute {
		return s.state.Status(), nil
	}
	var raw map[string]json.RawMessage
	if err := s.call(ctx, "status", none{}, &raw); absent(err) {
		s.mute = true
		return s.state.Status(), nil
	} else if err != nil {
		return compress.SessionStatus{}, err
	}
	for key := range raw {
		if !slices.Contains(statusKeys[:], key) {
			return compress.SessionStatus{}, breach(compress.RuleStatus, "the plugin's status has a key that no status has: %s", said(key))
		}
	}
	for _, key := range statusKeys {
		if _, ok := raw[key]; !ok {
			return compress.SessionStatus{}, breach(compress.RuleStatus, "the plugin's status has no %s", key)
		}
	}
	var status compress.SessionStatus
	whole, err := json.Marshal(raw)
	if err == nil {
		err = json.Unmarshal(whole, &status)
	}
	if err != nil {
		return status, breach(compress.RuleStatus, "the plugin's status has values of the wrong kind: %s", said(err.Error()))
	}
	if status.ThresholdTokens < 0 || status.ContextLength < 0 || status.CompressionCount < 0 || !(status.UsagePercent >= 0 && status.UsagePercent <= 100) {
		return status, breach(compress.RuleStatus, "the plugin's status has values out of bounds: none is below 0, and usage_percent is at most 100")
	}
	return status, nil
}

// UpdateFromResponse passes on what the provider said.
func (s *session) UpdateFromResponse(ctx context.Context, u compress.Usage) error {
	s.state.Update(u)
	params := struct {
		Usage compress.Usage `json:"usage"`
	}{s.state.Last}
	if err := s.call(ctx, "update_from_response", params, nil); err != nil {
		return err
	}
	return s.refresh(ctx)
}

// ShouldCompress asks the program.
func (s *session) ShouldCompress(ctx context.Context, promptTokens int) (bool, error) {
	params := struct {
		Tokens int `json:"prompt_tokens"`
	}{promptTokens}
	var result struct {
		Compress *bool `json:"compress"`
	}
	if err := s.call(ctx, "should_compress", params, &result); err != nil {
		return false, err
	}
	if result.Compress == nil {
		return false, errors.New(`the plugin's result of should_compress has no "compress"`)
	}
	return *result.Compress, nil
}

// mostNew is how many messages more than it was sent a program may answer: a list is to become shorter.
const mostNew = 64

// Compress asks for a shorter list, finds out what of it is new, and holds it against the rules.
func (s *session) Compress(ctx context.Context, r compress.Request) (compress.Result, error) {
	result := compress.Result{Status: compress.NothingToDo, OverLimit: true, Budget: compress.Budget{
		ContextLength: s.state.ContextLength, Threshold: s.state.Threshold}}
	before, repairs, err := s.engine.options.Meter.Repair(r.Conversation)
	if err != nil {
		return result.Fail("pairing", err), nil
	}
	m := newMapping(r.Conversation.With(before))
	params := struct {
		Messages []json.RawMessage `json:"messages"`
		Tokens   int               `json:"current_tokens"`
		Focus    *string           `json:"focus_topic"`
	}{m.messages(), r.Tokens, nil}
	if r.Focus != "" {
		params.Focus = &r.Focus
	}
	var answer struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := s.call(ctx, "compress", params, &answer); err != nil {
		return result, err
	}
	s.state.CompressionCount++
	if err := s.refresh(ctx); err != nil {
		return result, err
	}
	if len(answer.Messages) > len(m.sent)+mostNew {
		return result, breach(compress.RuleMessages, "%d messages became %d", len(m.sent), len(answer.Messages))
	}
	after, origin, err := m.resolve(answer.Messages)
	if err == nil {
		err = compress.CheckOutput(before, after)
	}
	if err != nil {
		return result, fmt.Errorf("the plugin's list of messages is refused: %w", err)
	}
	if slices.Equal(before, after) {
		return result, nil
	}
	result.Messages, result.Actions = after, repairs
	(&account{meter: s.engine.options.Meter, before: before, result: &result}).settle(origin)
	return result, nil
}

// ToolSchemas gives the tools that the program offers; none where it has no such method.
func (s *session) ToolSchemas(ctx context.Context) ([]string, error) {
	var result struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := optional(s.call(ctx, "tool_schemas", none{}, &result)); err != nil {
		return nil, err
	}
	schemas := make([]string, len(result.Tools))
	for i, tool := range result.Tools {
		schemas[i] = string(tool)
	}
	return schemas, nil
}

// HandleToolCall passes a call on. What the program refuses, or has no method for, is an error for the agent to read.
func (s *session) HandleToolCall(ctx context.Context, name, arguments string) (string, error) {
	if !json.Valid([]byte(arguments)) {
		return toolError("the arguments are no JSON"), nil
	}
	params := struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{name, json.RawMessage(arguments)}
	var result json.RawMessage
	err := s.call(ctx, "handle_tool_call", params, &result)
	var refused *refusal
	switch {
	case absent(err):
		return toolError("unknown tool: " + name), nil
	case errors.As(err, &refused):
		return toolError(said(refused.message)), nil
	case err != nil:
		return "", err
	}
	return string(result), nil
}

func toolError(text string) string { return string(object("error", text)) }

// Reset has the session forget its conversation.
func (s *session) Reset(ctx context.Context) error {
	if err := s.call(ctx, "session_reset", none{}, nil); absent(err) {
		return s.restart(ctx, s.setUp)
	} else if err != nil {
		return err
	}
	s.state.Last, s.state.CompressionCount = compress.Usage{}, 0
	return s.refresh(ctx)
}

// UpdateModel initializes the program anew.
func (s *session) UpdateModel(ctx context.Context, model string, contextLength int) error {
	return s.restart(ctx, s.engine.setUp(model, contextLength))
}

// restart initializes the process for other things, in the same session.
func (s *session) restart(ctx context.Context, to setUp) error {
	if err := s.call(ctx, "initialize", to, nil); err != nil {
		return err
	}
	s.setUp, s.p.setUp = to, to
	s.state = compress.State{ContextLength: to.Length}
	if err := optional(s.call(ctx, "session_start", sessionID{s.id}, nil)); err != nil {
		return err
	}
	return s.refresh(ctx)
}

// State is what the program last said, and what it was told.
func (s *session) State() compress.State { return s.state }

// End ends the session and gives the process to the next one. Ending twice is ending once.
func (s *session) End(ctx context.Context) error {
	if s.ended.Load() {
		return nil
	}
	var err error
	if !s.p.dead.Load() {
		err = optional(s.call(ctx, "session_end", sessionID{s.id}, nil))
	}
	if err != nil {
		s.p.kill() // what it still holds of this session is not the next one's business
	}
	return errors.Join(err, s.release())
}

func (s *session) release() error {
	if !s.ended.Swap(true) {
		s.engine.give(s.p)
	}
	return nil
}

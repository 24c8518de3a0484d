package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ctxpack/ctxpack/compress"
)

// basics looks at what a session says of itself before anything was compacted.
func (s *suite) basics(ctx context.Context) {
	s.note(ruleName, nil)
	if s.engine.Name() == "" {
		s.notef(ruleName, "the name is empty")
	}
	session, err := s.open(ctx, "basics", s.options.ContextLength)
	if !s.note(ruleSession, err) {
		return
	}
	defer shut(ctx, session)
	if !s.note(ruleStatus, s.status(ctx, session, 0)) {
		return
	}
	t := session.State().Threshold
	s.note(ruleThreshold, nil)
	switch {
	case t <= 0:
		s.notef(ruleThreshold, "there is no threshold: does the engine tell its status?")
	case t > s.options.ContextLength:
		s.notef(ruleThreshold, "the threshold (%d) is above the context length (%d)", t, s.options.ContextLength)
	default:
		s.note(ruleShould, should(ctx, session, t))
	}
	s.note(ruleUpdate, s.update(ctx, session))
}

// status checks the five figures after a prompt of so many tokens.
func (s *suite) status(ctx context.Context, session compress.Session, prompt int) error {
	status, err := compress.StatusOf(ctx, session)
	if err != nil {
		return err
	}
	want := 0.0
	if length := status.ContextLength; length > 0 {
		want = min(100, 100*float64(prompt)/float64(length))
	}
	switch {
	case status.ContextLength < 0, status.CompressionCount < 0, status.ThresholdTokens < 0:
		return fmt.Errorf("a figure of the status is below 0: %+v", status)
	case math.IsNaN(status.UsagePercent) || math.Abs(status.UsagePercent-want) > 1:
		return fmt.Errorf("usage_percent is %v; %d of %d tokens are %.1f", status.UsagePercent, prompt, status.ContextLength, want)
	case status.LastPromptTokens != prompt:
		return fmt.Errorf("last_prompt_tokens is %d, the last prompt had %d", status.LastPromptTokens, prompt)
	}
	return nil
}

// should: fires from the threshold on (or from the token behind it on), and stays so.
func should(ctx context.Context, session compress.Session, threshold int) error {
	fired := false
	for _, tokens := range []int{0, 1, threshold / 2, threshold - 1, threshold, threshold + 1, 2 * threshold, 100 * threshold} {
		fires, err := session.ShouldCompress(ctx, tokens)
		switch {
		case err != nil:
			return err
		case fires && tokens < threshold:
			return fmt.Errorf("it fires at %d tokens, below the threshold of %d", tokens, threshold)
		case !fires && fired:
			return fmt.Errorf("it no longer fires at %d tokens", tokens)
		case !fires && tokens > threshold:
			return fmt.Errorf("it does not fire at %d tokens, above the threshold of %d", tokens, threshold)
		}
		fired = fires
	}
	return nil
}

// update: what the provider said shows, also where there was more than the window holds.
func (s *suite) update(ctx context.Context, session compress.Session) error {
	for _, prompt := range []int{1234, 3 * s.options.ContextLength, 10} {
		if err := session.UpdateFromResponse(ctx, compress.Usage{Prompt: prompt, Completion: 56, Total: prompt + 56}); err != nil {
			return err
		}
		if got := session.State().Last.Prompt; got != prompt {
			return fmt.Errorf("the last prompt had %d tokens, the session says %d", prompt, got)
		}
		if err := s.status(ctx, session, prompt); err != nil {
			return err
		}
	}
	return nil
}

// states looks at what sessions remember, and of whom.
func (s *suite) states(ctx context.Context) {
	if s.good(ruleUpdate) {
		s.note(ruleSessions, s.sessions(ctx))
	}
	if s.good(ruleCompress) && s.good(ruleCount) && s.good(ruleUpdate) {
		s.note(ruleReset, s.reset(ctx))
	}
}

// sessions: two at the same time, and one after the other.
func (s *suite) sessions(ctx context.Context) error {
	first, err := s.open(ctx, "first", s.options.ContextLength)
	if err != nil {
		return err
	}
	defer shut(ctx, first)
	second, err := s.open(ctx, "second", 2*s.options.ContextLength)
	if err != nil {
		return err
	}
	if err := first.UpdateFromResponse(ctx, compress.Usage{Prompt: 777}); err != nil {
		return errors.Join(err, compress.EndSession(ctx, second))
	}
	a, b := first.State(), second.State()
	if b.Last.Prompt != 0 {
		err = fmt.Errorf("one session was told of 777 tokens, and another one says %d", b.Last.Prompt)
	} else if a.ContextLength == b.ContextLength {
		err = fmt.Errorf("two sessions with different windows both have one of %d tokens", a.ContextLength)
	}
	shut(ctx, second)
	if err != nil {
		return err
	}
	if err := first.UpdateFromResponse(ctx, compress.Usage{Prompt: 778}); err != nil {
		return fmt.Errorf("when another session has ended: %w", err)
	}
	shut(ctx, first)
	third, err := s.open(ctx, "third", s.options.ContextLength)
	if err != nil {
		return err
	}
	defer shut(ctx, third)
	if state := third.State(); state.Last.Prompt != 0 || state.CompressionCount != 0 {
		return fmt.Errorf("a new session knows of %d tokens and %d compactions", state.Last.Prompt, state.CompressionCount)
	}
	return nil
}

// reset forgets what was.
func (s *suite) reset(ctx context.Context) error {
	session, err := s.open(ctx, "reset", s.options.ContextLength)
	if err != nil {
		return err
	}
	defer shut(ctx, session)
	r, ok := session.(compress.Resetter)
	if !ok {
		return nil
	}
	before := session.State()
	if err := session.UpdateFromResponse(ctx, compress.Usage{Prompt: 999}); err != nil {
		return err
	}
	if _, err := s.compress(ctx, session, conversations()[0]); err != nil {
		return err
	}
	if err := r.Reset(ctx); err != nil {
		return err
	}
	state := session.State()
	if state.Last.Prompt != 0 || state.CompressionCount != 0 {
		return fmt.Errorf("after a reset it knows of %d tokens and %d compactions", state.Last.Prompt, state.CompressionCount)
	}
	if state.Threshold != before.Threshold || state.ContextLength != before.ContextLength {
		return fmt.Errorf("a reset made the threshold %d of %d tokens, it was %d of %d", state.Threshold, state.ContextLength, before.Threshold, before.ContextLength)
	}
	return nil
}

// tools: what an engine offers can be offered to a model, and what it does not offer is refused in words.
func (s *suite) tools(ctx context.Context) {
	s.note(ruleTools, func() error {
		session, err := s.open(ctx, "tools", s.options.ContextLength)
		if err != nil {
			return err
		}
		defer shut(ctx, session)
		p, ok := session.(compress.ToolProvider)
		if !ok {
			return nil
		}
		schemas, err := p.ToolSchemas(ctx)
		if err != nil {
			return err
		}
		var names []string
		for i, schema := range schemas {
			name, err := toolName(schema)
			if err != nil {
				return fmt.Errorf("schema %d: %w", i, err)
			}
			if slices.Contains(names, name) {
				return fmt.Errorf("two tools are called %s", name)
			}
			names = append(names, name)
		}
		answer, err := p.HandleToolCall(ctx, "no_such_tool_anywhere", `{"query": "x"}`)
		if err != nil {
			return err
		}
		var object map[string]any
		if json.Unmarshal([]byte(answer), &object) != nil || object["error"] == nil {
			return fmt.Errorf("an unknown tool is answered with %.100q, not with an object that has an error", answer)
		}
		return nil
	}())
}

// toolName reads the schema of a tool: {"name", "parameters"}, or that within {"type": "function", "function"}.
func toolName(schema string) (string, error) {
	type function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	}
	var tool struct {
		function
		Function *function `json:"function"`
	}
	if err := json.Unmarshal([]byte(schema), &tool); err != nil {
		return "", fmt.Errorf("no JSON object: %w", err)
	}
	f := tool.function
	if tool.Function != nil {
		f = *tool.Function
	}
	var parameters map[string]any
	switch {
	case f.Name == "":
		return "", errors.New("it has no name")
	case len(f.Parameters) > 0 && json.Unmarshal(f.Parameters, &parameters) != nil:
		return "", fmt.Errorf("the parameters of %s are no JSON object", f.Name)
	}
	return f.Name, nil
}

// end: a session ends, and once.
func (s *suite) end(ctx context.Context) {
	s.note(ruleEnd, func() error {
		session, err := s.open(ctx, "end", s.options.ContextLength)
		if err != nil {
			return err
		}
		if err := compress.EndSession(ctx, session); err != nil {
			return err
		}
		if err := compress.EndSession(ctx, session); err != nil {
			return fmt.Errorf("the second time: %w", err)
		}
		return nil
	}())
}

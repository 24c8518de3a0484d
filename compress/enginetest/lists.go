package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
)

// compacted is one compaction: what went in, what came out.
type compacted struct {
	result compress.Result
	before *formats.Conversation // as it was
	raw    []byte                // of the output
	tokens int                   // of the output
}

// compressions has every conversation compacted, and looks at the outcome.
func (s *suite) compressions(ctx context.Context) {
	s.note(ruleCompress, nil)
	var held []string // by breach
	for _, c := range conversations() {
		session, err := s.open(ctx, c.name, s.options.ContextLength)
		if err != nil {
			s.notef(ruleCompress, "%s: %w", c.name, err)
			return
		}
		err = s.one(ctx, session, c)
		shut(ctx, session)
		var breach *compress.Breach
		switch {
		case errors.As(err, &breach):
			s.note(string(breach.Rule), fmt.Errorf("%s: %w", c.name, err))
			held = append(held, string(breach.Rule))
		case err != nil:
			s.notef(ruleCompress, "%s: %w", c.name, err)
			return
		}
	}
	for _, rule := range compress.Rules() {
		s.note(string(rule), nil)
	}
	if len(held) > 0 {
		return
	}
	s.note(ruleSmaller, nil)
	if s.good(ruleSmaller) {
		s.note(ruleAgain, nil)
	}
	if s.good(ruleAgain) {
		s.note(ruleGrowsOn, s.growsOn(ctx))
	}
	s.note(ruleInput, nil)
	s.note(ruleCount, nil)
	s.note(ruleRepeat, nil)
}

// one compacts a conversation, what came of it, and the conversation once more.
func (s *suite) one(ctx context.Context, session compress.Session, c conversation) error {
	count := session.State().CompressionCount
	first, err := s.compress(ctx, session, c)
	if err != nil {
		return err
	}
	changed := 0
	if first.result.Status.Changed() {
		changed = 1
	}
	if now := session.State().CompressionCount; now < count+changed || now > count+1 {
		s.notef(ruleCount, "%s: compression_count went from %d to %d", c.name, count, now)
	}
	if changed == 0 {
		return nil
	}
	if was := s.options.Meter.Conversation(first.before); first.tokens >= was {
		s.notef(ruleSmaller, "%s: %d tokens became %d", c.name, was, first.tokens)
		return nil
	}
	again, err := s.compress(ctx, session, conversation{c.name, c.dialect, first.raw})
	switch {
	case err != nil:
		s.reached[ruleAgain] = true
		s.failed[ruleAgain] = fmt.Sprintf("%s: %v", c.name, err)
		return nil
	case again.result.Status.Changed() && again.tokens > first.tokens:
		s.notef(ruleAgain, "%s: %d tokens became %d", c.name, first.tokens, again.tokens)
	}
	return s.repeat(ctx, c, first)
}

// repeat compacts the same conversation in a new session.
func (s *suite) repeat(ctx context.Context, c conversation, first compacted) error {
	session, err := s.open(ctx, c.name, s.options.ContextLength)
	if err != nil {
		return err
	}
	defer shut(ctx, session)
	second, err := s.compress(ctx, session, c)
	if err != nil {
		return err
	}
	if !bytes.Equal(first.raw, second.raw) {
		s.notef(ruleRepeat, "%s: the second output is not the first", c.name)
	}
	return nil
}

// compress compacts a record and holds the output against the rules of lists.
func (s *suite) compress(ctx context.Context, session compress.Session, c conversation) (compacted, error) {
	kept := bytes.Clone(c.raw)
	given, err := c.decode(kept)
	if err != nil {
		return compacted{}, err
	}
	var out compacted
	if out.before, err = c.decode(c.raw); err != nil {
		return out, err
	}
	list := given.Messages
	out.result, err = session.Compress(ctx, compress.Request{Conversation: given, Tokens: s.options.Meter.Conversation(out.before)})
	if err != nil {
		return out, err
	}
	if out.result.Status == compress.Failed {
		return out, fmt.Errorf("%s: %s", out.result.Code, out.result.Reason)
	}
	if !bytes.Equal(kept, c.raw) {
		s.notef(ruleInput, "%s: the record's bytes were written to", c.name)
	}
	out.raw = c.raw
	if !out.result.Status.Changed() {
		return out, nil
	}
	messages := out.result.Messages
	if len(messages) > 0 && len(list) > 0 {
		held := slices.Clone(messages)
		clear(list)
		if !slices.Equal(held, messages) {
			s.notef(ruleInput, "%s: the output's list is the input's", c.name)
			messages = held
		}
	}
	if len(messages) == 0 {
		return out, &compress.Breach{Rule: compress.RuleNotEmpty, Text: "nothing is left"}
	}
	out.raw = given.With(messages).Bytes()
	after, err := c.decode(out.raw)
	if err != nil {
		return out, &compress.Breach{Rule: compress.RuleMessages, Text: fmt.Sprintf("the output cannot be read: %v", err)}
	}
	out.tokens = s.options.Meter.Conversation(after)
	return out, compress.CheckOutput(out.before.Messages, after.Messages)
}

package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// The windows that grow: growths times, by growthRounds calls and their results, an answer, another human message, and the
// call that follows it. A growth alone is larger than DefaultLength, however tokens are counted.
const (
	growths      = 3
	growthRounds = 25
)

// growing are the conversations whose windows grow: without calls, with calls, and with one human message long ago.
func growing() []conversation {
	names := []string{"plain turns", "tools", "a human message long ago"}
	return slices.DeleteFunc(conversations(), func(c conversation) bool { return !slices.Contains(names, c.name) })
}

// growsOn has windows compacted, grow and compacted again, each in one session. The error names no rule of lists: those
// hold of what was compacted for the first time.
func (s *suite) growsOn(ctx context.Context) error {
	for _, c := range growing() {
		if err := s.grows(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

func (s *suite) grows(ctx context.Context, c conversation) error {
	session, err := s.open(ctx, c.name, s.options.ContextLength)
	if err != nil {
		return err
	}
	defer shut(ctx, session)
	for n := range growths + 1 {
		if n > 0 {
			if c.raw, err = grown(c.raw, n); err != nil {
				return err
			}
		}
		out, err := s.compress(ctx, session, c)
		if err != nil {
			return fmt.Errorf("when it has grown %d times: %s", n, err.Error()) // unwrapped: a breach would fail a rule of its own
		}
		if !out.result.Status.Changed() {
			continue
		}
		if was := s.options.Meter.Conversation(out.before); out.tokens >= was {
			return fmt.Errorf("when it has grown %d times: %d tokens became %d", n, was, out.tokens)
		}
		c.raw = out.raw
	}
	return nil
}

// grown is a record of chat completions that goes on, for the n-th time. It ends, as windows often do when they have to be
// compacted, with the result of a call.
func grown(raw []byte, n int) ([]byte, error) {
	var record struct {
		ID       string            `json:"id"`
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(raw, &record); err != nil {
		return nil, fmt.Errorf("%w: the output cannot be read", err)
	}
	w := &writer{parts: 1000 * n, calls: 1000 * n} // no conversation is as long
	for range growthRounds {
		w.call(1)
	}
	w.say("assistant", w.words("that was in the files"))
	w.say("user", w.words("please look at the next files"))
	w.call(1)
	for _, m := range w.messages {
		record.Messages = append(record.Messages, json.RawMessage(m))
	}
	return json.Marshal(record)
}

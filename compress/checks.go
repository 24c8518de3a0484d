package compress

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// check holds an output against the invariants that a reader of the output relies on, before it may replace the record.
// A breach is a defect of ctxpack; the record is then kept as it is.
func (c *Compressor) check(p *prepared, d *draft) error {
	messages := make([]*formats.Message, len(d.list))
	for i, w := range d.list {
		messages[i] = w.msg
	}
	err := errors.Join(checkPairs(messages), checkLastHuman(p, d), checkPinned(p, d))
	if d.info != nil {
		err = errors.Join(err, c.checkTurns(p, d), checkSummaries(messages))
	}
	return err
}

// checkPairs: every result has its call before it, every call its result, but for calls in flight.
func checkPairs(messages []*formats.Message) error {
	pairing := formats.Pair(messages)
	if n := len(pairing.Orphans); n > 0 {
		return fmt.Errorf("internal error: %d tool results without a call in the output", n)
	}
	if n := len(missing(messages, pairing)); n > 0 {
		return fmt.Errorf("internal error: %d messages with unanswered calls in the output", n)
	}
	return nil
}

// checkLastHuman: the last human message is in the output, its text whole.
func checkLastHuman(p *prepared, d *draft) error {
	h := lastHuman(p.slots)
	if h < 0 {
		return nil
	}
	for k, origin := range d.origin {
		if origin == h && strings.Contains(d.list[k].msg.Text(), p.list[h].msg.Text()) {
			return nil
		}
	}
	return errors.New("internal error: the last human message is not in the output")
}

// checkPinned: what is pinned is in the output, as it was.
func checkPinned(p *prepared, d *draft) error {
	for i, w := range p.list {
		if !w.msg.Pinned {
			continue
		}
		k := slices.Index(d.origin, i)
		if k < 0 || d.list[k].msg.Changed() {
			return fmt.Errorf("internal error: message %d must stay as it is and does not", w.msg.Number)
		}
	}
	return nil
}

// checkTurns: no two user or assistant turns are neighbours that were none before.
func (c *Compressor) checkTurns(p *prepared, d *draft) error {
	if c.Options.SummaryRole != "" {
		return nil // the caller asked for a role, whatever its neighbours
	}
	before, last := formats.RoleOther, -1
	for k, w := range d.list {
		role := w.msg.Role
		if !turnRole(role) {
			continue
		}
		if role == before && role != formats.RoleTool && !neighbours(p, last, d.origin[k]) {
			return fmt.Errorf("internal error: two neighbouring %s messages in the output", role)
		}
		before, last = role, d.origin[k]
	}
	return nil
}

// neighbours says whether messages a and b of the list were neighbouring turns.
func neighbours(p *prepared, a, b int) bool {
	if a < 0 || b < 0 {
		return false
	}
	_, before := lastTurn(p.slots, b)
	return before == a
}

// checkSummaries: at most one summary.
func checkSummaries(messages []*formats.Message) error {
	if n := countSummaries(messages); n > 1 {
		return fmt.Errorf("internal error: %d summaries in the output", n)
	}
	return nil
}

// countSummaries counts the messages in which a summary stands.
func countSummaries(messages []*formats.Message) int {
	n := 0
	for _, m := range messages {
		if m.Role == formats.RoleTool {
			continue
		}
		for _, part := range m.Parts {
			if t, ok := part.(*formats.Text); ok {
				if _, found := summarize.Locate(t.Text); found {
					n++
					break
				}
			}
		}
	}
	return n
}

// Verify holds the bytes that are about to replace a record against what the engine meant to write: got is those bytes,
// read again, want the engine's messages. It is the last check before a record changes: what a reader of the output
// will see is what was decided, and pairs its calls.
func Verify(want []*formats.Message, got *formats.Conversation) error {
	if err := Same(want, got); err != nil {
		return err
	}
	return checkPairs(got.Messages)
}

// Same is Verify without the look at pairs: messages that stand as they came may have calls that nobody answered.
func Same(want []*formats.Message, got *formats.Conversation) error {
	if len(want) != len(got.Messages) {
		return fmt.Errorf("internal error: %d messages were written, %d are read back", len(want), len(got.Messages))
	}
	for i, m := range want {
		if again := got.Messages[i]; m.Role != again.Role || !sameTexts(m.Parts, again.Parts) {
			return fmt.Errorf("internal error: message %d of the output reads differently from what was written", i)
		}
	}
	return nil
}

// sameTexts compares what parts say; how many pieces a text comes in does not matter.
func sameTexts(a, b []formats.Part) bool {
	return spoken(a) == spoken(b)
}

func spoken(parts []formats.Part) string {
	var b strings.Builder
	for _, p := range parts {
		switch v := p.(type) {
		case *formats.Text:
			b.WriteString(v.Text)
		case *formats.ToolCall:
			b.WriteString(v.Name + v.Arguments)
		case *formats.ToolResult:
			b.WriteString(v.Text)
		}
	}
	return b.String()
}

func noteText(o Options) string {
	if o.NoNote {
		return ""
	}
	return summarize.Note
}

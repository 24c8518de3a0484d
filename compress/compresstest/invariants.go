// Package compresstest holds the promises of an engine as checks on its input and output, written from the rules
// (compaction.md, section 9) and not from the engine: it pairs calls, finds summaries and compares bytes by itself.
package compresstest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Case is one compaction to be checked.
type Case struct {
	In, Out []byte // the record before and after
	Before  *formats.Conversation
	After   *formats.Conversation
	Result  compress.Result
	Seen    map[int]bool // numbers of the messages the summariser was given
	Forced  bool         // a summary role was asked for against the placement table
}

// Check gives every breach.
func (c Case) Check() error {
	if !c.Result.Status.Changed() {
		if !bytes.Equal(c.In, c.Out) {
			return fmt.Errorf("I3: status %s, but the bytes changed", c.Result.Status)
		}
		return nil
	}
	all := []error{c.smaller(), c.pairs(), c.lastHuman(), c.oneSummary(), c.kept(), c.covered()}
	if !c.Forced {
		all = append(all, c.turns())
	}
	return errors.Join(all...)
}

// smaller is I3.
func (c Case) smaller() error {
	if r := c.Result; r.After.Tokens >= r.Before.Tokens {
		return fmt.Errorf("I3: %d tokens became %d", r.Before.Tokens, r.After.Tokens)
	}
	return nil
}

// pairs is I1 and I2, by a plain walk: open calls wait, a result takes the last one with its id, or the first when ids
// are missing. ShareGPT's turns pair by rules of their own (a turn without blocks answers the whole turn before it): they
// are checked with the pairing of formats, and so are ATIF's steps, which hold their own results.
func (c Case) pairs() error {
	if c.After.Dialect == "sharegpt" || c.After.Dialect == "hermes" || c.After.Dialect == "atif" {
		return pairsByTurn(c.After.Messages)
	}
	var errs []error
	open := map[*formats.ToolCall]int{}
	var order []*formats.ToolCall
	for i, m := range c.After.Messages {
		for _, r := range m.Results() {
			call := take(order, open, r)
			if call == nil {
				errs = append(errs, fmt.Errorf("I1: message %d: result %q has no call before it", i, r.CallID))
				continue
			}
			if between(c.After.Messages, open[call], i) && !c.interrupted(call) {
				errs = append(errs, fmt.Errorf("I2: message %d: result %q does not follow its call", i, r.CallID))
			}
			delete(open, call)
		}
		for _, call := range m.Calls() {
			open[call] = i
			order = append(order, call)
		}
	}
	for call, i := range open {
		if !inFlight(c.After.Messages, i) {
			errs = append(errs, fmt.Errorf("I2: message %d: call %q has no result", i, call.ID))
		}
	}
	return errors.Join(errs...)
}

func pairsByTurn(messages []*formats.Message) error {
	p := formats.Pair(messages)
	var errs []error
	for _, o := range p.Orphans {
		errs = append(errs, fmt.Errorf("I1: message %d: a result without a call", o.Message))
	}
	for _, o := range p.Open {
		if !inFlight(messages, o.Message) {
			errs = append(errs, fmt.Errorf("I2: message %d: call %q has no result", o.Message, o.Call.Name))
		}
	}
	return errors.Join(errs...)
}

func take(order []*formats.ToolCall, open map[*formats.ToolCall]int, r *formats.ToolResult) *formats.ToolCall {
	for k := len(order) - 1; k >= 0 && r.CallID != ""; k-- {
		if _, waits := open[order[k]]; waits && order[k].ID == r.CallID {
			return order[k]
		}
	}
	last := -1
	for _, at := range open {
		last = max(last, at)
	}
	var first *formats.ToolCall
	for _, call := range order {
		if at, waits := open[call]; waits && at == last && (r.CallID == "" || call.ID == "") {
			if first == nil {
				first = call
			}
			if r.Name != "" && call.Name == r.Name {
				return call
			}
		}
	}
	return first
}

// between says whether anything but tool results stands between messages a and b.
func between(messages []*formats.Message, a, b int) bool {
	for _, m := range messages[a+1 : b] {
		if m.Role != formats.RoleTool {
			return true
		}
	}
	return false
}

// interrupted says whether the call's atom held something else in the input, too.
func (c Case) interrupted(call *formats.ToolCall) bool {
	for i, m := range c.Before.Messages {
		for _, other := range m.Calls() {
			if other.ID != call.ID || other.Name != call.Name {
				continue
			}
			for k, next := range c.Before.Messages[i+1:] {
				for _, r := range next.Results() {
					if (r.CallID == call.ID || r.CallID == "" || call.ID == "") && between(c.Before.Messages, i, i+1+k) {
						return true
					}
				}
			}
		}
	}
	return false
}

func inFlight(messages []*formats.Message, i int) bool {
	for _, m := range messages[i+1:] {
		if m.Role == formats.RoleUser || m.Role == formats.RoleAssistant {
			return false
		}
	}
	return true
}

// lastHuman is I5.
func (c Case) lastHuman() error {
	for i := len(c.Before.Messages) - 1; i >= 0; i-- {
		m := c.Before.Messages[i]
		text := ownText(m)
		if m.Role != formats.RoleUser || len(m.Results()) > 0 || !formats.Human(m) && text == m.Text() {
			continue
		}
		for _, out := range c.After.Messages {
			if out.Role == formats.RoleUser && strings.Contains(ownText(out), text) && len(out.Parts) >= len(m.Parts) {
				return nil
			}
		}
		return fmt.Errorf("I5: the last human message (%d) is not in the output outside the summary", i)
	}
	return nil
}

// ownText is a message's text without a summary in it.
func ownText(m *formats.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if t, ok := p.(*formats.Text); ok {
			text := t.Text
			if l, found := summarize.Locate(text); found {
				text = text[:l.Start] + text[l.End:]
			}
			b.WriteString(text)
		}
	}
	return b.String()
}

// Locate finds a summary in any of a message's texts: the text, and where it stands in it.
func Locate(m *formats.Message) (text string, at summarize.Located, ok bool) {
	for _, p := range m.Parts {
		if t, is := p.(*formats.Text); is {
			if at, ok = summarize.Locate(t.Text); ok {
				return t.Text, at, true
			}
		}
	}
	return "", at, false
}

// oneSummary is I7.
func (c Case) oneSummary() error {
	count := func(messages []*formats.Message) (summaries, notes int) {
		for _, m := range messages {
			if m.Role == formats.RoleTool {
				continue
			}
			if _, _, found := Locate(m); found {
				summaries++
			}
			if m.Role == formats.RoleSystem {
				notes += strings.Count(m.Text(), summarize.Note)
			}
		}
		return summaries, notes
	}
	_, had := count(c.Before.Messages)
	n, notes := count(c.After.Messages)
	if c.Result.Summary != nil && n != 1 {
		return fmt.Errorf("I7: %d summaries in the output", n)
	}
	if notes > max(had, 1) {
		return fmt.Errorf("I7: %d notes in the output", notes)
	}
	return nil
}

// kept is I4 and I12: the output's messages are the input's, in order and byte for byte, but for those that an action
// accounts for.
func (c Case) kept() error {
	changed := 0
	at := 0
	for _, m := range c.After.Messages {
		found := false
		for k := at; k < len(c.Before.Messages); k++ {
			if bytes.Equal(unnumbered(m), unnumbered(c.Before.Messages[k])) {
				at, found = k+1, true
				break
			}
		}
		if !found {
			changed++
		}
	}
	allowed := 2 // the summary (or the message it was joined to) and the note
	for _, a := range c.Result.Actions {
		switch a.Kind {
		case compress.ActionSummarize, compress.ActionNote:
		default:
			allowed++
		}
	}
	if changed > allowed {
		return fmt.Errorf("I4: %d messages changed, %d accounted for", changed, allowed)
	}
	return nil
}

// unnumbered is a message's bytes without the number that ATIF gives a step by its place.
func unnumbered(m *formats.Message) []byte {
	at := bytes.Index(m.Bytes(), []byte(`"step_id"`))
	if at < 0 {
		return m.Bytes()
	}
	rest := bytes.TrimLeft(m.Bytes()[at+len(`"step_id"`):], ": \t\n0123456789")
	return append(bytes.Clone(m.Bytes()[:at]), rest...)
}

// turns is I6.
func (c Case) turns() error {
	var last *formats.Message
	for i, m := range c.After.Messages {
		if m.Role != formats.RoleUser && m.Role != formats.RoleAssistant && m.Role != formats.RoleTool {
			continue
		}
		if last != nil && last.Role == m.Role && m.Role != formats.RoleTool && !c.wereNeighbours(last, m) {
			return fmt.Errorf("I6: message %d: two neighbouring %s messages", i, m.Role)
		}
		last = m
	}
	return nil
}

// wereNeighbours finds two turns of the input, neighbours but for removed orphans, whose own texts a and b carry.
func (c Case) wereNeighbours(a, b *formats.Message) bool {
	for i, m := range c.Before.Messages {
		if m.Role != a.Role || !strings.Contains(ownText(a), ownText(m)) {
			continue
		}
		for _, next := range c.Before.Messages[i+1:] {
			if next.Role == b.Role && strings.Contains(ownText(b), ownText(next)) {
				return true
			}
			if next.Role == formats.RoleUser || next.Role == formats.RoleAssistant {
				break
			}
		}
	}
	return false
}

// covered is I11: every message of the input is in the output, or was shown to the summariser, or is listed as removed.
func (c Case) covered() error {
	if c.Seen == nil {
		return nil
	}
	texts := map[string]bool{}
	for _, m := range c.After.Messages {
		texts[string(m.Bytes())] = true
	}
	listed := map[int]bool{}
	for _, a := range c.Result.Actions {
		listed[a.Message] = true
	}
	var errs []error
	for i, m := range c.Before.Messages {
		_, _, summary := Locate(m)
		switch {
		case texts[string(m.Bytes())], c.Seen[m.Number], listed[m.Number], summary, m.Marked:
		case c.joined(m):
		default:
			errs = append(errs, fmt.Errorf("I11: message %d is nowhere", i))
		}
	}
	return errors.Join(errs...)
}

// joined says whether a message's own text is part of an output message (one that a summary or the note was joined to).
func (c Case) joined(m *formats.Message) bool {
	for _, out := range c.After.Messages {
		if out.Role == m.Role && strings.Contains(out.Text(), m.Text()) {
			return true
		}
	}
	return false
}

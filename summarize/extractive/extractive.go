// Package extractive writes summaries without a model: deterministic, offline, from what the conversation itself says
// and did. It copies and never computes or rephrases: every line is a piece of the source (white space collapsed, long
// ones clipped with an ellipsis) beside fixed words and message numbers.
package extractive

import (
	"context"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Summarizer is the extractive summariser. Its zero value is ready; it holds no state and is safe for concurrent use.
type Summarizer struct{}

// Name is "extractive".
func (Summarizer) Name() string { return "extractive" }

// Summarize writes the prose of every section of the template within req.Budget tokens. It never fails, except when ctx
// is done before it begins.
func (Summarizer) Summarize(ctx context.Context, req summarize.Request) (summarize.Prose, error) {
	if err := ctx.Err(); err != nil {
		return summarize.Prose{}, err
	}
	m := gather(req)
	lines := fill(m.sections(), req.Budget, req.Count)
	m.addNames(lines)
	return summarize.Prose{Text: summarize.JoinSections(lines)}, nil
}

// material is everything the sections are made from.
type material struct {
	req      summarize.Request
	messages []*formats.Message
	earlier  []summarize.Parsed
	actions  []summarize.Action // of the middle
	keys     []string           // deedKey of each
	later    []summarize.Action // of the tail
	human    []said             // of the middle, oldest first
	voice    []said             // the assistant's, oldest first
}

// said is one message's text.
type said struct {
	number    int
	text      string
	sentences []sentence // of the assistant's, each flat
}

func gather(req summarize.Request) *material {
	m := &material{req: req, messages: req.Messages()}
	for _, e := range req.Previous {
		m.earlier = append(m.earlier, summarize.Parse(e.Body))
	}
	if m.actions = req.Actions; m.actions == nil {
		m.actions = summarize.Actions(m.messages)
	}
	for _, a := range m.actions {
		m.keys = append(m.keys, deedKey(a))
	}
	m.later = summarize.Actions(req.Tail)
	for _, msg := range m.messages {
		switch {
		case formats.Human(msg):
			if text := msg.Text(); text != "" {
				m.human = append(m.human, said{number: msg.Number, text: text})
			}
		case msg.Role == formats.RoleAssistant:
			if text := msg.Text(); text != "" {
				list := sentences(text)
				for i := range list {
					list[i].text = flat(list[i].text)
				}
				m.voice = append(m.voice, said{msg.Number, text, list})
			}
		}
	}
	return m
}

// sections gathers the candidates of every section, best first.
func (m *material) sections() []section {
	merged := m.inherit()
	done, blocked := m.doneAndBlocked(merged)
	next, current := m.plan()
	decisions, findings := m.remarks()
	return []section{
		{heading: summarize.HeadingGoal, lines: m.goal(merged), limit: 4, share: 4, ordered: true},
		{heading: summarize.HeadingConstraints, lines: append(m.constraints(), merged[summarize.HeadingConstraints]...), limit: 40, share: 3},
		{heading: summarize.HeadingDone, lines: done, limit: 48, share: 3},
		{heading: summarize.HeadingInProgress, lines: m.inProgress(current), limit: 3, share: 3, ordered: true},
		{heading: summarize.HeadingBlocked, lines: blocked, limit: 6, share: 2},
		{heading: summarize.HeadingDecisions, lines: append(decisions, merged[summarize.HeadingDecisions]...), limit: 12, share: 1},
		{heading: summarize.HeadingFiles, lines: m.files(merged), limit: 300, share: 5, ordered: true},
		{heading: summarize.HeadingNext, lines: m.next(next, merged), limit: 10, share: 10, ordered: true},
		{heading: summarize.HeadingCritical, lines: append(m.critical(findings), merged[summarize.HeadingCritical]...), limit: 24, share: 1},
	}
}

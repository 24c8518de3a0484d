package summarize

import (
	"context"
	"strings"
	"sync"
)

// Estimator is a Client that asks nobody. It answers every call with a text of the right form and likely length and adds
// up what the calls would take, so that a whole run can be planned with everything but the calls. Safe for concurrent use.
type Estimator struct {
	name  string
	count func(string) int

	mu    sync.Mutex
	total Estimate
}

// Estimate is what calls would take: tokens.
type Estimate struct {
	Calls  int
	Prompt int // tokens of all prompts
	Budget int // tokens that the answers should have
}

// likelyShare is how much of its budget an answer takes, in tenths.
const likelyShare = 8

// NewEstimator stands in for the client of that name. count is the counter of budgets.
func NewEstimator(name string, count func(string) int) *Estimator {
	return &Estimator{name: name, count: count}
}

// Name is the name of the client it stands for.
func (e *Estimator) Name() string { return e.name }

// Total is what all calls so far would take.
func (e *Estimator) Total() Estimate {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.total
}

// Complete answers with filler.
func (e *Estimator) Complete(_ context.Context, call Call) (Answer, error) {
	e.mu.Lock()
	e.total.Calls++
	e.total.Prompt += call.Tokens
	e.total.Budget += call.Budget
	e.mu.Unlock()
	likely := call.Budget * likelyShare / 10
	return Answer{Text: e.filler(call.Prompt, likely), Tokens: Usage{Prompt: call.Tokens, Completion: likely}}, nil
}

// filler is the headings that the prompt asks for, with plain words of about so many tokens under the first.
func (e *Estimator) filler(prompt string, tokens int) string {
	task := prompt[strings.LastIndex(prompt, taskStart)+1:]
	var b strings.Builder
	const line = "- a line of the summary that a model would write here\n"
	each := max(e.count(line), 1)
	first := true
	for h := range strings.SplitSeq(task, "\n") {
		if !isHeading(h) {
			continue
		}
		b.WriteString(h + "\n")
		if first {
			b.WriteString(strings.Repeat(line, max(tokens/each, 1)))
		}
		first = false
	}
	return b.String()
}

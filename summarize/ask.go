package summarize

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// The levels of a summary: how much had to be done about its length.
const (
	levelAsked    = iota // as asked
	levelShorter         // asked again with three quarters of the budget
	levelBullets         // asked again for bullets within half of it
	levelSections        // cut at section boundaries
)

// mostBreaches is how many breaches a second prompt names.
const mostBreaches = 30

// task is one text to be written: a prompt, and what has become of it so far.
type task struct {
	spec     promptSpec
	budget   int // that the text is held to, whatever was asked for
	level    int
	repaired bool
	calls    []Call // made so far

	text string
	err  error
	over bool
}

// one has one text written.
func (w *work) one(ctx context.Context, spec promptSpec) (string, error) {
	texts, errs := w.all(ctx, []promptSpec{spec})
	return texts[0], errs[0]
}

// all has texts written at the same time. It asks for all of them, then for those again that were not good enough.
func (w *work) all(ctx context.Context, specs []promptSpec) ([]string, []error) {
	tasks := make([]*task, len(specs))
	for i, spec := range specs {
		tasks[i] = &task{spec: spec, budget: spec.budget}
	}
	for open := tasks; len(open) > 0; {
		answers, errs := w.ask(ctx, open)
		var again []*task
		for i, t := range open {
			if errs[i] != nil {
				t.err = errs[i]
				continue
			}
			if w.judge(t, answers[i]); !t.over {
				again = append(again, t)
			}
		}
		open = again
	}
	texts, errs := make([]string, len(tasks)), make([]error, len(tasks))
	for i, t := range tasks {
		texts[i], errs[i] = t.text, t.err
		w.prose.Level = max(w.prose.Level, t.level)
	}
	return texts, errs
}

// ask makes one call for each task, all at the same time, outside the bound on the CPU.
func (w *work) ask(ctx context.Context, tasks []*task) ([]Answer, []error) {
	calls := make([]Call, len(tasks))
	for i, t := range tasks {
		prompt := t.spec.build()
		calls[i] = Call{
			Model: w.m.Model, Prompt: prompt, MaxTokens: w.answerTokens(t.budget), Tokens: w.count(prompt), Budget: t.spec.budget, Begin: w.begin,
		}
		t.calls = append(t.calls, calls[i])
	}
	answers, errs := make([]Answer, len(tasks)), make([]error, len(tasks))
	w.outside(func() {
		if len(calls) == 1 {
			answers[0], errs[0] = w.m.Client.Complete(ctx, calls[0])
			return
		}
		var group sync.WaitGroup
		for i := range calls {
			group.Go(func() { answers[i], errs[i] = w.m.Client.Complete(ctx, calls[i]) })
		}
		group.Wait()
	})
	for i, a := range answers {
		if errs[i] != nil {
			continue
		}
		if a.Model != "" {
			w.prose.Model = a.Model
		}
		if a.Cached {
			w.prose.Cached = true
		} else {
			w.prose.Calls++
		}
		w.prose.Tokens.Prompt += a.Tokens.Prompt
		w.prose.Tokens.Completion += a.Tokens.Completion
		w.prose.Tokens.CacheRead += a.Tokens.CacheRead
	}
	return answers, errs
}

func (w *work) outside(f func()) {
	if w.m.Outside == nil {
		f()
		return
	}
	w.m.Outside(f)
}

// judge decides about an answer: it is the text, or another one is asked for, or there will be none.
func (w *work) judge(t *task, a Answer) {
	if w.evidence == nil {
		w.evidence = NewEvidence(w.req, w.redactor, w.focus(), t.spec.template.Text)
	}
	c := check{w.evidence, NewRedactor(), w.template, t.budget, w.req.Count}
	t.text = normalize(a.Text, w.template)
	found := c.breaches(t.text)
	long, others := false, found[:0:0]
	for _, b := range found {
		if b.Code == "too_long" {
			long = true
		} else {
			others = append(others, b)
		}
	}
	switch {
	case len(found) == 0:
		t.over = true
	case long && t.level < levelBullets:
		t.level++
		t.spec.bullets = t.level == levelBullets
		t.spec.budget = max(t.budget*(4-t.level)/4, 1)
		if len(others) > 0 {
			t.repaired = true
		}
		w.again(t, found)
	case len(others) > 0 && !t.repaired:
		t.repaired = true
		w.again(t, others)
	default:
		w.mend(t, c, long)
	}
}

// again prepares the next prompt: with the breaches named and, where the window allows, with the answer that has them. A
// secret in it is masked.
func (w *work) again(t *task, found []Breach) {
	t.spec.breaches, t.spec.answer = nil, ""
	for _, b := range found[:min(len(found), mostBreaches)] {
		t.spec.breaches = append(t.spec.breaches, b.Text)
	}
	fixed, room := t.spec, w.m.Window-w.answerTokens(t.budget)
	fixed.answer, _ = NewRedactor().Mask(t.text)
	if w.count(fixed.build()) <= room {
		t.spec = fixed
		return
	}
	for len(t.spec.breaches) > 1 && w.count(t.spec.build()) > room {
		t.spec.breaches = t.spec.breaches[:len(t.spec.breaches)/2]
	}
}

// mend is the last resort: what is too long is cut at section boundaries, lines with breaches are left out if they are at
// most a tenth. Otherwise the answer is no summary.
func (w *work) mend(t *task, c check, long bool) {
	t.over = true
	if long {
		t.level = levelSections
		t.text = cutSections(t.text, w.template, func(s string) bool { return !c.tooLong(s) })
	}
	found := c.breaches(t.text)
	if lines, ok := removable(t.text, found); ok && len(found) > 0 {
		t.text = removeLines(t.text, lines, w.template)
		w.prose.Warnings = append(w.prose.Warnings, "lines that failed the checks were left out")
		found = c.breaches(t.text)
	}
	if len(found) == 0 {
		return
	}
	t.text, t.err = "", notASummary(found)
	if w.m.Reject == nil {
		return
	}
	w.outside(func() {
		for _, call := range t.calls {
			if err := w.m.Reject(call); err != nil {
				w.m.Stats.notSaved()
			}
		}
	})
}

// notASummary says what was wrong, the first few things of it.
func notASummary(found []Breach) error {
	var texts []string
	for _, b := range found[:min(len(found), 3)] {
		texts = append(texts, b.Text)
	}
	reason := strings.Join(texts, "; ")
	if more := len(found) - len(texts); more > 0 {
		reason += fmt.Sprintf("; and %d more", more)
	}
	return &NotASummaryError{found[0].Code, reason}
}

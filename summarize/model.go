package summarize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Model is a Summarizer that asks a language model. It plans before it asks: a middle that does not fit the model's
// window is cut into parts that are summarised at the same time and merged. Every answer is checked against what was
// sent. For one summary of one part or merge it asks at most four times: once as it is, once more with the breaches
// named, and twice for something shorter.
//
// Fields are set before the first use and not changed afterwards.
type Model struct {
	Client Client
	Model  string // the name that is sent
	Window int    // what prompt and answer may have together, in tokens of Count
	Output int    // the most an answer may have; 0 where unknown
	Think  int    // tokens of an answer that are set aside for the model's thinking
	// Count counts as the model does; nil: the request's own counter.
	Count func(string) int

	Template PromptTemplate
	Focus    string
	Language string
	NoRedact bool

	// RecordTime is the longest that one summary may take, from its first call on; 0 for no limit.
	RecordTime time.Duration
	// Outside runs a function while the caller gives up its share of the CPU; nil runs it as it is.
	Outside func(func())
	// Reject is told of calls whose answers the checks refused for good; nil: nobody is.
	Reject func(Call) error
	Stats  *Stats
}

// Name is the client's.
func (m *Model) Name() string { return m.Client.Name() }

// Summarize asks the model. The error is one of Client's, or a *NotASummaryError for answers that failed the checks.
func (m *Model) Summarize(ctx context.Context, req Request) (Prose, error) {
	ctx, begin, end := m.clock(ctx)
	defer end()
	w := m.newWork(req)
	w.begin = begin
	prose, err := w.summarize(ctx)
	m.Stats.mask(prose.Masked)
	return prose, err
}

// clock gives a context that ends RecordTime after begin was first called.
func (m *Model) clock(ctx context.Context) (timed context.Context, begin, end func()) {
	if m.RecordTime <= 0 {
		return ctx, func() {}, func() {}
	}
	timed, cancel := context.WithCancelCause(ctx)
	var mu sync.Mutex
	var timer *time.Timer
	over := false
	begin = func() {
		mu.Lock()
		defer mu.Unlock()
		if timer == nil && !over {
			timer = time.AfterFunc(m.RecordTime, func() { cancel(fmt.Errorf("%w: %v", ErrRecordTime, m.RecordTime)) })
		}
	}
	end = func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		if timer != nil {
			timer.Stop()
		}
		cancel(nil)
	}
	return timed, begin, end
}

// work is the making of one summary.
type work struct {
	m        *Model
	req      Request
	redactor *Redactor
	template PromptTemplate
	count    func(string) int
	begin    func()
	evidence *Evidence // made when the first answer is there

	prose Prose
}

func (m *Model) newWork(req Request) *work {
	w := &work{m: m, req: req, template: m.Template.withDefault(), count: m.Count}
	if w.count == nil {
		w.count = req.Count
	}
	if !m.NoRedact {
		w.redactor = NewRedactor()
	}
	w.prose = Prose{Model: m.Model, Prompt: PromptVersion, Headings: w.template.Headings}
	return w
}

// material gives the entries of the middle and the earlier summaries as one text.
func (w *work) material() (entries []entry, previous string) {
	s := &serializer{redactor: w.redactor, count: w.count, tools: map[string]string{}}
	entries = s.entries(w.req)
	for i, p := range w.req.Previous {
		text, n := w.redactor.Mask(p.Body)
		s.masked += n
		if i > 0 {
			previous += "\n\n(a later summary)\n"
		}
		previous += text
	}
	w.prose.Masked = w.req.Masked + s.masked
	return entries, previous
}

// answerTokens is the most that the answer to a prompt with a budget may have.
func (w *work) answerTokens(budget int) int {
	n := 2*budget + 1024 + w.m.Think
	if w.m.Output > 0 {
		n = min(n, w.m.Output)
	}
	return min(n, w.m.Window/2)
}

// room is how many tokens of material fit a prompt beside everything else and the answer.
func (w *work) room(spec promptSpec) int {
	spec.material = nil
	fixed := w.count(spec.build()) + 64
	repair := min(1500, w.m.Window/16) // the breaches, should the answer have some
	return (w.m.Window-w.answerTokens(spec.budget)-repair)*49/50 - fixed
}

// summarize is the whole story: material, plan, parts, merges.
func (w *work) summarize(ctx context.Context) (Prose, error) {
	entries, previous := w.material()
	whole := w.spec(promptWhole, w.req.Budget)
	whole.previous = previous
	total := 0
	for _, e := range entries {
		total += e.tokens
	}
	if total <= w.room(whole) {
		whole.material = entries
		text, err := w.one(ctx, whole)
		var failed *CallError
		if !errors.As(err, &failed) || failed.Class != ContextTooLong {
			w.prose.Text = text
			return w.prose, err
		}
		// The provider counts otherwise than we do: split and go on.
	}
	if previous != "" {
		earlier := entry{header: "[EARLIER SUMMARY]", body: previous, atom: -1}
		earlier.tokens = w.count(earlier.header) + w.count(previous) + entryFrame
		entries = append([]entry{earlier}, entries...)
	}
	room := w.room(w.spec(promptPart, w.partBudget()))
	if total <= room {
		room = w.halfRoom(entries, total)
	}
	texts, err := w.parts(ctx, entries, room)
	if err != nil {
		return w.prose, err
	}
	w.prose.Parts = len(texts)
	w.prose.Text, err = w.merge(ctx, texts)
	return w.prose, err
}

// halfRoom is the least room, or nearly so, in which entries make two parts.
func (w *work) halfRoom(entries []entry, total int) int {
	for room := total * 11 / 20; room < total; room += max(total/20, 1) {
		if parts, err := chunk(entries, room, w.count); err == nil && len(parts) == 2 {
			return room
		}
	}
	return max(total/2, leastRoom)
}

// spec is the part of a prompt that is the same for all of a kind.
func (w *work) spec(kind promptKind, budget int) promptSpec {
	return promptSpec{kind: kind, template: w.template, budget: budget, focus: w.focus(), language: w.m.Language}
}

// focus is the topic of the request, else of the run.
func (w *work) focus() string { return cmp.Or(w.req.Focus, w.m.Focus) }

// partBudget is the length of a partial summary: that of the whole one, unless too few of those would fit a merge.
func (w *work) partBudget() int {
	return max(min(w.req.Budget, w.m.Window/16), 64)
}

// parts summarises entries in as few parts as fit room. A part that the provider finds too long is split again.
func (w *work) parts(ctx context.Context, entries []entry, room int) ([]string, error) {
	pieces, err := chunk(entries, room, w.count)
	if err != nil {
		return nil, err
	}
	specs := make([]promptSpec, len(pieces))
	for i, piece := range pieces {
		specs[i] = w.spec(promptPart, w.partBudget())
		specs[i].part, specs[i].of, specs[i].material = i+1, len(pieces), piece
	}
	texts, errs := w.all(ctx, specs)
	var out []string
	for i, err := range errs {
		var failed *CallError
		switch {
		case err == nil:
			out = append(out, texts[i])
		case errors.As(err, &failed) && failed.Class == ContextTooLong && room/2 >= leastRoom:
			more, err := w.parts(ctx, pieces[i], room/2)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		default:
			return nil, err
		}
	}
	return out, nil
}

// merge makes one text of several, in as many levels as the window needs. It ends: a part takes at most a quarter of the
// room, or is cut to that.
func (w *work) merge(ctx context.Context, texts []string) (string, error) {
	for len(texts) > 1 {
		w.prose.Merges++
		last := w.spec(promptMerge, w.req.Budget)
		entries := make([]entry, len(texts))
		total := 0
		for i, text := range texts {
			e := entry{header: fmt.Sprintf("[PART %d of %d]", i+1, len(texts)), body: text, atom: i}
			e.tokens = w.count(e.header) + w.count(text) + entryFrame
			entries[i] = e
			total += e.tokens
		}
		if room := w.room(last); total <= room {
			last.material = entries
			return w.one(ctx, last)
		}
		room := w.room(w.spec(promptMerge, w.partBudget()))
		groups, err := chunk(entries, room, w.count)
		if err != nil {
			return "", err
		}
		if len(groups) >= len(texts) {
			return "", errNoRoom
		}
		specs := make([]promptSpec, len(groups))
		for i, group := range groups {
			specs[i] = w.spec(promptMerge, w.partBudget())
			specs[i].material = group
		}
		merged, errs := w.all(ctx, specs)
		for _, err := range errs {
			if err != nil {
				return "", err
			}
		}
		texts = merged
	}
	return texts[0], nil
}

package formats

import (
	"cmp"
	"slices"
)

// Atom is the smallest contiguous run of messages [Start, End) that is closed under call/result pairing. Boundaries lie
// between atoms only, so a pair cannot be split.
type Atom struct{ Start, End int }

// Len is the number of messages.
func (a Atom) Len() int { return a.End - a.Start }

// CallRef and ResultRef name one part of one message.
type CallRef struct {
	Message int
	Call    *ToolCall
}

// ResultRef names a tool result by its message.
type ResultRef struct {
	Message int
	Result  *ToolResult
}

// Pairing says which result answers which call, and what follows from it.
type Pairing struct {
	Atoms   []Atom                    // in order, covering every message once
	Answers map[*ToolResult]CallRef   // the call each paired result answers
	Results map[*ToolCall][]ResultRef // the reverse: empty for a call without a result; calls may share a plain-text one
	Open    []CallRef                 // calls without a result, in order
	Orphans []ResultRef               // results without a call, in order
}

// Pair links results with calls. A result belongs to the nearest earlier unanswered call with its id (real data reuses
// ids), the first of several in one message. Where one of the two has no id the pair is made by position: the first
// unanswered call of the nearest earlier message that has one, one with the result's tool name before others. A tool turn
// that is one plain text (ShareGPT) also answers the other calls of the message it answers, where nothing else does.
// It takes time in proportion to the parts, whatever their ids.
func Pair(messages []*Message) Pairing {
	p := Pairing{Answers: map[*ToolResult]CallRef{}, Results: map[*ToolCall][]ResultRef{}}
	w := waiting{byID: map[string][]sameID{}}
	reach := make([]int, len(messages)) // the last message paired with a call of message i
	turns := map[int]ResultRef{}        // the last plain-text answer to a call of message i
	for i, m := range messages {
		reach[i] = i
		if m.Bound && i+1 < len(messages) {
			reach[i] = i + 1
		}
		for _, part := range m.Parts {
			switch v := part.(type) {
			case *ToolCall:
				w.add(CallRef{i, v})
			case *ToolResult:
				call, ok := w.take(v)
				if !ok {
					p.Orphans = append(p.Orphans, ResultRef{i, v})
					continue
				}
				p.Answers[v] = call
				p.Results[call.Call] = append(p.Results[call.Call], ResultRef{i, v})
				reach[call.Message] = max(reach[call.Message], i)
				if v.turn {
					turns[call.Message] = ResultRef{i, v}
				}
			}
		}
	}
	for k, call := range w.calls {
		if w.answered[k] {
			continue
		}
		if r, ok := turns[call.Message]; ok {
			p.Results[call.Call] = append(p.Results[call.Call], r)
			continue
		}
		p.Open = append(p.Open, call)
	}
	p.Atoms = atomsOf(reach)
	return p
}

func atomsOf(reach []int) []Atom {
	atoms := make([]Atom, 0, len(reach))
	for start := 0; start < len(reach); {
		end := start
		for i := start; i <= end; i++ {
			end = max(end, reach[i])
		}
		atoms = append(atoms, Atom{start, end + 1})
		start = end + 1
	}
	return atoms
}

// waiting is the calls seen so far, and which of them have been answered.
type waiting struct {
	calls    []CallRef
	answered []bool
	byID     map[string][]sameID
	callers  []caller // the messages with calls, oldest first; those with none unanswered are dropped when met
}

// sameID is the calls of one message that have the same id, first to last; answered ones are dropped when met.
type sameID struct {
	message int
	calls   []int
}

// caller is the calls of one message, which are calls[start:end].
type caller struct {
	start, end int
	open       int                // how many are unanswered
	queues     map[callKind][]int // unanswered calls by kind, first to last; answered ones are dropped when met
}

// callKind is what a result may look for when it looks by position.
type callKind struct {
	name  string // "" for any name
	anyID bool   // false: only calls without an id
}

func (w *waiting) add(c CallRef) {
	k := len(w.calls)
	w.calls = append(w.calls, c)
	w.answered = append(w.answered, false)
	if c.Call.ID != "" {
		list := w.byID[c.Call.ID]
		if n := len(list); n > 0 && list[n-1].message == c.Message {
			list[n-1].calls = append(list[n-1].calls, k)
		} else {
			w.byID[c.Call.ID] = append(list, sameID{c.Message, []int{k}})
		}
	}
	if n := len(w.callers); n > 0 && w.calls[w.callers[n-1].start].Message == c.Message && w.callers[n-1].queues == nil {
		w.callers[n-1].end, w.callers[n-1].open = k+1, w.callers[n-1].open+1
		return
	}
	w.callers = append(w.callers, caller{start: k, end: k + 1, open: 1})
}

func (w *waiting) take(r *ToolResult) (CallRef, bool) {
	k := -1
	if r.CallID != "" {
		k = w.takeByID(r.CallID)
	}
	if k < 0 {
		k = w.byPosition(r)
	}
	if k < 0 {
		return CallRef{}, false
	}
	w.answered[k] = true
	i, _ := slices.BinarySearchFunc(w.callers, k, func(c caller, k int) int { return cmp.Compare(c.end-1, k) })
	if i < len(w.callers) {
		w.callers[i].open--
	}
	return w.calls[k], true
}

// takeByID finds the first unanswered call with the id in the nearest message that has one: -1 for none.
func (w *waiting) takeByID(id string) int {
	list := w.byID[id]
	for len(list) > 0 {
		top := &list[len(list)-1]
		for len(top.calls) > 0 {
			k := top.calls[0]
			top.calls = top.calls[1:]
			if !w.answered[k] {
				return k
			}
		}
		list = list[:len(list)-1]
		w.byID[id] = list
	}
	return -1
}

// byPosition finds the call that a result without an id, or a call without one, pairs with: -1 for none.
func (w *waiting) byPosition(r *ToolResult) int {
	for len(w.callers) > 0 && w.callers[len(w.callers)-1].open == 0 {
		w.callers = w.callers[:len(w.callers)-1]
	}
	if len(w.callers) == 0 {
		return -1
	}
	c := &w.callers[len(w.callers)-1]
	if c.queues == nil {
		c.queues = w.queuesOf(*c)
	}
	anyID := r.CallID == ""
	if r.Name != "" {
		if k := w.first(c, callKind{r.Name, anyID}); k >= 0 {
			return k
		}
	}
	return w.first(c, callKind{"", anyID})
}

// first gives the first unanswered call of a kind, -1 for none.
func (w *waiting) first(c *caller, kind callKind) int {
	list := c.queues[kind]
	for len(list) > 0 && w.answered[list[0]] {
		list = list[1:]
	}
	c.queues[kind] = list
	if len(list) == 0 {
		return -1
	}
	return list[0]
}

func (w *waiting) queuesOf(c caller) map[callKind][]int {
	queues := map[callKind][]int{}
	put := func(kind callKind, k int) { queues[kind] = append(queues[kind], k) }
	for k := c.start; k < c.end; k++ {
		if w.answered[k] {
			continue
		}
		call := w.calls[k].Call
		put(callKind{"", true}, k)
		if call.Name != "" {
			put(callKind{call.Name, true}, k)
		}
		if call.ID != "" {
			continue
		}
		put(callKind{"", false}, k)
		if call.Name != "" {
			put(callKind{call.Name, false}, k)
		}
	}
	return queues
}

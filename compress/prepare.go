package compress

import (
	"fmt"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// prepared is a conversation about to be compacted: pairs repaired, earlier summaries found, boundaries computed.
// Nothing in it changes afterwards (pruned is filled in as it is asked for).
type prepared struct {
	conv    *formats.Conversation
	budget  Budget
	focus   string
	repairs []Action

	whole []weighed // repaired, earlier summaries still in place: what a result without a new summary is made of
	list  []weighed // repaired, earlier summaries split off: what boundaries, counts and the summariser see
	index []int     // where each message of list stands in whole

	earlier       []summarize.Earlier
	earlierTokens int

	pairing formats.Pairing
	slots   []slot
	bounds  bounds
	prefix  []int // prefix[i] is the tokens of list[:i]

	pruned []*pruning // by message of list; nil until asked for
	latest map[outputKey]int
}

// prepare repairs, splits and cuts. The error says that the pairing of the record makes no sense.
func (c *Compressor) prepare(conv *formats.Conversation, list []weighed, b Budget) (*prepared, error) {
	p := &prepared{conv: conv, budget: b}
	var err error
	if p.whole, p.repairs, err = c.Meter.repair(conv, list); err != nil {
		return nil, err
	}
	c.split(p)
	messages := make([]*formats.Message, len(p.list))
	p.slots = make([]slot, len(p.list))
	p.prefix = make([]int, len(p.list)+1)
	for i, w := range p.list {
		messages[i] = w.msg
		p.slots[i] = slot{role: w.msg.Role, tokens: w.total, human: formats.Human(w.msg), pinned: w.msg.Pinned}
		p.prefix[i+1] = p.prefix[i] + w.total
	}
	p.part()
	p.pairing = formats.Pair(messages)
	o := c.Options
	p.bounds = cut(p.slots, p.pairing.Atoms, o.ProtectFirst, o.ProtectLast, b.Tail)
	p.pruned = make([]*pruning, len(p.list))
	p.latest = latestOutputs(p)
	return p, nil
}

// part marks turns that an earlier summary, a message of its own, stood in front of, behind a turn of the same role.
func (p *prepared) part() {
	last := -1
	for i := range p.slots {
		if !turnRole(p.slots[i].role) {
			continue
		}
		if last >= 0 && p.slots[last].role == p.slots[i].role && p.slots[i].role != formats.RoleTool {
			p.slots[i].parted = p.index[i]-p.index[last] > i-last
		}
		last = i
	}
}

// stubText answers a call whose result is missing in the input.
const stubText = "[No result was recorded for this call]"

// repair removes results without a call and answers calls without a result, except calls in flight at the very end.
// More results without a call than with one means that the dialect was misread: that is an error.
func (m *Meter) repair(conv *formats.Conversation, list []weighed) ([]weighed, []Action, error) {
	pairing := formats.Pair(conv.Messages)
	if n, all := len(pairing.Orphans), len(pairing.Orphans)+len(pairing.Answers); 2*n > all {
		return nil, nil, fmt.Errorf("%d of %d tool results have no call before them: the record's dialect was probably misread", n, all)
	}
	open := missing(conv.Messages, pairing)
	if len(pairing.Orphans) == 0 && len(open) == 0 {
		return list, nil, nil
	}
	r := repairer{meter: m, conv: conv, pairing: pairing, list: list}
	return r.run(open)
}

// missing gives the calls that need an answer, by message: all unanswered ones but those in flight, which are the calls
// of the last turn when nothing but their fellows' results, system texts and unknown roles come after it.
func missing(messages []*formats.Message, pairing formats.Pairing) map[int][]*formats.ToolCall {
	open := map[int][]*formats.ToolCall{}
	for _, ref := range pairing.Open {
		if !ref.Call.Implicit && !inFlight(messages, pairing, ref.Message) {
			open[ref.Message] = append(open[ref.Message], ref.Call)
		}
	}
	return open
}

func inFlight(messages []*formats.Message, pairing formats.Pairing, caller int) bool {
	for _, m := range messages[caller+1:] {
		if m.Role == formats.RoleUser || m.Role == formats.RoleAssistant {
			return false
		}
		for _, r := range m.Results() {
			if ref, ok := pairing.Answers[r]; ok && ref.Message != caller {
				return false
			}
		}
	}
	return true
}

type repairer struct {
	meter   *Meter
	conv    *formats.Conversation
	pairing formats.Pairing
	list    []weighed
	out     []weighed
	actions []Action
}

func (r *repairer) run(open map[int][]*formats.ToolCall) ([]weighed, []Action, error) {
	orphans := map[*formats.ToolResult]bool{}
	for _, o := range r.pairing.Orphans {
		orphans[o.Result] = true
	}
	var waiting []*formats.ToolCall // stubs to be put behind the results that directly follow their call
	caller := -1
	for i, w := range r.list {
		if len(waiting) > 0 && !r.answers(w.msg, caller) {
			r.stub(waiting)
			waiting = nil
		}
		r.keep(w, orphans)
		if calls := open[i]; len(calls) > 0 {
			waiting, caller = calls, i
		}
	}
	r.stub(waiting)
	return r.out, r.actions, nil
}

// answers says whether a message holds results of the caller's calls.
func (r *repairer) answers(m *formats.Message, caller int) bool {
	for _, result := range m.Results() {
		if ref, ok := r.pairing.Answers[result]; ok && ref.Message == caller {
			return true
		}
	}
	return false
}

// keep copies a message without its orphans.
func (r *repairer) keep(w weighed, orphans map[*formats.ToolResult]bool) {
	gone := 0
	for i, p := range w.msg.Parts {
		if result, ok := p.(*formats.ToolResult); ok && orphans[result] {
			gone++
			r.actions = append(r.actions, Action{Kind: ActionRemove, Message: w.msg.Number, Tool: result.Name, Saved: w.parts[i]})
		}
	}
	switch {
	case gone == 0:
		r.out = append(r.out, w)
	case w.msg.Role == formats.RoleTool && gone == len(w.msg.Results()):
		// nothing of the turn answers anything: what stands around its results goes with them
	case gone < len(w.msg.Parts):
		m := w.msg.Clone()
		for i := len(w.msg.Parts) - 1; i >= 0; i-- {
			if result, ok := w.msg.Parts[i].(*formats.ToolResult); ok && orphans[result] {
				m.RemovePart(m.Parts[i])
			}
		}
		r.out = append(r.out, r.meter.weigh(m))
	}
}

// stub answers calls behind the last message: in the same message where the dialect puts all results of a turn there.
func (r *repairer) stub(calls []*formats.ToolCall) {
	if len(calls) == 0 {
		return
	}
	last := len(r.out) - 1
	turn, joined := r.out[last].msg.Clone(), false
	for _, call := range calls {
		action := Action{Kind: ActionStub, Message: turn.Number, Tool: call.Name}
		if r.conv.AddResult(turn, call, stubText) {
			joined = true
			action.Saved = -r.meter.part(turn.Parts[len(turn.Parts)-1])
		} else {
			m := r.conv.NewResult(call, stubText)
			m.Number = turn.Number
			w := r.meter.weigh(m)
			r.out = append(r.out, w)
			action.Saved = -w.total
		}
		r.actions = append(r.actions, action)
	}
	if joined {
		r.out[last] = r.meter.weigh(turn)
	}
}

// split finds earlier summaries, takes them off their messages and carries the numbers of the first original on.
func (c *Compressor) split(p *prepared) {
	p.list = make([]weighed, 0, len(p.whole))
	p.index = make([]int, 0, len(p.whole))
	var n numbering
	for i, w := range p.whole {
		s := c.splitMessage(p, w)
		n.see(s)
		if s.own.msg != nil {
			p.list = append(p.list, s.own)
			p.index = append(p.index, i)
		}
	}
}

// splitting is what an earlier summary leaves of its message.
type splitting struct {
	own   weighed // what the message says beside it; msg is nil when that is nothing
	found *summarize.Parsed
	front bool // the summary stands before the message's own text
}

func (c *Compressor) splitMessage(p *prepared, w weighed) splitting {
	m := w.msg
	if m.Marked {
		return splitting{found: p.addEarlier(m.Text(), m.Number, w.total)}
	}
	if m.Role == formats.RoleTool || m.Role == formats.RoleOther {
		return splitting{own: w}
	}
	for i, part := range m.Parts {
		t, ok := part.(*formats.Text)
		if !ok {
			continue
		}
		at, ok := summarize.Locate(t.Text)
		if !ok {
			continue
		}
		rest := len(t.Text) - (at.End - at.Start)
		if rest == 0 && len(m.Parts) == 1 {
			return splitting{found: p.addEarlier(at.Body, m.Number, w.total)}
		}
		m = m.Clone()
		if rest == 0 {
			m.RemovePart(m.Parts[i])
		} else {
			m.CutText(m.Parts[i].(*formats.Text), at.Start, at.End)
		}
		own := c.Meter.weigh(m)
		return splitting{own: own, found: p.addEarlier(at.Body, m.Number, w.total-own.total), front: at.Start == 0}
	}
	return splitting{own: w}
}

func (p *prepared) addEarlier(body string, number, tokens int) *summarize.Parsed {
	p.earlier = append(p.earlier, summarize.Earlier{Body: body, Message: number})
	p.earlierTokens += tokens
	parsed := summarize.Parse(body)
	return &parsed
}

// numbering gives messages the numbers they had in the first original: behind a summary that covers a–b the next one is
// b + 1, after the human message that was re-stated there.
type numbering struct {
	shift    int
	pending  bool // a summary was met, the next message sets the shift
	to       int  // the last number that summary covers
	restated int  // number of the human message that follows it, -1 for none
}

func (n *numbering) see(s splitting) {
	own := s.own.msg
	if s.found == nil || s.found.To <= 0 {
		n.assign(own)
		return
	}
	if !s.front {
		n.assign(own)
		own = nil
	}
	n.pending, n.to, n.restated = true, s.found.To, s.found.Restated
	n.assign(own)
}

func (n *numbering) assign(m *formats.Message) {
	switch {
	case m == nil:
	case n.pending && n.restated >= 0 && m.Role == formats.RoleUser:
		m.Number, n.restated = n.restated, -1
	case n.pending:
		n.shift, n.pending = n.to+1-m.Number, false
		fallthrough
	default:
		m.Number += n.shift
	}
}

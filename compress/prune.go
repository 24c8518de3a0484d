package compress

import (
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Limits of phase 1, in characters.
const (
	keepResult    = 200 // a result of at most this many characters stays
	keepArguments = 500 // so do arguments of at most this many
	keepLeaf      = 200 // and string leaves within longer ones
)

// pruning is what phase 1 would make of one message.
type pruning struct {
	with    weighed // the message, pruned; the same as before when there is nothing to prune
	actions []Action
	saved   int
}

// outputKey tells the same output of the same call.
type outputKey struct{ tool, arguments, text string }

// latestOutputs finds for every output that occurs more than once where it stands last.
func latestOutputs(p *prepared) map[outputKey]int {
	latest := map[outputKey]int{}
	for i, w := range p.list {
		for _, r := range w.msg.Results() {
			if len(r.Text) >= keepResult {
				latest[p.key(r)] = i
			}
		}
	}
	return latest
}

func (p *prepared) key(r *formats.ToolResult) outputKey {
	call := p.call(r)
	return outputKey{call.Name, call.Arguments, r.Text}
}

// call is the call that a result answers.
func (p *prepared) call(r *formats.ToolResult) formats.ToolCall {
	if ref, ok := p.pairing.Answers[r]; ok {
		return *ref.Call
	}
	return formats.ToolCall{Name: r.Name}
}

// prune gives message i of the list as phase 1 leaves it. Computed once.
func (c *Compressor) prune(p *prepared, i int) *pruning {
	if p.pruned[i] == nil {
		p.pruned[i] = c.pruneMessage(p, i)
	}
	return p.pruned[i]
}

func (c *Compressor) pruneMessage(p *prepared, i int) *pruning {
	w := p.list[i]
	result := &pruning{with: w}
	if c.Options.Prune == PruneOff {
		return result
	}
	for k, part := range w.msg.Parts {
		switch v := part.(type) {
		case *formats.ToolResult:
			text, kind := c.replacement(p, i, v)
			c.replace(result, w, k, kind, p.call(v).Name, text)
		case *formats.ToolCall:
			if v.Editable() && len(v.Arguments) > keepArguments && utf8.RuneCountInString(v.Arguments) > keepArguments {
				if json, ok := shortenArguments(v.Arguments); ok {
					c.replace(result, w, k, ActionArguments, v.Name, json)
				}
			}
		}
	}
	return result
}

// replace puts text in the place of part k when that saves tokens. The message is copied at its first change.
func (c *Compressor) replace(to *pruning, from weighed, k int, kind ActionKind, tool, text string) {
	if kind == "" {
		return
	}
	tokens := c.Meter.Counter.Count(text)
	call, isCall := from.msg.Parts[k].(*formats.ToolCall)
	if isCall {
		tokens += callTokens + c.Meter.Counter.Count(call.Name)
	}
	saved := from.parts[k] - tokens
	if saved <= 0 {
		return
	}
	if to.with.msg == from.msg {
		to.with.msg = from.msg.Clone()
		to.with.parts = append([]int(nil), from.parts...)
	}
	switch v := to.with.msg.Parts[k].(type) {
	case *formats.ToolResult:
		to.with.msg.SetResult(v, text)
	case *formats.ToolCall:
		to.with.msg.SetArguments(v, text)
	}
	to.with.parts[k] = tokens
	to.with.total -= saved
	to.saved += saved
	to.actions = append(to.actions, Action{Kind: kind, Message: from.msg.Number, Tool: tool, Saved: saved})
}

// replacement is what stands for a tool result outside the tail, and the kind of the replacement: "" for none.
func (c *Compressor) replacement(p *prepared, i int, r *formats.ToolResult) (string, ActionKind) {
	call := p.call(r)
	if !r.Editable() || c.keeps(call.Name) || c.keeps(r.Name) {
		return "", ""
	}
	length := utf8.RuneCountInString(r.Text)
	if length >= keepResult {
		if last := p.latest[p.key(r)]; last > i && last >= p.bounds.old {
			return backReference(p.list[last].msg, call, r), ActionBackref
		}
	}
	if length <= keepResult && r.Media == 0 {
		return "", ""
	}
	if c.Options.Prune == PrunePlaceholder {
		return summarize.Cleared, ActionClear
	}
	return describe(call, r), ActionDescribe
}

func (c *Compressor) keeps(tool string) bool {
	for _, name := range c.Options.KeepTools {
		if name == tool && name != "" {
			return true
		}
	}
	return false
}

// demote prunes the tool results of message i of the tail. One that an earlier copy refers to is no exception: sparing it
// would make the next run, which sees the reference and no copy, decide differently.
func (c *Compressor) demote(p *prepared, i int) *pruning {
	w := p.list[i]
	result := &pruning{with: w}
	if c.Options.Prune == PruneOff {
		return result
	}
	for k, part := range w.msg.Parts {
		r, ok := part.(*formats.ToolResult)
		if !ok {
			continue
		}
		text, kind := c.replacement(p, len(p.list), r)
		if kind != "" {
			c.replace(result, w, k, ActionDemote, p.call(r).Name, text)
		}
	}
	return result
}

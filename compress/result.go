package compress

import (
	"cmp"
	"slices"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Status is what became of one record. Exactly one holds. (`rejected` belongs to records that never reach an engine.)
type Status string

// The statuses, in the order in which reports list them.
const (
	Untouched   Status = "untouched"     // under the threshold, or no conversation
	NothingToDo Status = "nothing_to_do" // over it, but there is nothing to compact
	Pruned      Status = "pruned"        // old tool results cleared, no summary
	Summarized  Status = "summarized"
	NoGain      Status = "no_gain" // the result would not have been smaller
	Failed      Status = "failed"  // kept as it is, byte for byte
	Rejected    Status = "rejected"
)

// Statuses lists them all, in report order.
func Statuses() []Status {
	return []Status{Untouched, NothingToDo, Pruned, Summarized, NoGain, Failed, Rejected}
}

// Changed says whether a record of this status leaves with other bytes.
func (s Status) Changed() bool { return s == Pruned || s == Summarized }

// ActionKind is what was done to one place.
type ActionKind string

// The kinds.
const (
	ActionDescribe  ActionKind = "describe"      // an old tool result became one line
	ActionClear     ActionKind = "placeholder"   // an old tool result became the fixed text
	ActionBackref   ActionKind = "backreference" // an old tool result became a reference to the same later one
	ActionArguments ActionKind = "arguments"     // long arguments of an old call were shortened
	ActionDemote    ActionKind = "demote"        // a tool result inside the tail was pruned
	ActionRemove    ActionKind = "remove"        // a result without a call was removed
	ActionStub      ActionKind = "stub"          // a call without a result got one
	ActionSummarize ActionKind = "summarize"     // messages gave way to the summary
	ActionRestate   ActionKind = "restate"       // the last human message was re-stated after the summary
	ActionNote      ActionKind = "note"          // the note was appended to the system text
)

// Action is one thing that was done.
type Action struct {
	Kind    ActionKind `json:"kind"`
	Message int        `json:"message"`           // number of the (first) message
	Through int        `json:"through,omitempty"` // summarize: number of the last message
	Tool    string     `json:"tool,omitempty"`
	Saved   int        `json:"saved"` // tokens; negative when it cost some
}

// Tally says where the tokens of a conversation are.
type Tally struct {
	Tokens   int
	Messages int
	Role     [formats.RoleCount]int // tokens by role
	Tools    []ToolTokens           // tokens of results by tool, largest first, then by name
	Schema   int                    // tokens of the tool definitions, and the conversation's own 3
}

// ToolTokens is the tokens and the number of one tool's results.
type ToolTokens struct {
	Name    string
	Tokens  int
	Results int
}

// tally adds up weighed messages.
func tally(list []weighed, overhead int) Tally {
	t := Tally{Tokens: overhead, Schema: overhead, Messages: len(list)}
	names := toolNames(list)
	at := map[string]int{}
	for _, w := range list {
		t.Tokens += w.total
		t.Role[w.msg.Role] += w.total
		for i, p := range w.msg.Parts {
			r, ok := p.(*formats.ToolResult)
			if !ok {
				continue
			}
			name := r.Name
			if name == "" {
				name = names[r]
			}
			k, seen := at[name]
			if !seen {
				k = len(t.Tools)
				at[name] = k
				t.Tools = append(t.Tools, ToolTokens{Name: name})
			}
			t.Tools[k].Tokens += w.parts[i]
			t.Tools[k].Results++
		}
	}
	slices.SortFunc(t.Tools, func(a, b ToolTokens) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Name, b.Name))
	})
	return t
}

// toolNames finds the tool of results that do not carry its name, by the last call with their id.
func toolNames(list []weighed) map[*formats.ToolResult]string {
	names := map[*formats.ToolResult]string{}
	byID := map[string]string{}
	last := ""
	for _, w := range list {
		for _, p := range w.msg.Parts {
			switch v := p.(type) {
			case *formats.ToolCall:
				byID[v.ID], last = v.Name, v.Name
			case *formats.ToolResult:
				if v.Name != "" {
					continue
				}
				name, ok := byID[v.CallID]
				if v.CallID == "" || !ok {
					name = last
				}
				names[v] = name
			}
		}
	}
	return names
}

// Result is what an engine made of one conversation.
type Result struct {
	Status    Status
	OverLimit bool   // the output still exceeds the target
	Code      string // failed: "summary" or "summary_" and why there is none, "pairing", "internal"
	Reason    string // failed: in words

	// Messages of the output; nil unless Status.Changed(): then the record leaves as it came.
	Messages []*formats.Message

	Before, After Tally
	Budget        Budget
	Actions       []Action
	HeadShortened bool // the head gave up messages so that the turns alternate
	Summary       *SummaryInfo
}

// SummaryInfo is what the report says of a summary.
type SummaryInfo struct {
	From, To int // numbers of the messages it covers
	Role     formats.Role
	Tokens   int // of the whole text, frame included
	Budget   int // what it was allowed beside the frame
	Source   int // tokens of what it replaced
	Prose    summarize.Prose
}

// Saved adds up the tokens that actions of the given kinds saved.
func (r Result) Saved(kinds ...ActionKind) int {
	n := 0
	for _, a := range r.Actions {
		if slices.Contains(kinds, a.Kind) {
			n += a.Saved
		}
	}
	return n
}

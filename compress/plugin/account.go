package plugin

import (
	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
)

// account says what was done with a list: which messages gave way to what is new, and which were edited.
type account struct {
	meter  *compress.Meter
	before []*formats.Message
	result *compress.Result

	next    int            // the first message of before that is not accounted for
	added   int            // tokens of what is new and not yet set against what it stands for
	carrier []formats.Role // of the messages that hold it
}

// settle fills in status, actions and summary. origin is the place in before of each message of the result, -1 for a new
// one.
func (a *account) settle(origin []int) {
	a.result.Status = compress.Pruned
	for k, msg := range a.result.Messages {
		i := origin[k]
		if i < 0 {
			a.add(msg, a.meter.Messages([]*formats.Message{msg}))
			continue
		}
		grown := 0
		if msg != a.before[i] {
			grown = a.edited(a.before[i], msg)
		}
		if grown > 0 && i > a.next { // the summary stands in front of the message's own text
			a.add(msg, grown)
			grown = 0
		}
		if i > a.next {
			a.gave(i)
		}
		if a.next = i + 1; grown > 0 {
			a.add(msg, grown)
		}
	}
	if end := len(a.before); end > a.next || a.added > 0 {
		a.gave(end)
	}
}

func (a *account) add(msg *formats.Message, tokens int) {
	a.added += tokens
	a.carrier = append(a.carrier, msg.Role)
}

// gave says that the messages up to end gave way to what was added.
func (a *account) gave(end int) {
	gone := a.before[min(a.next, end):end]
	action := compress.Action{Kind: compress.ActionSummarize, Saved: a.meter.Messages(gone) - a.added}
	if len(gone) > 0 {
		action.Message, action.Through = gone[0].Number, gone[len(gone)-1].Number
	} else if end > 0 {
		action.Message, action.Through = a.before[end-1].Number, a.before[end-1].Number
	}
	a.result.Actions = append(a.result.Actions, action)
	if len(a.carrier) > 0 {
		a.result.Status = compress.Summarized
		if a.result.Summary == nil {
			a.result.Summary = &compress.SummaryInfo{From: action.Message, To: action.Through, Role: a.carrier[0],
				Tokens: a.added, Source: a.meter.Messages(gone)}
		}
	}
	a.added, a.carrier = 0, nil
}

// edited says what became of one message. A text of the user or the assistant that grew holds a summary now: by how many
// tokens is given back.
func (a *account) edited(was, is *formats.Message) (grown int) {
	saved := a.meter.Messages([]*formats.Message{was}) - a.meter.Messages([]*formats.Message{is})
	action := compress.Action{Kind: compress.ActionSummarize, Message: was.Number, Saved: saved}
	switch {
	case len(was.Results()) > 0:
		action.Kind, action.Tool = compress.ActionDescribe, was.Results()[0].Name
	case len(was.Calls()) > 0 && was.Text() == is.Text():
		action.Kind, action.Tool = compress.ActionArguments, was.Calls()[0].Name
	case was.Role == formats.RoleSystem:
		action.Kind = compress.ActionNote
	case saved < 0:
		return -saved
	default:
		action.Through = was.Number
	}
	a.result.Actions = append(a.result.Actions, action)
	return 0
}

package quality

import (
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Cut says where a replay ends the past of a conversation.
type Cut struct {
	At    int  // messages before the cut: an end of an atom
	Fires bool // compaction fires there; else it is the share of the messages that was asked for
}

// CutShare is where a conversation is cut in which compaction would never fire.
const CutShare = 0.6

// leastPast and leastFuture are how many messages must stand before and behind a cut.
const (
	leastPast   = 4
	leastFuture = 2
)

// FindCut finds the first end of an atom at which the conversation has at least threshold tokens, or, when there is none
// (or threshold is 0), the last one within the share of its messages. tokens are those of each message, overhead those of
// the rest. It says false when nothing of use lies on both sides: no tool call follows, or fewer than four messages precede.
func FindCut(messages []*formats.Message, tokens []int, overhead, threshold int, share float64) (Cut, bool) {
	last := lastCall(messages)
	sum := overhead
	atoms := formats.Pair(messages).Atoms
	byShare := Cut{At: -1}
	for _, a := range atoms {
		for i := a.Start; i < a.End; i++ {
			sum += tokens[i]
		}
		if a.End > last || a.End+leastFuture > len(messages) {
			break
		}
		if threshold > 0 && sum >= threshold {
			return Cut{At: a.End, Fires: true}, a.End >= leastPast
		}
		if float64(a.End) <= share*float64(len(messages)) {
			byShare.At = a.End
		}
	}
	return byShare, byShare.At >= leastPast
}

// lastCall is the last message that calls a tool, -1 for none.
func lastCall(messages []*formats.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if len(messages[i].Calls()) > 0 {
			return i
		}
	}
	return -1
}

// Steps are the ends of atoms nearest below equal parts of the first at messages: where a replay compacts on its way to
// the cut. The last one is at itself.
func Steps(messages []*formats.Message, at, n int) []int {
	atoms := formats.Pair(messages[:at]).Atoms
	var steps []int
	for k := 1; k < n; k++ {
		want, end := at*k/n, 0
		for _, a := range atoms {
			if a.End <= want {
				end = a.End
			}
		}
		if end > 0 && (len(steps) == 0 || end > steps[len(steps)-1]) {
			steps = append(steps, end)
		}
	}
	return append(steps, at)
}

// Recorded is a compaction that a session log carries itself: what stood before it, what the log kept in its place, and
// what the agent did next.
type Recorded struct {
	Before []*formats.Message
	After  []*formats.Message
	Future []*formats.Message
}

// FindRecorded finds the compactions that a log carries: summaries behind the messages that they speak for, marked by the
// log's format or saying themselves which messages they cover. (Any other summary is what an earlier run left in place of
// messages that are gone.) The messages up to the next turn of the assistant are the output; what follows is the future.
// Messages that the agent kept beside the summary are not told apart in such a log: it is the summary alone that counts.
func FindRecorded(messages []*formats.Message) []Recorded {
	var list []Recorded
	start := 0
	for i, m := range messages {
		if m.Role == formats.RoleSystem || i-start < leastPast || !speaksFor(m, i) {
			continue
		}
		r := Recorded{Before: messages[start:i]}
		r.After = leadingSystem(r.Before)
		end := i
		for end < len(messages) && messages[end].Role != formats.RoleAssistant {
			end++
		}
		r.After = append(r.After, messages[i:end]...)
		r.Future = untilSummary(messages[end:])
		list = append(list, r)
		start = i
	}
	return list
}

// speaksFor says whether m, message i, is a summary of messages before it that are still there.
func speaksFor(m *formats.Message, i int) bool {
	body, ok := summaryIn(m)
	if !ok || m.Marked {
		return ok
	}
	to := summarize.Parse(body).To
	return to >= 0 && to < i
}

func leadingSystem(messages []*formats.Message) []*formats.Message {
	n := 0
	for n < len(messages) && messages[n].Role == formats.RoleSystem {
		n++
	}
	return messages[:n:n]
}

// untilSummary is the messages before the next recorded compaction.
func untilSummary(messages []*formats.Message) []*formats.Message {
	for i, m := range messages {
		if _, ok := summaryIn(m); ok {
			return messages[:i]
		}
	}
	return messages
}

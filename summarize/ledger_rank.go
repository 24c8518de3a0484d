package summarize

import (
	"math"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// Weights of one use of an identifier, before recency. Chosen on half of the public transcripts named in the package's
// tests and checked on the other half: future tool calls repeat what earlier inputs named, most of all what was written.
const (
	weightWritten = 4.0
	weightRead    = 2.0
	weightInput   = 1.0
	weightSaid    = 0.5 // by the assistant
	weightHuman   = 0.7
	weightOutput  = 0.12
	weightEarlier = 1.0  // an entry of an earlier summary
	weightCarried = 0.6  // the first name in a section of one
	carriedHalf   = 60   // the name that weighs half as much
	leastScore    = 0.02 // below: named once in an old output, or shown by head or tail
	besideTail    = 0.02 // factor for what head or tail show anyway
	halfLife      = 0.35 // of the middle, after which a use counts half
)

// noNumber is the number of a name that only the prose of an earlier summary holds: it cannot stand in the ledger.
const noNumber = -1

// maxIdentifiers bounds the candidates of one conversation: later newcomers in outputs are not taken up.
const maxIdentifiers = 1 << 17

type candidate struct {
	Entry
	score  float64
	seen   int // message that was counted last
	best   float64
	beside bool // head or tail show it
}

// ranking collects candidates by value.
type ranking struct {
	index map[string]int
	list  []candidate // in order of first occurrence
	at    int         // ordinal of the message being read
	now   float64     // recency of that message: 1 is the newest
}

// newRanking has room for as many names as messages are likely to hold: one in 100 to 200 bytes.
func newRanking(messages []*formats.Message) *ranking {
	size := 0
	for _, m := range messages {
		texts(m, func(_ byte, text string) { size += len(text) })
	}
	names := min(size/128, 1<<13)
	return &ranking{index: make(map[string]int, names), list: make([]candidate, 0, names)}
}

func (r *ranking) add(kind EntryKind, value string, number int, weight float64) {
	i, ok := r.index[value]
	if !ok {
		if len(r.list) >= maxIdentifiers && weight <= weightOutput {
			return
		}
		i = len(r.list)
		r.index[value] = i
		r.list = append(r.list, candidate{Entry: Entry{kind, value, number}, seen: -1})
	}
	c := &r.list[i]
	if kind < c.Kind || !kind.listed() && c.Kind.listed() {
		c.Kind = kind
	}
	c.Number = max(c.Number, number)
	if c.seen != r.at {
		c.seen, c.best = r.at, 0
	}
	if weight > c.best { // one message counts once, by its strongest use
		c.score += (weight - c.best) * r.now
		c.best = weight
	}
}

// rankEntries collects and ranks everything that could stand in the ledger: by use in the inputs of calls, recency,
// frequency, written over read; what head or tail show anyway ranks lower. Ties by first occurrence.
func rankEntries(req Request, earlier []Parsed) []Entry {
	messages := req.Messages()
	r := newRanking(messages)
	for _, p := range earlier {
		r.now = 0.4 // older than every message of the middle's newer half
		for _, e := range p.Ledger {
			r.at--
			r.add(e.Kind, e.Value, e.Number, weightEarlier*priority(e.Kind))
		}
		r.at--
		for _, s := range p.Sections {
			k := 0.0 // names stand in the order of their rank
			Identifiers(s.Text, func(id string, kind IdentifierKind) {
				r.add(kindOf(kind), id, noNumber, weightCarried/(1+k/carriedHalf))
				k++
			})
		}
	}
	r.messages(messages)
	r.actions(req.Actions, len(messages), firstNumber(messages))
	r.beside(req)
	return r.best()
}

// best gives the candidates that score enough and can be written, best first.
func (r *ranking) best() []Entry {
	type place struct { // little to move while sorting
		score float64
		at    int // in list: order of first occurrence
	}
	places := make([]place, 0, len(r.list))
	for i := range r.list {
		if c := &r.list[i]; c.score >= leastScore && fitsLedger(c.Kind, c.Value) {
			places = append(places, place{c.score, i})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return a.at - b.at
	})
	entries := make([]Entry, min(len(places), maxCandidates))
	for i := range entries {
		entries[i] = r.list[places[i].at].Entry
	}
	return entries
}

func priority(kind EntryKind) float64 {
	switch kind {
	case EntryWritten:
		return weightWritten
	case EntryRead:
		return weightRead
	}
	return 1
}

func firstNumber(messages []*formats.Message) int {
	if len(messages) == 0 {
		return 0
	}
	return messages[0].Number
}

// recency of message i of n: 1 for the newest.
func recency(i, n int) float64 {
	return math.Pow(0.5, float64(n-1-i)/(halfLife*float64(n)+8))
}

// messages counts the identifiers of every text.
func (r *ranking) messages(messages []*formats.Message) {
	for i, m := range messages {
		r.at, r.now = i+1, recency(i, len(messages))
		texts(m, func(what byte, text string) {
			weight := weightOf(what, m)
			scan(text, func(start, end int, kind IdentifierKind) {
				if what == 'o' && end+1 < len(text) && text[end] == '"' && text[end+1] == ':' {
					return // a key of JSON output
				}
				r.add(kindOf(kind), text[start:end], m.Number, weight)
			})
		})
	}
}

func weightOf(what byte, m *formats.Message) float64 {
	switch {
	case what == 'a':
		return weightSaid
	case what == 'u' && formats.Human(m):
		return weightHuman
	}
	return weightOutput
}

// actions counts what calls wrote, read, were given and ran.
func (r *ranking) actions(actions []Action, n, first int) {
	newest := map[string]int{} // an error is stale once the same command ran again
	for i := range actions {
		if actions[i].Verb == Run {
			newest[actions[i].Key] = i
		}
	}
	for i, a := range actions {
		r.at, r.now = n+1+a.Number, recency(min(n-1, max(0, a.Number-first)), n)
		input := a.Input
		if a.Verb == Plan {
			input = ""
			for _, item := range a.Items() {
				input += item.Text + "\n"
			}
		}
		Identifiers(input, func(id string, kind IdentifierKind) { r.add(kindOf(kind), id, a.Number, weightInput) })
		for _, p := range a.Written {
			r.add(EntryWritten, p, a.Number, weightWritten)
		}
		for _, p := range a.Read {
			r.add(EntryRead, p, a.Number, weightRead)
		}
		switch {
		case a.Verb == Run && a.Command != "":
			if !strings.Contains(a.Command, "\n") && len(a.Command) <= maxListed && a.Notable {
				r.add(EntryCommand, a.Command, a.Number, weightInput)
			}
		case a.Verb == Look || a.Verb == Other:
			for _, arg := range a.Args {
				if value := arg.Key + "=" + arg.Value; len(arg.Value) >= 2 && len(arg.Value) <= 40 && arg.Key != "" && !strings.ContainsAny(arg.Value, " \n") {
					r.add(EntryValue, value, a.Number, weightInput)
				}
			}
		}
		if a.Failed && a.Error != "" && (a.Verb != Run || newest[a.Key] == i) {
			r.add(EntryError, a.Error, a.Number, weightInput/2)
		}
	}
}

// beside makes what head and tail show anyway rank lower.
func (r *ranking) beside(req Request) {
	lower := func(id string, _ IdentifierKind) {
		if i, ok := r.index[id]; ok && !r.list[i].beside {
			r.list[i].beside = true
			r.list[i].score *= besideTail
		}
	}
	for _, side := range [...][]*formats.Message{req.Head, req.Tail} {
		for _, m := range side {
			texts(m, func(_ byte, text string) { Identifiers(text, lower) })
			for _, c := range m.Calls() {
				Identifiers(arguments(c.Arguments).text, lower)
			}
		}
	}
	if req.Restated != nil {
		Identifiers(req.Restated.Text(), lower)
	}
}

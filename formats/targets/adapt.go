package targets

import (
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// Change is one thing that Adapt did.
type Change struct {
	Kind    string // one of the kinds below
	Message int    // index among the messages that were given
}

// The kinds of change. None loses a word of what a message says, and none adds one but the label of a folded system text.
const (
	ChangeRole      = "role_name"   // a role got the name that the target knows
	ChangeMove      = "move_result" // a result was moved behind its call
	ChangeSystem    = "fold_system" // a later system text joined a user's turn
	ChangeJoin      = "join_turns"  // a turn was joined with the one before it
	ChangeArguments = "arguments"   // arguments are spelled as an object, or as a string
	ChangeMask      = "mask"        // a summary by the assistant is marked as nothing to learn, or unmarked for an API
)

// SystemLabel stands in front of a system text that joined a user's turn.
const SystemLabel = "[System message]\n"

// Adapt gives messages that the target takes, as far as that is possible without losing or making up anything. What the
// target takes already stays as it is, but for the mask of a summary. c is the record that messages belong to; it and
// messages stay as they are. summary says which messages hold a summary of ctxpack's. The result may still be refused:
// Check says so.
func (t Target) Adapt(c *formats.Conversation, messages []*formats.Message, summary func(*formats.Message) bool) ([]*formats.Message, []Change) {
	a := &adapter{dialect: c.Dialect, summary: summary}
	if c.Spelled != "" {
		a.dialect = c.Spelled
	}
	for i, m := range messages {
		a.list = append(a.list, placed{m, i})
	}
	if len(t.Check(Record{Conversation: c.With(messages), Payload: c.With(messages).Bytes(), Parquet: true})) > 0 {
		a.carryOut(t.steps)
	}
	if t.mask != nil {
		t.mask(a)
	}
	out := make([]*formats.Message, len(a.list))
	for i, p := range a.list {
		out[i] = p.Message
	}
	return out, a.changes
}

// placed is a message and the index that it, or the first of those it was joined from, had.
type placed struct {
	*formats.Message
	from int
}

// adapter carries out the steps of a target.
type adapter struct {
	dialect string
	summary func(*formats.Message) bool
	list    []placed
	changes []Change
}

// rounds is how often the steps are carried out at most. A step may make work for one before it: turns become neighbours
// when what stood between them joins another.
const rounds = 4

func (a *adapter) carryOut(steps []func(*adapter)) {
	for range rounds {
		done := len(a.changes)
		for _, step := range steps {
			step(a)
		}
		if len(a.changes) == done {
			return
		}
	}
}

func (a *adapter) changed(kind string, i int) {
	a.changes = append(a.changes, Change{kind, a.list[i].from})
}

// edit gives message i as a copy that may be edited.
func (a *adapter) edit(i int) *formats.Message {
	m := a.list[i].Clone()
	a.list[i].Message = m
	return m
}

// messages are the messages as they are now.
func (a *adapter) messages() []*formats.Message {
	list := make([]*formats.Message, len(a.list))
	for i, p := range a.list {
		list[i] = p.Message
	}
	return list
}

// moveResults puts messages that are nothing but results of one turn behind that turn, in their order.
func moveResults(a *adapter) {
	pairs := formats.Pair(a.messages())
	behind := make([][]placed, len(a.list)) // by the message that makes the calls
	var moved []int
	for i, p := range a.list {
		caller := callerOf(pairs, p.Message)
		if caller < 0 {
			continue
		}
		if i-caller-1 > len(behind[caller]) { // something else stands in between
			moved = append(moved, p.from)
		}
		behind[caller] = append(behind[caller], p)
	}
	if len(moved) == 0 {
		return
	}
	list := make([]placed, 0, len(a.list))
	for i, p := range a.list {
		if callerOf(pairs, p.Message) < 0 {
			list = append(list, p)
		}
		list = append(list, behind[i]...)
	}
	a.list = list
	for _, i := range moved {
		a.changes = append(a.changes, Change{ChangeMove, i})
	}
}

// callerOf is the message, by its first index, whose calls are all that m answers: -1 for none, or when m says anything else.
func callerOf(pairs formats.Pairing, m *formats.Message) int {
	caller := -1
	if m.Role != formats.RoleTool {
		return caller
	}
	for _, p := range m.Parts {
		r, ok := p.(*formats.ToolResult)
		if !ok {
			return -1
		}
		ref, ok := pairs.Answers[r]
		if !ok || caller >= 0 && ref.Message != caller {
			return -1
		}
		caller = ref.Message
	}
	return caller
}

// foldSystem takes system texts behind the first turn out of the way of targets that know them in front only. Such a text
// joins the user's turn before it, else the one behind it, else the nearest before, else the nearest behind. Several in
// front become one.
func foldSystem(a *adapter) {
	for len(a.list) > 1 && a.list[0].Role == formats.RoleSystem && a.list[1].Role == formats.RoleSystem {
		m := a.joined(0)
		if m == nil {
			break
		}
		a.changed(ChangeJoin, 1)
		a.list[0].Message = m
		a.list = slices.Delete(a.list, 1, 2)
	}
	fronts, backs := make([][]string, len(a.list)), make([][]string, len(a.list)) // texts for each message
	hosts := a.hosts()
	for i, host := range hosts {
		switch text := SystemLabel + a.list[i].Text(); {
		case host.to < 0:
			continue
		case host.front:
			fronts[host.to] = append(fronts[host.to], text)
		default:
			backs[host.to] = append(backs[host.to], text)
		}
		a.changed(ChangeSystem, i)
	}
	list := make([]placed, 0, len(a.list))
	for i, p := range a.list {
		if hosts[i].to >= 0 {
			continue
		}
		if text := strings.Join(fronts[i], "\n\n"); text != "" {
			p.Message = a.edit(i)
			p.AddText(text+"\n\n", true)
		}
		if text := strings.Join(backs[i], "\n\n"); text != "" {
			p.Message = a.edit(i)
			if p.OwnText() != "" {
				text = "\n\n" + text
			}
			p.AddText(text, false)
		}
		list = append(list, p)
	}
	a.list = list
}

// host is the user's turn that takes a system text, to is -1 for none. front says that the text stands before what the user
// says. In front of a summary nothing may stand: it would not be found again; and a notice stays one that is no person's.
type host struct {
	to    int
	front bool
}

// hosts finds where each message goes that is a later system text; to is -1 for all others.
func (a *adapter) hosts() []host {
	n := len(a.list)
	list := make([]host, n)
	folds, behind := make([]bool, n), make([]int, n) // the next user's turn, n for none
	between := make([]int, n+1)                      // how many messages before each one are neither of both
	for i, p := range a.list {
		folds[i] = i > 0 && p.Role == formats.RoleSystem && !p.Outside && plain(p.Message)
		if between[i+1] = between[i]; !folds[i] && !a.isUsers(i) {
			between[i+1]++
		}
	}
	for i, next := n-1, n; i >= 0; i-- {
		if behind[i] = next; a.isUsers(i) {
			next = i
		}
	}
	before := -1
	for i := range a.list {
		list[i].to = -1
		if a.isUsers(i) {
			before = i
		}
		if !folds[i] {
			continue
		}
		next := behind[i] < n && between[behind[i]] == between[i]
		switch {
		case before >= 0 && (between[i] == between[before] || !next):
			list[i].to = before
		case behind[i] < n:
			m := a.list[behind[i]].Message
			list[i] = host{behind[i], formats.Human(m) && !a.summary(m)}
		}
	}
	return list
}

// plain says that a message is one text and carries nothing beside it and its role.
func plain(m *formats.Message) bool {
	if len(m.Parts) != 1 {
		return false
	}
	if _, ok := m.Parts[0].(*formats.Text); !ok {
		return false
	}
	o := object(m)
	for key := range o.Keys() {
		if o.Has(key) && !slices.Contains([]string{"role", "from", "content", "value"}, key) {
			return false
		}
	}
	return true
}

// isUsers says that message i is a user's turn that can take a text.
func (a *adapter) isUsers(i int) bool {
	m := a.list[i].Message
	return m.Role == formats.RoleUser || a.dialect == "anthropic" && m.RoleName == "user"
}

// joinTurns joins neighbours that side says are of one side: pairs, then pairs of those, so that a long run takes no more
// than its length times the logarithm of it.
func joinTurns(side func(a, b *formats.Message) bool) func(*adapter) {
	return func(a *adapter) {
		for more := true; more; {
			more = false
			list := make([]placed, 0, len(a.list))
			for i := 0; i < len(a.list); i++ {
				p := a.list[i]
				if i+1 < len(a.list) && side(p.Message, a.list[i+1].Message) {
					if m := a.joined(i); m != nil {
						a.changed(ChangeJoin, i+1)
						p.Message, more = m, true
						i++
					}
				}
				list = append(list, p)
			}
			a.list = list
		}
	}
}

// joined is messages i and i+1 as one, nil where that is not possible. A summary must stay where it is found again: at the
// start of its text.
func (a *adapter) joined(i int) *formats.Message {
	if a.summary(a.list[i+1].Message) {
		return nil
	}
	return formats.Join(a.list[i].Message, a.list[i+1].Message)
}

// sameRole, sameSide and sameName are what targets do not want next to each other. LLaMA-Factory counts observations on the
// side of people; in ShareGPT several in a row are one turn to it.
func sameRole(a, b *formats.Message) bool {
	return a.Role == b.Role && (a.Role == formats.RoleUser || a.Role == formats.RoleAssistant)
}

func sameSide(a, b *formats.Message) bool {
	return sameRole(a, b) || a.Role == formats.RoleTool && b.Role == formats.RoleTool
}

func sameName(a, b *formats.Message) bool { return a.RoleName == b.RoleName }

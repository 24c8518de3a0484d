package compress

import "github.com/ctxpack/ctxpack/formats"

// slot is all that boundary arithmetic knows of a message.
type slot struct {
	role   formats.Role
	tokens int
	human  bool // a human message: neither tool result, summary nor synthetic notice
	pinned bool // must stay where it is: never in the middle
	parted bool // an earlier summary stood between it and a turn of the same role
}

// bounds cuts a conversation: [0, head) is the protected start, [head, tail) the middle, [tail, n) the protected end.
// Every one of them is a boundary between atoms.
type bounds struct {
	head, tail int
	anchor     int // the last human message when it stands in the middle, else -1
	old        int // messages before it are old: where the tail begins, or would begin inside the head
}

// cut finds the bounds.
//
// Head: every leading system message, plus messages up to protectFirst counting those, to the end of the atom; two turns
// that an earlier summary parted are not both in it, because the new one may go elsewhere.
// The last pinned message stretches the head to itself, wherever it stands: a compacted conversation, whose tail may reach
// further back, must be cut at the same place.
//
// Tail: backwards over atoms, one is taken while the tail stays within tailTokens or has fewer than protectLast messages;
// the walk stops at the head. (Where it would go on into the head, those messages are still too young to be pruned.)
func cut(slots []slot, atoms []formats.Atom, protectFirst, protectLast, tailTokens int) bounds {
	b := bounds{head: headEnd(slots, atoms, protectFirst), old: len(slots), anchor: -1}
	b.head = behindPinned(slots, atoms, b.head, len(slots))
	tokens := 0
	for i := len(atoms) - 1; i >= 0; i-- {
		tokens += tokensIn(slots, atoms[i].Start, atoms[i].End)
		if tokens > tailTokens && len(slots)-b.old >= protectLast {
			break
		}
		b.old = atoms[i].Start
	}
	b.tail = max(b.head, b.old)
	h := lastHuman(slots)
	for i := len(atoms) - 1; i >= 0 && b.inMiddle(h); i-- {
		if atoms[i].Start >= b.tail {
			continue
		}
		// h is re-stated in front of the tail: a user turn there (a notice) would become its neighbour, so the tail
		// takes one more atom.
		if first, _ := firstTurn(slots, b.tail); first != formats.RoleUser {
			break
		}
		b.tail, b.old = atoms[i].Start, atoms[i].Start
	}
	if b.inMiddle(h) {
		b.anchor = h
	}
	return b
}

func (b bounds) inMiddle(i int) bool { return i >= b.head && i < b.tail }

// behindPinned is the end of the atom of the last pinned message in slots[head:end), or head where there is none: a head
// that is as long as that holds them all.
func behindPinned(slots []slot, atoms []formats.Atom, head, end int) int {
	for _, a := range atoms {
		for i := max(a.Start, head); i < min(a.End, end); i++ {
			if slots[i].pinned {
				head = a.End
			}
		}
	}
	return head
}

func headEnd(slots []slot, atoms []formats.Atom, protectFirst int) int {
	lead := leadingSystem(slots)
	want := max(lead, min(protectFirst, len(slots)))
	for _, a := range atoms {
		if a.Start >= want || slots[a.Start].parted {
			return a.Start
		}
	}
	if want == 0 {
		return 0
	}
	return len(slots)
}

func leadingSystem(slots []slot) int {
	n := 0
	for n < len(slots) && slots[n].role == formats.RoleSystem {
		n++
	}
	return n
}

func lastHuman(slots []slot) int {
	for i := len(slots) - 1; i >= 0; i-- {
		if slots[i].human {
			return i
		}
	}
	return -1
}

func tokensIn(slots []slot, from, to int) int {
	n := 0
	for _, s := range slots[from:to] {
		n += s.tokens
	}
	return n
}

// turnRole is the role that counts when turns alternate: system and unknown roles are looked past.
func turnRole(r formats.Role) bool {
	return r == formats.RoleUser || r == formats.RoleAssistant || r == formats.RoleTool
}

// lastTurn is the last turn in slots[:end], and where it stands: RoleOther and -1 for none.
func lastTurn(slots []slot, end int) (formats.Role, int) {
	for i := end - 1; i >= 0; i-- {
		if turnRole(slots[i].role) {
			return slots[i].role, i
		}
	}
	return formats.RoleOther, -1
}

// firstTurn is the first turn in slots[start:], and where it stands: RoleOther and -1 for none.
func firstTurn(slots []slot, start int) (formats.Role, int) {
	for i := start; i < len(slots); i++ {
		if turnRole(slots[i].role) {
			return slots[i].role, i
		}
	}
	return formats.RoleOther, -1
}

// placing is where a summary goes.
type placing uint8

const (
	ownUser      placing = iota // a user message of its own
	ownAssistant                // an assistant message of its own
	mergeFront                  // in front of the text of the first message after it
	appendHead                  // behind the text of the last message of the head
	retreat                     // nowhere: the head must give up messages first
)

// place reads the placement table (compaction.md, section 8): head is the last turn before the summary, next the first
// one after it; RoleOther stands for none. With it no two turns of one role become neighbours, no user turn follows a
// tool result, and no text enters an assistant message that has calls.
func place(head, next formats.Role) placing {
	user := next == formats.RoleUser
	if next == formats.RoleOther { // nothing follows: the summary is the other side's turn
		user = head == formats.RoleUser || head == formats.RoleTool
	}
	switch head {
	case formats.RoleAssistant:
		if next == formats.RoleUser {
			return mergeFront
		}
		return ownUser
	case formats.RoleUser:
		if user {
			return ownAssistant
		}
		return appendHead
	case formats.RoleTool:
		if user {
			return ownAssistant
		}
		return retreat
	}
	if next == formats.RoleUser {
		return mergeFront
	}
	return ownUser
}

// placeAs is place for a summary whose role is forced. As a user's it joins a neighbouring user message where there is
// one; as an assistant's it stands alone. It may follow a tool result or another assistant message: who forces a role
// says that the reader does not mind.
func placeAs(role string, head, next formats.Role) placing {
	switch {
	case role == formats.RoleAssistant.String():
		return ownAssistant
	case next == formats.RoleUser:
		return mergeFront
	case head == formats.RoleUser:
		return appendHead
	}
	return ownUser
}

// shorten gives up the end of a head that ends in a tool result: it retreats to its last human message that is an atom
// of its own, else to the leading system messages.
func shorten(slots []slot, atoms []formats.Atom, head int) int {
	for i := len(atoms) - 1; i >= 0; i-- {
		a := atoms[i]
		if a.End <= head && a.Len() == 1 && slots[a.Start].human {
			return a.End
		}
	}
	return leadingSystem(slots)
}

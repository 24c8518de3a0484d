package replay

import (
	"hash/fnv"
	"time"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/promptcost"
	"github.com/ctxpack/ctxpack/formats"
)

// Caching is what the calls cost with and without prompt caching: as they were replayed, and had nothing been compacted.
type Caching struct {
	Compacted   promptcost.Account `json:"compacted"`
	Uncompacted promptcost.Account `json:"uncompacted"`
}

// account follows the prompts of one way to run. A nil account follows nothing.
type account struct {
	session *promptcost.Session
	sent    []promptcost.Block // the prompt of the call before
	pending promptcost.Call
}

func newAccount(m promptcost.Model) *account { return &account{session: m.NewSession()} }

// prompt notes what the next call sends.
func (a *account) prompt(blocks []promptcost.Block) {
	if a == nil {
		return
	}
	keep := 0
	for keep < len(a.sent) && keep < len(blocks) && a.sent[keep].ID == blocks[keep].ID {
		keep++
	}
	a.pending = promptcost.Call{Keep: keep, Blocks: blocks[keep:]}
	a.sent = blocks
}

// answer completes the call.
func (a *account) answer(output int, at *time.Time) {
	if a == nil {
		return
	}
	a.pending.Output = output
	if at != nil {
		a.pending.At = *at
	}
	a.session.Add(a.pending)
}

func (a *account) total() promptcost.Account {
	if a == nil {
		return promptcost.Account{}
	}
	return a.session.Total()
}

// frame is the block of what stands before the messages: the tools, and what a conversation itself costs.
func frame(c *formats.Conversation, overhead int) promptcost.Block {
	return promptcost.Block{ID: identity([]byte(c.Tools)), Tokens: overhead, System: true}
}

// block is a message as a prompt's cache sees it.
func block(m *formats.Message, size compress.Size) promptcost.Block {
	return promptcost.Block{
		ID: identity(m.Bytes()), Tokens: size.Total, System: m.Role == formats.RoleSystem, Positions: positions(m),
	}
}

func identity(data []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(data) // never fails
	return h.Sum64()
}

// positions counts content blocks: a run of calls is one, and so is a run of results.
func positions(m *formats.Message) int {
	n, last := 0, ""
	for _, p := range m.Parts {
		kind := ""
		switch p.(type) {
		case *formats.ToolCall:
			kind = "call"
		case *formats.ToolResult:
			kind = "result"
		}
		if kind == "" || kind != last {
			n++
		}
		last = kind
	}
	return n
}

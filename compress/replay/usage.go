package replay

import (
	"fmt"

	"github.com/ctxpack/ctxpack/formats"
)

// usage is what the transcript's provider said last. It speaks of the transcript's own window: once the agent that wrote
// the transcript compacted (a summary is marked, or a prompt is less than half of the one before), it says nothing of
// ours any more, and tokens are counted from there on.
type usage struct {
	last  formats.Reported
	any   bool
	ended int // number of the message from which it is not used any more; 0 while it is
}

// see takes in message i.
func (u *usage) see(i int, m *formats.Message, r formats.Reported) {
	switch {
	case u.ended > 0:
	case m.Marked && i > 0, r.HasUsage() && u.any && 2*r.Prompt < u.last.Prompt:
		u.ended = max(i, 1)
	case r.HasUsage():
		u.last, u.any = r, true
	}
}

// known is the last count that still speaks of the window.
func (u *usage) known() (formats.Reported, bool) { return u.last, u.any && u.ended == 0 }

// String is Timeline.Usage.
func (u *usage) String() string {
	switch {
	case !u.any:
		return "counted"
	case u.ended > 0:
		return fmt.Sprintf("reported until message %d", u.ended)
	}
	return "reported"
}

package replay

import (
	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/promptcost"
	"github.com/ctxpack/ctxpack/formats"
)

// window is what the model has before it.
type window struct {
	messages []*formats.Message
	blocks   []promptcost.Block // the frame's, and one for each message
	tokens   int                // overhead included
	rough    int
}

func (w *window) add(m *formats.Message, size compress.Size, rough int) {
	w.messages = append(w.messages, m)
	w.blocks = append(w.blocks, block(m, size))
	w.tokens += size.Total
	w.rough += rough
}

// clones are copies for an engine, which uses up what it is given; numbered by their places, as those of a file are.
func (w *window) clones() []*formats.Message {
	list := make([]*formats.Message, len(w.messages))
	for i, m := range w.messages {
		list[i] = m.Clone()
		list[i].Number = i
	}
	return list
}

// replace puts what a compaction left in the window.
func (w *window) replace(messages []*formats.Message, overhead, rough int, meter, estimate *compress.Meter) {
	*w = window{tokens: overhead, rough: rough, messages: make([]*formats.Message, 0, 2*len(messages)), blocks: []promptcost.Block{w.blocks[0]}}
	for _, m := range messages {
		w.add(m, meter.Size(m), estimate.Size(m).Total)
	}
}

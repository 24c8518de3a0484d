package quality

import "github.com/ctxpack/ctxpack/compress"

// Row is one conversation, measured: a line of `eval --rows`.
type Row struct {
	File  string `json:"file"`
	Line  int64  `json:"line,omitempty"` // 1-based; 0 where lines mean nothing
	Index int64  `json:"index"`          // 0-based
	ID    string `json:"id,omitempty"`

	Key     string `json:"key"`               // SHA-256 of the canonical input: what rows of two runs are paired by
	Cluster string `json:"cluster,omitempty"` // the conversation that several rows come from; "" is Key

	Status       compress.Status    `json:"status"`
	Fired        bool               `json:"fired"` // a compaction happened
	TokensBefore int                `json:"tokens_before"`
	TokensAfter  int                `json:"tokens_after"`
	Cut          int                `json:"cut,omitempty"` // replay: messages before the cut
	Metrics      map[string]float64 `json:"metrics"`       // the known ones
	Breaches     []Breach           `json:"breaches,omitempty"`
	Error        string             `json:"error,omitempty"` // the row could not be measured

	// What is behind the figures, the first of each.
	Missed    []string `json:"missed,omitempty"`    // of future_recall
	Invented  []string `json:"invented,omitempty"`  // of novel_identifiers and novel_numbers
	Misquoted []string `json:"misquoted,omitempty"` // of quote_fidelity
}

// exampleCount is how many examples of each kind a row carries, exampleBytes how long one may be.
const (
	exampleCount = 10
	exampleBytes = 200
)

// Fill measures the case into the row: metrics, and examples of what was lost and invented.
func (r *Row) Fill(c *Case) {
	r.Fired, r.TokensBefore, r.TokensAfter = c.Fired(), c.Sizes.Before, c.Sizes.After
	r.Metrics = c.Measure()
	if !r.Fired {
		return
	}
	if v, ok := r.Metrics["future_recall"]; ok && v < 1 {
		r.Missed = examples(FutureMissed(c.Pair, c.Future))
	}
	n := c.novelty()
	r.Invented = examples(append(n.newIdentifiers[:len(n.newIdentifiers):len(n.newIdentifiers)], n.newNumbs...))
	if v, ok := r.Metrics["quote_fidelity"]; ok && v < 1 {
		r.Misquoted = examples(Misquoted(c.Pair))
	}
}

func examples(list []string) []string {
	list = list[:min(len(list), exampleCount)]
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = clipped(text)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func clipped(text string) string {
	if len(text) <= exampleBytes {
		return text
	}
	end := exampleBytes
	for end > 0 && text[end]&0xC0 == 0x80 {
		end--
	}
	return text[:end] + "…"
}

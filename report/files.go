package report

import "github.com/ctxpack/ctxpack/compress"

// FileTotals is the report of one input in short.
type FileTotals struct {
	Conversations int64 `json:"conversations"`
	TokensBefore  int64 `json:"tokens_before"`
	TokensAfter   int64 `json:"tokens_after"`
	Compacted     int64 `json:"compacted"` // pruned or summarized
	Rejected      int64 `json:"rejected"`
	Failed        int64 `json:"failed"`
	OverLimit     int64 `json:"over_limit"`
}

// file adds a row to the totals of its file.
func (b *Builder) file(row *Row) {
	t := b.files.of(row.File)
	count(&t.Rejected, row.Status == compress.Rejected)
	count(&t.Failed, row.Status == compress.Failed)
	if row.Status == compress.Rejected || row.NoConversation {
		return
	}
	t.Conversations++
	count(&t.Compacted, row.Status.Changed())
	count(&t.OverLimit, row.OverLimit)
	t.TokensBefore += row.TokensBefore
	t.TokensAfter += row.TokensAfter
}

// withTotals gives the inputs that had rows their totals; of the first 10,000 files only.
func (b *Builder) withTotals(inputs []Input) []Input {
	out := append([]Input{}, inputs...)
	for i := range out {
		if t, ok := b.files.at[out[i].Name]; ok && out[i].Totals == nil {
			totals := *t
			out[i].Totals = &totals
		}
	}
	return out
}

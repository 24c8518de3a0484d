package report

import "strconv"

// The types of this file are the objects of Hermes Agent's compression_metrics.json, key by key: names, nesting and
// rounding are its own. "Trajectories" are records, "turns" are messages. "Compressed" is pruned or summarized.

// HermesSummary counts records.
type HermesSummary struct {
	Total        int64   `json:"total_trajectories"`
	Compressed   int64   `json:"trajectories_compressed"`
	UnderTarget  int64   `json:"trajectories_skipped_under_target"` // untouched
	StillOver    int64   `json:"trajectories_still_over_limit"`
	Failed       int64   `json:"trajectories_failed"` // failed and rejected
	CompressRate float64 `json:"compression_rate"`    // Compressed / Total, 4 digits
}

// HermesTokens adds up tokens.
type HermesTokens struct {
	Before int64   `json:"total_before"`
	After  int64   `json:"total_after"`
	Saved  int64   `json:"total_saved"`
	Ratio  float64 `json:"overall_compression_ratio"` // After / Before, 4 digits
}

// HermesTurns adds up messages.
type HermesTurns struct {
	Before  int64 `json:"total_before"`
	After   int64 `json:"total_after"`
	Removed int64 `json:"total_removed"`
}

// HermesAverages are means over compressed records: of the ratio after / before (1 where there are none), of tokens
// saved, of messages removed.
type HermesAverages struct {
	Ratio        float64 `json:"avg_compression_ratio"`            // 4 digits
	TokensSaved  float64 `json:"avg_tokens_saved_per_compressed"`  // 1 digit
	TurnsRemoved float64 `json:"avg_turns_removed_per_compressed"` // 2 digits
}

// HermesSummarization counts calls of a model.
type HermesSummarization struct {
	Calls       int64   `json:"total_api_calls"`
	Errors      int64   `json:"total_errors"` // records that failed for want of a summary
	SuccessRate float64 `json:"success_rate"` // 1 - Errors / Calls, within [0, 1], 4 digits
}

// hermes fills in Hermes' objects from what the builder has added up.
func (b *Builder) hermes(r *Report) {
	all := &b.records
	compressed := b.compressed.records
	r.Summary = HermesSummary{
		Total: all.Total, Compressed: compressed,
		UnderTarget:  r.Records.Of("untouched").Records,
		StillOver:    all.OverLimit,
		Failed:       r.Records.Of("failed").Records + r.Records.Of("rejected").Records,
		CompressRate: round(share(compressed, all.Total), 4),
	}
	r.Tokens = HermesTokens{Before: b.tokens.before, After: b.tokens.after, Saved: b.tokens.before - b.tokens.after, Ratio: 1}
	if b.tokens.before > 0 {
		r.Tokens.Ratio = round(share(b.tokens.after, b.tokens.before), 4)
	}
	r.Turns = HermesTurns{b.messages.before, b.messages.after, b.messages.before - b.messages.after}
	r.Averages = HermesAverages{Ratio: 1}
	if compressed > 0 {
		n := float64(compressed)
		r.Averages = HermesAverages{
			Ratio:        round(b.compressed.ratios/n, 4),
			TokensSaved:  round(float64(b.compressed.saved)/n, 1),
			TurnsRemoved: round(float64(b.compressed.removed)/n, 2),
		}
	}
	s := b.summaries
	errors := float64(s.Failed) / float64(max(s.Calls, 1))
	r.Summarization = HermesSummarization{s.Calls, s.Failed, round(max(0, 1-errors), 4)}
}

// share is part / whole, 0 where there is nothing.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// round rounds to so many digits behind the point, as Python's round does: the exact binary value decides, ties to even.
func round(f float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
	if err != nil {
		return f
	}
	return rounded
}

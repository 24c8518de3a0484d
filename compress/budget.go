package compress

import (
	"errors"
	"fmt"
	"math"
)

// Defaults of Hermes Agent's context compressor, as its documentation gives them (April 2026).
const (
	DefaultContextLength = 128_000
	DefaultThreshold     = 0.50
	DefaultTargetRatio   = 0.20
	DefaultProtectFirst  = 3
	DefaultProtectLast   = 20
	DefaultMediaTokens   = 1600
	DefaultLedgerTokens  = 600

	minTargetRatio, maxTargetRatio = 0.10, 0.80

	summaryShare      = 0.20   // of the middle
	summaryContext    = 0.05   // of the context length, at most
	maxSummaryTokens  = 12_000 // at most, whatever the context length
	minSummaryTokens  = 2_000  // at least, even where that is more than the maximum
	summaryOvershoot  = 1.3    // how far over its budget a summary may go
	emptySummaryTimes = 4      // a middle smaller than this many empty summaries is not worth one
)

// Budget is the token arithmetic for one conversation. All numbers are tokens. It is a value.
type Budget struct {
	ContextLength int
	Threshold     int // compaction fires at or above it (`full`), or above it (`fit`)
	Tail          int // what the protected tail may hold
	MaxSummary    int // upper bound of a summary, before the minimum of 2,000 is applied
	Cap           int // a summary never gets more than this; 0 for no such bound
}

// NewBudget computes the budget for a context length. threshold is a ratio of it when at most 1, else tokens.
func NewBudget(contextLength int, threshold, targetRatio float64) Budget {
	t := threshold
	if t <= 1 {
		t *= float64(contextLength)
	}
	b := Budget{ContextLength: contextLength, Threshold: floor(t)}
	b.Tail = floor(float64(b.Threshold) * ClampTargetRatio(targetRatio))
	b.MaxSummary = min(floor(float64(contextLength)*summaryContext), maxSummaryTokens)
	return b
}

// FitBudget is the budget for a training window of n tokens: that of a conversation whose threshold is n.
func FitBudget(n int, threshold, targetRatio float64) Budget {
	if threshold > 1 {
		threshold = DefaultThreshold
	}
	b := NewBudget(floor(float64(n)/threshold), threshold, targetRatio)
	b.Threshold = n
	b.Tail = floor(float64(n) * ClampTargetRatio(targetRatio))
	return b
}

// floor guards against binary fractions: 0.29 * 100 is 28.999….
func floor(f float64) int { return int(math.Floor(f + 1e-9)) }

// ClampTargetRatio holds the ratio in [0.10, 0.80].
func ClampTargetRatio(r float64) float64 { return min(max(r, minTargetRatio), maxTargetRatio) }

// Summary is how many tokens a summary of middle tokens may take, beside its frame.
func (b Budget) Summary(middle int) int {
	s := min(floor(float64(middle)*summaryShare), b.MaxSummary)
	s = min(max(minSummaryTokens, s), middle/2)
	if b.Cap > 0 {
		s = min(s, b.Cap)
	}
	return s
}

// ceiling is how large a summary of middle tokens may come out, frame included.
func (b Budget) ceiling(middle, frame int) int {
	return frame + int(math.Ceil(summaryOvershoot*float64(b.Summary(middle))))
}

// Strategy says how much is compacted once compaction fires.
type Strategy string

// The strategies.
const (
	Full Strategy = "full" // prune the head, summarise the whole middle (Hermes)
	Fit  Strategy = "fit"  // stop at the first step that fits the window
)

// PruneStyle says what becomes of old tool results.
type PruneStyle string

// The styles.
const (
	PruneDescribe    PruneStyle = "describe"    // one line: tool, arguments, outcome
	PrunePlaceholder PruneStyle = "placeholder" // Hermes' fixed text
	PruneOff         PruneStyle = "off"
)

// Overflow says what happens when the result would not fit because of its tail.
type Overflow string

// The policies.
const (
	OverflowKeep   Overflow = "keep"
	OverflowDemote Overflow = "demote" // prune tool results inside the tail, oldest first, never in its last atom
)

// Options are the settings of the built-in engine. The zero value of a field means its default, where there is one.
type Options struct {
	Disabled      bool    // everything passes, untouched
	Threshold     float64 // ratio of the context length when at most 1, else tokens
	TargetRatio   float64 // share of the threshold that the tail may hold, held in [0.10, 0.80]
	ProtectFirst  int     // messages at the start that are kept, leading system messages counted; below 0 means 0
	ProtectLast   int     // messages at the end that are kept whatever their size
	Strategy      Strategy
	Window        int // fit: the window in tokens
	Prune         PruneStyle
	KeepTools     []string // results of these tools are never pruned
	TailOverflow  Overflow // "" means keep in full, demote in fit
	LedgerTokens  int      // the most tokens the ledger of a summary may take; below 0 means none
	SummaryCap    int      // a summary never gets more tokens than this; 0 for the rule alone
	MediaTokens   int      // flat count of an image or the like; below 0 means none
	NoNote        bool     // leave the system text alone
	NoRedact      bool     // secrets that stand in what a summary covers may stand in the summary
	SummaryRole   string   // "user" or "assistant": the role of a summary message, against the placement table; "" for the table
	NoSummary     bool     // prune everything outside the tail and write no summary
	ContextLength int      // the context length where the caller names none for a conversation
}

// WithDefaults fills in what is left at zero.
func (o Options) WithDefaults() Options {
	set(&o.Threshold, DefaultThreshold)
	set(&o.TargetRatio, DefaultTargetRatio)
	set(&o.ProtectLast, DefaultProtectLast)
	set(&o.Strategy, Full)
	set(&o.Prune, PruneDescribe)
	set(&o.LedgerTokens, DefaultLedgerTokens)
	set(&o.MediaTokens, DefaultMediaTokens)
	set(&o.ContextLength, DefaultContextLength)
	if o.TailOverflow == "" {
		o.TailOverflow = OverflowKeep
		if o.Strategy == Fit {
			o.TailOverflow = OverflowDemote
		}
	}
	o.ProtectFirst, o.LedgerTokens, o.MediaTokens = max(o.ProtectFirst, 0), max(o.LedgerTokens, 0), max(o.MediaTokens, 0)
	return o
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Validate names every problem of the options at once.
func (o Options) Validate() error {
	var all []error
	bad := func(is bool, format string, args ...any) {
		if is {
			all = append(all, fmt.Errorf(format, args...))
		}
	}
	bad(math.IsNaN(o.Threshold) || o.Threshold <= 0, "threshold must be a ratio in (0, 1] or a number of tokens, not %v", o.Threshold)
	bad(math.IsNaN(o.TargetRatio), "target ratio is not a number")
	bad(o.ProtectLast < 1, "protect-last must be at least 1, not %d", o.ProtectLast)
	bad(o.Strategy != Full && o.Strategy != Fit, "unknown strategy %q: full or fit", o.Strategy)
	bad(o.Strategy == Fit && o.Window <= 0, "the fit strategy needs a window of more than 0 tokens")
	bad(o.ContextLength <= 0, "context length must be more than 0, not %d", o.ContextLength)
	return errors.Join(all...)
}

// budget is the arithmetic for one conversation with the given context length.
func (o Options) budget(contextLength int) Budget {
	var b Budget
	if o.Strategy == Fit {
		b = FitBudget(o.Window, o.Threshold, o.TargetRatio)
	} else {
		b = NewBudget(contextLength, o.Threshold, o.TargetRatio)
	}
	b.ContextLength, b.Cap = contextLength, o.SummaryCap
	return b
}

// fires says whether a conversation of so many tokens is compacted at all.
func (o Options) fires(b Budget, tokens int) bool {
	if o.Strategy == Fit {
		return tokens > b.Threshold
	}
	return tokens >= b.Threshold
}

// over says whether an output of so many tokens still exceeds the target. A `full` output exactly at the threshold
// would fire again, so it exceeds it.
func (o Options) over(b Budget, tokens int) bool { return o.fires(b, tokens) }

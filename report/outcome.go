package report

import "github.com/ctxpack/ctxpack/compress"

// Saved is where the saved tokens were saved. The phases add up to Total.
type Saved struct {
	Total  int64   `json:"total"`
	Phases []Phase `json:"phases"`
}

// Phase is what one phase saved; below zero when it cost tokens. The names are PhasePruning and so on.
type Phase struct {
	Name    string        `json:"name"`
	Tokens  int64         `json:"tokens"`
	Actions []ActionTotal `json:"actions"` // what it consists of, by kind
}

// The phases, in report order.
const (
	PhasePruning     = "pruning"     // old tool results and arguments
	PhaseSummarizing = "summarizing" // messages that gave way to summaries, less the summaries
	PhaseNote        = "note"        // the note in the system text: a cost
	PhaseRepairs     = "repairs"     // stubs and removed results
	PhaseOther       = "other"       // what no action accounts for (message frames, separators)
)

// ActionTotal is the actions of one kind.
type ActionTotal struct {
	Kind  compress.ActionKind `json:"kind"`
	Count int64               `json:"count"`
	Saved int64               `json:"saved"` // tokens; below zero when they cost some
}

// phaseOf says which phase a kind of action belongs to.
func phaseOf(kind compress.ActionKind) string {
	switch kind {
	case compress.ActionDescribe, compress.ActionClear, compress.ActionBackref, compress.ActionArguments, compress.ActionDemote:
		return PhasePruning
	case compress.ActionSummarize, compress.ActionRestate:
		return PhaseSummarizing
	case compress.ActionNote:
		return PhaseNote
	case compress.ActionRemove, compress.ActionStub:
		return PhaseRepairs
	}
	return PhaseOther
}

// phases lists their names in report order.
func phases() []string {
	return []string{PhasePruning, PhaseSummarizing, PhaseNote, PhaseRepairs, PhaseOther}
}

// Summaries is what the summaries of the run took. Calls of a record that failed are not known to the report.
type Summaries struct {
	Count            int64   `json:"count"` // in the output
	Calls            int64   `json:"calls"`
	Retries          int64   `json:"retries"`
	Cached           int64   `json:"cached"`
	Failed           int64   `json:"failed"`        // records kept as they are because there was no summary
	Shortened        int64   `json:"shortened"`     // had to be asked for or cut to something shorter
	TextTokens       int64   `json:"text_tokens"`   // of the summaries, frames included
	ReplacedTokens   int64   `json:"source_tokens"` // of what they replaced
	PromptTokens     int64   `json:"prompt_tokens"` // charged by the provider, like the two below
	CompletionTokens int64   `json:"completion_tokens"`
	CacheReadTokens  int64   `json:"cache_read_tokens"`
	Cost             float64 `json:"cost_usd"`                 // US dollars, 0 where no price is known
	CostSaved        float64 `json:"cost_saved_usd"`           // what the answers from the cache would have cost
	Masked           int64   `json:"masked_secrets,omitempty"` // taken out of prompts before they were sent
	Models           Counts  `json:"models"`                   // summaries by the model that wrote them
	Warnings         Counts  `json:"warnings"`
}

// Failures is the records that could not be processed, by kind.
type Failures struct {
	Kinds       []Failure `json:"kinds"` // most frequent first
	Other       int64     `json:"other"` // records of kinds beyond the first 100
	RejectsFile string    `json:"rejects_file,omitempty"`
	Rerun       string    `json:"rerun,omitempty"` // the command line that runs only these again; the command sets it
}

// Failure is one kind with its first example in input order.
type Failure struct {
	Status  compress.Status `json:"status"` // rejected or failed
	Stage   string          `json:"stage"`
	Code    string          `json:"code"`
	Records int64           `json:"records"`
	Example Example         `json:"example"`
}

// Example is one place and what is wrong there. Message is as it came, possibly hostile, cut to 500 bytes.
type Example struct {
	File    string `json:"file"`
	Line    int64  `json:"line,omitempty"`
	Index   int64  `json:"index"`
	Column  int64  `json:"column,omitempty"`
	Message string `json:"message"`
	Place   string `json:"place,omitempty"` // file[row].column, where a row of a table holds several records
}

// Worst is the records to look at first, ten of each. Ties stand in input order.
type Worst struct {
	LargestBefore []WorstRow `json:"largest_before"`
	LargestAfter  []WorstRow `json:"largest_after"`
	LeastGained   []WorstRow `json:"least_gained"` // of those where compaction fired: smallest share saved, largest first
}

// WorstRow is the short form of a Row.
type WorstRow struct {
	File           string          `json:"file"`
	Line           int64           `json:"line,omitempty"`
	Index          int64           `json:"index"`
	ID             string          `json:"id,omitempty"`
	Status         compress.Status `json:"status"`
	OverLimit      bool            `json:"over_limit,omitempty"`
	TokensBefore   int64           `json:"tokens_before"`
	TokensAfter    int64           `json:"tokens_after"`
	MessagesBefore int64           `json:"messages_before"`
	MessagesAfter  int64           `json:"messages_after"`
	Place          string          `json:"place,omitempty"` // file[row].column, where a row of a table holds several records
}

// Processing is everything that differs between two runs of the same command: times, and the settings that only change
// how fast it goes. Its first three keys are Hermes'.
type Processing struct {
	StartTime              string    `json:"start_time"` // RFC 3339
	EndTime                string    `json:"end_time"`
	DurationSeconds        float64   `json:"duration_seconds"`
	ConversationsPerSecond float64   `json:"conversations_per_second"`
	TokensPerSecond        float64   `json:"tokens_per_second"` // of the input
	Settings               []Setting `json:"settings"`
	Slowest                []SlowRow `json:"slowest"`

	Latency Distribution `json:"latency_us"` // of single records, in microseconds, calls of a model included
}

// SlowRow is a record that took long.
type SlowRow struct {
	WorstRow
	Seconds float64 `json:"seconds"`
}

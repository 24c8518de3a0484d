// Package report turns the facts of a run into a report: plain data with a schema version, gathered in constant memory
// (Builder), and drawn as terminal text, Markdown or JSON. It also holds what `ctxpack inspect` says (Inspector).
//
// Everything in a Report but Report.Processing is the same for any number of workers, because rows are added in input
// order and nothing else goes in.
package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/report/quality"
)

// SchemaVersion is the version of the JSON form, MAJOR.MINOR. A new minor version only adds members.
const SchemaVersion = "1.0"

// Report is everything that is said about one run. Token figures are counted with Header.Tokenizer.
//
// The members summary, tokens, turns, averages, summarization and processing have every key of the
// compression_metrics.json that Hermes Agent's trajectory compressor writes, with the same nesting and rounding, so that
// a script that reads that file can read this one.
type Report struct {
	SchemaVersion string `json:"schema_version"`
	Header        Header `json:"header"`

	Summary       HermesSummary       `json:"summary"`
	Tokens        HermesTokens        `json:"tokens"`
	Turns         HermesTurns         `json:"turns"`
	Averages      HermesAverages      `json:"averages"`
	Summarization HermesSummarization `json:"summarization"`

	Records      Records    `json:"records"`
	Sizes        Sizes      `json:"sizes"`
	Fits         []Fit      `json:"fits"` // ascending windows
	Roles        RoleTotals `json:"roles"`
	Tools        Tools      `json:"tools"`
	Saved        Saved      `json:"saved"`
	Summaries    Summaries  `json:"summaries"`
	Models       Models     `json:"models"`
	Dialects     Counts     `json:"dialects"`      // records by dialect and marker
	UnknownRoles Counts     `json:"unknown_roles"` // messages by role name
	Failures     Failures   `json:"failures"`
	Worst        Worst      `json:"worst"`
	Scatter      Scatter    `json:"scatter"`
	Excerpts     []Excerpt  `json:"excerpts"` // of the rows of Worst; empty where texts were not to be shown

	Quality *quality.Report `json:"quality,omitempty"` // what `ctxpack eval` said of the run, where it was asked

	Processing Processing `json:"processing"` // all that depends on time
}

// Header says what was run, on what, and by which numbers. The command fills it in.
type Header struct {
	Tool           string    `json:"tool"` // "ctxpack"
	Version        string    `json:"version"`
	Command        string    `json:"command"`         // "compact"
	Settings       []Setting `json:"settings"`        // those that have a say in the output; how fast it is made stands in Processing
	SettingsSHA256 string    `json:"settings_sha256"` // of keys and values, whatever their origin; Builder.Report computes it
	Inputs         []Input   `json:"inputs"`
	Target         Target    `json:"target"`
	Tokenizer      Tokenizer `json:"tokenizer"`
	Summarizer     string    `json:"summarizer"`
	ContextEngine  *Engine   `json:"context_engine,omitempty"` // a plugin; nil for an engine of the program
	PriceDate      string    `json:"price_date,omitempty"`     // of the price table, YYYY-MM-DD
}

// Engine is a context engine that is a plugin.
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// String is name and version; "" for the built-in engine.
func (e *Engine) String() string {
	switch {
	case e == nil:
		return ""
	case e.Version == "":
		return e.Name
	}
	return e.Name + " " + e.Version
}

// Setting is one setting of the run.
type Setting struct {
	Key    string `json:"key"`
	Value  any    `json:"value"` // string, bool, number, []string or nil; numbers of a report that was read are json.Number
	Origin string `json:"origin"`
}

// Input is one file that was read.
type Input struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`            // as stored, compressed or not
	SHA256  string `json:"sha256,omitempty"` // of these bytes
	Records int64  `json:"records"`
	Output  string `json:"output,omitempty"`

	Totals *FileTotals `json:"totals,omitempty"` // Builder.Report fills them in
}

// Target is what the conversations were to fit.
type Target struct {
	Model         string `json:"model,omitempty"`          // "" where none was named: the records' own
	ContextLength int    `json:"context_length,omitempty"` // tokens; 0 where it differs between records
	Source        string `json:"source,omitempty"`         // where ContextLength comes from, in words
	Strategy      string `json:"strategy"`                 // "full" or "fit"
	Window        int    `json:"window,omitempty"`         // fit: tokens
	Threshold     int    `json:"threshold,omitempty"`      // tokens at which compaction fires; 0 where it differs between records
}

// Tokenizer is how tokens were counted.
type Tokenizer struct {
	Name  string `json:"name"`
	Exact bool   `json:"exact"` // false: an approximation
}

// Records counts records.
type Records struct {
	Total          int64          `json:"total"`
	Conversations  int64          `json:"conversations"`     // Total without rejected and no_conversation: what sizes, fits and tokens speak of
	NoConversation int64          `json:"no_conversation"`   // passed through; also counted as untouched
	Statuses       []StatusTotals `json:"statuses"`          // every status, in report order; they add up to Total
	OverLimit      int64          `json:"over_limit"`        // the output still exceeds the target
	HeadShortened  int64          `json:"head_shortened"`    // the head gave up messages so that the turns alternate
	Repaired       int64          `json:"repaired"`          // compacted records with broken call/result pairs
	Stubs          int64          `json:"stubs"`             // results written for calls without one
	RemovedResults int64          `json:"removed_results"`   // results without a call
	Adapted        int64          `json:"adapted,omitempty"` // changed so that the target takes them
	Refused        int64          `json:"refused,omitempty"` // the target refuses what leaves; most of them came so
}

// Of gives the totals of one status.
func (r Records) Of(s compress.Status) StatusTotals {
	for _, t := range r.Statuses {
		if t.Status == s {
			return t
		}
	}
	return StatusTotals{Status: s}
}

// StatusTotals is the records of one status and their tokens.
type StatusTotals struct {
	Status       compress.Status `json:"status"`
	Records      int64           `json:"records"`
	TokensBefore int64           `json:"tokens_before"`
	TokensAfter  int64           `json:"tokens_after"`
}

// Sizes are the distributions of tokens per conversation.
type Sizes struct {
	Before Distribution `json:"before"`
	After  Distribution `json:"after"`
}

// Fit is how many conversations fit a window (tokens <= window), before and after.
type Fit struct {
	Window      int     `json:"window"`
	Before      int64   `json:"before"`
	After       int64   `json:"after"`
	BeforeShare float64 `json:"before_share"` // of Records.Conversations, 4 digits
	AfterShare  float64 `json:"after_share"`
}

// RoleTotals is tokens by role.
type RoleTotals struct {
	Before RoleTokens `json:"before"`
	After  RoleTokens `json:"after"`
}

// RoleTokens is tokens by role. Definitions is the tool definitions and the 3 tokens that every conversation costs.
type RoleTokens struct {
	System      int64 `json:"system"`
	User        int64 `json:"user"`
	Assistant   int64 `json:"assistant"`
	Tool        int64 `json:"tool"`
	Other       int64 `json:"other"`
	Definitions int64 `json:"definitions"`
}

// Total adds them up.
func (r RoleTokens) Total() int64 {
	return r.System + r.User + r.Assistant + r.Tool + r.Other + r.Definitions
}

func (r *RoleTokens) add(o RoleTokens) {
	r.System += o.System
	r.User += o.User
	r.Assistant += o.Assistant
	r.Tool += o.Tool
	r.Other += o.Other
	r.Definitions += o.Definitions
}

// Tools is the tokens of tool results by tool: the largest before compaction, and the rest together. Figures of a listed
// tool are exact unless Capped: then tools first met after the first 10,000 distinct names are part of Other, always
// whole, so that the listed ones are exact still but a large one may be missing.
type Tools struct {
	Distinct int         `json:"distinct"` // names counted one by one
	Capped   bool        `json:"capped"`
	List     []ToolTotal `json:"list"`  // largest before first, then by name
	Other    ToolTotal   `json:"other"` // Name is ""
}

// ToolTotal is the results of one tool.
type ToolTotal struct {
	Name          string `json:"name"` // "" for results whose tool is not known
	TokensBefore  int64  `json:"tokens_before"`
	TokensAfter   int64  `json:"tokens_after"`
	ResultsBefore int64  `json:"results_before"`
	ResultsAfter  int64  `json:"results_after"`
}

func (t *ToolTotal) add(o ToolTotal) {
	t.TokensBefore += o.TokensBefore
	t.TokensAfter += o.TokensAfter
	t.ResultsBefore += o.ResultsBefore
	t.ResultsAfter += o.ResultsAfter
}

// Counts is how often each name occurs, most frequent first, then by name. Other is the names that are not listed.
type Counts struct {
	Distinct int     `json:"distinct"` // names counted one by one
	Capped   bool    `json:"capped"`   // there were more; those are part of Other
	List     []Count `json:"list"`
	Other    int64   `json:"other"`
}

// Count is one name. Detail is what tells two entries of the same name apart: the marker of a dialect.
type Count struct {
	Name   string `json:"name"`
	Detail string `json:"detail,omitempty"`
	Count  int64  `json:"count"`
}

// Models is the context lengths that were used, the most frequent first.
type Models struct {
	Distinct int        `json:"distinct"`
	Capped   bool       `json:"capped"`
	List     []ModelUse `json:"list"`
	Other    int64      `json:"other"` // records of those that are not listed
}

// ModelUse is one model with the context length it was given, and where that came from.
type ModelUse struct {
	Model         string `json:"model"` // "" where none is named
	ContextLength int    `json:"context_length"`
	Source        string `json:"source"`
	Threshold     int    `json:"threshold,omitempty"` // tokens at which compaction fires
	Records       int64  `json:"records"`
}

// HashSettings is the SHA-256 of the settings' keys and values in their order, as hexadecimal digits. Origins do not
// count: a setting is the same from a flag and from a file.
func HashSettings(settings []Setting) string {
	sum := sha256.New()
	encoder := json.NewEncoder(sum)
	for _, s := range settings {
		if err := encoder.Encode([]any{s.Key, s.Value}); err != nil {
			_ = encoder.Encode([]string{s.Key, err.Error()}) // a value that is no data still has a place in the hash
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

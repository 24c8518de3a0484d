package cmd

import (
	"fmt"
	"math"
	"time"

	"github.com/ctxpack/ctxpack/compress/models"
)

// Settings are the settings of a run of `compact`, complete and valid. Tokens are counted as compaction.md section 2
// says. Read-only once loaded.
type Settings struct {
	// The window to fit.
	Model         string // "" when none is named: the record's own model counts
	ContextLength int64  // tokens; 0 when it follows from the model
	Tokenizer     string // "" when it follows from the model; not checked here
	Format        string // dialect of the inputs; "" is detected; not checked here

	// How a conversation is compacted.
	Enabled          bool // compression.enabled: false passes everything through
	Threshold        Threshold
	TargetRatio      float64 // within [0.10, 0.80]
	ProtectFirst     int     // messages, 0 or more
	ProtectLast      int     // messages, 1 or more
	Strategy         string  // "full" or "fit"
	Fit              int64   // tokens; above 0 exactly when Strategy is "fit"
	Prune            string  // "describe", "placeholder" or "off"
	KeepTools        []string
	TailOverflow     string // "keep" or "demote"
	Summarizer       string // "extractive", "openai", "anthropic", "exec:CMD" or "none"
	LedgerTokens     int64
	MaxSummaryTokens int64 // 0 when it follows from the context length
	MediaTokens      int64
	SummaryRole      string // "auto", "user" or "assistant"
	Note             bool   // append the note to the first system text

	Summaries SummarySettings // for summaries by a model

	// Which records, and what to do when one fails.
	Sample  float64 // share of the records, within (0, 1]
	Seed    int64
	Limit   int64    // records; 0 is all
	OnError string   // "keep", "reject" or "fail"
	FailOn  []string // of "rejected", "failed", "over-limit"; empty: never

	// Inputs, outputs and the machine.
	To          string   // the dialect to write; "" keeps each record's own
	Target      string   // the trainer or API that must take the outputs; "" for none
	Column      []string // the conversation columns of Parquet files; none finds them
	Output      string   // -o as written; "" when not given
	Force       bool     // replace existing outputs
	Reports     []string // files, each ending in one of reportEndings
	Rejects     string   // file; "" when not given
	JSON        bool     // compact: the report goes to the standard output
	Excerpts    bool     // the report shows texts of the worst conversations
	Workers     int      // goroutines for work on the CPU, 1 or more
	Concurrency int      // conversations in work at once, 1 or more
	Progress    string   // "auto", "bar", "plain", "json" or "none" (always "none" when Quiet)
	Quiet       bool
	Verbose     bool

	Engine EngineSettings // which context engine works

	// What replay writes.
	LossSpans       bool // which messages of a segment are new
	PressureWarning bool // events at 85 % of the threshold

	// Markers for Anthropic's prompt cache.
	CacheTTL     string // their lifetime: "5m" or "1h"
	CacheMarkers string // "on" sets them, "off" takes them out, "" leaves them; only convert has a flag for it

	Models []models.Model // the models section of the configuration, for models.Table.With; sorted by name

	// Where it all comes from.
	Config []string // configuration files read, the weakest first

	ConfigNamed bool           // by --config or CTXPACK_CONFIG, not found
	Entries     []SettingEntry // every setting with its value and origin, in the order of the table
	Unused      []UnusedKey    // keys of Hermes' configuration that have no meaning here
	Warnings    []string       // to be printed once, each a sentence without a full stop
}

// SummarySettings are the settings of summaries by a model.
type SummarySettings struct {
	Model         string // "" when none is named
	Provider      string // Hermes' word for where it is found: "auto", "openrouter", "main"…; "" when none is named
	BaseURL       string // without a closing slash; "" for the provider's own
	ContextLength int64  // of the model, in tokens; 0 when it follows from the model
	APIKeyEnv     string // name of the environment variable with the key; "" for the provider's own
	Focus         string
	Language      string
	Template      string // file; "" for the built-in one
	Fallback      string // "extractive" or "none"
	Redact        bool

	RPM, TPM      int64 // requests and tokens a minute; 0 for no bound
	Timeout       time.Duration
	RecordTimeout time.Duration
	MaxRetries    int
	MaxCost       float64 // US dollars; 0 for no limit

	CacheDir    string // "" for the user's own
	Cache       bool
	CacheOnly   bool
	RetryFailed bool // ask anew for what the checks refused in an earlier run
	DryRun      bool
}

// Threshold is the size at which compaction fires: a share of the context length or a number of tokens.
type Threshold struct {
	Ratio  float64 // within (0, 1]; 0 when Tokens counts
	Tokens int64   // above 1; 0 when Ratio counts
}

// For is the threshold in tokens for a context length in tokens.
func (t Threshold) For(contextLength int64) int64 {
	if t.Tokens > 0 {
		return t.Tokens
	}
	return int64(math.Floor(float64(contextLength) * t.Ratio))
}

// SettingEntry is one setting as it was found.
type SettingEntry struct {
	Key    string // path in ctxpack.yaml; for a setting that is only a flag, the flag
	Value  any    // string, bool, int64, float64 or []string; nil when it has no value
	Origin Origin
}

// Entry is the entry of the setting with the key or, for a setting that is only a flag, with the flag ("--force").
func (s *Settings) Entry(key string) SettingEntry {
	for _, entry := range s.Entries {
		if entry.Key == key {
			return entry
		}
	}
	return SettingEntry{}
}

// setValue changes the value an entry shows, where it follows from other settings.
func (s *Settings) setValue(key string, value any) {
	for i := range s.Entries {
		if s.Entries[i].Key == key {
			s.Entries[i].Value = value
		}
	}
}

// Source is a kind of place that a setting can come from. A greater one beats a lesser one.
type Source int

// The sources, the weakest first.
const (
	SourceDefault Source = iota
	SourceUserFile
	SourceProjectFile // or the file named by --config
	SourceEnvironment
	SourceFlag
)

// String is the name of the source in `config show --json`.
func (s Source) String() string {
	return [...]string{"default", "user file", "project file", "environment", "flag"}[s]
}

// Origin says where a value was written.
type Origin struct {
	Source Source
	Name   string // the file as it is shown, the variable or the flag; "" for a default
	Line   int    // 1-based line in the file; 0 when unknown
	Key    string // the key as written, where it is another name of the setting (Hermes')
}

// String is what a person reads: "default", "ctxpack.yaml:3", "CTXPACK_MODEL", "--model".
func (o Origin) String() string {
	text := o.Name
	switch {
	case o.Source == SourceDefault:
		return "default"
	case o.Line > 0:
		text = fmt.Sprintf("%s:%d", o.Name, o.Line)
	}
	if o.Key != "" {
		text += " (" + o.Key + ")"
	}
	return text
}

// UnusedKey is a key that is understood and has no effect.
type UnusedKey struct {
	Key    string
	Reason string
	Origin Origin
}

// finish derives what follows from other settings and checks what single settings cannot. origins are by key.
func (s *Settings) finish() problems {
	var found problems
	strategy, fit := s.Entry("compression.strategy").Origin, s.Entry("compression.fit").Origin
	switch {
	case s.Fit > 0 && s.Strategy != "fit" && strategy.Source < fit.Source:
		s.Strategy = "fit" // --fit N implies it
		s.setValue("compression.strategy", s.Strategy)
	case s.Fit > 0 && s.Strategy != "fit" && strategy.Source == fit.Source:
		found = append(found, usageError(fmt.Errorf("%v and %v: a size to fit needs the strategy fit", fit, strategy),
			"leave the strategy out, a size implies it"))
	case s.Fit > 0 && s.Strategy != "fit":
		s.Fit = 0 // a stronger source asks for the strategy full
		s.setValue("compression.fit", nil)
	case s.Fit == 0 && s.Strategy == "fit":
		found = append(found, usageError(fmt.Errorf("%v: the strategy fit needs a size", strategy), "--fit 32k"))
	}
	if s.TailOverflow == "" {
		s.TailOverflow = "keep"
		if s.Strategy == "fit" {
			s.TailOverflow = "demote"
		}
		s.setValue("compression.tail_overflow", s.TailOverflow)
	}
	found = append(found, s.finishSummaries()...)
	found = append(found, s.finishEngine()...)
	if s.Quiet && s.Verbose {
		found = append(found, usageErrorf("%v and %v exclude each other",
			s.Entry("quiet").Origin, s.Entry("verbose").Origin))
	}
	if s.Quiet {
		s.Progress = "none"
		s.setValue("progress", s.Progress)
	}
	return found
}

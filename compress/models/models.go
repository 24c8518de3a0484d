// Package models is ctxpack's table of chat models: how many tokens each accepts,
// what a million of them costs and which tokenizer counts them, each row with the
// date and source of its numbers.
//
// The table is our own selection. Most numbers were taken from LiteLLM's
// model_prices_and_context_window.json (MIT, BerriAI) as of 2026-08-01; where that
// file was odd, or a model is newer, the source column names what was read instead
// and the note says what differed. To correct or add a model, edit its line in
// rows_<vendor>.go; a test checks every row.
//
// A Table is an immutable value. Everything in this package is safe for concurrent
// use and reads neither files nor the network.
package models

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// Configuration is the source of a model that the user described.
const Configuration = "configuration"

// Tokenizer families, the vocabulary shared with the package that counts tokens.
// The first four have public vocabularies, the rest are counted with a factor.
const (
	OpenAIO200K  = "openai-o200k"
	OpenAICL100K = "openai-cl100k"
	OpenAIP50K   = "openai-p50k"
	OpenAIR50K   = "openai-r50k"
	Llama3       = "llama3"
	Qwen         = "qwen"
	DeepSeek     = "deepseek"
	Mistral      = "mistral"
	Kimi         = "kimi"
	GLM          = "glm"
	Gemini       = "gemini"
	Claude       = "claude"     // Claude up to 4.6
	Claude47     = "claude-4.7" // Claude from 4.7 on
	Other        = "other"
)

// Families returns every tokenizer family a Model may name.
func Families() []string {
	return []string{
		OpenAIO200K, OpenAICL100K, OpenAIP50K, OpenAIR50K, Llama3, Qwen, DeepSeek,
		Mistral, Kimi, GLM, Gemini, Claude, Claude47, Other,
	}
}

// Price is in US dollars per million tokens. Zero means that the price is not known
// (or that the vendor asks none; the note of the model says so). Where a vendor
// charges more for long prompts, these are the prices of short ones.
type Price struct {
	Input      float64
	Output     float64
	CacheRead  float64 // input tokens answered from the vendor's prompt cache
	CacheWrite float64 // input tokens written to it, for the shortest lifetime
}

// Known reports whether both the input and the output price are known.
func (p Price) Known() bool { return p.Input > 0 && p.Output > 0 }

// Model is one row of the table. All counts are tokens.
type Model struct {
	Name          string // the vendor's own id, without a provider prefix
	Provider      string // the company that made the model, as a person would write it
	ContextLength int    // the whole window; shared by input and output at most vendors
	MaxInput      int    // the most a request may hold; 0 where unknown or the same as the window
	MaxOutput     int    // the most an answer may hold; 0 where unknown
	Price         Price
	Tokenizer     string   // one of Families
	Date          string   // the day the numbers were true or were read, YYYY-MM-DD; empty in a configuration
	Source        string   // where they come from: "litellm", a site, or Configuration
	Note          string   // what is doubtful or particular about them; may be empty
	Aliases       []string // other names for the model; not to be modified
}

// Limit returns the context length to budget for, in tokens: the maximum input where
// it is known, else the whole window.
func (m Model) Limit() int {
	if m.MaxInput > 0 {
		return m.MaxInput
	}
	return m.ContextLength
}

// Provenance says whose numbers these are, for reports: "gpt-4o, litellm 2026-08-01".
func (m Model) Provenance() string {
	switch {
	case m.Source == "":
		return m.Name
	case m.Date == "":
		return m.Name + ", " + m.Source
	default:
		return m.Name + ", " + m.Source + " " + m.Date
	}
}

// Validate returns every fault of the row at once, or nil: a model without a name,
// limits that cannot be, prices below zero or not finite, an unknown tokenizer family,
// a date that is none. Tokenizer and date may be empty, as they are in a configuration.
func (m Model) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("model %q: "+format, append([]any{m.Name}, args...)...))
		}
	}
	fault(strings.TrimSpace(m.Name) == "", "no name")
	fault(len(m.Name) > maxName, "the name is longer than %d bytes", maxName)
	fault(m.ContextLength <= 0 && m.MaxInput <= 0, "no context length")
	fault(m.ContextLength < 0 || m.MaxInput < 0 || m.MaxOutput < 0, "a limit is below zero")
	fault(m.ContextLength > 0 && m.MaxInput > m.ContextLength, "maximum input %d exceeds the context length %d", m.MaxInput, m.ContextLength)
	fault(m.ContextLength > 0 && m.MaxOutput > m.ContextLength, "maximum output %d exceeds the context length %d", m.MaxOutput, m.ContextLength)
	for _, p := range []float64{m.Price.Input, m.Price.Output, m.Price.CacheRead, m.Price.CacheWrite} {
		fault(p < 0 || math.IsNaN(p) || math.IsInf(p, 0), "a price of %v", p)
	}
	fault(m.Tokenizer != "" && !slices.Contains(Families(), m.Tokenizer), "unknown tokenizer family %q", m.Tokenizer)
	if m.Date != "" {
		_, err := time.Parse(time.DateOnly, m.Date)
		fault(err != nil, "date %q is not YYYY-MM-DD", m.Date)
	}
	return errors.Join(faults...)
}

// Table holds models. The zero Table is empty and usable.
type Table struct {
	ix *index
}

// builtin builds the table once; it never changes afterwards.
var builtin = sync.OnceValue(func() Table { return newTable(rows()) })

// Builtin returns the table that ctxpack ships.
func Builtin() Table { return builtin() }

// newTable takes ownership of list.
func newTable(list []Model) Table {
	slices.SortStableFunc(list, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return Table{ix: newIndex(list)}
}

// All returns every model, sorted by name. The slice is the caller's own.
func (t Table) All() []Model {
	if t.ix == nil {
		return nil
	}
	return slices.Clone(t.ix.models)
}

// Len returns the number of models.
func (t Table) Len() int {
	if t.ix == nil {
		return 0
	}
	return len(t.ix.models)
}

// Date returns the day of the newest number that did not come from a configuration,
// YYYY-MM-DD, or "" if there is none. Single rows may be older: see Model.Date.
func (t Table) Date() string {
	newest := ""
	for _, m := range t.All() {
		if m.Source != Configuration {
			newest = max(newest, m.Date)
		}
	}
	return newest
}

// With returns a table in which every override replaces the model of exactly its name,
// or is added where there is none; the receiver stays as it is. An override becomes a
// Configuration row. What it leaves empty is taken over from the model that its name
// finds, unless that was only a relative (FamilyMatch): tokenizer, provider, prices
// (all four together), maximum output; context length and maximum input likewise as a pair.
// Overrides without a name are ignored, of two with the same name the later one holds.
// Validate them beforehand; With takes limits as they are.
func (t Table) With(overrides ...Model) Table {
	list := t.All()
	for _, o := range overrides {
		if strings.TrimSpace(o.Name) == "" {
			continue
		}
		base, match, found := t.Find(o.Name)
		if !found || match == FamilyMatch {
			base = Model{Tokenizer: Other}
		}
		row := inherit(o, base)
		at := slices.IndexFunc(list, func(m Model) bool { return m.Name == row.Name })
		if at < 0 {
			list = append(list, row)
			continue
		}
		row.Aliases = append(row.Aliases, list[at].Aliases...)
		list[at] = row
	}
	return newTable(list)
}

// inherit fills the gaps of an override from the model it stands for.
func inherit(o, base Model) Model {
	o.Source = Configuration
	o.Aliases = slices.Clone(o.Aliases)
	if o.Tokenizer == "" {
		o.Tokenizer = base.Tokenizer
	}
	if o.Provider == "" {
		o.Provider = base.Provider
	}
	if o.ContextLength == 0 && o.MaxInput == 0 {
		o.ContextLength, o.MaxInput = base.ContextLength, base.MaxInput
	}
	if o.MaxOutput == 0 && base.MaxOutput <= o.ContextLength {
		o.MaxOutput = base.MaxOutput
	}
	if o.Price == (Price{}) && base.Price != (Price{}) {
		o.Price = base.Price
		if o.Note == "" {
			o.Note = "prices of " + base.Provenance()
		}
	}
	return o
}

package cmd

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/models"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
)

// window is a context length and where it comes from.
type window struct {
	model  string // the model it belongs to; "" for none
	tokens int
	source string // in words: "gpt-4o, litellm 2026-08-01"
}

// session is what an engine is told of a conversation with this window.
func (w window) session(c *formats.Conversation, at formats.Position) compress.SessionInfo {
	return compress.SessionInfo{ID: cmp.Or(c.ID, at.String()), Model: w.model, ContextLength: w.tokens}
}

// windows says which context length a conversation has: --context-length, else that of --model, else that of the
// record's own model, else the default. Safe for concurrent use.
type windows struct {
	table models.Table
	named *window // by flag, environment or configuration; nil: the records decide
}

// newWindows resolves what the settings name. A model that is named and not known is an error of usage.
func newWindows(s *Settings) (windows, error) {
	w := windows{table: models.Builtin().With(s.Models...)}
	if s.ContextLength > 0 {
		w.named = &window{model: s.Model, tokens: int(s.ContextLength), source: s.Entry("context_length").Origin.String()}
		return w, nil
	}
	if s.Model == "" {
		return w, nil
	}
	m, match, err := w.table.Lookup(s.Model)
	if err != nil {
		return w, unknownModel(err)
	}
	w.named = &window{model: s.Model, tokens: m.Limit(), source: provenance(m, match)}
	return w, nil
}

// provenance is the table row behind a number, and how it was found when not by its own name.
func provenance(m models.Model, match models.Match) string {
	if match == models.FamilyMatch {
		return m.Provenance() + ", by family"
	}
	return m.Provenance()
}

// of is the window of one conversation.
func (w windows) of(c *formats.Conversation) window {
	if w.named != nil {
		return *w.named
	}
	if c.Model == "" {
		return window{tokens: compress.DefaultContextLength, source: "default: no model named"}
	}
	if m, match, ok := w.table.Find(c.Model); ok {
		return window{model: c.Model, tokens: m.Limit(), source: "the record's model: " + provenance(m, match)}
	}
	return window{model: c.Model, tokens: compress.DefaultContextLength, source: "default: the record's model is not known"}
}

// newCounter is the one token counter of a run: --tokenizer (an encoding, a family, or a tokenizer's file), else that of
// the named model, else o200k_base.
func (a *app) newCounter(s *Settings) (tokens.Counter, error) {
	switch {
	case s.Tokenizer != "":
		return a.namedCounter(s.Tokenizer)
	case s.Model == "":
		return tokens.New("o200k_base")
	}
	family := tokens.FamilyForModel(s.Model)
	if m, _, ok := models.Builtin().With(s.Models...).Find(s.Model); ok && m.Tokenizer != "" {
		family = m.Tokenizer
	}
	return tokens.ForFamily(family)
}

func (a *app) namedCounter(name string) (tokens.Counter, error) {
	counter, err := tokens.New(name)
	if err == nil {
		return counter, nil
	}
	if byFamily, familyErr := tokens.ForFamily(name); familyErr == nil {
		return byFamily, nil
	}
	path := a.streams.Path(name)
	if _, statErr := os.Stat(path); statErr == nil {
		counter, err = tokens.Load(path)
		if err != nil {
			return nil, usageError(fmt.Errorf("%s: %w", name, err), "--tokenizer takes a tokenizer.json or a .tiktoken file")
		}
		return counter, nil
	}
	if family := tokens.FamilyForModel(name); family != "other" { // a model, or its tokenizer's repository
		return tokens.ForFamily(family)
	}
	return nil, usageError(err, "known are "+strings.Join(append(tokens.Names(), tokens.Families()...), ", ")+", or a tokenizer's file")
}

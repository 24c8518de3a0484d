package models

import "strings"

// Match says how a name found its model.
type Match string

// The ways to find a model, best first.
const (
	ExactMatch      Match = "exact"      // the model's own name, byte for byte
	AliasMatch      Match = "alias"      // one of its other names, byte for byte
	NormalizedMatch Match = "normalized" // after case, provider, region, date and variant were taken off
	FamilyMatch     Match = "family"     // a known name and then something: taken for a variant of it
)

// maxName is the longest name, in bytes, that can be found, prefixes included. Real ones
// stay under 100; the bound keeps hostile input cheap.
const maxName = 256

// entry is what the index holds for a name.
type entry struct {
	at    int // position in models
	match Match
}

// index answers lookups. It is built once and only read afterwards.
type index struct {
	models []Model
	exact  map[string]entry // names and aliases as written
	folded map[string]int   // the same, folded
}

// newIndex indexes list: names before aliases, so that an exact name always wins, and
// what the user configured before what ctxpack ships.
func newIndex(list []Model) *index {
	ix := &index{
		models: list,
		exact:  make(map[string]entry, 3*len(list)),
		folded: make(map[string]int, 3*len(list)),
	}
	add := func(name string, at int, match Match) {
		if _, taken := ix.exact[name]; !taken {
			ix.exact[name] = entry{at, match}
		}
		if key := fold(name); len(name) <= maxName {
			if _, taken := ix.folded[key]; !taken {
				ix.folded[key] = at
			}
		}
	}
	each := func(configured bool, visit func(at int, m Model)) {
		for at, m := range list {
			if (m.Source == Configuration) == configured {
				visit(at, m)
			}
		}
	}
	names := func(at int, m Model) { add(m.Name, at, ExactMatch) }
	aliases := func(at int, m Model) {
		for _, alias := range m.Aliases {
			add(alias, at, AliasMatch)
		}
	}
	each(true, names)
	each(false, names)
	each(true, aliases)
	each(false, aliases)
	return ix
}

// Lookup finds the model a name means: by its exact name or an alias; without regard to
// case, provider prefix ("openrouter/anthropic/…", "bedrock" style "us.anthropic.…-v1:0"),
// "@region", ":free" and the like, and dates ("-2024-08-06", "-20250514", "-0613", "-latest");
// and at last by family, the longest known name that ends at a separator. A family is not
// guessed across a version or size: "gpt-4-64k" is not gpt-4. The error is an *UnknownModelError.
func (t Table) Lookup(name string) (Model, Match, error) {
	m, match, ok := t.Find(name)
	if !ok {
		return Model{}, "", &UnknownModelError{Name: name, Nearest: t.Nearest(name, nearestInError)}
	}
	return m, match, nil
}

// Find is Lookup for hot paths: it does not look for the nearest names of an unknown model.
// It allocates nothing for lower-case names.
func (t Table) Find(name string) (Model, Match, bool) {
	if t.ix == nil {
		return Model{}, "", false
	}
	if e, ok := t.ix.exact[name]; ok {
		return t.ix.models[e.at], e.match, true
	}
	if len(name) > maxName {
		return Model{}, "", false
	}
	s := strings.ToLower(strings.TrimSpace(name))
	at, ok := t.ix.normalized(s)
	if ok {
		return t.ix.models[at], NormalizedMatch, true
	}
	at, ok = t.ix.family(bare(s))
	if ok {
		return t.ix.models[at], FamilyMatch, true
	}
	return Model{}, "", false
}

// normalized takes prefixes and then suffixes off s, a lower-case name, and asks after
// every step, so that the most particular entry wins.
func (ix *index) normalized(s string) (int, bool) {
	if at, ok := ix.get(s); ok {
		return at, true
	}
	fromBedrock := false
	for {
		rest, dotted, ok := cutPrefix(s)
		if !ok {
			break
		}
		s, fromBedrock = rest, fromBedrock || dotted
		if at, ok := ix.get(s); ok {
			return at, true
		}
	}
	for {
		rest, ok := cutSuffix(s, fromBedrock)
		if !ok {
			return 0, false
		}
		s = rest
		if at, ok := ix.get(s); ok {
			return at, true
		}
	}
}

// family finds the longest known name that s continues after a separator.
func (ix *index) family(s string) (int, bool) {
	for i := len(s) - 1; i > 0; i-- {
		if strings.IndexByte("-_:@ ", s[i]) < 0 || otherVersion(s[i+1:]) {
			continue
		}
		if at, ok := ix.get(s[:i]); ok {
			return at, true
		}
	}
	return 0, false
}

// otherVersion reports whether what follows a known name makes it another model: a
// version ("4" in claude-opus-4), a size ("32k", "70b"), or that it was distilled, which
// leaves it the tokenizer and window of a third one. Four digits and more are a date.
func otherVersion(rest string) bool {
	if strings.HasPrefix(rest, "distill") {
		return true
	}
	digits := leadingDigits(rest)
	return digits > 0 && digits < 4
}

// get looks a name up by its folded spelling, without allocating.
func (ix *index) get(s string) (int, bool) {
	if s == "" || len(s) > maxName {
		return 0, false
	}
	var buf [maxName]byte
	at, ok := ix.folded[string(appendFolded(buf[:0], s))]
	return at, ok
}

// fold spells a name in the one way in which claude-sonnet-4.5 and Claude-Sonnet-4-5,
// or llama3.1:8b and llama3.1-8b, are the same.
func fold(s string) string { return string(appendFolded(nil, strings.ToLower(s))) }

// appendFolded appends the folded spelling of s, which is lower-case.
func appendFolded(dst []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; c {
		case '.', ':', '_', '@', ' ':
			dst = append(dst, '-')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// Package targets knows what trainers and APIs refuse: the rules of each, in the words of its own errors, so that a user
// who searches for one finds it. Checks are pure functions of one record and say nothing about quality.
//
// The wording was taken from the messages that the projects print or return; versions differ in details.
package targets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// Record is one conversation with what a target may ask about it.
type Record struct {
	Conversation *formats.Conversation
	Payload      []byte // the record's JSON
	Parquet      bool   // the container; JSON otherwise
	Index        int64  // 0-based, in its file
	Tokens       func() int
	MaxLength    int // tokens; 0: not checked
}

// Breach is one reason to refuse a record.
type Breach struct {
	Rule string // stable and machine-readable
	Text string // in the target's words
	Turn int    // 0-based message, -1 for the whole record
}

// Target is one trainer or API.
type Target struct {
	Name        string
	Consequence string // what it does with a breach
	Parquet     bool   // it reads nothing else
	check       func(*checker)
	steps       []func(*adapter) // how Adapt mends breaches, in order
	mask        func(*adapter)   // how summaries by the assistant are marked; nil where the target knows no mask
}

// All are the targets, trainers first.
func All() []Target {
	return []Target{
		{"llamafactory", "skips the record with one log line", false, checkLLaMAFactory,
			[]func(*adapter){nameRoles, moveResults, foldSystem, joinTurns(sameSide)}, nil},
		{"axolotl", "raises", false, checkAxolotl, nil, maskAs("false", "train", "training")}, // message_field_training
		{"trl", "fails to load the data set", false, checkTRL, []func(*adapter){spellArguments(true)}, nil},
		{"torchtune", "raises", false, checkTorchtune, []func(*adapter){foldSystem, joinTurns(sameRole)}, nil},
		{"verl", "raises", true, checkVerl, nil, nil},
		{"openai-ft", "rejects the file", false, checkFineTuning, []func(*adapter){moveResults, spellArguments(false)}, maskAs("0", "weight")},
		{"anthropic", "answers HTTP 400", false, checkAnthropic, []func(*adapter){moveResults, foldSystem, joinTurns(sameName)}, nil},
		{"openai", "answers HTTP 400", false, checkOpenAI, []func(*adapter){moveResults, spellArguments(false)}, unmask},
		{"mistral", "fails in the template", false, checkMistral, []func(*adapter){moveResults, foldSystem, joinTurns(sameRole)}, nil},
	}
}

// Masks says whether the target can be told what not to learn from, or learns nothing.
func (t Target) Masks() bool { return t.mask != nil }

// Names are the names of all targets.
func Names() []string {
	var names []string
	for _, t := range All() {
		names = append(names, t.Name)
	}
	return names
}

// ByName finds a target.
func ByName(name string) (Target, bool) {
	all := All()
	i := slices.IndexFunc(all, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return Target{}, false
	}
	return all[i], true
}

// Check gives every breach of the record, in order of its messages.
func (t Target) Check(r Record) []Breach {
	c := &checker{Record: r}
	if !r.Conversation.HasMessages() {
		c.add("no_conversation", -1, "there is no conversation in the record")
		return c.breaches
	}
	t.check(c)
	return c.breaches
}

// checker collects breaches.
type checker struct {
	Record
	breaches []Breach
}

func (c *checker) add(rule string, turn int, format string, args ...any) {
	c.breaches = append(c.breaches, Breach{Rule: rule, Text: fmt.Sprintf(format, args...), Turn: turn})
}

// turns are the messages that stand in the list: a system text outside it is none.
func (c *checker) turns() []*formats.Message {
	list := c.Conversation.Messages
	if len(list) > 0 && list[0].Outside {
		return list[1:]
	}
	return list
}

// member is a top-level member of the record.
func (c *checker) has(keys ...string) bool {
	o := formats.ObjectAt(c.Payload, span(c.Payload))
	for _, key := range keys {
		if !o.Has(key) {
			return false
		}
	}
	return true
}

func span(json []byte) formats.Span {
	start := 0
	for start < len(json) && strings.IndexByte(" \t\r\n", json[start]) >= 0 {
		start++
	}
	return formats.Span{Start: start, End: len(json)}
}

// object is a message as it is spelled.
func object(m *formats.Message) formats.Object {
	raw := m.Bytes()
	return formats.ObjectAt(raw, span(raw))
}

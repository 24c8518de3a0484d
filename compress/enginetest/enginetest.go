// Package enginetest is the contract of context engines as a list of rules that any engine can be held against: in tests,
// and by `ctxpack engines test NAME`.
package enginetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ctxpack/ctxpack/compress"
)

// Verdict is what became of one rule.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"
	Fail    Verdict = "fail"
	Warning Verdict = "warning" // the rule is a wish
	Skipped Verdict = "skipped" // another rule failed that this one builds upon
)

// Outcome is one rule held against an engine.
type Outcome struct {
	Rule    string  `json:"rule"`
	About   string  `json:"about"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"`
}

// Options say how an engine is tested.
type Options struct {
	Meter         *compress.Meter
	ContextLength int // tokens; 0 takes DefaultLength
}

// DefaultLength is a window that the suite's conversations outgrow.
const DefaultLength = 8000

// rule is a rule of the suite.
type rule struct {
	name, about string
	wish        bool
}

// The rules beside those of lists (compress.Rules).
const (
	ruleName      = "name"
	ruleSession   = "session"
	ruleStatus    = string(compress.RuleStatus)
	ruleThreshold = "threshold"
	ruleShould    = "should_compress"
	ruleUpdate    = "update"
	ruleCompress  = "compress"
	ruleSmaller   = "smaller"
	ruleAgain     = "again"
	ruleGrowsOn   = "grows_on"
	ruleInput     = "input"
	ruleCount     = "compression_count"
	ruleReset     = "reset"
	ruleSessions  = "sessions"
	ruleTools     = "tools"
	ruleRepeat    = "repeat"
	ruleEnd       = "end"
)

// rules is the contract, in the order in which it is reported.
func rules() []rule {
	return []rule{
		{name: ruleName, about: "the engine has a name"},
		{name: ruleSession, about: "a session starts"},
		{name: ruleStatus, about: "the status has exactly its five keys, and its share of the window lies within 0 to 100"},
		{name: ruleThreshold, about: "the threshold is above 0 and not above the context length"},
		{name: ruleShould, about: "should_compress fires from the threshold on, and at nothing less"},
		{name: ruleUpdate, about: "what the provider counted shows in the status"},
		{name: ruleCompress, about: "every conversation is answered"},
		{name: string(compress.RuleMessages), about: "the answer is a list of messages that the record's dialect can hold"},
		{name: string(compress.RuleNotEmpty), about: "something is left of a conversation"},
		{name: string(compress.RuleOrder), about: "what is kept stands in the order in which it stood"},
		{name: string(compress.RuleInvented), about: "no tool call is invented"},
		{name: string(compress.RulePairs), about: "every result has its call before it, every call its result"},
		{name: string(compress.RuleSystem), about: "the system texts at the start stay whole"},
		{name: string(compress.RuleLastHuman), about: "the last human message stays whole"},
		{name: string(compress.RulePinned), about: "what only its maker can read stays as it is"},
		{name: string(compress.RuleTurns), about: "user and assistant alternate as well as before"},
		{name: string(compress.RuleSummary), about: "there is at most one summary"},
		{name: ruleSmaller, about: "what was changed has fewer tokens"},
		{name: ruleAgain, about: "compacting the output again does no harm"},
		{name: ruleGrowsOn, about: "an output that more turns have followed can be compacted, three times over"},
		{name: ruleInput, about: "the input's bytes and list are not written to"},
		{name: ruleCount, about: "compression_count goes up by one for each compaction"},
		{name: ruleReset, about: "a reset forgets usage and count, and keeps the threshold"},
		{name: ruleSessions, about: "sessions know nothing of each other"},
		{name: ruleTools, about: "tools have schemas, and an unknown one is answered with an error"},
		{name: ruleRepeat, about: "the same input twice gives the same output", wish: true},
		{name: ruleEnd, about: "a session ends, and ending it again does no harm"},
	}
}

// suite is one engine under test.
type suite struct {
	engine  compress.Engine
	options Options
	reached map[string]bool
	failed  map[string]string
}

// Run holds an engine against every rule. Only a cancelled ctx leaves rules out without a reason.
func Run(ctx context.Context, e compress.Engine, o Options) []Outcome {
	if o.ContextLength <= 0 {
		o.ContextLength = DefaultLength
	}
	s := &suite{engine: e, options: o, reached: map[string]bool{}, failed: map[string]string{}}
	s.basics(ctx)
	if s.good(ruleSession) && s.good(ruleStatus) {
		s.compressions(ctx)
		s.tools(ctx)
		s.states(ctx)
		s.end(ctx)
	}
	var list []Outcome
	for _, r := range rules() {
		one := Outcome{Rule: r.name, About: r.about, Verdict: OK, Reason: s.failed[r.name]}
		switch {
		case one.Reason != "" && r.wish:
			one.Verdict = Warning
		case one.Reason != "":
			one.Verdict = Fail
		case !s.reached[r.name]:
			one.Verdict, one.Reason = Skipped, "builds upon a rule that failed"
		}
		list = append(list, one)
	}
	return list
}

// Failed counts the rules that failed.
func Failed(list []Outcome) int {
	n := 0
	for _, o := range list {
		if o.Verdict == Fail {
			n++
		}
	}
	return n
}

// note says that a rule was looked at; an error is that it fails. An error that names a rule of its own fails that one.
func (s *suite) note(name string, err error) bool {
	s.reached[name] = true
	if err == nil {
		return true
	}
	var breach *compress.Breach
	if errors.As(err, &breach) && string(breach.Rule) != name {
		s.reached[name] = s.reached[name] && s.failed[name] != ""
		name = string(breach.Rule)
		s.reached[name] = true
	}
	if s.failed[name] == "" {
		s.failed[name] = err.Error()
	}
	return false
}

func (s *suite) notef(name, format string, args ...any) { s.note(name, fmt.Errorf(format, args...)) }

func (s *suite) good(name string) bool { return s.reached[name] && s.failed[name] == "" }

// open starts a session. Whoever opens one closes it.
func (s *suite) open(ctx context.Context, id string, length int) (compress.Session, error) {
	return s.engine.NewSession(ctx, compress.SessionInfo{ID: id, ContextLength: length})
}

// shut ends a session that another rule is about.
func shut(ctx context.Context, session compress.Session) { _ = compress.EndSession(ctx, session) }

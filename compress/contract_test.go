package compress_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// list reads messages: "s:text", "u:text", "a:text", "c:ID" (a call), "t:ID" (its result), each separated by a bar.
func list(t *testing.T, spec string) []*formats.Message {
	t.Helper()
	var all []string
	for _, one := range strings.Split(spec, "|") {
		kind, text, _ := strings.Cut(one, ":")
		switch kind {
		case "s", "u", "a":
			role := map[string]string{"s": "system", "u": "user", "a": "assistant"}[kind]
			all = append(all, fmt.Sprintf(`{"role": %q, "content": %q}`, role, text))
		case "c":
			all = append(all, fmt.Sprintf(`{"role": "assistant", "content": null, "tool_calls": [{"id": %q, "type": "function", "function": {"name": "f", "arguments": "{}"}}]}`, text))
		case "t":
			id, content, _ := strings.Cut(text, "=")
			all = append(all, fmt.Sprintf(`{"role": "tool", "tool_call_id": %q, "content": %q}`, id, "result "+content))
		}
	}
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(`{"messages": [` + strings.Join(all, ", ") + `]}`)}, formats.OpenAI{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Messages
}

func TestCheckOutput(t *testing.T) {
	before := "s:rules|u:hello|a:yes|c:1|t:1|a:so|u:more|a:well|c:2|t:2|u:last|c:3|t:3"
	summary := summarize.Marker + " It went well. " + summarize.End
	for _, test := range []struct {
		name, after string
		rule        compress.Rule
	}{
		{"unchanged", before, ""},
		{"middle left out", "s:rules|u:hello|a:between|u:last|c:3|t:3", ""},
		{"summary in front", "s:rules|u:" + summary + "last|c:3|t:3", ""},
		{"a note", "s:rules and a note|u:last|c:3|t:3", ""},
		{"result cleared", "s:rules|u:hello|a:yes|c:1|t:1=cleared|a:so|u:more|a:well|c:2|t:2|u:last|c:3|t:3", ""},
		{"in flight", "s:rules|u:last|c:3", ""},
		{"nothing", "", compress.RuleNotEmpty},
		{"result without a call", "s:rules|u:last|t:3", compress.RulePairs},
		{"call without a result", "s:rules|u:hello|c:1|u:last|c:3|t:3", compress.RulePairs},
		{"invented call", before + "|c:4|t:4", compress.RuleInvented},
		{"the same call twice", before + "|c:3|t:3", compress.RuleOrder},
		{"system text gone", "u:last|c:3|t:3", compress.RuleSystem},
		{"system text changed", "s:rule|u:last|c:3|t:3", compress.RuleSystem},
		{"human message gone", "s:rules|u:more|c:3|t:3", compress.RuleLastHuman},
		{"human message changed", "s:rules|u:las|c:3|t:3", compress.RuleLastHuman},
		{"human message only in the summary", "s:rules|u:" + summarize.Marker + " last " + summarize.End + "|c:3|t:3", compress.RuleLastHuman},
		{"two users", "s:rules|u:hello|u:last|c:3|t:3", compress.RuleTurns},
		{"two assistants", "s:rules|u:last|a:one more|c:3|t:3", compress.RuleTurns},
		{"two summaries", "s:rules|u:" + summary + "|a:" + summary + "|u:last|c:3|t:3", compress.RuleSummary},
		{"out of order", "s:rules|a:well|u:hello|a:between|u:last|c:3|t:3", compress.RuleOrder},
	} {
		summary := strings.ReplaceAll(test.after, summarize.Marker+" ", summarize.Marker+"\n")
		err := compress.CheckOutput(list(t, before), list(t, strings.ReplaceAll(summary, " "+summarize.End, "\n"+summarize.End+"\n\n")))
		var b *compress.Breach
		switch {
		case test.rule == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.rule != "" && (!errors.As(err, &b) || b.Rule != test.rule):
			t.Errorf("%s: %v, want rule %s", test.name, err, test.rule)
		}
	}
	if err := compress.CheckOutput(nil, nil); err != nil {
		t.Error(err)
	}
	if err := compress.CheckOutput(list(t, "u:a"), []*formats.Message{nil}); err == nil {
		t.Error("no message is a message")
	}
}

// What is wrong in the input is put right before an engine that is not ours sees it.
func TestRepair(t *testing.T) {
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	m := &compress.Meter{Counter: counter}
	conv, err := formats.DecodeAs(formats.Record{Raw: []byte(`{"messages":[{"role":"user","content":"u"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"b","content":"lost"},{"role":"user","content":"v"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c","content":"r"}]}`)}, formats.OpenAI{})
	if err != nil {
		t.Fatal(err)
	}
	messages, actions, err := m.Repair(conv)
	if err != nil || len(actions) != 2 || len(messages) != 6 {
		t.Fatalf("%d messages, %v, %v", len(messages), actions, err)
	}
	if err := compress.CheckOutput(messages, messages); err != nil {
		t.Error(err)
	}
}

func TestRegistry(t *testing.T) {
	var r compress.Registry
	r.Add(compress.EngineEntry{Name: compress.DefaultEngine, Origin: "built in"})
	if e, err := r.Resolve("other"); !errors.Is(err, compress.ErrUnknownEngine) || e.Name != compress.DefaultEngine {
		t.Errorf("%v %v", e, err)
	}
	if err := r.AddPlugin(compress.EngineEntry{Name: "other", Origin: "a"}); err != nil || !r.IsPlugin("other") || r.IsPlugin(compress.DefaultEngine) {
		t.Error(err)
	}
	for _, name := range []string{"other", "third"} {
		err := r.AddPlugin(compress.EngineEntry{Name: name, Origin: "b"})
		if err == nil || !strings.Contains(err.Error(), "refused") || !strings.Contains(err.Error(), "other (a)") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e, err := r.Resolve("other"); err != nil || e.Origin != "a" {
		t.Errorf("%v %v", e, err)
	}
	if e, err := r.Resolve(compress.DefaultEngine); err != nil || e.Origin != "built in" {
		t.Errorf("%v %v", e, err)
	}
	if all := r.All(); len(all) != 2 || all[0].Name != "other" {
		t.Errorf("%v", all)
	}
	var none compress.Registry
	if _, err := none.Resolve("x"); err == nil {
		t.Error("an empty registry resolves")
	}
}

func TestStatusHasFiveFigures(t *testing.T) {
	s := compress.State{Threshold: 500, ContextLength: 1000, CompressionCount: 2}
	s.Update(compress.Usage{Prompt: 250, Completion: 50})
	want := compress.SessionStatus{LastPromptTokens: 250, ThresholdTokens: 500, ContextLength: 1000, UsagePercent: 25, CompressionCount: 2}
	if got := s.Status(); got != want || s.Last.Total != 300 {
		t.Errorf("%+v %+v", got, s)
	}
	s.Update(compress.Usage{Prompt: 5000})
	if got := s.Status().UsagePercent; got != 100 {
		t.Errorf("%v %% of the window", got)
	}
	s.ContextLength = 0
	if got := s.Status().UsagePercent; got != 0 {
		t.Errorf("%v %% of no window", got)
	}
}

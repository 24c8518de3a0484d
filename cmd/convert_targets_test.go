package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/targets"
)

// recordsAndSessions is recordsOf, and session logs as the one record that they are.
func recordsAndSessions(t *testing.T, path string) []formats.Record {
	t.Helper()
	if raw, err := os.ReadFile(path); err != nil {
		t.Fatal(err)
	} else if formats.IsSession(raw) {
		return []formats.Record{{Pos: formats.Position{File: filepath.Base(path), Line: 1}, Raw: raw, Session: true}}
	}
	return recordsOf(t, path)
}

// beyondMending says why no conversion can make a target take a conversation without losing something or making it up; ""
// when it can. converted is false for a record that was of the dialect already and is left alone.
func beyondMending(messages []*formats.Message, converted bool, target string) string {
	var turns []*formats.Message
	for _, m := range messages {
		if m.Role != formats.RoleSystem || target != "anthropic" {
			turns = append(turns, m)
		}
	}
	for len(turns) > 0 && turns[0].Role == formats.RoleSystem {
		turns = turns[1:]
	}
	switch {
	case !converted:
		return "left alone"
	case len(turns) == 0:
		return "nobody says anything"
	case turns[0].Role == formats.RoleAssistant && target != "openai":
		return "the assistant begins"
	case len(turns[len(turns)-1].Calls()) > 0 && target != "llamafactory":
		return "a call in flight at the end"
	case target != "llamafactory":
		return ""
	case turns[len(turns)-1].Role != formats.RoleAssistant:
		return "the assistant does not end it"
	}
	for i, m := range turns {
		switch {
		case m.Role == formats.RoleSystem:
			return "a later system text (--target folds it)"
		case i > 0 && turns[i-1].Role == formats.RoleTool && m.Role == formats.RoleUser:
			return "a person speaks right after a tool"
		case i > 0 && turns[i-1].Role == formats.RoleAssistant && m.Role == formats.RoleAssistant && strings.Contains(string(m.Bytes()), "<think>"):
			return "thinking between two turns of the assistant's"
		}
	}
	return ""
}

// Every transcript there is, converted, is taken by whoever reads that dialect, but for what no conversion can mend.
func TestConvertedTranscriptsAreTaken(t *testing.T) {
	for _, test := range []struct{ to, target string }{{"openai", "openai"}, {"anthropic", "anthropic"}, {"sharegpt", "llamafactory"}} {
		target, _ := targets.ByName(test.target)
		dialect, _ := namedDialect(test.to)
		taken, reasons := 0, map[string]int{}
		for _, path := range transcripts(t) {
			for _, rec := range recordsAndSessions(t, path) {
				conv, err := formats.Decode(rec, dialects())
				if err != nil || !conv.HasMessages() {
					continue
				}
				out, err := formats.Convert(conv, test.to)
				if err != nil {
					t.Fatal(err)
				}
				after, err := formats.DecodeAs(formats.Record{Raw: out.Payload}, dialect)
				if err != nil {
					t.Fatal(err)
				}
				breaches := target.Check(targets.Record{Conversation: after, Payload: out.Payload})
				if len(breaches) == 0 {
					taken++
					continue
				}
				why := beyondMending(after.Messages, conv.Spelled != "" || conv.Dialect != test.to, test.target)
				if reasons[why]++; why == "" {
					t.Errorf("%s (%s) to %s: %s", rec.Pos, conv.Dialect, test.to, breaches[0].Text)
				}
			}
		}
		t.Logf("%s takes %d; not %v", test.target, taken, reasons)
	}
}

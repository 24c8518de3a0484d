package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// The fixtures are recognised, and keep their bytes; sessions are put together and can be written in every dialect.
func TestDialectFixtures(t *testing.T) {
	for name, dialect := range map[string]string{
		"anthropic.jsonl": "anthropic", "responses.jsonl": "responses", "atif.json": "atif", "session.traj": "swe-agent",
		"claude-code.jsonl": "claude-code", "codex.jsonl": "codex", "pi.jsonl": "pi", "coding.jsonl": "openai",
		"hermes.jsonl": "hermes", "sharegpt.jsonl": "sharegpt",
	} {
		raw, err := os.ReadFile(filepath.Join("..", "fixtures", name))
		if err != nil {
			t.Fatal(err)
		}
		records := [][]byte{raw}
		session := formats.IsSession(raw)
		if session != formats.IsSessionDialect(dialect) {
			t.Errorf("%s: taken for a session: %v", name, session)
		}
		if !session && filepath.Ext(name) == ".jsonl" {
			records = bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
		}
		for i, payload := range records {
			c, err := formats.Decode(formats.Record{Pos: formats.Position{File: name, Line: int64(i + 1)}, Raw: payload, Session: session}, dialects())
			if err != nil {
				t.Fatal(err)
			}
			if c.Dialect != dialect && name != "hermes.jsonl" && name != "sharegpt.jsonl" && name != "anthropic.jsonl" && name != "responses.jsonl" || len(c.Messages) < 2 {
				t.Errorf("%s:%d is taken for %s with %d messages", name, i+1, c.Dialect, len(c.Messages))
			}
			if !session && !bytes.Equal(c.Bytes(), payload) {
				t.Errorf("%s:%d: changed without an edit", name, i+1)
			}
			if p := formats.Pair(c.Messages); len(p.Orphans) > 0 {
				t.Errorf("%s:%d: %d results without a call", name, i+1, len(p.Orphans))
			}
			for _, to := range formats.ConvertTargets() {
				if _, err := formats.Convert(c, to); err != nil {
					t.Errorf("%s:%d to %s: %v", name, i+1, to, err)
				}
			}
		}
	}
}

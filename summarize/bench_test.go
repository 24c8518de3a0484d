package summarize

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// codingMiddle makes a middle of about size bytes: calls that read, edit and test, with outputs of a few KB.
func codingMiddle(size int) []*formats.Message {
	var messages []*formats.Message
	add := func(role formats.Role, parts ...formats.Part) {
		messages = append(messages, &formats.Message{Role: role, Parts: parts, Number: len(messages)})
	}
	for i := 0; size > 0; i++ {
		var out strings.Builder
		for k := range 60 {
			fmt.Fprintf(&out, "%d\tfunc (s *server%d) handleRequest_%d(ctx context.Context, id string) error { return s.store.find(ctx, %q) }\n", k, i%7, k*i%211, fmt.Sprint(i*k))
		}
		out.WriteString("the quick brown fox reads internal/server/handler.go and writes docs/notes.md about it, again and again\n")
		path := fmt.Sprintf("internal/server/file_%d.go", i%40)
		call := &formats.ToolCall{ID: fmt.Sprint(i), Name: "bash", Arguments: fmt.Sprintf(`{"command":"cd /repo && sed -n '1,60p' %s && go test ./internal/server -run TestHandle%d"}`, path, i%9)}
		add(formats.RoleAssistant, &formats.Text{Text: fmt.Sprintf("The handler in %s drops the id because the store is asked twice. I will read it again.", path)}, call)
		add(formats.RoleTool, &formats.ToolResult{CallID: fmt.Sprint(i), Text: out.String()})
		size -= out.Len() + 200
	}
	return messages
}

func roughCount(text string) int { return (len(text) + 3) / 4 }

func BenchmarkIdentifiers(b *testing.B) {
	var text strings.Builder
	for _, m := range codingMiddle(1 << 20) {
		texts(m, func(_ byte, s string) { text.WriteString(s) })
	}
	s := text.String()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		n := 0
		Identifiers(s, func(string, IdentifierKind) { n++ })
		if n == 0 {
			b.Fatal("nothing found")
		}
	}
}

func BenchmarkLedger(b *testing.B) {
	messages := codingMiddle(5 << 20)
	req := Request{Turns: []Turn{{Messages: messages}}, Budget: 8000, Ledger: 1000, Count: roughCount, Actions: Actions(messages)}
	b.SetBytes(5 << 20)
	for b.Loop() {
		if ranked(req, nil, 1000) == "" {
			b.Fatal("no ledger")
		}
	}
}

func BenchmarkActions(b *testing.B) {
	messages := codingMiddle(5 << 20)
	b.SetBytes(5 << 20)
	for b.Loop() {
		if len(Actions(messages)) == 0 {
			b.Fatal("no calls")
		}
	}
}

// nothing writes the empty template.
type nothing struct{}

func (nothing) Name() string { return "nothing" }

func (nothing) Summarize(context.Context, Request) (Prose, error) {
	return Prose{Text: JoinSections(nil)}, nil
}

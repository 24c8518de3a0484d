package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/provider"
)

func TestRead(t *testing.T) {
	for _, test := range []struct{ body, text, code string }{
		{`{"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}`, "hi", ""},
		{`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`, "ab", ""},
		{`{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}`, "", "empty"},
		{`{"choices":[{"message":{"content":" \n"},"finish_reason":"stop"}]}`, "", "empty"},
		{`{"choices":[]}`, "", "empty"},
		{`{}`, "", "empty"},
		{`{"choices":[{"message":{"content":"half"},"finish_reason":"length"}]}`, "", "cut_off"},
		{`{"choices":[{"message":{"content":"x"},"finish_reason":"content_filter"}]}`, "", "moderation"},
		{`{"choices":[{"message":{"content":null,"refusal":"I will not"},"finish_reason":"stop"}]}`, "", "moderation"},
		{`{"choices":[{"message":{"content":"x"},"finish_reason":"error"}]}`, "", "server"},
		{`{"choices":"no"}`, "", "garbled"},
		{`nonsense`, "", "garbled"},
		{``, "", "garbled"},
	} {
		a, err := read([]byte(test.body))
		if a.Text != test.text || summarize.FailureCode(err) != test.code {
			t.Errorf("%s: %q %v", test.body, a.Text, err)
		}
	}
	a, _ := read([]byte(`{"model":"m","choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}`))
	if a.Tokens != (summarize.Usage{Prompt: 5, Completion: 2, CacheRead: 3}) || a.Model != "m" {
		t.Errorf("%+v", a)
	}
}

func TestExplain(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"error":{"message":"no","type":"t","code":"c"}}`: {"t c error", "no"},
		`{"error":{"message":"no","code":402}}`:            {"402 error", "no"},
		`{"error":"plain"}`:                                {"error", "plain"},
		`{"detail":"Incorrect"}`:                           {"detail", "Incorrect"},
		`{"object":"error","message":"m"}`:                 {"error", "m"},
		`{"choices":[]}`:                                   {"", ""},
		`{"error":null,"choices":[]}`:                      {"", ""},
		`<html>`:                                           {"", ""},
	} {
		if code, message := explain([]byte(body)); code != want[0] || message != want[1] {
			t.Errorf("%s: %q %q", body, code, message)
		}
	}
}

// A server that refuses one spelling of the answer's length is asked in the other, from then on at once.
func TestLengthIsSpelledBothWays(t *testing.T) {
	for _, newer := range []bool{true, false} {
		calls := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls++
			var body map[string]any
			if json.NewDecoder(r.Body).Decode(&body) != nil {
				t.Error("no JSON")
			}
			wrong, right := "max_tokens", "max_completion_tokens"
			if !newer {
				wrong, right = right, wrong
			}
			if body[wrong] != nil {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"error":{"message":"Unsupported parameter: '` + wrong + `' is not supported with this model. Use '` + right + `' instead.","code":"unsupported_parameter"}}`))
				return
			}
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"hi"}}]}`))
		}))
		c := New(server.URL, "", provider.NewHTTP(1), time.Now)
		c.newer.Store(!newer)
		for range 3 {
			if a, err := c.Complete(context.Background(), summarize.Call{Model: "m", Prompt: "p", MaxTokens: 9}); err != nil || a.Text != "hi" {
				t.Errorf("%v %v", a, err)
			}
		}
		if calls != 4 {
			t.Errorf("%d requests for three calls", calls)
		}
		server.Close()
	}
}

func TestCancelled(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that the client has gone
		<-r.Context().Done()
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() { time.Sleep(20 * time.Millisecond); cancel(cause) }()
	if _, err := New(server.URL, "k", provider.NewHTTP(1), time.Now).Complete(ctx, summarize.Call{}); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"model":"m","choices":[{"message":{"content":[{"text":"a"}]},"finish_reason":"stop"}]}`))
	f.Add([]byte(`{"error":{"message":"no","type":"t","code":402}}`))
	f.Add([]byte(`{"error":"x"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := read(body)
		if (err == nil) != (strings.TrimSpace(a.Text) != "") {
			t.Errorf("%+v %v", a, err)
		}
		explain(body)
	})
}

package provider

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/summarize"
)

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		status        int
		code, message string
		class         summarize.Class
		short         string
	}{
		{401, "invalid_api_key", "", summarize.KeyRefused, "key"},
		{403, "unsupported_country_region_territory", "", summarize.KeyRefused, "key"},
		{403, "", "Your chosen model requires moderation and your input was flagged", summarize.Refused, "moderation"},
		{402, "", "", summarize.QuotaExhausted, "quota"},
		{429, "insufficient_quota", "You exceeded your current quota", summarize.QuotaExhausted, "quota"},
		{429, "rate_limit_error enforced_spend_limit_reached", "", summarize.QuotaExhausted, "quota"},
		{400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API", summarize.QuotaExhausted, "quota"},
		{429, "rate_limit_exceeded", "Rate limit reached for gpt-4o", summarize.RateLimited, "rate_limit"},
		{404, "not_found_error", "model: claude-9", summarize.ModelUnknown, "model"},
		{400, "invalid_request_error model_not_found", "invalid model id", summarize.ModelUnknown, "model"},
		{400, "context_length_exceeded", "", summarize.ContextTooLong, "context"},
		{400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum", summarize.ContextTooLong, "context"},
		{400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000", summarize.ContextTooLong, "context"},
		{400, "exceed_context_size_error", "the request exceeds the available context size", summarize.ContextTooLong, "context"},
		{413, "request_too_large", "", summarize.ContextTooLong, "context"},
		{400, "invalid_request_error", "messages: field required", summarize.Refused, "refused"},
		{422, "", "", summarize.Refused, "refused"},
		{408, "", "", summarize.Transient, "server"},
		{409, "", "", summarize.Transient, "server"},
		{500, "server_error", "", summarize.Transient, "server"},
		{529, "overloaded_error", "Overloaded", summarize.Transient, "server"},
		{307, "", "", summarize.Refused, "refused"},
	} {
		class, short := classify(test.status, strings.ToLower(test.code), strings.ToLower(test.message))
		if class != test.class || short != test.short {
			t.Errorf("%d %s %s: class %d %s", test.status, test.code, test.message, class, short)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		header map[string]string
		want   time.Duration
	}{
		{nil, 0},
		{map[string]string{"Retry-After": "7"}, 7 * time.Second},
		{map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond},
		{map[string]string{"Retry-After": "-3"}, 0},
		{map[string]string{"Retry-After": "soon"}, 0},
		{map[string]string{"Retry-After": "Fri, 20 Nov 2026 12:00:30 GMT"}, 30 * time.Second},
		{map[string]string{"Retry-After": "Fri, 20 Nov 2026 11:00:30 GMT"}, 0},
		{map[string]string{"Retry-After-Ms": "250", "Retry-After": "7"}, 250 * time.Millisecond},
		{map[string]string{"X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "6m0s"}, 6 * time.Minute},
		{map[string]string{"X-Ratelimit-Remaining-Tokens": "9", "X-Ratelimit-Reset-Tokens": "6m0s"}, 0},
		{map[string]string{"Anthropic-Ratelimit-Input-Tokens-Remaining": "0", "Anthropic-Ratelimit-Input-Tokens-Reset": "2026-11-20T12:00:09Z"}, 9 * time.Second},
	} {
		h := http.Header{}
		for k, v := range test.header {
			h.Set(k, v)
		}
		if got := retryAfter(h, now); got != test.want {
			t.Errorf("%v: %v, want %v", test.header, got, test.want)
		}
	}
}

func TestCheckBase(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.openai.com/v1/": "https://api.openai.com/v1", "http://localhost:8000/v1": "http://localhost:8000/v1",
		"ftp://x": "", "localhost:8000": "", "": "", "https://user:secret@x/v1": "", "https://x/v1?key=secret": "", "https://": "", "%zz": "",
	} {
		got, err := CheckBase(base)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", base, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error repeats credentials: %v", err)
		}
	}
}

// The key shows in no error, whatever the provider echoes; a redirect is not followed with it.
func TestKeyStaysHere(t *testing.T) {
	const key = "local-0123456789-key"
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	redirect := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if redirect {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte("bad key " + r.Header.Get("Authorization")))
	}))
	defer server.Close()
	e := &Endpoint{URL: server.URL, Headers: map[string]string{"Authorization": "Bearer " + key}, Secret: key, HTTP: NewHTTP(1),
		Explain: func(body []byte) (string, string) { return "x", string(body) }}
	_, err := e.Post(context.Background(), []byte("{}"))
	var failed *summarize.CallError
	if !errors.As(err, &failed) || failed.Class != summarize.KeyRefused || strings.Contains(err.Error(), key) {
		t.Errorf("%v", err)
	}
	redirect = true
	if _, err := e.Post(context.Background(), []byte("{}")); err == nil || elsewhere != 0 {
		t.Errorf("followed a redirect: %v", err)
	}
}

// An answer is kept in the cache: without the key, should a server repeat it.
func TestKeyInAnAnswer(t *testing.T) {
	for key, want := range map[string]string{"local-0123456789-key": "ok " + summarize.Masked, "ollama": "ok ollama"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("ok " + r.Header.Get("X-Api-Key")))
		}))
		defer server.Close()
		e := &Endpoint{URL: server.URL, Headers: map[string]string{"X-Api-Key": key}, Secret: key, HTTP: NewHTTP(1),
			Explain: func([]byte) (string, string) { return "", "" }}
		if answer, err := e.Post(context.Background(), []byte("{}")); err != nil || string(answer) != want {
			t.Errorf("%q %v", answer, err)
		}
	}
}

func TestErrorInsideAnAnswer(t *testing.T) {
	e := &Endpoint{}
	for code, class := range map[string]summarize.Class{"502 error": summarize.Transient, "error": summarize.Transient, "402 error": summarize.QuotaExhausted, "429 error": summarize.RateLimited} {
		var failed *summarize.CallError
		if err := e.Failure(200, code, "x", nil); !errors.As(err, &failed) || failed.Class != class {
			t.Errorf("%s: %v", code, err)
		}
	}
}

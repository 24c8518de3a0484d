// Package provider is the one door to the network: it posts JSON to a provider of models and says in a common way what
// went wrong. What the requests and answers look like is the business of summarize/openai and summarize/anthropic.
package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ctxpack/ctxpack/summarize"
)

// Endpoint is where a provider is found, and how it is asked. Safe for concurrent use.
type Endpoint struct {
	URL     string            // of the resource, complete
	Headers map[string]string // sent with each request, the key's among them
	Secret  string            // the key: taken out of every error text
	HTTP    *HTTP
	Now     func() time.Time
	// Explain finds the error in the body of an answer: its code or type, and its message. Both are "" where there is none.
	Explain func(body []byte) (code, message string)
}

// most is the largest answer that is read.
const most = 16 << 20

// HTTP is the client behind the door.
type HTTP = http.Client

// NewHTTP makes a client for so many requests at a time. It follows no redirects: a key goes where it was meant to go.
func NewHTTP(concurrency int) *HTTP {
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          max(concurrency, 2),
		MaxIdleConnsPerHost:   max(concurrency, 2),
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// CheckBase checks a base URL and gives it without a closing slash. It must be http or https and hold no credentials.
func CheckBase(base string) (string, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return "", errors.New("the base URL cannot be read") // the error would repeat it
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", fmt.Errorf("%q is no base URL such as https://example.com/v1", summarize.Clip(base, 100))
	case u.User != nil:
		return "", errors.New("the base URL holds credentials: keys come from the environment")
	case u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("the base URL has a query or a fragment")
	}
	return strings.TrimRight(base, "/"), nil
}

// leastSecret is how long a key is at least: shorter ones are words ("ollama", "EMPTY") that servers without keys are given.
const leastSecret = 16

// Post sends body and gives the body of the answer, which has status 200 and is no error. Errors are *summarize.CallError,
// or the cause of ctx.
func (e *Endpoint) Post(ctx context.Context, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return nil, e.broken(ctx, "refused", err, summarize.Refused)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	for k, v := range e.Headers {
		req.Header.Set(k, v)
	}
	res, err := e.HTTP.Do(req)
	if err != nil {
		return nil, e.broken(ctx, "connection", err, summarize.Transient)
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	_ = res.Body.Close() // read to its end, or of no use
	if err == nil && len(answer) > most {
		err = fmt.Errorf("an answer of more than %d bytes", most)
	}
	if err != nil && res.StatusCode == http.StatusOK {
		return nil, e.broken(ctx, "connection", err, summarize.Transient)
	}
	if len(e.Secret) >= leastSecret {
		answer = bytes.ReplaceAll(answer, []byte(e.Secret), []byte(summarize.Masked)) // it would be kept in the cache
	}
	code, message := e.Explain(answer)
	if res.StatusCode == http.StatusOK && code == "" && message == "" {
		return answer, nil
	}
	return nil, e.Failure(res.StatusCode, code, message, res.Header)
}

// broken is the error of a request that did not come to an answer.
func (e *Endpoint) broken(ctx context.Context, code string, err error, class summarize.Class) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // without the address, which is in the settings
	}
	unsent := false
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		unsent = true
		err = fmt.Errorf("cannot connect: %w", dial.Err)
	}
	return &summarize.CallError{Class: class, Code: code, Message: e.clean(err.Error()), Unknown: !unsent}
}

// Failure classifies an answer that is an error. status is that of the HTTP response or, for an error inside an answer of
// status 200, the one it names.
func (e *Endpoint) Failure(status int, code, message string, header http.Header) error {
	if status == http.StatusOK {
		status = namedStatus(code)
	}
	f := &summarize.CallError{Status: status, Message: e.clean(message)}
	if f.Message == "" {
		f.Message = strings.ToLower(http.StatusText(status))
	}
	f.Class, f.Code = classify(status, strings.ToLower(code), strings.ToLower(message))
	if f.Class.Retried() {
		f.RetryAfter = retryAfter(header, e.now())
	}
	return f
}

// namedStatus is the status that an error inside a good answer names (OpenRouter's numeric code), else 500: the provider
// broke off while it was answering.
func namedStatus(code string) int {
	for _, word := range strings.Fields(code) {
		if n, err := strconv.Atoi(word); err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return http.StatusInternalServerError
}

func (e *Endpoint) now() time.Time {
	if e.Now == nil {
		return time.Now()
	}
	return e.Now()
}

// clean makes a provider's words fit for logs and reports: without the key and anything like one, on one line, short.
func (e *Endpoint) clean(message string) string {
	if e.Secret != "" {
		message = strings.ReplaceAll(message, e.Secret, summarize.Masked)
	}
	message, _ = summarize.NewRedactor().Mask(message)
	return summarize.Clip(strings.Join(strings.Fields(message), " "), 300)
}

// classify knows the codes of OpenAI, Anthropic, OpenRouter, vLLM and llama.cpp as their documentation and error bodies
// give them (2026): quota that is used up comes as 402, as 429 or as 400, a prompt that is too long as 400 or 413.
func classify(status int, code, message string) (summarize.Class, string) {
	text := code + " " + message
	holds := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case status == http.StatusPaymentRequired,
		holds("insufficient_quota", "credit_balance", "credit balance is too low", "billing_hard_limit", "billing_error",
			"spend_limit_reached", "insufficient credits", "usage limits", "exceeded your current quota"):
		return summarize.QuotaExhausted, "quota"
	case status == http.StatusUnauthorized:
		return summarize.KeyRefused, "key"
	case status == http.StatusForbidden && holds("moderation", "flagged", "content policy", "content_policy"):
		return summarize.Refused, "moderation"
	case status == http.StatusForbidden:
		return summarize.KeyRefused, "key"
	case status == http.StatusNotFound, holds("model_not_found", "invalid model", "is not a valid model", "unknown model"):
		return summarize.ModelUnknown, "model"
	case status == http.StatusRequestEntityTooLarge,
		status == http.StatusBadRequest && holds("context_length", "context length", "context window", "context limit", "context size",
			"prompt is too long", "input is too long", "too many tokens", "maximum number of tokens", "exceeds the maximum", "string_too_long"):
		return summarize.ContextTooLong, "context"
	case status == http.StatusTooManyRequests:
		return summarize.RateLimited, "rate_limit"
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		return summarize.Transient, "server"
	}
	return summarize.Refused, "refused"
}

// retryAfter reads how long to wait: retry-after-ms, Retry-After in seconds or as a date, and otherwise the time at which
// a limit that is used up is filled again (OpenAI's durations, Anthropic's times).
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	if text := strings.TrimSpace(h.Get("Retry-After")); text != "" {
		if s, err := strconv.ParseFloat(text, 64); err == nil {
			return time.Duration(max(s, 0) * float64(time.Second))
		}
		if at, err := http.ParseTime(text); err == nil {
			return max(at.Sub(now), 0)
		}
	}
	longest := time.Duration(0)
	for _, unit := range [...]string{"Requests", "Tokens"} {
		if h.Get("X-Ratelimit-Remaining-"+unit) == "0" {
			if d, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + unit)); err == nil {
				longest = max(longest, d)
			}
		}
	}
	for _, unit := range [...]string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"} {
		if h.Get("Anthropic-Ratelimit-"+unit+"-Remaining") == "0" {
			if at, err := time.Parse(time.RFC3339, h.Get("Anthropic-Ratelimit-"+unit+"-Reset")); err == nil {
				longest = max(longest, at.Sub(now))
			}
		}
	}
	return longest
}

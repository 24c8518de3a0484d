// Package anthropic asks models behind Anthropic's Messages API.
package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/provider"
)

const (
	// DefaultBase is where Anthropic itself is found.
	DefaultBase = "https://api.anthropic.com"
	apiVersion  = "2023-06-01"
)

// Client asks one server. Safe for concurrent use.
type Client struct{ endpoint provider.Endpoint }

// New makes a client. base is a URL without /v1.
func New(base, key string, client *provider.HTTP, now func() time.Time) *Client {
	base = strings.TrimSuffix(base, "/v1")
	c := &Client{provider.Endpoint{
		URL: base + "/v1/messages", Headers: map[string]string{"anthropic-version": apiVersion},
		Secret: key, HTTP: client, Now: now, Explain: explain,
	}}
	if key != "" {
		c.endpoint.Headers["x-api-key"] = key
	}
	return c
}

// Name is "anthropic".
func (*Client) Name() string { return "anthropic" }

type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Messages  []message `json:"messages"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type response struct {
	Type    string `json:"type"`
	Model   string `json:"model"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      struct {
		Input      int `json:"input_tokens"`
		Output     int `json:"output_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
	} `json:"usage"`
}

// Request is the body that a call is sent as.
func (*Client) Request(call summarize.Call) ([]byte, error) {
	return json.Marshal(request{call.Model, call.MaxTokens, []message{{"user", call.Prompt}}})
}

// Complete asks once.
func (c *Client) Complete(ctx context.Context, call summarize.Call) (summarize.Answer, error) {
	body, err := c.Request(call)
	if err != nil {
		return summarize.Answer{}, &summarize.CallError{Code: "refused", Message: err.Error()}
	}
	data, err := c.endpoint.Post(ctx, body)
	if err != nil {
		return summarize.Answer{}, err
	}
	return read(data)
}

func read(data []byte) (summarize.Answer, error) {
	var r response
	if err := json.Unmarshal(data, &r); err != nil || r.Type != "message" {
		return summarize.Answer{}, &summarize.CallError{Class: summarize.Transient, Code: "garbled", Unknown: true,
			Message: "the answer is not what a message looks like"}
	}
	// The provider counts what went through its cache apart; here the prompt is all of it.
	used := summarize.Usage{
		Prompt: r.Usage.Input + r.Usage.CacheWrite + r.Usage.CacheRead, Completion: r.Usage.Output, CacheRead: r.Usage.CacheRead,
	}
	fail := func(class summarize.Class, code, format string, args ...any) (summarize.Answer, error) {
		return summarize.Answer{}, &summarize.CallError{Class: class, Code: code, Message: fmt.Sprintf(format, args...), Tokens: used}
	}
	text := ""
	for _, part := range r.Content {
		if part.Type == "text" {
			text += part.Text
		}
	}
	switch {
	case r.StopReason == "max_tokens":
		return fail(summarize.Transient, "cut_off", "the answer was cut off (stop_reason max_tokens)")
	case r.StopReason == "model_context_window_exceeded":
		return fail(summarize.ContextTooLong, "context", "the model's window was full (stop_reason model_context_window_exceeded)")
	case r.StopReason == "refusal":
		return fail(summarize.Refused, "moderation", "the model refused (stop_reason refusal)")
	case strings.TrimSpace(text) == "":
		return fail(summarize.Transient, "empty", "the answer is empty")
	}
	return summarize.Answer{Text: text, Model: r.Model, Tokens: used}, nil
}

// explain reads {"type": "error", "error": {"type", "message", "details": {"error_code"}}}.
func explain(body []byte) (code, message string) {
	var r struct {
		Type  string `json:"type"`
		Error *struct {
			Type    string `json:"type"`
			Message string `json:"message"`
			Details struct {
				Code string `json:"error_code"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &r) != nil || r.Error == nil {
		return "", ""
	}
	return strings.TrimSpace(r.Error.Type + " " + r.Error.Details.Code), r.Error.Message
}

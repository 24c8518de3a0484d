// Package openai asks models behind OpenAI's chat completions, which OpenRouter, vLLM, Ollama and llama.cpp speak as well.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/provider"
)

// DefaultBase is where OpenAI itself is found.
const DefaultBase = "https://api.openai.com/v1"

// Client asks one server. Safe for concurrent use.
type Client struct {
	endpoint provider.Endpoint
	// newer says that the answer's length is spelled max_completion_tokens: OpenAI's own newer models refuse max_tokens,
	// and many other servers know nothing else. A refusal that names the one switches to the other.
	newer atomic.Bool
}

// New makes a client. base is a URL up to and including /v1; key may be "" for servers that need none.
func New(base, key string, client *provider.HTTP, now func() time.Time) *Client {
	c := &Client{endpoint: provider.Endpoint{
		URL: base + "/chat/completions", Headers: map[string]string{}, Secret: key, HTTP: client, Now: now, Explain: explain,
	}}
	if key != "" {
		c.endpoint.Headers["Authorization"] = "Bearer " + key
	}
	c.newer.Store(base == DefaultBase)
	return c
}

// Name is "openai".
func (*Client) Name() string { return "openai" }

// request is the body of a question.
type request struct {
	Model               string    `json:"model"`
	Messages            []message `json:"messages"`
	MaxTokens           int       `json:"max_tokens,omitempty"`
	MaxCompletionTokens int       `json:"max_completion_tokens,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// response is the part of an answer that is read.
type response struct {
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content content `json:"content"`
			Refusal string  `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

// content is a text, or a list of parts with texts.
type content string

// UnmarshalJSON reads either form.
func (c *content) UnmarshalJSON(data []byte) error {
	var text *string
	if json.Unmarshal(data, &text) == nil {
		if text != nil {
			*c = content(*text)
		}
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += content(p.Text)
	}
	return nil
}

// Request is the body that a call is sent as.
func (c *Client) Request(call summarize.Call) ([]byte, error) {
	r := request{Model: call.Model, Messages: []message{{"user", call.Prompt}}}
	if c.newer.Load() {
		r.MaxCompletionTokens = call.MaxTokens
	} else {
		r.MaxTokens = call.MaxTokens
	}
	return json.Marshal(r)
}

// Complete asks once; once more when the server wants the length of the answer spelled the other way.
func (c *Client) Complete(ctx context.Context, call summarize.Call) (summarize.Answer, error) {
	newer := c.newer.Load()
	a, err := c.once(ctx, call)
	var failed *summarize.CallError
	if !errors.As(err, &failed) || failed.Status != http.StatusBadRequest {
		return a, err
	}
	wrong, right := "max_tokens", "max_completion_tokens"
	if newer {
		wrong, right = right, wrong
	}
	lower := strings.ToLower(failed.Message)
	if !strings.Contains(lower, "'"+wrong+"'") && !strings.Contains(lower, wrong+" ") || !strings.Contains(lower, right) && !strings.Contains(lower, "unsupported") && !strings.Contains(lower, "unrecognized") {
		return a, err
	}
	c.newer.CompareAndSwap(newer, !newer)
	return c.once(ctx, call)
}

func (c *Client) once(ctx context.Context, call summarize.Call) (summarize.Answer, error) {
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
	if err := json.Unmarshal(data, &r); err != nil {
		return summarize.Answer{}, &summarize.CallError{Class: summarize.Transient, Code: "garbled", Unknown: true,
			Message: "the answer is not what a chat completion looks like"}
	}
	used := summarize.Usage{Prompt: r.Usage.Prompt, Completion: r.Usage.Completion, CacheRead: r.Usage.Details.Cached}
	fail := func(class summarize.Class, code, format string, args ...any) (summarize.Answer, error) {
		return summarize.Answer{}, &summarize.CallError{Class: class, Code: code, Message: fmt.Sprintf(format, args...), Tokens: used}
	}
	if len(r.Choices) == 0 {
		return fail(summarize.Transient, "empty", "the answer has no choices")
	}
	choice := r.Choices[0]
	text := string(choice.Message.Content)
	switch {
	case choice.FinishReason == "length":
		return fail(summarize.Transient, "cut_off", "the answer was cut off (finish_reason length)")
	case choice.FinishReason == "content_filter" || choice.Message.Refusal != "" && text == "":
		return fail(summarize.Refused, "moderation", "the model refused (finish_reason %s)", summarize.Clip(choice.FinishReason, 40))
	case choice.FinishReason == "error":
		return fail(summarize.Transient, "server", "the provider broke off (finish_reason error)")
	case strings.TrimSpace(text) == "":
		return fail(summarize.Transient, "empty", "the answer is empty")
	}
	return summarize.Answer{Text: text, Model: r.Model, Tokens: used}, nil
}

// explain reads {"error": {"message", "type", "code"}}, where code may be a number, and {"error": "text"}, {"detail":
// "text"} of smaller servers. A number in an answer of status 200 (OpenRouter) is spelled as a word that classify knows.
func explain(body []byte) (code, message string) {
	var r struct {
		Error   json.RawMessage `json:"error"`
		Detail  any             `json:"detail"`
		Object  string          `json:"object"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &r) != nil {
		return "", ""
	}
	if len(r.Error) == 0 || string(r.Error) == "null" {
		if text, ok := r.Detail.(string); ok {
			return "detail", text
		}
		if r.Object == "error" { // older vLLM
			return "error", r.Message
		}
		return "", ""
	}
	var e struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    any    `json:"code"`
	}
	if json.Unmarshal(r.Error, &e) != nil {
		var text string
		_ = json.Unmarshal(r.Error, &text) // anything else has no words
		return "error", text
	}
	code = e.Type
	switch v := e.Code.(type) {
	case string:
		code += " " + v
	case float64:
		code += " " + strconv.Itoa(int(v))
	}
	return strings.TrimSpace(code + " error"), e.Message
}

// Package summarizetest is a provider of models on the loopback interface that speaks the real protocols and fails as it
// is told to, for tests.
package summarizetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Request is a question that the server got.
type Request struct {
	Number    int // 0-based, in order of arrival
	Anthropic bool
	Model     string
	Prompt    string
	MaxTokens int
	Key       string
}

// Reply says how a question is answered. The zero value is a good summary.
type Reply struct {
	Delay  time.Duration
	Status int // 0: 200
	Header map[string]string
	Body   string // in place of the answer in the protocol's form
	Text   string // of the answer; "": Write(prompt)
	Empty  bool   // an answer without a text
	Finish string // "length"; "": finished
	Hang   bool   // no answer until the client goes away or the server closes
	Reset  bool   // the connection is reset
}

// Server answers questions. Close ends it.
type Server struct {
	URL string // without /v1

	script func(Request) Reply
	server *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	requests []Request
	flying   int
	most     int
}

// New starts a server that asks script how to answer; nil answers everything well.
func New(script func(Request) Reply) *Server {
	if script == nil {
		script = func(Request) Reply { return Reply{} }
	}
	s := &Server{script: script, closed: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.server.URL
	return s
}

// Close ends the server.
func (s *Server) Close() {
	close(s.closed)
	s.server.CloseClientConnections()
	s.server.Close()
}

// Requests gives the questions so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request{}, s.requests...)
}

// Calls is their number.
func (s *Server) Calls() int { return len(s.Requests()) }

// MostInFlight is the most questions that were being answered at the same time.
func (s *Server) MostInFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model               string `json:"model"`
		MaxTokens           int    `json:"max_tokens"`
		MaxCompletionTokens int    `json:"max_completion_tokens"`
		Messages            []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	data, _ := io.ReadAll(r.Body) // a client that goes away shows below
	if json.Unmarshal(data, &body) != nil || len(body.Messages) != 1 {
		http.Error(w, `{"error":{"message":"bad request","type":"invalid_request_error"}}`, http.StatusBadRequest)
		return
	}
	q := Request{
		Anthropic: strings.HasSuffix(r.URL.Path, "/v1/messages"), Model: body.Model, Prompt: body.Messages[0].Content,
		MaxTokens: max(body.MaxTokens, body.MaxCompletionTokens),
		Key:       strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key"),
	}
	s.mu.Lock()
	q.Number = len(s.requests)
	s.requests = append(s.requests, q)
	s.flying++
	s.most = max(s.most, s.flying)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.flying--
		s.mu.Unlock()
	}()
	s.answer(w, r, q, s.script(q))
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, q Request, reply Reply) {
	wait := reply.Delay
	if reply.Hang {
		wait = time.Hour
	}
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		case <-s.closed:
			return
		}
	}
	if reply.Reset {
		reset(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for k, v := range reply.Header {
		w.Header().Set(k, v)
	}
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	body := reply.Body
	if body == "" {
		body = Answer(q, reply)
	}
	_, _ = io.WriteString(w, body) // the client may be gone
}

// reset closes a connection so that the client sees a reset.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// Answer is the body of a good answer in the protocol of the question.
func Answer(q Request, reply Reply) string {
	text := reply.Text
	if text == "" && !reply.Empty {
		text = Write(q.Prompt)
	}
	prompt, completion := len(q.Prompt)/4, len(text)/4
	var body any
	if q.Anthropic {
		stop := "end_turn"
		if reply.Finish == "length" {
			stop = "max_tokens"
		}
		body = map[string]any{
			"type": "message", "role": "assistant", "model": q.Model, "stop_reason": stop,
			"content": []any{map[string]any{"type": "text", "text": text}},
			"usage":   map[string]any{"input_tokens": prompt, "output_tokens": completion},
		}
	} else {
		finish := "stop"
		if reply.Finish != "" {
			finish = reply.Finish
		}
		body = map[string]any{
			"object": "chat.completion", "model": q.Model,
			"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": text}}},
			"usage":   map[string]any{"prompt_tokens": prompt, "completion_tokens": completion},
		}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(data)
}

// Error is the body of an error in the protocol of the question.
func Error(q Request, kind, code, message string) string {
	body := map[string]any{"error": map[string]any{"type": kind, "code": code, "message": message}}
	if q.Anthropic {
		body = map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(data)
}

// Write is a summary that passes the checks, the same for the same prompt: every heading that the prompt asks for, and
// under the first one a few plain words of what the user says.
func Write(prompt string) string {
	return WriteWith(prompt, "")
}

// WriteWith is Write with one more line under the first heading.
func WriteWith(prompt, line string) string {
	_, task, _ := strings.Cut(prompt[max(strings.LastIndex(prompt, "Write the hand-over now"), 0):], "exactly these headings")
	task, length, _ := strings.Cut(task, "\nLength:")
	budget := 0
	if _, err := fmt.Sscanf(length, " about %d tokens", &budget); err != nil {
		budget = 1000
	}
	var b strings.Builder
	first := true
	for h := range strings.SplitSeq(task, "\n") {
		if !strings.HasPrefix(h, "## ") && !strings.HasPrefix(h, "### ") {
			continue
		}
		b.WriteString(h + "\n")
		if first {
			b.WriteString("- " + plainWords(prompt) + "\n")
			if line != "" {
				b.WriteString(line + "\n")
			}
			for i := range min(budget/20, 30) {
				fmt.Fprintf(&b, "- point %d of the work is done and needs no further care\n", i+1)
			}
			first = false
			continue
		}
		b.WriteString("None.\n")
	}
	return b.String()
}

// plainWords are the first words of the first user turn that are nothing but letters.
func plainWords(prompt string) string {
	_, text, ok := strings.Cut(prompt, " [USER] ")
	if !ok {
		text = prompt[strings.Index(prompt, "<<<")+1:]
	}
	if _, after, ok := strings.Cut(text, "\n"); ok {
		text = after
	}
	var words []string
	for word := range strings.FieldsSeq(text) {
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" && len(words) < 12 {
			words = append(words, word)
		}
		if len(words) == 12 {
			break
		}
	}
	return strings.Join(words, " ")
}

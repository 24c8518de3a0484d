package compress_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// engineOf is an engine with one session, made of functions.
type engineOf struct {
	compress func(compress.Request) (compress.Result, error)
	end      error
	ended    int
}

func (*engineOf) Name() string { return "test" }

func (e *engineOf) NewSession(context.Context, compress.SessionInfo) (compress.Session, error) {
	return sessionOf{e}, nil
}

type sessionOf struct{ e *engineOf }

func (sessionOf) UpdateFromResponse(context.Context, compress.Usage) error { return nil }
func (sessionOf) ShouldCompress(context.Context, int) (bool, error)        { return true, nil }
func (sessionOf) State() compress.State                                    { return compress.State{} }
func (s sessionOf) End(context.Context) error                              { s.e.ended++; return s.e.end }
func (s sessionOf) Compress(_ context.Context, r compress.Request) (compress.Result, error) {
	return s.e.compress(r)
}

func TestRunner(t *testing.T) {
	counter, err := tokens.New("rough")
	if err != nil {
		t.Fatal(err)
	}
	conv := func() *formats.Conversation {
		c, err := formats.DecodeAs(formats.Record{Raw: []byte(`{"messages":[{"role":"user","content":"one two three four"},{"role":"assistant","content":"five"}]}`)}, formats.OpenAI{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	changed := func(r compress.Request, extra ...string) (compress.Result, error) {
		list := r.Conversation.Messages[:1:1]
		for _, text := range extra {
			list = append(list, r.Conversation.NewMessage(formats.RoleAssistant, text))
		}
		return compress.Result{Status: compress.Summarized, Messages: list, Summary: &compress.SummaryInfo{},
			Actions: []compress.Action{{Kind: compress.ActionSummarize}}}, nil
	}
	refused := errors.New("refused")
	for _, test := range []struct {
		name   string
		engine engineOf
		want   compress.Status
		code   string
		err    error
	}{
		{name: "changed", engine: engineOf{compress: func(r compress.Request) (compress.Result, error) { return changed(r) }}, want: compress.Summarized},
		{name: "grown", engine: engineOf{compress: func(r compress.Request) (compress.Result, error) { return changed(r, strings.Repeat("x ", 99)) }}, want: compress.NoGain},
		{name: "failed", engine: engineOf{compress: func(compress.Request) (compress.Result, error) { return compress.Result{}, refused }}, want: compress.Failed, code: "engine"},
		{name: "fatal", engine: engineOf{compress: func(compress.Request) (compress.Result, error) {
			return compress.Result{}, &summarize.FatalError{Err: refused}
		}}, err: refused},
		{name: "does not end", engine: engineOf{end: refused, compress: func(r compress.Request) (compress.Result, error) { return changed(r) }}, want: compress.Failed, code: "engine"},
	} {
		r, err := compress.Runner{Engine: &test.engine, Meter: &compress.Meter{Counter: counter}}.Compact(context.Background(), conv(), compress.SessionInfo{})
		if !errors.Is(err, test.err) || test.err == nil && r.Status != test.want || r.Code != test.code || test.engine.ended != 1 {
			t.Errorf("%s: %s %s %v, ended %d times", test.name, r.Status, r.Code, err, test.engine.ended)
		}
		if r.OverLimit || r.Status.Changed() != (r.Messages != nil) || r.Status.Changed() != (r.Summary != nil) || r.Status.Changed() != (r.After.Tokens < r.Before.Tokens) {
			t.Errorf("%s: %+v", test.name, r)
		}
	}
	e := engineOf{compress: func(compress.Request) (compress.Result, error) { panic("oops") }}
	func() {
		defer func() { _ = recover() }()
		_, _ = compress.Runner{Engine: &e, Meter: &compress.Meter{Counter: counter}}.Compact(context.Background(), conv(), compress.SessionInfo{})
	}()
	if e.ended != 1 {
		t.Errorf("after a panic the session was ended %d times", e.ended)
	}
}

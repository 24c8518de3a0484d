package anthropic

import (
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/summarize"
)

func TestRead(t *testing.T) {
	for _, test := range []struct{ body, text, code string }{
		{`{"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"end_turn"}`, "ab", ""},
		{`{"type":"message","content":[],"stop_reason":"end_turn"}`, "", "empty"},
		{`{"type":"message","content":[{"type":"text","text":"half"}],"stop_reason":"max_tokens"}`, "", "cut_off"},
		{`{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"refusal"}`, "", "moderation"},
		{`{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"model_context_window_exceeded"}`, "", "context"},
		{`{"type":"ping"}`, "", "garbled"},
		{`nonsense`, "", "garbled"},
	} {
		a, err := read([]byte(test.body))
		if a.Text != test.text || summarize.FailureCode(err) != test.code {
			t.Errorf("%s: %q %v", test.body, a.Text, err)
		}
	}
	a, err := read([]byte(`{"type":"message","model":"m","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":10,"output_tokens":3,"cache_creation_input_tokens":5,"cache_read_input_tokens":7}}`))
	if err != nil || a.Tokens != (summarize.Usage{Prompt: 22, Completion: 3, CacheRead: 7}) {
		t.Errorf("%+v %v", a, err)
	}
}

func TestExplain(t *testing.T) {
	code, message := explain([]byte(`{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"enforced_spend_limit_reached"}}}`))
	if code != "rate_limit_error enforced_spend_limit_reached" || message != "m" {
		t.Errorf("%q %q", code, message)
	}
	if code, message := explain([]byte(`{"type":"message"}`)); code+message != "" {
		t.Errorf("%q %q", code, message)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`))
	f.Add([]byte(`{"type":"error","error":{"type":"t","message":"m"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := read(body)
		if (err == nil) != (strings.TrimSpace(a.Text) != "") {
			t.Errorf("%+v %v", a, err)
		}
		explain(body)
	})
}

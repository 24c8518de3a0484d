package formats_test

import (
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

var openAIBatchSamples = []formatstest.Sample{
	{Name: "request", JSON: `{"custom_id": "r-1", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "gpt-4o", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c", "content": "r"}], "tools": [], "max_tokens": 1e3}}`},
}

func TestOpenAIBatch(t *testing.T) { formatstest.Run(t, formats.OpenAIBatch{}, openAIBatchSamples) }

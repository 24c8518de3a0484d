package formats_test

import (
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

var anthropicSamples = []formatstest.Sample{
	{Name: "calls and results", JSON: `{"model":"claude-sonnet-4-5","system":"Be brief.","tools":[{"name":"ls","input_schema":{}}],"messages":[{"role":"user","content":"list \ud83d <&>"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"ls","input":{"path":".","n":1.10}},{"type":"tool_use","id":"t2","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"b.go\n"},{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a.go"},{"type":"image","source":{}}],"is_error":true},{"type":"text","text":"go on"}]},{"role":"assistant","content":"two files"}]}`},
	{Name: "blocks everywhere", JSON: `{"messages": [{"role": "user", "content": [{"type": "text", "text": "go"}]}, {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "AAAA"}, {"type": "tool_use", "id": "x", "name": "f", "input": {"e": "é"}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}, {"type": "document", "source": {"type": "base64", "data": "AA=="}}]}, {"role": "assistant", "content": [{"type": "text", "text": "done"}, {"type": "server_tool_use", "id": "s", "name": "web"}, 7, null]}], "system" : [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}], "max_tokens": 1e3}`},
	{Name: "batch request", JSON: `{"custom_id":"a","params":{"model":"m","system":"S","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"}]}]}}`},
	{Name: "pretty and broken pairs", JSON: "{\n  \"messages\": [\n    {\n      \"role\": \"user\",\n      \"content\": [\n        {\n          \"type\": \"tool_result\",\n          \"tool_use_id\": \"zz\",\n          \"content\": {\"a\": 1}\n        },\n        {\n          \"type\": \"text\",\n          \"text\": \"go\"\n        }\n      ]\n    },\n    {\n      \"role\": \"assistant\",\n      \"content\": [\n        {\n          \"type\": \"tool_use\",\n          \"id\": \"\",\n          \"name\": \"f\",\n          \"input\": null\n        }\n      ]\n    },\n    {\"role\": \"user\", \"content\": null},\n    {\"role\": \"critic\"},\n    12\n  ]\n}"},
}

func TestAnthropic(t *testing.T) { formatstest.Run(t, formats.Anthropic{}, anthropicSamples) }

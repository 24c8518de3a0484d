package formats_test

import (
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

var openAISamples = []formatstest.Sample{
	{Name: "plain", JSON: `{"id": "a-1", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}], "tools": []}`},
	{Name: "compact with calls", JSON: `{"model":"gpt-4o","messages":[{"role":"user","content":"list files \ud83d\ude00 \ud83d <&>"},{"role":"assistant","content":null,"reasoning_content":"hm","reasoning":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"path\": \".\", \"n\": 1.10}"}},{"id":"c2","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c2","content":"b.go\n"},{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"a.go"},{"type":"image_url","image_url":{"url":"data:;base64,AA=="}}]},{"role":"assistant","content":"two files","refusal":"no","weight":1}],"x":1e3,"x":12345678901234567890}`},
	{Name: "arguments as objects, null padding", JSON: `{"messages":[{"content":"go","role":"user","tool_calls":null,"tool_call_id":null,"name":null},{"content":"","role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":{"b":1.0,"a":"é"}}}],"tool_call_id":null,"name":null},{"content":{"k":[1]},"role":"tool","tool_calls":null,"tool_call_id":"1","name":"f"}]}`},
	{Name: "old function_call", JSON: `{"messages": [{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}, "bare", 7]}, {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{broken"}}, {"role": "function", "name": "f", "content": null}, {"role": "exit", "content": 12, "extra": {"a": [ ]}}]}`},
	{Name: "pretty printed", JSON: "{\n  \"info\": {\"model\": \"m\"},\n  \"traj\" : [\n    {\n      \"role\": \"user\",\n      \"content\": \"a\"\n    } ,\n    {\n      \"role\": \"assistant\",\n      \"content\": \"b\"\n    }\n  ]\n}"},
	{Name: "bare list", JSON: "[ {\"role\":\"user\",\"content\":\"a\"},\t{\"role\":\"assistant\"} , {\"role\":null}, 7, null, \"s\", {} ]"},
	{Name: "swe-agent history", JSON: `{"trajectory": [{"action": "ls", "observation": "x"}], "history": [{"role": "assistant", "content": "t", "agent": "main", "tool_calls": [{"id": "q", "function": {"name": "bash", "arguments": "{}"}}], "message_type": "action"}, {"role": "tool", "content": [{"type": "text", "text": "x"}], "tool_call_ids": ["q"]}]}`},
	{Name: "preference", JSON: `{"input": {"messages": [{"role": "user", "content": "a"}], "tools": []}, "preferred_output": [{"role": "assistant", "content": "b"}]}`},
	{Name: "escaped keys", JSON: `{"\u006dessages": [{"\u0072ole": "user", "content": "first", "c\u006fntent": "second"}]}`},
	{Name: "interrupted and orphaned", JSON: `{"messages":[{"role":"tool","tool_call_id":"zz","content":"orphan"},{"role":"assistant","tool_calls":[{"id":"","function":{"name":"f","arguments":""}}]},{"role":"user","content":"wait"},{"role":"tool","content":"late"},{"role":"assistant","tool_calls":[{"id":"open","function":{"name":"g","arguments":"{}"}}]}]}`},
}

var shareGPTSamples = []formatstest.Sample{
	{Name: "plain", JSON: `{"id": 7, "conversations": [{"from": "human", "value": "hi <tool_call> there"}, {"from": "gpt", "value": "hello"}]}`},
	{Name: "system before", JSON: `{"system":"Be \u00e9 brief.","conversations":[{"from":"user","value":"hi"},{"from":"assistant","value":"hello"}]}`},
	{Name: "system after", JSON: `{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"hello"}], "system" : "Be brief.", "tools": "[{\"name\": \"f\"}]"}`},
	{Name: "system null", JSON: `{"system":null,"conversations":[{"from":"human","value":"hi"},{"from":"critic","value":"meh"},{"from":"gpt","value":null},{"from":"gpt"}]}`},
	{Name: "function calls", JSON: `{"conversations":[{"from":"human","value":"w?"},{"from":"function_call","value":"{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\", \"n\": 1.0}}"},{"from":"observation","value":"{\"deg\": 7}"},{"from":"gpt","value":"7"},{"from":"function_call","value":"[{\"name\": \"a\", \"arguments\": \"{}\"}, {\"name\": \"b\", \"arguments\": {}}]"},{"from":"observation","value":"both"},{"from":"gpt","value":"done"}],"tools":"[]"}`},
	{Name: "implicit calls", JSON: `{"conversations": [{"from": "human", "value": "go"}, {"from": "gpt", "value": "run ls"}, {"from": "tool", "value": "a.go"}, {"from": "tool", "value": "b.go"}, {"from": "gpt", "value": "done"}]}`},
	{Name: "other keys", JSON: `{"conversation":[{"role":null,"from":"Human","text":"a","weight":1},{"from":"AI","text":"b"},{"from":"ipython","text":{"x":[1]}},{"from":"bing","value":7},{"from":"gpt","value":["a"]}, 7, {"from":8}]}`},
}

var hermesSamples = []formatstest.Sample{
	{Name: "ids on results", JSON: `{"conversations":[{"from":"system","value":"Use <tool_call> tags."},{"from":"human","value":"go"},{"from":"gpt","value":"<think>\nhm </tool_call>\n</think>\nI look.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"p\": \"</tool_call>\", \"n\": 1.10}}\n</tool_call>\n<tool_call>\n{\"name\": \"cat\", \"arguments\": \"{\\\"f\\\": 1}\"}\n</tool_call>"},{"from":"tool","value":"<tool_response>\n{\"tool_call_id\": \"t1\", \"name\": \"ls\", \"content\": \"a <tool_response> b\\n\\ud83d\"}\n</tool_response>\n<tool_response>\n{\"name\": \"cat\", \"content\": {\"x\": [1.0]}}\n</tool_response>"},{"from":"gpt","value":"done"}],"metadata":{"model":"m"},"completed":true}`},
	{Name: "plain and broken", JSON: `{"conversations": [{"from": "gpt", "value": "<tool_call>\n{'name': 'f', 'arguments': {}}\n</tool_call> and <tool_call> unclosed"}, {"from": "tool", "value": "before <tool_response>plain</tool_response> <tool_response>{'name': 'f'}</tool_response><tool_response>\n{\"name\": \"f\"}\n</tool_response><tool_response>{\"answer\": 7}</tool_response><tool_response></tool_response> after"}]}`},
	{Name: "escaped tags", JSON: `{"conversations":[{"from":"gpt","value":"\u003ctool_call\u003e{\"name\":\"f\",\"arguments\":null,\"id\":\"i\"}\u003C/tool_call>"},{"from":"tool","value":"<tool_response>{\"tool_call_id\":\"i\",\"content\":null}<\/tool_response>"},{"from":"gpt","value":"<REASONING_SCRATCHPAD>x</REASONING_SCRATCHPAD>"}]}`},
}

func TestOpenAI(t *testing.T)   { formatstest.Run(t, formats.OpenAI{}, openAISamples) }
func TestShareGPT(t *testing.T) { formatstest.Run(t, formats.ShareGPT{}, shareGPTSamples) }
func TestHermes(t *testing.T)   { formatstest.Run(t, formats.Hermes{}, hermesSamples) }

package formats

import (
	"strings"
	"testing"
	"time"
)

// edited decodes list (the inside of a message list), lets change work on the message at index 1, and gives what became
// of it. Everything else must have kept its bytes.
func edited(t *testing.T, d Dialect, message string, change func(c *Conversation, m *Message)) string {
	t.Helper()
	before, after := `{ "n":1e3,"messages" : [ {"role":"user","from":"human","value":"q","content":"q"} ,`, "\t, {\"role\":\"x\",\"from\":\"y\",\"value\":\"z\"}],\"n\":1.0 }"
	c, err := DecodeAs(Record{Raw: []byte(before + message + after)}, d)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Messages[1]
	change(c, m)
	out := string(c.Bytes())
	if !strings.HasPrefix(out, before) || !strings.HasSuffix(out, after) {
		t.Fatalf("the edit of %s reached beyond it:\n%s", message, out)
	}
	if Validate([]byte(out)) != nil {
		t.Fatalf("not JSON: %s", out)
	}
	again, err := DecodeAs(Record{Raw: []byte(out)}, d)
	if err != nil {
		t.Fatal(err)
	}
	editable := func(m *Message) string { return strings.ReplaceAll(said(m), "fixed", "") } // what was added is fixed until it is read back
	if got, want := editable(again.Messages[1]), editable(m); got != want {
		t.Errorf("%s\nread back %s\nin memory %s", message, got, want)
	}
	return strings.TrimSuffix(strings.TrimPrefix(out, before), after)
}

func addText(text string, front bool) func(*Conversation, *Message) {
	return func(_ *Conversation, m *Message) { m.AddText(text, front) }
}

func setResults(text string) func(*Conversation, *Message) {
	return func(_ *Conversation, m *Message) {
		for _, r := range m.Results() {
			m.SetResult(r, text)
		}
	}
}

func setArguments(json string) func(*Conversation, *Message) {
	return func(_ *Conversation, m *Message) {
		for _, c := range m.Calls() {
			m.SetArguments(c, json)
		}
	}
}

func cutText(part, start, end int) func(*Conversation, *Message) {
	return func(_ *Conversation, m *Message) { m.CutText(m.Parts[part].(*Text), start, end) }
}

func removePart(parts ...int) func(*Conversation, *Message) {
	return func(_ *Conversation, m *Message) {
		list := m.Parts
		for _, i := range parts {
			m.RemovePart(list[i])
		}
	}
}

func TestOpenAIEdits(t *testing.T) {
	for _, test := range []struct {
		name, before string
		change       func(*Conversation, *Message)
		after        string
	}{
		{"text in front of a string", `{"role":"user", "content" : "\u0061\/\ud83d" ,"x":1.0}`, addText("S\n", true), `{"role":"user", "content" : "S\n\u0061\/\ud83d" ,"x":1.0}`},
		{"text behind a string", `{"role":"user","content":"\u0061"}`, addText("\"é", false), `{"role":"user","content":"\u0061\"é"}`},
		{"text into an empty string", `{"role":"user","content":""}`, addText("S", true), `{"role":"user","content":"S"}`},
		{"text in front of a list", `{"role":"user","content":[{"type":"text","text":"\u0061"}]}`, addText("S", true), `{"role":"user","content":[{"type":"text","text":"S"},{"type":"text","text":"\u0061"}]}`},
		{"text behind a list", `{"role":"user","content":[ {"type":"image_url"}, "b" ]}`, addText("S", false), `{"role":"user","content":[ {"type":"image_url"}, "b", {"type":"text","text":"S"} ]}`},
		{"text into an empty list", `{"role":"user","content":[ ]}`, addText("S", false), `{"role":"user","content":[ {"type":"text","text":"S"}]}`},
		{"text for null", `{"role":"assistant","content":null,"x":null}`, addText("S", true), `{"role":"assistant","content":"S","x":null}`},
		{"text without a content", `{"role":"assistant"}`, addText("S", true), `{"role":"assistant","content":"S"}`},
		{"text without anything", `{ }`, addText("S", true), `{ "content":"S"}`},
		{"text beside a number", `{"content":1.50}`, addText("S ", true), `{"content":"S 1.50"}`},
		{"text behind an object", `{"content":{"a": "b"}}`, addText(" S", false), `{"content":"{\"a\": \"b\"} S"}`},
		{"text of duplicate keys", `{"content":"a","content":"b"}`, addText("S", true), `{"content":"a","content":"Sb"}`},
		{"text and no object", `"string"`, addText("S", true), `"string"`},
		{"text to a tool", `{"role":"tool","content":"\u0061"}`, addText("S", true), `{"role":"tool","content":"S\u0061"}`},

		{"result string", `{"role":"tool","tool_call_id":"i","content":"long \u0061" , "name":"f"}`, setResults("short\n"), `{"role":"tool","tool_call_id":"i","content":"short\n" , "name":"f"}`},
		{"result null", `{"role":"tool","content":null}`, setResults("S"), `{"role":"tool","content":"S"}`},
		{"result object", `{"role":"tool","content":{"a":1}}`, setResults("S"), `{"role":"tool","content":"S"}`},
		{"result number", `{"role":"tool","content":7}`, setResults("S"), `{"role":"tool","content":"S"}`},
		{"result list of parts", `{"role":"tool","content":[{"type":"text","text":"a"},{"type":"image_url"}]}`, setResults("S"), `{"role":"tool","content":[{"type":"text","text":"S"}]}`},
		{"result empty list", `{"role":"tool","content":[]}`, setResults("S"), `{"role":"tool","content":[{"type":"text","text":"S"}]}`},
		{"result list of strings", `{"role":"tool","content":["a","b"]}`, setResults("S"), `{"role":"tool","content":"S"}`},
		{"result missing", `{"role":"tool","tool_call_id":"i"}`, setResults("S"), `{"role":"tool","tool_call_id":"i"}`},
		{"result twice", `{"role":"tool","content":"a"}`, func(c *Conversation, m *Message) { setResults("first")(c, m); setResults("second")(c, m) }, `{"role":"tool","content":"second"}`},
		{"result of invalid bytes", `{"role":"tool","content":"a"}`, setResults("x\xffy"), "{\"role\":\"tool\",\"content\":\"x\ufffdy\"}"},

		{"arguments string", `{"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{\"a\": 1.10}"}} ,{"function":{"name":"g","arguments":""}}]}`, setArguments(`{"b":"\n"}`),
			`{"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{\"b\":\"\\n\"}"}} ,{"function":{"name":"g","arguments":"{\"b\":\"\\n\"}"}}]}`},
		{"arguments object", `{"tool_calls":[{"function":{"arguments": {"a": 1.10} ,"name":"f"}}]}`, setArguments(` {"a": 1.1e0}`), `{"tool_calls":[{"function":{"arguments": {"a": 1.1e0} ,"name":"f"}}]}`},
		{"arguments object, broken text", `{"tool_calls":[{"function":{"arguments":{"a":1}}}]}`, setArguments(`{"a":`), `{"tool_calls":[{"function":{"arguments":{"a":1}}}]}`},
		{"arguments list and number", `{"tool_calls":[{"function":{"arguments":[1,2]}},{"function":{"arguments":12}}]}`, setArguments(`{}`), `{"tool_calls":[{"function":{"arguments":{}}},{"function":{"arguments":{}}}]}`},
		{"arguments null and missing", `{"tool_calls":[{"function":{"arguments":null}},{"function":{"name":"f"}}]}`, setArguments(`{}`), `{"tool_calls":[{"function":{"arguments":null}},{"function":{"name":"f"}}]}`},
		{"arguments old", `{"function_call":{"name":"f","arguments":"{}"}}`, setArguments(`[]`), `{"function_call":{"name":"f","arguments":"[]"}}`},

		{"cut the front", `{"content":"\ud83d\ude00\u0061bc"}`, cutText(0, 0, 5), `{"content":"bc"}`},
		{"cut inside a character", `{"content":"\u00e9b"}`, cutText(0, 1, 2), `{"content":"b"}`},
		{"cut all", `{"content":"abc"}`, cutText(0, 0, 3), `{"content":""}`},
		{"cut nothing", `{"content":"abc"}`, cutText(0, 2, 2), `{"content":"abc"}`},
		{"cut a part of a list", `{"content":["a",{"type":"text","text":"x\u0062z"}]}`, cutText(1, 0, 1), `{"content":["a",{"type":"text","text":"\u0062z"}]}`},
		{"cut a refusal", `{"content":null,"refusal":"abc"}`, cutText(0, 1, 2), `{"content":null,"refusal":"ac"}`},
		{"cut and prepend", `{"content":"OLD\u0061"}`, func(_ *Conversation, m *Message) {
			m.CutText(m.Parts[0].(*Text), 0, 3)
			m.AddText("NEW", true)
		}, `{"content":"NEW\u0061"}`},
		{"append, cut what was appended, append", `{"content":"\u0061"}`, func(_ *Conversation, m *Message) {
			m.AddText("OLD", false)
			m.CutText(m.Parts[0].(*Text), 1, 4)
			m.AddText("NEW", false)
		}, `{"content":"\u0061NEW"}`},
		{"append to a list, cut from it", `{"content":[]}`, func(_ *Conversation, m *Message) {
			m.AddText("OLD", false)
			m.CutText(m.Parts[0].(*Text), 0, 1)
		}, `{"content":[{"type":"text","text":"LD"}]}`},
		{"text, arguments, cut", `{"content":"ab","tool_calls":[{"function":{"arguments":{"x":1}}}]}`, func(_ *Conversation, m *Message) {
			call := m.Calls()[0]
			m.SetArguments(call, `{"x":2}`)
			m.AddText("S", true)
			m.SetArguments(call, `{"long":[2,2]}`)
			m.CutText(m.Parts[0].(*Text), 1, 2)
			m.SetArguments(call, `{"x":3}`)
		}, `{"content":"Sb","tool_calls":[{"function":{"arguments":{"x":3}}}]}`},

		{"remove from a list", `{"content":["a", {"type":"text","text":"b"} , "c"]}`, removePart(1), `{"content":["a", "c"]}`},
		{"remove the last", `{"content":["a" , {"type":"text","text":"b"} ]}`, removePart(1), `{"content":["a" ]}`},
		{"remove the first", `{"content":[ "a" , "b"]}`, removePart(0), `{"content":[ "b"]}`},
		{"remove the only one", `{"content":[ "a" ]}`, removePart(0), `{"content":[  ]}`},
		{"remove media", `{"content":[{"type":"image_url"},"a"]}`, removePart(0), `{"content":[{"type":"image_url"},"a"]}`},
		{"remove a string", `{"content":"a"}`, removePart(0), `{"content":""}`},
		{"remove the whole answer", `{"role":"tool","content":"a"}`, removePart(0), `{"role":"tool","content":"a"}`},
		{"remove two", `{"content":["a","b","c"]}`, func(_ *Conversation, m *Message) { m.RemovePart(m.Parts[1]); m.RemovePart(m.Parts[1]) }, `{"content":["a"]}`},
		{"parts of others", `{"content":"a"}`, func(_ *Conversation, m *Message) { m.CutText(&Text{Text: "a"}, 0, 1); m.RemovePart(&Text{}) }, `{"content":"a"}`},
		{"no second result", `{"role":"tool","content":"a"}`, func(c *Conversation, m *Message) {
			if c.AddResult(m, &ToolCall{}, "x") {
				panic("added")
			}
		}, `{"role":"tool","content":"a"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := edited(t, OpenAI{}, test.before, test.change); got != test.after {
				t.Errorf("\n got %s\nwant %s", got, test.after)
			}
		})
	}
}

func TestShareGPTEdits(t *testing.T) {
	block := func(json string) string { return `<tool_response>\n` + json + `\n</tool_response>` }
	two := block(`{\"tool_call_id\": \"i\", \"name\": \"f\", \"content\": \"\\ud83d a\"}`) + `\n` + block(`{\"name\":\"g\",\"content\":{\"x\":1.0}}`)
	for _, test := range []struct {
		name, before string
		change       func(*Conversation, *Message)
		after        string
	}{
		{"text in front", `{"from":"human","value":"\u0061","w":1.0}`, addText("S ", true), `{"from":"human","value":"S \u0061","w":1.0}`},
		{"text under another key", `{"from":"human","text":"\u0061"}`, addText("S", false), `{"from":"human","text":"\u0061S"}`},
		{"text for null", `{"value":null,"from":"gpt"}`, addText("S", false), `{"value":"S","from":"gpt"}`},
		{"text without a value", `{"from":"gpt"}`, addText("S", false), `{"from":"gpt","value":"S"}`},
		{"text beside a number", `{"from":"human","value":7}`, addText(" S", false), `{"from":"human","value":"7 S"}`},
		{"text beside a list", `{"from":"human","value":["a"]}`, addText("S ", true), `{"from":"human","value":"S [\"a\"]"}`},
		{"text of the assistant quoting a call", `{"from":"gpt","value":"a"}`, addText("<tool_call>{}</tool_call>", false), `{"from":"gpt","value":"a< tool_call>{}< /tool_call>"}`},
		{"text of a person quoting a call", `{"from":"human","value":"a"}`, addText("<tool_call>{}</tool_call>", false), `{"from":"human","value":"a<tool_call>{}</tool_call>"}`},
		{"text before thinking", `{"from":"gpt","value":"<think>\u0061</think>b"}`, addText("S", true), `{"from":"gpt","value":"S<think>\u0061</think>b"}`},
		{"cut between blocks", `{"from":"gpt","value":"<think>\u0061</think>bcd<tool_call>{}</tool_call>"}`, cutText(1, 1, 2), `{"from":"gpt","value":"<think>\u0061</think>bd<tool_call>{}</tool_call>"}`},
		{"cut and prepend", `{"from":"human","value":"OLD\ud83d"}`, func(_ *Conversation, m *Message) {
			m.CutText(m.Parts[0].(*Text), 0, 3)
			m.AddText("NEW", true)
		}, `{"from":"human","value":"NEW\ud83d"}`},

		{"whole answer", `{"from":"observation","value":"\u0061"}`, setResults("S"), `{"from":"observation","value":"S"}`},
		{"whole answer, a tag", `{"from":"observation","value":"\u0061"}`, setResults("<tool_response>"), `{"from":"observation","value":"< tool_response>"}`},
		{"answer of another kind", `{"from":"tool","value":{"a":1}}`, setResults("S"), `{"from":"tool","value":"S"}`},
		{"answer null", `{"from":"tool","value":null}`, setResults("S"), `{"from":"tool","value":"S"}`},
		{"answer missing", `{"from":"tool"}`, setResults("S"), `{"from":"tool"}`},
		{"both blocks", `{"from":"tool","value":"` + two + `"}`, setResults("S\n\"é"),
			`{"from":"tool","value":"` + block(`{\"tool_call_id\": \"i\", \"name\": \"f\", \"content\": \"S\\n\\\"é\"}`) + `\n` + block(`{\"name\":\"g\",\"content\":\"S\\n\\\"é\"}`) + `"}`},
		{"second block", `{"from":"tool","value":"` + two + `"}`, func(_ *Conversation, m *Message) { m.SetResult(m.Results()[1], "S") },
			`{"from":"tool","value":"` + strings.Replace(two, `{\"x\":1.0}`, `\"S\"`, 1) + `"}`},
		{"a tag in a block", `{"from":"tool","value":"` + block(`{\"content\":\"a\"}`) + `"}`, setResults("</tool_response>"), `{"from":"tool","value":"` + block(`{\"content\":\"\\u003c/tool_response>\"}`) + `"}`},
		{"plain block", `{"from":"tool","value":"` + block(`plain`) + `"}`, setResults(" S\n"), `{"from":"tool","value":"` + block(`S`) + `"}`},
		{"plain block, a tag", `{"from":"tool","value":"` + block(`plain`) + `"}`, setResults("x</tool_response>"), `{"from":"tool","value":"` + block(`x< /tool_response>`) + `"}`},
		{"empty block", `{"from":"tool","value":"<tool_response></tool_response>"}`, setResults("S"), `{"from":"tool","value":"<tool_response>S</tool_response>"}`},
		{"Python block stays", `{"from":"tool","value":"` + block(`{'name': 'f'}`) + `"}`, setResults("S"), `{"from":"tool","value":"` + block(`{'name': 'f'}`) + `"}`},
		{"first block removed", `{"from":"tool","value":"` + two + `"}`, removePart(0), `{"from":"tool","value":"` + block(`{\"name\":\"g\",\"content\":{\"x\":1.0}}`) + `"}`},
		{"the last result stays", `{"from":"tool","value":"` + two + `"}`, func(_ *Conversation, m *Message) { removePart(1, 0)(nil, m) },
			`{"from":"tool","value":"` + block(`{\"tool_call_id\": \"i\", \"name\": \"f\", \"content\": \"\\ud83d a\"}`) + `\n"}`},
		{"changed, then removed, the other changed", `{"from":"tool","value":"` + two + `"}`, func(_ *Conversation, m *Message) {
			m.SetResult(m.Results()[0], "first")
			m.RemovePart(m.Parts[0])
			m.SetResult(m.Results()[0], "second")
		}, `{"from":"tool","value":"` + block(`{\"name\":\"g\",\"content\":\"second\"}`) + `"}`},
		{"added", `{"from":"tool","value":"` + block(`{\"content\":\"a\"}`) + `"}`, func(c *Conversation, m *Message) {
			c.AddResult(m, &ToolCall{ID: "i", Name: "f"}, "S\n")
			c.AddResult(m, &ToolCall{Name: "g"}, "T")
		}, `{"from":"tool","value":"` + block(`{\"content\":\"a\"}`) + `\n` + block(`{\"tool_call_id\": \"i\", \"name\": \"f\", \"content\": \"S\\n\"}`) + `\n` + block(`{\"name\": \"g\", \"content\": \"T\"}`) + `"}`},

		{"arguments of a call", `{"from":"gpt","value":"a<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": 1.0}}</tool_call>\u0062"}`, setArguments(`{"y":"\n</tool_call>"}`),
			`{"from":"gpt","value":"a<tool_call>{\"name\": \"f\", \"arguments\": {\"y\":\"\\n\\u003c/tool_call>\"}}</tool_call>\u0062"}`},
		{"arguments as a string", `{"from":"gpt","value":"<tool_call>{\"name\": \"f\", \"arguments\": \"{}\"}</tool_call>"}`, setArguments(`{"y":1}`),
			`{"from":"gpt","value":"<tool_call>{\"name\": \"f\", \"arguments\": \"{\\\"y\\\":1}\"}</tool_call>"}`},
		{"arguments of a Python call", `{"from":"gpt","value":"<tool_call>{'name': 'f'}</tool_call>"}`, setArguments(`{}`), `{"from":"gpt","value":"<tool_call>{'name': 'f'}</tool_call>"}`},
		{"arguments of a list of calls", `{"from":"function_call","value":" [{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"g\", \"arguments\": {}}]"}`, setArguments(`{"y":1}`),
			`{"from":"function_call","value":" [{\"name\": \"f\", \"arguments\": {\"y\":1}}, {\"name\": \"g\", \"arguments\": {\"y\":1}}]"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := edited(t, ShareGPT{}, test.before, test.change); got != test.after {
				t.Errorf("\n got %s\nwant %s", got, test.after)
			}
		})
	}
}

func TestNewMessages(t *testing.T) {
	call := &ToolCall{ID: "i", Name: "f"}
	for _, test := range []struct {
		name string
		d    Dialect
		raw  string
		make func(c *Conversation) *Message
		want string
	}{
		{"spaced", OpenAI{}, `{"messages": [{"role": "user", "content": "q"}]}`, userSays, `{"role": "user", "content": "S"}`},
		{"compact", OpenAI{}, `{"messages":[{"role":"user","content":"q"}]}`, userSays, `{"role":"user","content":"S"}`},
		{"the order of keys", OpenAI{}, `{"messages":[{"content":"q","role":"user"}]}`, userSays, `{"content":"S","role":"user"}`},
		{"padding", OpenAI{}, `{"messages":[{"name":null,"content":"q","role":"user","tool_calls":null}]}`, userSays, `{"name":null,"content":"S","role":"user","tool_calls":null}`},
		{"null content is no padding", OpenAI{}, `{"messages":[{"role":"assistant","content":null,"x":1}]}`, userSays, `{"role":"user","content":"S"}`},
		{"pretty printed", OpenAI{}, "{\"messages\": [\n  {\n    \"role\": \"user\",\n    \"content\": \"q\"\n  }\n]}", userSays, "{\n    \"role\": \"user\",\n    \"content\": \"S\"\n  }"},
		{"one key, pretty printed", OpenAI{}, "{\"messages\":[\n {\n  \"role\" : \"user\"\n }]}", userSays, "{\n  \"role\" : \"user\",\n  \"content\" : \"S\"\n }"},
		{"the mask", OpenAI{}, `{"messages":[{"role":"user"}]}`, assistantSays, `{"role":"assistant","content":"S","weight":0}`},
		{"behind what is no object", OpenAI{}, `{"messages":[7,{"role":"user"}]}`, userSays, `{"role":"user","content":"S"}`},
		{"nothing to learn from", OpenAI{}, `{"messages":[ ]}`, userSays, `{"role": "user", "content": "S"}`},
		{"a result", OpenAI{}, `{"messages":[{"role":"user"}]}`, func(c *Conversation) *Message { return c.NewResult(call, "S") }, `{"role":"tool","tool_call_id":"i","content":"S"}`},
		{"a result of an old call", OpenAI{}, `{"messages":[{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}]}`,
			func(c *Conversation) *Message { return c.NewResult(c.Messages[0].Calls()[0], "S") }, `{"role":"function","name":"f","content":"S"}`},
		{"ShareGPT", ShareGPT{}, `{"conversations": [{"from": "human", "value": "q"}]}`, assistantSays, `{"from": "gpt", "value": "S"}`},
		{"its own names", ShareGPT{}, `{"conversations":[{"from":"Human","text":"q"},{"from":"AI","text":"a"}]}`, assistantSays, `{"from":"AI","text":"S"}`},
		{"names of the other family", ShareGPT{}, `{"conversations":[{"from":"user","value":"q"}]}`, assistantSays, `{"from":"assistant","value":"S"}`},
		{"a call is no name", ShareGPT{}, `{"conversations":[{"from":"function_call","value":"{}"}]}`, assistantSays, `{"from":"gpt","value":"S"}`},
		{"an observation", ShareGPT{}, `{"conversations":[{"from":"function_call","value":"{}"}]}`, func(c *Conversation) *Message { return c.NewResult(call, "S") }, `{"from":"observation","value":"S"}`},
		{"a block", Hermes{}, `{"conversations":[{"from":"gpt","value":"<tool_call>{}</tool_call>"}]}`, func(c *Conversation) *Message { return c.NewResult(call, "S") },
			`{"from":"tool","value":"<tool_response>\n{\"tool_call_id\": \"i\", \"name\": \"f\", \"content\": \"S\"}\n</tool_response>"}`},
		{"no block that nobody called", Hermes{}, `{"conversations":[{"from":"gpt","value":"x"}]}`,
			func(c *Conversation) *Message { return c.NewMessage(RoleAssistant, "<tool_call>{}</tool_call>") }, `{"from":"gpt","value":"< tool_call>{}< /tool_call>"}`},
		{"padded turns", ShareGPT{}, `{"conversations":[{"weight":null,"from":"human","value":"q"}]}`, userSays, `{"weight":null,"from":"human","value":"S"}`},
	} {
		c, err := DecodeAs(Record{Raw: []byte(test.raw)}, test.d)
		if err != nil {
			t.Fatal(err)
		}
		m := test.make(c)
		if got := string(m.Bytes()); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
		if m.Changed() {
			t.Errorf("%s: changed", test.name)
		}
	}
}

func userSays(c *Conversation) *Message      { return c.NewMessage(RoleUser, "S") }
func assistantSays(c *Conversation) *Message { return c.NewMessage(RoleAssistant, "S") }

func TestListSpacing(t *testing.T) {
	u, n := `{"role":"user","content":"a"}`, `{"role":"user","content":"S"}`
	for _, test := range []struct{ list, at0, at1, without0 string }{
		{`[U,U]`, `[N,U,U]`, `[U,N,U]`, `[U]`},
		{`[ U , U ]`, `[ N , U , U ]`, `[ U , N , U ]`, `[ U ]`},
		{"[\n U,\n U\n]", "[\n N,\n U,\n U\n]", "[\n U,\n N,\n U\n]", "[\n U\n]"},
		{"[\n U\n]", "[\n N,\n U\n]", "[\n U,\n N\n]", "[\n]"},
		{`[U]`, `[N,U]`, `[U,N]`, `[]`},
		{"[U ,\tU, U]", "[N ,\tU ,\tU, U]", "[U ,\tN ,\tU, U]", "[U, U]"},
	} {
		fill := func(s string) string {
			return `{"messages":` + strings.NewReplacer("U", u, "N", n).Replace(s) + `}`
		}
		decoded := func() *Conversation {
			c, err := DecodeAs(Record{Raw: []byte(fill(test.list))}, OpenAI{})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		for at, want := range []string{test.at0, test.at1} {
			c := decoded()
			list := append([]*Message(nil), c.Messages[:at]...)
			list = append(append(list, userSays(c)), c.Messages[at:]...)
			if got := string(c.With(list).Bytes()); got != fill(want) {
				t.Errorf("%q with a message at %d:\n got %q\nwant %q", test.list, at, got, fill(want))
			}
		}
		c := decoded()
		if got := string(c.With(c.Messages[1:]).Bytes()); got != fill(test.without0) {
			t.Errorf("%q without its first message:\n got %q\nwant %q", test.list, got, fill(test.without0))
		}
		if got := string(c.Bytes()); got != fill(test.list) {
			t.Errorf("%q has changed to %q", test.list, got)
		}
	}
}

func TestClone(t *testing.T) {
	raw := `{"conversations":[{"from":"gpt","value":"<tool_call>{}</tool_call><tool_call>{}</tool_call>"},{"from":"tool","value":"<tool_response>a</tool_response><tool_response>b</tool_response>"}]}`
	c, err := DecodeAs(Record{Raw: []byte(raw)}, Hermes{})
	if err != nil {
		t.Fatal(err)
	}
	m := c.Messages[1]
	clone := m.Clone()
	clone.SetResult(clone.Results()[0], "x")
	second := clone.Clone()
	second.SetResult(second.Results()[0], "y")
	second.RemovePart(second.Parts[1])
	second.AddText("z", false)
	if string(c.Bytes()) != raw || m.Changed() || m.Results()[0].Text != "a" {
		t.Error("an edit of a clone reaches the original")
	}
	if got := string(clone.Bytes()); !strings.Contains(got, ">x<") || !strings.Contains(got, ">b<") {
		t.Errorf("an edit of a clone's clone reaches the clone: %s", got)
	}
	if got := string(second.Bytes()); !strings.Contains(got, ">y</tool_response>z") {
		t.Errorf("the second clone is %s", got)
	}
}

func TestOwnText(t *testing.T) {
	for _, test := range []struct {
		d         Dialect
		raw, want string
	}{
		{OpenAI{}, `{"role":"user","content":"\u0061"}`, "a"}, {OpenAI{}, `{"role":"user","content":["a"]}`, ""}, {OpenAI{}, `{"role":"user","content":null}`, ""},
		{OpenAI{}, `{"role":"user"}`, ""}, {OpenAI{}, `7`, ""}, {ShareGPT{}, `{"from":"human","value":"a"}`, "a"}, {ShareGPT{}, `{"from":"human","value":null}`, ""},
	} {
		edited(t, test.d, test.raw, func(_ *Conversation, m *Message) {
			if got := m.OwnText(); got != test.want {
				t.Errorf("%s: %q, want %q", test.raw, got, test.want)
			}
		})
	}
}

// TestManyEditsAreLinear: one turn with very many blocks, each changed, removed or added.
func TestManyEditsAreLinear(t *testing.T) {
	const n = 20_000
	raw := `{"conversations":[{"from":"tool","value":"` + strings.Repeat(`<tool_response>{\"content\":\"some text\"}</tool_response>\n`, n) + `"}]}`
	start := time.Now()
	c, err := DecodeAs(Record{Raw: []byte(raw)}, Hermes{})
	if err != nil {
		t.Fatal(err)
	}
	m := c.Messages[0]
	if len(m.Results()) != n {
		t.Fatalf("%d results", len(m.Results()))
	}
	for _, r := range m.Results() {
		m.SetResult(r, "S")
		m.SetResult(r, "T")
	}
	for i := n - 1; i >= n/2; i-- {
		m.RemovePart(m.Parts[i])
	}
	for range n {
		c.AddResult(m, &ToolCall{Name: "f"}, "new")
	}
	again, err := DecodeAs(Record{Raw: c.Bytes()}, Hermes{})
	if err != nil || len(again.Messages[0].Results()) != n/2+n {
		t.Fatalf("%v", err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("%v for %d blocks", took, n)
	}
}

// TestHostileTags: tags in numbers that a careless reader takes quadratic time for.
func TestHostileTags(t *testing.T) {
	const n = 30_000
	for _, unit := range []string{"<tool_call>", "<tool_call>{", `<tool_call>{\"a\":\"`, "</tool_call>", "<think>", "<think></tool_call>", "<tool_response>", `<tool_response>{`, "<", `<tool_call>[`, `<tool_call>{\",\":`} {
		for _, tail := range []string{"", "</tool_call></tool_response></think>"} {
			for _, role := range []string{"gpt", "tool", "function_call"} {
				raw := `{"conversations":[{"from":"` + role + `","value":"` + strings.Repeat(unit, n) + tail + `"}]}`
				start := time.Now()
				if _, err := DecodeAs(Record{Raw: []byte(raw)}, Hermes{}); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took > time.Minute {
					t.Errorf("%s %q: %v", role, unit, took)
				}
			}
		}
	}
}

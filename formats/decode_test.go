package formats

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// said is a message as one line: role(name), then its parts.
func said(m *Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%s)", m.Role, m.RoleName)
	for _, p := range m.Parts {
		switch v := p.(type) {
		case *Text:
			fmt.Fprintf(&b, " text%q", v.Text)
		case *Reasoning:
			fmt.Fprintf(&b, " think%q", v.Text)
		case *ToolCall:
			fmt.Fprintf(&b, " call[%s %s %s]", v.ID, v.Name, v.Arguments)
			if v.Implicit {
				b.WriteString("implicit")
			} else if !v.Editable() {
				b.WriteString("fixed")
			}
		case *ToolResult:
			fmt.Fprintf(&b, " result[%s %s]%q", v.CallID, v.Name, v.Text)
			if v.Media > 0 {
				fmt.Fprintf(&b, "+%dmedia", v.Media)
			}
			if !v.Editable() {
				b.WriteString("fixed")
			}
		case *Media:
			fmt.Fprintf(&b, " media[%s]", v.Type)
		case *Opaque:
			fmt.Fprintf(&b, " opaque[%s]", v.JSON)
		}
	}
	return b.String()
}

func TestOpenAIMessages(t *testing.T) {
	for _, test := range []struct{ raw, want string }{
		{`{"role":"user","content":"a\nb"}`, `user(user) text"a\nb"`},
		{`{"role":"developer","content":""}`, `system(developer) text""`},
		{`{"role":"assistant"}`, `assistant(assistant)`},
		{`{"role":"assistant","content":null,"tool_calls":null,"function_call":null}`, `assistant(assistant)`},
		{`{"role":"exit","content":"done"}`, `other(exit) text"done"`},
		{`{"role":null,"content":7}`, `other() opaque[7]`},
		{`{"role":"User","content":{"a":1}}`, `other(User) opaque[{"a":1}]`},
		{`{"content":true}`, `other() opaque[true]`},
		{`7`, `other() opaque[7]`}, {`null`, `other() opaque[null]`}, {`[1]`, `other() opaque[[1]]`}, {`"s"`, `other() opaque["s"]`}, {`{}`, `other()`},
		{`{"role":"user","content":[]}`, `user(user)`},
		{`{"role":"user","content":["s",{"type":"text","text":"t"},{"text":"untyped"},{"type":null,"text":"null"},{"type":"input_text","text":"i"},{"type":"refusal","refusal":"r"}]}`,
			`user(user) text"s" text"t" text"untyped" text"null" text"i" text"r"`},
		{`{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}},{"type":"input_audio"},{"type":"file"},{"type":"hologram"},{"type":"text"},{"type":"text","text":7},null,3]}`,
			`user(user) media[image_url] media[input_audio] media[file] opaque[{"type":"hologram"}] opaque[{"type":"text"}] opaque[{"type":"text","text":7}] opaque[null] opaque[3]`},
		{`{"role":"assistant","content":"c","refusal":"no"}`, `assistant(assistant) text"c" text"no"`},
		{`{"role":"assistant","refusal":null,"reasoning":"a","reasoning_content":"a"}`, `assistant(assistant) think"a"`},
		{`{"role":"assistant","reasoning":"a","reasoning_content":"b"}`, `assistant(assistant) think"b" think"a"`},
		{`{"role":"assistant","reasoning":"a","reasoning_details":[{"text":"a"}]}`, `assistant(assistant) think"a"`},
		{`{"role":"assistant","reasoning":null,"reasoning_details":[{"type":"x","text":"a"},{"data":"z"},7]}`, `assistant(assistant) think"a"`},
		{`{"role":"assistant","reasoning":{"x":1},"reasoning_details":"y"}`, `assistant(assistant)`},
		{`{"role":"assistant","tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":"{\"a\": 1.10}"}}]}`, `assistant(assistant) call[i f {"a": 1.10}]`},
		{`{"role":"assistant","tool_calls":[{"id":"i","function":{"arguments":{"b":1, "a":2},"name":"f"}}]}`, `assistant(assistant) call[i f {"b":1, "a":2}]`},
		{`{"role":"assistant","tool_calls":[{"id":"i","name":"flat","arguments":[1,2]},{"id":7,"function":{"name":"n","arguments":12}},{"id":null,"function":{"name":null,"arguments":"s"}}]}`,
			`assistant(assistant) call[i flat [1,2]] call[ n 12] call[  s]`},
		{`{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":null}},{"function":{"name":"f"}},{"function":{}},{"function":"x"},{},7,null]}`,
			`assistant(assistant) call[ f ]fixed call[ f ]fixed call[  ]fixed call[  ]fixed call[  ]fixed`},
		{`{"role":"assistant","tool_calls":[{"id":"i","type":"custom","custom":{"name":"c","input":"raw"}}]}`, `assistant(assistant) call[i c raw]`},
		{`{"role":"assistant","tool_calls":"x","function_call":"auto"}`, `assistant(assistant)`},
		{`{"role":"assistant","tool_calls":{"id":"x"},"function_call":{}}`, `assistant(assistant)`},
		{`{"role":"assistant","function_call":{"name":"f","arguments":"{broken"}}`, `assistant(assistant) call[ f {broken]`},
		{`{"role":"tool","tool_call_id":"i","name":"f","content":"out"}`, `tool(tool) result[i f]"out"`},
		{`{"role":"function","name":"f","content":"out"}`, `tool(function) result[ f]"out"`},
		{`{"role":"tool","tool_call_ids":["q","r"],"content":"out"}`, `tool(tool) result[q ]"out"`},
		{`{"role":"tool","tool_call_ids":[],"tool_call_id":7}`, `tool(tool) result[ ]""fixed`},
		{`{"role":"tool","content":null}`, `tool(tool) result[ ]""`},
		{`{"role":"tool","content":{"a":[1.0]}}`, `tool(tool) result[ ]"{\"a\":[1.0]}"`},
		{`{"role":"tool","content":12.50}`, `tool(tool) result[ ]"12.50"`},
		{`{"role":"tool","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"x"},"b"]}`, `tool(tool) result[ ]"a\n{\"type\":\"x\"}\nb"+1media`},
		{`{"role":"tool","content":[]}`, `tool(tool) result[ ]""`},
		{`{"role":"user","role":"tool","content":"a","content":"b"}`, `tool(tool) result[ ]"b"`},
	} {
		c, err := DecodeAs(Record{Raw: []byte(`{"messages": [{"role": "user"}, ` + test.raw + ` ]}`)}, OpenAI{})
		if err != nil {
			t.Fatal(err)
		}
		if got := said(c.Messages[1]); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.raw, got, test.want)
		}
	}
}

func TestShareGPTTurns(t *testing.T) {
	call := `<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1.0}}\n</tool_call>`
	for _, test := range []struct{ raw, want string }{
		{`{"from":"human","value":"a"}`, `user(human) text"a"`},
		{`{"from":"PROMPTER","text":"a"}`, `user(PROMPTER) text"a"`},
		{`{"from":"bard","value":null,"content":"a"}`, `assistant(bard) text"a"`},
		{`{"from":"gpt","value":null}`, `assistant(gpt)`}, {`{"from":"gpt"}`, `assistant(gpt)`}, {`{"from":"gpt","value":" \n"}`, `assistant(gpt)`},
		{`{"from":"human","value":7}`, `user(human) opaque[7]`}, {`{"from":"critic","value":"x"}`, `other(critic) text"x"`},
		{`{"from":null,"value":"x"}`, `other() text"x"`}, {`7`, `other() opaque[7]`},
		{`{"from":"human","value":"What does <tool_call>{\"name\":\"x\"}</tool_call> do?"}`, `user(human) text"What does <tool_call>{\"name\":\"x\"}</tool_call> do?"`},
		{`{"from":"gpt","value":"<think>\nhm\n</think>\nText.\n` + call + `"}`, `assistant(gpt) think"\nhm\n" text"\nText.\n" call[ f {"a": 1.0}]`},
		{`{"from":"gpt","value":"` + call + `\n` + call + `"}`, `assistant(gpt) call[ f {"a": 1.0}] call[ f {"a": 1.0}]`},
		{`{"from":"gpt","value":"<think>` + call + `</think>x"}`, `assistant(gpt) think"<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1.0}}\n</tool_call>" text"x"`},
		{`{"from":"gpt","value":"<think>unclosed ` + call + `"}`, `assistant(gpt) text"<think>unclosed " call[ f {"a": 1.0}]`},
		{`{"from":"gpt","value":"unclosed <tool_call>{\"name\":\"f\"}"}`, `assistant(gpt) text"unclosed <tool_call>{\"name\":\"f\"}"`},
		{`{"from":"gpt","value":"closed </tool_call> only"}`, `assistant(gpt) text"closed </tool_call> only"`},
		{`{"from":"gpt","value":"I use <tool_call> tags. ` + call + `"}`, `assistant(gpt) text"I use <tool_call> tags. " call[ f {"a": 1.0}]`},
		{`{"from":"gpt","value":"between <tool_call> and </tool_call> it goes"}`, `assistant(gpt) text"between <tool_call> and </tool_call> it goes"`},
		{`{"from":"gpt","value":"<tool_call>{'name': 'f', 'arguments': {'a': None}}</tool_call>"}`, `assistant(gpt) call[  {'name': 'f', 'arguments': {'a': None}}]fixed`},
		{`{"from":"gpt","value":"<tool_call>\n<function=f></function>\n</tool_call>"}`, `assistant(gpt) call[  <function=f></function>]fixed`},
		{`{"from":"gpt","value":"<tool_call>{\"name\":\"f\",\"arguments\":{\"x\":\"</tool_call><tool_call>\"}}</tool_call>z"}`, `assistant(gpt) call[ f {"x":"</tool_call><tool_call>"}] text"z"`},
		{`{"from":"gpt","value":"<tool_call>{\"id\":\"7\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}</tool_call>"}`, `assistant(gpt) call[7 f {}]`},
		{`{"from":"gpt","value":"<tool_call>{\"name\":\"f\"}</tool_call>"}`, `assistant(gpt) call[ f ]fixed`},
		{`{"from":"function_call","value":" {\"name\": \"f\", \"arguments\": {}} "}`, `assistant(function_call) call[ f {}]`},
		{`{"from":"Tool_Call","value":"[{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"g\"}, 7]"}`, `assistant(Tool_Call) call[ f {}] call[ g ]fixed call[  7]fixed`},
		{`{"from":"tool_use","value":"f(1)"}`, `assistant(tool_use) call[  f(1)]fixed`},
		{`{"from":"tool_use","value":""}`, `assistant(tool_use) call[  ]fixed`},
		{`{"from":"tool_use","value":"x ` + call + `"}`, `assistant(tool_use) text"x " call[ f {"a": 1.0}]`},
		{`{"from":"tool","value":"plain"}`, `tool(tool) result[ ]"plain"`},
		{`{"from":"observation","value":""}`, `tool(observation) result[ ]""`},
		{`{"from":"ipython","value":{"a":1}}`, `tool(ipython) result[ ]"{\"a\":1}"`},
		{`{"from":"tool","value":[1]}`, `tool(tool) result[ ]"[1]"`}, {`{"from":"tool","value":null}`, `tool(tool) result[ ]""`}, {`{"from":"tool"}`, `tool(tool) result[ ]""fixed`},
		{`{"from":"tool","value":"<tool_response>\n{\"tool_call_id\": \"i\", \"name\": \"f\", \"content\": \"a\\nb\"}\n</tool_response>"}`, `tool(tool) result[i f]"a\nb"`},
		{`{"from":"tool","value":"<tool_response>\nplain\n</tool_response>\n<tool_response></tool_response>"}`, `tool(tool) result[ ]"plain" result[ ]""`},
		{`{"from":"tool","value":"<tool_response>{\"name\":\"f\",\"content\":null}</tool_response><tool_response>{\"name\":\"f\",\"content\":[1.0]}</tool_response><tool_response>{\"content\":7}</tool_response>"}`,
			`tool(tool) result[ f]"" result[ f]"[1.0]" result[ ]"7"`},
		{`{"from":"tool","value":"<tool_response>{\"ok\":true}</tool_response><tool_response>{\"name\":\"f\",\"ok\":1}</tool_response><tool_response>{'name': 'f'}</tool_response>"}`,
			`tool(tool) result[ ]"{\"ok\":true}" result[ f]"{\"name\":\"f\",\"ok\":1}"fixed result[ ]"{'name': 'f'}"fixed`},
		{`{"from":"tool","value":"<tool_response>{\"content\":\"see </tool_response> and <tool_response>\"}</tool_response>"}`, `tool(tool) result[ ]"see </tool_response> and <tool_response>"`},
		{`{"from":"tool","value":"a <tool_response>b</tool_response> c"}`, `tool(tool) text"a " result[ ]"b" text" c"`},
		{`{"from":"tool","value":"<tool_response>unclosed"}`, `tool(tool) result[ ]"<tool_response>unclosed"`},
	} {
		c, err := DecodeAs(Record{Raw: []byte(`{"conversations": [{"from": "human", "value": "q"}, ` + test.raw + `]}`)}, ShareGPT{})
		if err != nil {
			t.Fatal(err)
		}
		if got := said(c.Messages[1]); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.raw, got, test.want)
		}
	}
}

func TestImplicitCalls(t *testing.T) {
	for _, test := range []struct {
		turns string // from names: h human, g gpt, t tool, c gpt with a call
		want  string // implicit calls per message
		left  string // orphans and open calls
	}{
		{"hgtg", "0100", ""}, {"hgttg", "02000", ""}, {"hct", "000", ""}, {"hctt", "0000", "orphan 3"}, {"ht", "00", "orphan 1"}, {"hghtt", "02000", ""}, {"gtgt", "1010", ""}, {"c", "0", "open 0.0"},
	} {
		turn := map[rune]string{'h': `{"from":"human","value":"x"}`, 'g': `{"from":"gpt","value":"x"}`, 't': `{"from":"tool","value":"x"}`,
			'c': `{"from":"gpt","value":"<tool_call>{\"name\":\"f\"}</tool_call>"}`}
		var list []string
		for _, c := range test.turns {
			list = append(list, turn[c])
		}
		c, err := DecodeAs(Record{Raw: []byte(`{"conversations":[` + strings.Join(list, ",") + `]}`)}, ShareGPT{})
		if err != nil {
			t.Fatal(err)
		}
		counts := ""
		for _, m := range c.Messages {
			n := 0
			for _, call := range m.Calls() {
				if call.Implicit {
					n++
				}
			}
			counts += fmt.Sprint(n)
		}
		p := Pair(c.Messages)
		left := ""
		for _, o := range p.Orphans {
			left += fmt.Sprint("orphan ", o.Message)
		}
		for _, o := range p.Open {
			left += fmt.Sprintf("open %d.0", o.Message)
		}
		if counts != test.want || left != test.left {
			t.Errorf("%s: %s %s, want %s %s", test.turns, counts, left, test.want, test.left)
		}
	}
}

func TestDetection(t *testing.T) {
	dialects := []Dialect{OpenAI{}, Hermes{}, ShareGPT{}}
	for _, test := range []struct {
		raw, dialect, marker string
		messages             int
	}{
		{`{"messages":[{"role":"user","content":"a"}]}`, "openai", "messages[].role", 1},
		{`{"conversation":[{"role":"user"}]}`, "openai", "conversation[].role", 1},
		{`{"conversations":[{"role":"user"}]}`, "openai", "conversations[].role", 1},
		{`{"chat":[{"role":"user"}]}`, "openai", "chat[].role", 1},
		{`{"trajectory":[{"role":"user"}]}`, "openai", "trajectory[].role", 1},
		{`{"trajectory":[{"action":"ls"}],"history":[{"role":"user"}]}`, "openai", "history[].role", 1},
		{`{"task_id":0,"traj":[{"role":"user"}]}`, "openai", "traj[].role", 1},
		{`{"prompt":[{"role":"user"}],"chosen":[{"role":"assistant"}]}`, "openai", "prompt[].role", 1},
		{`{"prompt":"text","messages":[{"role":"user"}]}`, "openai", "messages[].role", 1},
		{`{"input":{"messages":[{"role":"user"}]},"preferred_output":[]}`, "openai", "input.messages[].role", 1},
		{` [ {"role":"user"} ] `, "openai", "a list[].role", 1},
		{`{"messages":[{"role":null},7,{"role":"user"}]}`, "openai", "messages[].role", 3},
		{`{"messages":[]}`, "openai", "messages[].role", 0},
		{`{"chat":[],"messages":[{"role":"user"}]}`, "openai", "messages[].role", 1},
		{`{"m\u0065ssages":[{"r\u006fle":"user"}]}`, "openai", "messages[].role", 1},
		{`{"messages":7,"messages":[{"role":"user"}]}`, "openai", "messages[].role", 1},
		{`{"conversations":[{"from":"human","value":"a"}]}`, "sharegpt", "conversations[].from", 1},
		{`{"conversation":[{"from":"human","text":"a"}]}`, "sharegpt", "conversation[].from", 1},
		{`{"messages":[{"from":"human","content":"a"}]}`, "sharegpt", "messages[].from", 1},
		{`[{"from":"human","value":"a"}]`, "sharegpt", "a list[].from", 1},
		{`{"conversations":[{"from":"gpt","value":"<tool_call>{}</tool_call>"}]}`, "hermes", "conversations[].from with <tool_call>", 1},
		{`{"conversations":[{"from":"tool","value":"\u003Ctool_response>{}</tool_response>"}]}`, "hermes", "conversations[].from with <tool_response>", 1},
		{`{"conversations":[{"from":"human","value":"a"}],"note":"<tool_call>"}`, "sharegpt", "conversations[].from", 1},
		{`{"role":null,"from":null,"conversations":[{"from":null,"value":null,"role":"user","content":"a"}]}`, "openai", "conversations[].role", 1},
		{`{"conversations":[1,2]}`, "", "", 0}, {`{"conversations":[{"from":"a@b"}]}`, "", "", 0}, {`{"messages":{}}`, "", "", 0}, {`{"messages":"[{\"role\":\"user\"}]"}`, "", "", 0},
		{`{"text":"hi"}`, "", "", 0}, {`7`, "", "", 0}, {`null`, "", "", 0}, {`"role"`, "", "", 0}, {`[]`, "", "", 0}, {`{"input":[],"output":[]}`, "", "", 0}, {`{"input":"messages"}`, "", "", 0},
	} {
		c, err := Decode(Record{Raw: []byte(test.raw)}, dialects)
		if err != nil {
			t.Fatalf("%s: %v", test.raw, err)
		}
		if c.Dialect != test.dialect || c.Marker != test.marker || len(c.Messages) != test.messages || c.HasMessages() != (test.dialect != "") {
			t.Errorf("%s: %q by %q with %d messages, want %q by %q with %d", test.raw, c.Dialect, c.Marker, len(c.Messages), test.dialect, test.marker, test.messages)
		}
		if string(c.Bytes()) != test.raw {
			t.Errorf("%s leaves as %s", test.raw, c.Bytes())
		}
	}
}

func TestDecodeAs(t *testing.T) {
	var fault *Fault
	_, err := DecodeAs(Record{Raw: []byte(`{"conversations":[{"from":"human","value":"a"}]}`)}, OpenAI{})
	if !errors.As(err, &fault) || fault.Code != "not_openai" || HintOf(fault.Err) == "" {
		t.Errorf("%v", err)
	}
	if _, err := DecodeAs(Record{Raw: []byte(`{"messages":`)}, OpenAI{}); !errors.As(err, &fault) || fault.Code != "truncated" {
		t.Errorf("%v", err)
	}
	c, err := DecodeAs(Record{Raw: []byte(`{"messages":[{"role":"user"}]}`)}, OpenAI{})
	if err != nil || c.Marker != "named by --format" {
		t.Errorf("%v %v", c, err)
	}
}

func TestTopLevel(t *testing.T) {
	for _, test := range []struct{ members, tools, model, id string }{
		{`"id":"x","model":"gpt-4o","tools":[{"a":1.0} ]`, `[{"a":1.0} ]`, "gpt-4o", "x"},
		{`"tools":null,"functions":[1],"metadata":{"model":"m"},"task_id":12`, `[1]`, "m", "12"},
		{`"tools":"[{\"name\": 1}]","info":{"config":{"model":{"model_name":"mini"}}},"instance_id":"i"`, `[{"name": 1}]`, "mini", "i"},
		{`"id":null,"conversation_id":"","session_id":"s","model":{"name":"x"}`, ``, "", "s"},
		{`"id":{},"model":null`, ``, "", ""},
	} {
		for _, list := range []string{`"messages":[{"role":"user"}]`, `"conversations":[{"from":"human","value":"a"}]`} {
			c, err := Decode(Record{Raw: []byte(`{` + test.members + `,` + list + `}`)}, []Dialect{OpenAI{}, ShareGPT{}})
			if err != nil {
				t.Fatal(err)
			}
			if c.Tools != test.tools || c.Model != test.model || c.ID != test.id {
				t.Errorf("%s: tools %q, model %q, id %q", test.members, c.Tools, c.Model, c.ID)
			}
		}
	}
}

func TestSystemOutsideTheList(t *testing.T) {
	for _, test := range []struct{ members, want string }{
		{`"system":"a\u00e9",LIST`, "aé"}, {`LIST ,"system" : "b"`, "b"}, {`"system":null,LIST`, ""}, {`"system":"",LIST`, ""}, {`"system":["x"],LIST`, ""},
		{`"system":"first",LIST,"system":"last"`, "last"},
	} {
		raw := `{` + strings.Replace(test.members, "LIST", `"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"a"}]`, 1) + `}`
		c, err := DecodeAs(Record{Raw: []byte(raw)}, ShareGPT{})
		if err != nil {
			t.Fatal(err)
		}
		first := c.Messages[0]
		if first.Outside != (test.want != "") || first.Outside && (first.Role != RoleSystem || first.Text() != test.want) {
			t.Errorf("%s: %v %q", raw, first.Outside, first.Text())
		}
		if !first.Outside {
			continue
		}
		first.AddText("\nnote", false)
		c.Messages[1].AddText("x", true)
		i := strings.LastIndex(raw, `"system"`)
		want := raw[:i] + strings.Replace(raw[i:], `",`, `\nnote",`, 1)
		if i > 2 {
			want = raw[:len(raw)-2] + `\nnote"}`
		}
		want = strings.Replace(want, `"value":"q"`, `"value":"xq"`, 1)
		if got := string(c.Bytes()); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

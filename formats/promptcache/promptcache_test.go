package promptcache_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/promptcache"
)

func dialect(t testing.TB, name string) formats.Dialect {
	t.Helper()
	for _, d := range []formats.Dialect{formats.OpenAI{}, formats.Anthropic{}, formats.ShareGPT{}} {
		if d.Name() == name {
			return d
		}
	}
	t.Fatalf("no dialect %s", name)
	return nil
}

func decode(t testing.TB, name, raw string) *formats.Conversation {
	t.Helper()
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(raw)}, dialect(t, name))
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return c
}

func place(t testing.TB, name, raw string, ttl promptcache.TTL) (string, promptcache.Counts) {
	t.Helper()
	c := decode(t, name, raw)
	data, counts, err := promptcache.Place(c, ttl)
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Bytes()) != raw {
		t.Fatalf("the conversation itself was changed: %s", c.Bytes())
	}
	return string(data), counts
}

func remove(t testing.TB, name, raw string) (string, promptcache.Counts) {
	t.Helper()
	data, counts, err := promptcache.Remove(decode(t, name, raw))
	if err != nil {
		t.Fatal(err)
	}
	return string(data), counts
}

// shapes is the whole table: what each content becomes. CC stands for the marker; want "" for a message that cannot carry
// one. Both dialects do the same where only one row is given.
var shapes = []struct{ name, dialect, message, want string }{
	{"text", "", `{"role":"user","content":"hi"}`, `{"role":"user","content":[{"type":"text",CC,"text":"hi"}]}`},
	{"text, spelled with spaces", "", `{"role": "user", "content": "hi"}`, `{"role": "user", "content": [{"type": "text", CC, "text": "hi"}]}`},
	{"text with escapes", "", `{"content":"\u00e9\ud800\/","role":"user"}`, `{"content":[{"type":"text",CC,"text":"\u00e9\ud800\/"}],"role":"user"}`},
	{"one part", "", `{"role":"user","content":[{"type":"text","text":"hi"}]}`, `{"role":"user","content":[{"type":"text","text":"hi",CC}]}`},
	{"parts", "", `{"role":"user","content":[{"type":"text","text":"a"}, {"text":"b","type":"text"}]}`, `{"role":"user","content":[{"type":"text","text":"a"}, {"text":"b","type":"text",CC}]}`},
	{"a part over several lines", "", "{\"role\":\"user\",\"content\":[{\n  \"type\": \"text\",\n  \"text\": \"b\"\n}]}", "{\"role\":\"user\",\"content\":[{\n  \"type\": \"text\",\n  \"text\": \"b\",\n  \"cache_control\": TTL\n}]}"},
	{"an image last", "openai", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}}]}`, `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"},CC}]}`},
	{"null", "", `{"role":"assistant","content":null}`, `{"role":"assistant","content":null,CC}`},
	{"null beside calls", "openai", `{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}`, `{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}],CC}`},
	{"none", "", `{"role":"assistant"}`, `{"role":"assistant",CC}`},
	{"the empty text", "", `{"role":"user","content":""}`, `{"role":"user","content":"",CC}`},
	{"an empty list", "", `{"role":"user","content":[ ]}`, `{"role":"user","content":[ ],CC}`},
	{"tool, text", "openai", `{"role":"tool","tool_call_id":"1","content":"x"}`, ""},
	{"tool, parts", "openai", `{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"x"}]}`, ""},
	{"tool, null", "openai", `{"role":"tool","tool_call_id":"1","content":null}`, ""},
	{"function", "openai", `{"role":"function","name":"f","content":"x"}`, ""},
	{"tool, text", "anthropic", `{"role":"tool","tool_call_id":"1","content":"x"}`, `{"role":"tool","tool_call_id":"1","content":"x",CC}`},
	{"tool, parts", "anthropic", `{"role":"tool","content":[{"type":"text","text":"x"}]}`, `{"role":"tool","content":[{"type":"text","text":"x"}],CC}`},
	{"results", "anthropic", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x",CC}]}`},
	{"a call last", "anthropic", `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"f","input":{}}]}`, `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"f","input":{},CC}]}`},
	{"thinking last", "anthropic", `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"h","signature":"s"}]}`, `{"role":"assistant","content":[{"type":"text","text":"a",CC},{"type":"thinking","thinking":"h","signature":"s"}]}`},
	{"thinking only", "anthropic", `{"role":"assistant","content":[{"type":"thinking","thinking":"h"},{"type":"redacted_thinking","data":"d"}]}`, ""},
	{"an empty text last", "", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":""}]}`, `{"role":"user","content":[{"type":"text","text":"a",CC},{"type":"text","text":""}]}`},
	{"an empty text only", "", `{"role":"user","content":[{"type":"text","text":""},{"text":""}]}`, ""},
	{"bare texts in a list", "", `{"role":"user","content":["a",7]}`, ""},
	{"a number", "", `{"role":"user","content":7}`, ""},
	{"an object", "", `{"role":"user","content":{"a":1}}`, ""},
	{"an unknown role", "", `{"role":"exit","content":"bye"}`, ""},
	{"a second system message", "", `{"role":"system","content":"later"}`, ""},
	{"no object", "", `"hi"`, ""},
	{"padded with null", "", `{"role":"user","content":[{"type":"text","text":"hi","cache_control":null,"x":1}],"cache_control":null}`, `{"role":"user","content":[{"type":"text","text":"hi","cache_control":NULLED,"x":1}],"cache_control":null}`},
	{"padded, null content", "", `{"role":"assistant","content":null,"cache_control":null}`, `{"role":"assistant","content":null,"cache_control":NULLED}`},
	{"something else by that name", "", `{"role":"user","content":[{"type":"text","text":"hi","cache_control":"on"}]}`, ""},
	{"something else by that name, at the top", "", `{"role":"user","content":null,"cache_control":7}`, ""},
}

// spell fills a template in: CC by the member, TTL and NULLED by markers alone.
func spell(template string, ttl promptcache.TTL) string {
	marker := `{"type": "ephemeral"}`
	if ttl == promptcache.OneHour {
		marker = `{"type": "ephemeral", "ttl": "1h"}`
	}
	tight := strings.ReplaceAll(marker, " ", "")
	if strings.Contains(template, `"role": `) {
		template = strings.ReplaceAll(template, "CC", `"cache_control": `+marker)
	}
	template = strings.ReplaceAll(template, "CC", `"cache_control":`+tight)
	template = strings.ReplaceAll(template, "TTL", tight)
	return strings.ReplaceAll(template, "NULLED", strings.TrimSuffix(tight, "}")+" }")
}

func TestShapes(t *testing.T) {
	for _, shape := range shapes {
		for _, name := range promptcache.Dialects() {
			if shape.dialect != "" && shape.dialect != name {
				continue
			}
			for _, ttl := range []promptcache.TTL{promptcache.FiveMinutes, promptcache.OneHour} {
				t.Run(fmt.Sprintf("%s/%s/%s", shape.name, name, ttl), func(t *testing.T) {
					const before, after = ` {"messages":[{"role":"system","content":""} , `, " ] , \"n\":1.0}\n"
					raw := before + shape.message + after
					want, placed := shape.message, 1
					if shape.want != "" {
						want, placed = spell(shape.want, ttl), 2
					}
					want = strings.Replace(before, `""}`, spell(`"",CC}`, ttl), 1) + want + after
					got, counts := place(t, name, raw, ttl)
					if got != want || counts.Placed != placed || counts.Removed != 0 {
						t.Errorf("%+v\ngot  %s\nwant %s", counts, got, want)
					}
					if again, _ := place(t, name, got, ttl); again != got {
						t.Errorf("placed twice: %s", again)
					}
					if back, counts := remove(t, name, got); back != raw || counts.Removed != placed || counts.Placed != 0 {
						t.Errorf("%+v taken out: %s", counts, back)
					}
				})
			}
		}
	}
}

// Which messages get one of the four.
func TestBreakpoints(t *testing.T) {
	const tool = `{"role":"tool","content":"r"}`
	system := `{"role":"system","content":"s"}`
	for _, test := range []struct {
		name, dialect, raw string
		want               []int // places in the list that are marked; -1 for a system text outside it
	}{
		{"system and three", "openai", list(system, user, user, user, user), []int{0, 2, 3, 4}},
		{"four without a system message", "openai", list(user, user, user, user, user), []int{1, 2, 3, 4}},
		{"fewer than four", "openai", list(system, user), []int{0, 1}},
		{"developer", "openai", list(`{"role":"developer","content":"s"}`, user, user, user, user), []int{0, 2, 3, 4}},
		{"a system message later on", "openai", list(user, system, user, user, user), []int{0, 2, 3, 4}},
		{"messages that cannot carry one use up no slot", "openai", list(system, user, user, tool, user, tool, tool), []int{0, 1, 2, 4}},
		{"nor does such a system message", "openai", list(`{"role":"system","content":[{"type":"text","text":""}]}`, user, user, user, user), []int{1, 2, 3, 4}},
		{"nothing to mark", "openai", list(tool, tool), nil},
		{"no messages", "openai", list(), nil},
		{"system outside", "anthropic", `{"system":"s",` + list(user, user, user, user)[1:], []int{-1, 1, 2, 3}},
		{"system behind the list", "anthropic", strings.TrimSuffix(list(user), "}") + `,"system":[{"type":"text","text":"s"}]}`, []int{-1, 0}},
		{"an empty system outside", "anthropic", `{"system":"",` + list(user, user, user, user)[1:], []int{0, 1, 2, 3}},
		{"a request of a batch", "anthropic", `{"custom_id":"1","params":{"system":"s","messages":[` + user + `]}}`, []int{-1, 0}},
		{"a bare list", "openai", `[` + user + `,` + user + `]`, []int{0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, counts := place(t, test.dialect, test.raw, promptcache.FiveMinutes)
			var got []int
			c := decode(t, test.dialect, out)
			shift := 0
			for i, m := range c.Messages {
				if m.Outside {
					shift = 1
				}
				if strings.Contains(string(m.Bytes()), `"cache_control":{"type":"ephemeral"}`) {
					got = append(got, i-shift)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) || counts.Placed != len(test.want) || strings.Count(out, "cache_control") != len(test.want) {
				t.Errorf("marked %v, want %v: %s", got, test.want, out)
			}
			if back, _ := remove(t, test.dialect, out); back != test.raw {
				t.Errorf("back: %s", back)
			}
		})
	}
}

const user = `{"role":"user","content":"u"}`

func list(messages ...string) string {
	return `{"messages":[` + strings.Join(messages, ",") + `]}`
}

// Markers of others are taken out wherever they count, the data of tools is left alone, and a list stays a list.
func TestForeignMarkers(t *testing.T) {
	const native = `{"model":"m","cache_control":{"type":"ephemeral"},"tools":[{"name":"a"},{"cache_control":{"type":"ephemeral","ttl":"1h"},"name":"f","input_schema":{"cache_control":{"type":"object"}}}],` +
		`"system":[{"type":"text","text":"a"},{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"q","cache_control": { "type": "ephemeral" }}]},` +
		`{"role":"assistant","cache_control":{"type":"ephemeral"},"content":[{"type":"tool_use","id":"1","name":"f","input":{"cache_control":{"type":"ephemeral"}}}]},` +
		`{"role":"user","content":[{"cache_control":{"type":"ephemeral"},"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"r","cache_control":{"type":"ephemeral"}}]},` +
		`{"type":"document","source":{"type":"content","content":[{"type":"text","text":"d","cache_control":{"type":"ephemeral"}}]}}]}]}`
	const bare = `{"model":"m","tools":[{"name":"a"},{"name":"f","input_schema":{"cache_control":{"type":"object"}}}],` +
		`"system":[{"type":"text","text":"a"},{"type":"text","text":"s"}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"q"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"cache_control":{"type":"ephemeral"}}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"r"}]},` +
		`{"type":"document","source":{"type":"content","content":[{"type":"text","text":"d"}]}}]}]}`
	got, counts := remove(t, "anthropic", native)
	if got != bare || counts.Removed != 8 {
		t.Errorf("%d removed\ngot  %s\nwant %s", counts.Removed, got, bare)
	}
	first, _ := place(t, "anthropic", bare, promptcache.OneHour)
	if got, counts := place(t, "anthropic", native, promptcache.OneHour); got != first || counts.Placed != 4 || counts.Removed != 8 {
		t.Errorf("%+v\ngot  %s\nwant %s", counts, got, first)
	}

	const chat = `{"tools":[{"type":"function","function":{"name":"f","cache_control":{"type":"ephemeral"}},"cache_control":{"type":"ephemeral"}}],"messages":[` +
		`{"cache_control":{"type":"ephemeral"},"cache_control":{"type":"ephemeral"},"role":"assistant","content":null,"tool_calls":[{"id":"1","cache_control":{"type":"ephemeral"},"function":{"name":"f","arguments":{"cache_control":{}}}}]},` +
		`{"role":"tool","content":[{"type":"text","text":"r","cache_control":{"type":"ephemeral"}}]},{"role":"user","content":"cache_control","cache_control":null}]}`
	const bareChat = `{"tools":[{"type":"function","function":{"name":"f"}}],"messages":[` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":{"cache_control":{}}}}]},` +
		`{"role":"tool","content":[{"type":"text","text":"r"}]},{"role":"user","content":"cache_control","cache_control":null}]}`
	if got, counts := remove(t, "openai", chat); got != bareChat || counts.Removed != 6 {
		t.Errorf("%d removed\ngot  %s\nwant %s", counts.Removed, got, bareChat)
	}
	if got, counts := remove(t, "openai", `{"messages":[{"role":"user","content":[{"cache_control":{"type":"ephemeral"}}]}],"input":{"messages":[],"tools":[{"cache_control":{}}]}}`); got != `{"messages":[{"role":"user","content":[{}]}],"input":{"messages":[],"tools":[{}]}}` || counts.Removed != 2 {
		t.Errorf("%+v %s", counts, got)
	}
}

func TestOtherDialects(t *testing.T) {
	c := decode(t, "sharegpt", `{"conversations":[{"from":"human","value":"hi"}]}`)
	var want *promptcache.DialectError
	if _, _, err := promptcache.Place(c, promptcache.FiveMinutes); !errors.As(err, &want) || want.Dialect != "sharegpt" {
		t.Errorf("%v", err)
	}
	if _, _, err := promptcache.Remove(c); !errors.As(err, &want) {
		t.Errorf("%v", err)
	}
	if promptcache.Check("openai") != nil || promptcache.Check("anthropic") != nil || promptcache.Check("hermes") == nil {
		t.Error("the dialects that have a place")
	}
}

func TestAutomatic(t *testing.T) {
	for _, test := range []struct {
		model, provider string
		want            bool
	}{
		{"claude-sonnet-4-6", "anthropic", true},
		{"anthropic/Claude-Opus-4.6", "OpenRouter", true},
		{"claude-sonnet-4-6", "openai", false},
		{"gpt-5", "openrouter", false},
		{"", "anthropic", false},
	} {
		if got := promptcache.Automatic(test.model, test.provider); got != test.want {
			t.Errorf("%s via %s: %v", test.model, test.provider, got)
		}
	}
	if got := promptcache.Notice("Anthropic", promptcache.FiveMinutes); got != "prompt caching: enabled (Claude via anthropic, 5m)" {
		t.Error(got)
	}
}

func TestProviderOf(t *testing.T) {
	for model, want := range map[string]string{
		"claude-sonnet-4-5": "anthropic", "Claude-3": "anthropic", "anthropic/claude-opus-4": "anthropic",
		"openrouter/anthropic/claude-opus-4": "openrouter", "bedrock/claude-3": "bedrock", "gpt-4o": "", "": "", "my-claude": "",
	} {
		if got := promptcache.ProviderOf(model); got != want {
			t.Errorf("%q: %q, not %q", model, got, want)
		}
	}
}

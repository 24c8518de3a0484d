package targets

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"pgregory.net/rapid"
)

// words are what random conversations say: each text is one of a kind, so that none can be lost unseen.
func drawText(t *rapid.T, n int) string {
	return fmt.Sprintf("text %d;%s", n, rapid.SampledFrom([]string{"", " \u00e9", "\nline", " <tool_call>", " [", " \"q\"", "\n\n"}).Draw(t, "text"))
}

// drawChat makes up a conversation of chat completions in which anything follows anything.
func drawChat(t *rapid.T) string {
	var list []string
	add := func(fields ...string) { list = append(list, "{"+strings.Join(fields, ",")+"}") }
	text := func() string { return jsonOf(drawText(t, len(list))) }
	var open []string
	for range rapid.IntRange(1, 14).Draw(t, "messages") {
		n := len(list)
		switch kind := rapid.SampledFrom([]string{"system", "developer", "user", "user", "parts", "assistant", "assistant", "calls", "calls", "tool", "tool", "exit", "named"}).Draw(t, "kind"); kind {
		case "calls":
			fields := []string{`"role":"assistant"`, `"content":` + rapid.SampledFrom([]string{"null", text(), `""`}).Draw(t, "content")}
			var calls []string
			for k := range rapid.IntRange(1, 2).Draw(t, "calls") {
				id := fmt.Sprintf("c%d_%d", n, k)
				arguments := rapid.SampledFrom([]string{`"{}"`, `{"n": 1.10}`, `"{\"n\": 1.10}"`, `"[1"`, `""`, `null`}).Draw(t, "arguments")
				calls = append(calls, `{"id":"`+id+`","type":"function","function":{"name":"f","arguments":`+arguments+`}}`)
				open = append(open, id)
			}
			add(append(fields, `"tool_calls":[`+strings.Join(calls, ",")+`]`)...)
		case "tool":
			id := "none"
			if len(open) > 0 {
				k := rapid.IntRange(0, len(open)-1).Draw(t, "answers")
				id = open[k]
				open = slices.Delete(open, k, k+1)
			}
			add(`"role":"tool"`, `"tool_call_id":"`+id+`"`, `"content":`+text())
		case "parts":
			add(`"role":"user"`, `"content":[{"type":"text","text":`+text()+`},{"type":"image_url","image_url":{"url":"x"}}]`)
		case "named":
			add(`"role":"user"`, `"name":"n"`, `"content":`+text())
		case "assistant":
			content := text()
			if rapid.IntRange(0, 3).Draw(t, "summary") == 0 {
				content = jsonOf(summaryMark + " " + drawText(t, n))
			}
			add(`"role":"assistant"`, `"content":`+content)
		default:
			add(`"role":"`+kind+`"`, `"content":`+text())
		}
	}
	return `{"messages":[` + strings.Join(list, ",") + `],"n":1.0}`
}

// drawShare makes up turns of ShareGPT.
func drawShare(t *rapid.T) string {
	var list []string
	for n := range rapid.IntRange(1, 14).Draw(t, "turns") {
		name := rapid.SampledFrom([]string{"system", "human", "user", "Human", "gpt", "gpt", "assistant", "bing", "function_call", "tool_call", "observation", "tool", "tool_response", "narrator"}).Draw(t, "name")
		value := drawText(t, n)
		switch name {
		case "function_call", "tool_call":
			value = fmt.Sprintf(`{"name": "f%d", "arguments": {"n": 1.10}}`, n)
		case "gpt":
			value = rapid.SampledFrom([]string{value, "<think>\nhm\n</think>\n" + value, value + "\n<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>"}).Draw(t, "value")
		}
		extra := rapid.SampledFrom([]string{"", "", "", `,"weight":0`}).Draw(t, "extra")
		list = append(list, `{"from":"`+name+`","value":`+jsonOf(value)+extra+`}`)
	}
	return `{"conversations":[` + strings.Join(list, ",") + `],"n":1.0}`
}

// drawClaude makes up messages of the Messages API.
func drawClaude(t *rapid.T) string {
	var list, open []string
	for n := range rapid.IntRange(1, 14).Draw(t, "messages") {
		text := jsonOf(drawText(t, n))
		switch rapid.SampledFrom([]string{"user", "blocks", "assistant", "thinking", "calls", "results", "mixed", "system"}).Draw(t, "kind") {
		case "user":
			list = append(list, `{"role":"user","content":`+text+`}`)
		case "system":
			list = append(list, `{"role":"system","content":`+text+`}`)
		case "blocks":
			list = append(list, `{"role":"user","content":[{"type":"text","text":`+text+`},{"type":"image","source":{}}]}`)
		case "assistant":
			list = append(list, `{"role":"assistant","content":`+text+`}`)
		case "thinking":
			list = append(list, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":`+text+`}]}`)
		case "calls":
			list = append(list, fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%s},{"type":"tool_use","id":"c%d","name":"f","input":{"n": 1.10}}]}`, text, n))
			open = append(open, fmt.Sprintf("c%d", n))
		default:
			id := "none"
			if len(open) > 0 {
				id, open = open[0], open[1:]
			}
			list = append(list, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":%s}]}`, id, text))
		}
	}
	return `{"system":"be brief","messages":[` + strings.Join(list, ",") + `],"n":1.0}`
}

func jsonOf(text string) string {
	b, _ := json.Marshal(text) // a string
	return string(b)
}

// said is everything that messages say, piece by piece, in an order of its own: what may not change.
func said(messages []*formats.Message) (pieces, texts []string) {
	for _, m := range messages {
		for _, p := range m.Parts {
			switch v := p.(type) {
			case *formats.Text:
				texts = append(texts, v.Text)
			case *formats.Reasoning:
				pieces = append(pieces, "thinks "+v.Text)
			case *formats.ToolCall:
				if !v.Implicit {
					pieces = append(pieces, "calls "+v.ID+v.Name+strings.TrimSpace(v.Arguments))
				}
			case *formats.ToolResult:
				texts = append(texts, v.Text)
				pieces = append(pieces, "answers "+v.CallID)
			case *formats.Media:
				pieces = append(pieces, "shows "+v.Type)
			case *formats.Opaque:
				pieces = append(pieces, v.JSON)
			}
		}
	}
	slices.Sort(pieces)
	return pieces, texts
}

// sameWords: everything is still said, thought, called, answered and shown; nothing else is but labels.
func sameWords(before, after []*formats.Message) error {
	pieces, texts := said(before)
	now, nowTexts := said(after)
	all := strings.Join(nowTexts, "\x00")
	rest := strings.ReplaceAll(all, SystemLabel, "")
	for _, text := range texts {
		if !strings.Contains(all, strings.TrimSpace(text)) {
			return fmt.Errorf("%q is not said any more", text)
		}
		rest = strings.Replace(rest, strings.TrimSpace(text), "", 1)
	}
	if left := strings.Trim(rest, "\x00 \n"); strings.Trim(strings.ReplaceAll(left, "\x00", ""), " \n") != "" {
		return fmt.Errorf("%q is new", left)
	}
	// results that share an observation are one, and no arguments are empty ones
	normal := func(list []string) []string {
		out := slices.Clone(list)
		for i, p := range out {
			if strings.HasPrefix(p, "calls ") {
				out[i] = strings.TrimSuffix(p, "{}")
			}
		}
		out = slices.DeleteFunc(out, func(p string) bool { return p == "answers " })
		slices.Sort(out)
		return out
	}
	if a, b := normal(pieces), normal(now); !slices.Equal(a, b) {
		return fmt.Errorf("%q became %q", a, b)
	}
	return nil
}

// Adapt loses no word, no call, no answer; what it gives is what a reader reads; what the target takes stays as it is; and
// it has nothing to do on its own output.
func TestAdaptKeepsEverything(t *testing.T) {
	mended := map[string]int{}
	one := func(rt *rapid.T) {
		target := rapid.SampledFrom(All()).Draw(rt, "target")
		raw := rapid.SampledFrom([]func(*rapid.T) string{drawChat, drawShare, drawClaude}).Draw(rt, "dialect")(rt)
		dialects := []formats.Dialect{formats.Anthropic{}, formats.OpenAI{}, formats.Hermes{}, formats.ShareGPT{}}
		rec := formats.Record{Raw: []byte(raw)}
		c, err := formats.Decode(rec, dialects)
		if err != nil {
			rt.Fatal(err)
		}
		check := func(c *formats.Conversation, payload []byte) []Breach {
			return target.Check(Record{Conversation: c, Payload: payload, Parquet: true})
		}
		refused := check(c, rec.Raw)
		messages, changes := target.Adapt(c, c.Messages, isSummary)
		out := c.With(messages).Bytes()
		if string(c.Bytes()) != raw {
			rt.Fatalf("the record was changed: %s", c.Bytes())
		}
		if len(changes) == 0 && string(out) != raw {
			rt.Fatalf("changed without a word: %s\n%s", raw, out)
		}
		unlike := func(change Change) bool { return change.Kind != ChangeMask }
		if len(refused) == 0 && slices.ContainsFunc(changes, unlike) {
			rt.Fatalf("%s takes %s, but it became %s", target.Name, raw, out)
		}
		var d formats.Dialect
		for _, one := range dialects {
			if one.Name() == c.Dialect {
				d = one
			}
		}
		again, err := formats.DecodeAs(formats.Record{Raw: out}, d)
		if err != nil {
			rt.Fatalf("%v: %s", err, out)
		}
		again.Dialect = c.Dialect
		if err := sameWords(c.Messages, again.Messages); err != nil {
			rt.Fatalf("%s: %v\n%s\n%s", target.Name, err, raw, out)
		}
		if len(messages) != len(again.Messages) {
			rt.Fatalf("%d messages, read back %d: %s", len(messages), len(again.Messages), out)
		}
		if more, changes := target.Adapt(again, again.Messages, isSummary); len(changes) > 0 {
			rt.Fatalf("%s: adapting again does %v:\n%s\n%s\n%s", target.Name, changes, raw, out, again.With(more).Bytes())
		}
		if len(refused) > 0 && len(check(again, out)) == 0 {
			mended[target.Name]++
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		for range 30 {
			one(rt)
		}
	})
	if len(mended) < len(All())/2 { // TestAdapt has a case for every step
		t.Errorf("hardly anything was mended: %v", mended)
	}
}

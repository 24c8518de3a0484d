package formats_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/formatstest"
)

func everyDialect() []struct {
	dialect formats.Dialect
	samples []formatstest.Sample
} {
	return append(agentDialects, []struct {
		dialect formats.Dialect
		samples []formatstest.Sample
	}{{formats.OpenAI{}, openAISamples}, {formats.ShareGPT{}, shareGPTSamples}, {formats.Hermes{}, hermesSamples}}...)
}

func dialectNamed(name string) formats.Dialect {
	for _, d := range everyDialect() {
		if d.dialect.Name() == name {
			return d.dialect
		}
	}
	return nil
}

// gist is what must survive any conversion: who says what, which calls are made, what is answered to which.
func gist(c *formats.Conversation) (people, agent, calls, answers string) {
	pairs := formats.Pair(c.Messages)
	for _, m := range c.Messages {
		switch m.Role {
		case formats.RoleAssistant:
			agent += "|" + strings.ReplaceAll(m.Text(), "< ", "<")
		case formats.RoleUser, formats.RoleSystem, formats.RoleTool:
			people += "|" + m.Text()
		}
		for _, call := range m.Calls() {
			if !call.Implicit {
				calls += "|" + call.Name
			}
		}
		for _, r := range m.Results() {
			answers += fmt.Sprintf("|%s", r.Text)
			if ref, ok := pairs.Answers[r]; ok && !ref.Call.Implicit {
				answers += "<" + ref.Call.Name
			}
		}
	}
	return squeezed(people), squeezed(agent), squeezed(calls), squeezed(answers)
}

// converted is the payload of a conversion.
func converted(c *formats.Conversation, to string) ([]byte, error) {
	out, err := formats.Convert(c, to)
	return out.Payload, err
}

// squeezed takes out what a target may cut texts into.
func squeezed(s string) string {
	return strings.NewReplacer("|", "", "\n", "", " ", "").Replace(s)
}

const plainChat = `{"id":"a","reward":1.0,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"list <b>é"},{"role":"assistant","content":"I look.","reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"path\": \".\"}"}},{"id":"c2","type":"function","function":{"name":"cat","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"a.go"},{"role":"tool","tool_call_id":"c2","content":"package a\n"},{"role":"assistant","content":"two files"},{"role":"user","content":"thanks"},{"role":"assistant","content":null,"tool_calls":[{"id":"c3","type":"function","function":{"name":"bye","arguments":"{\"n\": 1.10}"}}]},{"role":"tool","tool_call_id":"c3","content":"ok"},{"role":"assistant","content":"bye"}],"tools":[{"type":"function","function":{"name":"ls","description":"lists","parameters":{"type":"object"}}}]}`

// What an output of several records holds is told apart again by detection: nothing beside the conversation passes for it, no
// system text gets lost because the dialect is told for another, and a record is one line, however its parts were spelled.
func TestConvertedIsReadBack(t *testing.T) {
	const turns = `"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\n  \"n\": 1\r\n}"}}]},{"role":"tool","tool_call_id":"a","content":"x"},{"role":"assistant","content":"done"}]`
	var all []formats.Dialect
	for _, d := range everyDialect() {
		all = append(all, d.dialect)
	}
	for _, raw := range []string{
		`{` + turns + `,"n": {` + "\n" + `"k": [1,` + "\n" + ` 2]}}`,
		`{` + turns + `,"trajectory":[],"chat":[{"role":"user","content":"other"}],"prompt":[{"from":"human","value":"other"}]}`,
		`{"system":"Be brief.","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"done"}]}`,
		`{"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":"go"},{"role":"assistant","content":"done"}]}`,
	} {
		for _, by := range []string{"swe-agent", "atif", "anthropic", "responses", "hermes"} {
			for _, to := range []string{"openai", "sharegpt", "hermes", "responses", "swe-agent", "atif", "anthropic"} {
				payload := []byte(raw)
				for _, name := range []string{by, to} {
					c, err := formats.Decode(formats.Record{Raw: payload}, all)
					if err != nil {
						t.Fatal(err)
					}
					if payload, err = converted(c, name); err != nil {
						t.Fatal(err)
					}
				}
				c, err := formats.Decode(formats.Record{Raw: payload}, all)
				if err != nil {
					t.Fatal(err)
				}
				people, agent, _, answers := gist(c)
				if !strings.HasSuffix(people, "go") || agent != "done" || strings.Contains(raw, "Be brief.") && !strings.Contains(string(payload), "Be brief.") || strings.Contains(raw, "tool_calls") && !strings.HasPrefix(answers, "x") {
					t.Errorf("by %s to %s: %q says %q, %q answers %q\n%s", by, to, people, agent, c.Dialect, answers, payload)
				}
				if strings.ContainsAny(string(payload), "\n\r") {
					t.Errorf("by %s to %s: several lines:\n%s", by, to, payload)
				}
			}
		}
	}
}

// There and back: a conversation that every dialect can hold says the same after any two conversions.
func TestConvertThereAndBack(t *testing.T) {
	first, err := formats.DecodeAs(formats.Record{Raw: []byte(plainChat)}, formats.OpenAI{})
	if err != nil {
		t.Fatal(err)
	}
	people, agent, calls, answers := gist(first)
	for _, a := range formats.ConvertTargets() {
		for _, b := range formats.ConvertTargets() {
			c := first
			for _, to := range []string{a, b} {
				raw, err := converted(c, to)
				if err != nil {
					t.Fatalf("%s > %s: %v", a, b, err)
				}
				if !json.Valid(raw) || strings.Contains(string(raw), "\n") {
					t.Fatalf("%s > %s: no JSON on one line:\n%s", a, b, raw)
				}
				if c, err = formats.DecodeAs(formats.Record{Raw: raw}, dialectNamed(to)); err != nil {
					t.Fatalf("%s > %s: %v\n%s", a, b, err, raw)
				}
				c.Dialect = to
			}
			p, g, k, r := gist(c)
			if a == "sharegpt" || b == "sharegpt" { // parallel results share one turn there, which is counted
				r = answers
			}
			if p != people || g != agent || k != calls || r != answers {
				t.Errorf("openai > %s > %s\n got %s · %s · %s · %s\nwant %s · %s · %s · %s\n%s", a, b, p, g, k, r, people, agent, calls, answers, c.Bytes())
			}
		}
	}
}

// Every sample of every dialect can be written in every other, is one line of JSON, and is recognised as what it is.
func TestConvertEverything(t *testing.T) {
	order := []formats.Dialect{formats.ATIF{}, formats.SWEAgent{}, formats.Anthropic{}, formats.Responses{}, formats.OpenAI{}, formats.Hermes{}, formats.ShareGPT{}}
	for _, d := range everyDialect() {
		for _, s := range d.samples {
			for _, to := range formats.ConvertTargets() {
				if to == d.dialect.Name() {
					continue
				}
				c, err := formats.DecodeAs(formats.Record{Raw: []byte(s.JSON)}, d.dialect)
				if err != nil {
					t.Fatal(err)
				}
				raw, err := converted(c, to)
				if err != nil || !json.Valid(raw) {
					t.Fatalf("%s %q > %s: %v\n%s", d.dialect.Name(), s.Name, to, err, raw)
				}
				again, err := formats.Decode(formats.Record{Raw: raw}, order)
				if err != nil {
					t.Fatal(err)
				}
				alike := map[string]string{"hermes": "sharegpt", "sharegpt": "hermes", "anthropic": "openai"}[to] // without a marker, or with one in a text
				if got := again.Dialect; again.HasMessages() && got != to && got != alike {
					t.Errorf("%s %q > %s is taken for %q:\n%s", d.dialect.Name(), s.Name, to, got, raw)
				}
			}
		}
	}
}

func TestConvertCountsLosses(t *testing.T) {
	raw := `{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"}],"name":"Ada","timestamp":null},{"role":"assistant","content":"b","weight":0},{"role":"exit","content":"c"}],"n":1.0}`
	c, err := formats.DecodeAs(formats.Record{Raw: []byte(raw)}, formats.OpenAI{})
	if err != nil {
		t.Fatal(err)
	}
	done, err := formats.Convert(c, "sharegpt")
	out, loss := done.Payload, done.Loss
	if err != nil {
		t.Fatal(err)
	}
	want := `{"conversations": [{"from": "human", "value": "a\n[image_url left out]"}, {"from": "gpt", "value": "b", "weight": 0}], "n": 1.0}`
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
	if fmt.Sprint(loss) != "map[media: image_url:1 messages[].name:1 role exit:1]" {
		t.Errorf("losses %v", loss)
	}
	if _, err := formats.Convert(c, "morse"); err == nil {
		t.Error("morse is written")
	}
}

// The mask of fine-tuning comes back from every dialect that has a place for it, and is counted where there is none.
func TestConvertKeepsWeights(t *testing.T) {
	raw := `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","weight":0},{"role":"user","content":"c"},{"role":"assistant","content":"d","weight":1}]}`
	for _, to := range formats.ConvertTargets() {
		c, err := formats.DecodeAs(formats.Record{Raw: []byte(raw)}, formats.OpenAI{})
		if err != nil {
			t.Fatal(err)
		}
		c.Dialect = "openai"
		out, err := formats.Convert(c, to)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = formats.DecodeAs(formats.Record{Raw: out.Payload}, dialectNamed(to)); err != nil {
			t.Fatal(err)
		}
		back, err := formats.Convert(c, "openai")
		if err != nil {
			t.Fatal(err)
		}
		kept := strings.Count(strings.ReplaceAll(string(back.Payload), " ", ""), `"weight":`)
		if lost := out.Loss["weight"]; kept+lost != 2 || kept > 0 && len(out.Loss)+len(back.Loss) > 0 {
			t.Errorf("by %s: %d weights kept, %d lost (%v, %v): %s", to, kept, lost, out.Loss, back.Loss, back.Payload)
		}
	}
}

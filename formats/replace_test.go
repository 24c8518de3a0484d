package formats

import "testing"

func TestReplace(t *testing.T) {
	c, err := DecodeAs(Record{Raw: []byte(`{ "system":"be kind", "messages": [{"role":"user","content":"a"} , {"role":"user","content":"b"}]}`)}, Anthropic{})
	if err != nil {
		t.Fatal(err)
	}
	for i, json := range []string{`["x"`, ``, ` "x"`, `{"text":"x"}`, `12`} {
		if c.Messages[0].Replace([]byte(json)) || c.Messages[0].Changed() {
			t.Errorf("%d: %s stands for a system text", i, json)
		}
	}
	for _, json := range []string{`"x"`, `[]`, `{"role":"user"} `, `{`, ``} {
		if c.Messages[1].Replace([]byte(json)) || c.Messages[1].Changed() {
			t.Errorf("%s stands for a message", json)
		}
	}
	if !c.Messages[0].Replace([]byte(`[{"type":"text","text":"be brief"}]`)) || !c.Messages[2].Replace([]byte(`{"role":"assistant","content":"c"}`)) {
		t.Fatal("refused")
	}
	want := `{ "system":[{"type":"text","text":"be brief"}], "messages": [{"role":"user","content":"a"} , {"role":"assistant","content":"c"}]}`
	if got := string(c.Bytes()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if m := c.Messages[2]; m.Role != RoleAssistant || m.Text() != "c" || c.Messages[0].Text() != "be brief" {
		t.Errorf("%v %q %q", m.Role, m.Text(), c.Messages[0].Text())
	}
}

func TestMembers(t *testing.T) {
	data := []byte(`{ "a" : 1, "b":[2] ,"a":{}}`)
	var got string
	for key, value := range ObjectAt(data, Span{0, len(data)}).Members() {
		got += string(key.In(data)) + "=" + string(value.In(data)) + ";"
	}
	if want := `"a"=1;"b"=[2];"a"={};`; got != want {
		t.Errorf("%s", got)
	}
}

package formats

import "bytes"

// WithMembers gives the record of c, whose payload is given, with top-level members set: key, JSON value, key, … A member
// that is there keeps its place, a new one stands at the end; nothing else changes. A payload that is a bare list becomes
// an object with the list under its dialect's own key. ATIF allows additions under extra only: they go there.
func (c *Conversation) WithMembers(payload []byte, members ...string) []byte {
	dialect := c.Dialect
	if c.Spelled != "" {
		dialect = c.Spelled
	}
	at := valueSpan(payload)
	if kindAt(payload, at) == '[' {
		key := map[string]string{"responses": "input", "sharegpt": "conversations", "hermes": "conversations"}[dialect]
		if key == "" {
			key = "messages"
		}
		payload = object(key, string(at.In(payload)))
	}
	if dialect == "atif" {
		extra := []byte("{}")
		if old := ObjectAt(payload, valueSpan(payload)).Raw("extra"); len(old) > 0 && old[0] == '{' {
			extra = old
		}
		members = []string{"extra", string(setMembers(extra, members))}
	}
	return setMembers(payload, members)
}

// setMembers sets members of the object in json.
func setMembers(json []byte, members []string) []byte {
	for i := 0; i+1 < len(members); i += 2 {
		json = setMember(json, members[i], members[i+1])
	}
	return json
}

func setMember(json []byte, key, value string) []byte {
	at := valueSpan(json)
	o := ObjectAt(json, at)
	if old, ok := o.Find(key); ok {
		return splice(json, old, value)
	}
	closing := at.End - 1
	end := len(bytes.TrimRight(json[:closing], " \t\r\n"))
	text := quoted(key) + ":" + value
	if !o.Empty() {
		text = "," + text
	}
	return splice(json, Span{end, end}, text)
}

func splice(json []byte, s Span, text string) []byte {
	out := make([]byte, 0, len(json)-s.Len()+len(text))
	out = append(append(out, json[:s.Start]...), text...)
	return append(out, json[s.End:]...)
}

package formats

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// converted is a record being written: what was beside the conversation, and the conversation.
type converted struct {
	others []string // key, JSON value, …: members that were beside the conversation, in order
	at     int      // where among others the list stood
	tools  []toolOffer
	id     string
	model  string
	loss   Loss
	mended Loss
	fields []string // key, JSON value, …: what the target puts in the list's place
	whole  []string // the whole record, where the target allows no other members
}

// toolOffer is one tool as all dialects know it.
type toolOffer struct {
	name, description string
	schema            string // JSON; "" for none
}

// newConverted takes the record of c apart.
func newConverted(c *Conversation, loss, mended Loss) *converted {
	r := &converted{id: c.ID, model: c.Model, loss: loss, mended: mended}
	r.readTools(c.Tools)
	at := valueSpan(c.root)
	o := ObjectAt(c.root, at)
	for _, m := range o.members {
		key := DecodeString(m.key.In(c.root))
		switch {
		case m.value == c.list:
			r.at = len(r.others)
		case m.value.Start <= c.list.Start && c.list.End <= m.value.End: // an object around the list
			r.at = len(r.others)
			for inner := range ObjectAt(c.root, m.value).Keys() {
				if !slices.Contains([]string{"messages", "input", "output", "system", "instructions", "tools", "model"}, inner) {
					loss[key+"."+inner]++
				}
			}
		case key == lossSpansKey:
			loss[key]++ // numbers of messages mean others in another dialect
		case m.value == c.system, key == "system" && c.systemBeside() != "", key == "tools", key == "functions", key == "schema_version":
		case slices.Contains([]string{"messages", "conversations", "input", "output", "history", "steps", "system", "instructions"}, key):
			loss[key]++ // it would be read as part of the conversation
		case c.mistaken(key, m.value):
			if p := (&Probe{Rec: Record{Raw: c.root}}); !p.emptyList(m.value) { // an empty one says nothing
				loss[key]++
			}
		default:
			r.others = append(r.others, key, string(m.value.In(c.root)))
		}
	}
	return r
}

// systemBeside is the system text of a record of the Messages API that was told for chat, since no message has blocks: the
// list itself has none, and `system` is a text or a list of texts. It is "" for any other record.
func (c *Conversation) systemBeside() string {
	if cmp.Or(c.Spelled, c.Dialect) != "openai" || slices.ContainsFunc(c.Messages, func(m *Message) bool { return m.Role == RoleSystem }) {
		return ""
	}
	o := ObjectAt(c.root, valueSpan(c.root))
	texts := []string{o.Text("system")}
	if raw := o.Raw("system"); len(raw) > 0 && raw[0] != '"' {
		texts = nil
		for e := range Elements(raw) {
			block := ObjectAt(raw, e)
			if block.Text("type") != "text" {
				return ""
			}
			texts = append(texts, block.Text("text"))
		}
	}
	return strings.Join(texts, "\n\n")
}

// mistaken says that a member beside the conversation would be read as the conversation: a list of turns, or an empty one,
// under a name that lists of turns have.
func (c *Conversation) mistaken(key string, value Span) bool {
	named := func(path listPath) bool { return path.outer == "" && path.key == key }
	if kindAt(c.root, value) != '[' || !slices.ContainsFunc(openAIPaths, named) && !slices.ContainsFunc(shareGPTPaths, named) {
		return false
	}
	p := &Probe{Rec: Record{Raw: c.root}}
	return p.emptyList(value) || p.listOf(value, func(o Object) bool { return hasRole(o) || hasFrom(o) })
}

// readTools reads the offers of any dialect: {type, function: {…}}, {name, input_schema}, {name, parameters}, or all of
// them as one JSON string.
func (r *converted) readTools(json string) {
	data := []byte(json)
	if json == "" || Validate(data) != nil {
		if json != "" {
			r.loss["tools"]++
		}
		return
	}
	for e := range Elements(data) {
		o := ObjectAt(data, e)
		if function := o.Object("function"); !function.Empty() {
			o = function
		}
		t := toolOffer{name: o.Text("name"), description: o.Text("description")}
		for _, key := range []string{"parameters", "input_schema", "schema"} {
			if o.Has(key) {
				t.schema = string(o.Raw(key))
				break
			}
		}
		if t.name == "" {
			r.loss["tools without a name"]++
			continue
		}
		r.tools = append(r.tools, t)
	}
}

// put adds a member of the conversation.
func (r *converted) put(key, json string) { r.fields = append(r.fields, key, json) }

// putTools adds the offers, spelled by one.
func (r *converted) putTools(one func(toolOffer) string) {
	if len(r.tools) > 0 {
		r.put("tools", listOf(r.tools, one))
	}
}

// bytes is the record, on one line.
func (r *converted) bytes() []byte {
	if r.whole != nil {
		return OneLine(object(r.whole...))
	}
	var fields []string
	fields = append(fields, r.others[:r.at]...)
	fields = append(fields, r.fields...)
	fields = append(fields, r.others[r.at:]...)
	return OneLine(object(fields...))
}

// OneLine takes the line breaks out of valid JSON, where they can only stand between tokens: in arguments and members that
// were spelled over several lines. It gives json itself where there are none.
func OneLine(json []byte) []byte {
	if bytes.IndexByte(json, '\n') < 0 && bytes.IndexByte(json, '\r') < 0 {
		return json
	}
	out := make([]byte, 0, len(json))
	for _, b := range json {
		if b != '\n' && b != '\r' {
			out = append(out, b)
		}
	}
	return out
}

// object spells an object of keys and JSON values; members whose value is "" are left out, and so is a key that was there.
func object(fields ...string) []byte {
	kept := make([]string, 0, len(fields))
	for i := 0; i < len(fields); i += 2 {
		if fields[i+1] != "" && fieldIndex(kept, fields[i]) < 0 {
			kept = append(kept, fields[i], fields[i+1])
		}
	}
	if len(kept) == 0 {
		return []byte("{}")
	}
	return plainStyle.object(kept...)
}

// listOf spells a list.
func listOf[T any](items []T, one func(T) string) string {
	b := []byte{'['}
	for i, item := range items {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, one(item)...)
	}
	return string(append(b, ']'))
}

// same spells JSON that is spelled already.
func same(json string) string { return json }

// function spells a tool as {name, description, schemaKey}.
func (t toolOffer) function(schemaKey string) []string {
	fields := []string{"name", quoted(t.name)}
	if t.description != "" {
		fields = append(fields, "description", quoted(t.description))
	}
	schema := t.schema
	if schema == "" {
		schema = `{"type": "object", "properties": {}}`
	}
	return append(fields, schemaKey, schema)
}

// openAITool spells a tool for chat completions.
func openAITool(t toolOffer) string {
	return string(object("type", `"function"`, "function", string(object(t.function("parameters")...))))
}

// argumentsObject is a call's arguments as a JSON object, as dialects want them that do not take a string.
func (r *converted) argumentsObject(arguments string) string {
	data := []byte(arguments)
	switch {
	case arguments == "":
		return "{}"
	case Validate(data) == nil && data[skipSpace(data, 0)] == '{':
		return arguments
	}
	r.loss["arguments that are no object"]++
	return string(object("arguments", quoted(arguments)))
}

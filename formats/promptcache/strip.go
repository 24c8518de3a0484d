package promptcache

import "github.com/ctxpack/ctxpack/formats"

// strip takes the markers out of all messages.
func (w *work) strip() {
	for i, m := range w.messages {
		raw := m.Bytes()
		whole := formats.Span{End: len(raw)}
		var edits []edit
		switch {
		case len(raw) == 0:
		case m.Outside:
			edits = stripContent(raw, whole)
		case raw[0] == '{':
			edits = stripMessage(raw, whole)
		}
		w.counts.Removed += len(edits)
		w.change(i, edits)
	}
}

// Each of the functions below gives one edit for each marker that it finds. They look where the API (or a router in
// front of it) takes markers from, and nowhere else: the arguments of a call or the text of a result may well hold a
// member of that name.

func stripMessage(raw []byte, at formats.Span) []edit {
	edits := stripObject(raw, at)
	for key, value := range formats.ObjectAt(raw, at).Members() {
		switch formats.DecodeString(key.In(raw)) {
		case "content":
			edits = append(edits, stripContent(raw, value)...)
		case "tool_calls":
			edits = append(edits, stripTools(raw, value)...)
		}
	}
	return edits
}

// stripContent makes a list of ours a text again, and takes the markers out of the parts of any other.
func stripContent(raw []byte, list formats.Span) []edit {
	if text, ok := unwrapped(raw, list); ok {
		return []edit{{list, string(text.In(raw))}}
	}
	var edits []edit
	for e := range elements(raw, list) {
		if raw[e.Start] != '{' {
			continue
		}
		edits = append(edits, stripObject(raw, e)...)
		part := formats.ObjectAt(raw, e)
		switch part.Text("type") {
		case "tool_result", "search_result":
			edits = append(edits, stripParts(raw, part, "content")...)
		case "document":
			edits = append(edits, stripParts(raw, part.Object("source"), "content")...)
		}
	}
	return edits
}

// stripParts takes the markers out of the parts within a part.
func stripParts(raw []byte, part formats.Object, key string) []edit {
	var edits []edit
	if list, ok := part.Find(key); ok {
		for e := range elements(raw, list) {
			if raw[e.Start] == '{' {
				edits = append(edits, stripObject(raw, e)...)
			}
		}
	}
	return edits
}

// stripTools takes the markers out of tool definitions or calls, in either shape.
func stripTools(raw []byte, list formats.Span) []edit {
	var edits []edit
	for e := range elements(raw, list) {
		if raw[e.Start] != '{' {
			continue
		}
		edits = append(edits, stripObject(raw, e)...)
		if function, ok := formats.ObjectAt(raw, e).Find("function"); ok && raw[function.Start] == '{' {
			edits = append(edits, stripObject(raw, function)...)
		}
	}
	return edits
}

// stripRequest takes out the markers of the request itself (the API then chooses a breakpoint on its own) and of its tool
// definitions: both count towards the four.
func stripRequest(data []byte) []edit {
	at := rootOf(data)
	if data[at.Start] != '{' {
		return nil
	}
	edits := stripHolder(data, at)
	root := formats.ObjectAt(data, at)
	for _, key := range []string{"params", "input"} { // a request of a batch, a preference pair
		if holder, ok := root.Find(key); ok && root.Object(key).Has("messages") {
			edits = append(edits, stripHolder(data, holder)...)
		}
	}
	return edits
}

// stripHolder does so for the object that holds messages and tools.
func stripHolder(data []byte, at formats.Span) []edit {
	edits := stripObject(data, at)
	if tools, ok := formats.ObjectAt(data, at).Find("tools"); ok {
		edits = append(edits, stripTools(data, tools)...)
	}
	return edits
}

// stripObject takes the markers out of the members of the object at span, each with the comma that joined it to the rest.
func stripObject(raw []byte, span formats.Span) []edit {
	type member struct {
		key, value formats.Span
	}
	var list []member
	for key, value := range formats.ObjectAt(raw, span).Members() {
		list = append(list, member{key, value})
	}
	var edits []edit
	stays := false // a member before this one does
	for i, m := range list {
		switch {
		case raw[m.value.Start] != '{' || formats.DecodeString(m.key.In(raw)) != markerKey:
			stays = true
		case isReplaced(m.value.In(raw)):
			stays = true
			edits = append(edits, edit{m.value, "null"})
		case stays:
			edits = append(edits, edit{formats.Span{Start: list[i-1].value.End, End: m.value.End}, ""})
		case i+1 < len(list):
			edits = append(edits, edit{formats.Span{Start: m.key.Start, End: list[i+1].key.Start}, ""})
		default:
			edits = append(edits, edit{formats.Span{Start: m.key.Start, End: m.value.End}, ""})
		}
	}
	return edits
}

package formats

// Field is one member of a JSON object whose value is a string, a number or a boolean, as text.
type Field struct{ Key, Value string }

// StringMembers gives the scalar members of a JSON object, in order; nil when json is no object.
func StringMembers(json string) []Field {
	data := []byte(json)
	if Validate(data) != nil {
		return nil
	}
	var list []Field
	o := ObjectAt(data, valueSpan(data))
	for _, m := range o.members {
		switch kindAt(data, m.value) {
		case '{', '[', 'n':
		default:
			list = append(list, Field{DecodeString(m.key.In(data)), textOf(data, m.value)})
		}
	}
	return list
}

// MapStrings rewrites the string leaves of a JSON text: change is given each decoded leaf (never a key) and says what it
// becomes. Everything else keeps its bytes: numbers, key order, spacing, the escapes of other leaves. ok is false when
// json is not valid JSON or nothing changed.
func MapStrings(json string, change func(leaf string) (string, bool)) (out string, ok bool) {
	data := []byte(json)
	if Validate(data) != nil {
		return json, false
	}
	var b []byte
	at := 0
	for s := range stringLeaves(data) {
		if text, yes := change(DecodeString(s.In(data))); yes {
			b = append(b, data[at:s.Start]...)
			b = AppendString(b, text)
			at, ok = s.End, true
		}
	}
	return string(append(b, data[at:]...)), ok
}

// stringLeaves yields the string literals of valid JSON that are values, not keys. Without recursion: a string is a key
// when a colon follows it.
func stringLeaves(data []byte) func(func(Span) bool) {
	return func(yield func(Span) bool) {
		for i := 0; i < len(data); {
			if data[i] != '"' {
				i++
				continue
			}
			s := Span{i, skipString(data, i)}
			i = s.End
			if next := skipSpace(data, i); next < len(data) && data[next] == ':' {
				continue
			}
			if !yield(s) {
				return
			}
		}
	}
}

package promptcache

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

	"github.com/ctxpack/ctxpack/formats"
)

// markerKey is the member that makes a breakpoint. Only one whose value is an object is a marker.
const markerKey = "cache_control"

// edit gives the bytes of a span another spelling.
type edit struct {
	span formats.Span
	text string
}

// apply carries edits out, which do not overlap. Without any it gives data back.
func apply(data []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return data
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.span.Start, b.span.Start) })
	size := len(data)
	for _, e := range edits {
		size += len(e.text)
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, data[at:e.span.Start]...), e.text...)
		at = e.span.End
	}
	return append(out, data[at:]...)
}

// spacing is how a record spells what stands on one line.
type spacing struct{ comma, colon string }

// spacingOf learns from the first members of o, an object in data.
func spacingOf(data []byte, o formats.Object) spacing {
	s := spacing{comma: ", ", colon: ": "}
	n, end := 0, 0
	for key, value := range o.Members() {
		if n == 0 && value.Start == key.End+1 {
			s = spacing{comma: ",", colon: ":"}
		}
		if n == 1 && key.Start-end > 1 {
			s.comma = ", "
		}
		if n++; n == 2 {
			break
		}
		end = value.End
	}
	return s
}

// marker spells a marker; replaced is one that takes the place of a null.
func (s spacing) marker(ttl TTL, replaced bool) string {
	text := `{"type"` + s.colon + `"ephemeral"`
	if ttl == OneHour {
		text += s.comma + `"ttl"` + s.colon + `"1h"`
	}
	if replaced {
		text += " "
	}
	return text + "}"
}

// wrapped spells a list of one text part with a marker. literal is the text as a JSON string.
func (s spacing) wrapped(literal string, ttl TTL) string {
	return `[{"type"` + s.colon + `"text"` + s.comma + `"` + markerKey + `"` + s.colon + s.marker(ttl, false) +
		s.comma + `"text"` + s.colon + literal + `}]`
}

// unwrapped gives the text literal of a list as wrapped makes it, whatever its white space.
func unwrapped(data []byte, list formats.Span) (formats.Span, bool) {
	var only formats.Span
	n := 0
	for e := range elements(data, list) {
		only = e
		n++
	}
	if n != 1 || data[only.Start] != '{' {
		return formats.Span{}, false
	}
	o := formats.ObjectAt(data, only)
	names := [...]string{"type", markerKey, "text"}
	kinds := [...]byte{'"', '{', '"'}
	at := 0
	var value formats.Span
	for key, v := range o.Members() {
		if at == len(names) || formats.DecodeString(key.In(data)) != names[at] || data[v.Start] != kinds[at] {
			return formats.Span{}, false
		}
		value = v
		at++
	}
	return value, at == len(names) && o.Text("type") == "text"
}

// isReplaced says that a marker took the place of a null.
func isReplaced(value []byte) bool {
	n := len(value)
	return n > 3 && value[1] == '"' && value[n-2] == ' ' && value[n-3] == '"'
}

// markObject puts a marker at the end of the object at span, or in the place of a null. Where the member is something
// else, the object cannot carry one.
func markObject(data []byte, span formats.Span, s spacing, ttl TTL) []edit {
	o := formats.ObjectAt(data, span)
	if at, ok := o.Find(markerKey); ok {
		if data[at.Start] != 'n' {
			return nil
		}
		return []edit{{at, s.marker(ttl, true)}}
	}
	comma, colon := s.comma, s.colon
	var last formats.Span
	n := 0
	for key, value := range o.Members() {
		switch n {
		case 0:
			colon = string(data[key.End:value.Start])
			if lead := data[span.Start+1 : key.Start]; len(lead) > 0 {
				comma = "," + string(lead)
			}
		case 1:
			comma = string(data[last.End:key.Start])
		}
		last = value
		n++
	}
	member := `"` + markerKey + `"` + colon + s.marker(ttl, false)
	if n == 0 {
		return []edit{{formats.Span{Start: span.End - 1, End: span.End - 1}, member}}
	}
	return []edit{{formats.Span{Start: last.End, End: last.End}, comma + member}}
}

// elements yields the elements of the list at span, none when there is no list.
func elements(data []byte, span formats.Span) iter.Seq[formats.Span] {
	return func(yield func(formats.Span) bool) {
		if span.Len() == 0 || data[span.Start] != '[' {
			return
		}
		for e := range formats.Elements(span.In(data)) {
			if !yield(formats.Span{Start: span.Start + e.Start, End: span.Start + e.End}) {
				return
			}
		}
	}
}

// rootOf is where the record's value begins; it ends where data does, or before white space.
func rootOf(data []byte) formats.Span {
	return formats.Span{Start: len(data) - len(bytes.TrimLeft(data, " \t\r\n")), End: len(data)}
}

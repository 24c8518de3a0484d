package formats

import (
	"bytes"
	"slices"
)

// objectStyle is how a record spells the objects of its message list, learnt from the first of them.
type objectStyle struct {
	open, comma, colon, close string   // `{`, `, `, `: `, `}`, with the line ends and indentation of pretty-printed records
	keys                      []string // the keys of that object, in order
	padded                    bool     // every message carries every key, null where unused (tables turned into JSON)
}

// plainStyle is used where the record shows nothing.
var plainStyle = objectStyle{open: "{", comma: ", ", colon: ": ", close: "}"}

// learnStyle reads the style of o, an object between brace and brace of data; unpadded are the keys that may be null
// without a meaning.
func learnStyle(o Object, unpadded ...string) objectStyle {
	s := plainStyle
	if o.Empty() {
		return s
	}
	first, last := o.members[0], o.members[len(o.members)-1]
	start := first.key.Start
	for o.data[start] != '{' {
		start--
	}
	s.open = string(o.data[start:first.key.Start])
	s.colon = string(o.data[first.key.End:first.value.Start])
	s.close = string(o.data[last.value.End : skipSpace(o.data, last.value.End)+1])
	switch {
	case len(o.members) > 1:
		s.comma = string(o.data[first.value.End:o.members[1].key.Start])
	case len(s.open) > 1:
		s.comma = "," + s.open[1:]
	case s.colon == ":":
		s.comma = ","
	}
	for _, m := range o.members {
		key := DecodeString(m.key.In(o.data))
		if !slices.Contains(s.keys, key) {
			s.keys = append(s.keys, key)
		}
		if kindAt(o.data, m.value) == 'n' && !slices.Contains(unpadded, key) {
			s.padded = true
		}
	}
	return s
}

// inline is the style on one line, for what stands inside a message.
func (s objectStyle) inline() objectStyle {
	one := plainStyle
	if s.colon == ":" {
		one.colon = ":"
	}
	if s.comma == "," {
		one.comma = ","
	}
	return one
}

// object spells an object of the given fields (key, JSON value, key, …), in the order the record has them.
func (s objectStyle) object(fields ...string) []byte {
	b := []byte(s.open)
	n := 0
	put := func(key, value string) {
		if n++; n > 1 {
			b = append(b, s.comma...)
		}
		b = append(AppendString(b, key), s.colon...)
		b = append(b, value...)
	}
	for _, key := range s.keys {
		if i := fieldIndex(fields, key); i >= 0 {
			put(key, fields[i+1])
		} else if s.padded {
			put(key, "null")
		}
	}
	for i := 0; i < len(fields); i += 2 {
		if !slices.Contains(s.keys, fields[i]) {
			put(fields[i], fields[i+1])
		}
	}
	return append(b, s.close...)
}

func fieldIndex(fields []string, key string) int {
	for i := 0; i < len(fields); i += 2 {
		if fields[i] == key {
			return i
		}
	}
	return -1
}

func quoted(text string) string { return string(AppendString(nil, text)) }

// addMember puts a member at the end of the message's object.
func (m *Message) addMember(key, value string, s objectStyle) {
	end := bytes.LastIndexByte(m.raw, '}')
	member := quoted(key) + s.colon + value
	last := end
	for isSpace(m.raw[last-1]) {
		last--
	}
	if m.raw[last-1] != '{' { // not the first member: the white space before the brace stays where it is
		member, end = s.comma+member, last
	}
	m.replaceAt(Span{end, end}, member)
}

// insertElement puts an element at the front or the back of the list at span, in the spacing of its neighbours.
func (m *Message) insertElement(list Span, json, comma string, front bool) {
	first := skipSpace(m.raw, list.Start+1)
	if m.raw[first] == ']' {
		m.replaceAt(Span{first, first}, json)
		return
	}
	if first > list.Start+1 {
		comma = "," + string(m.raw[list.Start+1:first])
	}
	if front {
		m.replaceAt(Span{first, first}, json+comma)
		return
	}
	last := first
	for e := range elements(m.raw, list.Start) {
		last = e.End
	}
	m.replaceAt(Span{last, last}, comma+json)
}

// cutElement takes a list element out, with the comma that follows it, or the one before it when it is the last.
func (m *Message) cutElement(e Span) {
	if i := skipSpace(m.raw, e.End); m.raw[i] == ',' {
		m.replaceAt(Span{e.Start, skipSpace(m.raw, i+1)}, "")
		return
	}
	start := e.Start
	for isSpace(m.raw[start-1]) {
		start--
	}
	if m.raw[start-1] == ',' {
		start--
		for isSpace(m.raw[start-1]) {
			start--
		}
	} else {
		start = e.Start
	}
	m.replaceAt(Span{start, e.End}, "")
}

package formats

import "iter"

// Object is one JSON object as it stands in some text: its members in order, duplicates included, each a pair of spans.
// It is the lossless core of every dialect: values are looked at where they stand, and a change is a splice of the bytes
// in between, so key order, duplicate keys, number spelling, escapes and white space of all the rest survive.
//
// The zero Object has no members. An Object is immutable.
type Object struct {
	data    []byte
	members []member
}

type member struct{ key, value Span }

// ObjectAt reads the object at s in data, which Validate has accepted. A value of another kind is an empty Object.
func ObjectAt(data []byte, s Span) Object {
	if s.Start >= len(data) || data[s.Start] != '{' {
		return Object{data: data}
	}
	list := make([]member, 0, 8)
	for key, value := range members(data, s.Start) {
		list = append(list, member{key, value})
	}
	return Object{data: data, members: list}
}

// Find gives the value of the last member named key, as every JSON reader that keeps one of several duplicates does.
func (o Object) Find(key string) (Span, bool) {
	for i := len(o.members) - 1; i >= 0; i-- {
		if keyIs(o.members[i].key.In(o.data), key) {
			return o.members[i].value, true
		}
	}
	return Span{}, false
}

// Has says whether a member of that name exists and is not null.
func (o Object) Has(key string) bool {
	v, ok := o.Find(key)
	return ok && o.data[v.Start] != 'n'
}

// Raw gives the bytes of a member's value, nil when there is none.
func (o Object) Raw(key string) []byte {
	if v, ok := o.Find(key); ok {
		return v.In(o.data)
	}
	return nil
}

// String gives the decoded value of a member that is a string; ok is false for any other.
func (o Object) String(key string) (value string, ok bool) {
	v, found := o.Find(key)
	if !found || o.data[v.Start] != '"' {
		return "", false
	}
	return DecodeString(v.In(o.data)), true
}

// Text is String, or "".
func (o Object) Text(key string) string {
	s, _ := o.String(key)
	return s
}

// Object gives the member's value as an Object; it is empty when the value is none.
func (o Object) Object(key string) Object {
	if v, ok := o.Find(key); ok {
		return ObjectAt(o.data, v)
	}
	return Object{data: o.data}
}

// Empty says that there are no members.
func (o Object) Empty() bool { return len(o.members) == 0 }

// kindAt is the first byte of a value: '{', '[', '"', 't', 'f', 'n', or a number's.
func kindAt(data []byte, s Span) byte { return data[s.Start] }

// Keys yields the decoded names of the members, in order, duplicates included.
func (o Object) Keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range o.members {
			if !yield(DecodeString(m.key.In(o.data))) {
				return
			}
		}
	}
}

// Elements yields where the values of a JSON array stand in json, which Validate has accepted; nothing for another value.
func Elements(json []byte) iter.Seq[Span] {
	at := Span{Start: skipSpace(json, 0), End: len(json)}
	if at.Len() == 0 {
		return func(func(Span) bool) {}
	}
	return elementsIn(json, at)
}

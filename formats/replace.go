package formats

import "iter"

// Members yields where the key (with its quotes) and the value of each member stand, in order, duplicates included.
func (o Object) Members() iter.Seq2[Span, Span] {
	return func(yield func(key, value Span) bool) {
		for _, m := range o.members {
			if !yield(m.key, m.value) {
				return
			}
		}
	}
}

// Replace gives the message other bytes: an object, or a string or a list for a system text outside the message list.
// Parts are read anew; those that are still there keep their identity. It says false, and does nothing, when json is none
// of these.
func (m *Message) Replace(json []byte) bool {
	if len(json) == 0 || Validate(json) != nil || skipValue(json, 0) != len(json) {
		return false
	}
	switch kind := json[0]; {
	case kind == '{' && !m.Outside, (kind == '"' || kind == '[') && m.Outside:
		m.rewrite(json)
		return true
	}
	return false
}

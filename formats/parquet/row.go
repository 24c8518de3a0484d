package parquet

import (
	"bytes"
	"slices"

	pq "github.com/parquet-go/parquet-go"

	"github.com/ctxpack/ctxpack/formats"
)

// rowPayload is the whole row as one object. The conversation is a member of it, wherever it stands in the row; a text
// that holds an object gives the row its members. A conversation that is no JSON is the payload itself, to be rejected.
func (s *Source) rowPayload(columns [][]pq.Value) ([]byte, error) {
	c := s.columns[0]
	text, err := c.payload(columns)
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && formats.Validate(text) != nil {
		return text, nil //nolint:nilerr // one record to reject, not the end of the file
	}
	r := rowWriter{Source: s, assembler: assembler{columns: columns, omit: c.node, out: []byte{'{'}}}
	r.conversation = s.lifted(bytes.TrimSpace(text))
	r.taken = formats.ObjectAt(r.conversation, formats.Span{End: len(r.conversation)})
	for _, n := range s.whole {
		if n != c.node {
			if err := r.member(n); err != nil {
				return nil, err
			}
		}
		if n == c.top {
			r.members(r.conversation)
		}
	}
	if len(r.out) > 1 {
		r.out = r.out[:len(r.out)-1] // the last comma
	}
	return append(r.out, '}'), nil
}

// lifted spells the conversation as an object for the row to take the members of; nil for none.
func (s *Source) lifted(text []byte) []byte {
	c := s.columns[0]
	if len(text) == 0 || text[0] == '{' {
		return text
	}
	name := c.name
	if dialect, ok := s.file.Lookup(madeBy); ok {
		name, _ = conversationNode(dialect)
	} else if !slices.Contains(payloadKeys["role"], name) && !slices.Contains([]string{"traj", "input", "output", "steps"}, name) {
		name = "messages"
	}
	return slices.Concat(formats.AppendString([]byte{'{'}, name), []byte{':'}, text, []byte{'}'})
}

// rowWriter writes the members of one row, each with a comma behind it.
type rowWriter struct {
	*Source
	assembler
	conversation []byte         // an object
	taken        formats.Object // the same
}

// members writes the members of an object.
func (r *rowWriter) members(object []byte) {
	if len(object) == 0 {
		return
	}
	if inner := bytes.TrimSpace(object[1 : len(object)-1]); len(inner) > 0 {
		r.out = append(append(r.out, inner...), ',')
	}
}

// member writes one column as a member of the row; nothing for null, or when only the conversation was in it.
func (r *rowWriter) member(n *node) error {
	v, err := r.peek(n)
	if err != nil {
		return err
	}
	if v.DefinitionLevel() < n.def {
		return nil
	}
	name := n.name
	if r.made && n.text {
		var done bool
		if name, done = r.madeMember(name, v); done {
			return nil
		}
	}
	start := len(r.out)
	r.out = append(formats.AppendString(r.out, r.free(name)), ':')
	value := len(r.out)
	if err := r.value(n); err != nil {
		return err
	}
	only := n == r.Source.columns[0].top && string(r.out[value:]) == "{}"
	if only || bytes.Equal(r.out[value:], r.taken.Raw(name)) { // the conversation has the same member
		r.out = r.out[:start]
		return nil
	}
	r.out = append(r.out, ',')
	return nil
}

// free is a name for a column's member that is not one of the conversation. Where the user named the conversation, it is
// no name either under which dialects look for one before it.
func (r *rowWriter) free(name string) string {
	for key := range r.taken.Keys() {
		before := func(keys []string) bool {
			other := slices.Index(keys, name)
			return other >= 0 && other < slices.Index(keys, key)
		}
		if key == name || r.named && (before(payloadKeys["role"]) || before(payloadKeys["from"])) {
			return r.free("row_" + name)
		}
	}
	return name
}

// madeMember writes a column of text of a file that Creator made. It gives the name under which the column is to be
// written, or says that all is done.
func (r *rowWriter) madeMember(name string, v pq.Value) (string, bool) {
	switch name {
	case "prompt": // repeats the conversation
		return name, true
	case "session_id":
		text := r.metadata()
		o := formats.ObjectAt(text, formats.Span{End: len(text)})
		return "id", o.Has("id") || o.Has("session_id") // it repeats what stands there
	case "metadata":
		if text := r.metadata(); text != nil {
			r.members(text)
			return name, true
		}
	case "tools":
		text := r.metadata()
		if formats.ObjectAt(text, formats.Span{End: len(text)}).Has("tools") { // spelled as it was
			return name, true
		}
		dialect, _ := r.file.Lookup(madeBy)
		if text := v.ByteArray(); formats.Validate(text) == nil && toolsOf(dialect) == '[' {
			r.out = append(append(append(r.out, `"tools":`...), text...), ',')
			return name, true
		}
	}
	return name, false
}

// metadata is the object in the row's column of that name; nil where there is none.
func (r *rowWriter) metadata() []byte {
	for _, n := range r.whole {
		if n.name != "metadata" || !n.text {
			continue
		}
		if v, err := r.peek(n); err == nil && v.DefinitionLevel() == n.def {
			if text := bytes.TrimSpace(v.ByteArray()); len(text) > 1 && text[0] == '{' && formats.Validate(text) == nil {
				return text
			}
		}
	}
	return nil
}

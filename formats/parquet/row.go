package parquet

import (
	"bytes"

	pq "github.com/parquet-go/parquet-go"

	"github.com/ctxpack/ctxpack/formats"
)

// payload is what a record of the row holds.
func (s *Source) payload(columns [][]pq.Value) ([]byte, error) {
	raw, err := s.column.payload(columns)
	if err != nil || s.whole == nil || raw == nil {
		return raw, err
	}
	if s.column.shape == shapeText && formats.Validate(raw) != nil {
		return raw, nil //nolint:nilerr // no JSON: one record to reject, not the end of the file
	}
	a := assembler{columns: columns, out: []byte{'{'}}
	for _, n := range s.whole {
		if err := s.member(&a, n, raw); err != nil {
			return nil, err
		}
	}
	if len(a.out) > 1 {
		a.out = a.out[:len(a.out)-1] // the last comma
	}
	return append(a.out, '}'), nil
}

// member writes one column as a member of the row, with a comma behind it; nothing for null.
func (s *Source) member(a *assembler, n *node, conversation []byte) error {
	if n == s.column.node {
		return s.conversation(a, conversation)
	}
	v, err := a.peek(n)
	if err != nil {
		return err
	}
	if v.DefinitionLevel() < n.def {
		return nil
	}
	name := n.name
	if s.made && n.text {
		switch name {
		case "prompt": // repeats the conversation
			return nil
		case "session_id":
			text := s.metadata(a)
			if o := formats.ObjectAt(text, formats.Span{End: len(text)}); o.Has("id") || o.Has("session_id") {
				return nil // it repeats what stands there
			}
			name = "id"
		case "metadata":
			if text := s.metadata(a); text != nil {
				if inner := bytes.TrimSpace(text[1 : len(text)-1]); len(inner) > 0 {
					a.out = append(append(a.out, inner...), ',')
				}
				return nil
			}
		case "tools":
			if text := v.ByteArray(); formats.Validate(text) == nil {
				a.out = append(append(append(a.out, `"tools":`...), text...), ',')
				return nil
			}
		}
	}
	a.out = append(formats.AppendString(a.out, name), ':')
	if err := a.value(n); err != nil {
		return err
	}
	a.out = append(a.out, ',')
	return nil
}

// metadata is the object in the row's column of that name; nil where there is none.
func (s *Source) metadata(a *assembler) []byte {
	for _, n := range s.whole {
		if n.name != "metadata" || !n.text {
			continue
		}
		if v, err := a.peek(n); err == nil && v.DefinitionLevel() == n.def {
			if text := bytes.TrimSpace(v.ByteArray()); len(text) > 1 && text[0] == '{' && formats.Validate(text) == nil {
				return text
			}
		}
	}
	return nil
}

// conversation writes the conversation's member: what stands in the braces of its payload, or its text.
func (s *Source) conversation(a *assembler, payload []byte) error {
	if s.column.shape != shapeText {
		a.out = append(append(a.out, payload[1:len(payload)-1]...), ',')
		return nil
	}
	name := s.column.name
	if dialect, ok := s.file.Lookup(madeBy); ok {
		name, _ = conversationNode(dialect)
	}
	a.out = append(append(append(formats.AppendString(a.out, name), ':'), payload...), ',')
	return nil
}

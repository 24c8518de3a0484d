package parquet

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ctxpack/ctxpack/formats"
)

// shredder takes JSON apart into the values of columns. It is the reverse of assembler.
type shredder struct {
	columns map[int][]pq.Value // by leaf column
	lost    []string           // members that the schema has no column for
}

func (s *shredder) put(leaf int, v pq.Value, rep, def int) {
	s.columns[leaf] = append(s.columns[leaf], v.Level(rep, def, leaf))
}

// nothing writes a null or an empty list at the given level into every leaf of n.
func (s *shredder) nothing(n *node, rep, def int) {
	for i := n.first; i < n.last; i++ {
		s.put(i, pq.NullValue(), rep, def)
	}
}

// value writes one value of n; json is empty where there is none. rep is the repetition level of its first leaf values.
// What a column that must have a value lacks is its zero.
func (s *shredder) value(n *node, json []byte, rep int) error {
	absent := len(json) == 0 || json[0] == 'n'
	switch {
	case absent && n.optional:
		s.nothing(n, rep, n.def-1)
		return nil
	case n.elem != nil:
		return s.list(n, json, rep)
	case n.fields != nil:
		return s.group(n, json, rep)
	case absent:
		s.put(n.first, zero(n), rep, n.def)
		return nil
	}
	v, err := leafValue(n, json)
	if err != nil {
		return fmt.Errorf("column %s: %w", n.name, err)
	}
	s.put(n.first, v, rep, n.def)
	return nil
}

func (s *shredder) list(n *node, json []byte, rep int) error {
	elements := listElements(json)
	if elements == nil && len(json) > 0 && json[0] != '[' && json[0] != 'n' {
		elements = [][]byte{asElement(n.elem, json)} // a text where the column wants parts
	}
	if len(elements) == 0 {
		s.nothing(n, rep, n.listDef-1)
		return nil
	}
	for i, e := range elements {
		if i > 0 {
			rep = n.listRep
		}
		if err := s.value(n.elem, e, rep); err != nil {
			return err
		}
	}
	return nil
}

// asElement makes a text the text part of a list of parts.
func asElement(n *node, json []byte) []byte {
	if n.fields == nil || n.field("text") == nil {
		return json
	}
	return slices.Concat([]byte(`{"type":"text","text":`), json, []byte("}"))
}

func (s *shredder) group(n *node, json []byte, rep int) error {
	o := formats.ObjectAt(json, formats.Span{End: len(json)})
	for _, f := range n.fields {
		value := o.Raw(f.name)
		if err := s.value(f, value, rep); err != nil {
			return err
		}
		if f.text && f.name != "arguments" && len(value) > 0 && (value[0] == '[' || value[0] == '{') {
			s.lose(f.name + " of parts, now JSON text")
		}
	}
	s.loseOthers(o, n)
	return nil
}

// loseOthers notes the members of an object that n has no field for. Null says nothing, and is not missed.
func (s *shredder) loseOthers(o formats.Object, n *node) {
	for key := range o.Keys() {
		if n.field(key) == nil && o.Has(key) {
			s.lose(key)
		}
	}
}

// lose notes, once a row, what the schema has no column for.
func (s *shredder) lose(what string) {
	if !slices.Contains(s.lost, what) {
		s.lost = append(s.lost, what)
	}
}

// listElements gives the elements of a JSON array; nil for anything else.
func listElements(json []byte) [][]byte {
	var list [][]byte
	for e := range formats.Elements(json) {
		list = append(list, e.In(json))
	}
	return list
}

// zero is the value of a required leaf of which nothing is known.
func zero(n *node) pq.Value {
	return pq.ZeroValue(pq.Kind(n.kind))
}

// leafValue reads one value; it is the reverse of appendLeaf, and a text column takes any JSON as its text.
func leafValue(n *node, json []byte) (pq.Value, error) {
	text := string(json)
	if json[0] == '"' {
		text = formats.DecodeString(json)
	}
	if v, ok, err := n.meaning.read(n.kind, text); ok || err != nil {
		return v, err
	}
	switch n.kind {
	case format.Boolean:
		b, err := strconv.ParseBool(text)
		return pq.BooleanValue(b), err
	case format.Int32:
		i, err := parseInt(n, text, 32)
		return pq.Int32Value(int32(i)), err
	case format.Int64:
		i, err := parseInt(n, text, 64)
		return pq.Int64Value(i), err
	case format.Float:
		f, err := strconv.ParseFloat(text, 32)
		return pq.FloatValue(float32(f)), err
	case format.Double:
		f, err := strconv.ParseFloat(text, 64)
		return pq.DoubleValue(f), err
	case format.ByteArray, format.FixedLenByteArray:
		b := []byte(text)
		if rest, ok := strings.CutPrefix(text, bytesPrefix); ok {
			if raw, err := base64.StdEncoding.DecodeString(rest); err == nil && (!n.text || !utf8.Valid(raw)) {
				b = raw
			}
		}
		if n.kind == format.FixedLenByteArray {
			return pq.FixedLenByteArrayValue(b), nil
		}
		return pq.ByteArrayValue(b), nil
	}
	return pq.Value{}, fmt.Errorf("values of type %s cannot be changed", n.kind)
}

func parseInt(n *node, text string, bits int) (int64, error) {
	if n.unsigned {
		u, err := strconv.ParseUint(text, 10, bits)
		return int64(u), err
	}
	return strconv.ParseInt(text, 10, bits)
}

// turnsOf finds the conversation's list in a payload: the member named key.
func turnsOf(payload []byte, key string) ([][]byte, error) {
	payload = bytes.TrimSpace(payload)
	o := formats.ObjectAt(payload, formats.Span{End: len(payload)})
	list := o.Raw(key)
	if len(list) == 0 || list[0] != '[' {
		return nil, fmt.Errorf("internal error: a payload without %s", key)
	}
	return listElements(list), nil
}

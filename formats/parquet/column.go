package parquet

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	pq "github.com/parquet-go/parquet-go"

	"github.com/ctxpack/ctxpack/formats"
)

// payload spells the column's values of one row as JSON. It is nil where there is none: null, or text of length 0.
func (c column) payload(columns [][]pq.Value) ([]byte, error) {
	if len(columns[c.first]) == 0 {
		return nil, errLevels
	}
	if v := columns[c.first][0]; v.DefinitionLevel() < c.def {
		return nil, nil
	} else if c.shape == shapeText {
		return v.ByteArray(), nil
	}
	size := 64
	for _, values := range columns[c.first:c.last] {
		for _, v := range values {
			size += 24
			if v.Kind() == pq.ByteArray {
				size += len(v.ByteArray()) + len(v.ByteArray())/16
			}
		}
	}
	a := assembler{columns: slices.Clone(columns), out: make([]byte, 0, size)}
	a.out = append(formats.AppendString(append(a.out, '{'), c.key), ':')
	switch c.shape {
	case shapeTexts:
		a.out = append(c.appendTexts(a.out, columns[c.first]), '}')
		return a.out, nil
	case shapeLists:
		return c.zip(&a)
	}
	if err := a.value(c.node); err != nil {
		return nil, err
	}
	return append(a.out, '}'), nil
}

// appendTexts spells a list of JSON texts. One that is no JSON object is a string: it must be one element of the list,
// and another one than an object of the same spelling.
func (c column) appendTexts(out []byte, values []pq.Value) []byte {
	out = append(out, '[')
	if len(values) == 1 && values[0].DefinitionLevel() < c.listDef {
		return append(out, ']')
	}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		text := v.ByteArray()
		switch {
		case v.DefinitionLevel() < c.elem.def:
			out = append(out, "null"...)
		case looksLikeConversation(c, text) && utf8.Valid(text) && formats.Validate(text) == nil:
			out = append(out, bytes.TrimSpace(text)...)
		default:
			out = appendLeaf(out, c.elem, v)
		}
	}
	return append(out, ']')
}

// zip spells a struct of lists as a list of structs. Lists of different lengths are no JSON: the record is to be rejected.
func (c column) zip(a *assembler) ([]byte, error) {
	n := -1
	for _, f := range c.fields {
		if k := countTurns(a.columns, f); n >= 0 && k != n {
			return fmt.Appendf(nil, "the lists of column %s differ in length: %d and %d", c.name, n, k), nil
		} else if n < 0 {
			n = k
		}
	}
	a.out = append(a.out, '[')
	for i := range n {
		if i > 0 {
			a.out = append(a.out, ',')
		}
		a.out = append(a.out, '{')
		empty := true
		for _, f := range c.fields {
			if v, err := a.peek(f.elem); err != nil {
				return nil, err
			} else if v.DefinitionLevel() < f.elem.def { // absent
				if err := a.skip(f.elem); err != nil {
					return nil, err
				}
				continue
			}
			if !empty {
				a.out = append(a.out, ',')
			}
			empty = false
			a.out = append(formats.AppendString(a.out, f.name), ':')
			if err := a.value(f.elem); err != nil {
				return nil, err
			}
		}
		a.out = append(a.out, '}')
	}
	return append(a.out, "]}"...), nil
}

// countTurns counts the elements of list n in a row.
func countTurns(columns [][]pq.Value, n *node) int {
	count := 0
	for i, v := range columns[n.first] {
		if v.DefinitionLevel() >= n.listDef && (i == 0 || v.RepetitionLevel() <= n.listRep) {
			count++
		}
	}
	return count
}

// lists are the list nodes whose elements are the turns: the column itself, or each of its fields.
func (c column) lists() []*node {
	if c.shape == shapeLists {
		return c.fields
	}
	return []*node{c.node}
}

// rebuild gives s the column's values for a new payload. Turns that are spelled as in the old payload keep their values.
func (c column) rebuild(s *shredder, columns [][]pq.Value, before, payload []byte) error {
	if c.shape == shapeText {
		s.put(c.first, pq.ByteArrayValue(payload), 0, c.def)
		return nil
	}
	old, err := turnsOf(before, c.key)
	if err != nil {
		return err
	}
	turns, err := turnsOf(payload, c.key)
	if err != nil {
		return err
	}
	for _, list := range c.lists() {
		if err := c.rebuildList(s, list, columns, old, turns); err != nil {
			return err
		}
	}
	return nil
}

func (c column) rebuildList(s *shredder, list *node, columns [][]pq.Value, old, turns [][]byte) error {
	if len(turns) == 0 {
		s.nothing(list, 0, list.listDef-1)
		return nil
	}
	ranges := make(map[int][][]pq.Value, list.last-list.first)
	for leaf := list.first; leaf < list.last; leaf++ {
		ranges[leaf] = splitTurns(columns[leaf], list.listRep)
	}
	next := 0 // turns keep their order, so the search goes on where the last one was found
	for i, turn := range turns {
		rep := list.listRep
		if i == 0 {
			rep = 0
		}
		if k := slices.IndexFunc(old[next:], func(o []byte) bool { return string(o) == string(turn) }); k >= 0 {
			next += k + 1
			for leaf := list.first; leaf < list.last; leaf++ {
				for j, v := range ranges[leaf][next-1] {
					if j == 0 {
						v = v.Level(rep, v.DefinitionLevel(), leaf)
					}
					s.columns[leaf] = append(s.columns[leaf], v)
				}
			}
			continue
		}
		if c.shape == shapeLists {
			o := formats.ObjectAt(turn, formats.Span{End: len(turn)})
			if list == c.fields[0] {
				s.loseOthers(o, c.node)
			}
			turn = o.Raw(list.name)
		}
		if err := s.value(list.elem, turn, rep); err != nil {
			return err
		}
	}
	return nil
}

// splitTurns cuts a leaf's values of one row into those of each turn.
func splitTurns(values []pq.Value, listRep int) [][]pq.Value {
	var turns [][]pq.Value
	for start := 0; start < len(values); {
		end := start + 1
		for end < len(values) && values[end].RepetitionLevel() > listRep {
			end++
		}
		turns = append(turns, values[start:end])
		start = end
	}
	return turns
}

package parquet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"github.com/ctxpack/ctxpack/formats"
)

// shape is how a column holds a conversation.
type shape uint8

const (
	shapeTurns shape = iota // LIST<STRUCT<role, content, …>> or LIST<STRUCT<from, value>>
	shapeLists              // STRUCT<LIST<role>, LIST<content>, …>: what old versions of datasets made of a Sequence
	shapeText               // the whole conversation as one JSON text
)

// column is the conversation column of a file.
type column struct {
	*node
	shape shape
	key   string // shapeTurns, shapeLists: the name of the list in the payload
}

// columnNames are where conversations are looked for, in this order.
var columnNames = [...]string{
	"messages", "conversations", "conversation", "trajectory", "history", "chat", "prompt", "chosen", "rejected",
}

// payloadKeys are the names under which the dialects look for a list of turns with `role` and with `from`.
var payloadKeys = map[string][]string{
	"role": {"messages", "conversation", "conversations", "chat", "trajectory", "history", "prompt"},
	"from": {"conversations", "conversation", "messages", "trajectory", "chat"},
}

// findColumn finds the conversation column: the one the user named, else by name and shape, else by shape. textual says
// whether a column of text begins like JSON; it is asked for texts with a fitting name only.
func findColumn(columns []*node, name string, textual func(*node) bool) (column, error) {
	if name != "" {
		for _, n := range columns {
			if n.name == name {
				if c, ok := shaped(n); ok {
					return c, nil
				}
				return column{}, fmt.Errorf("the column %s holds no conversation: it is neither a list of turns nor text", name)
			}
		}
		return column{}, formats.WithHint(fmt.Errorf("there is no column %s", name), "the columns are %s", listColumns(columns))
	}
	for _, want := range columnNames {
		for _, n := range columns {
			if n.name != want {
				continue
			}
			if c, ok := shaped(n); ok && (c.shape != shapeText || textual(n)) {
				return c, nil
			}
		}
	}
	for _, n := range columns {
		if c, ok := shaped(n); ok && c.shape != shapeText {
			return c, nil
		}
	}
	return column{}, formats.WithHint(errors.New("no column holds conversations"),
		"the columns are %s; name one with --column", listColumns(columns))
}

func listColumns(columns []*node) string {
	var names []string
	for _, n := range columns {
		names = append(names, n.name)
	}
	return strings.Join(names, ", ")
}

// shaped tells the shape of a column.
func shaped(n *node) (column, bool) {
	fields := n
	s := shapeLists
	switch {
	case n.leaf():
		return column{node: n, shape: shapeText}, n.text
	case n.elem != nil:
		s, fields = shapeTurns, n.elem
	default:
		for _, f := range n.fields {
			if f.elem == nil {
				return column{}, false
			}
		}
	}
	for _, who := range []string{"role", "from"} {
		if fields.field(who) == nil {
			continue
		}
		c := column{node: n, shape: s, key: payloadKeys[who][0]}
		if slices.Contains(payloadKeys[who], n.name) {
			c.key = n.name
		}
		return c, true
	}
	return column{}, false
}

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
	if c.shape == shapeTurns {
		if err := a.value(c.node); err != nil {
			return nil, err
		}
		return append(a.out, '}'), nil
	}
	return c.zip(&a)
}

// zip spells a struct of lists as a list of structs.
func (c column) zip(a *assembler) ([]byte, error) {
	n := -1
	for _, f := range c.fields {
		if k := countTurns(a.columns, f); n >= 0 && k != n {
			return nil, fmt.Errorf("the lists of column %s differ in length: %d and %d", c.name, n, k)
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

// rebuild gives the column's values for a new payload. Turns that are spelled as in the old payload keep their values.
func (c column) rebuild(columns [][]pq.Value, before, payload []byte) (map[int][]pq.Value, error) {
	s := shredder{columns: map[int][]pq.Value{}}
	if c.shape == shapeText {
		s.put(c.first, pq.ByteArrayValue(payload), 0, c.def)
		return s.columns, nil
	}
	old, err := turnsOf(before, c.key)
	if err != nil {
		return nil, err
	}
	turns, err := turnsOf(payload, c.key)
	if err != nil {
		return nil, err
	}
	for _, list := range c.lists() {
		if err := c.rebuildList(&s, list, columns, old, turns); err != nil {
			return nil, err
		}
	}
	return s.columns, nil
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

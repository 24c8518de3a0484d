package parquet

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ctxpack/ctxpack/formats"
)

// errLevels is of a file whose levels contradict its schema.
var errLevels = errors.New("its values do not fit its schema")

// assembler writes the values of some columns of one row as JSON. Null is left out of objects: there it means absent.
type assembler struct {
	columns [][]pq.Value // by leaf column, what is left of the row
	omit    *node        // a field of a struct to leave out; nil for none
	out     []byte
}

// peek gives the next value of a node's first leaf.
func (a *assembler) peek(n *node) (pq.Value, error) {
	if n.first >= n.last || n.first >= len(a.columns) || len(a.columns[n.first]) == 0 {
		return pq.Value{}, errLevels
	}
	return a.columns[n.first][0], nil
}

// skip passes over the one value that each leaf has for a null or an empty list.
func (a *assembler) skip(n *node) error {
	for i := n.first; i < n.last; i++ {
		if len(a.columns[i]) == 0 {
			return errLevels
		}
		a.columns[i] = a.columns[i][1:]
	}
	return nil
}

// value writes one value of n.
func (a *assembler) value(n *node) error {
	if n.first == n.last { // a group of nothing
		a.out = append(a.out, "{}"...)
		return nil
	}
	v, err := a.peek(n)
	if err != nil {
		return err
	}
	switch {
	case v.DefinitionLevel() < n.def:
		a.out = append(a.out, "null"...)
		return a.skip(n)
	case n.elem != nil:
		return a.list(n, v)
	case n.fields != nil:
		return a.group(n)
	}
	a.columns[n.first] = a.columns[n.first][1:]
	a.out = appendLeaf(a.out, n, v)
	return nil
}

func (a *assembler) list(n *node, first pq.Value) error {
	a.out = append(a.out, '[')
	if first.DefinitionLevel() < n.listDef {
		a.out = append(a.out, ']')
		return a.skip(n)
	}
	for i := 0; ; i++ {
		if i > 0 {
			a.out = append(a.out, ',')
		}
		if err := a.value(n.elem); err != nil {
			return err
		}
		if !a.goesOn(n) {
			break
		}
	}
	a.out = append(a.out, ']')
	return nil
}

// goesOn says that the next value is of another element of the list n: not the row's end, and not the next element of a
// list around it.
func (a *assembler) goesOn(n *node) bool {
	next, err := a.peek(n)
	return err == nil && next.RepetitionLevel() == n.listRep
}

func (a *assembler) group(n *node) error {
	a.out = append(a.out, '{')
	empty := true
	for _, f := range n.fields {
		if f == a.omit {
			continue
		}
		if v, err := a.peek(f); err != nil && f.first < f.last {
			return err
		} else if f.first < f.last && v.DefinitionLevel() < f.def {
			if err := a.skip(f); err != nil {
				return err
			}
			continue
		}
		if !empty {
			a.out = append(a.out, ',')
		}
		empty = false
		a.out = append(formats.AppendString(a.out, f.name), ':')
		if err := a.value(f); err != nil {
			return err
		}
	}
	a.out = append(a.out, '}')
	return nil
}

// appendLeaf spells one value. What is no text is base64; numbers that JSON does not have are words.
func appendLeaf(out []byte, n *node, v pq.Value) []byte {
	if json := n.meaning.spell(n.kind, v); json != "" {
		return append(out, json...)
	}
	switch n.kind {
	case format.Boolean:
		return strconv.AppendBool(out, v.Boolean())
	case format.Int32:
		if n.unsigned {
			return strconv.AppendUint(out, uint64(v.Uint32()), 10)
		}
		return strconv.AppendInt(out, int64(v.Int32()), 10)
	case format.Int64:
		if n.unsigned {
			return strconv.AppendUint(out, v.Uint64(), 10)
		}
		return strconv.AppendInt(out, v.Int64(), 10)
	case format.Float:
		return appendFloat(out, float64(v.Float()), 32)
	case format.Double:
		return appendFloat(out, v.Double(), 64)
	case format.Int96:
		return formats.AppendString(out, v.String())
	}
	b := v.ByteArray()
	if n.text && utf8.Valid(b) {
		return formats.AppendString(out, string(b))
	}
	return formats.AppendString(out, bytesPrefix+base64.StdEncoding.EncodeToString(b))
}

// bytesPrefix marks bytes that are no text.
const bytesPrefix = "base64:"

func appendFloat(out []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return formats.AppendString(out, strconv.FormatFloat(f, 'g', -1, bits))
	}
	return strconv.AppendFloat(out, f, 'g', -1, bits)
}

package parquet

import (
	"errors"
	"slices"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// node is one value of the schema as JSON sees it: the groups that only make up a list are not nodes.
type node struct {
	name     string
	optional bool
	def      int // definition level from which the value is there (not null)
	elem     *node
	listRep  int // elem: repetition level of every element but the first
	listDef  int // elem: definition level from which the list has an element
	fields   []*node
	first    int // the leaf columns of the node: [first, last)
	last     int

	kind     format.Type // of a leaf
	text     bool        // a leaf whose bytes are text
	unsigned bool
	meaning  meaning // of its numbers
}

func (n *node) leaf() bool { return n.elem == nil && n.fields == nil }

// field gives the field of that name, nil for none.
func (n *node) field(name string) *node {
	for _, f := range n.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// maxDepth bounds schemas; a hostile file could nest as deep as its footer is long.
const maxDepth = 64

var errSchema = errors.New("the schema in the file's footer is broken")

// levels are the highest repetition and definition level of a leaf column.
type levels struct{ rep, def int }

// readSchema turns the footer's depth-first list of elements into the top-level columns and the levels of each leaf.
func readSchema(elements []format.SchemaElement) ([]*node, []levels, error) {
	if len(elements) == 0 {
		return nil, nil, errSchema
	}
	r := schemaReader{elements: elements, next: 1}
	var columns []*node
	for range int(elements[0].NumChildren.V) {
		n, err := r.node(0, 0, 0)
		if err != nil {
			return nil, nil, err
		}
		columns = append(columns, n)
	}
	return columns, r.leaves, nil
}

type schemaReader struct {
	elements []format.SchemaElement
	next     int      // the element to read
	leaves   []levels // leaf columns read so far
}

func (r *schemaReader) take() (format.SchemaElement, error) {
	if r.next >= len(r.elements) {
		return format.SchemaElement{}, errSchema
	}
	r.next++
	return r.elements[r.next-1], nil
}

// node reads the next element and everything below it. rep and def are the levels above it.
func (r *schemaReader) node(rep, def, depth int) (*node, error) {
	e, err := r.take()
	if err != nil || depth > maxDepth {
		return nil, errSchema
	}
	if e.RepetitionType.Valid && e.RepetitionType.V == format.Repeated { // a list without an annotation
		n := &node{name: e.Name, def: def, listRep: rep + 1, listDef: def + 1, first: len(r.leaves)}
		n.elem, err = r.value(e, rep+1, def+1, depth)
		n.last = len(r.leaves)
		return n, err
	}
	optional := e.RepetitionType.Valid && e.RepetitionType.V == format.Optional
	if optional {
		def++
	}
	n, err := r.value(e, rep, def, depth)
	if err == nil {
		n.optional = optional
	}
	return n, err
}

// value reads what stands below element e, whose own repetition is already counted in rep and def.
func (r *schemaReader) value(e format.SchemaElement, rep, def, depth int) (*node, error) {
	n := &node{name: e.Name, def: def, first: len(r.leaves)}
	if e.Type.Valid {
		if e.Type.V < format.Boolean || e.Type.V > format.FixedLenByteArray {
			return nil, errSchema
		}
		n.kind = e.Type.V
		n.text = isText(e)
		n.unsigned = isUnsigned(e)
		n.meaning = meaningOf(e)
		r.leaves = append(r.leaves, levels{rep, def})
		n.last = len(r.leaves)
		return n, nil
	}
	count := int(e.NumChildren.V)
	if isList(e) && count == 1 && r.next < len(r.elements) && r.elements[r.next].RepetitionType.V == format.Repeated {
		n.listRep, n.listDef = rep+1, def+1
		var err error
		if r.elementItself(e.Name) {
			repeated, takeErr := r.take()
			if takeErr != nil {
				return nil, takeErr
			}
			n.elem, err = r.value(repeated, rep+1, def+1, depth+1)
		} else {
			r.next++ // the group that only repeats
			n.elem, err = r.node(rep+1, def+1, depth+1)
		}
		n.last = len(r.leaves)
		return n, err
	}
	n.fields = make([]*node, 0, min(count, len(r.elements)))
	for range count {
		f, err := r.node(rep, def, depth+1)
		if err != nil {
			return nil, err
		}
		n.fields = append(n.fields, f)
	}
	n.last = len(r.leaves)
	return n, nil
}

// elementItself says that the repeated element below a list is the list's element (two levels, old files), not a group
// around it: LogicalTypes.md, "Backward-compatibility rules".
func (r *schemaReader) elementItself(list string) bool {
	repeated := r.elements[r.next]
	if repeated.Type.Valid || repeated.NumChildren.V != 1 {
		return true
	}
	if r.next+1 < len(r.elements) && r.elements[r.next+1].RepetitionType.V == format.Repeated && r.elements[r.next+1].RepetitionType.Valid {
		return true
	}
	return repeated.Name == "array" || repeated.Name == list+"_tuple"
}

func isList(e format.SchemaElement) bool {
	switch e.LogicalType.Value.(type) {
	case *format.ListType, *format.MapType:
		return true
	}
	return e.ConvertedType.Valid &&
		slices.Contains([]deprecated.ConvertedType{deprecated.List, deprecated.Map, deprecated.MapKeyValue}, e.ConvertedType.V)
}

// isText tells text from bytes. Old writers do not say; then it is taken for text.
func isText(e format.SchemaElement) bool {
	if e.Type.V != format.ByteArray {
		return false
	}
	switch e.LogicalType.Value.(type) {
	case nil:
		return !e.ConvertedType.Valid || e.ConvertedType.V == deprecated.UTF8 || e.ConvertedType.V == deprecated.Json ||
			e.ConvertedType.V == deprecated.Enum
	case *format.StringType, *format.JsonType, *format.EnumType:
		return true
	}
	return false
}

func isUnsigned(e format.SchemaElement) bool {
	if t, ok := e.LogicalType.Value.(*format.IntType); ok {
		return !t.IsSigned
	}
	return e.ConvertedType.Valid && e.ConvertedType.V >= deprecated.Uint8 && e.ConvertedType.V <= deprecated.Uint64
}

package parquet

import (
	pq "github.com/parquet-go/parquet-go"
)

// rowData is one row of a file, apart from the pages it was read from.
type rowData struct {
	columns [][]pq.Value // by leaf column
	group   int          // the row group it stood in
	size    int          // bytes of the values
}

// part is the handle of a record: the row it is of, and which of the file's conversation columns.
type part struct {
	row    *rowData
	column int
}

// Size is the bytes of the row beside the payload; the first of its records bears them.
func (p *part) Size() int {
	if p.column > 0 {
		return 0
	}
	return p.row.size
}

// newRow copies a row: its values point into pages that the next read may overwrite. The copy is two allocations,
// whatever the number of values. Values that do not fit the schema, as a damaged file has them, are an error: what works
// with rows relies on their levels.
func newRow(from pq.Row, leaves []levels, group int) (*rowData, error) {
	size := 0
	for _, v := range from {
		if k := v.Kind(); k == pq.ByteArray || k == pq.FixedLenByteArray {
			size += len(v.ByteArray())
		}
	}
	r := &rowData{columns: make([][]pq.Value, len(leaves)), group: group, size: size + 24*len(from)}
	values := make([]pq.Value, len(from))
	data := make([]byte, 0, size)
	keep := func(b []byte) []byte {
		data = append(data, b...)
		return data[len(data)-len(b):]
	}
	begun := -1 // the leaf whose values are being copied
	for i, v := range from {
		rep, def, col := v.RepetitionLevel(), v.DefinitionLevel(), v.Column()
		switch {
		case col == begun && rep > 0 && rep <= leaves[col].rep:
		case col == begun+1 && col < len(leaves) && rep == 0:
			begun = col
		default:
			return nil, errLevels
		}
		if most := leaves[col].def; def > most || v.IsNull() != (def < most) {
			return nil, errLevels
		}
		switch v.Kind() {
		case pq.ByteArray:
			v = pq.ByteArrayValue(keep(v.ByteArray())).Level(rep, def, col)
		case pq.FixedLenByteArray:
			v = pq.FixedLenByteArrayValue(keep(v.ByteArray())).Level(rep, def, col)
		case pq.Int96:
			v = v.Clone()
		}
		values[i] = v
	}
	if begun+1 != len(leaves) {
		return nil, errLevels
	}
	at := 0
	for i, v := range values {
		if i+1 == len(values) || values[i+1].Column() != v.Column() {
			r.columns[v.Column()] = values[at : i+1 : i+1]
			at = i + 1
		}
	}
	return r, nil
}

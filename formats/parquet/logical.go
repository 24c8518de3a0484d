package parquet

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// meaning is what a leaf's numbers stand for, where that is another thing than the numbers: without it 1.50 would be 150,
// and a day the number of days since 1970.
type meaning struct {
	decimal bool
	scale   int           // decimal: digits behind the point
	size    int           // decimal in bytes of a fixed number: how many
	date    bool          // days since 1970
	unit    time.Duration // timestamp: of what since 1970; 0 for none
	utc     bool          // timestamp: a point in time; otherwise what a clock on the wall said
}

// maxScale is more than any writer's largest decimal has digits (76).
const maxScale = 100

// meaningOf reads the annotation of a leaf: LogicalTypes.md of the format, and the older converted types.
func meaningOf(e format.SchemaElement) meaning {
	old := func(t deprecated.ConvertedType) bool { return e.ConvertedType.Valid && e.ConvertedType.V == t }
	m := meaning{scale: int(e.Scale.V), size: int(e.TypeLength.V)}
	kind := e.Type.V
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		m.decimal, m.scale = true, int(t.Scale)
	case *format.DateType:
		m.date = kind == format.Int32
	case *format.TimestampType:
		if t.Unit.Value != nil && kind == format.Int64 {
			m.unit, m.utc = t.Unit.Value.Duration(), t.IsAdjustedToUTC
		}
	case nil:
		m.decimal, m.date = old(deprecated.Decimal), kind == format.Int32 && old(deprecated.Date)
		switch {
		case kind == format.Int64 && old(deprecated.TimestampMillis):
			m.unit, m.utc = time.Millisecond, true
		case kind == format.Int64 && old(deprecated.TimestampMicros):
			m.unit, m.utc = time.Microsecond, true
		}
	}
	m.decimal = m.decimal && m.scale >= 0 && m.scale <= maxScale &&
		slices.Contains([]format.Type{format.Int32, format.Int64, format.ByteArray, format.FixedLenByteArray}, kind)
	return m
}

// spell gives the JSON of a value; "" where its number is all there is to say.
func (m meaning) spell(kind format.Type, v pq.Value) string {
	var layout string
	var t time.Time
	switch {
	case m.decimal:
		return m.spellDecimal(kind, v)
	case m.date:
		layout, t = time.DateOnly, time.Unix(int64(v.Int32())*24*60*60, 0).UTC()
	case m.unit > 0:
		if layout = "2006-01-02T15:04:05.999999999"; m.utc {
			layout += "Z"
		}
		per := int64(time.Second / m.unit)
		t = time.Unix(v.Int64()/per, v.Int64()%per*int64(m.unit)).UTC()
	default:
		return ""
	}
	if t.Year() < 0 || t.Year() > 9999 { // a number that is no date any calendar spells
		return ""
	}
	return `"` + t.Format(layout) + `"`
}

func (m meaning) spellDecimal(kind format.Type, v pq.Value) string {
	n := new(big.Int)
	switch kind {
	case format.Int32:
		n.SetInt64(int64(v.Int32()))
	case format.Int64:
		n.SetInt64(v.Int64())
	default: // two's complement, the highest byte first
		b := v.ByteArray()
		if n.SetBytes(b); len(b) > 0 && b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	digits, sign := new(big.Int).Abs(n).String(), ""
	if n.Sign() < 0 {
		sign = "-"
	}
	if m.scale == 0 {
		return sign + digits
	}
	digits = strings.Repeat("0", max(0, m.scale+1-len(digits))) + digits
	return sign + digits[:len(digits)-m.scale] + "." + digits[len(digits)-m.scale:]
}

// read is the reverse of spell. It says nothing of a text that stands for a number itself.
func (m meaning) read(kind format.Type, text string) (v pq.Value, ok bool, err error) {
	switch {
	case m.decimal:
		v, err = m.readDecimal(kind, text)
		return v, true, err
	case m.date:
		if t, err := time.Parse(time.DateOnly, text); err == nil {
			return pq.Int32Value(int32(t.Unix() / (24 * 60 * 60))), true, nil
		}
	case m.unit > 0:
		layout := "2006-01-02T15:04:05.999999999"
		if m.utc {
			layout = time.RFC3339Nano
		}
		if t, err := time.Parse(layout, text); err == nil {
			per := int64(time.Second / m.unit)
			return pq.Int64Value(t.Unix()*per + int64(t.Nanosecond())/int64(m.unit)), true, nil
		}
	}
	return v, false, nil
}

func (m meaning) readDecimal(kind format.Type, text string) (v pq.Value, err error) {
	no := fmt.Errorf("%q is no decimal with %d digits behind the point", text, m.scale)
	whole, part, _ := strings.Cut(text, ".")
	if len(text) > 2*maxScale || len(part) > m.scale || strings.Trim(whole, "-") == "" {
		return v, no
	}
	n, ok := new(big.Int).SetString(whole+part+strings.Repeat("0", m.scale-len(part)), 10)
	switch {
	case !ok:
		return v, no
	case kind == format.Int32 && n.IsInt64() && n.Int64() == int64(int32(n.Int64())):
		return pq.Int32Value(int32(n.Int64())), nil
	case kind == format.Int64 && n.IsInt64():
		return pq.Int64Value(n.Int64()), nil
	case kind == format.Int32, kind == format.Int64:
		return v, no
	}
	size := m.size
	if kind == format.ByteArray {
		size = n.BitLen()/8 + 1
	}
	if n.BitLen() >= 8*size {
		return v, no
	}
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	b := n.FillBytes(make([]byte, size))
	if kind == format.ByteArray {
		return pq.ByteArrayValue(b), nil
	}
	return pq.FixedLenByteArrayValue(b), nil
}

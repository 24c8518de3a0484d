package parquet

import (
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Numbers that stand for something are spelled as that, and read back as the same number.
func TestMeanings(t *testing.T) {
	cents := meaning{decimal: true, scale: 2, size: 4}
	for _, test := range []struct {
		name string
		m    meaning
		v    pq.Value
		want string
	}{
		{"decimal", cents, pq.Int32Value(150), "1.50"},
		{"below one", cents, pq.Int64Value(-5), "-0.05"},
		{"no fraction", meaning{decimal: true}, pq.Int64Value(-7), "-7"},
		{"in bytes", cents, pq.FixedLenByteArrayValue([]byte{0xff, 0xff, 0xff, 0x6a}), "-1.50"},
		{"in as many bytes as it needs", cents, pq.ByteArrayValue([]byte{0, 0x96}), "1.50"},
		{"zero", cents, pq.ByteArrayValue([]byte{0}), "0.00"},
		{"date", meaning{date: true}, pq.Int32Value(19723), `"2024-01-01"`},
		{"before 1970", meaning{date: true}, pq.Int32Value(-1), `"1969-12-31"`},
		{"timestamp", meaning{unit: time.Microsecond, utc: true}, pq.Int64Value(1704067200000001), `"2024-01-01T00:00:00.000001Z"`},
		{"of a clock on the wall", meaning{unit: time.Millisecond}, pq.Int64Value(-1), `"1969-12-31T23:59:59.999"`},
		{"no year", meaning{unit: time.Millisecond}, pq.Int64Value(1 << 62), "4611686018427387904"},
		{"a number", meaning{}, pq.Int64Value(5), "5"},
	} {
		n := &node{kind: format.Type(test.v.Kind()), meaning: test.m}
		got := string(appendLeaf(nil, n, test.v))
		back, err := leafValue(n, []byte(got))
		if got != test.want || err != nil || !pq.Equal(back, test.v) {
			t.Errorf("%s: %s, back %v (%v); want %s", test.name, got, back, err, test.want)
		}
	}
	for _, text := range []string{"1.234", "1e9", "x", "", "99999999999"} {
		if v, err := cents.readDecimal(format.Int32, text); err == nil {
			t.Errorf("%q is %v", text, v)
		}
	}
}

package plugin

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// decode reads a JSON value; nil for none.
func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

// canonical spells a value so that equal values, whatever the order of their members and the spelling of their numbers,
// are spelled equally.
func canonical(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(plainNumbers(value)) != nil {
		return ""
	}
	return b.String()
}

// plainNumbers gives numbers one spelling: 1.0, 1 and 1e0 are the same to most programs, and what is closer than a double
// can tell is the same to many.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = plainNumbers(v[key])
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case json.Number:
		if f, err := strconv.ParseFloat(string(v), 64); err == nil {
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
	}
	return value
}

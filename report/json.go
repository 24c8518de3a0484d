package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/formats"
)

// WriteJSON writes the report as report.json: indented, with short lists and objects on one line.
func WriteJSON(w io.Writer, r *Report) error { return writeData(w, r) }

// writeData writes any value that way.
func writeData(w io.Writer, value any) error {
	var compact bytes.Buffer
	encoder := json.NewEncoder(&compact)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	out := appendIndented(nil, bytes.TrimRight(compact.Bytes(), "\n"), 0, 0)
	_, err := w.Write(append(escapeInvisible(out), '\n'))
	return err
}

// escapeInvisible spells characters that a terminal or an editor would act on instead of showing them (C1 controls,
// marks that reverse the direction of text) as JSON escapes. In valid JSON they stand in strings only.
func escapeInvisible(data []byte) []byte {
	harmless := func(r rune) bool { return r < 0x7f || unicode.IsPrint(r) }
	if bytes.IndexFunc(data, func(r rune) bool { return !harmless(r) }) < 0 {
		return data
	}
	out := make([]byte, 0, len(data)+64)
	for _, r := range string(data) {
		switch {
		case harmless(r):
			out = utf8.AppendRune(out, r)
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// ReadJSON reads what WriteJSON wrote, by this version or another with the same major schema version. Members that are
// not known are ignored. Numbers among the settings come back as json.Number, so that writing again gives the same bytes.
func ReadJSON(r io.Reader) (Report, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Report{}, fmt.Errorf("read the report: %w", err)
	}
	var version struct {
		SchemaVersion string `json:"schema_version"`
		Kind          string `json:"kind"` // only other commands' reports have one
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return Report{}, notAReport(fmt.Errorf("not a report: %w", err))
	}
	if err := checkVersion(version.SchemaVersion); err != nil {
		return Report{}, err
	}
	if version.Kind != "" {
		return Report{}, notAReport(fmt.Errorf("not the report of a compaction: its kind is %q", clip(version.Kind, 40)))
	}
	var report Report
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&report); err != nil {
		return Report{}, notAReport(fmt.Errorf("not a report: %w", err))
	}
	return report, nil
}

func notAReport(err error) error {
	return formats.WithHint(err, "name the .report.json that `ctxpack compact` wrote")
}

// checkVersion refuses other major versions.
func checkVersion(version string) error {
	if version == "" {
		return notAReport(fmt.Errorf("not a report: it has no schema_version"))
	}
	major, _, _ := strings.Cut(version, ".")
	own, _, _ := strings.Cut(SchemaVersion, ".")
	if major == own {
		return nil
	}
	n, err := strconv.Atoi(major)
	if err != nil {
		return notAReport(fmt.Errorf("not a report: schema_version %q is no version", clip(version, 40)))
	}
	mine, err := strconv.Atoi(own)
	if err == nil && n > mine {
		return formats.WithHint(fmt.Errorf("the report has schema version %d, this ctxpack reads version %d", n, mine),
			"use the ctxpack that wrote it, or a newer one")
	}
	return formats.WithHint(fmt.Errorf("the report has schema version %d, this ctxpack reads version %d", n, mine),
		"run `ctxpack compact` again with this version")
}

// lineWidth is how long a list or object may be to stand on one line, indentation included.
const lineWidth = 118

// appendIndented writes one JSON value, given without white space, indented by two spaces a level. after is how many
// columns of the line are taken beside the indentation (the member's name).
func appendIndented(dst, value []byte, level, after int) []byte {
	if value[0] != '{' && value[0] != '[' {
		return append(dst, value...)
	}
	if spaced := appendSpaced(nil, value); 2*level+after+len(spaced) <= lineWidth && !nested(value) {
		return append(dst, spaced...)
	}
	dst = append(dst, value[0])
	first := true
	eachElement(value, func(name, element []byte) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, '\n')
		dst = append(dst, strings.Repeat("  ", level+1)...)
		if len(name) > 0 {
			dst = append(append(dst, name...), ": "...)
		}
		dst = appendIndented(dst, element, level+1, len(name)+3)
	})
	dst = append(dst, '\n')
	dst = append(dst, strings.Repeat("  ", level)...)
	return append(dst, value[len(value)-1])
}

// nested says whether an object holds an object, or a list one of those: such are never put on one line.
func nested(value []byte) bool {
	found := false
	eachElement(value, func(_, element []byte) { found = found || element[0] == '{' })
	return found
}

// appendSpaced writes a value on one line with a space behind every comma and colon outside strings.
func appendSpaced(dst, value []byte) []byte {
	inside := false
	for i := 0; i < len(value); i++ {
		c := value[i]
		dst = append(dst, c)
		switch {
		case inside && c == '\\':
			i++
			dst = append(dst, value[i])
		case c == '"':
			inside = !inside
		case !inside && (c == ',' || c == ':'):
			dst = append(dst, ' ')
		}
	}
	return dst
}

// eachElement walks over the elements of a list (name is empty) or the members of an object. value is compact, valid JSON.
func eachElement(value []byte, visit func(name, element []byte)) {
	object := value[0] == '{'
	for i := 1; i < len(value)-1; {
		var name []byte
		if object {
			end := endOf(value, i)
			name, i = value[i:end], end+1
		}
		end := endOf(value, i)
		visit(name, value[i:end])
		i = end + 1
	}
}

// endOf is the offset behind the value at i.
func endOf(data []byte, i int) int {
	depth, inside := 0, false
	for ; i < len(data); i++ {
		switch c := data[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			depth++
		case (c == '}' || c == ']' || c == ',' || c == ':') && depth == 0:
			return i
		case c == '}' || c == ']':
			depth--
		}
	}
	return i
}

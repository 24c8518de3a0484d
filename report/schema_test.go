package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/replay"
	"github.com/ctxpack/ctxpack/report/quality"
)

// published are the schemas: what they are of, and the types that they follow from.
var published = []struct {
	file, title, about string
	of                 reflect.Type
}{
	{"schema/report.schema.json", "ctxpack report", "report.json, as `ctxpack compact` writes it.", reflect.TypeFor[Report]()},
	{"schema/timeline.schema.json", "ctxpack timeline", "timeline.json, as `ctxpack replay` writes it.", reflect.TypeFor[timelineJSON]()},
}

// timelineJSON is the whole of a timeline's JSON form.
type timelineJSON struct {
	Timeline
	Conversations []TimelineRow `json:"conversations"`
}

// commented are the folders of the packages whose types the schemas consist of.
var commented = []string{".", "../compress/replay", "../compress/promptcost"}

// schemaMaker writes the JSON Schema of the types of a report. What the fields mean is read from their comments.
type schemaMaker struct {
	comments map[string]string // of Type and Type.Field
	defs     map[string]any
}

func (m *schemaMaker) of(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[compress.Status]():
		var words []any
		for _, s := range compress.Statuses() {
			words = append(words, string(s))
		}
		return map[string]any{"type": "string", "enum": words}
	case reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case reflect.TypeFor[replay.Layer]():
		return map[string]any{"type": "string", "enum": []any{string(replay.LayerHygiene), string(replay.LayerEngine), string(replay.LayerPressure)}}
	case reflect.TypeFor[quality.Report]():
		return map[string]any{"type": "object", "description": "What `ctxpack eval --report` writes."}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.of(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Interface:
		return map[string]any{"type": []any{"string", "boolean", "number", "array", "null"}}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": m.of(t.Elem())}
	case reflect.Struct:
		m.define(t)
		return map[string]any{"$ref": "#/$defs/" + defName(t)}
	}
	panic(fmt.Sprintf("no schema for %v", t))
}

// defName names a type: with its package, where that is one of those below compress.
func defName(t reflect.Type) string {
	if strings.Contains(t.PkgPath(), "/compress/") {
		return path.Base(t.PkgPath()) + "." + t.Name()
	}
	return t.Name()
}

func (m *schemaMaker) define(t reflect.Type) {
	if _, done := m.defs[defName(t)]; done {
		return
	}
	def := map[string]any{"type": "object"}
	m.defs[defName(t)] = def
	if text := m.comments[defName(t)]; text != "" {
		def["description"] = text
	}
	properties, required := map[string]any{}, []any{}
	m.fields(t, properties, &required)
	def["properties"], def["required"] = properties, required
}

func (m *schemaMaker) fields(t reflect.Type, properties map[string]any, required *[]any) {
	for field := range t.Fields() {
		if field.Anonymous {
			m.fields(field.Type, properties, required)
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		schema := m.of(field.Type)
		if text := m.comments[defName(t)+"."+field.Name]; text != "" {
			schema["description"] = text
		}
		properties[name] = schema
		if options != "omitempty" {
			*required = append(*required, name)
		}
	}
}

// readComments reads the comments of all types of the packages, by the names of defName.
func readComments(t *testing.T) map[string]string {
	comments := map[string]string{}
	var files []string
	for _, dir := range commented {
		list, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(list) == 0 {
			t.Fatal(dir, err)
		}
		files = append(files, list...)
	}
	one := func(groups ...*ast.CommentGroup) string {
		for _, g := range groups {
			if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
				return text
			}
		}
		return ""
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				named, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				key := named.Name.Name
				if dir := filepath.Dir(name); dir != "." {
					key = filepath.Base(dir) + "." + key
				}
				comments[key] = one(named.Doc, d.Doc)
				if fields, ok := named.Type.(*ast.StructType); ok {
					for _, f := range fields.Fields.List {
						for _, n := range f.Names {
							comments[key+"."+n.Name] = one(f.Doc, f.Comment)
						}
					}
				}
			}
		}
	}
	return comments
}

// TestSchema holds the published schemas to the types.
func TestSchema(t *testing.T) {
	major, _, _ := strings.Cut(SchemaVersion, ".")
	for _, p := range published {
		m := schemaMaker{comments: readComments(t), defs: map[string]any{}}
		root := m.of(p.of)
		schema := map[string]any{
			"$schema": "https://json-schema.org/draft/2020-12/schema",
			"title":   p.title + " " + SchemaVersion,
			"description": p.about + " Within version " + major +
				" members are only ever added: read on over those you do not know.",
			"$ref": root["$ref"], "$defs": m.defs,
		}
		var out bytes.Buffer
		if err := writeData(&out, schema); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(p.file, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		held, err := os.ReadFile(p.file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(held, out.Bytes()) {
			t.Errorf("%s is not what the types say (go test ./report -update writes it anew)", p.file)
		}
	}
}

// readSchema reads one of the published schemas.
func readSchema(t *testing.T, file string) map[string]any {
	t.Helper()
	held, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(held, &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestTimelineIsValid checks the golden timeline, which the writer is held to, against its schema, and that the check can
// fail.
func TestTimelineIsValid(t *testing.T) {
	schema := readSchema(t, published[1].file)
	held, err := os.ReadFile("testdata/timeline.json")
	if err != nil {
		t.Fatal(err)
	}
	var value map[string]any
	if err := json.Unmarshal(held, &value); err != nil {
		t.Fatal(err)
	}
	v := validator{schema, true}
	if err := v.check(value, schema, ""); err != nil {
		t.Error(err)
	}
	value["conversations"].([]any)[0].(map[string]any)["turns"] = "many"
	if err := v.check(value, schema, ""); err == nil {
		t.Error("a turn may be anything")
	}
}

// validator checks values against the part of JSON Schema that the published one uses. strict also refuses members that
// the schema does not know.
type validator struct {
	root   map[string]any
	strict bool
}

func (v validator) check(value any, schema map[string]any, at string) error {
	if ref, ok := schema["$ref"].(string); ok {
		def, ok := v.root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		if !ok {
			return fmt.Errorf("%s: nothing at %s", at, ref)
		}
		return v.check(value, def, at)
	}
	if err := checkType(value, schema["type"], at); err != nil {
		return err
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, value) {
		return fmt.Errorf("%s: %v is none of %v", at, value, enum)
	}
	switch typed := value.(type) {
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, element := range typed {
			if err := v.check(element, items, fmt.Sprintf("%s[%d]", at, i)); items != nil && err != nil {
				return err
			}
		}
	case map[string]any:
		return v.checkObject(typed, schema, at)
	}
	return nil
}

func (v validator) checkObject(object, schema map[string]any, at string) error {
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := object[name.(string)]; !ok {
			return fmt.Errorf("%s: no member %s", at, name)
		}
	}
	properties, ok := schema["properties"].(map[string]any)
	for name, member := range object {
		known, found := properties[name].(map[string]any)
		switch {
		case found:
			if err := v.check(member, known, at+"."+name); err != nil {
				return err
			}
		case ok && v.strict:
			return fmt.Errorf("%s: unknown member %s", at, name)
		}
	}
	return nil
}

func checkType(value, wanted any, at string) error {
	got := "null"
	switch typed := value.(type) {
	case string:
		got = "string"
	case bool:
		got = "boolean"
	case float64:
		if got = "number"; wanted == "integer" && typed == math.Trunc(typed) {
			got = "integer"
		}
	case []any:
		got = "array"
	case map[string]any:
		got = "object"
	}
	if many, ok := wanted.([]any); ok && slices.Contains(many, any(got)) || wanted == got || wanted == nil {
		return nil
	}
	return fmt.Errorf("%s: %s, not %v", at, got, wanted)
}

// TestReportsAreValid checks reports against the published schema, and that the check can fail.
func TestReportsAreValid(t *testing.T) {
	schema := readSchema(t, published[0].file)
	decode := func(r Report) any {
		var data bytes.Buffer
		if err := WriteJSON(&data, &r); err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(data.Bytes(), &value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	v := validator{schema, true}
	for name, r := range map[string]Report{"none": testReport(0), "one": testReport(1), "full": fullReport(600), "hostile": hostileReport(hostile()[3])} {
		if err := v.check(decode(r), schema, name); err != nil {
			t.Error(err)
		}
	}
	for name, spoil := range map[string]func(map[string]any){
		"no member tokens":       func(r map[string]any) { delete(r, "tokens") },
		"string, not object":     func(r map[string]any) { r["tokens"] = "many" },
		"unknown member surplus": func(r map[string]any) { r["surplus"] = 1 },
		"number, not integer":    func(r map[string]any) { r["saved"].(map[string]any)["total"] = 1.5 },
		"is none of": func(r map[string]any) {
			r["scatter"].(map[string]any)["cells"].([]any)[0].(map[string]any)["status"] = "done"
		},
	} {
		value := decode(fullReport(30)).(map[string]any)
		spoil(value)
		if err := v.check(value, schema, ""); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

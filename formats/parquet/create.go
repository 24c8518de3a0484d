package parquet

import (
	"bytes"
	"fmt"
	"io"

	pq "github.com/parquet-go/parquet-go"

	"github.com/ctxpack/ctxpack/formats"
)

// madeBy is the metadata key of files made by Creator: its value is the dialect.
const madeBy = "ctxpack.dialect"

// Creator writes records of one dialect into a new file with the columns session_id, prompt (the first thing a person
// said), the conversation, tools and metadata: everything else of the record, as JSON. A conversation of `role` and
// `content` or of `from` and `value` is a list of structs, as trainers read it; one of another dialect is JSON text.
// It implements formats.Sink.
type Creator struct {
	w     *pq.Writer //nolint:staticcheck // GenericWriter panics on lists of two levels
	list  string     // name of the conversation in the record
	tools byte       // what tools begin with in records of the dialect
	table []*node
	held  int
	row   pq.Row
	lost  formats.Loss
}

// optionalText is a column of text that may be null.
func optionalText() pq.Node { return pq.Compressed(pq.Optional(pq.String()), &pq.Zstd) }

// conversationNode is the conversation's column, and its name in records and file.
func conversationNode(dialect string) (name string, n pq.Node) {
	list := func(fields pq.Group) pq.Node { return pq.Optional(pq.List(pq.Optional(fields))) }
	switch dialect {
	case "openai":
		call := pq.Group{
			"id": optionalText(), "type": optionalText(),
			"function": pq.Optional(pq.Group{"name": optionalText(), "arguments": optionalText()}),
		}
		return "messages", list(pq.Group{
			"role": optionalText(), "content": optionalText(), "reasoning_content": optionalText(), "name": optionalText(),
			"tool_calls": pq.Optional(pq.List(pq.Optional(call))), "tool_call_id": optionalText(),
			"weight": pq.Compressed(pq.Optional(pq.Leaf(pq.DoubleType)), &pq.Zstd),
		})
	case "sharegpt", "hermes":
		return "conversations", list(pq.Group{
			"from": optionalText(), "value": optionalText(), "weight": pq.Compressed(pq.Optional(pq.Leaf(pq.DoubleType)), &pq.Zstd),
		})
	}
	name = map[string]string{"responses": "input", "atif": "steps", "swe-agent": "history"}[dialect]
	if name == "" {
		name = "messages"
	}
	return name, pq.Compressed(pq.Optional(pq.JSON()), &pq.Zstd)
}

// NewCreator returns a sink for records of the dialect. Close completes the file and leaves w open.
func NewCreator(w io.Writer, dialect string) (*Creator, error) {
	list, conversation := conversationNode(dialect)
	column := list
	if conversation.Leaf() {
		column = "messages"
	}
	root := pq.Group{
		"session_id": optionalText(), "prompt": optionalText(), column: conversation, "tools": optionalText(), "metadata": optionalText(),
	}
	schema := pq.NewSchema("schema", root)
	opts := []pq.WriterOption{
		schema, pq.PageBufferSize(pageBytes), pq.WriteBufferSize(0), pq.DataPageVersion(1), pq.DataPageStatistics(false),
		pq.KeyValueMetadata(madeBy, dialect),
	}
	for _, path := range schema.Columns() {
		opts = append(opts, pq.SkipPageBounds(path...))
	}
	c := &Creator{w: pq.NewWriter(w, opts...), list: list, tools: toolsOf(dialect), lost: formats.Loss{}}
	var err error
	c.table, err = nodesOf(schema)
	return c, err
}

// toolsOf is what tools begin with in a dialect: a text that holds a list, as trainers want it of ShareGPT, or the list.
func toolsOf(dialect string) byte {
	if dialect == "sharegpt" || dialect == "hermes" {
		return '"'
	}
	return '['
}

// nodesOf reads a schema through an empty file: its footer spells the elements as readSchema wants them.
func nodesOf(schema *pq.Schema) ([]*node, error) {
	var b bytes.Buffer
	if err := pq.NewWriter(&b, schema).Close(); err != nil {
		return nil, err
	}
	f, err := pq.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return nil, err
	}
	columns, _, err := readSchema(f.Metadata().Schema)
	return columns, err
}

// Lost counts, by name, the members of messages that the columns have no place for.
func (c *Creator) Lost() formats.Loss { return c.lost }

// Write writes the record payload as a row.
func (c *Creator) Write(rec formats.Record, payload []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	payload = bytes.TrimSpace(payload)
	if len(payload) == 0 {
		return nil
	}
	columns := c.spread(payload)
	s := shredder{columns: map[int][]pq.Value{}}
	for _, n := range c.table {
		if err := s.value(n, columns[n.name], 0); err != nil {
			return fmt.Errorf("%s: %w", rec.Pos, err)
		}
	}
	for _, key := range s.lost {
		c.lost["messages[]."+key]++
	}
	c.row = c.row[:0]
	for leaf := range c.table[len(c.table)-1].last {
		c.row = append(c.row, s.columns[leaf]...)
	}
	if _, err := c.w.WriteRows([]pq.Row{c.row}); err != nil {
		return err
	}
	if c.held += len(payload); c.held > groupBytes {
		c.held = 0
		return c.w.Flush()
	}
	return nil
}

// spread gives the JSON of each column.
func (c *Creator) spread(payload []byte) map[string][]byte {
	columns := map[string][]byte{}
	o := formats.ObjectAt(payload, formats.Span{End: len(payload)})
	var rest []byte
	seen := map[string]bool{}
	_, isText := o.String("id")
	plainID := isText && !o.Has("session_id") // anything else stands in the metadata too: its name and type would be lost
	for key := range o.Keys() {
		value := o.Raw(key)
		switch {
		case seen[key]:
			continue
		case key == c.list:
			columns["messages"], columns[c.list] = value, value
			columns["prompt"] = prompt(value)
		case key == "id" && plainID:
			columns["session_id"] = value
		case key == "tools" && (len(value) == 0 || value[0] == c.tools):
			columns["tools"] = value
		default:
			if key == "tools" { // it stands in the metadata too, spelled as it is
				columns["tools"] = value
			}
			if (key == "id" || key == "session_id") && o.Has(key) && columns["session_id"] == nil {
				columns["session_id"] = value
			}
			rest = append(rest, ',')
			rest = append(append(formats.AppendString(rest, key), ':'), value...)
		}
		seen[key] = true
	}
	switch {
	case payload[0] == '[': // a bare list of messages or items
		columns["messages"], columns[c.list], columns["prompt"] = payload, payload, prompt(payload)
	case payload[0] != '{': // no record of the dialect
		columns["metadata"] = formats.AppendString(nil, string(payload))
	case rest != nil:
		rest[0] = '{'
		columns["metadata"] = formats.AppendString(nil, string(append(rest, '}')))
	}
	return columns
}

// prompt is what the first turn of a person says, as JSON; nil where that is no plain text.
func prompt(list []byte) []byte {
	for e := range formats.Elements(list) {
		o := formats.ObjectAt(list, e)
		if who := o.Text("role") + o.Text("from") + o.Text("source"); who != "user" && who != "human" {
			continue
		}
		for _, key := range []string{"content", "value", "message"} {
			if text := o.Raw(key); len(text) > 0 && text[0] == '"' {
				return text
			}
		}
		return nil
	}
	return nil
}

// Skip leaves the record out.
func (c *Creator) Skip(formats.Record) error { return nil }

// Close completes the file.
func (c *Creator) Close() error { return c.w.Close() }

package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// shape is how a column holds a conversation.
type shape uint8

const (
	shapeTurns shape = iota // LIST<STRUCT<role, content, …>> or LIST<STRUCT<from, value>>
	shapeLists              // STRUCT<LIST<role>, LIST<content>, …>: what old versions of datasets made of a Sequence
	shapeText               // the whole conversation as one JSON text
	shapeTexts              // LIST of JSON texts, each one turn
)

// column is a conversation column of a file: a column of its rows, or a field of a struct.
type column struct {
	*node
	top   *node  // the column of the rows that it is or stands in
	path  string // as --column spells it
	shape shape
	key   string // but for shapeText: the name of the list in the payload
}

// textual says that the shape is told from what the column holds: texts may be anything.
func (c column) textual() bool { return c.shape == shapeText || c.shape == shapeTexts }

// conversationNames are where a row's conversation is looked for, in this order: the first that fits is it.
var conversationNames = [...]string{"messages", "conversations", "conversation", "trajectory", "history", "chat"}

// preferenceNames are the columns of preference data. All of them that hold conversations are taken.
var preferenceNames = [...]string{"prompt", "chosen", "rejected"}

// payloadKeys are the names under which the dialects look for a list of turns with `role` and with `from`.
var payloadKeys = map[string][]string{
	"role": {"messages", "conversation", "conversations", "chat", "trajectory", "history", "prompt"},
	"from": {"conversations", "conversation", "messages", "trajectory", "chat"},
}

// findColumns finds the conversation columns: those that the user named, separated by commas, else by name and shape,
// else by shape alone; among the columns first, then one level down, in their structs. holds says whether a column of
// texts holds a conversation; it is asked for texts with a fitting name only.
func findColumns(columns []*node, names string, holds func(column) bool) ([]column, error) {
	if names != "" {
		return namedColumns(columns, names)
	}
	var top, inner []column
	for _, n := range columns {
		if c, ok := shaped(n); ok {
			c.top, c.path = n, n.name
			top = append(top, c)
			continue
		}
		for _, f := range n.fields {
			if c, ok := shaped(f); ok {
				c.top, c.path = n, n.name+"."+f.name
				inner = append(inner, c)
			}
		}
	}
	for _, list := range [][]column{byName(top, holds), byName(inner, holds), byShape(top), byShape(inner)} {
		if len(list) > 0 {
			return list, nil
		}
	}
	return nil, formats.WithHint(errors.New("no column holds conversations"),
		"the columns are %s; name one with --column", listColumns(columns))
}

func byName(candidates []column, holds func(column) bool) []column {
	var list []column
	add := func(name string) bool {
		for _, c := range candidates {
			if c.name == name && (!c.textual() || holds(c)) {
				list = append(list, c)
				return true
			}
		}
		return false
	}
	for _, name := range conversationNames {
		if add(name) {
			break
		}
	}
	for _, name := range preferenceNames {
		add(name)
	}
	return list
}

func byShape(candidates []column) []column {
	return slices.DeleteFunc(slices.Clone(candidates), column.textual)
}

// namedColumns finds the columns that the user named. A name with a comma in it is found too, when it stands alone.
func namedColumns(columns []*node, names string) ([]column, error) {
	list := strings.Split(names, ",")
	if lookup(columns, names) != nil {
		list = []string{names}
	}
	var found []column
	for _, name := range list {
		name = strings.TrimSpace(name)
		n := lookup(columns, name)
		if n == nil {
			return nil, formats.WithHint(fmt.Errorf("there is no column %s", name), "the columns are %s", listColumns(columns))
		}
		c, ok := shaped(n)
		if !ok {
			return nil, fmt.Errorf("the column %s holds no conversation: it is neither a list of turns nor text", name)
		}
		c.path = name
		for _, t := range columns {
			if t.first <= n.first && n.last <= t.last {
				c.top = t
			}
		}
		if other := slices.IndexFunc(found, func(o column) bool { return o.first < c.last && c.first < o.last }); other < 0 {
			found = append(found, c)
		} else if found[other].node != n {
			return nil, fmt.Errorf("the column %s and the column %s are parts of one another", found[other].path, name)
		}
	}
	return found, nil
}

// lookup finds a column, or a field by its path: "sample.messages". Names may hold dots themselves.
func lookup(nodes []*node, path string) *node {
	for _, n := range nodes {
		if n.name == path {
			return n
		}
		if rest, ok := strings.CutPrefix(path, n.name+"."); ok {
			if f := lookup(n.fields, rest); f != nil {
				return f
			}
		}
	}
	return nil
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
	case n.elem != nil && n.elem.leaf():
		c := column{node: n, shape: shapeTexts, key: "messages"}
		if slices.Contains(payloadKeys["role"], n.name) && slices.Contains(payloadKeys["from"], n.name) {
			c.key = n.name
		}
		return c, n.elem.text
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

// looksLikeConversation tells a conversation, or one turn of it, from any other text. Of prompts, which are plain text
// as often as not and may be JSON that a person asked about, more is demanded than a beginning.
func looksLikeConversation(c column, text []byte) bool {
	text = bytes.TrimSpace(text)
	if c.shape == shapeTexts {
		return len(text) > 0 && text[0] == '{'
	}
	if len(text) < 2 || text[0] != '[' && text[0] != '{' {
		return false
	}
	if !slices.Contains(preferenceNames[:], c.name) {
		return bytes.IndexByte([]byte(`{["]}`), bytes.TrimSpace(text[1:])[0]) >= 0
	}
	if formats.Validate(text) != nil {
		return false
	}
	if text[0] == '{' {
		o := formats.ObjectAt(text, formats.Span{End: len(text)})
		return o.Has("messages") || o.Has("conversations")
	}
	turns := listElements(text)
	if len(turns) == 0 {
		return true
	}
	o := formats.ObjectAt(turns[0], formats.Span{End: len(turns[0])})
	return o.Has("role") || o.Has("from")
}

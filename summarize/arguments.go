package summarize

import (
	"encoding/json"
	"sort"
	"strings"
)

// argumentList is the arguments of a call, decoded.
type argumentList struct {
	scalars []Arg               // sorted by key
	lists   map[string][]string // lists of strings
	text    string              // all strings, one after the other
}

// maxArguments bounds how many leaves of one call are looked at.
const maxArguments = 512

func arguments(raw string) argumentList {
	if list, ok := flatArguments(raw); ok {
		return list
	}
	return treeArguments(raw)
}

// treeArguments reads any arguments.
func treeArguments(raw string) argumentList {
	var list argumentList
	var value any
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		list.text = raw
		return list
	}
	if s, ok := value.(string); ok {
		if strings.HasPrefix(s, "{") && decodeAgain(s, &value) {
			return list.fill(value)
		}
	}
	return list.fill(value)
}

// decodeAgain reads arguments that were encoded twice.
func decodeAgain(s string, into *any) bool {
	decoder := json.NewDecoder(strings.NewReader(s))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return false
	}
	*into = v
	return true
}

func (l argumentList) fill(value any) argumentList {
	var text strings.Builder
	left := maxArguments
	var walk func(key string, v any, depth int)
	walk = func(key string, v any, depth int) {
		if left--; left < 0 || depth > 8 {
			return
		}
		switch v := v.(type) {
		case string:
			text.WriteString(v)
			text.WriteByte('\n')
			l.scalars = append(l.scalars, Arg{key, v})
		case json.Number:
			l.scalars = append(l.scalars, Arg{key, v.String()})
		case bool:
			l.scalars = append(l.scalars, Arg{key, map[bool]string{true: "true", false: "false"}[v]})
		case []any:
			for _, e := range v {
				if s, ok := e.(string); ok {
					if l.lists == nil {
						l.lists = map[string][]string{}
					}
					l.lists[key] = append(l.lists[key], s)
					text.WriteString(s)
					text.WriteByte('\n')
					continue
				}
				walk(key, e, depth+1)
			}
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			sort.Strings(keys)
			for _, k := range keys {
				walk(k, v[k], depth+1)
			}
		}
	}
	walk("", value, 0)
	l.text = text.String()
	return l
}

func (l argumentList) get(key string) string {
	for _, a := range l.scalars {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// first gives the first of keys that has a value; a list (["bash", "-lc", "make"]) is its last element after a -c, or the
// whole joined.
func (l argumentList) first(keys []string) string {
	for _, key := range keys {
		if v := l.get(key); v != "" {
			return v
		}
		if list := l.lists[key]; len(list) > 0 {
			if len(list) >= 3 && isShell(list[0]) {
				return list[len(list)-1]
			}
			return strings.Join(list, " ")
		}
	}
	return ""
}

func (l argumentList) paths() (paths []string) {
	for _, key := range pathKeys {
		if v := l.get(key); v != "" && looksLikePath(key, v) {
			paths = addPath(paths, v)
		}
		for _, v := range l.lists[key] {
			if looksLikePath(key, v) {
				paths = addPath(paths, v)
			}
		}
	}
	return paths
}

// looksLikePath: some of pathKeys hold paths only, others something else as often.
func looksLikePath(key, value string) bool {
	return strings.Contains(key, "path") || strings.Contains(key, "name") || key == "file" || strings.ContainsAny(value, "/.") && !strings.Contains(value, " ")
}

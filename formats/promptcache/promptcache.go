package promptcache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// MaxMarkers is how many breakpoints the API takes in one request.
const MaxMarkers = 4

// TTL is how long a cached prefix lives after its last use.
type TTL string

// The lifetimes that the API knows. FiveMinutes is its default and is not spelled out in a marker.
const (
	FiveMinutes TTL = "5m"
	OneHour     TTL = "1h"
)

// TTLs are the lifetimes, the default first.
func TTLs() []string { return []string{string(FiveMinutes), string(OneHour)} }

// Dialects are the dialects that have a place for markers.
func Dialects() []string { return []string{"anthropic", "openai"} }

// DialectError says that records of a dialect have no place for markers.
type DialectError struct{ Dialect string }

func (e *DialectError) Error() string {
	return fmt.Sprintf("a conversation in the dialect %s has no place for cache markers", e.Dialect)
}

// Check is nil for a dialect that has a place for markers, else a *DialectError.
func Check(dialect string) error {
	if slices.Contains(Dialects(), dialect) {
		return nil
	}
	return &DialectError{dialect}
}

// Automatic says whether caching is switched on without being asked for: the model's name says Claude, and the provider
// caches for it. Names are compared without regard to case.
func Automatic(model, provider string) bool {
	return strings.Contains(strings.ToLower(model), "claude") && slices.Contains([]string{"anthropic", "openrouter"}, strings.ToLower(provider))
}

// ProviderOf is the provider that a model's name speaks of: what stands before its first slash, or Anthropic for a plain
// name of Claude; "" where nothing is said. Names in small letters.
func ProviderOf(model string) string {
	name := strings.ToLower(model)
	if provider, _, ok := strings.Cut(name, "/"); ok {
		return provider
	}
	if strings.HasPrefix(name, "claude") {
		return "anthropic"
	}
	return ""
}

// Notice is what a run says, once, when caching is switched on.
func Notice(provider string, ttl TTL) string {
	return fmt.Sprintf("prompt caching: enabled (Claude via %s, %s)", strings.ToLower(provider), ttl)
}

// Counts is what was done to one record.
type Counts struct {
	Placed  int // markers that are in the record now
	Removed int // markers that were there before
}

// Place gives the record of c with its markers set anew. c stays as it is. The error is a *DialectError.
func Place(c *formats.Conversation, ttl TTL) ([]byte, Counts, error) {
	if err := Check(c.Dialect); err != nil {
		return nil, Counts{}, err
	}
	w := newWork(c)
	w.strip()
	w.place(ttl)
	data := w.bytes() // counts markers of its own
	return data, w.counts, nil
}

// Remove gives the record of c without markers, its own bytes when it has none. c stays as it is. The error is a
// *DialectError.
func Remove(c *formats.Conversation) ([]byte, Counts, error) {
	if err := Check(c.Dialect); err != nil {
		return nil, Counts{}, err
	}
	w := newWork(c)
	w.strip()
	data := w.bytes() // counts markers of its own
	return data, w.counts, nil
}

// work is one record in work.
type work struct {
	conv     *formats.Conversation
	messages []*formats.Message // those of conv; copies where they were changed
	native   bool               // the dialect is Anthropic's own
	spacing  spacing            // of the record, for messages that show none
	counts   Counts
}

func newWork(c *formats.Conversation) *work {
	return &work{
		conv: c, messages: slices.Clone(c.Messages), native: c.Dialect == "anthropic",
		spacing: spacingOf(c.Bytes(), formats.ObjectAt(c.Bytes(), rootOf(c.Bytes()))),
	}
}

// change gives message i the bytes that edits make of its own.
func (w *work) change(i int, edits []edit) {
	if len(edits) == 0 {
		return
	}
	m := w.messages[i].Clone()
	if m.Replace(apply(m.Bytes(), edits)) {
		w.messages[i] = m
	}
}

// bytes writes the record, without the markers that stand beside the messages.
func (w *work) bytes() []byte {
	data := w.conv.With(w.messages).Bytes()
	edits := stripRequest(data)
	w.counts.Removed += len(edits)
	return apply(data, edits)
}

// place sets markers in messages that have none.
func (w *work) place(ttl TTL) {
	if len(w.messages) > 0 && w.messages[0].Role == formats.RoleSystem {
		w.mark(0, ttl)
	}
	for i := len(w.messages) - 1; i >= 0 && w.counts.Placed < MaxMarkers; i-- {
		if w.messages[i].Role != formats.RoleSystem {
			w.mark(i, ttl)
		}
	}
}

// mark puts a marker on message i, if it can carry one.
func (w *work) mark(i int, ttl TTL) {
	if edits := w.marked(w.messages[i], ttl); len(edits) > 0 {
		w.change(i, edits)
		w.counts.Placed++
	}
}

// marked is the edit that puts a marker on m; none where it cannot carry one.
func (w *work) marked(m *formats.Message, ttl TTL) []edit {
	raw := m.Bytes()
	whole := formats.Span{End: len(raw)}
	if m.Outside {
		return w.markValue(raw, whole, w.spacing, ttl)
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	o := formats.ObjectAt(raw, whole)
	style := w.spacing
	if !o.Empty() {
		style = spacingOf(raw, o)
	}
	top := func() []edit { return markObject(raw, whole, style, ttl) }
	switch m.Role {
	case formats.RoleOther:
		if w.native && m.RoleName == "tool" {
			return top()
		}
		return nil
	case formats.RoleTool:
		if !w.native {
			return nil
		}
	}
	content, ok := o.Find("content")
	if !ok || isEmpty(content.In(raw)) {
		return top()
	}
	return w.markValue(raw, content, style, ttl)
}

// markValue puts a marker on a content that is not empty.
func (w *work) markValue(raw []byte, content formats.Span, style spacing, ttl TTL) []edit {
	switch raw[content.Start] {
	case '"':
		return []edit{{content, style.wrapped(string(content.In(raw)), ttl)}}
	case '[':
		var last formats.Span
		for e := range elements(raw, content) {
			if mayCarry(raw, e) {
				last = e
			}
		}
		if last.Len() > 0 {
			return markObject(raw, last, style, ttl)
		}
	}
	return nil
}

// isEmpty says that a content is null, "" or a list of nothing.
func isEmpty(content []byte) bool {
	switch content[0] {
	case 'n':
		return true
	case '"':
		return len(content) == 2
	case '[':
		return strings.Trim(string(content[1:]), " \t\r\n") == "]"
	}
	return false
}

// mayCarry says whether the content part at e may carry a marker. The API refuses one on thinking ("extra inputs are not
// permitted") and on an empty text ("cannot be set for empty text blocks"); its documentation lists both under what
// cannot be cached.
func mayCarry(raw []byte, e formats.Span) bool {
	if raw[e.Start] != '{' {
		return false
	}
	o := formats.ObjectAt(raw, e)
	if at, ok := o.Find(markerKey); ok && raw[at.Start] != 'n' {
		return false // something else goes by that name
	}
	switch kind := o.Text("type"); kind {
	case "thinking", "redacted_thinking":
		return false
	case "text", "":
		if text, ok := o.String("text"); ok || kind != "" {
			return text != ""
		}
	}
	return true
}

package formats

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// edit is one change of a message's bytes, waiting to be written. Edits of one message never overlap.
type edit struct {
	span   Span
	within bool
	splice Splice // within: a change of the string literal at span
	json   []byte // otherwise: the new bytes of span
}

// set records that the value at p is to be spelled json (form formPlain: to be the text json). A later change of the same
// place wins.
func (m *Message) set(p *place, json string) {
	m.changed = true
	e := edit{span: p.span, json: []byte(json)}
	if p.within {
		e = edit{span: p.span, within: true, splice: Splice{p.lo, p.hi, json}}
	}
	if p.edit > 0 {
		m.edits[p.edit-1] = e
		return
	}
	m.edits = append(m.edits, e)
	p.edit = len(m.edits)
}

// settle writes the waiting edits into the message's bytes, so that spans are those of the bytes again.
func (m *Message) settle() {
	if len(m.edits) > 0 {
		m.rewrite(m.Bytes())
	}
}

// rewrite gives the message other bytes and reads its parts from them. Calls and results keep their identity: nothing
// that rewrites adds, drops or reorders them. Should there be more or fewer all the same (a text that spells a block), the
// old ones can no longer be edited.
func (m *Message) rewrite(raw []byte) {
	old := m.Parts
	m.raw, m.edits, m.changed = raw, nil, true
	m.Parts = nil
	m.read(raw)
	keepIdentity[ToolCall](old, m.Parts)
	keepIdentity[ToolResult](old, m.Parts)
	keepIdentity[Text](old, m.Parts)
	if slices.ContainsFunc(m.Parts, implicit) {
		return // the spelling itself finds them
	}
	for _, p := range old {
		if implicit(p) {
			m.Parts = append(m.Parts, p)
		}
	}
}

// read fills Role, RoleName and Parts from the message at the start of raw and gives its length.
func (m *Message) read(raw []byte) int {
	if !m.Outside || raw[0] != '"' {
		return m.spelling.decode(m, raw)
	}
	text := DecodeString(raw)
	m.Parts = []Part{&Text{Text: text, place: place{span: Span{0, len(raw)}, within: true, hi: len(text), form: formPlain}}}
	return len(raw)
}

// located is a part that may be edited.
type located interface {
	Part
	at() *place
}

func (t *Text) at() *place       { return &t.place }
func (c *ToolCall) at() *place   { return &c.place }
func (r *ToolResult) at() *place { return &r.place }

// keepIdentity puts the old parts of one kind, with their new values, in the place of the fresh ones, if there are as
// many; otherwise the old ones lose their place.
func keepIdentity[T any, P interface {
	*T
	located
}](old, fresh []Part) {
	var kept []P
	for _, p := range old {
		if v, ok := p.(P); ok && !implicit(p) {
			kept = append(kept, v)
		}
	}
	var indices []int
	for i, p := range fresh {
		if _, ok := p.(P); ok {
			indices = append(indices, i)
		}
	}
	if len(indices) != len(kept) {
		for _, v := range kept {
			*v.at() = place{}
		}
		return
	}
	for k, i := range indices {
		*kept[k] = *(fresh[i].(P))
		fresh[i] = kept[k]
	}
}

func implicit(p Part) bool {
	c, ok := p.(*ToolCall)
	return ok && c.Implicit
}

// SetResult replaces what a tool answered, keeping the wrapper, the id and the name. Media inside the result go with the
// rest of it. r is one of the message's parts; nothing happens to one that is not Editable.
func (m *Message) SetResult(r *ToolResult, text string) {
	if !r.Editable() {
		return
	}
	text = wellFormed(text)
	if r.form == formPlain {
		text = breakTags(text)
		if r.block.Len() > 0 {
			text = strings.Trim(text, " \n\t\r") // white space around it is the wrapper's
		}
	}
	r.Text, r.Media = text, 0
	switch {
	case r.form == formPlain:
	case r.form == formParts:
		text = m.spelling.textParts(text)
	case r.within:
		text = escapeTags(quoted(text))
	default:
		text = quoted(text)
	}
	m.set(&r.place, text)
}

// SetArguments replaces a call's arguments by other JSON text. c is one of the message's parts; nothing happens to one
// that is not Editable, nor where the arguments stand as JSON (not as a string) and the text is no JSON, a string or null.
func (m *Message) SetArguments(c *ToolCall, json string) {
	if !c.Editable() {
		return
	}
	json = wellFormed(json)
	var spelled string
	if c.form == formJSON {
		json = strings.Trim(json, " \n\t\r")
		if Validate([]byte(json)) != nil || json[0] == '"' || json[0] == 'n' {
			return
		}
		if c.within {
			json = escapeTags(json)
		}
		spelled = json
	} else if spelled = quoted(json); c.within {
		spelled = escapeTags(spelled)
	}
	c.Arguments = json
	m.set(&c.place, spelled)
}

// AddText makes text the first (front) or last thing that the message says. Separators are the caller's: a content that
// is one string takes the text in, a list gets a text part. A content that is neither (a number, an object) becomes a
// string with its JSON in it. In a message that is a tool's answer the text joins the answer. Texts held from before may
// be stale afterwards; calls and results are not. A message that is no object is left alone.
func (m *Message) AddText(text string, front bool) {
	m.settle()
	m.spelling.addText(m, text, front)
}

// CutText takes the bytes [start, end) of t.Text out of the message; offsets inside a character are moved to its start.
// t is one of the message's parts.
func (m *Message) CutText(t *Text, start, end int) {
	if !slices.Contains(m.Parts, Part(t)) {
		return
	}
	if start, end = runeStart(t.Text, start), runeStart(t.Text, end); start >= end {
		return
	}
	at := slices.Index(m.Parts, Part(t))
	m.settle()
	if at < len(m.Parts) {
		if now, ok := m.Parts[at].(*Text); ok && now.Text == t.Text && now.span.Len() > 0 {
			m.spliceAt(now.span, Splice{Start: now.lo + start, End: now.lo + end})
		}
	}
}

// runeStart moves an offset that lies inside a character to the character's start.
func runeStart(text string, at int) int {
	at = min(max(at, 0), len(text))
	for k := at - 1; k >= 0 && k > at-utf8.UTFMax; k-- {
		if _, n := utf8.DecodeRuneInString(text[k:]); k+n > at {
			return k
		}
	}
	return at
}

// RemovePart takes a text or a tool result out of a message that holds others as well, with its wrapper. Nothing happens
// to a part that cannot be taken out: the only result of a tool's message, of which the rest of the message would then be
// read as the answer. Such a message is dropped whole.
func (m *Message) RemovePart(p Part) {
	at := -1
	for i, q := range slices.Backward(m.Parts) {
		if q == p {
			at = i
			break
		}
	}
	if at >= 0 {
		m.spelling.cutPart(m, at)
	}
}

// dropBlock takes the block of a part out of the string it stands in, whatever was done to it before. The part at index
// at is forgotten.
func (m *Message) dropBlock(p *place, at int) {
	p.lo, p.hi = p.block.Start, p.block.End
	m.set(p, "")
	if at == len(m.Parts)-1 {
		m.Parts = m.Parts[:at]
		return
	}
	m.Parts = append(m.Parts[:at:at], m.Parts[at+1:]...) // a copy: the caller may be walking over the parts
}

// replaceAt changes the bytes of span at once.
func (m *Message) replaceAt(span Span, json string) {
	raw := make([]byte, 0, len(m.raw)+len(json))
	raw = append(append(raw, m.raw[:span.Start]...), json...)
	m.rewrite(append(raw, m.raw[span.End:]...))
}

// spliceAt changes the string literal at span at once.
func (m *Message) spliceAt(span Span, s Splice) {
	m.replaceAt(span, string(SpliceString(span.In(m.raw), []Splice{s})))
}

// insertAt puts text at the front or the back of the string literal at span, at once.
func (m *Message) insertAt(span Span, text string, front bool) {
	at := 0
	if !front {
		at = len(DecodeString(span.In(m.raw)))
	}
	m.spliceAt(span, Splice{at, at, text})
}

// Editable says whether the call's arguments can be replaced where they stand.
func (c *ToolCall) Editable() bool { return !c.nowhere() }

// Editable says whether the result's content can be replaced where it stands.
func (r *ToolResult) Editable() bool { return !r.nowhere() && !r.Fixed }

package formats

import (
	"slices"
	"strings"
	"unsafe"
)

// tag is one kind of block in a Hermes value.
type tag struct {
	open, close string
	json        bool // what is inside is (meant to be) an object
}

var (
	thinkTag        = tag{open: "<think>", close: "</think>"}
	scratchpadTag   = tag{open: "<REASONING_SCRATCHPAD>", close: "</REASONING_SCRATCHPAD>"}
	toolCallTag     = tag{open: "<tool_call>", close: "</tool_call>", json: true}
	toolResponseTag = tag{open: "<tool_response>", close: "</tool_response>", json: true}

	assistantTags = [...]tag{thinkTag, scratchpadTag, toolCallTag}
	toolTags      = [...]tag{toolResponseTag}
)

// tagBreaker and tagEscaper take the meaning from tags in a text: in plain text by a space, inside JSON without any
// change of its value.
var (
	tagBreaker = strings.NewReplacer("<tool_", "< tool_", "</tool_", "< /tool_", "<think>", "< think>",
		"</think>", "< /think>", "<REASONING_SCRATCHPAD>", "< REASONING_SCRATCHPAD>")
	tagEscaper = strings.NewReplacer("<tool_", `\u003ctool_`, "</tool_", `\u003c/tool_`)
)

func breakTags(text string) string  { return tagBreaker.Replace(text) }
func escapeTags(json string) string { return tagEscaper.Replace(json) }

// blocks reads the parts out of the text of one turn, which stands at span in the message. It takes time in proportion to
// the text, whatever stands in it.
type blocks struct {
	text    string
	span    Span
	closing [3]int // by tag of the kind of turn: 1 + the offset of the closing tag found last, -1 when no more follow
}

func (b *blocks) at(lo, hi int, f form) place {
	return place{span: b.span, within: true, lo: lo, hi: hi, form: f}
}

func (b *blocks) plain(lo, hi int) *Text {
	return &Text{Text: b.text[lo:hi], place: b.at(lo, hi, formPlain)}
}

// block is one block [start, end) and its inside [lo, hi) without white space around it. valid says that the inside is
// one JSON object.
type block struct {
	tag                int
	start, lo, hi, end int
	valid              bool
}

// next finds the first block of any of the tags at or after from. A block that is never closed is no block, and neither
// is a tag that prose mentions.
func (b *blocks) next(from int, tags []tag) (block, bool) {
	for i := from; ; i++ {
		k := strings.IndexByte(b.text[i:], '<')
		if k < 0 {
			return block{}, false
		}
		i += k
		for t := range tags {
			if strings.HasPrefix(b.text[i:], tags[t].open) {
				if found, ok := b.block(i, t, tags); ok {
					return found, true
				}
				break
			}
		}
	}
}

// block reads the block whose opening tag stands at start. An object is read to its end, whatever tags its strings hold;
// anything else ends at the first closing tag.
func (b *blocks) block(start, t int, tags []tag) (block, bool) {
	lo := start + len(tags[t].open)
	if tags[t].json {
		from := b.skipSpace(lo)
		if hi := b.objectEnd(from); hi > 0 {
			if end := b.skipSpace(hi); strings.HasPrefix(b.text[end:], tags[t].close) {
				return block{t, start, from, hi, end + len(tags[t].close), true}, true
			}
		}
	}
	hi := b.closingTag(lo, t, tags[t].close)
	if hi < 0 {
		return block{}, false
	}
	found := block{tag: t, start: start, end: hi + len(tags[t].close)}
	if found.lo, found.hi = lo, hi; !tags[t].json {
		return found, true
	}
	if strings.Contains(b.text[lo:hi], tags[t].open) {
		return block{}, false // a tag in prose, and a block after it
	}
	found.lo, found.hi = b.trim(lo, hi)
	return found, tags[t] != toolCallTag || b.callLike(found.lo, found.hi)
}

// callLike tells a call in another notation (Python's, XML) from prose between two tags.
func (b *blocks) callLike(lo, hi int) bool {
	return hi > lo && (b.text[lo] == '{' || b.text[lo] == '[' || b.text[lo] == '<')
}

// closingTag is the offset of the first closing tag at or after from, -1 for none.
func (b *blocks) closingTag(from, t int, name string) int {
	if known := b.closing[t]; known < 0 || known > from {
		return max(known-1, -1)
	}
	k := strings.Index(b.text[from:], name)
	if k < 0 {
		b.closing[t] = -1
		return -1
	}
	b.closing[t] = from + k + 1
	return from + k
}

// bytes is the text without a copy; it is only read.
func (b *blocks) bytes() []byte { return unsafe.Slice(unsafe.StringData(b.text), len(b.text)) }

func (b *blocks) skipSpace(i int) int { return skipSpace(b.bytes(), i) }

// objectEnd is the offset behind the JSON object at i, 0 when there is none.
func (b *blocks) objectEnd(i int) int {
	if i >= len(b.text) || b.text[i] != '{' {
		return 0
	}
	s := scan{data: b.bytes()}
	end, err := s.value(i, 0)
	if err != nil {
		return 0
	}
	return end
}

// trim narrows [lo, hi) to what is not white space.
func (b *blocks) trim(lo, hi int) (int, int) {
	for lo < hi && isSpace(b.text[lo]) {
		lo++
	}
	for hi > lo && isSpace(b.text[hi-1]) {
		hi--
	}
	return lo, hi
}

// assistant reads thinking, text and calls.
func (b *blocks) assistant() []Part {
	var parts []Part
	at := 0
	say := func(to int) {
		if lo, hi := b.trim(at, to); lo < hi {
			parts = append(parts, b.plain(at, to))
		}
	}
	for {
		found, ok := b.next(at, assistantTags[:])
		if !ok {
			break
		}
		say(found.start)
		if assistantTags[found.tag] == toolCallTag {
			parts = append(parts, b.calls(found.lo, found.hi, found.valid)...)
		} else {
			parts = append(parts, &Reasoning{Text: b.text[found.lo:found.hi]})
		}
		at = found.end
	}
	say(len(b.text))
	return parts
}

// calls reads the inside of a <tool_call>: one call, or a list of them.
func (b *blocks) calls(lo, hi int, valid bool) []Part {
	if !valid {
		if parts := b.callList(lo, hi); len(parts) > 0 {
			return parts
		}
	}
	return []Part{b.call(lo, hi, valid)}
}

// callList reads a JSON list of calls at [lo, hi); nil for anything else.
func (b *blocks) callList(lo, hi int) []Part {
	if hi <= lo || b.text[lo] != '[' || Validate(b.bytes()[lo:hi]) != nil {
		return nil
	}
	var parts []Part
	for e := range elements(b.bytes(), lo) {
		parts = append(parts, b.call(e.Start, e.End, b.text[e.Start] == '{'))
	}
	return parts
}

// call reads the inside of a <tool_call>. One that cannot be parsed is kept whole as its arguments, and never edited.
func (b *blocks) call(lo, hi int, valid bool) *ToolCall {
	if !valid {
		return &ToolCall{Arguments: b.text[lo:hi]}
	}
	c := toolCall(b.bytes(), lo)
	if c.nowhere() {
		return c
	}
	args := c.span
	c.place = b.at(args.Start, args.End, c.form)
	return c
}

// wholeCall reads a turn of role function_call: its value is one call, or a list of them, behind thinking if there is any;
// or calls in blocks, with text around them.
func (b *blocks) wholeCall() []Part {
	lo, hi := b.trim(0, len(b.text))
	var parts []Part
	if found, ok := b.next(lo, assistantTags[:]); ok && found.start == lo && !assistantTags[found.tag].json {
		parts = append(parts, &Reasoning{Text: b.text[found.lo:found.hi]})
		lo, hi = b.trim(found.end, hi)
	}
	if list := b.callList(lo, hi); len(list) > 0 {
		return append(parts, list...)
	}
	valid := hi > lo && b.objectEnd(lo) == hi
	if blocks := b.assistant(); !valid && slices.ContainsFunc(blocks, isCall) {
		return blocks
	}
	return append(parts, b.call(lo, hi, valid))
}

// tool reads the results of a tool turn: <tool_response> blocks, or the whole value.
func (b *blocks) tool() []Part {
	var parts []Part
	at := 0
	var last *ToolResult
	for {
		found, ok := b.next(at, toolTags[:])
		if !ok {
			break
		}
		if lo, hi := b.trim(at, found.start); lo < hi {
			parts = append(parts, b.plain(at, found.start))
		} else if last != nil {
			last.block.End = found.start // the white space between two blocks goes with the first
		}
		last = b.result(found)
		parts = append(parts, last)
		at = found.end
	}
	if last == nil {
		return []Part{&ToolResult{Text: b.text, turn: true, place: b.at(0, len(b.text), formPlain)}}
	}
	if lo, hi := b.trim(at, len(b.text)); lo < hi {
		parts = append(parts, b.plain(at, len(b.text)))
	}
	return parts
}

// The members of a <tool_response> that are read.
var responseNames = [...]string{"tool_call_id", "name", "content"}

// result reads the inside of a <tool_response>: `{"tool_call_id"?, "name", "content"}`, or plain text. Something that
// begins like an object and is none keeps its bytes: its id and name could not survive a change.
func (b *blocks) result(found block) *ToolResult {
	r := &ToolResult{Text: b.text[found.lo:found.hi], place: b.at(found.lo, found.hi, formPlain)}
	r.block, r.whole = Span{found.start, found.end}, len(b.text)
	if !found.valid {
		r.Fixed = found.hi > found.lo && (b.text[found.lo] == '{' || b.text[found.lo] == '[')
		return r
	}
	var at [len(responseNames)]Span
	raw := b.bytes()
	pick(raw, found.lo, responseNames[:], at[:])
	r.CallID, r.Name = stringAt(raw, at[0]), stringAt(raw, at[1])
	content := at[2]
	if content.Len() == 0 { // the object itself is the answer
		r.Fixed = at[0].Len() > 0 || at[1].Len() > 0
		return r
	}
	r.Text = textOf(raw, content)
	r.lo, r.hi, r.form = content.Start, content.End, formString
	return r
}

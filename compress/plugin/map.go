package plugin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// place is what an answered message is: one that was sent, as it was or edited, or a new one.
type place struct {
	sent   int // index among the sent messages; -1 for a new one
	edited bool
}

// mapping finds out what the messages that came back are.
type mapping struct {
	conv  *formats.Conversation
	chat  *chat
	units []unit
	sent  []chatMessage
	unit  []int // the unit of each sent message
	back  []chatMessage
	is    []place
}

func newMapping(conv *formats.Conversation) *mapping {
	m := &mapping{conv: conv, chat: newChat(dialectOf(conv), conv.Messages)}
	m.units = m.chat.units(conv.Messages)
	for u, one := range m.units {
		for _, s := range one.sent {
			m.sent, m.unit = append(m.sent, s), append(m.unit, u)
		}
	}
	return m
}

// messages is what the program is sent.
func (m *mapping) messages() []json.RawMessage {
	list := make([]json.RawMessage, len(m.sent))
	for i, s := range m.sent {
		list[i] = json.RawMessage(s.json)
	}
	return list
}

// resolve reads what came back and gives the list of messages that it means: originals, edited copies and new ones, each
// with its place among the originals, -1 for a new one.
func (m *mapping) resolve(back []json.RawMessage) (list []*formats.Message, origin []int, err error) {
	m.back = make([]chatMessage, len(back))
	for i, raw := range back {
		m.back[i] = parse(raw, nil)
		if m.back[i].role == "" {
			return nil, nil, breach(compress.RuleMessages, "message %d is no chat message", i)
		}
	}
	if err := m.align(); err != nil {
		return nil, nil, err
	}
	return m.build()
}

// align says what every message is: equal messages first, from both ends and then in order, then edits.
func (m *mapping) align() error {
	m.is = make([]place, len(m.back))
	low, high, n := 0, len(m.sent), len(m.back)
	for low < n && low < high && m.back[low].key == m.sent[low].key {
		m.is[low].sent = low
		low++
	}
	for n > low && high > low && m.back[n-1].key == m.sent[high-1].key {
		n--
		high--
		m.is[n].sent = high
	}
	x := indexOf(m.sent)
	next := low
	for k := low; k < n; k++ {
		found, err := m.find(k, x, next, high)
		if err != nil {
			return err
		}
		if m.is[k] = found; found.sent >= 0 {
			next = found.sent + 1
		}
	}
	m.edits(low, n, high)
	return nil
}

// index says where messages were sent, by what they are told by.
type index struct{ equal, calls, answers map[string][]int }

func indexOf(sent []chatMessage) index {
	x := index{map[string][]int{}, map[string][]int{}, map[string][]int{}}
	for i, s := range sent {
		x.equal[s.key] = append(x.equal[s.key], i)
		if s.id != "" {
			x.answers[s.role+s.id] = append(x.answers[s.role+s.id], i)
		}
		if name := s.callNames(); name != "" {
			x.calls[name] = append(x.calls[name], i)
		}
	}
	return x
}

// within is the first of ascending places in [low, high).
func within(places []int, low, high int) (int, bool) {
	n, _ := slices.BinarySearch(places, low)
	if n == len(places) || places[n] >= high {
		return 0, false
	}
	return places[n], true
}

// find looks for message k among the sent ones in [next, high). Texts that were not sent stay unexplained (-1).
func (m *mapping) find(k int, x index, next, high int) (place, error) {
	b := m.back[k]
	if i, ok := within(x.equal[b.key], next, high); ok {
		return place{sent: i}, nil
	}
	isTool := b.role == "tool" || b.role == "function"
	i, ok := within(x.calls[b.callNames()], next, high)
	if isTool {
		i, ok = within(x.answers[b.role+b.id], next, high)
	}
	switch {
	case ok && m.sent[i].rest == b.rest:
		return place{sent: i, edited: true}, nil
	case ok:
		return place{}, breach(compress.RuleMessages, "message %d: more than content or arguments was changed", k)
	}
	if earlier := x.equal[b.key]; len(earlier) > 0 && earlier[0] < next {
		return place{}, breach(compress.RuleOrder, "message %d was sent before one that it stands behind", k)
	}
	switch {
	case isTool:
		return place{}, breach(compress.RuleInvented, "message %d answers a call (%s) that nothing before it makes", k, said(b.id))
	case len(b.ids) > 0:
		return place{}, breach(compress.RuleInvented, "message %d makes a tool call (%s) that was never made", k, said(strings.Join(b.ids, ", ")))
	}
	return place{sent: -1}, nil
}

func breach(rule compress.Rule, format string, args ...any) error {
	return &compress.Breach{Rule: rule, Text: fmt.Sprintf(format, args...)}
}

// edits looks at texts that were not sent, gap by gap: one that holds the whole of a text that stood there and is gone is
// that message, edited (a note behind it, a summary in front of it); and so are all of a gap in which as many messages of the same roles stood before.
func (m *mapping) edits(low, n, high int) {
	for k := low; k < n; {
		if m.is[k].sent >= 0 {
			k++
			continue
		}
		end := k
		for end < n && m.is[end].sent < 0 {
			end++
		}
		from, to := low, high
		if k > 0 {
			from = m.is[k-1].sent + 1
		}
		if end < len(m.back) {
			to = m.is[end].sent
		}
		m.gap(k, end, from, to)
		k = end
	}
}

// gap explains messages [k, end), which stand where [from, to) stood.
func (m *mapping) gap(k, end, from, to int) {
	same := end-k == to-from
	for i := 0; same && i < end-k; i++ {
		s, b := m.sent[from+i], m.back[k+i]
		same = s.role == b.role && s.rest == b.rest && s.open && b.open && s.list == b.list && len(s.ids) == 0
	}
	for ; k < end; k++ {
		if same {
			m.is[k] = place{from, true}
			from++
			continue
		}
		b := m.back[k]
		for i := from; i < to; i++ {
			s := m.sent[i]
			if s.role == b.role && s.rest == b.rest && b.open && len(s.ids) == 0 && holds(b.text, s.text) {
				m.is[k] = place{i, true}
				from = i + 1
				break
			}
		}
	}
}

// holds says that a text is another one with something in front of it or behind it, or with another summary.
func holds(text, old string) bool {
	own := ownText(old)
	return own != "" && (own == ownText(text) || strings.HasPrefix(text, old) || strings.HasSuffix(text, old))
}

// ownText is a text without the summary that stands in it.
func ownText(text string) string {
	if at, ok := summarize.Locate(text); ok {
		return text[:at.Start] + text[at.End:]
	}
	return text
}

// build makes the list.
func (m *mapping) build() (list []*formats.Message, origin []int, err error) {
	if len(m.units) > 0 && len(m.units[0].sent) == 0 { // what has no place in a chat, before everything else
		list, origin = m.originals(list, origin, m.units[0], nil)
	}
	for k := 0; k < len(m.back); {
		i := m.is[k].sent
		if i < 0 {
			fresh, err := m.fresh(k)
			if err != nil {
				return nil, nil, err
			}
			list, origin = append(list, fresh), append(origin, -1)
			k++
			continue
		}
		u := m.units[m.unit[i]]
		end := k + len(u.sent)
		if !m.whole(u, k, i) {
			rule := compress.RuleMessages
			if slices.ContainsFunc(u.sent, func(s chatMessage) bool { return s.id != "" }) {
				rule = compress.RulePairs // what is gone is a result, or the call of one
			}
			return nil, nil, breach(rule, "message %d belongs to %d messages that are one in the record (%s): only all of them, side by side, can stay",
				k, len(u.sent), dialectOf(m.conv))
		}
		copies, err := m.copies(u, m.back[k:end], m.is[k:end])
		if err != nil {
			return nil, nil, err
		}
		list, origin = m.originals(list, origin, u, copies)
		k = end
	}
	for i, msg := range list {
		if msg.Outside && i > 0 {
			return nil, nil, breach(compress.RuleOrder, "the system text, which stands outside the record's list, must stay first")
		}
	}
	return list, origin, nil
}

// originals adds the messages of a unit, or the copies of them.
func (m *mapping) originals(list []*formats.Message, origin []int, u unit, copies []*formats.Message) ([]*formats.Message, []int) {
	if copies == nil {
		copies = m.conv.Messages[u.from:u.to]
	}
	for i := u.from; i < u.to; i++ {
		origin = append(origin, i)
	}
	return append(list, copies...), origin
}

// whole says that from message k on, which is sent message i, all messages of a unit came back.
func (m *mapping) whole(u unit, k, i int) bool {
	if i > 0 && m.unit[i-1] == m.unit[i] || k+len(u.sent) > len(m.is) {
		return false
	}
	for j := range u.sent {
		if m.is[k+j].sent != i+j {
			return false
		}
	}
	return true
}

// fresh makes a new message.
func (m *mapping) fresh(k int) (*formats.Message, error) {
	b := m.back[k]
	role := map[string]formats.Role{"system": formats.RoleSystem, "user": formats.RoleUser, "assistant": formats.RoleAssistant}[b.role]
	members, _ := decode([]byte(b.json)).(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(members)) {
		empty, isList := members[key].([]any)
		if key != "role" && key != "content" && members[key] != nil && (!isList || len(empty) > 0) {
			return nil, breach(compress.RuleMessages, "message %d is new and has more than role and content: %s", k, said(key))
		}
	}
	if role == formats.RoleOther || !b.open || b.list || strings.TrimSpace(b.text) == "" {
		return nil, breach(compress.RuleMessages, "message %d is new and is no text of the user, the assistant or the system", k)
	}
	fresh := m.conv.NewMessage(role, b.text)
	if fresh.Role != role || fresh.Text() != b.text {
		return nil, breach(compress.RuleMessages, "message %d: %s has no way to say it", k, dialectOf(m.conv))
	}
	return fresh, nil
}

// copies gives copies of a unit's messages with what was changed, nil where nothing was. A change is right when the copies,
// told to the program again, are what it answered.
func (m *mapping) copies(u unit, back []chatMessage, is []place) ([]*formats.Message, error) {
	if !slices.ContainsFunc(is, func(p place) bool { return p.edited }) {
		return nil, nil
	}
	e := editor{chat: m.chat, was: m.conv.Messages[u.from:u.to]}
	for _, msg := range e.was {
		e.copies = append(e.copies, msg.Clone())
	}
	for j, b := range back {
		if is[j].edited {
			e.apply(u.sent[j], b)
		}
	}
	again := e.again()
	if !slices.EqualFunc(again, back, func(a, b chatMessage) bool { return a.key == b.key }) {
		return nil, breach(compress.RuleMessages, "a change of message %d cannot be written in the dialect %s", u.from, dialectOf(m.conv))
	}
	for i, msg := range e.copies { // what came out as it was is the original
		if !msg.Changed() {
			e.copies[i] = e.was[i]
		}
	}
	return e.copies, nil
}

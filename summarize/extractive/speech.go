package extractive

import (
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// goalLength is how much of a request is quoted as the goal, in bytes; whole requests stand under User Messages.
const goalLength = 420

// goal is the first and the newest human request; after a first compaction the earlier summary's goal comes first.
func (m *material) goal(merged map[string][]line) []line {
	var lines []line
	first := true
	if old := merged[summarize.HeadingGoal]; len(old) > 0 {
		for _, l := range old { // its first request; the newest of that time only while there is no newer one
			if l.number == old[0].number || len(m.human) == 0 {
				lines = append(lines, l)
			}
		}
		first = false
	}
	if first {
		for _, msg := range m.req.Head {
			if formats.Human(msg) {
				lines, first = append(lines, request(said{number: msg.Number, text: msg.Text()})...), false
				break
			}
		}
	}
	if first && len(m.human) > 0 {
		lines = append(lines, request(m.human[0])...)
	}
	if m.req.Restated == nil && len(m.human) > 0 {
		for i := len(m.human) - 1; i >= 0; i-- {
			if newest := request(m.human[i]); len(newest) > 0 && len(newest[0].text) >= 24 {
				lines = append(lines, newest...)
				break
			}
		}
	}
	return lines
}

// request is the beginning of what a person asks: up to two lines, without lead-ins that only announce a quotation.
func request(s said) []line {
	var lines []line
	room := goalLength
	list := sentences(s.text)
	for i, sentence := range list {
		text := flat(sentence.text)
		if len(text) < 6 || text[0] == '(' || len(lines) > 0 && demand(text) == 2 || strings.HasSuffix(text, ":") && i+1 < len(list) || greeting(text) {
			continue
		}
		if len(lines) > 0 && len(text) > room {
			break
		}
		text = summarize.Clip(text, min(room, lineMax))
		lines = append(lines, line{text: text, number: s.number, rank: 1})
		if room -= len(text); room < 60 || len(lines) == 3 {
			break
		}
	}
	return lines
}

func greeting(text string) bool {
	small := strings.ToLower(text)
	return len(text) < 40 && containsAny(small, []string{"hello", "hi there", "hi!", "hey", "good morning", "thank", "hallo", "bonjour", "hola"}) || small == "description"
}

// constraints are human sentences that demand. Rules before wishes, newer before older.
func (m *material) constraints() []line {
	var lines []line
	for i, s := range m.human {
		if m.req.Restated != nil && s.number == m.req.Restated.Number {
			continue
		}
		for _, sentence := range sentences(s.text) {
			text := flat(sentence.text)
			if len(text) < 8 || len(text) > 1000 || summarize.IsErrorLine(text) {
				continue
			}
			strength := demand(text)
			if strength == 0 {
				continue
			}
			rank := float64(strength)*2 + recent(i, len(m.human))
			if strings.HasSuffix(text, "?") && strength < 2 {
				rank--
			}
			lines = append(lines, line{text: text, number: s.number, rank: rank})
		}
	}
	return lines
}

// recent is 0 for the oldest of n and 1 for the newest.
func recent(i, n int) float64 {
	if n < 2 {
		return 1
	}
	return float64(i) / float64(n-1)
}

// inProgress is the last thing the assistant said that says something, and the list's current item.
func (m *material) inProgress(current []line) []line {
	lines := current
	for i := len(m.voice) - 1; i >= 0 && i >= len(m.voice)-6; i-- {
		var said []line
		for _, sentence := range m.voice[i].sentences {
			text := sentence.text
			if len(text) >= 25 && !filler(text) && !strings.HasSuffix(text, "?") {
				said = append(said, line{text: strings.TrimRight(text, ":"), number: m.voice[i].number})
			}
		}
		if len(said) > 0 {
			return append(lines, said[max(0, len(said)-2):]...)
		}
	}
	if len(lines) > 0 {
		return lines
	}
	for i := len(m.actions) - 1; i >= max(0, len(m.actions)-10); i-- { // nothing was said: the last thing done
		if a := m.actions[i]; a.Verb == summarize.Run && a.Command != "" {
			return []line{{text: "`" + shortCommand(a.Command) + "`", number: a.Number, exact: true}}
		}
	}
	return nil
}

// plan is the last list of things to do that a tool kept: what is open, and what was being done.
func (m *material) plan() (open, current []line) {
	for i := len(m.actions) - 1; i >= 0; i-- {
		a := m.actions[i]
		if a.Verb != summarize.Plan {
			continue
		}
		for _, item := range a.Items() {
			text := flat(item.Text)
			switch item.Status {
			case "completed", "done", "cancelled", "canceled":
			case "in_progress", "in progress", "active":
				current = append(current, line{text: text, number: a.Number})
			default:
				open = append(open, line{text: text, number: a.Number})
			}
		}
		if len(open)+len(current) > 0 || len(a.Items()) > 0 {
			return open, current
		}
	}
	return nil, nil
}

// planAge is after how many messages of the assistant a plan in its words is stale.
const planAge = 12

// next is the open items of the list, else the last plan in the assistant's words, else what it said it would do.
func (m *material) next(open []line, merged map[string][]line) []line {
	if len(open) > 0 {
		return open
	}
	for i := len(m.voice) - 1; i >= max(0, len(m.voice)-planAge); i-- {
		if items := planIn(m.voice[i]); len(items) > 0 {
			return items
		}
	}
	if n := len(m.voice); n > 0 {
		var lines []line
		for i := n - 1; i >= max(0, n-3) && len(lines) == 0; i-- {
			for _, sentence := range m.voice[i].sentences {
				text := sentence.text
				list := words(text)
				if len(text) >= 32 && !strings.HasSuffix(text, "?") && (plans.count(list) > 0 || announces(text)) {
					lines = append(lines, line{text: strings.TrimRight(text, ":"), number: m.voice[i].number})
				}
			}
		}
		if len(lines) > 2 {
			lines = lines[len(lines)-2:]
		}
		if len(lines) > 0 {
			return lines
		}
	}
	return merged[summarize.HeadingNext]
}

// announces: the assistant says what it does next.
func announces(text string) bool {
	small := strings.ReplaceAll(strings.ToLower(text), "’", "'")
	for _, w := range [...]string{"let me", "let's", "now let", "i'll", "i will", "i'm going to", "next", "now i", "we'll", "we will", "ich werde", "je vais", "voy a", "让我", "我将"} {
		if strings.HasPrefix(small, w) {
			return true
		}
	}
	return false
}

// planIn finds a list of at least two items below a line that announces a plan.
func planIn(s said) []line {
	var items []line
	announced := false
	fenced := false
	for raw := range strings.SplitSeq(s.text, "\n") {
		text := strings.TrimSpace(raw)
		if strings.HasPrefix(text, "```") {
			fenced = !fenced
		}
		if fenced || text == "" {
			continue
		}
		body, bullet := cutBullet(text)
		switch {
		case bullet && announced && !strings.HasPrefix(text, "- [x]") && !strings.HasPrefix(text, "- [X]"):
			if raw[0] == ' ' && len(items) > 0 && raw[0] != text[0] && len(raw)-len(strings.TrimLeft(raw, " ")) >= 2 {
				continue // an item below an item
			}
			items = append(items, line{text: flat(body), number: s.number})
		case bullet:
		default:
			if len(items) >= 2 {
				return items
			}
			items = nil
			title := strings.Trim(text, "#*:： ")
			list := words(title)
			heading := strings.HasSuffix(strings.TrimRight(text, "*_ "), ":") || strings.HasSuffix(text, "：") || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "**")
			announced = heading && len(title) < 160 && (plans.count(list) > 0 || containsAny(title, plansCJK[:]))
		}
	}
	if len(items) < 2 {
		return nil
	}
	return items
}

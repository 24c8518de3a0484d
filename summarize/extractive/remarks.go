package extractive

import (
	"strings"

	"github.com/ctxpack/ctxpack/summarize"
)

// maxVoice bounds how many of the assistant's sentences are weighed.
const maxVoice = 20000

// remarks weighs the assistant's sentences, each once: decisions are those that choose or explain, findings those that
// name something exact.
func (m *material) remarks() (decisions, findings []line) {
	weighed := 0
	for i := len(m.voice) - 1; i >= 0 && weighed < maxVoice; i-- {
		voice := m.voice[i]
		weighed += len(voice.sentences)
		for _, sentence := range voice.sentences {
			r, ok := weigh(sentence)
			if !ok {
				continue
			}
			l := line{text: sentence.text, number: voice.number}
			if r.decides() {
				l.rank = float64(min(r.reasons, 5)) + float64(min(r.names, 3))*0.7 + 2*recent(i, len(m.voice))
				if sentence.bullet {
					l.rank -= 1.5
				}
				decisions = append(decisions, l)
			}
			if exact := r.exact(); r.finding && exact > 0 && r.reasons < 3 { // else a decision
				l.rank = 0.3 + float64(min(exact, 4))*0.3 + recent(i, len(m.voice))
				findings = append(findings, l)
			}
		}
	}
	return decisions, findings
}

// remark is a sentence of the assistant, weighed.
type remark struct {
	text    string
	finding bool // it has the length and shape of a finding
	reasons int  // how much it chooses or explains
	names   int  // identifiers in it
}

// weigh says false for a sentence that can be neither decision nor finding.
func weigh(s sentence) (remark, bool) {
	r := remark{text: s.text}
	if len(s.text) < 30 || len(s.text) > 500 || strings.HasSuffix(s.text, ":") || strings.HasSuffix(s.text, "?") || filler(s.text) {
		return r, false
	}
	r.finding = len(s.text) <= 400 && !s.bullet && (manyWords(s.text) || hasCJK(s.text))
	r.reasons = reasoning(s.text)
	if !r.finding && !r.decides() {
		return r, false
	}
	summarize.Identifiers(s.text, func(string, summarize.IdentifierKind) { r.names++ })
	return r, true
}

func (r remark) decides() bool { return len(r.text) >= 40 && r.reasons > 0 }

// exact says how much in the sentence is exact.
func (r remark) exact() int {
	n := r.names
	if strings.Contains(r.text, "`") {
		n++
	}
	if numbers(r.text) {
		n++
	}
	return n
}

// manyWords: six and more.
func manyWords(text string) bool {
	n := 0
	for range strings.FieldsSeq(text) {
		if n++; n == 6 {
			return true
		}
	}
	return false
}

// numbers: a number of two digits and more.
func numbers(text string) bool {
	for i := 1; i < len(text); i++ {
		if text[i] >= '0' && text[i] <= '9' && text[i-1] >= '0' && text[i-1] <= '9' {
			return true
		}
	}
	return false
}

// reasoning says how much a sentence chooses or explains: 0 not at all.
func reasoning(text string) int {
	small := strings.ToLower(text)
	n := reasons.count(cutWords(small))
	if hasCJK(text) && containsAny(text, reasonsCJK[:]) {
		n++
	}
	if n > 0 && containsAny(small, strongReasons[:]) {
		n += 2
	}
	return n
}

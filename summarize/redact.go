package summarize

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Masked stands where a secret stood.
const Masked = "[REDACTED]"

// Redactor masks secrets. Safe for concurrent use.
type Redactor struct {
	rules    []compiledRule
	keywords keywordFinder
}

type compiledRule struct {
	secretRule
	expression *regexp.Regexp
}

// NewRedactor makes a redactor with all rules.
func NewRedactor() *Redactor { return redactor() }

var redactor = sync.OnceValue(func() *Redactor {
	r := &Redactor{}
	for _, rule := range secretRules() {
		pattern := rule.pattern
		if rule.assign {
			pattern = `\A(?s:.?)(?:` + pattern + `)`
		}
		r.rules = append(r.rules, compiledRule{rule, regexp.MustCompile(pattern)})
	}
	r.keywords.learn(r.rules)
	return r
})

// Mask gives the text with every secret masked, and how many there were. Text without secrets is returned as it is.
func (r *Redactor) Mask(text string) (string, int) {
	found := r.find(text)
	if len(found) == 0 {
		return text, 0
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.start])
		b.WriteString(Masked)
		at = f.end
	}
	b.WriteString(text[at:])
	return b.String(), len(found)
}

// Holds says whether there is a secret in the text, and by which rule.
func (r *Redactor) Holds(text string) (rule string, is bool) {
	found := r.find(text)
	if len(found) == 0 {
		return "", false
	}
	return r.rules[found[0].rule].name, true
}

// stretch is a part of a text that a rule is about.
type stretch struct{ start, end, rule int }

// find gives the secrets in the text, in order, without overlap.
func (r *Redactor) find(text string) []stretch {
	if r == nil {
		return nil
	}
	var found []stretch
	for _, w := range r.windows(text) {
		c := &r.rules[w.rule]
		for _, m := range c.expression.FindAllStringSubmatchIndex(text[w.start:w.end], -1) {
			f := stretch{w.start + m[0], w.start + m[1], w.rule}
			if len(m) >= 4 && m[2] >= 0 {
				f.start, f.end = w.start+m[2], w.start+m[3]
			}
			value := text[f.start:f.end]
			if (c.keep == nil || !c.keep(value)) && !strings.HasPrefix(value, Masked) {
				found = append(found, f)
			}
		}
	}
	return merge(found, false)
}

// Bytes around a keyword that the expression is held against.
const (
	windowBefore = 64
	windowAfter  = 160
	windowMost   = 8 << 10 // how far a word that reaches beyond the window is followed
)

// windows gives the parts of the text in which rules may match: around their keywords. One pass over the text, which
// allocates nothing where there is no keyword.
func (r *Redactor) windows(text string) []stretch {
	var found windowLists
	for at := 0; at < len(text); at += keywordStep {
		if at = r.keywords.next(text, at); at == len(text) {
			break
		}
		for i := max(at-1, 0); i < min(at+keywordStep-1, len(text)-1); i++ {
			r.keywordsAt(&found, text, i)
		}
	}
	return append(found.anchored, merge(found.loose, true)...)
}

// windowLists keeps the windows of rules that are anchored at their keyword apart: each of them needs one of its own,
// those of other rules are joined where they overlap.
type windowLists struct{ anchored, loose []stretch }

// keywordsAt adds the windows of the keywords that begin at i.
func (r *Redactor) keywordsAt(to *windowLists, text string, i int) {
	for _, k := range r.keywords.beginning(text[i], text[i+1]) {
		c := &r.rules[k.rule]
		end := i + len(k.text)
		if end > len(text) || !matches(text[i:end], k.text, c.fold) || c.assign && !assigns(text, end) || c.likely != nil && !c.likely(text, end) {
			continue
		}
		w := stretch{max(i-windowBefore, 0), wordEnd(text, min(end+windowAfter, len(text))), k.rule}
		switch {
		case c.assign:
			w.start = max(i-1, 0)
			to.anchored = append(to.anchored, w)
			continue
		case c.whole:
			w.end = len(text)
		}
		to.loose = append(to.loose, w)
	}
}

// merge sorts stretches and joins those that overlap: all of them, or only those of one rule.
func merge(all []stretch, byRule bool) []stretch {
	slices.SortFunc(all, func(a, b stretch) int {
		if byRule && a.rule != b.rule {
			return a.rule - b.rule
		}
		return cmp.Or(a.start-b.start, b.end-a.end)
	})
	merged := all[:0]
	for _, w := range all {
		if n := len(merged); n > 0 && w.start < merged[n-1].end && (!byRule || w.rule == merged[n-1].rule) {
			merged[n-1].end = max(merged[n-1].end, w.end)
			continue
		}
		merged = append(merged, w)
	}
	return merged
}

// assigns says whether what stands at an offset can be the rest of a name and a sign of assignment.
func assigns(text string, at int) bool {
	for end := min(at+32, len(text)); at < end; at++ {
		switch c := text[at]; {
		case c == '=' || c == ':':
			return true
		case class[c]&(lower|upper|digit|underscore) == 0 && c != '-' && c != ' ' && c != '\t' && c != '"' && c != '\'' && c != '\\':
			return false
		}
	}
	return false
}

// wordEnd moves an offset to the end of the word it stands in.
func wordEnd(text string, at int) int {
	for end := min(at+windowMost, len(text)); at < end && strings.IndexByte(" \t\r\n\"'", text[at]) < 0; {
		at++
	}
	return at
}

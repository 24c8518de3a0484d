package quality

import (
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/summarize"
)

// placeholders are what failing summarisers leave in place of a summary, in small letters.
var placeholders = [...]string{
	"[summary unavailable", "summary generation was unavailable", "[summary generation failed", "error generating summary",
	"failed to generate summary", "could not be summarized", "summary goes here", "[insert summary", "as an ai language model",
}

// secrets are how well-known keys begin, and how many bytes of a key must follow.
var secrets = [...]struct {
	prefix string
	rest   int
}{
	{"sk-", 20}, {"sk_live_", 16}, {"rk_live_", 16}, {"ghp_", 30}, {"gho_", 30}, {"ghs_", 30}, {"github_pat_", 30}, {"glpat-", 16},
	{"AKIA", 16}, {"ASIA", 16}, {"xoxb-", 20}, {"xoxp-", 20}, {"hf_", 30}, {"npm_", 30}, {"pypi-", 30}, {"AIza", 30},
}

// summaryText: no placeholder, no secret, all headings of the template where the summary is one of ctxpack's own.
func (p *Pair) summaryText(add adder) {
	if p.SummaryAt < 0 {
		return
	}
	small := strings.ToLower(p.Summary[:min(len(p.Summary), 400)])
	if strings.TrimSpace(p.Summary) == "" {
		add("placeholder", "the summary is empty")
	}
	for _, words := range placeholders {
		if strings.Contains(small, words) {
			add("placeholder", "the summary says %q", words)
		}
	}
	if name := secretIn(p.Summary); name != "" {
		add("secret", "the summary holds a secret (%s…)", name)
	}
	parsed := summarize.Parse(p.Summary)
	if parsed.From < 0 {
		return
	}
	for _, heading := range summarize.Template {
		if !slices.ContainsFunc(parsed.Sections, func(s summarize.Section) bool { return s.Heading == heading }) {
			add("headings", "the summary lacks %q", heading)
		}
	}
}

// secretIn gives the beginning of the first secret in a text.
func secretIn(text string) string {
	if strings.Contains(text, "PRIVATE KEY-----") {
		return "PRIVATE KEY"
	}
	for _, s := range secrets {
		for from := 0; ; {
			i := strings.Index(text[from:], s.prefix)
			if i < 0 {
				break
			}
			i += from
			end := i + len(s.prefix)
			digits := 0
			for end < len(text) && (isDigit(text[end]) || isLetter(text[end]) || text[end] == '_' || text[end] == '-') {
				if isDigit(text[end]) {
					digits++
				}
				end++
			}
			if !inName(text, i-1) && end-i-len(s.prefix) >= s.rest && digits > 0 {
				return s.prefix
			}
			from = end
		}
	}
	return ""
}

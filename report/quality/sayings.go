package quality

import (
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// QuoteFidelity is quotations attributed to the user that are substrings of a user message ÷ all of them, white space and
// Markdown and masked secrets aside. A quotation is attributed to the user when it stands in quotation marks or a block quote under Goal,
// Constraints or User Messages, or follows words such as "the user said". One that is clipped ("…") counts by its pieces.
func QuoteFidelity(p *Pair) Score {
	have, all := 0, 0
	if p.Summary == "" {
		return Score{}
	}
	source := flat(plain(p.userTexts()))
	for _, q := range attributed(p.Summary) {
		all++
		if holdsPieces(source, q) {
			have++
		}
	}
	return share(have, all)
}

// Misquoted lists the quotations that no user message holds.
func Misquoted(p *Pair) []string {
	var list []string
	source := flat(plain(p.userTexts()))
	for _, q := range attributed(p.Summary) {
		if !holdsPieces(source, q) {
			list = append(list, q)
		}
	}
	return list
}

// userTexts is everything that users said, that earlier summaries say they said, and that they were quoted as by later
// system texts.
func (p *Pair) userTexts() string {
	var b strings.Builder
	for _, m := range p.Before {
		_, summary := summaryIn(m)
		if m.Role == formats.RoleUser || m.Role == formats.RoleSystem || summary {
			text := m.Text()
			b.WriteString(text + "\n")
			if summary {
				b.WriteString(unquoted(text) + "\n")
			}
		}
	}
	return b.String()
}

func holdsPieces(source, quotation string) bool {
	quotation = strings.ReplaceAll(quotation, summarize.Masked, "…")
	for piece := range strings.SplitSeq(strings.ReplaceAll(flat(plain(quotation)), "...", "…"), "…") {
		if piece = strings.TrimSpace(piece); piece != "" && !strings.Contains(source, piece) {
			return false
		}
	}
	return true
}

// speakers are words after which a quotation is the user's.
var speakers = [...]string{"user said", "user asked", "user wrote", "user requested", "user stated", "user's words", "user explicitly", "in the user's", "user:", "用户说", "用户要求"}

// attributed gives the quotations of a summary that are said to be the user's.
func attributed(summary string) []string {
	var list []string
	parsed := summarize.Parse(summary)
	for _, q := range parsed.User {
		list = append(list, q.Text)
	}
	for _, s := range parsed.Sections {
		title := strings.ToLower(s.Heading)
		theirs := strings.Contains(title, "goal") || strings.Contains(title, "constraint") || strings.Contains(title, "user message") || strings.Contains(title, "user request")
		if theirs {
			list = append(list, blockQuotes(s.Text)...)
			list = append(list, quotations(s.Text)...)
			continue
		}
		list = append(list, spoken(s.Text)...)
	}
	return append(list, spoken(parsed.Preface)...)
}

// spoken gives the quotations of paragraphs that say that the user said them.
func spoken(text string) (list []string) {
	for _, paragraph := range paragraphs(text) {
		small := strings.ToLower(paragraph)
		for _, words := range speakers {
			if i := strings.Index(small, words); i >= 0 && len(small) == len(paragraph) {
				list = append(list, quotationsIn(paragraph[i:])...)
				break
			}
		}
	}
	return list
}

// blockQuotes joins the neighbouring lines of each block quote.
func blockQuotes(text string) (list []string) {
	var b strings.Builder
	flush := func() {
		if s := strings.TrimSpace(b.String()); s != "" {
			list = append(list, s)
		}
		b.Reset()
	}
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), ">")
		if !ok {
			flush()
			continue
		}
		b.WriteString(rest)
	}
	flush()
	return list
}

// HumanVerbatim is human messages whose text stands verbatim in C ÷ human messages: as a message, or quoted. A quotation
// whose secrets are masked counts, because no summary may hold them.
func HumanVerbatim(p *Pair) Score {
	have, all := 0, 0
	var output string
	p.humans(func(i int, text string) {
		if text == "" {
			return
		}
		all++
		if !p.Replaced(i) {
			have++
			return
		}
		if output == "" {
			output = unquoted(p.outputTexts())
		}
		if strings.Contains(output, text) {
			have++
		} else if masked, n := summarize.NewRedactor().Mask(text); n > 0 && strings.Contains(output, masked) {
			have++
		}
	})
	return share(have, all)
}

// outputTexts is what is said in C: texts, not what tools printed.
func (p *Pair) outputTexts() string {
	var b strings.Builder
	for _, m := range p.After {
		if m.Role != formats.RoleTool {
			b.WriteString(m.Text() + "\n")
		}
	}
	return b.String()
}

package quality

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// QuoteFidelity is quotations attributed to the user that are substrings of a user message ÷ all of them, white space and
// Markdown aside. A quotation is attributed to the user when it stands in quotation marks or a block quote under Goal,
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

// ConstraintRecall is the share of the demanding sentences of people in R that S holds: verbatim, or in one paragraph or
// list item with at least 60 % of their content words. (A bag of words over the whole of S would be true of everything.)
func ConstraintRecall(p *Pair) Score {
	kept, all := p.constraintsKept()
	return share(kept, all)
}

func (p *Pair) constraintsKept() (kept, all int) {
	demands := p.demands()
	if len(demands) == 0 {
		return 0, 0
	}
	s := unquoted(p.S())
	text := flat(plain(s))
	var units []map[string]bool
	for _, d := range demands {
		if strings.Contains(text, flat(plain(d))) {
			kept++
			continue
		}
		if units == nil {
			for _, unit := range paragraphs(s) {
				units = append(units, words(unit))
			}
		}
		if covered(units, words(d)) {
			kept++
		}
	}
	return kept, len(demands)
}

func covered(units []map[string]bool, want map[string]bool) bool {
	const enough = 0.6
	for _, unit := range units {
		have := 0
		for w := range want {
			if unit[w] {
				have++
			}
		}
		if len(want) > 0 && float64(have) >= enough*float64(len(want)) {
			return true
		}
	}
	return false
}

// demands gives the sentences of people in R that demand something, each once.
func (p *Pair) demands() []string {
	var list []string
	seen := map[string]bool{}
	p.humans(func(i int, text string) {
		if !p.Replaced(i) {
			return
		}
		for _, s := range sentences(text) {
			if key := flat(s); Demanding(s) && !seen[key] {
				seen[key] = true
				list = append(list, s)
			}
		}
	})
	return list
}

// Demanding says whether a sentence demands: must, never, don't, only, always, prefer and the like, in several languages.
func Demanding(sentence string) bool {
	const least, most = 8, 600 // bytes: shorter ones say nothing, longer ones are not sentences
	if len(sentence) < least || len(sentence) > most || strings.HasSuffix(sentence, "?") {
		return false
	}
	small := " " + strings.Map(func(r rune) rune {
		switch {
		case r == '’':
			return '\''
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '\'', wide(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, sentence) + " "
	small = strings.Join(strings.Fields(small), " ")
	small = " " + small + " "
	for _, w := range statements {
		small = strings.ReplaceAll(small, w, " ")
	}
	for _, w := range demandingWords {
		if strings.Contains(small, w) {
			return true
		}
	}
	return false
}

// statements look like demands and say what is so: "I don't have the number".
var statements = [...]string{
	" i don't ", " i do not ", " i dont ", " we don't ", " we do not ", " they don't ", " they do not ", " i only ", " i never ", " i always ", " why don't ",
}

// demandingWords: those of spaced scripts between spaces.
var demandingWords = [...]string{
	" must ", " mustn't ", " never ", " don't ", " do not ", " dont ", " only ", " always ", " prefer ", " should not ", " shouldn't ",
	" make sure ", " not allowed ", " required ", " ensure ", " avoid ", " at most ", " at least ", " no more than ",
	" muss ", " müssen ", " nie ", " niemals ", " nicht ", " immer ", " nur ", " bitte keine ",
	" doit ", " jamais ", " toujours ", " seulement ", " ne pas ", " debe ", " nunca ", " siempre ", " solo ", " sempre ", " mai ",
	"必须", "不要", "只能", "务必", "禁止", "不得", "总是", "一定要", "しないで", "必ず", "だけ", "禁止", "절대", "반드시",
}

// sentences cuts a person's text at the ends of lines and sentences. Code in fences is left out.
func sentences(text string) (list []string) {
	for _, paragraph := range paragraphs(text) {
		for line := range strings.Lines(paragraph) {
			from := 0
			put := func(to int) {
				if s := strings.TrimSpace(line[from:to]); s != "" {
					list = append(list, s)
				}
				from = to
			}
			for i, r := range line {
				end := i + utf8.RuneLen(r)
				switch r {
				case '。', '！', '？':
					put(end)
				case '.', '!', '?':
					if next, _ := utf8.DecodeRuneInString(line[end:]); unicode.IsSpace(next) {
						put(end)
					}
				}
			}
			put(len(line))
		}
	}
	return list
}

// HumanVerbatim is human messages whose text stands verbatim in C ÷ human messages: as a message, or quoted.
func HumanVerbatim(p *Pair) Score {
	have, all := 0, 0
	var output string
	p.humans(func(i int, text string) {
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

// SectionCompleteness is template sections that are not empty ÷ those that R has matter for. It is known for summaries
// that use headings of the template. Matter: a person's message (Goal), a demanding one (Constraints), a call that did
// not fail (Done), something the assistant said or did (In Progress), a file (Relevant Files), an open item of a plan
// (Next Steps), a call that failed (Critical Context).
func SectionCompleteness(p *Pair) Score {
	parsed := summarize.Parse(p.Summary)
	known := slices.ContainsFunc(parsed.Sections, func(s summarize.Section) bool {
		return slices.Contains(summarize.Template[:], s.Heading)
	})
	if p.Summary == "" || !known {
		return Score{}
	}
	matter := p.matter()
	have, want := 0, 0
	for heading, is := range matter {
		if !is {
			continue
		}
		want++
		if parsed.Section(heading) != "" {
			have++
		}
	}
	return share(have, want)
}

func (p *Pair) matter() map[string]bool {
	m := map[string]bool{}
	p.humans(func(i int, _ string) { m[summarize.HeadingGoal] = true })
	m[summarize.HeadingConstraints] = len(p.demands()) > 0
	for i, msg := range p.Before {
		if p.Replaced(i) && msg.Role == formats.RoleAssistant && len(strings.Fields(msg.Text())) >= 8 {
			m[summarize.HeadingInProgress] = true
		}
	}
	for _, a := range p.Actions() {
		if !p.Replaced(a.Number) {
			continue
		}
		switch {
		case !a.Answered:
		case a.Failed && a.Error != "":
			m[summarize.HeadingCritical] = true
		case a.Verb == summarize.Write || a.Verb == summarize.Run && summarize.WorthNoting(a.Command):
			m[summarize.HeadingDone] = true
		}
		if len(a.Written)+len(a.Read) > 0 && !a.Failed {
			m[summarize.HeadingFiles] = true
		}
		if a.Verb == summarize.Plan {
			m[summarize.HeadingNext] = slices.ContainsFunc(a.Items(), func(i summarize.Item) bool { return i.Status == "pending" })
		}
	}
	return m
}

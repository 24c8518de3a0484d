package quality

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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

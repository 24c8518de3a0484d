package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// demands are words with which people state rules, in small letters, by language: English, German, French, Spanish,
// Portuguese, Italian, Russian. Words of the second list alone are weaker.
var demands = wordSet(
	"must", "mustn't", "never", "don't", "dont", "do not", "only", "always", "prefer", "preferably", "avoid", "make sure", "ensure", "be sure",
	"do n't", "not allowed", "forbidden", "required", "mandatory", "at all costs", "under no circumstances", "no matter what", "stick to", "instead of", "rather than",
	"muss", "müssen", "musst", "niemals", "nie", "nur", "immer", "bevorzuge", "bevorzugt", "vermeide", "nicht", "kein", "keine", "keinen", "stets", "unbedingt", "ausschließlich", "verboten",
	"doit", "doivent", "devez", "dois", "jamais", "ne pas", "pas de", "uniquement", "seulement", "toujours", "préfère", "préférez", "évite", "évitez", "obligatoire", "interdit", "sans",
	"debe", "deben", "debes", "nunca", "jamás", "no uses", "solo", "sólo", "solamente", "siempre", "prefiero", "prefiere", "evita", "evite", "obligatorio", "prohibido", "sin",
	"deve", "devem", "não", "somente", "apenas", "sempre", "prefira", "prefiro", "evitar", "obrigatório", "proibido", "sem",
	"devono", "devi", "mai", "non", "soltanto", "preferisco", "preferisci", "evitare", "obbligatorio", "vietato", "senza",
	"должен", "должны", "должна", "нельзя", "никогда", "не", "только", "всегда", "предпочитаю", "избегай", "избегайте", "обязательно", "запрещено", "нужно", "без",
)

var wishes = wordSet(
	"should", "shouldn't", "should not", "need to", "needs to", "have to", "has to", "without", "i'd like", "i would like", "want", "wants", "at least", "at most", "except", "unless", "exactly",
	"soll", "sollte", "sollen", "bitte", "ohne", "mindestens", "höchstens", "statt",
	"faut", "devrait", "veuillez", "au moins", "gardez", "utilise", "utilisez",
	"debería", "quiero", "usa", "utiliza", "por favor", "al menos", "en lugar de",
	"deveria", "quero", "use", "pelo menos", "em vez de",
	"dovrebbe", "voglio", "usa", "almeno", "invece di",
	"следует", "надо", "хочу", "пожалуйста", "используй", "используйте", "вместо", "минимум",
)

// demandsCJK are matched anywhere: Chinese, Japanese, Korean have no spaces to go by.
var demandsCJK = [...]string{
	"必须", "必須", "不要", "不能", "不得", "禁止", "切勿", "只能", "只用", "仅", "總是", "总是", "始终", "永远不", "从不", "优先", "避免", "务必", "一定要", "请勿", "不可", "只",
	"なければならない", "なければなりません", "てはいけない", "てはいけません", "しないで", "ないでください", "決して", "絶対に", "常に", "必ず", "のみ", "だけ", "避けて", "優先", "べき",
	"반드시", "절대", "하지 마", "하지마", "말아", "말 것", "오직", "만 사용", "항상", "언제나", "피하", "금지", "꼭", "해야",
}

// reasons mark an assistant's sentence that chooses or explains.
var reasons = wordSet(
	"because", "since", "so that", "instead of", "rather than", "due to", "therefore", "the fix is", "root cause", "the cause", "caused by", "the issue is", "the problem is",
	"the reason", "this means", "which means", "in order to", "decided", "chose", "choose", "best approach", "better approach", "the solution", "the correct", "to avoid", "safer", "simpler", "trade-off", "tradeoff", "turns out", "confirms", "consistent with", "should be", "needs to",
	"weil", "da", "damit", "anstatt", "statt", "daher", "deshalb", "ursache", "entscheide", "entschieden",
	"parce que", "car", "afin de", "au lieu de", "donc", "la cause", "décidé",
	"porque", "ya que", "para que", "en lugar de", "por lo tanto", "la causa", "decidí",
	"pois", "em vez de", "portanto", "a causa", "decidi",
	"perché", "poiché", "invece di", "quindi", "la causa", "deciso",
	"потому что", "так как", "чтобы", "вместо", "поэтому", "причина", "решил",
)

var reasonsCJK = [...]string{"因为", "所以", "由于", "因此", "而不是", "原因", "决定", "ため", "ので", "から", "代わりに", "原因", "理由", "때문", "그래서", "대신", "원인", "결정"}

// strongReasons weigh double: they name a cause or a choice.
var strongReasons = [...]string{"because", "instead of", "rather than", "root cause", "the issue is", "the problem is", "the fix", "due to", "caused by", "decided", "chose", "so that", "to avoid", "the solution"}

// plans are words that announce what is to come.
var plans = wordSet(
	"plan", "next", "next steps", "todo", "to do", "remaining", "steps", "still need", "still to do", "need to", "outstanding", "left to do", "to-do", "follow-up", "approach",
	"nächste", "nächster", "noch", "schritte", "prochaine", "prochaines", "étapes", "reste", "siguiente", "siguientes", "pasos", "próximo", "próximos", "passos", "prossimo", "prossimi", "passi", "далее", "осталось", "шаги", "план",
)

var plansCJK = [...]string{"下一步", "接下来", "计划", "待办", "剩余", "次に", "残り", "計画", "次のステップ", "다음", "계획", "남은"}

// fillers begin sentences that say nothing: greetings, announcements, courtesy.
var fillers = [...]string{
	"let me", "let's", "now let", "now, let", "i'll", "i will", "i am going to", "i'm going to", "sure", "great", "perfect", "okay", "ok,", "ok ", "ok.", "good!", "good.", "good,", "nice", "excellent", "awesome", "alright", "certainly", "of course", "absolutely",
	"thank", "you're welcome", "i can help", "i'd be happy", "happy to", "hello", "hi!", "hi,", "hi ", "here is", "here are", "here's", "could you", "can you", "would you", "please provide", "please confirm", "please let", "is there anything", "do you", "if you", "how can i", "how may i",
	"now ", "now,", "first, let", "first, i", "next, i", "next, let", "then i", "i need to", "i should", "i want to", "i can see", "we need to look", "we can see", "we should", "we'll", "we will", "finally, let", "finally, i", "finally, we",
	"time to", "moving on", "looks good", "as you can see", "i understand", "i see", "no worries", "no problem", "sorry", "i apologize", "my apologies", "understood", "got it", "wait", "hmm", "actually, let", "actually, i", "to begin", "to start", "we start", "we'll start", "i'm glad", "have a", "safe travels", "if there's anything", "welcome", "working on it", "on it", "checking", "running", "reading",
	"gerne", "natürlich", "ich werde", "lass mich", "lassen sie mich", "bien sûr", "je vais", "laissez-moi", "claro", "voy a", "déjame", "por supuesto", "vou ", "deixe-me", "certo", "vado", "lasciami", "конечно", "давайте", "сейчас я",
	"好的", "当然", "让我", "我来", "我将", "はい", "了解", "それでは", "네,", "알겠", "물론",
}

// phrases is a set of words and of sequences of words.
type phrases struct {
	rest   map[string][][]string // by the first word, what may follow it
	shapes [256]uint64           // by first byte, a bit for each length of the first words: most words are in no phrase
}

func wordSet(words ...string) *phrases {
	p := &phrases{rest: map[string][][]string{}}
	for _, w := range words {
		list := strings.Fields(w)
		first := list[0]
		p.rest[first] = append(p.rest[first], list[1:])
		p.shapes[first[0]] |= shape(first)
	}
	return p
}

// shape is the bit of a word's length; long ones share one.
func shape(word string) uint64 { return 1 << min(len(word), 63) }

// words cuts a text into small-letter words; an apostrophe within a word belongs to it.
func words(text string) []string { return cutWords(strings.ToLower(text)) }

// cutWords is words for a text in small letters.
func cutWords(text string) []string {
	if list, ok := plainWords(text); ok {
		return list
	}
	text = strings.ReplaceAll(text, "’", "'")
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '_'
	})
}

// plainWords is words for a text of small ASCII letters; ok is false for others.
func plainWords(text string) (list []string, ok bool) {
	list = make([]string, 0, len(text)/6+2)
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '\'' || c == '_':
			continue
		case c >= utf8.RuneSelf:
			return nil, false
		}
		if start < i {
			list = append(list, text[start:i])
		}
		start = i + 1
	}
	if start < len(text) {
		list = append(list, text[start:])
	}
	return list, true
}

// count says how many of the phrases stand in words.
func (p *phrases) count(list []string) int {
	n := 0
	for i, w := range list {
		if p.shapes[w[0]]&shape(w) == 0 {
			continue
		}
		for _, more := range p.rest[w] {
			if i+1+len(more) <= len(list) && slices.Equal(list[i+1:i+1+len(more)], more) {
				n++
			}
		}
	}
	return n
}

func containsAny(text string, list []string) bool {
	for _, s := range list {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// filler says whether a sentence says nothing worth keeping.
func filler(text string) bool {
	text = strings.TrimLeft(text, "\"'’*_ ")
	text = text[:min(len(text), fillerMost)]
	small := strings.ReplaceAll(strings.ToLower(text), "’", "'")
	if small == "" {
		return false
	}
	for _, f := range fillerStarts[small[0]] {
		if strings.HasPrefix(small, f) {
			return true
		}
	}
	return false
}

// fillerMost is how much of a sentence is looked at, in bytes: several times the longest of fillers, which no change of
// letters can bridge.
const fillerMost = 96

// fillerStarts is fillers by first byte.
var fillerStarts = startsOf(fillers[:])

func startsOf(list []string) (t [256][]string) {
	for _, s := range list {
		t[s[0]] = append(t[s[0]], s)
	}
	return t
}

// demand says how strongly a person's sentence states a rule: 0 not at all, 1 a wish, 2 a rule.
func demand(text string) int {
	if hasCJK(text) && containsAny(text, demandsCJK[:]) {
		return 2
	}
	list := words(text)
	strong, weak := demands.count(list), wishes.count(list)
	for i, w := range list { // "I don't remember" tells, it does not demand
		if (w == "don't" || w == "not") && i > 0 && strong > 0 {
			subject := list[i-1]
			if subject == "do" && i > 1 {
				subject = list[i-2]
			}
			if next := at(list, i+1); (subject == "i" || subject == "we" || subject == "they") && next != "want" && next != "like" && next != "need" {
				strong--
				weak++
			}
		}
	}
	switch {
	case strong > 0:
		return 2
	case weak > 0 || imperatives[at(list, 0)] || at(list, 0) == "please" && imperatives[at(list, 1)]:
		return 1
	}
	return 0
}

// imperatives begin an instruction.
var imperatives = map[string]bool{"use": true, "keep": true, "write": true, "follow": true, "leave": true, "limit": true, "stop": true, "remember": true, "no": true, "respond": true, "answer": true}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

func hasCJK(text string) bool {
	for i := 0; i < len(text); {
		if text[i] < 0x80 {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return true
		}
		i += n
	}
	return false
}

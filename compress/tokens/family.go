package tokens

import "fmt"

// families is the table behind [ForFamily]. Encodings count exactly what the models of the family
// see. Factors, in hundredths, turn o200k_base counts into estimates; they are those of
// compaction.md, section 2 ("Token counts").
var families = []struct {
	name    string
	counter Counter
}{
	{"openai-o200k", o200k},
	{"openai-cl100k", cl100k},
	{"openai-p50k", p50k},
	{"openai-r50k", r50k},
	{"llama3", scaled{"llama3", 103}},
	{"qwen", scaled{"qwen", 115}},
	{"deepseek", scaled{"deepseek", 116}},
	{"mistral", scaled{"mistral", 120}},
	{"kimi", scaled{"kimi", 120}},
	{"glm", scaled{"glm", 120}},
	{"gemini", scaled{"gemini", 125}},
	{"claude", scaled{"claude", 120}},         // up to 4.6
	{"claude-4.7", scaled{"claude-4.7", 155}}, // 4.7 and later
	{"other", scaled{"other", 120}},
}

// Families lists the names that [ForFamily] accepts, in the order of help texts.
func Families() []string {
	names := make([]string, 0, len(families))
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// ForFamily returns the counter of a tokenizer family: one of [Families], for example the result of
// [FamilyForModel]. It is exact where the vocabulary is embedded; otherwise it is the o200k_base
// count of each text times the factor of the family, rounded up. Like [New] it loads nothing.
// An unknown name is an [*UnknownError].
func ForFamily(family string) (Counter, error) {
	for _, f := range families {
		if f.name == family {
			return f.counter, nil
		}
	}
	return nil, &UnknownError{Kind: "tokenizer family", Name: family, Known: nearestFirst(family, Families())}
}

// scaled estimates the counts of a family: o200k_base counts times a factor.
type scaled struct {
	family     string
	hundredths int // the factor times 100
}

func (s scaled) Name() string {
	return fmt.Sprintf("o200k_base x%d.%02d (%s, approx)", s.hundredths/100, s.hundredths%100, s.family)
}

func (s scaled) Exact() bool { return false }

func (s scaled) Count(text string) int { return (o200k.Count(text)*s.hundredths + 99) / 100 }

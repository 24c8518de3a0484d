package tokens

import "strings"

// modelFamilies maps prefixes of model names to tokenizer families. The longest matching prefix
// decides. The OpenAI rows follow OpenAI's published model table; the others say which vocabulary
// the makers of a model built it on.
var modelFamilies = []struct{ prefix, family string }{
	{"gpt-5", "openai-o200k"},
	{"gpt-4.5", "openai-o200k"},
	{"gpt-4.1", "openai-o200k"},
	{"gpt-4o", "openai-o200k"},
	{"gpt-oss", "openai-o200k"},
	{"gpt-image", "openai-o200k"},
	{"gpt-realtime", "openai-o200k"},
	{"gpt-audio", "openai-o200k"},
	{"chatgpt-", "openai-o200k"},
	{"codex-mini", "openai-o200k"},
	{"computer-use", "openai-o200k"},
	{"o1", "openai-o200k"},
	{"o3", "openai-o200k"},
	{"o4", "openai-o200k"},
	{"gpt-4", "openai-cl100k"},
	{"gpt-3.5", "openai-cl100k"},
	{"gpt-35", "openai-cl100k"}, // Azure's spelling
	{"text-embedding-3", "openai-cl100k"},
	{"text-embedding-ada-002", "openai-cl100k"},
	{"davinci-002", "openai-cl100k"},
	{"babbage-002", "openai-cl100k"},
	{"text-davinci-003", "openai-p50k"},
	{"text-davinci-002", "openai-p50k"},
	{"code-davinci", "openai-p50k"},
	{"code-cushman", "openai-p50k"},
	{"davinci-codex", "openai-p50k"},
	{"cushman-codex", "openai-p50k"},
	{"text-davinci", "openai-r50k"},
	{"text-curie", "openai-r50k"},
	{"text-babbage", "openai-r50k"},
	{"text-ada", "openai-r50k"},
	{"text-similarity", "openai-r50k"},
	{"text-search", "openai-r50k"},
	{"code-search", "openai-r50k"},
	{"davinci", "openai-r50k"},
	{"curie", "openai-r50k"},
	{"babbage", "openai-r50k"},
	{"ada", "openai-r50k"},
	{"gpt2", "openai-r50k"},
	{"gpt-2", "openai-r50k"},
	{"gpt-3", "openai-r50k"},

	{"gemini", "gemini"},
	{"gemma", "gemini"}, // the same vocabulary
	{"learnlm", "gemini"},

	{"llama", "llama3"},
	{"meta-llama", "llama3"},
	{"llama2", "other"}, // SentencePiece, before the vocabulary of Llama 3
	{"llama-2", "other"},
	{"llama-v2", "other"},
	{"codellama", "other"},
	{"nous-hermes", "llama3"},
	{"hermes", "llama3"},     // Hermes 3 and 4 are built on Llama 3
	{"hermes-4-14b", "qwen"}, // ... this one on Qwen 3
	{"hermes-4.3", "other"},  // ... and this one on Seed
	{"hermes-2", "mistral"},
	{"hermes-2-pro-llama", "llama3"},
	{"hermes-2-theta-llama", "llama3"},
	{"nous-hermes-2", "mistral"},
	{"nous-hermes-llama2", "other"},
	{"deephermes-3", "llama3"},
	{"deephermes-3-mistral", "mistral"},

	{"qwen", "qwen"},
	{"qwq", "qwen"},
	{"qvq", "qwen"},
	{"deepseek", "deepseek"},
	{"deepseek-r1-distill-llama", "llama3"},
	{"deepseek-r1-distill-qwen", "qwen"},
	{"mistral", "mistral"},
	{"open-mistral", "mistral"},
	{"open-mixtral", "mistral"},
	{"mixtral", "mistral"},
	{"ministral", "mistral"},
	{"magistral", "mistral"},
	{"codestral", "mistral"},
	{"devstral", "mistral"},
	{"pixtral", "mistral"},
	{"voxtral", "mistral"},
	{"kimi", "kimi"},
	{"moonshot", "kimi"},
	{"glm", "glm"},
	{"chatglm", "glm"},
	{"codegeex", "glm"},
	{"grok", "other"},
	{"minimax", "other"},
	{"abab", "other"},
}

// vendorPrefixes are the dotted name parts that cloud providers put in front of model names
// ("us.anthropic.claude-..."); parts that end in a slash need no list.
var vendorPrefixes = []string{
	"us.", "eu.", "apac.", "global.", "au.", "jp.", "us-gov.",
	"anthropic.", "openai.", "meta.", "mistral.", "deepseek.", "qwen.", "moonshot.", "moonshotai.",
	"google.", "zai.", "minimax.", "ft:",
}

// FamilyForModel returns the tokenizer family of a model by its name, "other" for a name that no
// row of the table fits. Case and provider prefixes ("openrouter/openai/", "us.anthropic.") do not
// matter. Every result is known to [ForFamily].
func FamilyForModel(model string) string {
	name := bareModelName(model)
	if strings.HasPrefix(name, "claude") {
		return claudeFamily(name)
	}
	family, longest := "other", 0
	for _, row := range modelFamilies {
		if len(row.prefix) > longest && strings.HasPrefix(name, row.prefix) {
			family, longest = row.family, len(row.prefix)
		}
	}
	return family
}

// EncodingForModel returns the encoding that counts for a model, one of [Names]: its own where its
// vocabulary is embedded, else "o200k_base", the one that estimates start from.
func EncodingForModel(model string) string {
	switch FamilyForModel(model) {
	case "openai-cl100k":
		return "cl100k_base"
	case "openai-p50k":
		return "p50k_base"
	case "openai-r50k":
		return "r50k_base"
	}
	return "o200k_base"
}

// bareModelName lower-cases a model name and removes what providers put in front of it.
func bareModelName(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	name = strings.TrimRight(name, "/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	for stripped := true; stripped; {
		stripped = false
		for _, prefix := range vendorPrefixes {
			if rest, found := strings.CutPrefix(name, prefix); found {
				name, stripped = rest, true
			}
		}
	}
	return name
}

// claudeFamily tells the Claude models up to 4.6 from the later ones, whose tokenizer is another.
// It reads the first two numbers of a name as the version: claude-opus-4-7, claude-sonnet-4.6@...,
// claude-3-5-haiku-20241022. A number of more than two digits is a date.
func claudeFamily(name string) string {
	version := [2]int{}
	found := 0
	for i := 0; i < len(name) && found < len(version); {
		if name[i] < '0' || name[i] > '9' {
			i++
			continue
		}
		start, value := i, 0
		for ; i < len(name) && name[i] >= '0' && name[i] <= '9'; i++ {
			value = value*10 + int(name[i]-'0')
		}
		if i-start > 2 {
			break
		}
		version[found] = value
		found++
	}
	if version[0] > 4 || version[0] == 4 && version[1] >= 7 {
		return "claude-4.7"
	}
	return "claude"
}

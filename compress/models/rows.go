package models

import "strings"

// row is a line of the table as a person edits it: one model per line, sorted by
// name within its vendor. Zero stands for unknown. Names and aliases are lower-case;
// a lookup ignores case, provider prefixes, dates, and the difference of . : _ and -.
type row struct {
	name      string
	context   int // whole window, tokens
	maxInput  int // tokens; 0 where it is not stated apart from the window
	maxOutput int // tokens; 0 where it is not stated
	price     Price
	tokenizer string
	source    string // "<source> <YYYY-MM-DD>"
	aliases   string // separated by spaces
	note      string
}

// Sources and their days. A site's day is the one on which a stored copy of it was read.
const (
	litellm       = "litellm 2026-08-01" // BerriAI/litellm, model_prices_and_context_window.json, MIT
	litellmNews   = "litellm-announcement 2026-11-20"
	claudePages   = "platform.claude.com 2026-11-20"
	deepSeekPages = "api-docs.deepseek.com 2026-11-20"
	googlePages   = "ai.google.dev 2026-11-20"
	googleCloud   = "cloud.google.com 2026-11-20"
	openRouter    = "openrouter.ai 2026-11-20"
	vercel        = "vercel-ai-gateway 2026-11-20"
	modelsDev     = "models.dev 2026-11-20" // as mastra.ai prints it
	together      = "docs.together.ai 2026-11-20"
	promptfoo     = "promptfoo.dev 2026-11-20"
	apidog        = "apidog.com 2026-11-20"
	apiyi         = "docs.apiyi.com 2026-11-20"
	venice        = "docs.venice.ai 2026-11-20"
	huggingFace   = "huggingface.co 2026-11-20"
	neuralHub     = "neuralhub.xyz 2026-11-20"
)

// vendor is a company and its rows.
type vendor struct {
	name string
	rows []row
}

// vendors is the whole table, in the order in which the issue names the companies.
func vendors() []vendor {
	return []vendor{
		{"OpenAI", openAI()},
		{"Anthropic", anthropic()},
		{"Google", google()},
		{"Meta", meta()},
		{"Qwen", qwen()},
		{"DeepSeek", deepSeek()},
		{"Moonshot", moonshot()},
		{"Mistral", mistral()},
		{"xAI", xAI()},
		{"Z.ai", zAI()},
		{"MiniMax", miniMax()},
		{"Nous", nous()},
	}
}

// rows returns the table as models.
func rows() []Model {
	var list []Model
	for _, v := range vendors() {
		for _, r := range v.rows {
			source, date, _ := strings.Cut(r.source, " ")
			list = append(list, Model{
				Name:          r.name,
				Provider:      v.name,
				ContextLength: r.context,
				MaxInput:      r.maxInput,
				MaxOutput:     r.maxOutput,
				Price:         r.price,
				Tokenizer:     r.tokenizer,
				Date:          date,
				Source:        source,
				Note:          r.note,
				Aliases:       strings.Fields(r.aliases),
			})
		}
	}
	return list
}

package tokens

import "testing"

func TestFamilyForModel(t *testing.T) {
	tests := map[string]string{
		"gpt-5":                                "openai-o200k",
		"gpt-5.1-codex-mini":                   "openai-o200k",
		"openai/gpt-4.1-mini":                  "openai-o200k",
		"gpt-4o-2024-08-06":                    "openai-o200k",
		"openrouter/openai/chatgpt-4o-latest":  "openai-o200k",
		"ft:gpt-4o-mini-2024-07-18:acme::abc":  "openai-o200k",
		"o1-preview":                           "openai-o200k",
		"o3":                                   "openai-o200k",
		"o4-mini":                              "openai-o200k",
		"gpt-oss-120b":                         "openai-o200k",
		"GPT-4":                                "openai-cl100k",
		"gpt-4-turbo":                          "openai-cl100k",
		"gpt-4-0314":                           "openai-cl100k",
		"gpt-3.5-turbo-16k":                    "openai-cl100k",
		"azure/gpt-35-turbo":                   "openai-cl100k",
		"text-embedding-3-large":               "openai-cl100k",
		"text-embedding-ada-002":               "openai-cl100k",
		"davinci-002":                          "openai-cl100k",
		"text-davinci-003":                     "openai-p50k",
		"code-davinci-002":                     "openai-p50k",
		"text-davinci-001":                     "openai-r50k",
		"davinci":                              "openai-r50k",
		"gpt2-xl":                              "openai-r50k",
		"claude-3-5-sonnet-20241022":           "claude",
		"claude-sonnet-4-20250514":             "claude",
		"claude-opus-4-1@20250805":             "claude",
		"anthropic/claude-sonnet-4.6":          "claude",
		"us.anthropic.claude-opus-4-6-v1:0":    "claude",
		"claude-instant-1.2":                   "claude",
		"claude":                               "claude",
		"claude-opus-4-7":                      "claude-4.7",
		"claude-opus-4.10":                     "claude-4.7",
		"anthropic.claude-sonnet-5-20270101":   "claude-4.7",
		"models/gemini-2.5-pro":                "gemini",
		"google/gemma-3-27b-it":                "gemini",
		"meta-llama/Llama-3.3-70B-Instruct":    "llama3",
		"meta.llama3-1-70b-instruct-v1:0":      "llama3",
		"meta-llama/Llama-2-7b-chat-hf":        "other",
		"NousResearch/Hermes-3-Llama-3.1-405B": "llama3",
		"nousresearch/hermes-4-70b":            "llama3",
		"hermes-4-14b":                         "qwen",
		"NousResearch/Hermes-2-Pro-Llama-3-8B": "llama3",
		"Qwen/Qwen3-235B-A22B":                 "qwen",
		"qwq-32b":                              "qwen",
		"deepseek-chat":                        "deepseek",
		"deepseek-ai/DeepSeek-V3":              "deepseek",
		"deepseek-r1-distill-llama-70b":        "llama3",
		"mistralai/devstral-small":             "mistral",
		"ministral-8b-latest":                  "mistral",
		"codestral-2501":                       "mistral",
		"moonshotai/kimi-k2":                   "kimi",
		"moonshot-v1-128k":                     "kimi",
		"z-ai/glm-4.6":                         "glm",
		"x-ai/grok-4":                          "other",
		"minimax-m2":                           "other",
		"somebody/else":                        "other",
		"":                                     "other",
	}
	for model, want := range tests {
		if got := FamilyForModel(model); got != want {
			t.Errorf("FamilyForModel(%q) = %q, want %q", model, got, want)
		}
	}
}

func TestEveryModelFamilyHasACounter(t *testing.T) {
	for _, row := range modelFamilies {
		if _, err := ForFamily(row.family); err != nil {
			t.Errorf("prefix %q: %v", row.prefix, err)
		}
	}
}

func TestEncodingForModel(t *testing.T) {
	tests := map[string]string{
		"gpt-5":            "o200k_base",
		"gpt-4":            "cl100k_base",
		"text-davinci-003": "p50k_base",
		"gpt2":             "r50k_base",
		"claude-opus-4-7":  "o200k_base",
		"unheard-of":       "o200k_base",
	}
	for model, want := range tests {
		got := EncodingForModel(model)
		if got != want {
			t.Errorf("EncodingForModel(%q) = %q, want %q", model, got, want)
		}
		if _, err := New(got); err != nil {
			t.Errorf("EncodingForModel(%q): %v", model, err)
		}
	}
}

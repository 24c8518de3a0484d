package models

// nous lists the Hermes models of Nous Research. All are open weights; the
// tokenizer is that of the base model.
func nous() []row {
	return []row{
		{"hermes-2-pro-llama-3-8b", 8_192, 0, 0, Price{0.14, 0.14, 0, 0}, Llama3, litellm, "", "prices of Novita"},
		{"hermes-2-pro-mistral-7b", 32_768, 0, 0, Price{0.2, 0.2, 0, 0}, Mistral, litellm, "", "prices of Fireworks"},
		{"hermes-3-llama-3.1-405b", 131_072, 0, 0, Price{1, 1, 0, 0}, Llama3, litellm, "hermes-3-405b hermes3-405b hermes3:405b", openDeepInfra},
		{"hermes-3-llama-3.1-70b", 131_072, 0, 0, Price{0.3, 0.3, 0, 0}, Llama3, litellm, "hermes-3-70b hermes3-70b hermes3:70b", openDeepInfra},
		{"hermes-3-llama-3.1-8b", 131_072, 0, 0, Price{0.025, 0.04, 0, 0}, Llama3, litellm, "hermes-3-8b hermes3-8b hermes3:8b", "prices of Lambda"},
		{"hermes-4-14b", 40_960, 0, 0, Price{}, Qwen, litellm, "", "limit of the base model, Qwen3 14B"},
		{"hermes-4-405b", 131_072, 0, 0, Price{1, 3, 0, 0}, Llama3, openRouter, "hermes-4-llama-3.1-405b", ""},
		{"hermes-4-70b", 131_072, 0, 0, Price{}, Llama3, neuralHub, "hermes-4-llama-3.1-70b", "listed as 131k; the base is Llama 3.1 70B"},
		{"hermes-4.3-36b", 524_288, 0, 0, Price{}, Other, huggingFace, "", "listed as 524K; the base is Seed-OSS 36B"},
		{"nous-hermes-2-mixtral-8x7b-dpo", 32_768, 0, 0, Price{0.5, 0.5, 0, 0}, Mistral, litellm, "", "prices of Fireworks"},
	}
}

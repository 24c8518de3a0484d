package models

// google lists the models of Google. The vendor gives input and output limits
// separately, so the input limit is both context length and maximum input.
// Prices of the pro models are those of prompts up to 200,000 tokens.
func google() []row {
	return []row{
		{"gemini-2.0-flash", 1_048_576, 1_048_576, 8_192, Price{0.1, 0.4, 0.025, 0}, Gemini, litellm, "gemini-2.0-flash-exp", "retired 2026-06-01"},
		{"gemini-2.0-flash-lite", 1_048_576, 1_048_576, 8_192, Price{0.075, 0.3, 0.01875, 0}, Gemini, litellm, "", "retired 2026-06-01"},
		{"gemini-2.5-computer-use-preview-10-2025", 128_000, 128_000, 64_000, Price{1.25, 10, 0, 0}, Gemini, litellm, "gemini-2.5-computer-use", ""},
		{"gemini-2.5-flash", 1_048_576, 1_048_576, 65_535, Price{0.3, 2.5, 0.03, 0}, Gemini, litellm, "gemini-flash-latest", ""},
		{"gemini-2.5-flash-lite", 1_048_576, 1_048_576, 65_535, Price{0.1, 0.4, 0.01, 0}, Gemini, litellm, "gemini-flash-lite-latest", ""},
		{"gemini-2.5-pro", 1_048_576, 1_048_576, 65_535, Price{1.25, 10, 0.125, 0}, Gemini, litellm, "gemini-pro-latest", ""},
		{"gemini-3-flash-preview", 1_048_576, 1_048_576, 65_535, Price{0.5, 3, 0.05, 0}, Gemini, litellm, "gemini-3-flash", ""},
		{"gemini-3-pro-preview", 1_048_576, 1_048_576, 65_535, Price{2, 12, 0.2, 0}, Gemini, litellm, "gemini-3-pro", "retired 2026-03-26"},
		{"gemini-3.1-flash-lite", 1_048_576, 1_048_576, 65_536, Price{0.25, 1.5, 0.025, 0}, Gemini, litellm, "", ""},
		{"gemini-3.1-pro-preview", 1_048_576, 1_048_576, 65_536, Price{2, 12, 0.2, 0}, Gemini, litellm, "gemini-3.1-pro", ""},
		{"gemini-3.5-flash", 1_048_576, 1_048_576, 65_535, Price{1.5, 9, 0.15, 0}, Gemini, litellm, "", ""},
		{"gemini-3.5-flash-lite", 1_048_576, 1_048_576, 65_536, Price{0.3, 2.5, 0.03, 0}, Gemini, litellm, "", ""},
		{"gemini-3.6-flash", 1_048_576, 1_048_576, 65_536, Price{1.5, 7.5, 0.15, 0}, Gemini, litellm, "", ""},
		{"gemini-3.8-flash", 1_048_576, 1_048_576, 65_536, Price{0.75, 3.75, 0, 0}, Gemini, vercel, "", "input limit as quoted from the vendor's page"},
		{"gemini-4-argon", 1_048_576, 1_048_576, 1_048_576, Price{2, 10, 0.1, 0}, Gemini, googlePages, "", "one window for input and output; prices double on 2026-12-01"},
		{"gemma-3-12b-it", 131_072, 0, 8_192, Price{0.05, 0.1, 0, 0}, Gemini, litellm, "gemma-3-12b gemma3:12b", "open weights; prices of DeepInfra"},
		{"gemma-3-27b-it", 131_072, 0, 8_192, Price{0.09, 0.16, 0, 0}, Gemini, litellm, "gemma-3-27b gemma3:27b", "open weights; prices of DeepInfra"},
		{"gemma-3-4b-it", 131_072, 0, 8_192, Price{0.04, 0.08, 0, 0}, Gemini, litellm, "gemma-3-4b gemma3:4b", "open weights; prices of DeepInfra"},
		{"gemma-4-26b-a4b-it", 256_000, 0, 0, Price{0.13, 0.4, 0, 0}, Gemini, litellm, "gemma-4-26b-a4b gemma-4-26b", "open weights; prices of Bedrock"},
		{"gemma-4-31b-it", 256_000, 0, 0, Price{0.14, 0.4, 0, 0}, Gemini, litellm, "gemma-4-31b", "open weights; prices of Bedrock"},
	}
}

package models

// anthropic lists the models of Anthropic. Input and output share the context
// length, so no separate maximum input is given. The tokenizer changed with 4.7:
// the vendor says about 30 % more tokens for the same text. Cache writes are
// those that live five minutes.
func anthropic() []row {
	return []row{
		{"claude-3-5-haiku-20241022", 200_000, 0, 8_192, Price{0.8, 4, 0.08, 1}, Claude, litellm, "claude-3-5-haiku claude-3.5-haiku claude-haiku-3-5", "Bedrock row; retired at the vendor"},
		{"claude-3-5-sonnet-20240620", 200_000, 0, 4_096, Price{3, 15, 0.3, 3.75}, Claude, litellm, "", "Bedrock row (US); a wrong row says 1,000,000"},
		{"claude-3-5-sonnet-20241022", 200_000, 0, 8_192, Price{3, 15, 0.3, 3.75}, Claude, litellm, "claude-3-5-sonnet claude-3.5-sonnet claude-sonnet-3-5", "Bedrock row (US); a wrong row says 1,000,000"},
		{"claude-3-7-sonnet-20250219", 200_000, 0, 64_000, Price{3, 15, 0.3, 3.75}, Claude, litellm, "claude-3-7-sonnet claude-3.7-sonnet claude-sonnet-3-7", ""},
		{"claude-3-haiku-20240307", 200_000, 0, 4_096, Price{0.25, 1.25, 0.03, 0.3}, Claude, litellm, "claude-3-haiku claude-haiku-3", ""},
		{"claude-3-opus-20240229", 200_000, 0, 4_096, Price{15, 75, 1.5, 18.75}, Claude, litellm, "claude-3-opus claude-opus-3", ""},
		{"claude-3-sonnet-20240229", 200_000, 0, 4_096, Price{3, 15, 0.3, 3.75}, Claude, litellm, "claude-3-sonnet claude-sonnet-3", "Bedrock row"},
		{"claude-fable-5", 1_000_000, 0, 128_000, Price{10, 50, 1, 12.5}, Claude47, litellm, "", ""},
		{"claude-fable-5-1", 1_000_000, 0, 128_000, Price{10, 50, 0.25, 12.5}, Claude47, claudePages, "", ""},
		{"claude-fable-5-2", 1_000_000, 0, 128_000, Price{8, 40, 0.2, 10}, Claude47, claudePages, "", "id after the vendor's pattern; cache prices of a third party"},
		{"claude-haiku-4-5", 200_000, 0, 64_000, Price{1, 5, 0.1, 1.25}, Claude, litellm, "claude-4-5-haiku", ""},
		{"claude-haiku-5-5", 1_000_000, 0, 128_000, Price{0.1, 0.5, 0.01, 0.125}, Claude47, claudePages, "claude-5-5-haiku", "prompts over 100,000 tokens cost five times as much"},
		{"claude-opus-4", 200_000, 0, 32_000, Price{15, 75, 1.5, 18.75}, Claude, litellm, "claude-4-opus claude-opus-4-0", ""},
		{"claude-opus-4-1", 200_000, 0, 32_000, Price{15, 75, 1.5, 18.75}, Claude, litellm, "claude-4-1-opus", ""},
		{"claude-opus-4-5", 200_000, 0, 64_000, Price{5, 25, 0.5, 6.25}, Claude, litellm, "claude-4-5-opus", ""},
		{"claude-opus-4-6", 1_000_000, 0, 128_000, Price{5, 25, 0.5, 6.25}, Claude, litellm, "claude-4-6-opus", ""},
		{"claude-opus-4-7", 1_000_000, 0, 128_000, Price{5, 25, 0.5, 6.25}, Claude47, litellm, "claude-4-7-opus", ""},
		{"claude-opus-4-8", 1_000_000, 0, 128_000, Price{5, 25, 0.5, 6.25}, Claude47, litellm, "claude-4-8-opus", ""},
		{"claude-opus-5", 1_000_000, 0, 128_000, Price{5, 25, 0.5, 6.25}, Claude47, litellm, "claude-5-opus", ""},
		{"claude-opus-5-5", 1_000_000, 0, 128_000, Price{4, 20, 0.2, 5}, Claude47, claudePages, "claude-5-5-opus", ""},
		{"claude-sonnet-4", 200_000, 0, 64_000, Price{3, 15, 0.3, 3.75}, Claude, litellm, "claude-4-sonnet claude-sonnet-4-0", "litellm gives 1,000,000: that needed a beta header, write [1m]"},
		{"claude-sonnet-4-5", 200_000, 0, 64_000, Price{3, 15, 0.3, 3.75}, Claude, litellm, "claude-4-5-sonnet", "one gateway row gives 1,000,000: that needed a beta header, write [1m]"},
		{"claude-sonnet-4-5[1m]", 1_000_000, 0, 64_000, Price{6, 22.5, 0.6, 7.5}, Claude, litellm, "claude-sonnet-4-5-20250929[1m]", "prices above 200,000 input tokens, caches in proportion"},
		{"claude-sonnet-4-6", 1_000_000, 0, 128_000, Price{3, 15, 0.3, 3.75}, Claude, claudePages, "claude-4-6-sonnet", "litellm gives output 64,000"},
		{"claude-sonnet-4[1m]", 1_000_000, 0, 64_000, Price{6, 22.5, 0.6, 7.5}, Claude, litellm, "claude-sonnet-4-20250514[1m] claude-sonnet-4-0[1m]", "prices above 200,000 input tokens, caches in proportion"},
		{"claude-sonnet-5", 1_000_000, 0, 128_000, Price{2, 10, 0.2, 2.5}, Claude47, litellm, "claude-5-sonnet", ""},
		{"claude-sonnet-5-5", 1_000_000, 0, 128_000, Price{2, 10, 0.1, 2.5}, Claude47, claudePages, "claude-5-5-sonnet", "cache reads halved on 2026-10-07, says a third party"},
	}
}

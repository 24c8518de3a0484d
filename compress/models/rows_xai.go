package models

// xAI lists the models of xAI. The vendor publishes no maximum output; litellm
// repeats the context length there, so it stands as unknown. Prices of 4.3 and
// later are those of prompts up to 200,000 tokens.
func xAI() []row {
	return []row{
		{"grok-2", 131_072, 0, 0, Price{2, 10, 0, 0}, Other, litellm, "grok-2-1212", ""},
		{"grok-3", 131_072, 0, 0, Price{3, 15, 0.75, 0}, Other, litellm, "grok-3-beta", "retired 2026-05-15"},
		{"grok-3-fast", 131_072, 0, 0, Price{5, 25, 1.25, 0}, Other, litellm, "grok-3-fast-beta", ""},
		{"grok-3-mini", 131_072, 0, 0, Price{0.3, 0.5, 0.075, 0}, Other, litellm, "grok-3-mini-beta", "retired 2026-02-28"},
		{"grok-3-mini-fast", 131_072, 0, 0, Price{0.6, 4, 0.15, 0}, Other, litellm, "grok-3-mini-fast-beta", ""},
		{"grok-4", 256_000, 0, 0, Price{3, 15, 0, 0}, Other, litellm, "grok-4-0709", "retired 2026-05-15; Azure serves 131,072"},
		{"grok-4-1-fast", 2_000_000, 0, 0, Price{0.2, 0.5, 0.05, 0}, Other, litellm, "grok-4.1-fast grok-4-1-fast-reasoning grok-4-1-fast-non-reasoning", "retired 2026-05-15; Azure serves 131,072"},
		{"grok-4-fast", 2_000_000, 0, 0, Price{0.2, 0.5, 0.05, 0}, Other, litellm, "grok-4-fast-reasoning grok-4-fast-non-reasoning", "retired 2026-05-15; Azure serves 131,072"},
		{"grok-4.20", 1_000_000, 0, 0, Price{2, 6, 0.2, 0}, Other, modelsDev, "grok-4.20-0309-reasoning grok-4.20-0309-non-reasoning grok-4.20-beta grok-4.20-multi-agent", "litellm gives 2,000,000 (prices from there); later lists 1 and 3 USD"},
		{"grok-4.3", 1_000_000, 0, 0, Price{1.25, 2.5, 0.2, 0}, Other, litellm, "", ""},
		{"grok-4.5", 500_000, 0, 0, Price{2, 6, 0.5, 0}, Other, litellm, "", ""},
		{"grok-4.6", 500_000, 0, 0, Price{2, 6, 0.5, 0}, Other, apiyi, "", ""},
		{"grok-4.7", 500_000, 0, 0, Price{}, Other, venice, "", "only a reseller's prices found"},
		{"grok-code-fast-1", 256_000, 0, 0, Price{0.2, 1.5, 0.02, 0}, Other, litellm, "grok-code-fast", "retired 2026-05-15"},
	}
}

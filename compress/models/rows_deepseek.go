package models

// deepSeek lists the models of DeepSeek. Since August 2026 the vendor bills peak
// and off-peak hours; the prices here are those of peak hours.
func deepSeek() []row {
	return []row{
		{"deepseek-chat", 131_072, 0, 8_192, Price{0.28, 0.42, 0.028, 0}, DeepSeek, litellm, "", "V3.2 when retired 2026-07-24"},
		{"deepseek-flash", 1_000_000, 0, 384_000, Price{0.3, 1.2, 0.006, 0}, DeepSeek, deepSeekPages, "deepseek-v4-flash deepseek-v4.1-flash", "V4.1; half price off-peak; litellm gives output 8,192"},
		{"deepseek-r1", 128_000, 0, 8_192, Price{0.55, 2.19, 0, 0}, DeepSeek, litellm, "", "the vendor served 65,536, hosts 128,000 to 163,840"},
		{"deepseek-r1-distill-llama-70b", 131_072, 0, 0, Price{0.2, 0.6, 0, 0}, Llama3, litellm, "", openDeepInfra},
		{"deepseek-r1-distill-qwen-32b", 131_072, 0, 0, Price{0.27, 0.27, 0, 0}, Qwen, litellm, "", openDeepInfra},
		{"deepseek-reasoner", 131_072, 0, 65_536, Price{0.28, 0.42, 0.028, 0}, DeepSeek, litellm, "", "V3.2 when retired 2026-07-24"},
		{"deepseek-v3", 128_000, 0, 8_192, Price{0.27, 1.1, 0.07, 0}, DeepSeek, litellm, "deepseek-chat-v3 deepseek-chat-v3-0324", "the vendor served 65,536, hosts 128,000 to 163,840"},
		{"deepseek-v3.1", 131_072, 0, 32_768, Price{0.27, 1, 0.135, 0}, DeepSeek, litellm, "deepseek-chat-v3.1 deepseek-v3.1-terminus", "prices of Novita"},
		{"deepseek-v3.2", 163_840, 0, 65_536, Price{0.28, 0.4, 0, 0}, DeepSeek, litellm, "deepseek-v3.2-exp deepseek-v3.2-speciale", "output of Novita"},
		{"deepseek-v4-pro", 1_000_000, 0, 384_000, Price{1.32, 3.96, 0.044, 0}, DeepSeek, deepSeekPages, "", "half price off-peak; litellm gives output 8,192"},
	}
}

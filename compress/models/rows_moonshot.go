package models

// moonshot lists the models of Moonshot AI (Kimi).
func moonshot() []row {
	return []row{
		{"kimi-k2-0711-preview", 131_072, 0, 131_072, Price{0.6, 2.5, 0.15, 0}, Kimi, litellm, "kimi-k2 kimi-k2-instruct kimi-k2-0711", "retired 2026-05-25"},
		{"kimi-k2-0905-preview", 262_144, 0, 262_144, Price{0.6, 2.5, 0.15, 0}, Kimi, litellm, "kimi-k2-instruct-0905 kimi-k2-0905", "retired 2026-05-25"},
		{"kimi-k2-thinking", 262_144, 0, 262_144, Price{0.6, 2.5, 0.15, 0}, Kimi, litellm, "", "retired 2026-05-25"},
		{"kimi-k2-thinking-turbo", 262_144, 0, 262_144, Price{1.15, 8, 0.15, 0}, Kimi, litellm, "", "retired 2026-05-25"},
		{"kimi-k2-turbo-preview", 262_144, 0, 262_144, Price{1.15, 8, 0.15, 0}, Kimi, litellm, "kimi-k2-turbo", "retired 2026-05-25"},
		{"kimi-k2.5", 262_144, 0, 262_144, Price{0.6, 3, 0.1, 0}, Kimi, litellm, "kimi-k2p5", ""},
		{"kimi-k2.6", 262_144, 0, 262_144, Price{0.95, 4, 0.16, 0}, Kimi, litellm, "kimi-k2p6", ""},
		{"kimi-k2.7-code", 262_144, 0, 262_144, Price{0.95, 4, 0.19, 0}, Kimi, litellm, "kimi-k2p7-code", "Cloudflare row"},
		{"kimi-k3", 1_048_576, 0, 131_072, Price{3, 15, 0.3, 0}, Kimi, together, "", "output may be raised to 1,048,576"},
		{"kimi-latest", 131_072, 0, 131_072, Price{2, 5, 0.15, 0}, Kimi, litellm, "kimi-latest-128k", "retired 2026-01-28"},
		{"moonshot-v1-128k", 131_072, 0, 0, Price{2, 5, 0, 0}, Kimi, litellm, "moonshot-v1-auto", ""},
		{"moonshot-v1-32k", 32_768, 0, 0, Price{1, 3, 0, 0}, Kimi, litellm, "", ""},
		{"moonshot-v1-8k", 8_192, 0, 0, Price{0.2, 2, 0, 0}, Kimi, litellm, "", ""},
	}
}

package models

// zAI lists the GLM models of Z.ai (Zhipu).
func zAI() []row {
	return []row{
		{"glm-4-32b-0414-128k", 128_000, 0, 32_000, Price{0.1, 0.1, 0, 0}, GLM, litellm, "glm-4-32b", ""},
		{"glm-4.5", 128_000, 0, 32_000, Price{0.6, 2.2, 0, 0}, GLM, litellm, "glm-4p5", "gateways give output 96,000 to 98,304"},
		{"glm-4.5-air", 128_000, 0, 32_000, Price{0.2, 1.1, 0, 0}, GLM, litellm, "glm-4p5-air", ""},
		{"glm-4.5-airx", 128_000, 0, 32_000, Price{1.1, 4.5, 0, 0}, GLM, litellm, "", ""},
		{"glm-4.5-flash", 128_000, 0, 32_000, Price{}, GLM, litellm, "", "free at the vendor"},
		{"glm-4.5-x", 128_000, 0, 32_000, Price{2.2, 8.9, 0, 0}, GLM, litellm, "", ""},
		{"glm-4.5v", 128_000, 0, 32_000, Price{0.6, 1.8, 0, 0}, GLM, litellm, "glm-4p5v", "gateways serve 65,536"},
		{"glm-4.6", 200_000, 0, 128_000, Price{0.6, 2.2, 0.11, 0}, GLM, litellm, "glm-4p6", ""},
		{"glm-4.6v", 131_072, 0, 32_768, Price{0.3, 0.9, 0.055, 0}, GLM, litellm, "", "Novita row"},
		{"glm-4.7", 200_000, 0, 128_000, Price{0.6, 2.2, 0.11, 0}, GLM, litellm, "glm-4p7", ""},
		{"glm-4.7-flash", 200_000, 0, 128_000, Price{}, GLM, litellm, "", "free at the vendor"},
		{"glm-5", 200_000, 0, 128_000, Price{1, 3.2, 0.2, 0}, GLM, litellm, "", ""},
		{"glm-5-code", 200_000, 0, 128_000, Price{1.2, 5, 0.3, 0}, GLM, litellm, "", ""},
		{"glm-5-turbo", 200_000, 0, 128_000, Price{1.2, 4, 0, 0}, GLM, vercel, "", "listed as 202,800; the GLM-5 limit is used"},
		{"glm-5.1", 200_000, 0, 128_000, Price{1.4, 4.4, 0.26, 0}, GLM, litellm, "glm-5p1", ""},
		{"glm-5.2", 1_048_576, 0, 131_072, Price{1.4, 4.4, 0.26, 0}, GLM, litellm, "glm-5p2", "Fireworks row; Cloudflare serves 262,144"},
		{"glm-5.3", 1_048_576, 0, 131_072, Price{1.4, 4.4, 0.26, 0}, GLM, openRouter, "", ""},
	}
}

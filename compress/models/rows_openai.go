package models

// openAI lists the models of OpenAI. From gpt-5 on the vendor splits the
// context length into maximum input and maximum output; the input is the limit.
// litellm gives the input only (272,000); the context length of 400,000 is that of
// the vendor's pages as the Vercel gateway lists them.
// Prices are those of short prompts: above 272,000 input tokens gpt-5.4 and later
// cost twice the input and one and a half times the output price.
func openAI() []row {
	return []row{
		{"chatgpt-4o-latest", 128_000, 0, 4_096, Price{5, 15, 0, 0}, OpenAIO200K, litellm, "", ""},
		{"codex-mini-latest", 200_000, 0, 100_000, Price{1.5, 6, 0.375, 0}, OpenAIO200K, litellm, "codex-mini", ""},
		{"gpt-3.5-turbo", 16_385, 0, 4_096, Price{0.5, 1.5, 0, 0}, OpenAICL100K, litellm, "gpt-35-turbo gpt-3.5-turbo-16k gpt-35-turbo-16k gpt-3.5", "snapshots before 1106 had 4,096"},
		{"gpt-3.5-turbo-instruct", 4_096, 0, 4_096, Price{1.5, 2, 0, 0}, OpenAICL100K, litellm, "gpt-35-turbo-instruct", "a gateway's row with a window of 8,192; its output limit is used"},
		{"gpt-4", 8_192, 0, 4_096, Price{30, 60, 0, 0}, OpenAICL100K, litellm, "", ""},
		{"gpt-4-32k", 32_768, 0, 4_096, Price{60, 120, 0, 0}, OpenAICL100K, openRouter, "", "retired; listed as 32,767"},
		{"gpt-4-turbo", 128_000, 0, 4_096, Price{10, 30, 0, 0}, OpenAICL100K, litellm, "gpt-4-turbo-preview gpt-4-0125-preview gpt-4-1106-preview gpt-4-vision-preview gpt-4-1106-vision-preview", ""},
		{"gpt-4.1", 1_047_576, 0, 32_768, Price{2, 8, 0.5, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-4.1-mini", 1_047_576, 0, 32_768, Price{0.4, 1.6, 0.1, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-4.1-nano", 1_047_576, 0, 32_768, Price{0.1, 0.4, 0.025, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-4o", 128_000, 0, 16_384, Price{2.5, 10, 1.25, 0}, OpenAIO200K, litellm, "", "the first snapshot, 2024-05-13: output 4,096, 5 and 15 USD"},
		{"gpt-4o-mini", 128_000, 0, 16_384, Price{0.15, 0.6, 0.075, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5", 400_000, 272_000, 128_000, Price{1.25, 10, 0.125, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5-chat-latest", 128_000, 0, 16_384, Price{1.25, 10, 0.125, 0}, OpenAIO200K, litellm, "gpt-5-chat", ""},
		{"gpt-5-codex", 400_000, 272_000, 128_000, Price{1.25, 10, 0.125, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5-mini", 400_000, 272_000, 128_000, Price{0.25, 2, 0.025, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5-nano", 400_000, 272_000, 128_000, Price{0.05, 0.4, 0.005, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5-pro", 400_000, 272_000, 272_000, Price{15, 120, 0, 0}, OpenAIO200K, litellm, "", "the vendor says output 272,000, litellm 128,000; input from its Azure row"},
		{"gpt-5.1", 400_000, 272_000, 128_000, Price{1.25, 10, 0.125, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.1-chat-latest", 128_000, 0, 16_384, Price{1.25, 10, 0.125, 0}, OpenAIO200K, litellm, "gpt-5.1-chat", ""},
		{"gpt-5.1-codex", 400_000, 272_000, 128_000, Price{1.25, 10, 0.125, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.1-codex-max", 400_000, 272_000, 128_000, Price{1.25, 10, 0.125, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.1-codex-mini", 400_000, 272_000, 128_000, Price{0.25, 2, 0.025, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.2", 400_000, 272_000, 128_000, Price{1.75, 14, 0.175, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.2-chat-latest", 128_000, 0, 16_384, Price{1.75, 14, 0.175, 0}, OpenAIO200K, litellm, "gpt-5.2-chat", ""},
		{"gpt-5.2-codex", 400_000, 272_000, 128_000, Price{1.75, 14, 0.175, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.2-pro", 400_000, 272_000, 128_000, Price{21, 168, 0, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.3-chat-latest", 128_000, 0, 16_384, Price{1.75, 14, 0.175, 0}, OpenAIO200K, litellm, "gpt-5.3-chat", ""},
		{"gpt-5.3-codex", 400_000, 272_000, 128_000, Price{1.75, 14, 0.175, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.3-codex-spark", 128_000, 0, 0, Price{}, OpenAIO200K, litellm, "", "row of the ChatGPT plan"},
		{"gpt-5.4", 1_050_000, 922_000, 128_000, Price{2.5, 15, 0.25, 0}, OpenAIO200K, litellm, "", splitWindow},
		{"gpt-5.4-mini", 400_000, 272_000, 128_000, Price{0.75, 4.5, 0.075, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.4-nano", 400_000, 272_000, 128_000, Price{0.2, 1.25, 0.02, 0}, OpenAIO200K, litellm, "", ""},
		{"gpt-5.4-pro", 1_050_000, 922_000, 128_000, Price{30, 180, 3, 0}, OpenAIO200K, litellm, "", splitWindow},
		{"gpt-5.5", 1_050_000, 922_000, 128_000, Price{5, 30, 0.5, 0}, OpenAIO200K, litellm, "", splitWindow},
		{"gpt-5.5-pro", 1_050_000, 922_000, 128_000, Price{30, 180, 3, 0}, OpenAIO200K, litellm, "", splitWindow},
		{"gpt-5.6-luna", 1_050_000, 922_000, 128_000, Price{0.2, 1.2, 0.02, 0.25}, OpenAIO200K, litellm, "", splitWindow},
		{"gpt-5.6-sol", 1_050_000, 922_000, 128_000, Price{5, 30, 0.5, 6.25}, OpenAIO200K, litellm, "gpt-5.6", splitWindow},
		{"gpt-5.6-terra", 1_050_000, 922_000, 128_000, Price{2, 12, 0.2, 2.5}, OpenAIO200K, litellm, "", splitWindow},
		{"gpt-6-astra", 1_050_000, 922_000, 128_000, Price{10, 50, 1, 12.5}, OpenAIO200K, vercel, "", assumedO200K + "; maximum input as gpt-6-sol, cache prices of a third party"},
		{"gpt-6-luna", 1_050_000, 922_000, 128_000, Price{0.1, 0.5, 0.01, 0.125}, OpenAIO200K, litellmNews, "", assumedO200K},
		{"gpt-6-sol", 1_050_000, 922_000, 128_000, Price{2, 10, 0.2, 2.5}, OpenAIO200K, litellmNews, "", assumedO200K},
		{"gpt-6.1-sol", 1_050_000, 922_000, 128_000, Price{2, 10, 0.1, 2.5}, OpenAIO200K, googleCloud, "", assumedO200K},
		{"gpt-6.1-terra", 1_050_000, 922_000, 128_000, Price{1, 5, 0.05, 1.25}, OpenAIO200K, apidog, "", assumedO200K + "; limits as gpt-6.1-sol"},
		{"gpt-6.2-astra", 1_050_000, 922_000, 128_000, Price{8, 40, 0, 0}, OpenAIO200K, litellmNews, "", assumedO200K + "; maximum input as gpt-6.1-sol"},
		{"gpt-6.2-sol", 1_050_000, 922_000, 128_000, Price{2, 10, 0, 0}, OpenAIO200K, litellmNews, "", assumedO200K + "; maximum input as gpt-6.1-sol"},
		{"gpt-oss-120b", 131_072, 0, 131_072, Price{0.15, 0.6, 0, 0}, OpenAIO200K, litellm, "gpt-oss:120b gpt-oss-120b-cloud", "open weights; prices of Azure"},
		{"gpt-oss-20b", 131_072, 0, 131_072, Price{0.07, 0.3, 0, 0}, OpenAIO200K, litellm, "gpt-oss:20b gpt-oss-20b-cloud", "open weights; prices of Bedrock"},
		{"o1", 200_000, 0, 100_000, Price{15, 60, 7.5, 0}, OpenAIO200K, litellm, "", ""},
		{"o1-mini", 128_000, 0, 65_536, Price{1.1, 4.4, 0.55, 0}, OpenAIO200K, litellm, "", "Azure row"},
		{"o1-preview", 128_000, 0, 32_768, Price{15, 60, 7.5, 0}, OpenAIO200K, litellm, "", "Azure row"},
		{"o1-pro", 200_000, 0, 100_000, Price{150, 600, 0, 0}, OpenAIO200K, litellm, "", ""},
		{"o3", 200_000, 0, 100_000, Price{2, 8, 0.5, 0}, OpenAIO200K, litellm, "", ""},
		{"o3-deep-research", 200_000, 0, 100_000, Price{10, 40, 2.5, 0}, OpenAIO200K, litellm, "", ""},
		{"o3-mini", 200_000, 0, 100_000, Price{1.1, 4.4, 0.55, 0}, OpenAIO200K, litellm, "", "one gateway serves 128,000"},
		{"o3-pro", 200_000, 0, 100_000, Price{20, 80, 0, 0}, OpenAIO200K, litellm, "", ""},
		{"o4-mini", 200_000, 0, 100_000, Price{1.1, 4.4, 0.275, 0}, OpenAIO200K, litellm, "", ""},
		{"o4-mini-deep-research", 200_000, 0, 100_000, Price{2, 8, 0.5, 0}, OpenAIO200K, litellm, "", ""},
	}
}

const (
	splitWindow  = "input 922,000 = context less output, as gateways state it; litellm gives the whole window"
	assumedO200K = "encoding not published, o200k assumed"
)

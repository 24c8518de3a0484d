package models

// qwen lists the models of Alibaba's Qwen. For the models it serves itself the
// vendor states a maximum input a little under the context length; open weights
// have one window. litellm gives that maximum input; the context length is the
// vendor's round number.
func qwen() []row {
	return []row{
		{"qwen-flash", 1_000_000, 997_952, 32_768, Price{}, Qwen, litellm, "", ""},
		{"qwen-max", 32_768, 30_720, 8_192, Price{1.6, 6.4, 0, 0}, Qwen, litellm, "", ""},
		{"qwen-plus", 131_072, 129_024, 16_384, Price{0.4, 1.2, 0, 0}, Qwen, litellm, "", "snapshots since 2025-07-28: 997,952"},
		{"qwen-plus-latest", 1_000_000, 997_952, 32_768, Price{}, Qwen, litellm, "qwen-plus-2025-07-28 qwen-plus-2025-09-11", ""},
		{"qwen-turbo", 131_072, 129_024, 16_384, Price{0.05, 0.2, 0, 0}, Qwen, litellm, "", "latest snapshots: 1,000,000"},
		{"qwen2.5-72b-instruct", 131_072, 0, 8_192, Price{0.12, 0.3, 0, 0}, Qwen, litellm, "qwen-2.5-72b-instruct qwen2.5-72b qwen2.5:72b", "open weights; prices of Hyperbolic; other hosts serve 32,768"},
		{"qwen2.5-7b-instruct", 32_768, 0, 8_192, Price{0.04, 0.1, 0, 0}, Qwen, litellm, "qwen-2.5-7b-instruct qwen2.5-7b qwen2.5:7b qwen2.5", openDeepInfra},
		{"qwen2.5-coder-32b-instruct", 32_768, 0, 8_192, Price{0.12, 0.3, 0, 0}, Qwen, litellm, "qwen-2.5-coder-32b-instruct qwen2.5-coder-32b qwen2.5-coder:32b", "open weights; prices of Hyperbolic; 131,072 with YaRN"},
		{"qwen3-14b", 40_960, 0, 0, Price{0.06, 0.24, 0, 0}, Qwen, litellm, "qwen3:14b", openDeepInfra},
		{"qwen3-235b-a22b", 40_960, 0, 0, Price{0.18, 0.54, 0, 0}, Qwen, litellm, "", openDeepInfra},
		{"qwen3-235b-a22b-instruct-2507", 262_144, 0, 0, Price{0.09, 0.6, 0, 0}, Qwen, litellm, "qwen3-235b-a22b-2507", openDeepInfra},
		{"qwen3-235b-a22b-thinking-2507", 262_144, 0, 0, Price{0.3, 2.9, 0, 0}, Qwen, litellm, "", openDeepInfra},
		{"qwen3-30b-a3b", 40_960, 0, 0, Price{0.08, 0.29, 0, 0}, Qwen, litellm, "qwen3:30b", openDeepInfra},
		{"qwen3-32b", 40_960, 0, 0, Price{0.1, 0.28, 0, 0}, Qwen, litellm, "qwen-3-32b qwen3:32b", openDeepInfra + "; 131,072 with YaRN"},
		{"qwen3-coder-30b-a3b-instruct", 262_144, 0, 0, Price{0.15, 0.6, 0, 0}, Qwen, litellm, "qwen3-coder-30b-a3b qwen3-coder:30b", "open weights; prices of Bedrock"},
		{"qwen3-coder-480b-a35b-instruct", 262_144, 0, 65_536, Price{0.4, 1.6, 0, 0}, Qwen, litellm, "qwen3-coder qwen3-coder-480b-a35b qwen3-coder:480b", openDeepInfra},
		{"qwen3-coder-flash", 1_000_000, 997_952, 65_536, Price{}, Qwen, litellm, "", ""},
		{"qwen3-coder-next", 262_144, 0, 0, Price{0.5, 1.2, 0, 0}, Qwen, litellm, "", "open weights; prices of Bedrock"},
		{"qwen3-coder-plus", 1_000_000, 997_952, 65_536, Price{1, 5, 0, 0}, Qwen, litellm, "", "prices of a gateway"},
		{"qwen3-max", 262_144, 258_048, 65_536, Price{1.2, 6, 0, 0}, Qwen, litellm, "qwen3-max-preview", "prices of the Vercel gateway, 2026-11-20"},
		{"qwen3-next-80b-a3b-instruct", 262_144, 0, 65_536, Price{0.15, 1.2, 0, 0}, Qwen, litellm, "qwen3-next-80b-a3b", ""},
		{"qwen3-next-80b-a3b-thinking", 262_144, 0, 65_536, Price{0.15, 1.2, 0, 0}, Qwen, litellm, "", ""},
		{"qwen3-vl-235b-a22b-instruct", 131_072, 0, 32_768, Price{0.4, 1.6, 0, 0}, Qwen, litellm, "qwen3-vl-235b-a22b", ""},
		{"qwen3.5-397b-a17b", 262_144, 0, 65_536, Price{0.6, 3.6, 0, 0}, Qwen, litellm, "", "open weights; prices of a gateway"},
		{"qwen3.5-plus", 1_000_000, 991_808, 65_536, Price{0.4, 2.4, 0, 0}, Qwen, litellm, "qwen3.5-plus-02-15", "prices of a gateway"},
		{"qwen3.6-plus", 1_000_000, 0, 65_536, Price{0.325, 1.95, 0, 0}, Qwen, litellm, "", "prices of a gateway"},
		{"qwen3.7-max", 1_000_000, 991_808, 65_536, Price{2.5, 7.5, 0.5, 0}, Qwen, litellm, "", ""},
		{"qwen3.7-plus", 1_000_000, 991_808, 65_536, Price{}, Qwen, litellm, "", ""},
		{"qwen3.8-max", 1_000_000, 991_000, 128_000, Price{2, 6, 0, 0}, Qwen, vercel, "qwen3.8-max-0902", "limits rounded by the gateway"},
		{"qwq-32b", 131_072, 0, 0, Price{0.15, 0.4, 0, 0}, Qwen, litellm, "qwq:32b qwq", openDeepInfra},
		{"qwq-plus", 131_072, 98_304, 8_192, Price{0.8, 2.4, 0, 0}, Qwen, litellm, "", ""},
	}
}

const openDeepInfra = "open weights; prices of DeepInfra"

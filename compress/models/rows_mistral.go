package models

// mistral lists the models of Mistral AI. The vendor publishes no maximum output;
// litellm repeats the context length there, so it stands as unknown. The numbers
// at the end of its names (2512) are versions, not days.
func mistral() []row {
	return []row{
		{"codestral-2405", 32_000, 0, 0, Price{1, 3, 0, 0}, Mistral, litellm, "", ""},
		{"codestral-2508", 256_000, 0, 0, Price{0.3, 0.9, 0, 0}, Mistral, litellm, "codestral codestral-latest", "litellm still gives codestral-latest 32,000"},
		{"devstral-2512", 256_000, 0, 0, Price{0.4, 2, 0, 0}, Mistral, litellm, "devstral devstral-latest devstral-2 devstral-medium devstral-medium-latest", ""},
		{"devstral-medium-2507", 128_000, 0, 0, Price{0.4, 2, 0, 0}, Mistral, litellm, "", ""},
		{"devstral-small-2507", 128_000, 0, 0, Price{0.1, 0.3, 0, 0}, Mistral, litellm, "devstral-small-2505", ""},
		{"labs-devstral-small-2512", 256_000, 0, 0, Price{0.1, 0.3, 0, 0}, Mistral, litellm, "devstral-small devstral-small-latest devstral-small-2512", ""},
		{"magistral-medium-2506", 40_000, 0, 0, Price{2, 5, 0, 0}, Mistral, litellm, "", ""},
		{"magistral-medium-2509", 128_000, 0, 0, Price{2, 5, 0, 0}, Mistral, modelsDev, "magistral-medium magistral-medium-latest magistral-medium-1-2-2509", "litellm gives 40,000, the limit of version 2506"},
		{"magistral-small-2506", 40_000, 0, 0, Price{0.5, 1.5, 0, 0}, Mistral, litellm, "", ""},
		{"magistral-small-2509", 128_000, 0, 0, Price{0.5, 1.5, 0, 0}, Mistral, modelsDev, "magistral-small magistral-small-latest magistral-small-1-2-2509", "litellm gives 40,000, the limit of version 2506"},
		{"ministral-14b-2512", 262_144, 0, 0, Price{0.2, 0.2, 0, 0}, Mistral, litellm, "ministral-14b ministral-14b-latest ministral-3-14b-2512", ""},
		{"ministral-3b-2512", 131_072, 0, 0, Price{0.1, 0.1, 0, 0}, Mistral, litellm, "ministral-3b ministral-3b-latest ministral-3-3b-2512", "models.dev gives 128,000"},
		{"ministral-8b-2512", 262_144, 0, 0, Price{0.15, 0.15, 0, 0}, Mistral, litellm, "ministral-8b ministral-8b-latest ministral-3-8b-2512", ""},
		{"mistral-large-2402", 32_000, 0, 8_191, Price{4, 12, 0, 0}, Mistral, litellm, "", ""},
		{"mistral-large-2407", 128_000, 0, 0, Price{3, 9, 0, 0}, Mistral, litellm, "", ""},
		{"mistral-large-2411", 128_000, 0, 0, Price{2, 6, 0, 0}, Mistral, litellm, "", ""},
		{"mistral-large-2512", 262_144, 0, 0, Price{0.5, 1.5, 0, 0}, Mistral, litellm, "mistral-large mistral-large-latest mistral-large-3", ""},
		{"mistral-medium-2505", 131_072, 0, 0, Price{0.4, 2, 0, 0}, Mistral, litellm, "mistral-medium-3", ""},
		{"mistral-medium-2508", 131_072, 0, 0, Price{0.4, 2, 0, 0}, Mistral, litellm, "mistral-medium-3-1-2508 mistral-medium-3.1", ""},
		{"mistral-medium-2604", 262_144, 0, 0, Price{1.5, 7.5, 0, 0}, Mistral, litellm, "mistral-medium mistral-medium-latest mistral-medium-3.5 mistral-medium-3-5-26-04", "litellm gives the bare name the first version, 32,000"},
		{"mistral-small-2501", 32_768, 0, 0, Price{0.05, 0.08, 0, 0}, Mistral, litellm, "mistral-small-24b-instruct-2501", openDeepInfra},
		{"mistral-small-2503", 128_000, 0, 0, Price{0.1, 0.3, 0, 0}, Mistral, litellm, "mistral-small-3.1-24b-instruct", "Azure row"},
		{"mistral-small-2506", 131_072, 0, 0, Price{0.06, 0.18, 0, 0}, Mistral, litellm, "mistral-small mistral-small-latest mistral-small-3-2-2506 mistral-small-3.2-24b-instruct", "litellm gives the bare name the first version, 32,000"},
		{"open-mistral-7b", 32_000, 0, 8_191, Price{0.25, 0.25, 0, 0}, Mistral, litellm, "mistral-7b-instruct mistral-7b", "open weights"},
		{"open-mistral-nemo", 128_000, 0, 0, Price{0.3, 0.3, 0, 0}, Mistral, litellm, "mistral-nemo mistral-nemo-instruct", "open weights"},
		{"open-mixtral-8x22b", 65_536, 0, 8_191, Price{2, 6, 0, 0}, Mistral, litellm, "mixtral-8x22b-instruct mixtral-8x22b", "open weights; litellm spells 65,336"},
		{"open-mixtral-8x7b", 32_000, 0, 8_191, Price{0.7, 0.7, 0, 0}, Mistral, litellm, "mixtral-8x7b-instruct mixtral-8x7b", "open weights"},
		{"pixtral-large-2411", 128_000, 0, 0, Price{2, 6, 0, 0}, Mistral, litellm, "pixtral-large pixtral-large-latest", ""},
	}
}

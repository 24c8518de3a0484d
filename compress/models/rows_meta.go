package models

// meta lists the models of Meta. Llama weights are open: hosts serve them with
// smaller windows too, and the prices are those of the host named in the note.
func meta() []row {
	return []row{
		{"llama-3-70b-instruct", 8_192, 0, 8_192, Price{2.65, 3.5, 0, 0}, Llama3, litellm, "llama3-70b-instruct meta-llama-3-70b-instruct llama-3-70b llama-v3-70b-instruct llama3:70b", "open weights; prices of Bedrock"},
		{"llama-3-8b-instruct", 8_192, 0, 8_192, Price{0.3, 0.6, 0, 0}, Llama3, litellm, "llama3-8b-instruct meta-llama-3-8b-instruct llama-3-8b llama-v3-8b-instruct llama3 llama3:8b", "open weights; prices of Bedrock"},
		{"llama-3.1-405b-instruct", 128_000, 0, 0, Price{5.32, 16, 0, 0}, Llama3, litellm, "llama3-1-405b-instruct meta-llama-3.1-405b-instruct llama-3.1-405b llama-v3p1-405b-instruct llama3.1:405b", openLlama},
		{"llama-3.1-70b-instruct", 128_000, 0, 0, Price{0.99, 0.99, 0, 0}, Llama3, litellm, "llama3-1-70b-instruct meta-llama-3.1-70b-instruct llama-3.1-70b llama-v3p1-70b-instruct llama3.1:70b", openLlama},
		{"llama-3.1-8b-instruct", 128_000, 0, 0, Price{0.22, 0.22, 0, 0}, Llama3, litellm, "llama3-1-8b-instruct meta-llama-3.1-8b-instruct llama-3.1-8b llama-v3p1-8b-instruct llama3.1 llama3.1:8b", openLlama},
		{"llama-3.2-11b-vision-instruct", 128_000, 0, 0, Price{0.35, 0.35, 0, 0}, Llama3, litellm, "llama3-2-11b-instruct meta-llama-3.2-11b-vision-instruct llama-3.2-11b llama-v3p2-11b-vision-instruct", openLlama},
		{"llama-3.2-1b-instruct", 128_000, 0, 0, Price{0.1, 0.1, 0, 0}, Llama3, litellm, "llama3-2-1b-instruct meta-llama-3.2-1b-instruct llama-3.2-1b llama-v3p2-1b-instruct llama3.2:1b", openLlama},
		{"llama-3.2-3b-instruct", 128_000, 0, 0, Price{0.15, 0.15, 0, 0}, Llama3, litellm, "llama3-2-3b-instruct meta-llama-3.2-3b-instruct llama-3.2-3b llama-v3p2-3b-instruct llama3.2 llama3.2:3b", openLlama},
		{"llama-3.2-90b-vision-instruct", 128_000, 0, 0, Price{2, 2, 0, 0}, Llama3, litellm, "llama3-2-90b-instruct meta-llama-3.2-90b-vision-instruct llama-3.2-90b llama-v3p2-90b-vision-instruct", openLlama},
		{"llama-3.3-70b-instruct", 128_000, 0, 0, Price{0.72, 0.72, 0, 0}, Llama3, litellm, "llama3-3-70b-instruct meta-llama-3.3-70b-instruct llama-3.3-70b llama-v3p3-70b-instruct llama3.3 llama3.3:70b", openLlama},
		{"llama-4-maverick-17b-128e-instruct", 1_000_000, 0, 0, Price{0.24, 0.97, 0, 0}, Llama3, litellm, "llama-4-maverick llama4-maverick llama4-maverick-17b-instruct llama-4-maverick-17b llama4:maverick", openLlama4},
		{"llama-4-scout-17b-16e-instruct", 10_000_000, 0, 0, Price{0.17, 0.66, 0, 0}, Llama3, litellm, "llama-4-scout llama4-scout llama4-scout-17b-instruct llama-4-scout-17b llama4:scout", openLlama4},
		{"muse-spark-1.1", 1_048_576, 0, 131_072, Price{1.25, 4.25, 0.15, 0}, Other, litellm, "", ""},
		{"muse-spark-1.3", 1_048_576, 0, 131_072, Price{1.25, 4.25, 0.15, 0}, Other, litellmNews, "", ""},
	}
}

const (
	openLlama  = "open weights; prices of Bedrock"
	openLlama4 = "open weights; prices of Bedrock; hosts often serve 128,000; own vocabulary, counted as Llama 3"
)

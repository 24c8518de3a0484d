package models

// miniMax lists the models of MiniMax. For M2.1 and M2.5 litellm's vendor rows say
// 1,000,000 while most hosts and the M2.7 documents say 196,608 to 204,800; the
// smaller number is used, since too large a limit would never compact.
func miniMax() []row {
	return []row{
		{"minimax-m1", 1_000_000, 0, 40_000, Price{0.55, 2.2, 0, 0}, Other, litellm, "minimax-m1-80k", "Novita row"},
		{"minimax-m2", 204_800, 0, 131_072, Price{0.3, 1.2, 0.03, 0.375}, Other, litellm, "", "limits of the Novita row; the vendor row says 200,000 and 8,192"},
		{"minimax-m2.1", 204_800, 0, 131_072, Price{0.3, 1.2, 0.03, 0.375}, Other, litellm, "minimax-m2p1", miniMaxWindow},
		{"minimax-m2.1-lightning", 204_800, 0, 131_072, Price{0.3, 2.4, 0.03, 0.375}, Other, litellm, "", miniMaxWindow},
		{"minimax-m2.5", 204_800, 0, 131_072, Price{0.3, 1.2, 0.03, 0.375}, Other, litellm, "", miniMaxWindow},
		{"minimax-m2.5-lightning", 204_800, 0, 131_072, Price{0.3, 2.4, 0.03, 0.375}, Other, litellm, "", miniMaxWindow},
		{"minimax-m2.7", 204_800, 0, 131_072, Price{0.3, 1.2, 0.06, 0}, Other, promptfoo, "minimax-m2p7", "hosts serve 196,608; output from litellm's SambaNova row"},
		{"minimax-m3", 1_000_000, 0, 128_000, Price{0.3, 1.2, 0.06, 0}, Other, litellm, "", "512,000 at some hosts"},
	}
}

const miniMaxWindow = "litellm's vendor row says 1,000,000; limits of the hosts and of M2.7"

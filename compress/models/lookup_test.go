package models

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	tests := []struct {
		name  string
		want  string
		match Match
	}{
		{"gpt-4o", "gpt-4o", ExactMatch},
		{"gpt-5.6", "gpt-5.6-sol", AliasMatch},
		{"GPT-4o", "gpt-4o", NormalizedMatch},
		{" gpt-4o ", "gpt-4o", NormalizedMatch},
		{"gpt-4o-2024-08-06", "gpt-4o", NormalizedMatch},
		{"gpt-4-0613", "gpt-4", NormalizedMatch},
		{"gpt-4-0125-preview", "gpt-4-turbo", AliasMatch},
		{"gpt-4-turbo-2024-04-09", "gpt-4-turbo", NormalizedMatch},
		{"gpt-3.5-turbo-16k-0613", "gpt-3.5-turbo", NormalizedMatch},
		{"gpt-4o-something-new", "gpt-4o", FamilyMatch},
		{"gpt-4o-mini-tts", "gpt-4o-mini", FamilyMatch},
		{"o3-mini-high", "o3-mini", FamilyMatch},
		{"ft:gpt-4o-2024-08-06:acme:support:AbC1", "gpt-4o", NormalizedMatch},
		{"ft:gpt-4o-mini-2024-07-18:acme::x", "gpt-4o-mini", NormalizedMatch},
		{"azure/eu/gpt-4o-2024-11-20", "gpt-4o", NormalizedMatch},
		{"azure:gpt-5", "gpt-5", NormalizedMatch},
		{"openai/gpt-oss-120b:free", "gpt-oss-120b", NormalizedMatch},
		{"gpt-oss:20b-cloud", "gpt-oss-20b", NormalizedMatch},
		{"openai.gpt-oss-120b-1:0", "gpt-oss-120b", NormalizedMatch},
		{"claude-sonnet-4-5", "claude-sonnet-4-5", ExactMatch},
		{"claude-sonnet-4-5-20250929", "claude-sonnet-4-5", NormalizedMatch},
		{"anthropic/claude-sonnet-4.5", "claude-sonnet-4-5", NormalizedMatch},
		{"openrouter/anthropic/claude-3.7-sonnet:thinking", "claude-3-7-sonnet-20250219", NormalizedMatch},
		{"us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", NormalizedMatch},
		{"bedrock/us-east-1/anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet-20241022", NormalizedMatch},
		{"anthropic.claude-3-sonnet-20240229-v1:0:200k", "claude-3-sonnet-20240229", NormalizedMatch},
		{"global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6", NormalizedMatch},
		{"claude-opus-4@20250514", "claude-opus-4", NormalizedMatch},
		{"vertex_ai/claude-opus-4-6@default", "claude-opus-4-6", NormalizedMatch},
		{"claude-3-5-haiku-latest", "claude-3-5-haiku-20241022", NormalizedMatch},
		{"claude-4-sonnet-20250514", "claude-sonnet-4", NormalizedMatch},
		{"claude-opus-4-6[1m]", "claude-opus-4-6", NormalizedMatch},
		{"claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5[1m]", AliasMatch},
		{"anthropic/claude-sonnet-4-5[1m]", "claude-sonnet-4-5[1m]", NormalizedMatch},
		{"databricks/databricks-claude-sonnet-4-5", "claude-sonnet-4-5", NormalizedMatch},
		{"models/gemini-2.5-pro", "gemini-2.5-pro", NormalizedMatch},
		{"gemini-2.5-pro-preview-05-06", "gemini-2.5-pro", NormalizedMatch},
		{"gemini-2.5-flash-lite-preview-09-2025", "gemini-2.5-flash-lite", NormalizedMatch},
		{"gemini-2.0-flash-001", "gemini-2.0-flash", NormalizedMatch},
		{"google-gla:gemini-2.5-flash", "gemini-2.5-flash", NormalizedMatch},
		{"meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct", NormalizedMatch},
		{"meta-llama/Llama-3.3-70B-Instruct-Turbo", "llama-3.3-70b-instruct", FamilyMatch},
		{"meta.llama3-1-405b-instruct-v1:0", "llama-3.1-405b-instruct", NormalizedMatch},
		{"accounts/fireworks/models/llama-v3p1-8b-instruct", "llama-3.1-8b-instruct", NormalizedMatch},
		{"groq/llama-3.3-70b-versatile", "llama-3.3-70b-instruct", FamilyMatch},
		{"llama3.1:8b", "llama-3.1-8b-instruct", AliasMatch},
		{"Qwen/Qwen3-Coder-480B-A35B-Instruct", "qwen3-coder-480b-a35b-instruct", NormalizedMatch},
		{"Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", "qwen3-coder-480b-a35b-instruct", NormalizedMatch},
		{"qwen.qwen3-32b-v1:0", "qwen3-32b", NormalizedMatch},
		{"deepseek-ai/DeepSeek-V3-0324", "deepseek-v3", NormalizedMatch},
		{"us.deepseek.r1-v1:0", "", ""},
		{"moonshotai/Kimi-K2-Instruct-0905", "kimi-k2-0905-preview", NormalizedMatch},
		{"kimi-k2-thinking-251104", "kimi-k2-thinking", NormalizedMatch},
		{"mistral-large@2407", "mistral-large-2407", NormalizedMatch},
		{"mistral.mistral-large-2407-v1:0", "mistral-large-2407", NormalizedMatch},
		{"mistral/mistral-large-latest", "mistral-large-2512", NormalizedMatch},
		{"x-ai/grok-4-0709", "grok-4", NormalizedMatch},
		{"glm-4-7-251222", "glm-4.7", NormalizedMatch},
		{"vertex_ai/zai-org/glm-5-maas", "glm-5", NormalizedMatch},
		{"MiniMaxAI/MiniMax-M2.1", "minimax-m2.1", NormalizedMatch},
		{"NousResearch/Hermes-4-405B", "hermes-4-405b", NormalizedMatch},
		{"NousResearch/Hermes-3-Llama-3.1-70B", "hermes-3-llama-3.1-70b", NormalizedMatch},
		// Another version or size is another model.
		{"claude-opus-4-9", "", ""},
		{"claude-opus-6", "", ""},
		{"gpt-4.7", "", ""},
		{"gpt-4-64k", "", ""},
		{"hermes-4-7b", "", ""},
		{"deepseek-r1-distill-qwen-7b", "", ""},
		{"gpt-7", "", ""},
		{"my-model", "", ""},
		{"", "", ""},
		{"/", "", ""},
		{"openai/", "", ""},
		{":free", "", ""},
		{"-2024-08-06", "", ""},
	}
	for _, tt := range tests {
		m, match, err := Builtin().Lookup(tt.name)
		if m.Name != tt.want || match != tt.match || (err != nil) != (tt.want == "") {
			t.Errorf("Lookup(%q) = %q, %q, %v; want %q, %q", tt.name, m.Name, match, err, tt.want, tt.match)
		}
	}
}

func TestLimit(t *testing.T) {
	for name, want := range map[string]int{
		"gpt-4o": 128_000, "gpt-5": 272_000, "gpt-5.4": 922_000, "o3": 200_000, "gpt-4": 8_192,
		"claude-sonnet-4-5": 200_000, "claude-sonnet-4-5[1m]": 1_000_000, "claude-opus-4-6": 1_000_000,
		"gemini-2.5-pro": 1_048_576, "qwen3-max": 258_048, "hermes-4-405b": 131_072,
	} {
		if m, _, err := Builtin().Lookup(name); err != nil || m.Limit() != want {
			t.Errorf("%s: limit %d, want %d (%v)", name, m.Limit(), want, err)
		}
	}
}

func TestUnknownModelNamesItsNeighbours(t *testing.T) {
	tests := []struct{ name, want string }{
		{"gpt-4q", "gpt-4"},
		{"gtp-4o", "gpt-4o"},
		{"clude-sonet-4-5", "claude-sonnet-4-5"},
		{"openrouter/anthropic/claude-opus-6", "claude-opus-5"},
		{"gemni-2.5-pro", "gemini-2.5-pro"},
		{"llama-3.4-70b-instruct", "llama-3.3-70b-instruct"},
		{"Hermes-5-405B", "hermes-4-405b"},
	}
	for _, tt := range tests {
		_, _, err := Builtin().Lookup(tt.name)
		var unknown *UnknownModelError
		if !errors.As(err, &unknown) {
			t.Errorf("Lookup(%q): %v", tt.name, err)
			continue
		}
		if unknown.Name != tt.name || !slices.Contains(unknown.Nearest, tt.want) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Lookup(%q): nearest %v, want %s among them; error %v", tt.name, unknown.Nearest, tt.want, err)
		}
		for _, part := range []string{"--context-length N", "ctxpack models list"} {
			if !strings.Contains(unknown.Hint(), part) {
				t.Errorf("hint %q lacks %q", unknown.Hint(), part)
			}
		}
	}
}

func TestNearestKnowsWhenNothingIsNear(t *testing.T) {
	for _, name := range []string{"", "zzzzzzzz", "日本語", strings.Repeat("x", 5000)} {
		if got := Builtin().Nearest(name, 5); len(got) != 0 {
			t.Errorf("Nearest(%.20q) = %v", name, got)
		}
	}
	if got := Builtin().Nearest("gpt-4q", 0); len(got) != 0 {
		t.Errorf("Nearest of none = %v", got)
	}
	if got := Builtin().Nearest("gpt-4q", 2); len(got) != 2 {
		t.Errorf("Nearest of two = %v", got)
	}
	_, _, err := Builtin().Lookup(strings.Repeat("y", 1<<20))
	if err == nil || len(err.Error()) > 2*maxName {
		t.Errorf("a long name makes an error of %d bytes", len(err.Error()))
	}
}

func TestWithReplacesAndAdds(t *testing.T) {
	before := Builtin()
	size := before.Len()
	after := before.With(
		Model{Name: "gpt-5", ContextLength: 64_000},
		Model{Name: "house-model", ContextLength: 32_000, Tokenizer: Llama3, Aliases: []string{"house"}},
		Model{Name: "gpt-4o-2024-08-06", ContextLength: 100_000},
		Model{Name: "house-model", ContextLength: 16_000},
		Model{Name: " "},
	)
	if before.Len() != size || after.Len() != size+2 {
		t.Errorf("%d and %d models, want %d and %d", before.Len(), after.Len(), size, size+2)
	}
	tests := []struct {
		name  string
		limit int
		match Match
		from  string
	}{
		{"gpt-5", 64_000, ExactMatch, "gpt-5, configuration"},
		{"openai/gpt-5-2025-08-07", 64_000, NormalizedMatch, "gpt-5, configuration"},
		{"gpt-5-mini", 272_000, ExactMatch, "gpt-5-mini, litellm 2026-08-01"},
		{"house-model", 16_000, ExactMatch, "house-model, configuration"},
		{"house", 16_000, AliasMatch, "house-model, configuration"},
		{"openai/gpt-4o-2024-08-06", 100_000, NormalizedMatch, "gpt-4o-2024-08-06, configuration"},
		{"gpt-4o-2024-11-20", 128_000, NormalizedMatch, "gpt-4o, litellm 2026-08-01"},
	}
	for _, tt := range tests {
		m, match, err := after.Lookup(tt.name)
		if err != nil || m.Limit() != tt.limit || match != tt.match || m.Provenance() != tt.from {
			t.Errorf("Lookup(%q) = %d, %q, %q, %v", tt.name, m.Limit(), match, m.Provenance(), err)
		}
	}
	if m, _, _ := before.Lookup("gpt-5"); m.Limit() != 272_000 || m.Source != "litellm" {
		t.Errorf("the table before was changed: %+v", m)
	}
	if before.Date() != after.Date() || after.Date() < "2026-08-01" {
		t.Errorf("dates %q and %q", before.Date(), after.Date())
	}
}

func TestWithTakesOverWhatIsLeftOut(t *testing.T) {
	table := Builtin().With(
		Model{Name: "gpt-5", ContextLength: 64_000},
		Model{Name: "claude-sonnet-4-5", Price: Price{Input: 1, Output: 2}},
		Model{Name: "new-thing", ContextLength: 9_000},
		Model{Name: "gpt-4o-house", ContextLength: 9_000},
	)
	gpt, _, _ := table.Lookup("gpt-5")
	if gpt.Tokenizer != OpenAIO200K || gpt.Price.Input != 1.25 || gpt.Provider != "OpenAI" {
		t.Errorf("tokenizer, prices and company were lost: %+v", gpt)
	}
	if gpt.MaxInput != 0 || gpt.MaxOutput != 0 || !strings.Contains(gpt.Note, "litellm 2026-08-01") {
		t.Errorf("limits that do not fit, or prices without a source, were taken over: %+v", gpt)
	}
	if err := gpt.Validate(); err != nil {
		t.Error(err)
	}
	claude, _, _ := table.Lookup("claude-sonnet-4-5")
	if claude.Limit() != 200_000 || claude.Price != (Price{Input: 1, Output: 2}) {
		t.Errorf("a price alone: %+v", claude)
	}
	for _, name := range []string{"new-thing", "gpt-4o-house"} {
		if m, _, _ := table.Lookup(name); m.Tokenizer != Other || m.Price.Known() {
			t.Errorf("%s inherited from a relative: %+v", name, m)
		}
	}
}

func TestZeroTable(t *testing.T) {
	var empty Table
	if _, _, err := empty.Lookup("gpt-4o"); err == nil {
		t.Error("an empty table knows gpt-4o")
	}
	if empty.Len() != 0 || len(empty.All()) != 0 || empty.Date() != "" {
		t.Error("an empty table is not empty")
	}
	if m, match, err := empty.With(Model{Name: "m", ContextLength: 1}).Lookup("m"); err != nil || match != ExactMatch || m.Tokenizer != Other {
		t.Errorf("%+v, %q, %v", m, match, err)
	}
}

// Every name of the table is found as what it is.
func TestExactNamesAlwaysWin(t *testing.T) {
	for _, m := range Builtin().All() {
		if got, match, _ := Builtin().Lookup(m.Name); got.Name != m.Name || match != ExactMatch {
			t.Errorf("Lookup(%q) = %q, %q", m.Name, got.Name, match)
		}
		for _, alias := range m.Aliases {
			if got, match, _ := Builtin().Lookup(alias); got.Name != m.Name || match != AliasMatch {
				t.Errorf("Lookup(%q) = %q, %q; want %q", alias, got.Name, match, m.Name)
			}
		}
	}
}

// A name keeps its meaning under every prefix, date, variant and capitals, unless the
// table has a row for just that (qwen-plus-latest is not qwen-plus, nor is
// kimi-k2:thinking kimi-k2).
func TestDressedNamesResolve(t *testing.T) {
	prefixes := []string{
		"", "openai/", "openrouter/anthropic/", "azure/", "azure/eu/", "models/", "bedrock/us-east-1/",
		"us.anthropic.", "anthropic.", "openrouter:", "litellm/openrouter/x-ai/", "databricks-",
	}
	suffixes := []string{
		"", "-2031-08-06", "-20310514", "-9913", "-latest", "@20310514", "@us-east5", "@default",
		":free", ":thinking", "-v1:0", "-20310514-v1:0", "-2031-08-06:free", "-310514",
	}
	for _, m := range Builtin().All() {
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			for _, suffix := range suffixes {
				if _, pair := cutPattern(name, "-dd"); pair && suffix == "-9913" {
					continue // qwen3.5-plus-02-15-9913 could be read in two ways
				}
				want := m.Name
				if at, own := Builtin().ix.get(name + suffix); own {
					want = Builtin().ix.models[at].Name
				}
				for _, prefix := range prefixes {
					checkDressed(t, prefix+name+suffix, want)
					checkDressed(t, strings.ToUpper(prefix+name+suffix), want)
				}
			}
		}
	}
}

func checkDressed(t *testing.T, name, want string) {
	t.Helper()
	if got, match, ok := Builtin().Find(name); !ok || got.Name != want || match == FamilyMatch {
		t.Errorf("Find(%q) = %q, %q; want %q, not by family", name, got.Name, match, want)
	}
}

func FuzzLookup(f *testing.F) {
	for _, seed := range []string{
		"gpt-4o", "openrouter/anthropic/claude-3.7-sonnet:thinking", "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
		"ft:gpt-4o:a:b:c", "", "/", "::", "@@", "[]", "a[1m]", "-", "----", "-2024-08-06", ":0", "-v1:0", "us.", "\xff\xfe", "İ",
		strings.Repeat("-", maxName), strings.Repeat("a/", maxName), strings.Repeat("us.", 80), "gpt-4o" + strings.Repeat(":0", 100),
	} {
		f.Add(seed)
	}
	table := Builtin()
	f.Fuzz(func(t *testing.T, name string) {
		m, match, err := table.Lookup(name)
		found, foundMatch, ok := table.Find(name)
		if ok != (err == nil) || found.Name != m.Name || foundMatch != match {
			t.Fatalf("Find and Lookup differ on %q", name)
		}
		if err == nil {
			if m.Limit() <= 0 {
				t.Fatalf("Lookup(%q) = %+v", name, m)
			}
			return
		}
		var unknown *UnknownModelError
		if !errors.As(err, &unknown) || unknown.Name != name || len(unknown.Nearest) > nearestInError || err.Error() == "" {
			t.Fatalf("Lookup(%q): %v", name, err)
		}
	})
}

func TestFindDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"gpt-4o", "gpt-4o-2024-08-06", "openrouter/anthropic/claude-3.7-sonnet:thinking", "groq/llama-3.3-70b-versatile"} {
		if n := testing.AllocsPerRun(100, func() { Builtin().Find(name) }); n != 0 {
			t.Errorf("Find(%q) allocates %v times", name, n)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for _, name := range []string{
		"gpt-4o", "gpt-4o-2024-08-06", "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
		"groq/llama-3.3-70b-versatile", "quite-unknown-model-7b-instruct",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Builtin().Find(name)
			}
		})
	}
}

func BenchmarkNearest(b *testing.B) {
	for b.Loop() {
		Builtin().Nearest("claude-opus-6", 3)
	}
}

func BenchmarkNewTable(b *testing.B) {
	for b.Loop() {
		newTable(rows())
	}
}

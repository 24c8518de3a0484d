package models

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// companies are those that the table promises, with the least number of models each.
var companies = map[string]int{
	"OpenAI": 40, "Anthropic": 20, "Google": 15, "Meta": 10, "Qwen": 20, "DeepSeek": 8,
	"Moonshot": 8, "Mistral": 15, "xAI": 10, "Z.ai": 10, "MiniMax": 5, "Nous": 6,
}

func TestEveryRowIsSound(t *testing.T) {
	oldest := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	for _, m := range Builtin().All() {
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
		if m.ContextLength < 4_096 || m.ContextLength > 10_000_000 {
			t.Errorf("%s: a context length of %d", m.Name, m.ContextLength)
		}
		if m.MaxInput != 0 && m.MaxInput < m.ContextLength/2 {
			t.Errorf("%s: maximum input %d is less than half of %d", m.Name, m.MaxInput, m.ContextLength)
		}
		if m.Tokenizer == "" {
			t.Errorf("%s: no tokenizer family", m.Name)
		}
		checkPrice(t, m)
		if day, err := time.Parse(time.DateOnly, m.Date); err != nil || day.Before(oldest) {
			t.Errorf("%s: date %q", m.Name, m.Date)
		}
		if m.Source == "" || m.Source == Configuration || strings.ContainsAny(m.Source, " \t") {
			t.Errorf("%s: source %q", m.Name, m.Source)
		}
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			if name != strings.ToLower(name) || strings.ContainsAny(name, " /\t") {
				t.Errorf("%s: the name %q is not lower-case and bare", m.Name, name)
			}
		}
	}
}

// checkPrice holds prices against what vendors ask: output not under input, cached
// input not over fresh, nothing beyond the dearest model (o1-pro, 150 and 600).
func checkPrice(t *testing.T, m Model) {
	t.Helper()
	p := m.Price
	if (p.Input > 0) != (p.Output > 0) {
		t.Errorf("%s: only one of input and output has a price: %+v", m.Name, p)
	}
	if p.Input > 150 || p.Output > 600 || p.Output < p.Input {
		t.Errorf("%s: prices %+v", m.Name, p)
	}
	if p.CacheRead >= p.Input && p.CacheRead > 0 || p.CacheWrite > 2*p.Input {
		t.Errorf("%s: cache prices %+v", m.Name, p)
	}
	if p.Known() != (p.Input > 0) {
		t.Errorf("%s: Known() = %t with %+v", m.Name, p.Known(), p)
	}
}

func TestNamesAreUniqueAndSorted(t *testing.T) {
	owner := map[string]string{}
	for _, v := range vendors() {
		if !slices.IsSortedFunc(v.rows, func(a, b row) int { return strings.Compare(a.name, b.name) }) {
			t.Errorf("the rows of %s are not sorted by name", v.name)
		}
		for _, r := range v.rows {
			for _, name := range append([]string{r.name}, strings.Fields(r.aliases)...) {
				if other, taken := owner[fold(name)]; taken && other != r.name {
					t.Errorf("%q belongs to %s and to %s", name, other, r.name)
				}
				owner[fold(name)] = r.name
			}
		}
	}
	all := Builtin().All()
	for i := 1; i < len(all); i++ {
		if all[i-1].Name >= all[i].Name {
			t.Errorf("All: %s stands before %s", all[i-1].Name, all[i].Name)
		}
	}
}

func TestEveryCompanyIsThere(t *testing.T) {
	counts := map[string]int{}
	for _, m := range Builtin().All() {
		counts[m.Provider]++
	}
	for company, least := range companies {
		if counts[company] < least {
			t.Errorf("%s: %d models, want at least %d", company, counts[company], least)
		}
	}
	if len(counts) != len(companies) {
		t.Errorf("companies %v, want %d", counts, len(companies))
	}
	t.Logf("%d models: %v", Builtin().Len(), counts)
}

func TestTokenizerFamilyFitsTheCompany(t *testing.T) {
	for _, m := range Builtin().All() {
		var want []string
		switch m.Provider {
		case "OpenAI":
			want = []string{OpenAIO200K, OpenAICL100K}
		case "Anthropic":
			want = []string{Claude, Claude47}
		case "Google":
			want = []string{Gemini}
		case "Qwen":
			want = []string{Qwen}
		case "Moonshot":
			want = []string{Kimi}
		case "Mistral":
			want = []string{Mistral}
		case "Z.ai":
			want = []string{GLM}
		default:
			continue // weights of others underneath, or no public family
		}
		if !slices.Contains(want, m.Tokenizer) {
			t.Errorf("%s: tokenizer %s", m.Name, m.Tokenizer)
		}
	}
	for name, want := range map[string]string{
		"claude-opus-4-6": Claude, "claude-opus-4-7": Claude47, "claude-haiku-4-5": Claude,
		"claude-sonnet-5": Claude47, "gpt-4": OpenAICL100K, "gpt-4o": OpenAIO200K, "gpt-5": OpenAIO200K,
		"o3": OpenAIO200K, "gpt-oss-120b": OpenAIO200K, "hermes-4-405b": Llama3,
		"deepseek-r1-distill-llama-70b": Llama3, "grok-4": Other,
	} {
		if m, _, err := Builtin().Lookup(name); err != nil || m.Tokenizer != want {
			t.Errorf("%s: tokenizer %q, want %q (%v)", name, m.Tokenizer, want, err)
		}
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	bad := Model{
		Name: "m", ContextLength: 100, MaxInput: 200, MaxOutput: 300,
		Price: Price{Input: -1}, Tokenizer: "morse", Date: "yesterday",
	}
	err := bad.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"maximum input 200", "maximum output 300", "a price of -1", `"morse"`, `"yesterday"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in:\n%v", part, err)
		}
	}
	for _, empty := range []Model{{ContextLength: 1}, {Name: "m"}, {Name: "m", ContextLength: -1}} {
		if empty.Validate() == nil {
			t.Errorf("%+v is valid", empty)
		}
	}
	if err := (Model{Name: "m", ContextLength: 8_000}).Validate(); err != nil {
		t.Errorf("a small model of a configuration: %v", err)
	}
}

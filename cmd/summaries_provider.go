package cmd

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/ctxpack/ctxpack/summarize/provider"
)

// openRouterBase is where OpenRouter is found, and openRouterKey the variable with its key.
const (
	openRouterBase = "https://openrouter.ai/api/v1"
	openRouterHost = "openrouter.ai"
	openRouterKey  = "OPENROUTER_API_KEY"
)

// chosenProvider is whom to ask.
type chosenProvider struct {
	entry summarizerEntry
	model string
	parts clientParts
}

// chooseProvider finds address, model and key. Nothing is asked yet.
func (a *app) chooseProvider(s *Settings) (chosenProvider, error) {
	var p chosenProvider
	var err error
	if p.entry, err = summarizerEntryOf(s.Summarizer); err != nil {
		return p, err
	}
	p.model = s.Summaries.Model
	p.parts = clientParts{now: a.streams.Now, http: func() *provider.HTTP { return provider.NewHTTP(s.Concurrency) }}
	if command, ok := strings.CutPrefix(s.Summarizer, execPrefix); ok {
		p.parts.command, p.parts.environ, p.parts.dir = command, a.streams.Environ, a.streams.Dir
		p.model = cmpOr(p.model, "exec")
		return p, nil
	}
	keyEnv := p.entry.keyEnv
	if p.parts.base, err = a.baseURL(s, p.entry); err != nil {
		return p, err
	}
	if u, err := url.Parse(p.parts.base); err == nil && u.Hostname() == openRouterHost {
		keyEnv = openRouterKey
	}
	if s.Summaries.Provider == "main" {
		p.model = cmpOr(p.model, s.Model)
	}
	if p.model == "" {
		return p, usageError(fmt.Errorf("--summarizer %s: which model is to write the summaries?", s.Summarizer), "--summary-model NAME")
	}
	keyEnv = cmpOr(s.Summaries.APIKeyEnv, keyEnv)
	p.parts.key = strings.TrimSpace(a.streams.Getenv(keyEnv))
	ownAddress := p.parts.base == p.entry.base || p.parts.base == openRouterBase
	if p.parts.key == "" && (ownAddress || s.Summaries.APIKeyEnv != "") && !s.Summaries.DryRun && !s.Summaries.CacheOnly {
		return p, usageError(fmt.Errorf("there is no key for %s: the environment variable %s is not set", p.parts.base, keyEnv),
			"export "+keyEnv+"=…, or --api-key-env NAME, or --base-url for a server that needs none")
	}
	if strings.ContainsAny(p.parts.key, " \t\r\n\x00") {
		return p, usageErrorf("the value of %s is not a key: it holds white space", keyEnv)
	}
	return p, nil
}

// baseURL is --base-url, else that of the provider in Hermes' words, else the provider's variable, else its own address.
func (a *app) baseURL(s *Settings, entry summarizerEntry) (string, error) {
	if s.Summaries.BaseURL != "" {
		return s.Summaries.BaseURL, nil
	}
	origin := s.Entry("compression.summary_provider").Origin
	switch name := s.Summaries.Provider; name {
	case "openrouter":
		if entry.name != "openai" {
			return "", usageError(fmt.Errorf("%v: OpenRouter speaks OpenAI's protocol, not that of %s", origin, entry.name), "--summarizer openai")
		}
		return openRouterBase, nil
	case "", "auto", "main", "custom", entry.name:
	case "openai", "anthropic":
		return "", usageError(fmt.Errorf("%v: the provider %s and --summarizer %s do not go together", origin, name, entry.name), "--summarizer "+name)
	default:
		return "", usageError(fmt.Errorf("%v: the address of the provider %s is not known here", origin, name), "--base-url URL")
	}
	if base := a.streams.Getenv(entry.baseEnv); base != "" {
		checked, err := provider.CheckBase(base)
		if err != nil {
			return "", usageError(fmt.Errorf("%s: %w", entry.baseEnv, err), "")
		}
		return checked, nil
	}
	return entry.base, nil
}

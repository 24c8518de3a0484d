package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ctxpack/ctxpack/summarize/provider"
)

// execPrefix begins a summariser that is a program.
const execPrefix = "exec:"

// summarizerSetting is --summarizer: one of the table of the registry, or exec: and a command line.
func summarizerSetting() setting {
	names := summarizerNames()
	d := setting{key: "compression.summarizer", flag: "summarizer", def: names[0], value: strings.Join(names, "|"),
		about: "what writes the summary; none prunes everything outside the end instead"}
	for _, name := range names {
		d.enum = append(d.enum, strings.TrimSuffix(name, "CMD"))
	}
	d.set = func(s *Settings, given []string) (any, error) {
		value := given[len(given)-1]
		command, isExec := strings.CutPrefix(value, execPrefix)
		switch {
		case isExec && strings.TrimSpace(command) == "":
			return nil, errors.New("exec: needs a command line behind it")
		case !isExec && (value == execPrefix+"CMD" || !slices.Contains(names, value)):
			return nil, notOneOf(value, names)
		}
		s.Summarizer = value
		return value, nil
	}
	return d
}

// modelSettings are the settings of summaries by a model.
func modelSettings() []setting {
	return []setting{
		{key: "compression.summary_model", flag: "summary-model", value: "NAME", about: "model that writes the summaries",
			unset: "none", set: text(func(s *Settings) *string { return &s.Summaries.Model })},
		{key: "compression.summary_provider", about: "where the model is found, in Hermes' words",
			unset: "as the summarizer says", enum: hermesProviders(), set: text(func(s *Settings) *string { return &s.Summaries.Provider })},
		{key: "compression.summary_base_url", flag: "base-url", value: "URL", about: "address of the provider, such as http://localhost:8000/v1",
			unset: "the provider's own", set: setBaseURL},
		{key: "compression.summary_context_length", flag: "summary-context-length", value: "N", about: "context length of that model",
			unset: "of the model table", set: tokenCount(2000, func(s *Settings) *int64 { return &s.Summaries.ContextLength })},
		{key: "compression.api_key_env", flag: "api-key-env", value: "NAME", about: "environment variable that holds the key",
			unset: "OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENROUTER_API_KEY", set: setKeyName},
		{key: "compression.focus", flag: "focus", value: "TEXT", about: "topic to keep in full detail", unset: "none",
			set: text(func(s *Settings) *string { return &s.Summaries.Focus })},
		{key: "compression.language", flag: "language", value: "NAME", about: "language of the summaries", unset: "the user's",
			set: text(func(s *Settings) *string { return &s.Summaries.Language })},
		{key: "compression.template", flag: "template", value: "FILE", about: "headings that summaries have, and what belongs under each",
			unset: "built in", set: text(func(s *Settings) *string { return &s.Summaries.Template })},
		choice(setting{key: "compression.fallback", flag: "fallback", def: "none",
			about: "what writes the summary where the model failed; none leaves the record as it is"},
			func(s *Settings) *string { return &s.Summaries.Fallback }, "extractive", "none"),
		{key: "compression.redact", flag: "no-redact", negate: true, toggle: true, def: "true",
			about: "leave secrets in summaries and prompts: without it they are masked before a summary is made or anything is sent",
			set:   toggle(func(s *Settings) *bool { return &s.Summaries.Redact })},
		{key: "rpm", flag: "rpm", value: "N", def: "0", about: "most requests a minute; 0 is no limit",
			set: tokenCount(0, func(s *Settings) *int64 { return &s.Summaries.RPM })},
		{key: "tpm", flag: "tpm", value: "N", def: "0", about: "most tokens a minute; 0 is no limit",
			set: tokenCount(0, func(s *Settings) *int64 { return &s.Summaries.TPM })},
		{key: "timeout", flag: "timeout", value: "TIME", def: "3m", about: "longest that one call may take",
			set: duration(func(s *Settings) *time.Duration { return &s.Summaries.Timeout })},
		{key: "record_timeout", flag: "record-timeout", value: "TIME", def: "15m", about: "longest that the calls for one conversation may take",
			set: duration(func(s *Settings) *time.Duration { return &s.Summaries.RecordTimeout })},
		{key: "max_retries", flag: "max-retries", value: "N", def: "4", about: "how often a call that failed is repeated",
			set: number(0, func(s *Settings) *int { return &s.Summaries.MaxRetries })},
		{key: "max_cost", flag: "max-cost", value: "USD", about: "stop calling before so many dollars are spent", unset: "no limit", set: setMaxCost},
		{key: "cache_dir", flag: "cache-dir", value: "DIR", about: "where finished summaries are kept", unset: "the user's cache directory",
			set: text(func(s *Settings) *string { return &s.Summaries.CacheDir })},
		{key: "cache", flag: "no-cache", negate: true, toggle: true, def: "true", about: "keep no summaries and use none that were kept",
			set: toggle(func(s *Settings) *bool { return &s.Summaries.Cache })},
		{key: "cache_only", flag: "cache-only", toggle: true, def: "false", about: "call nobody: a summary that is not kept ends the run (exit code 5)",
			set: toggle(func(s *Settings) *bool { return &s.Summaries.CacheOnly })},
		{flag: "retry-failed", toggle: true, def: "false", about: "ask anew for summaries that were refused by the checks in an earlier run",
			set: toggle(func(s *Settings) *bool { return &s.Summaries.RetryFailed })},
		{flag: "dry-run", toggle: true, def: "false", about: "write the plan of every record, calls and cost; call nobody and write no output",
			set: toggle(func(s *Settings) *bool { return &s.Summaries.DryRun })},
	}
}

// hermesProviders are the values of auxiliary.compression.provider that are understood. Others need an address.
func hermesProviders() []string {
	return []string{"auto", "main", "custom", "openai", "anthropic", "openrouter"}
}

// byModel says whether a model writes the summaries.
func (s *Settings) byModel() bool {
	entry, err := summarizerEntryOf(s.Summarizer)
	return err == nil && entry.client != nil
}

func setBaseURL(s *Settings, given []string) (any, error) {
	base, err := provider.CheckBase(given[len(given)-1])
	s.Summaries.BaseURL = base
	return base, err
}

// setKeyName refuses what looks like a key: it would end up in reports.
func setKeyName(s *Settings, given []string) (any, error) {
	name := given[len(given)-1]
	for i, r := range name {
		letter := r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') || len(name) > 60 {
			return nil, errors.New("the name of an environment variable is expected, not a key")
		}
	}
	if name == "" {
		return nil, errors.New("the value is empty")
	}
	s.Summaries.APIKeyEnv = name
	return name, nil
}

func setMaxCost(s *Settings, given []string) (any, error) {
	value, err := parseNumber(strings.TrimPrefix(given[len(given)-1], "$"))
	if err != nil {
		return nil, err
	}
	if value <= 0 {
		return nil, fmt.Errorf("%v is no limit in dollars", value)
	}
	s.Summaries.MaxCost = value
	return value, nil
}

// duration reads 90s, 2m, 1h30m, or a number of seconds; 0 is no limit.
func duration(field func(*Settings) *time.Duration) func(*Settings, []string) (any, error) {
	return func(s *Settings, given []string) (any, error) {
		text := given[len(given)-1]
		d, err := time.ParseDuration(text)
		if err != nil {
			seconds, number := strconv.ParseFloat(text, 64)
			if number != nil || seconds > 1e6 {
				return nil, fmt.Errorf("%q is not a time such as 90s, 2m or 1h", text)
			}
			d = time.Duration(seconds * float64(time.Second))
		}
		if d < 0 {
			return nil, fmt.Errorf("%s is negative", text)
		}
		*field(s) = d
		return d.String(), nil
	}
}

// finishSummaries checks what belongs together. What is said about a model has no effect without one; a file that
// ctxpack found by itself must not run programs or choose where transcripts are sent.
func (s *Settings) finishSummaries() problems {
	var wrong problems
	if !s.byModel() {
		for _, key := range []string{"compression.summary_model", "compression.summary_provider", "compression.summary_base_url",
			"compression.summary_context_length", "compression.api_key_env"} {
			if origin := s.Entry(key).Origin; origin.Source != SourceDefault {
				name := cmpOr(origin.Key, key)
				origin.Key = "" // it is said already
				s.Unused = append(s.Unused, UnusedKey{Key: name, Reason: reasonModelCalls, Origin: origin})
			}
		}
		return nil
	}
	for _, key := range []string{"compression.summarizer", "compression.summary_base_url", "compression.api_key_env"} {
		origin := s.Entry(key).Origin
		if origin.Source == SourceProjectFile && !s.ConfigNamed && (key != "compression.summarizer" || strings.HasPrefix(s.Summarizer, execPrefix)) {
			wrong = append(wrong, usageError(fmt.Errorf("%v: %s is not taken from a file that was not named: it would run a program or send transcripts to an address that you did not choose", origin, cmpOr(origin.Key, key)),
				"--config "+origin.Name+" says that you trust it"))
		}
	}
	if s.Summaries.CacheOnly && !s.Summaries.Cache {
		wrong = append(wrong, usageErrorf("%v and %v exclude each other", s.Entry("cache_only").Origin, s.Entry("cache").Origin))
	}
	return wrong
}

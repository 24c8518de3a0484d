package cmd

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"
)

// load reads the settings as a command with all flags would.
func load(t *testing.T, p *testProcess, args ...string) (*Settings, error) {
	t.Helper()
	a := newApp(p.Streams)
	var settings *Settings
	var loadErr error
	c := &cobra.Command{Use: "test", RunE: func(c *cobra.Command, _ []string) error {
		settings, loadErr = a.loadSettings(c.Flags())
		return nil
	}}
	a.addSettingsFlags(c)
	c.SetArgs(append([]string{}, args...)) // not nil: that would mean those of the test
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.ExecuteContext(context.Background()); err != nil {
		t.Fatal(err)
	}
	return settings, loadErr
}

func TestDefaultSettings(t *testing.T) {
	got, err := load(t, newTestProcess(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Entries) == 0 || len(got.Warnings) != 0 || len(got.Unused) != 0 {
		t.Errorf("%d entries, warnings %q, unused %v", len(got.Entries), got.Warnings, got.Unused)
	}
	got.Entries = nil
	want := &Settings{
		Enabled: true, Threshold: Threshold{Ratio: 0.5}, TargetRatio: 0.2, ProtectFirst: 3, ProtectLast: 20,
		Strategy: "full", Prune: "describe", TailOverflow: "keep", Summarizer: "extractive", LedgerTokens: 600,
		MediaTokens: 1600, SummaryRole: "auto", Note: true, Sample: 1, Seed: 42, OnError: "keep",
		FailOn: []string{"rejected", "failed"}, Workers: 4, Concurrency: 16, Progress: "auto", Excerpts: true, CacheTTL: "5m",
		Engine: EngineSettings{Name: "compressor", Plugins: "plugins", Timeout: time.Minute},
		Summaries: SummarySettings{
			Fallback: "none", Redact: true, Timeout: 3 * time.Minute, RecordTimeout: 15 * time.Minute, MaxRetries: 4, Cache: true,
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Every setting can be set in every place that it claims, each place beats the ones below it, and its origin is told.
func TestPrecedenceOfEverySetting(t *testing.T) {
	values := map[string][2]string{ // two valid values that are not the default
		"model": {"gpt-4o", "gpt-5"}, "context_length": {"1000", "2000"}, "tokenizer": {"rough", "o200k_base"},
		"format": {"openai", "sharegpt"}, "to": {"openai", "sharegpt"}, "target": {"trl", "verl"}, "prompt_caching.cache_ttl": {"1h", "5m"}, "replay.loss_spans": {"true", "false"}, "replay.pressure_warning": {"true", "false"}, "column": {"a", "b"}, "compression.enabled": {"false", "true"},
		"context.engine": {"compressor", "compressor"}, "context.plugins": {"a", "b"}, "context.timeout": {"1s", "2m"},
		"compression.threshold": {"0.6", "3000"}, "compression.target_ratio": {"0.3", "0.4"},
		"compression.protect_first_n": {"1", "2"}, "compression.protect_last_n": {"5", "6"},
		"compression.strategy": {"full", "full"}, "compression.fit": {"1000", "2000"},
		"compression.prune": {"off", "placeholder"}, "compression.keep_tools": {"a", "b"},
		"compression.tail_overflow": {"keep", "demote"}, "compression.summarizer": {"none", "extractive"},
		"compression.ledger_tokens": {"1", "2"}, "compression.max_summary_tokens": {"10", "20"},
		"compression.media_tokens": {"7", "8"}, "compression.summary_role": {"user", "assistant"},
		"compression.note": {"false", "true"}, "sample": {"0.5", "0.25"}, "seed": {"1", "2"}, "limit": {"3", "4"},
		"on_error": {"fail", "reject"}, "fail_on": {"failed", "over-limit"}, "workers": {"2", "3"}, "excerpts": {"false", "true"},
		"concurrency": {"2", "3"}, "progress": {"json", "plain"}, "quiet": {"true", "false"}, "verbose": {"true", "false"},
		"compression.summary_model": {"a", "b"}, "compression.summary_provider": {"auto", "main"},
		"compression.summary_base_url": {"http://a", "http://b"}, "compression.summary_context_length": {"8000", "9000"},
		"compression.api_key_env": {"A_KEY", "B_KEY"}, "compression.focus": {"a", "b"}, "compression.language": {"a", "b"},
		"compression.template": {"a", "b"}, "compression.fallback": {"extractive", "none"}, "compression.redact": {"false", "true"},
		"rpm": {"1", "2"}, "tpm": {"1", "2"}, "timeout": {"1m", "90"}, "record_timeout": {"1h", "0"}, "max_retries": {"0", "1"},
		"max_cost": {"0.5", "2"}, "cache_dir": {"a", "b"}, "cache": {"false", "true"}, "cache_only": {"true", "false"},
		"--retry-failed": {"true", "false"}, "--dry-run": {"true", "false"},
		"--output": {"a", "b"}, "--force": {"true", "false"}, "--report": {"a.json", "b.md"}, "--rejects": {"r", "s"},
	}
	for _, group := range settingsTable(1) {
		for _, d := range group.settings {
			pair, ok := values[d.name()]
			if !ok {
				t.Errorf("%s: no values to test with", d.name())
				continue
			}
			t.Run(d.name(), func(t *testing.T) { testPrecedence(t, d, pair) })
		}
	}
}

func testPrecedence(t *testing.T, d setting, pair [2]string) {
	var args, env []string
	project, user := "", ""
	if d.key != "" {
		project, user = yamlFor(d.key, pair[0]), yamlFor(d.key, pair[1])
	}
	check := func(want Source, value string) {
		t.Helper()
		p := newTestProcess(t, env...)
		p.Home = p.Path("home")
		if project != "" {
			p.write(t, "ctxpack.yaml", project)
		}
		if user != "" {
			p.write(t, "home/.config/ctxpack/config.yaml", user)
		}
		s, err := load(t, p, args...)
		if err != nil {
			t.Fatal(err)
		}
		entry := s.Entry(d.name())
		if entry.Origin.Source != want {
			t.Errorf("from %v, want %v", entry.Origin.Source, want)
		}
		reference := &Settings{}
		shown, err := d.set(reference, []string{value})
		if err != nil {
			t.Fatal(err)
		}
		if d.key != "compression.fit" && d.key != "compression.strategy" && !reflect.DeepEqual(entry.Value, shown) {
			t.Errorf("value %v, want %v", entry.Value, shown)
		}
	}
	if d.key != "" {
		check(SourceProjectFile, pair[0])
		project = ""
		check(SourceUserFile, pair[1])
		project = yamlFor(d.key, pair[0])
		env = []string{d.env() + "=" + pair[1]}
		check(SourceEnvironment, pair[1])
	}
	switch {
	case d.flag == "":
		return
	case d.negate && pair[0] == "false":
		args = []string{"--" + d.flag}
	default:
		args = []string{"--" + d.flag + "=" + pair[0]}
	}
	check(SourceFlag, pair[0])
}

func yamlFor(key, value string) string {
	if section, name, ok := strings.Cut(key, "."); ok {
		return section + ":\n  " + name + ": " + value + "\n"
	}
	return key + ": " + value + "\n"
}

func TestSettingValues(t *testing.T) {
	for _, test := range []struct {
		args string
		want func(*Settings) any
		is   any // the value, or an error's text
	}{
		{"--threshold=0.65", func(s *Settings) any { return s.Threshold }, Threshold{Ratio: 0.65}},
		{"--threshold=1", func(s *Settings) any { return s.Threshold }, Threshold{Ratio: 1}},
		{"--threshold=50%", func(s *Settings) any { return s.Threshold }, Threshold{Ratio: 0.5}},
		{"--threshold=64k", func(s *Settings) any { return s.Threshold }, Threshold{Tokens: 64000}},
		{"--threshold=64Ki", func(s *Settings) any { return s.Threshold }, Threshold{Tokens: 65536}},
		{"--threshold=2", func(s *Settings) any { return s.Threshold }, Threshold{Tokens: 2}},
		{"--threshold=0.001k", nil, "1 is no size|0.001k is no size"},
		{"--threshold=0", nil, "is not above 0 and at most 1"},
		{"--threshold=-0.5", nil, "is not above 0 and at most 1"},
		{"--threshold=150%", nil, "is not above 0 and at most 1"},
		{"--threshold=1.5", nil, "not a whole number of tokens"},
		{"--threshold=NaN", nil, "not a number of tokens"},
		{"--threshold=inf", nil, "not a number of tokens"},
		{"--threshold=", nil, "not a number of tokens"},
		{"--threshold=0x10", nil, "not a number of tokens"},
		{"--context-length=1M", func(s *Settings) any { return s.ContextLength }, int64(1000000)},
		{"--context-length=1.5m", func(s *Settings) any { return s.ContextLength }, int64(1500000)},
		{"--context-length=128,000", func(s *Settings) any { return s.ContextLength }, int64(128000)},
		{"--context-length=0", nil, "0 is less than 1"},
		{"--context-length=1e300", nil, "too large"},
		{"--context-length=-5", nil, "negative"},
		{"--context-length=12,34", nil, "not a number of tokens"},
		{"--target-ratio=0.05", func(s *Settings) any { return s.TargetRatio }, 0.10},
		{"--target-ratio=7", func(s *Settings) any { return s.TargetRatio }, 0.80},
		{"--target-ratio=nan", nil, "not a number"},
		{"--protect-last=0", nil, "0 is less than 1"},
		{"--protect-last=1.5", nil, "not a whole number"},
		{"--protect-first=-1", nil, "-1 is less than 0"},
		{"--sample=15%", func(s *Settings) any { return s.Sample }, 0.15},
		{"--sample=0.15", func(s *Settings) any { return s.Sample }, 0.15},
		{"--sample=15", nil, "not above 0 and at most 1"},
		{"--sample=0", nil, "not above 0 and at most 1"},
		{"--fit=32k", func(s *Settings) any { return s.Strategy + " " + s.TailOverflow }, "fit demote"},
		{"--fit=32k --tail-overflow=keep", func(s *Settings) any { return s.TailOverflow }, "keep"},
		{"--fit=32k --strategy=full", nil, "needs the strategy fit"},
		{"--strategy=fit", nil, "needs a size"},
		{"--strategy=ful", nil, "one of full, fit (did you mean full?)"},
		{"--summarizer=opnai", nil, "one of extractive, openai, anthropic, exec:CMD, none"},
		{"--no-note", func(s *Settings) any { return s.Note }, false},
		{"--no-note=false", func(s *Settings) any { return s.Note }, true},
		{"--no-note=perhaps", nil, "neither true nor false"},
		{"--fail-on=none", func(s *Settings) any { return len(s.FailOn) }, 0},
		{"--fail-on=failed,over-limit", func(s *Settings) any { return s.FailOn }, []string{"failed", "over-limit"}},
		{"--fail-on=none,failed", nil, "none stands alone"},
		{"--fail-on=faild", nil, "did you mean failed?"},
		{"--report=a.json --report=b.md", func(s *Settings) any { return s.Reports }, []string{"a.json", "b.md"}},
		{"--report=a.pdf", nil, "does not end in one of .json, .md, .txt, .html, .jsonl"},
		{"--keep-tool=a --keep-tool=b", func(s *Settings) any { return s.KeepTools }, []string{"a", "b"}},
		{"--keep-tool=", nil, "empty"},
		{"--model= ", nil, "empty"},
		{"--seed=1 --seed=-9", func(s *Settings) any { return s.Seed }, int64(-9)},
		{"--workers=0", nil, "0 is less than 1"},
		{"-q", func(s *Settings) any { return s.Progress }, "none"},
		{"-q -v", nil, "exclude each other"},
		{"-o out/ --force", func(s *Settings) any { return s.Output }, "out/"},
	} {
		args := strings.Split(test.args, " ")
		if strings.HasSuffix(test.args, "= ") {
			args = []string{test.args}
		}
		s, err := load(t, newTestProcess(t), args...)
		switch {
		case test.want != nil && err != nil:
			t.Errorf("%s: %v", test.args, err)
		case test.want != nil:
			if got := test.want(s); !reflect.DeepEqual(got, test.is) {
				t.Errorf("%s: %v, want %v", test.args, got, test.is)
			}
		case err == nil:
			t.Errorf("%s: accepted, want an error with %q", test.args, test.is)
		case exitCodeOf(err) != ExitUsage:
			t.Errorf("%s: exit code %d", test.args, exitCodeOf(err))
		case !containsAny(err.Error(), strings.Split(test.is.(string), "|")):
			t.Errorf("%s: %q, want %q", test.args, err, test.is)
		}
	}
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func TestStrategyAndFitFromDifferentPlaces(t *testing.T) {
	p := newTestProcess(t)
	p.write(t, "ctxpack.yaml", "compression: {target_max_tokens: 15250}\n")
	s, err := load(t, p, "--strategy", "full")
	if err != nil || s.Strategy != "full" || s.Fit != 0 || s.Entry("compression.fit").Value != nil {
		t.Errorf("%v: strategy %q, fit %d", err, s.Strategy, s.Fit)
	}
	p.write(t, "ctxpack.yaml", "compression: {strategy: full}\n")
	s, err = load(t, p, "--fit", "1k")
	if err != nil || s.Strategy != "fit" || s.Fit != 1000 || s.Entry("compression.strategy").Value != "fit" {
		t.Errorf("%v: strategy %q, fit %d", err, s.Strategy, s.Fit)
	}
}

func TestClampWarns(t *testing.T) {
	p := newTestProcess(t, "CTXPACK_TARGET_RATIO=0.95")
	s, err := load(t, p)
	if err != nil {
		t.Fatal(err)
	}
	a := newApp(p.Streams)
	a.printWarnings(s)
	want := "ctxpack: warning: CTXPACK_TARGET_RATIO: a target ratio of 0.95 is outside 0.10 to 0.80; 0.80 is used\n"
	if p.stderr.String() != want {
		t.Errorf("said %q", p.stderr.String())
	}
	s.Quiet = true
	a.printWarnings(s)
	if p.stderr.String() != want {
		t.Error("a quiet run warned")
	}
}

// Hermes' unused keys are one warning, however many they are.
func TestUnusedKeysWarnOnce(t *testing.T) {
	p := newTestProcess(t)
	p.write(t, "ctxpack.yaml", "summarization: {model: x, base_url: \"http://y\"}\nterminal: {backend: z}\n")
	s, err := load(t, p)
	if err != nil {
		t.Fatal(err)
	}
	newApp(p.Streams).printWarnings(s)
	want := "ctxpack: warning: ctxpack.yaml:2: terminal.backend has no effect: " + reasonAgent +
		"; 2 more like it, see ctxpack config show\n"
	if p.stderr.String() != want {
		t.Errorf("said %q, want %q", p.stderr.String(), want)
	}
}

func TestThresholdFor(t *testing.T) {
	for _, test := range []struct {
		threshold Threshold
		want      int64
	}{{Threshold{Ratio: 0.5}, 100000}, {Threshold{Ratio: 0.333}, 66600}, {Threshold{Tokens: 64000}, 64000}} {
		if got := test.threshold.For(200000); got != test.want {
			t.Errorf("%v: %d, want %d", test.threshold, got, test.want)
		}
	}
}

// The names of all settings are distinct in each of their name spaces, and each default is accepted by its own parser.
func TestSettingsTable(t *testing.T) {
	seen := map[string]string{}
	note := func(kind, name, owner string) {
		if name == "" {
			return
		}
		if other, taken := seen[kind+name]; taken {
			t.Errorf("%s %s belongs to %s and %s", kind, name, other, owner)
		}
		seen[kind+name] = owner
	}
	for _, group := range settingsTable(2) {
		for _, d := range group.settings {
			note("key ", d.key, d.name())
			note("flag ", d.flag, d.name())
			note("letter ", d.short, d.name())
			note("variable ", d.env(), d.name())
			if d.about == "" || d.set == nil || d.def == "" && d.unset == "" || !d.toggle && d.value == "" && d.flag != "" {
				t.Errorf("%s is not complete", d.name())
			}
			if _, known := lookupHermes(d.key); known && d.key != "" {
				t.Errorf("%s is also a key of Hermes", d.key)
			}
		}
	}
	index := newSettingIndex(settingsTable(2))
	for _, known := range hermesKeys() {
		if known.key != "" && index.byName[known.key].key == "" || (known.key == "") == (known.reason == "") {
			t.Errorf("%s: no such setting %q, or no reason", known.path, known.key)
		}
	}
}

// What parseTokens accepts, it reads as the number it is.
func TestParseTokensProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1_000_000).Draw(t, "n")
		for text, scale := range map[string]int64{"": 1, "k": 1000, "K": 1000, "Ki": 1024, "M": 1_000_000, " k": 1000} {
			got, err := parseTokens(thousandsOrZero(n) + text)
			if want := n * scale; err != nil || got != want {
				t.Fatalf("%d%s: %d, %v", n, text, got, err)
			}
		}
	})
}

func thousandsOrZero(n int64) string { return thousands64(n) }

func FuzzParseTokens(f *testing.F) {
	for _, seed := range []string{"64k", "1.5M", "64,000", "NaN", "1e9", "-1", "0x1p4", "k", "64Ki", "1_000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := parseTokens(text); err == nil && (n < 0 || n > maxTokens) {
			t.Errorf("%q: %d", text, n)
		}
		s := &Settings{}
		if _, err := setThreshold(s, []string{text}); err == nil {
			if c := s.Threshold.For(1000); c < 0 || s.Threshold.Tokens > 0 == (s.Threshold.Ratio > 0) {
				t.Errorf("%q: %+v", text, s.Threshold)
			}
		}
	})
}

// No configuration file makes loading panic or end without an answer.
func FuzzConfigFile(f *testing.F) {
	for _, seed := range []string{
		"compression: {threshold: 0.5}", "models: {a: {max_input: 1k}}", "? [a]\n: b", "a: &x [*x]", "1: 2\n? {a: b}\n: c",
		"compression: 5", "models: 5", "models: {a: }", "\"a\\0b\": 1", "<<: {seed: 3}", "seed: !!binary aGk=", "--- 3\n---\n",
		"seed: 2024-01-01", "fail_on: [[a]]", "compression:\n  threshold:\n    x: 1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		p := newTestProcess(t)
		p.write(t, "ctxpack.yaml", content)
		s, err := load(t, p)
		if err != nil && exitCodeOf(err) != ExitUsage {
			t.Errorf("exit code %d: %v", exitCodeOf(err), err)
		}
		if err == nil {
			if _, err := s.asYAML(p.CPUs, true); err != nil {
				t.Error(err)
			}
		}
	})
}

package cmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// setting describes one setting completely: its names, its help, its default, and how its value is read and checked.
type setting struct {
	key    string // path in ctxpack.yaml, such as "compression.threshold"; "" for one that is only a flag
	flag   string // long flag; "" for one without
	short  string // one-letter flag
	negate bool   // the flag switches the setting off
	list   bool   // may be given several times; a list in a file, separated by commas in the environment
	toggle bool   // the flag needs no value
	named  bool   // the flag belongs to commands that name it; in the help of the others it is hidden

	value string   // name of the value in the help
	about string   // help; the default is added
	def   string   // default, written as a user would; "" when there is none
	unset string   // what holds when there is no value, for the help and `config show`
	enum  []string // the values it can have, for completion
	hint  string   // how to write it, for errors

	// set reads the value, puts it into the settings, and gives it back as `config show` prints it.
	set func(s *Settings, texts []string) (any, error)
}

// name is what the setting is called where it has no better name: its key, or its flag.
func (d setting) name() string {
	if d.key != "" {
		return d.key
	}
	return "--" + d.flag
}

// env is the environment variable of the setting: CTXPACK_ and its flag, or the end of its key; "" for one that is only
// a flag.
func (d setting) env() string {
	if d.key == "" {
		return ""
	}
	name := d.key[strings.LastIndexByte(d.key, '.')+1:]
	if d.flag != "" && !d.negate {
		name = d.flag
	}
	return "CTXPACK_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// reportEndings are the endings by which --report chooses a format.
func reportEndings() []string { return []string{".json", ".md", ".txt", ".html", ".jsonl"} }

// settingGroup is a heading of the help and the settings under it.
type settingGroup struct {
	title    string
	settings []setting
}

// settingsTable is every setting of `compact`, in the order of its help. cpus is the default of --workers.
// The defaults of section "compression" are Hermes' (compaction.md section 2).
func settingsTable(cpus int) []settingGroup {
	return []settingGroup{
		{"Window", windowSettings()},
		{engineGroup, engineSettings()},
		{"Compaction", compactionSettings()},
		{"Summary", summarySettings()},
		{"Summary by a model", modelSettings()},
		{"Records", recordSettings()},
		{"Output", outputSettings()},
		{"Replay", replaySettings()},
		{"Run", runSettings(cpus)},
	}
}

func windowSettings() []setting {
	return []setting{
		{key: "model", flag: "model", value: "NAME", about: "model whose context length and tokenizer count",
			unset: "the record's own model", set: text(func(s *Settings) *string { return &s.Model })},
		{key: "context_length", flag: "context-length", value: "N", about: "context length in tokens, such as 200000 or 128k",
			unset: "of the model, else 128,000", hint: "--context-length 128k",
			set: tokenCount(1, func(s *Settings) *int64 { return &s.ContextLength })},
		{key: "tokenizer", flag: "tokenizer", value: "NAME", about: "how tokens are counted, such as o200k_base or rough",
			unset: "of the model", set: text(func(s *Settings) *string { return &s.Tokenizer })},
		{key: "format", flag: "format", value: "DIALECT", about: "dialect of the inputs",
			unset: "detected", set: text(func(s *Settings) *string { return &s.Format })},
		{key: "column", flag: "column", value: "NAME", list: true,
			about: "conversation columns of Parquet inputs, such as chosen,rejected or sample.messages (repeatable)",
			unset: "found by name and shape", set: texts(func(s *Settings) *[]string { return &s.Column })},
	}
}

func compactionSettings() []setting {
	return []setting{
		{key: "compression.enabled", about: "whether anything is compacted at all", def: "true", toggle: true,
			set: toggle(func(s *Settings) *bool { return &s.Enabled })},
		{key: "compression.threshold", flag: "threshold", value: "RATIO|N", def: "0.5",
			about: "size from which a conversation is compacted: share of the context length, or tokens",
			hint:  "--threshold 0.5 (half of the context length) or --threshold 64k (tokens)", set: setThreshold},
		{key: "compression.target_ratio", flag: "target-ratio", value: "RATIO", def: "0.2",
			about: "share of the threshold that the protected end may fill, 0.10 to 0.80", set: setTargetRatio},
		{key: "compression.protect_first_n", flag: "protect-first", value: "N", def: "3",
			about: "messages at the start that are never summarised",
			set:   number(0, func(s *Settings) *int { return &s.ProtectFirst })},
		{key: "compression.protect_last_n", flag: "protect-last", value: "N", def: "20",
			about: "messages at the end that are never summarised, 1 or more",
			set:   number(1, func(s *Settings) *int { return &s.ProtectLast })},
		choice(setting{key: "compression.strategy", flag: "strategy", def: "full",
			about: "summarise the whole middle once the threshold is reached, or only as much as needed to fit"},
			func(s *Settings) *string { return &s.Strategy }, "full", "fit"),
		{key: "compression.fit", flag: "fit", value: "N", about: "make every conversation fit N tokens (implies --strategy fit)",
			unset: "off", hint: "--fit 32k", set: tokenCount(1, func(s *Settings) *int64 { return &s.Fit })},
		choice(setting{key: "compression.prune", flag: "prune", def: "describe",
			about: "what becomes of old tool results: one line about them, a fixed text, or nothing"},
			func(s *Settings) *string { return &s.Prune }, "describe", "placeholder", "off"),
		{key: "compression.keep_tools", flag: "keep-tool", value: "NAME", list: true, unset: "none",
			about: "tool whose results are never pruned (repeatable)",
			set:   texts(func(s *Settings) *[]string { return &s.KeepTools })},
		choice(setting{key: "compression.tail_overflow", flag: "tail-overflow",
			about: "tool results in the protected end when it alone is too large",
			unset: "keep; demote with --strategy fit"},
			func(s *Settings) *string { return &s.TailOverflow }, "keep", "demote"),
	}
}

func summarySettings() []setting {
	return []setting{
		summarizerSetting(),
		{key: "compression.ledger_tokens", flag: "ledger-tokens", value: "N", def: "600",
			about: "most tokens of the list of exact identifiers in a summary",
			set:   tokenCount(0, func(s *Settings) *int64 { return &s.LedgerTokens })},
		{key: "compression.max_summary_tokens", flag: "max-summary-tokens", value: "N",
			about: "most tokens of a summary", unset: "5 % of the context length, at most 12,000",
			set: tokenCount(1, func(s *Settings) *int64 { return &s.MaxSummaryTokens })},
		{key: "compression.media_tokens", flag: "media-tokens", value: "N", def: "1600",
			about: "tokens an image or other media counts as",
			set:   tokenCount(0, func(s *Settings) *int64 { return &s.MediaTokens })},
		choice(setting{key: "compression.summary_role", flag: "summary-role", def: "auto", about: "role that carries the summary"},
			func(s *Settings) *string { return &s.SummaryRole }, "auto", "user", "assistant"),
		{key: "compression.note", flag: "no-note", negate: true, toggle: true, def: "true",
			about: "leave the first system text alone: no note about the compaction",
			set:   toggle(func(s *Settings) *bool { return &s.Note })},
	}
}

func recordSettings() []setting {
	return []setting{
		{key: "sample", flag: "sample", value: "SHARE", def: "100%", about: "take a share of the records, such as 15% or 0.15",
			hint: "--sample 15%", set: setSample},
		{key: "seed", flag: "seed", value: "N", def: "42", about: "seed of the sample", set: setSeed},
		{key: "limit", flag: "limit", value: "N", def: "0", about: "stop after N records of each input; 0 takes all",
			set: tokenCount(0, func(s *Settings) *int64 { return &s.Limit })},
		choice(setting{key: "on_error", flag: "on-error", def: "keep",
			about: "a record that cannot be compacted: keep it as it is, reject it (a Parquet row as a whole), or fail the run"},
			func(s *Settings) *string { return &s.OnError }, "keep", "reject", "fail"),
		{key: "fail_on", flag: "fail-on", value: "WHAT", list: true, def: "rejected,failed",
			about: "what makes exit code 3: rejected, failed, over-limit, or none", enum: failOnValues(), set: setFailOn},
	}
}

func outputSettings() []setting {
	return []setting{
		{flag: "output", short: "o", value: "PATH", about: "output file, directory, or - for standard output",
			unset: "NAME.compacted.EXT beside the input", set: text(func(s *Settings) *string { return &s.Output })},
		toSetting(),
		targetSetting(),
		cacheTTLSetting(),
		{flag: "force", toggle: true, def: "false", about: "replace existing outputs",
			set: toggle(func(s *Settings) *bool { return &s.Force })},
		{flag: "report", value: "FILE", list: true, unset: "NAME.report.json",
			about: "write the report, format by ending: .json, .html, .md, .txt, or .jsonl for a row per record (repeatable)", set: setReports},
		{key: "excerpts", flag: "no-excerpts", negate: true, toggle: true, def: "true",
			about: "put no text of conversations into the report: no side-by-side view",
			set:   toggle(func(s *Settings) *bool { return &s.Excerpts })},
		{flag: "rejects", value: "FILE", unset: "NAME.rejects.jsonl", about: "where rejected records go",
			set: text(func(s *Settings) *string { return &s.Rejects })},
	}
}

func runSettings(cpus int) []setting {
	return []setting{
		{key: "workers", flag: "workers", value: "N", def: fmt.Sprint(cpus), about: "conversations compacted at the same time",
			set: number(1, func(s *Settings) *int { return &s.Workers })},
		{key: "concurrency", flag: "concurrency", value: "N", def: "16", about: "summaries in work at the same time",
			set: number(1, func(s *Settings) *int { return &s.Concurrency })},
		choice(setting{key: "progress", flag: "progress", def: "auto", about: "how progress is shown"},
			func(s *Settings) *string { return &s.Progress }, "auto", "bar", "plain", "json", "none"),
		{key: "quiet", flag: "quiet", short: "q", toggle: true, def: "false", about: "print errors only",
			set: toggle(func(s *Settings) *bool { return &s.Quiet })},
		{key: "verbose", flag: "verbose", short: "v", toggle: true, def: "false", about: "also tell of each record that is rejected or cannot be compacted",
			set: toggle(func(s *Settings) *bool { return &s.Verbose })},
	}
}

// choice completes a setting that has one of a few values.
func choice(d setting, field func(*Settings) *string, values ...string) setting {
	d.enum = values
	d.value = strings.Join(values, "|")
	d.set = func(s *Settings, given []string) (any, error) {
		value := given[len(given)-1]
		if !slices.Contains(values, value) {
			return nil, notOneOf(value, values)
		}
		*field(s) = value
		return value, nil
	}
	return d
}

func failOnValues() []string { return []string{"rejected", "failed", "over-limit", "none"} }

func setFailOn(s *Settings, given []string) (any, error) {
	s.FailOn = nil
	for _, text := range given {
		for _, value := range strings.Split(text, ",") {
			value = strings.TrimSpace(value)
			if !slices.Contains(failOnValues(), value) {
				return nil, notOneOf(value, failOnValues())
			}
			if !slices.Contains(s.FailOn, value) {
				s.FailOn = append(s.FailOn, value)
			}
		}
	}
	shown := s.FailOn
	if slices.Contains(s.FailOn, "none") {
		if len(s.FailOn) > 1 {
			return nil, fmt.Errorf("none stands alone, not with others")
		}
		s.FailOn = nil
	}
	return shown, nil
}

func setReports(s *Settings, given []string) (any, error) {
	for _, name := range given {
		if ending := filepath.Ext(name); !slices.Contains(reportEndings(), strings.ToLower(ending)) {
			return nil, fmt.Errorf("%q does not end in one of %s", name, strings.Join(reportEndings(), ", "))
		}
	}
	s.Reports = given
	return given, nil
}

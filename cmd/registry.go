package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/anthropic"
	"github.com/ctxpack/ctxpack/summarize/command"
	"github.com/ctxpack/ctxpack/summarize/extractive"
	"github.com/ctxpack/ctxpack/summarize/openai"
)

// The tables of this file say what ctxpack consists of. Their order is the order of the help. A table is a function, so
// that nothing is built before it is needed.

// commandGroup is a heading of the help and the commands under it.
type commandGroup struct {
	title    string
	commands []func(*app) *cobra.Command
}

// commandGroups are all commands.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Work on transcripts", []func(*app) *cobra.Command{
			newCompactCommand,
			newInspectCommand,
			newEvalCommand,
			newExplainCommand,
			newReplayCommand,
			newConvertCommand,
			newValidateCommand,
			newDiffCommand,
			newReportCommand,
		}},
		{"Settings and models", []func(*app) *cobra.Command{
			newConfigCommand,
			newModelsCommand,
			newEnginesCommand,
		}},
		{"About ctxpack", []func(*app) *cobra.Command{
			newCompletionCommand,
			newVersionCommand,
		}},
	}
}

// dialects are the ways in which one record may spell a conversation, in the order in which they are looked for.
func dialects() []formats.Dialect {
	return []formats.Dialect{
		formats.ClaudeCode{},
		formats.Codex{},
		formats.Pi{},
		formats.OpenHands{},
		formats.ATIF{},
		formats.OpenAIBatch{},
		formats.SWEAgent{},
		formats.Anthropic{},
		formats.Responses{},
		formats.OpenAI{},
		formats.Hermes{},
		formats.ShareGPT{},
	}
}

// namedDialect is the dialect of --format; nil for "".
func namedDialect(name string) (formats.Dialect, error) {
	if name == "" {
		return nil, nil
	}
	var known []string
	for _, d := range dialects() {
		if d.Name() == name {
			return d, nil
		}
		known = append(known, d.Name())
	}
	return nil, unknownName("dialect", name, known)
}

// summarizerEntry is a choice of --summarizer: one that writes by itself, a model that is asked, or neither: then there is
// no summary, and everything outside the end is pruned.
type summarizerEntry struct {
	name   string
	make   func() summarize.Summarizer
	client func(clientParts) summarize.Client

	base, baseEnv, keyEnv string // of a provider: its address, and the variables that hold another one and the key
}

// summarizers are all of them, the default first.
func summarizers() []summarizerEntry {
	return []summarizerEntry{
		{name: "extractive", make: func() summarize.Summarizer { return extractive.Summarizer{} }},
		{name: "openai", base: openai.DefaultBase, baseEnv: "OPENAI_BASE_URL", keyEnv: "OPENAI_API_KEY",
			client: func(p clientParts) summarize.Client { return openai.New(p.base, p.key, p.http(), p.now) }},
		{name: "anthropic", base: anthropic.DefaultBase, baseEnv: "ANTHROPIC_BASE_URL", keyEnv: "ANTHROPIC_API_KEY",
			client: func(p clientParts) summarize.Client { return anthropic.New(p.base, p.key, p.http(), p.now) }},
		{name: execPrefix + "CMD",
			client: func(p clientParts) summarize.Client { return command.New(p.command, p.environ, p.dir) }},
		{name: "none"},
	}
}

// engines are the context engines of the program.
func engines(p engineParts) []compress.EngineEntry {
	return []compress.EngineEntry{
		{Name: compress.DefaultEngine, Description: "protects head and tail, summarises the middle", Origin: "built in",
			New: func() (compress.Engine, error) { return newCompressor(p) }},
	}
}

func summarizerNames() []string {
	var names []string
	for _, e := range summarizers() {
		names = append(names, e.name)
	}
	return names
}

func summarizerEntryOf(name string) (summarizerEntry, error) {
	for _, e := range summarizers() {
		if e.name == name || e.name == execPrefix+"CMD" && strings.HasPrefix(name, execPrefix) {
			return e, nil
		}
	}
	return summarizerEntry{}, unknownName("summarizer", name, summarizerNames())
}

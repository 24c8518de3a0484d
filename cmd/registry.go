package cmd

import (
	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
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
			newExplainCommand,
		}},
		{"Settings and models", []func(*app) *cobra.Command{
			newConfigCommand,
			newModelsCommand,
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
		formats.ATIF{},
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

// summarizerEntry is a choice of --summarizer.
type summarizerEntry struct {
	name string
	make func() summarize.Summarizer // nil: no summary, everything outside the end is pruned
}

// summarizers are all of them, the default first.
func summarizers() []summarizerEntry {
	return []summarizerEntry{
		{"extractive", func() summarize.Summarizer { return extractive.Summarizer{} }},
		{"none", nil},
	}
}

func summarizerEntryOf(name string) (summarizerEntry, error) {
	var known []string
	for _, e := range summarizers() {
		if e.name == name {
			return e, nil
		}
		known = append(known, e.name)
	}
	return summarizerEntry{}, unknownName("summarizer", name, known)
}

package cmd

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

type configShowOptions struct {
	origin bool
	json   bool
}

func newConfigCommand(a *app) *cobra.Command {
	return newGroupCommand("config", "Every setting and where its value comes from", newConfigShowCommand(a))
}

func newConfigShowCommand(a *app) *cobra.Command {
	var opts configShowOptions
	c := &cobra.Command{
		Use:   "show [--origin] [--json] [FLAGS of compact]",
		Short: "Print the settings as a configuration file",
		Long: `Print every setting as compact would use it, in the form of a configuration file.

Settings come from, the strongest first: flags; environment variables CTXPACK_*; ctxpack.yaml in the working
directory or above it, up to the repository's root; $XDG_CONFIG_HOME/ctxpack/config.yaml; defaults.
Keys of Hermes Agent and of its trajectory compressor are understood; those without effect are listed with the reason.
The flags of compact are accepted too, to see what they would change.`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
	}
	a.addSettingsFlags(c)
	hideSettingsFlags(c)
	c.Flags().BoolVar(&opts.origin, "origin", false, "say where each value comes from")
	c.Flags().BoolVar(&opts.json, "json", false, "print JSON")
	c.RunE = func(c *cobra.Command, _ []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		return a.runConfigShow(s, opts)
	}
	return c
}

// runConfigShow prints the settings. The warnings are part of what it prints, not messages.
func (a *app) runConfigShow(s *Settings, opts configShowOptions) error {
	if opts.json {
		return writeJSON(a.streams.Stdout, s.asJSON(a.streams.CPUs))
	}
	text, err := s.asYAML(a.streams.CPUs, opts.origin)
	if err != nil {
		return fmt.Errorf("print the settings: %w", err)
	}
	_, err = a.streams.Stdout.Write(text)
	return err
}

// asYAML prints the settings so that the text is a configuration file with the same meaning. What has no value or cannot
// stand in a file is a comment.
func (s *Settings) asYAML(cpus int, origins bool) ([]byte, error) {
	var out bytes.Buffer
	for _, warning := range s.Warnings {
		fmt.Fprintf(&out, "# warning: %s\n", printable(warning))
	}
	for _, unused := range s.Unused {
		fmt.Fprintf(&out, "# no effect: %s (%s): %s\n", printable(unused.Key), printable(unused.Origin.String()), unused.Reason)
	}
	section := ""
	for _, group := range settingsTable(cpus) {
		for _, d := range group.settings {
			entry := s.Entry(d.name())
			if d.key == "" {
				continue
			}
			name, indent := d.key, ""
			if before, after, nested := strings.Cut(d.key, "."); nested {
				if before != section {
					fmt.Fprintf(&out, "%s:\n", before)
				}
				section, name, indent = before, after, "  "
			}
			value, err := inlineYAML(entry.Value)
			if err != nil {
				return nil, err
			}
			line := indent + name + ": " + value
			if entry.Value == nil {
				line = indent + "# " + name + ": " + d.unset
			}
			if origins {
				line = fmt.Sprintf("%-44s # %s", line, printable(entry.Origin.String()))
			}
			out.WriteString(line + "\n")
		}
		if group.title == engineGroup {
			out.WriteString(s.engineSettingsAsYAML(origins))
		}
	}
	s.flagsAsComments(&out, cpus, origins)
	err := s.modelsAsYAML(&out)
	return out.Bytes(), err
}

// flagsAsComments lists the settings that are only flags, where they were given.
func (s *Settings) flagsAsComments(out *bytes.Buffer, cpus int, origins bool) {
	for _, group := range settingsTable(cpus) {
		for _, d := range group.settings {
			if entry := s.Entry(d.name()); origins && d.key == "" && entry.Origin.Source != SourceDefault {
				fmt.Fprintf(out, "# %s %s\n", d.name(), printable(fmt.Sprint(entry.Value)))
			}
		}
	}
}

// modelsAsYAML writes the models section.
func (s *Settings) modelsAsYAML(out *bytes.Buffer) error {
	if len(s.Models) == 0 {
		return nil
	}
	section := map[string]map[string]any{}
	for _, m := range s.Models {
		fields := map[string]any{}
		for i, value := range []any{m.ContextLength, m.MaxInput, m.MaxOutput, m.Price.Input, m.Price.Output, m.Tokenizer} {
			if value != 0 && value != 0.0 && value != "" {
				fields[modelFields()[i]] = value
			}
		}
		section[m.Name] = fields
	}
	text, err := yaml.Marshal(map[string]any{modelsSection: section})
	out.Write(text)
	return err
}

// inlineYAML spells a value on one line.
func inlineYAML(value any) (string, error) {
	if list, ok := value.([]string); ok {
		if len(list) == 0 {
			return "none", nil
		}
		spelled := make([]string, len(list))
		for i, element := range list {
			one, err := inlineYAML(element)
			if err != nil {
				return "", err
			}
			spelled[i] = one
		}
		return "[" + strings.Join(spelled, ", ") + "]", nil
	}
	node := &yaml.Node{}
	if err := node.Encode(value); err != nil {
		return "", err
	}
	if text, ok := value.(string); ok {
		if !isPrintable(text) {
			return strconv.QuoteToASCII(text), nil // every escape of Go's is one of YAML's
		}
		if strings.ContainsAny(text, ",[]{}#:'\"") {
			node.Style = yaml.DoubleQuotedStyle
		}
	}
	text, err := yaml.Marshal(node)
	return strings.TrimSpace(string(text)), err
}

// shownSetting is one setting in `config show --json`.
type shownSetting struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source string `json:"source"`
	Origin string `json:"origin"`
	Flag   string `json:"flag,omitempty"`
	Env    string `json:"env,omitempty"`
}

// shownUnused is one key without effect in `config show --json`.
type shownUnused struct {
	Key    string `json:"key"`
	Origin string `json:"origin"`
	Reason string `json:"reason"`
}

// shownSettings is what `config show --json` prints.
type shownSettings struct {
	Files    []string       `json:"files"` // configuration files read, the weakest first
	Settings []shownSetting `json:"settings"`
	Unused   []shownUnused  `json:"unused"`
	Warnings []string       `json:"warnings"`
}

func (s *Settings) asJSON(cpus int) shownSettings {
	shown := shownSettings{
		Files:    append([]string{}, s.Config...),
		Unused:   []shownUnused{},
		Warnings: append([]string{}, s.Warnings...),
	}
	for _, group := range settingsTable(cpus) {
		for _, d := range group.settings {
			entry := s.Entry(d.name())
			one := shownSetting{Key: d.name(), Value: entry.Value, Source: entry.Origin.Source.String(),
				Origin: entry.Origin.String(), Env: d.env()}
			if d.flag != "" {
				one.Flag = "--" + d.flag
			}
			shown.Settings = append(shown.Settings, one)
		}
	}
	for _, unused := range s.Unused {
		shown.Unused = append(shown.Unused, shownUnused{unused.Key, unused.Origin.String(), unused.Reason})
	}
	return shown
}

package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// configFlag and configVariable name the configuration file. They are not settings: they say where settings are.
const (
	configFlag     = "config"
	configVariable = "CTXPACK_CONFIG"
)

// flagValue is the value of a setting's flag: the text as it was given, to be read and checked together with the values
// from everywhere else, so that one parser and one error message serve them all.
type flagValue struct {
	texts []string
	list  bool
	kind  string // the name of the value in the help; "bool" for a switch
}

// String joins what was given.
func (v *flagValue) String() string { return strings.Join(v.texts, ",") }

// Type is the name of the value in the help.
func (v *flagValue) Type() string { return v.kind }

// Set notes a value; of one that is not a list, the last counts.
func (v *flagValue) Set(text string) error {
	if v.list {
		v.texts = append(v.texts, text)
	} else {
		v.texts = []string{text}
	}
	return nil
}

// addSettingsFlags gives c a flag for every setting that has one, or only for those named (by flag), and --config.
// loadSettings reads them.
func (a *app) addSettingsFlags(c *cobra.Command, only ...string) {
	flags := c.Flags()
	flags.SortFlags = false
	for _, group := range settingsTable(a.streams.CPUs) {
		for _, d := range group.settings {
			if d.flag == "" || len(only) > 0 && !slices.Contains(only, d.flag) {
				continue
			}
			value := &flagValue{list: d.list, kind: d.value}
			if d.toggle {
				value.kind = "bool"
			}
			f := flags.VarPF(value, d.flag, d.short, flagUsage(d))
			f.DefValue = "" // the default is part of the usage text
			if d.toggle {
				f.NoOptDefVal = "true"
			}
			f.Hidden = d.named && len(only) == 0
			annotate(f, group.title)
			if len(d.enum) > 0 {
				// The only error is a flag that does not exist.
				_ = c.RegisterFlagCompletionFunc(d.flag, cobra.FixedCompletions(d.enum, cobra.ShellCompDirectiveNoFileComp))
			}
		}
	}
	flags.String(configFlag, "", "configuration `FILE` to read in place of ctxpack.yaml and the user's own")
	annotate(flags.Lookup(configFlag), "Run")
}

func annotate(f *pflag.Flag, group string) {
	f.Annotations = map[string][]string{flagGroup: {group}}
}

// flagUsage is the help of a flag with its default.
func flagUsage(d setting) string {
	switch {
	case d.toggle || d.def == "0":
		return d.about
	case d.def != "":
		return fmt.Sprintf("%s (default %s)", d.about, d.def)
	case d.unset != "":
		return fmt.Sprintf("%s (default: %s)", d.about, d.unset)
	}
	return d.about
}

// hideSettingsFlags keeps the flags of settings out of the help of c; they work all the same.
func hideSettingsFlags(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Value.(*flagValue); ok {
			f.Hidden = true
		}
	})
}

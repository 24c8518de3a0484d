package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroup is the annotation that puts a flag under a heading of the help.
const flagGroup = "ctxpack_group"

// exitCodeHelp is the table of exit codes in the help of the program.
const exitCodeHelp = `Exit codes:
  0    done
  1    fatal: cannot read or write, internal error
  2    usage or configuration
  3    done, but some records were rejected or left as they were because something failed
  4    a quality gate or the regression check failed
  5    no verdict: too little to judge by
  130  interrupted
`

// writeHelp writes the help of c to the standard output.
func (a *app) writeHelp(c *cobra.Command, _ []string) {
	var text strings.Builder
	about := c.Long
	if about == "" {
		about = c.Short
	}
	fmt.Fprintf(&text, "%s\n\nUsage:\n", about)
	if !c.HasAvailableSubCommands() || strings.Contains(c.Use, " ") { // eval does something itself, too
		fmt.Fprintf(&text, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&text, "  %s COMMAND ...\n", c.CommandPath())
	}
	writeCommandHelp(&text, c)
	writeFlagHelp(&text, c.Flags(), a.helpWidth())
	if c.Example != "" {
		fmt.Fprintf(&text, "\nExamples:\n%s\n", c.Example)
	}
	if !c.HasParent() {
		fmt.Fprintf(&text, "\n%s\nctxpack COMMAND --help says more about a command.\n", exitCodeHelp)
	}
	_, _ = io.WriteString(c.OutOrStdout(), text.String())
}

// helpWidth is the number of columns the help is wrapped to.
func (a *app) helpWidth() int { return min(max(a.streams.Width, 60), 120) }

// writeCommandHelp lists the commands under c, by group.
func writeCommandHelp(text *strings.Builder, c *cobra.Command) {
	const nameWidth = 12
	list := func(title, group string) {
		var lines strings.Builder
		for _, child := range c.Commands() {
			if child.GroupID == group && child.IsAvailableCommand() && child.Name() != "help" {
				fmt.Fprintf(&lines, "  %-*s %s\n", nameWidth, child.Name(), child.Short)
			}
		}
		if lines.Len() > 0 {
			fmt.Fprintf(text, "\n%s:\n%s", title, lines.String())
		}
	}
	for _, group := range c.Groups() {
		list(group.Title, group.ID)
	}
	list("Commands", "")
}

// writeFlagHelp lists the flags under their headings, in the order in which the flags were made.
func writeFlagHelp(text *strings.Builder, flags *pflag.FlagSet, width int) {
	var titles []string
	groups := map[string]*pflag.FlagSet{}
	flags.VisitAll(func(f *pflag.Flag) {
		title := "Flags"
		if annotated := f.Annotations[flagGroup]; len(annotated) > 0 {
			title = annotated[0]
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			groups[title].SortFlags = false
			titles = append(titles, title)
		}
		groups[title].AddFlag(f)
	})
	for _, title := range titles {
		var lines strings.Builder
		groups[title].VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				writeFlag(&lines, f, width)
			}
		})
		if lines.Len() > 0 {
			fmt.Fprintf(text, "\n%s:\n%s", title, lines.String())
		}
	}
}

// flagColumn is where the explanations of flags begin. A longer flag stands on a line of its own.
const flagColumn = 28

// writeFlag writes one flag and its explanation, wrapped.
func writeFlag(text *strings.Builder, f *pflag.Flag, width int) {
	value, usage := pflag.UnquoteUsage(f)
	spelled := "      --" + f.Name
	if f.Shorthand != "" {
		spelled = "  -" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		spelled += " " + value
	}
	column := 0
	if len(spelled) >= flagColumn {
		spelled += "\n"
	} else {
		column = len(spelled)
	}
	text.WriteString(spelled)
	for _, line := range wrap(usage, width-flagColumn) {
		text.WriteString(strings.Repeat(" ", flagColumn-column) + line + "\n")
		column = 0
	}
}

// wrap breaks a text at spaces into lines of at most width bytes (help is ASCII), except for longer words.
func wrap(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len(*last)+1+len(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// app is what every command is given: the process's streams, and the console that messages go to.
type app struct {
	streams *Streams
	console *console // standard error; use it instead of streams.Stderr, it knows about the progress bar
	args    []string // as given, behind the program's name
}

func newApp(streams *Streams) *app {
	return &app{streams: streams, console: newConsole(streams.Stderr)}
}

// execute finds the command that args name and runs it. Every error is returned, none is printed.
func (a *app) execute(ctx context.Context, args []string) error {
	a.args = args
	root := a.newRoot()
	root.SetArgs(args)
	if err := checkCommandName(root, args); err != nil {
		return err
	}
	return root.ExecuteContext(ctx)
}

// newRoot builds the tree of commands.
func (a *app) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "ctxpack",
		Short: "Compact transcripts of LLM agents, offline and losslessly",
		Long: `ctxpack compacts transcripts of LLM agents: old tool results are pruned, the middle of a long
conversation becomes a summary, and everything else stays as it was, byte for byte.`,
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(a.streams.Stdin)
	root.SetOut(a.streams.Stdout)
	root.SetErr(a.console)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(a.writeHelp)
	root.SetUsageFunc(func(*cobra.Command) error { return nil })
	for _, group := range commandGroups() {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, newCommand := range group.commands {
			c := newCommand(a)
			c.GroupID = group.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(newHelpCommand())
	walkCommands(root, func(c *cobra.Command) {
		c.Flags().SortFlags = false
		c.Args = argumentsAsUsage(c.Args)
		c.Flags().BoolP("help", "h", false, "show this help")
	})
	return root
}

func walkCommands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, child := range c.Commands() {
		walkCommands(child, visit)
	}
}

// newGroupCommand is a command that only holds others. Called by itself it is a mistake that lists them.
func newGroupCommand(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	c.AddCommand(children...)
	c.RunE = func(c *cobra.Command, _ []string) error {
		var forms []string
		for _, child := range c.Commands() {
			forms = append(forms, child.UseLine())
		}
		return usageError(fmt.Errorf("%s needs a command of its own", c.CommandPath()), strings.Join(forms, ", or "))
	}
	return c
}

// newHelpCommand is `ctxpack help [COMMAND]`.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkCommandName(c.Root(), args); err != nil {
				return err
			}
			topic, _, err := c.Root().Find(args)
			if err != nil {
				return usageError(err, "ctxpack --help")
			}
			return topic.Help()
		},
	}
}

// takesArguments marks a command that has commands of its own and works by itself, too.
const takesArguments = "takes_arguments"

// checkCommandName makes an unknown command an error that names the nearest known one. It runs before the flags are
// read, so that a misspelled command is not reported as an unknown flag.
func checkCommandName(root *cobra.Command, args []string) error {
	c := root
	for _, arg := range args {
		if !c.HasAvailableSubCommands() || strings.HasPrefix(arg, "-") || isCompletionRequest(arg) {
			return nil
		}
		var names []string
		var next *cobra.Command
		for _, child := range c.Commands() {
			names = append(names, child.Name())
			if child.Name() == arg {
				next = child
			}
		}
		if next == nil && c == root && arg == "help" {
			return nil
		}
		if next == nil && c.Annotations[takesArguments] != "" {
			return nil
		}
		if next == nil {
			err := fmt.Errorf("unknown command %q for %s", arg, c.CommandPath())
			if near := nearest(arg, names); near != "" {
				return usageError(err, fmt.Sprintf("did you mean %s %s?", c.CommandPath(), near))
			}
			return usageError(err, c.CommandPath()+" --help")
		}
		c = next
	}
	return nil
}

// isCompletionRequest recognises the hidden commands that the completion scripts call.
func isCompletionRequest(arg string) bool {
	return arg == cobra.ShellCompRequestCmd || arg == cobra.ShellCompNoDescRequestCmd
}

// argumentsAsUsage makes the errors of a check of arguments errors of usage.
func argumentsAsUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		return nil
	}
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil || exitCodeOf(err) != ExitFatal {
			return err
		}
		return usageError(err, c.CommandPath()+" --help")
	}
}

// flagError makes an error about flags an error of usage, with the nearest flag as a hint.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usageError(err, c.CommandPath()+" --help")
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := nearest(unknown.GetSpecifiedName(), names); near != "" {
		return usageError(err, fmt.Sprintf("did you mean --%s?", near))
	}
	return usageError(err, c.CommandPath()+" --help")
}

package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// completionShells are the shells ctxpack can write a completion script for.
func completionShells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func newCompletionCommand(a *app) *cobra.Command {
	shells := completionShells()
	return &cobra.Command{
		Use:   "completion " + strings.Join(shells, "|"),
		Short: "Script that completes commands, flags and values in a shell",
		Example: `  ctxpack completion bash > /etc/bash_completion.d/ctxpack
  ctxpack completion zsh > "${fpath[1]}/_ctxpack"
  ctxpack completion fish > ~/.config/fish/completions/ctxpack.fish`,
		ValidArgs: shells,
		Args:      cobra.ExactArgs(1),
		RunE:      func(c *cobra.Command, args []string) error { return a.runCompletion(c.Root(), args[0]) },
	}
}

func (a *app) runCompletion(root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(a.streams.Stdout, true)
	case "zsh":
		return root.GenZshCompletion(a.streams.Stdout)
	case "fish":
		return root.GenFishCompletion(a.streams.Stdout, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(a.streams.Stdout)
	}
	shells := completionShells()
	err := fmt.Errorf("unknown shell %q; one of %s", shell, strings.Join(shells, ", "))
	if near := nearest(shell, shells); near != "" {
		return usageError(err, "did you mean ctxpack completion "+near+"?")
	}
	return usageError(err, "ctxpack completion bash")
}

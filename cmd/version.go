package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the version of ctxpack, as semver.org means it.
const version = "0.1.0"

// buildFacts is what `ctxpack version --json` prints.
type buildFacts struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // "unknown" in a build outside version control
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readBuildFacts() buildFacts {
	facts := buildFacts{
		Version:  version,
		Commit:   "unknown",
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return facts
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			facts.Commit = setting.Value
		case "vcs.modified":
			facts.Modified = setting.Value == "true"
		}
	}
	return facts
}

type versionOptions struct{ json bool }

func newVersionCommand(a *app) *cobra.Command {
	var opts versionOptions
	c := &cobra.Command{
		Use:   "version",
		Short: "Version, commit and Go version",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.runVersion(opts) },
	}
	c.Flags().BoolVar(&opts.json, "json", false, "print JSON")
	return c
}

func (a *app) runVersion(opts versionOptions) error {
	facts := readBuildFacts()
	if opts.json {
		return writeJSON(a.streams.Stdout, facts)
	}
	commit := facts.Commit
	if facts.Modified {
		commit += ", modified"
	}
	_, err := fmt.Fprintf(a.streams.Stdout, "ctxpack %s (commit %s, %s, %s)\n", facts.Version, commit, facts.Go, facts.Platform)
	return err
}

// writeJSON writes value as indented JSON for people and programs alike.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

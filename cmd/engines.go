package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/enginetest"
	"github.com/ctxpack/ctxpack/compress/plugin"
)

func newEnginesCommand(a *app) *cobra.Command {
	return newGroupCommand("engines", "Context engines: the built-in one and plugins, and whether they keep the contract",
		newEnginesListCommand(a), newEnginesTestCommand(a))
}

// addEngineFlags gives c the flags of settings that matter to engines. The others work too, and are not in the help.
func (a *app) addEngineFlags(c *cobra.Command, shown ...string) {
	a.addSettingsFlags(c)
	hideSettingsFlags(c)
	for _, name := range shown {
		c.Flags().Lookup(name).Hidden = false
	}
	c.DisableFlagsInUseLine = true
}

func newEnginesListCommand(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [--json]",
		Short: "Engines that can be chosen; * marks the one in use",
		Long: `List the context engines: those of the program, and the plugins in DIR/context_engine (--plugins DIR) and in
$XDG_CONFIG_HOME/ctxpack/plugins/context_engine. Nothing is run. A plugin that another one of its name stands before is
not used.`,
		Args: cobra.NoArgs,
	}
	a.addEngineFlags(c, "engine", "plugins")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.RunE = func(c *cobra.Command, _ []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		return a.runEnginesList(s, asJSON)
	}
	return c
}

// shownEngine is an engine in JSON.
type shownEngine struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"` // "program" or "plugin"
	Version     string `json:"version,omitempty"`
	Origin      string `json:"origin"` // "built in", or the plugin's directory
	Description string `json:"description,omitempty"`
	Active      bool   `json:"active"`
	Refused     bool   `json:"refused,omitempty"` // another one of its name stands before it
	Problem     string `json:"problem,omitempty"` // why it cannot be used
}

func (a *app) runEnginesList(s *Settings, asJSON bool) error {
	list := []shownEngine{}
	for _, e := range engines(engineParts{}) {
		list = append(list, shownEngine{Name: e.Name, Kind: "program", Version: version, Origin: e.Origin, Description: e.Description})
	}
	places := append([]string{filepath.Join(s.Engine.Plugins, "context_engine")}, a.pluginPlaces(s)...)
	var seen []string
	for _, place := range places {
		if dir := a.streams.Path(place); !slices.Contains(seen, dir) {
			seen = append(seen, dir)
			list = append(list, a.pluginsIn(dir)...)
		}
	}
	a.markEngines(s, list)
	if asJSON {
		return writeJSON(a.streams.Stdout, list)
	}
	rows := [][]string{{"", "ENGINE", "KIND", "VERSION", "ORIGIN", "DESCRIPTION"}}
	for _, e := range list {
		mark, about := "", e.Description
		switch {
		case e.Active:
			mark = "*"
		case e.Problem != "":
			about = "cannot be used: " + e.Problem
		case e.Refused:
			about = "not used: another engine of this name stands before it"
		}
		rows = append(rows, []string{mark, e.Name, e.Kind, dashed(e.Version), e.Origin, about})
	}
	return writeColumns(a.streams.Stdout, rows, "llllll")
}

func dashed(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// pluginsIn reads the manifests below a directory, by name.
func (a *app) pluginsIn(dir string) []shownEngine {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there are none
	}
	var list []shownEngine
	for _, entry := range entries {
		if !plugin.ValidName(entry.Name()) {
			continue
		}
		p, err := a.readPlugin(filepath.Join(dir, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		one := shownEngine{Name: entry.Name(), Kind: "plugin", Version: p.Version, Origin: p.shown, Description: p.Description}
		if err != nil {
			one.Problem = err.Error()
		}
		list = append(list, one)
	}
	return list
}

// markEngines marks the engine in use, and those that can never be: the first of a name counts, in the places that count.
func (a *app) markEngines(s *Settings, list []shownEngine) {
	var places []string
	for _, place := range a.pluginPlaces(s) {
		places = append(places, a.shownPath(a.streams.Path(place)))
	}
	taken := map[string]bool{}
	active := -1
	for i := range list {
		e := &list[i]
		e.Refused = taken[e.Name] || e.Kind == "plugin" && e.Name == compress.DefaultEngine
		taken[e.Name] = true
		counts := e.Kind == "program" || slices.Contains(places, filepath.Dir(e.Origin))
		if e.Name == s.Engine.Name && active < 0 && counts && e.Problem == "" && (!e.Refused || e.Name != compress.DefaultEngine) {
			active = i
		}
	}
	if active < 0 {
		active = slices.IndexFunc(list, func(e shownEngine) bool { return e.Name == compress.DefaultEngine && e.Kind == "program" })
	}
	if active >= 0 {
		list[active].Active, list[active].Refused = true, false
	}
}

func newEnginesTestCommand(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "test NAME [--json]",
		Short: "Hold an engine against the contract, rule by rule",
		Long: `Hold a context engine against the contract that every engine keeps: what a session says of itself, what becomes of
conversations of many shapes in several dialects, and how it ends. One line per rule; exit code 4 when one fails. A
plugin is run; what is written about them is in docs/plugins.md.`,
		Args: cobra.ExactArgs(1),
	}
	a.addEngineFlags(c, "plugins", "engine-timeout", "context-length", "tokenizer")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := c.Flags().Set("engine", args[0]); err != nil {
			return err
		}
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		s.Engine.Strict, s.Enabled = true, true
		s.Workers = max(s.Workers, 2) // sessions are held at the same time
		return a.withEngine(c.Context(), s, func() error { return a.runEnginesTest(c.Context(), s, asJSON) })
	}
	return c
}

// shownTest is `engines test --json`.
type shownTest struct {
	Engine  string               `json:"engine"`
	Version string               `json:"version,omitempty"`
	Failed  int                  `json:"failed"`
	Rules   []enginetest.Outcome `json:"rules"`
}

func (a *app) runEnginesTest(ctx context.Context, s *Settings, asJSON bool) error {
	counter, err := a.newCounter(s)
	if err != nil {
		return err
	}
	runner, err := newEngine(s, &compress.Meter{Counter: counter})
	if err != nil {
		return err
	}
	o := enginetest.Options{Meter: runner.Meter, ContextLength: int(s.ContextLength)}
	list := enginetest.Run(ctx, runner.Engine, o)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	shown := shownTest{Engine: runner.Engine.Name(), Version: s.Engine.version, Failed: enginetest.Failed(list), Rules: list}
	if asJSON {
		err = writeJSON(a.streams.Stdout, shown)
	} else {
		err = writeEngineTest(a.streams.Stdout, shown)
	}
	if err == nil && shown.Failed > 0 {
		err = withExitCode(ExitGate, nil)
	}
	return err
}

func writeEngineTest(w io.Writer, t shownTest) error {
	words := map[enginetest.Verdict]string{enginetest.OK: "ok", enginetest.Fail: "FAIL", enginetest.Warning: "warning", enginetest.Skipped: "skipped"}
	var rows [][]string
	for _, o := range t.Rules {
		about := o.About
		if o.Reason != "" {
			about += ": " + o.Reason
		}
		rows = append(rows, []string{words[o.Verdict], o.Rule, about})
	}
	if err := writeColumns(w, rows, "lll"); err != nil {
		return err
	}
	verdict := "keeps the contract"
	if t.Failed > 0 {
		verdict = fmt.Sprintf("breaks %d of %d rules", t.Failed, len(t.Rules))
	}
	_, err := fmt.Fprintf(w, "%s %s\n", printable(t.Engine), verdict)
	return err
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/plugin"
	"github.com/ctxpack/ctxpack/formats"
)

// foundPlugin is a plugin's directory.
type foundPlugin struct {
	plugin.Manifest
	dir   string // absolute
	shown string
}

// readPlugin reads the manifest of a directory. A directory without one is no plugin: fs.ErrNotExist.
func (a *app) readPlugin(dir string) (foundPlugin, error) {
	p := foundPlugin{dir: a.streams.Path(dir), shown: a.shownPath(a.streams.Path(dir))}
	data, err := readManifest(filepath.Join(p.dir, plugin.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if err == nil {
		p.Manifest, err = plugin.ParseManifest(data)
	}
	if err == nil && p.Name != filepath.Base(p.dir) {
		err = fmt.Errorf("the plugin is called %s, its directory %s", p.Name, filepath.Base(p.dir))
	}
	if err != nil {
		text := strings.Join(strings.Split(bareError(err).Error(), "\n"), "; ")
		return p, usageError(fmt.Errorf("%s: %s", filepath.Join(p.shown, plugin.ManifestName), text), "name: NAME, version: 1.0.0, command: [python3, main.py]")
	}
	return p, nil
}

// readManifest reads a manifest's file. A pipe, on which one would wait for ever, is none.
func readManifest(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	return io.ReadAll(io.LimitReader(file, maxConfigBytes))
}

// findPlugins registers the plugin of a name from the first place that has it. Others of the name are refused, in words.
func (a *app) findPlugins(ctx context.Context, s *Settings, name string, meter *compress.Meter, registry *compress.Registry) (refused []error, err error) {
	for _, place := range a.pluginPlaces(s) {
		p, err := a.readPlugin(filepath.Join(place, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return refused, err
		}
		if err := registry.AddPlugin(a.pluginEntry(ctx, s, p, meter)); err != nil {
			refused = append(refused, err)
		}
	}
	return refused, nil
}

// pluginEntry is a plugin that can be opened.
func (a *app) pluginEntry(ctx context.Context, s *Settings, p foundPlugin, meter *compress.Meter) compress.EngineEntry {
	return compress.EngineEntry{Name: p.Name, Description: p.Description, Version: p.Version, Origin: p.shown,
		New: func() (compress.Engine, error) {
			o := plugin.Options{
				Manifest: p.Manifest, Dir: p.dir, Settings: s.ownSettings(p.Name), Environ: a.streams.Environ,
				Model: s.Model, Length: int(s.ContextLength), Timeout: s.Engine.Timeout, Processes: s.Workers, Meter: meter,
			}
			if o.Timeout == 0 {
				o.Timeout = -1 // no limit
			}
			if w, err := newWindows(s); err == nil && w.named != nil {
				o.Length = w.named.tokens
			}
			engine, err := plugin.Open(ctx, o)
			if err != nil {
				return nil, formats.WithHint(fmt.Errorf("%s: the context engine %s does not start: %w", p.shown, p.Name, err),
					"its command is in %s and runs in that directory; nothing was written", filepath.Join(p.shown, plugin.ManifestName))
			}
			return engine, nil
		}}
}

// addStrictFlag gives c --strict, which makes an engine that is not found an error.
func addStrictFlag(c *cobra.Command) *bool {
	strict := c.Flags().Bool("strict", false, "a context engine that is not found is an error, not replaced by the built-in one")
	annotate(c.Flags().Lookup("strict"), engineGroup)
	return strict
}

// withEngine runs a command with the engine that the settings ask for: a plugin is started before, so that one that
// cannot work stops the run before any work, and ended afterwards.
func (a *app) withEngine(ctx context.Context, s *Settings, run func() error) error {
	closer, err := a.openEngine(ctx, s)
	if err != nil {
		return err
	}
	err = run()
	if closed := closer.Close(); closed != nil {
		return errors.Join(err, closed)
	}
	return err
}

// openEngine resolves the engine of the settings: a plugin's directory, else the program, else the built-in one with a
// warning (an error when strict). Nothing is opened for an engine of the program.
func (a *app) openEngine(ctx context.Context, s *Settings) (io.Closer, error) {
	if s.Engine.Name == compress.DefaultEngine {
		return nothingOpen{}, nil // always itself, whatever lies in the directories
	}
	counter, err := a.newCounter(s)
	if err != nil {
		return nil, err
	}
	meter := &compress.Meter{Counter: counter, MediaTokens: int(s.MediaTokens)}
	registry := &compress.Registry{}
	for _, e := range engines(engineParts{settings: s, meter: meter}) {
		registry.Add(e)
	}
	refused, err := a.findPlugins(ctx, s, s.Engine.Name, meter, registry)
	if err != nil {
		return nil, err
	}
	for _, text := range refused {
		a.warnEngine(s, text.Error())
	}
	entry, err := registry.Resolve(s.Engine.Name)
	if errors.Is(err, compress.ErrUnknownEngine) {
		return nothingOpen{}, a.fallBack(s)
	}
	if err != nil || !registry.IsPlugin(entry.Name) {
		return nothingOpen{}, err
	}
	engine, err := entry.New()
	if err != nil {
		return nil, err
	}
	a.usePlugin(s, entry, engine)
	if closer, ok := engine.(io.Closer); ok {
		return closer, nil
	}
	return nothingOpen{}, nil
}

// fallBack takes the built-in engine in place of one that was not found, unless strict.
func (a *app) fallBack(s *Settings) error {
	if s.Engine.Strict {
		return usageError(fmt.Errorf("context engine %s was not found in %s", s.Engine.Name, a.placesText(s)), "ctxpack engines list")
	}
	a.warnEngine(s, fmt.Sprintf("context engine %s was not found: the built-in compressor is used", s.Engine.Name))
	s.Engine.Name = compress.DefaultEngine
	s.setValue(engineKey, s.Engine.Name)
	return nil
}

// usePlugin makes an engine that was opened the one of the run. It writes its summaries itself.
func (a *app) usePlugin(s *Settings, entry compress.EngineEntry, engine compress.Engine) {
	const key = "compression.summarizer"
	if origin := s.Entry(key).Origin; origin.Source != SourceDefault && s.Summarizer != "none" {
		a.warnEngine(s, fmt.Sprintf("%v has no effect: the context engine %s compacts by itself", origin, entry.Name))
	}
	s.Summarizer = "none"
	s.setValue(key, s.Summarizer)
	s.Engine.open, s.Engine.version = engine, entry.Version
}

func (a *app) warnEngine(s *Settings, text string) {
	if !s.Quiet {
		a.console.warn(text)
	}
}

// placesText is where plugins are looked for, in words.
func (a *app) placesText(s *Settings) string {
	var shown []string
	for _, place := range a.pluginPlaces(s) {
		shown = append(shown, a.shownPath(a.streams.Path(place)))
	}
	if len(shown) == 0 {
		return "the program, and there is no place for plugins"
	}
	return strings.Join(shown, ", ")
}

// nothingOpen is what is closed when nothing was opened.
type nothingOpen struct{}

// Close does nothing.
func (nothingOpen) Close() error { return nil }

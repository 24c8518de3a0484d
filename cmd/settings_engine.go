package cmd

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/plugin"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/summarize"
)

// The keys of section context. What else stands there is settings of engines, by their names.
const (
	engineKey     = "context.engine"
	pluginsKey    = "context.plugins"
	engineSection = "context"
)

// engineGroup is the heading of the engines' settings.
const engineGroup = "Context engine"

// EngineSettings are the settings of context engines.
type EngineSettings struct {
	Name    string        // of the engine in use: compress.DefaultEngine, or a plugin that was asked for
	Plugins string        // the directory that plugins are looked for in, before the user's own
	Timeout time.Duration // for each answer of a plugin; 0 for none
	Strict  bool          // an engine that is not found is an error

	Own map[string]map[string]any // context.NAME: settings of engines, read and checked by themselves

	origins map[string]Origin // of Own: the strongest place that each comes from
	version string            // of open
	open    compress.Engine   // what openEngine opened; nil for an engine of the program
}

func engineSettings() []setting {
	return []setting{
		{key: engineKey, flag: "engine", value: "NAME", def: compress.DefaultEngine,
			about: "context engine: the built-in one or a plugin (ctxpack engines list)", hint: "ctxpack engines list", set: setEngine},
		{key: pluginsKey, flag: "plugins", value: "DIR", def: "plugins",
			about: "where plugins are: DIR/context_engine/NAME, else those of the user",
			set:   text(func(s *Settings) *string { return &s.Engine.Plugins })},
		{key: "context.timeout", flag: "engine-timeout", value: "TIME", def: "1m", about: "longest that a plugin may take for one answer; 0 is no limit",
			set: duration(func(s *Settings) *time.Duration { return &s.Engine.Timeout })},
	}
}

func setEngine(s *Settings, given []string) (any, error) {
	name := given[len(given)-1]
	if !plugin.ValidName(name) {
		return nil, fmt.Errorf("%q is no name of an engine: small letters, digits, _ and -, never a path", name)
	}
	s.Engine.Name = name
	return name, nil
}

// engineValue takes a key below context that is a setting of an engine: context.NAME with keys of its own. ok is false for
// anything else. The built-in engine has none there.
func (s *Settings) engineValue(parts []string, value any, origin Origin, index settingIndex) (ok bool) {
	if len(parts) < 2 || parts[0] != engineSection || len(parts) == 2 && !isEmptyMap(value) {
		return false
	}
	name := parts[1]
	if _, taken := index.byName[engineSection+"."+name]; taken || name == compress.DefaultEngine || !plugin.ValidName(name) {
		return false
	}
	e := &s.Engine
	if e.Own == nil {
		e.Own, e.origins = map[string]map[string]any{}, map[string]Origin{}
	}
	if e.Own[name] == nil {
		e.Own[name] = map[string]any{}
	}
	if before, seen := e.origins[name]; !seen || before.Source != origin.Source {
		e.origins[name] = origin
	}
	if len(parts) == 2 {
		return true
	}
	at := e.Own[name]
	for _, key := range parts[2 : len(parts)-1] {
		below, isMap := at[key].(map[string]any)
		if !isMap {
			below = map[string]any{}
			at[key] = below
		}
		at = below
	}
	at[parts[len(parts)-1]] = value
	return true
}

// finishEngine checks what belongs together. A file that ctxpack found by itself must not run programs, nor choose which,
// nor tell them what to do.
func (s *Settings) finishEngine() problems {
	var wrong problems
	for _, name := range slices.Sorted(maps.Keys(s.Engine.Own)) {
		if _, err := json.Marshal(s.Engine.Own[name]); err != nil {
			origin := s.Engine.origins[name]
			wrong = append(wrong, usageError(fmt.Errorf("%v: %s.%s: the settings of an engine are handed over as JSON, and these cannot be: %w", origin, engineSection, name, err), ""))
		}
	}
	refuse := func(key string, origin Origin) {
		if origin.Source == SourceProjectFile && !s.ConfigNamed {
			wrong = append(wrong, usageError(fmt.Errorf("%v: %s is not taken from a file that was not named: it would run a program that you did not choose", origin, key),
				"--config "+origin.Name+" says that you trust it"))
		}
	}
	if !slices.Contains(programEngines(), s.Engine.Name) {
		refuse(pluginsKey, s.Entry(pluginsKey).Origin)
		refuse(engineKey, s.Entry(engineKey).Origin)
		refuse(engineSection+"."+s.Engine.Name, s.Engine.origins[s.Engine.Name])
	}
	return wrong
}

// programEngines are the names of the engines of the program.
func programEngines() []string {
	var names []string
	for _, e := range engines(engineParts{}) {
		names = append(names, e.Name)
	}
	return names
}

// ownSettings is context.NAME as JSON.
func (s *Settings) ownSettings(name string) json.RawMessage {
	if len(s.Engine.Own[name]) == 0 {
		return json.RawMessage("{}")
	}
	data, err := json.Marshal(s.Engine.Own[name])
	if err != nil {
		return json.RawMessage("{}") // finishEngine has refused it
	}
	return data
}

// engineSetting is what the report says of the settings of the engine in use. What looks like a secret is masked: reports
// are passed on.
func (s *Settings) engineSetting() report.Setting {
	masked, _ := summarize.NewRedactor().Mask(string(s.ownSettings(s.Engine.Name)))
	origin := Origin{}
	if own, ok := s.Engine.origins[s.Engine.Name]; ok {
		origin = own
	}
	return report.Setting{Key: engineSection + "." + s.Engine.Name, Value: masked, Origin: origin.String()}
}

// engineSettingsAsYAML writes the settings of engines, each on a line: JSON is YAML.
func (s *Settings) engineSettingsAsYAML(origins bool) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Engine.Own)) {
		line := "  " + name + ": " + string(s.ownSettings(name))
		if origins {
			line = fmt.Sprintf("%-44s # %s", line, printable(s.Engine.origins[name].String()))
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// pluginPlaces are the directories in which plugins are looked for, the first one first. The one in the working directory
// counts only where this run names the engine (by flag, or in a file named by --config) or the directory: an engine that
// somebody has chosen once and for all is not to be replaced by what happens to lie around.
func (a *app) pluginPlaces(s *Settings) []string {
	var places []string
	origin := s.Entry(engineKey).Origin
	named := origin.Source == SourceFlag || origin.Source == SourceProjectFile && s.ConfigNamed
	if named || s.Entry(pluginsKey).Origin.Source != SourceDefault {
		places = append(places, filepath.Join(s.Engine.Plugins, "context_engine"))
	}
	if user := a.userConfigPath(); user != "" {
		own := filepath.Join(filepath.Dir(user), "plugins", "context_engine")
		if len(places) == 0 || a.streams.Path(places[0]) != own {
			places = append(places, own)
		}
	}
	return places
}

package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// loadSettings gathers the settings from everywhere (flag > CTXPACK_* > ctxpack.yaml > the user's file > default), reads
// and checks them. All problems are reported at once; their exit code is ExitUsage.
func (a *app) loadSettings(flags *pflag.FlagSet) (*Settings, error) {
	named, _ := a.streams.LookupEnv(configVariable)
	if f := flags.Lookup(configFlag); f != nil && f.Changed {
		named = f.Value.String()
	}
	files, err := a.findConfigFiles(named)
	if err != nil {
		return nil, err
	}
	s := &Settings{ConfigNamed: named != ""}
	table := settingsTable(a.streams.CPUs)
	index := newSettingIndex(table)
	described := modelOverrides{}
	var wrong problems
	var layers []layer
	for _, file := range files {
		s.Config = append(s.Config, file.name)
		found, faults := index.fileLayer(file, s, described)
		layers, wrong = append(layers, found), append(wrong, faults...)
	}
	variables, faults := index.environmentLayer(a.streams)
	layers, wrong = append(layers, variables), append(wrong, faults...)
	given, err := index.flagLayer(flags)
	if err != nil {
		return nil, fmt.Errorf("read the flags: %w", err)
	}
	layers = append(layers, given)

	merged, origins, err := mergeLayers(layers)
	if err != nil {
		return nil, err
	}
	for _, group := range table {
		for _, d := range group.settings {
			if err := s.apply(d, merged.Get(d.name()), origins[d.name()]); err != nil {
				wrong = append(wrong, err)
			}
		}
	}
	s.Models, faults = described.finish()
	wrong = append(wrong, faults...)
	if len(wrong) == 0 { // else the values that the checks compare are not all there
		wrong = s.finish()
	}
	return s, wrong.asError()
}

// mergeLayers lays the layers over each other, the weakest first.
func mergeLayers(layers []layer) (*koanf.Koanf, map[string]Origin, error) {
	merged, origins := koanf.New(keySeparator), map[string]Origin{}
	for _, l := range layers {
		values := make(map[string]any, len(l))
		for key, value := range l {
			values[key], origins[key] = value.texts, value.origin
		}
		if err := merged.Load(confmap.Provider(values, keySeparator), nil); err != nil {
			return nil, nil, fmt.Errorf("merge the settings: %w", err)
		}
	}
	return merged, origins, nil
}

// apply reads one setting: what was given for it, as []string, else its default. It notes an entry in any case.
func (s *Settings) apply(d setting, given any, origin Origin) error {
	texts, found := given.([]string)
	if !found && d.def != "" {
		texts = []string{d.def}
		if d.list {
			texts = strings.Split(d.def, ",")
		}
	}
	entry := SettingEntry{Key: d.name(), Origin: origin}
	defer func() { s.Entries = append(s.Entries, entry) }()
	if len(texts) == 0 {
		return nil
	}
	warnings := len(s.Warnings)
	var shown any
	var err error
	if len(texts) > 1 && !d.list {
		err = errors.New("one value is expected, not a list")
	} else {
		shown, err = d.set(s, texts)
	}
	if err != nil {
		label := fmt.Sprintf("%v: %s", origin, d.name())
		if origin.Source == SourceFlag || origin.Source == SourceEnvironment || origin.Key != "" {
			label = origin.String()
		}
		return usageError(fmt.Errorf("%s: %w", label, err), d.hint)
	}
	for i := warnings; i < len(s.Warnings); i++ {
		s.Warnings[i] = origin.String() + ": " + s.Warnings[i]
	}
	entry.Value = shown
	return nil
}

// printWarnings prints the warnings about the settings once; nothing when the run is quiet.
func (a *app) printWarnings(s *Settings) {
	if s.Quiet {
		return
	}
	for _, warning := range s.Warnings {
		a.console.warn(warning)
	}
	if len(s.Unused) == 0 {
		return
	}
	first := s.Unused[0]
	text := fmt.Sprintf("%v: %s has no effect: %s", first.Origin, first.Key, first.Reason)
	if more := len(s.Unused) - 1; more > 0 {
		text += fmt.Sprintf("; %d more like it, see ctxpack config show", more)
	}
	a.console.warn(text)
}

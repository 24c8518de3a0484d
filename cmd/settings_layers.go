package cmd

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// This file is the one door to koanf: each place that settings come from is loaded as a layer of its own, so that the
// origin of every value stays known.

// keySeparator joins the elements of a key for koanf. It is not a dot, because names of models hold dots.
const keySeparator = "\x00"

// assigned is a value as one place gave it.
type assigned struct {
	texts  []string
	origin Origin
}

// layer is what one place says: values by the key of the setting.
type layer map[string]assigned

// settingIndex finds settings by their names.
type settingIndex struct {
	byName map[string]setting // by setting.name
	byEnv  map[string]setting
	byFlag map[string]setting
}

func newSettingIndex(groups []settingGroup) settingIndex {
	index := settingIndex{byName: map[string]setting{}, byEnv: map[string]setting{}, byFlag: map[string]setting{}}
	for _, group := range groups {
		for _, d := range group.settings {
			index.byName[d.name()] = d
			if d.flag != "" {
				index.byFlag[d.flag] = d
			}
			if d.env() != "" {
				index.byEnv[d.env()] = d
			}
		}
	}
	return index
}

// flagLayer reads the flags that were given.
func (index settingIndex) flagLayer(flags *pflag.FlagSet) (layer, error) {
	found := layer{}
	k := koanf.New(keySeparator)
	provider := posflag.ProviderWithFlag(flags, keySeparator, nil, func(f *pflag.Flag) (string, any) {
		d, known := index.byFlag[f.Name]
		value, ours := f.Value.(*flagValue)
		if !known || !ours || !f.Changed {
			return "", nil
		}
		texts := value.texts
		if d.negate {
			if on, err := parseToggle(texts[0]); err == nil {
				texts = []string{strconv.FormatBool(!on)}
			}
		}
		found[d.name()] = assigned{texts: texts, origin: Origin{Source: SourceFlag, Name: "--" + f.Name}}
		return d.name(), texts
	})
	return found, k.Load(provider, nil)
}

// environmentLayer reads the variables that begin with CTXPACK_. An empty variable counts as not set.
func (index settingIndex) environmentLayer(streams *Streams) (layer, problems) {
	found := layer{}
	var wrong problems
	k := koanf.New(keySeparator)
	provider := env.Provider(keySeparator, env.Opt{
		Prefix:      "CTXPACK_",
		EnvironFunc: func() []string { return streams.Environ },
		TransformFunc: func(name, value string) (string, any) {
			d, known := index.byEnv[name]
			switch {
			case value == "" || name == configVariable:
				return "", nil
			case !known:
				names := slices.Sorted(maps.Keys(index.byEnv))
				wrong = append(wrong, unknownName("environment variable", name, names))
				return "", nil
			}
			texts := []string{value}
			if d.list {
				texts = strings.Split(value, ",")
			}
			found[d.name()] = assigned{texts: texts, origin: Origin{Source: SourceEnvironment, Name: name}}
			return d.name(), texts
		},
	})
	if err := k.Load(provider, nil); err != nil {
		wrong = append(wrong, err)
	}
	return found, wrong
}

// fileLayer reads a configuration file: our keys, Hermes' names for them, the keys of Hermes that have no meaning here
// (added to s.Unused), and overrides of models (added to models).
func (index settingIndex) fileLayer(file configFile, s *Settings, models modelOverrides) (layer, problems) {
	k := koanf.New(keySeparator)
	if err := k.Load(rawbytes.Provider(file.content), yaml.Parser()); err != nil {
		return nil, problems{usageError(yamlError(file.name, err), "")}
	}
	found := layer{}
	var wrong problems
	paths, values := k.KeyMap(), k.All()
	keys := slices.Collect(maps.Keys(values))
	slices.SortFunc(keys, func(a, b string) int {
		if byLine := file.lines[a] - file.lines[b]; byLine != 0 {
			return byLine
		}
		return strings.Compare(a, b)
	})
	var first firstTurnCount
	for _, key := range keys {
		parts, value := paths[key], values[key]
		path := strings.Join(parts, ".")
		origin := Origin{Source: file.source, Name: file.name, Line: file.lines[key]}
		if value == nil || isEmptyMap(value) && index.isSection(path) {
			continue // "key:" without a value says nothing
		}
		var err error
		switch known, isHermes := lookupHermes(path); {
		case index.byName[path].key != "":
			err = found.add(path, "", value, origin)
		case s.engineValue(parts, value, origin, index):
		case parts[0] == modelsSection:
			err = models.add(parts, value, origin)
		case slices.Contains(firstTurns(), path):
			err = first.add(path, value, origin)
		case isHermes && known.key != "":
			err = found.add(known.key, path, value, origin)
		case isHermes:
			s.Unused = append(s.Unused, UnusedKey{Key: path, Reason: known.reason, Origin: origin})
		default:
			err = index.unknownKey(path, origin)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	first.addTo(found)
	return found, wrong
}

// add enters a value under the key of its setting; alias is the name it was written under when that is another. The
// setting's own name beats its aliases in the same file.
func (l layer) add(key, alias string, value any, origin Origin) error {
	texts, err := textsOf(value)
	if err != nil {
		return usageError(fmt.Errorf("%v: %s: %w", origin, cmpOr(alias, key), err), "")
	}
	earlier, taken := l[key]
	if taken && (alias != "" && earlier.origin.Key == "") {
		return nil
	}
	origin.Key = alias
	l[key] = assigned{texts: texts, origin: origin}
	return nil
}

func cmpOr(first, second string) string {
	if first != "" {
		return first
	}
	return second
}

// unknownKey is the error for a key nobody knows, with the nearest known one.
func (index settingIndex) unknownKey(path string, origin Origin) error {
	if index.isSection(path) {
		return usageError(fmt.Errorf("%v: %s is a section: it holds keys, not a value", origin, path), "ctxpack config show")
	}
	var names []string
	for name, d := range index.byName {
		if d.key != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, known := range hermesKeys() {
		names = append(names, strings.TrimSuffix(known.path, ".*"))
	}
	names = append(append(names, firstTurns()...), modelsSection)
	err := unknownName("key", path, names)
	var hinted interface{ Hint() string }
	errors.As(err, &hinted)
	return usageError(fmt.Errorf("%v: unknown key %s", origin, path), hinted.Hint())
}

// isSection says whether known keys stand under path.
func (index settingIndex) isSection(path string) bool {
	for name := range index.byName {
		if strings.HasPrefix(name, path+".") {
			return true
		}
	}
	for _, known := range hermesKeys() {
		if strings.HasPrefix(known.path, path+".") {
			return true
		}
	}
	return path == modelsSection
}

// unknownName is the error for a name that is none of names.
func unknownName(kind, name string, names []string) error {
	hint := "ctxpack config show lists what there is"
	if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return usageError(fmt.Errorf("unknown %s %s", kind, name), hint)
}

// firstTurnCount adds up firstTurns: each is true unless it says otherwise.
type firstTurnCount struct {
	denied int
	origin Origin
	given  bool
}

func (c *firstTurnCount) add(path string, value any, origin Origin) error {
	texts, err := textsOf(value)
	if err != nil {
		return usageError(fmt.Errorf("%v: %s: %w", origin, path, err), "")
	}
	protect, err := parseToggle(texts[0])
	if err != nil {
		return usageError(fmt.Errorf("%v: %s: %w", origin, path, err), "")
	}
	if !protect {
		c.denied++
	}
	if !c.given {
		c.given, c.origin = true, origin
		c.origin.Key = "protected_turns.first_*"
	}
	return nil
}

func (c *firstTurnCount) addTo(l layer) {
	const key = "compression.protect_first_n"
	if _, taken := l[key]; c.given && !taken {
		l[key] = assigned{texts: []string{strconv.Itoa(len(firstTurns()) - c.denied)}, origin: c.origin}
	}
}

// textsOf spells a YAML value as a user would on the command line.
func textsOf(value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case bool, int, int64, uint64:
		return []string{fmt.Sprint(v)}, nil
	case []any:
		var texts []string
		for _, element := range v {
			one, err := textsOf(element)
			if err != nil {
				return nil, err
			}
			texts = append(texts, one...)
		}
		if len(texts) == 0 {
			return nil, errors.New("the list is empty")
		}
		return texts, nil
	case nil:
		return nil, errors.New("a value is missing")
	case map[string]any:
		return nil, errors.New("a value is expected, not keys")
	}
	return nil, fmt.Errorf("a value is expected, not %v", value)
}

func isEmptyMap(value any) bool {
	m, ok := value.(map[string]any)
	return ok && len(m) == 0
}

package compress

import (
	"errors"
	"fmt"
	"slices"
)

// DefaultEngine is the built-in engine: it is there whatever else is.
const DefaultEngine = "compressor"

// EngineEntry is an engine that can be chosen.
type EngineEntry struct {
	Name        string
	Description string
	Version     string
	Origin      string // where it comes from: "built in", a directory
	New         func() (Engine, error)
}

// Registry knows the engines of a run. Only one of them becomes active, and only one plugin may register. Not safe for
// concurrent use.
type Registry struct {
	program []EngineEntry // registered in the program
	plugin  *EngineEntry
}

// Add registers an engine of the program.
func (r *Registry) Add(e EngineEntry) { r.program = append(r.program, e) }

// AddPlugin registers a plugin engine. The first one stays: a second one is refused with an error to warn of.
func (r *Registry) AddPlugin(e EngineEntry) error {
	if r.plugin != nil {
		return fmt.Errorf("context engine %s (%s) is refused: %s (%s) is registered, and there is only one", e.Name, e.Origin, r.plugin.Name, r.plugin.Origin)
	}
	r.plugin = &e
	return nil
}

// ErrUnknownEngine says that no engine has the name that was asked for.
var ErrUnknownEngine = errors.New("unknown context engine")

// Resolve finds an engine by its name: the plugin, else one of the program. Nobody's name is an ErrUnknownEngine, with
// the built-in engine to go on with.
func (r *Registry) Resolve(name string) (EngineEntry, error) {
	if r.plugin != nil && r.plugin.Name == name {
		return *r.plugin, nil
	}
	find := func(name string) int {
		return slices.IndexFunc(r.program, func(e EngineEntry) bool { return e.Name == name })
	}
	if i := find(name); i >= 0 {
		return r.program[i], nil
	}
	err := fmt.Errorf("%w %s", ErrUnknownEngine, name)
	if i := find(DefaultEngine); i >= 0 {
		return r.program[i], err
	}
	return EngineEntry{}, err
}

// IsPlugin says that the registered plugin has the name.
func (r *Registry) IsPlugin(name string) bool { return r.plugin != nil && r.plugin.Name == name }

// All lists what is registered, the plugin first.
func (r *Registry) All() []EngineEntry {
	if r.plugin == nil {
		return slices.Clone(r.program)
	}
	return append([]EngineEntry{*r.plugin}, r.program...)
}

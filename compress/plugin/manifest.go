// Package plugin runs context engines that are programs of their own, in any language: processes that speak JSON-RPC 2.0
// over their standard input and output, one JSON object a line. docs/plugins.md describes the protocol.
//
// Nothing that a program does costs more than its record: it has a time limit for every answer, what it says is bounded
// and checked (see map.go and compress.CheckOutput), and it is killed when it breaks the protocol.
package plugin

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ManifestName is the file that makes a directory a plugin.
const ManifestName = "plugin.yaml"

// Manifest is what a plugin's directory says of it.
type Manifest struct {
	Name        string   `yaml:"name"`
	Description string   `yaml:"description"`
	Version     string   `yaml:"version"`
	Command     []string `yaml:"command"` // run in the plugin's directory, not by a shell
}

// ValidName says whether a text can be the name of an engine: small letters, digits, _ and -. A path never is one.
func ValidName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// ParseManifest reads a manifest. Keys that are not known are somebody else's. The error says all that is wrong.
func ParseManifest(data []byte) (Manifest, error) {
	var m Manifest
	if err := yaml.Unmarshal(data, &m); err != nil {
		return m, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var wrong []error
	if !ValidName(m.Name) {
		wrong = append(wrong, fmt.Errorf("name: %q is no name of small letters, digits, _ and -", m.Name))
	}
	if len(m.Command) == 0 || strings.TrimSpace(m.Command[0]) == "" {
		wrong = append(wrong, errors.New("command: a list of strings is expected, such as [python3, main.py]"))
	}
	return m, errors.Join(wrong...)
}

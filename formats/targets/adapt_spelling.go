package targets

import (
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// spellArguments spells the arguments of all calls alike.
func spellArguments(asObject bool) func(*adapter) {
	return func(a *adapter) {
		for i := range a.list {
			var m *formats.Message
			for k := range a.list[i].Calls() {
				if m == nil {
					m = a.edit(i)
				}
				if m.SpellArguments(m.Calls()[k], asObject) {
					a.changed(ChangeArguments, i)
				}
			}
		}
	}
}

// nameRoles gives roles of ShareGPT's many names the ones that LLaMA-Factory's tags are by default, or the names of chat
// messages where the record uses those; and in any dialect a system turn its common name.
func nameRoles(a *adapter) {
	names := map[formats.Role]string{formats.RoleSystem: "system"}
	if a.dialect == "sharegpt" || a.dialect == "hermes" {
		names[formats.RoleUser], names[formats.RoleAssistant], names[formats.RoleTool] = a.tags()
	}
	for i, p := range a.list {
		name, ok := names[p.Role]
		if ok && slices.Contains(callNames, strings.ToLower(p.RoleName)) {
			name = "function_call"
		}
		if ok && !p.Outside && name != p.RoleName {
			a.edit(i).Rename(name)
			a.changed(ChangeRole, i)
		}
	}
}

// tags are the names that a record of ShareGPT gets: those of the first turn that tells.
func (a *adapter) tags() (user, assistant, tool string) {
	tool = "observation"
	if slices.ContainsFunc(a.list, func(p placed) bool { return p.RoleName == "tool" }) &&
		!slices.ContainsFunc(a.list, func(p placed) bool { return p.RoleName == "observation" }) {
		tool = "tool"
	}
	for _, p := range a.list {
		switch p.RoleName {
		case "user", "assistant":
			return "user", "assistant", tool
		case "human", "gpt":
			return "human", "gpt", tool
		}
	}
	return "human", "gpt", tool
}

// callNames are the names of turns that are a call as a whole.
var callNames = []string{"function_call", "tool_call", "tool_use"}

// maskAs marks summaries by the assistant with a member, in the first of the given spellings that the record's messages
// use, else in the first.
func maskAs(json string, keys ...string) func(*adapter) {
	return func(a *adapter) {
		key := keys[0]
		for _, other := range keys[1:] {
			if slices.ContainsFunc(a.list, func(p placed) bool { return p.Has(other) }) {
				key = other
			}
		}
		for i, p := range a.list {
			if p.Role == formats.RoleAssistant && a.summary(p.Message) && !p.Has(key) {
				a.edit(i).SetMember(key, json)
				a.changed(ChangeMask, i)
			}
		}
	}
}

// unmask takes the mask off summaries: an API does not know it.
func unmask(a *adapter) {
	for i, p := range a.list {
		if p.Role == formats.RoleAssistant && a.summary(p.Message) && p.Has("weight") {
			a.edit(i).RemoveMember("weight")
			a.changed(ChangeMask, i)
		}
	}
}

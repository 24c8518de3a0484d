package summarize

import (
	"encoding/json"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// Action is one tool call with what came of it.
type Action struct {
	Number  int    // message number of the call
	Tool    string // its name; "" where the format has none
	Verb    Verb
	Command string // Run: the command as written, or the program
	Key     string // Run: CommandKey of the command
	Notable bool   // Run: WorthNoting of the command
	Written []string
	Read    []string
	Args    []Arg  // string, number and boolean arguments, in a fixed order
	Input   string // all strings of the arguments, decoded, one after the other
	Raw     string // the arguments as JSON text

	Answered bool
	Output   string // what the tool printed, unwrapped
	Outcome
}

// Arg is one argument of a call; Value is what the model wrote, decoded when it is a string.
type Arg struct{ Key, Value string }

// Actions gives the tool calls of messages, in order, each with its result.
func Actions(messages []*formats.Message) []Action {
	pairs := formats.Pair(messages)
	var actions []Action
	verbs := map[string]Verb{} // of the few tools there are
	for i, m := range messages {
		if a, ok := spokenCall(messages, i); ok {
			actions = append(actions, a)
		}
		for _, c := range m.Calls() {
			verb, ok := verbs[c.Name]
			if !ok {
				verb = ToolVerb(c.Name)
				verbs[c.Name] = verb
			}
			a := readCall(m, c, verb)
			for _, r := range pairs.Results[c] {
				a.answer(r.Result)
			}
			actions = append(actions, a)
		}
	}
	return actions
}

// spokenCall reads a call of a text-only trajectory: the assistant's last fenced block is a command, and the next user
// turn is no person's but what the command printed.
func spokenCall(messages []*formats.Message, i int) (Action, bool) {
	m := messages[i]
	if m.Role != formats.RoleAssistant || i+1 == len(messages) || messages[i+1].Role != formats.RoleUser ||
		formats.Human(messages[i+1]) || len(m.Calls()) > 0 || len(messages[i+1].Results()) > 0 {
		return Action{}, false
	}
	a := ReadCall(m, &formats.ToolCall{Implicit: true})
	if a.Command == "" {
		return Action{}, false
	}
	a.answer(&formats.ToolResult{Text: messages[i+1].Text()})
	return a, true
}

// ReadCall reads one call of m: verb, files, command.
func ReadCall(m *formats.Message, c *formats.ToolCall) Action {
	return readCall(m, c, ToolVerb(c.Name))
}

// readCall is ReadCall for a tool whose verb is known.
func readCall(m *formats.Message, c *formats.ToolCall, verb Verb) Action {
	a := Action{Number: m.Number, Tool: c.Name, Verb: verb, Raw: c.Arguments}
	if c.Implicit {
		a.Verb, a.Command = Run, lastFence(m.Text())
		a.Input = a.Command
		a.readShell()
		return a
	}
	args := arguments(c.Arguments)
	a.Args, a.Input = args.scalars, args.text
	paths := args.paths()
	sub, editor := editCommands[args.get("command")]
	if editor = editor && len(paths) > 0; editor {
		a.Verb = sub
	}
	if !editor && a.Verb != Write && a.Verb != Delete && a.Verb != Plan {
		if command := args.first(commandKeys[:]); command != "" {
			a.Verb, a.Command = Run, command
			a.readShell()
		} else if code := args.first(codeKeys[:]); code != "" && a.Verb == Run {
			a.Command = code
			a.readShell()
			f := files{}
			f.script(code)
			a.Written, a.Read = f.written, f.read
		}
	}
	switch a.Verb {
	case Write, Delete:
		for _, key := range patchKeys {
			paths = append(paths, patchPaths(args.get(key))...)
		}
		if len(paths) == 0 && len(a.Args) > 0 && !editsText(args) {
			a.Verb = Other // update_reservation, create_ticket
		}
		for _, p := range paths {
			a.Written = addPath(a.Written, p)
		}
	case Read, Look:
		for _, p := range paths {
			a.Read = addPath(a.Read, p)
		}
	}
	return a
}

// readShell reads the command as a script, once for everybody.
func (a *Action) readShell() {
	list := lexShell(a.Command)
	a.Key, a.Notable = commandKey(list), worthNoting(list)
	a.Written, a.Read = shellFiles(list)
}

// editsText: an editor that works on the file that is open (SWE-agent's edit and insert) has a text and no path.
func editsText(args argumentList) bool {
	return args.get("text") != "" || args.get("replace") != "" || args.get("search") != "" || args.get("replacement_text") != ""
}

func (a *Action) answer(r *formats.ToolResult) {
	output := Unwrap(r.Text)
	a.Outcome = ReadOutcome(r.Text, output, r.IsError, a.Verb == Run)
	a.Answered, a.Output = true, output
	edits := a.Verb == Write || a.Verb == Delete || a.Verb == Run && strings.HasPrefix(a.Command, "edit ")
	if edits && len(a.Written) == 0 {
		if open := openFile(output); open != "" {
			a.Written = addPath(a.Written, open)
		}
	}
}

// openFile reads the footer of SWE-agent's editor.
func openFile(output string) string {
	tail := output[max(0, len(output)-600):]
	i := strings.LastIndex(tail, "(Open file: ")
	if i < 0 {
		return ""
	}
	path, _, ok := strings.Cut(tail[i+len("(Open file: "):], ")")
	if !ok || path == "n/a" {
		return ""
	}
	return path
}

// lastFence gives the last fenced block of a text: the command of a text-only trajectory.
func lastFence(text string) string {
	end := strings.LastIndex(text, "```")
	if end < 0 {
		return ""
	}
	start := strings.LastIndex(text[:end], "```")
	if start < 0 {
		return ""
	}
	_, body, _ := strings.Cut(text[start:end], "\n")
	return strings.TrimSpace(body)
}

// Item is one line of a list of things to do, with its status in small letters ("" when it has none).
type Item struct{ Text, Status string }

// Items reads the list that a planning tool was given: TodoWrite, todo, update_plan and the like.
func (a Action) Items() []Item {
	var root map[string]any
	if json.Unmarshal([]byte(a.Raw), &root) != nil {
		return nil
	}
	for _, key := range [...]string{"todos", "plan", "items", "tasks", "steps", "todo"} {
		list, ok := root[key].([]any)
		if !ok {
			continue
		}
		var items []Item
		for _, e := range list {
			switch e := e.(type) {
			case string:
				items = append(items, Item{Text: e})
			case map[string]any:
				items = append(items, Item{firstOf(e, "content", "step", "title", "task", "text", "description", "name"), strings.ToLower(firstOf(e, "status", "state"))})
			}
		}
		return items
	}
	return nil
}

func firstOf(m map[string]any, keys ...string) string {
	for _, key := range keys {
		if s, ok := m[key].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

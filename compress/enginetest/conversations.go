package enginetest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// conversation is a record that the suite has compacted.
type conversation struct {
	name    string
	dialect formats.Dialect
	raw     []byte
}

// decode reads a record of the conversation's dialect.
func (c conversation) decode(raw []byte) (*formats.Conversation, error) {
	return formats.DecodeAs(formats.Record{Raw: raw}, c.dialect)
}

// conversations are what an engine has to cope with, the plainest first. All but the last two are larger than
// DefaultLength.
func conversations() []conversation {
	list := []conversation{
		chat("plain turns", func(w *writer) {
			w.say("system", "You are careful.")
			for range 20 {
				w.say("user", w.words("please look at the report"))
				w.say("assistant", w.words("the report says"))
			}
			w.say("user", "What is the sum? "+w.words("in words"))
		}),
		chat("tools", func(w *writer) {
			w.say("system", "You are careful.")
			for range 8 {
				w.say("user", w.words("please read the file"))
				w.call(1)
				w.say("assistant", w.words("the file holds"))
			}
			w.say("user", "And now?")
			w.call(1)
		}),
		chat("parallel calls", func(w *writer) {
			w.say("user", w.words("please compare the files"))
			for range 6 {
				w.call(3)
				w.call(2)
				w.say("assistant", w.words("they differ in"))
				w.say("user", w.words("go on"))
			}
			w.call(2)
			w.say("assistant", w.words("done"))
		}),
		chat("an earlier summary", func(w *writer) {
			w.say("system", "You are careful.\n\n"+summarize.Note)
			w.say("user", w.words("please begin"))
			w.say("assistant", summarize.Marker+"\nThe files were read.\n"+summarize.End)
			for range 20 {
				w.say("user", w.words("please go on"))
				w.say("assistant", w.words("going on"))
			}
			w.say("user", "Is it done?")
		}),
		chat("a human message long ago", func(w *writer) {
			w.say("system", "You are careful.")
			w.say("user", "Rename the function parse to read, everywhere. "+w.words("and keep the tests"))
			for range 25 {
				w.call(1)
			}
		}),
	}
	for _, other := range []formats.Dialect{formats.Anthropic{}, formats.Hermes{}, formats.ATIF{}} {
		for _, c := range list[1:3] {
			if converted, ok := inDialect(c, other); ok {
				list = append(list, converted)
			}
		}
	}
	return append(list,
		chat("only a system text", func(w *writer) { w.say("system", "You are careful.") }),
		chat("nothing", func(*writer) {}))
}

// inDialect is a conversation as another dialect spells it.
func inDialect(c conversation, d formats.Dialect) (conversation, bool) {
	read, err := c.decode(c.raw)
	if err != nil {
		return c, false
	}
	converted, err := formats.Convert(read, d.Name())
	return conversation{c.name + ", " + d.Name(), d, converted.Payload}, err == nil
}

// chat writes a conversation of chat completions.
func chat(name string, write func(*writer)) conversation {
	w := &writer{}
	write(w)
	return conversation{name, formats.OpenAI{}, []byte(`{"id": "conformance", "messages": [` + strings.Join(w.messages, ", ") + `], "n": 1.0}`)}
}

// writer writes messages. One that goes on where another has stopped starts with its numbers.
type writer struct {
	messages []string
	parts    int // messages that were written before
	calls    int
}

// words is a text that stands nowhere else.
func (w *writer) words(start string) string {
	var b strings.Builder
	b.WriteString(start)
	for i := range 60 {
		fmt.Fprintf(&b, " item %d of part %d,", i, w.parts+len(w.messages))
	}
	return b.String()
}

func (w *writer) say(role, text string) {
	w.messages = append(w.messages, fmt.Sprintf(`{"role": %q, "content": %s}`, role, quoted(text)))
}

// call makes calls side by side, and answers them.
func (w *writer) call(n int) {
	var calls, results []string
	for range n {
		w.calls++
		arguments := fmt.Sprintf(`{"path": "src/part%d.go"}`, w.calls)
		calls = append(calls, fmt.Sprintf(`{"id": "call_%d", "type": "function", "function": {"name": "read_file", "arguments": %s}}`, w.calls, quoted(arguments)))
		results = append(results, fmt.Sprintf(`{"role": "tool", "tool_call_id": "call_%d", "content": %s}`, w.calls, quoted(w.words(fmt.Sprintf("file %d", w.calls)))))
	}
	w.messages = append(w.messages, `{"role": "assistant", "content": "Reading.", "tool_calls": [`+strings.Join(calls, ", ")+`]}`)
	w.messages = append(w.messages, results...)
}

// quoted spells a JSON string.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""` // no text fails
	}
	return string(b)
}

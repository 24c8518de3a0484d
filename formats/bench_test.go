package formats

import (
	"bytes"
	"fmt"
	"testing"
)

// benchRecord is a realistic agent record of about size bytes: prose, tool output with line ends, quotes and paths,
// arguments as strings.
func benchRecord(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"id": "run-1", "model": "gpt-4o", "messages": [{"role": "system", "content": "You are an agent that works in a terminal.\nFollow the rules."}, {"role": "user", "content": "The test suite fails on CI, please find out why."}`)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `, {"role": "assistant", "content": "Let me look at file number %d.", "tool_calls": [{"id": "call_%d", "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"sed -n 1,80p src/module_%d.py\"}"}}]}`, i, i, i)
		fmt.Fprintf(&b, `, {"role": "tool", "tool_call_id": "call_%d", "content": "`, i)
		for line := range 24 {
			fmt.Fprintf(&b, `%4d    def handle_request_%d(self, request, timeout=%d):\n        if not request.headers.get(\"Authorization\"):\n`, line, line, i*line)
		}
		b.WriteString(`"}`)
	}
	b.WriteString(`], "tools": [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}}}]}`)
	return b.Bytes()
}

// benchHermes is the same in Hermes' spelling.
func benchHermes(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"id":"run-1","conversations":[{"from":"system","value":"You call functions."},{"from":"human","value":"The test suite fails, find out why."}`)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `,{"from":"gpt","value":"<think>\nI look at file %d.\n</think>\nLet me look.\n<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"sed -n 1,80p src/module_%d.py\"}}\n</tool_call>"}`, i, i)
		fmt.Fprintf(&b, `,{"from":"tool","value":"<tool_response>\n{\"tool_call_id\": \"call_%d\", \"name\": \"bash\", \"content\": \"`, i)
		for line := range 24 {
			fmt.Fprintf(&b, `%4d    def handle_request_%d(self, request, timeout=%d):\\n        if not request.headers.get('Authorization'):\\n`, line, line, i*line)
		}
		b.WriteString(`\"}\n</tool_response>"}`)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

var benchDialects = []Dialect{OpenAI{}, Hermes{}, ShareGPT{}}

func BenchmarkValidate(b *testing.B) {
	for _, size := range []int{20 << 10, 400 << 10} {
		data := benchRecord(size)
		b.Run(fmt.Sprint(size>>10, "KB"), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := Validate(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, size := range []int{20 << 10, 400 << 10} {
		for name, data := range map[string][]byte{"openai": benchRecord(size), "hermes": benchHermes(size)} {
			b.Run(fmt.Sprint(name, size>>10, "KB"), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					c, err := Decode(Record{Raw: data}, benchDialects)
					if err != nil || len(c.Messages) < 4 {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkBytesAfterOneEdit(b *testing.B) {
	for name, data := range map[string][]byte{"openai": benchRecord(100 << 10), "hermes": benchHermes(100 << 10)} {
		b.Run(name, func(b *testing.B) {
			c, err := Decode(Record{Raw: data}, benchDialects)
			if err != nil {
				b.Fatal(err)
			}
			m := c.Messages[3]
			m.SetResult(m.Results()[0], "[Old tool output cleared to save context space]")
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if len(c.Bytes()) == 0 {
					b.Fatal("empty")
				}
			}
		})
	}
}

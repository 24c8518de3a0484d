package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/targets"
)

// messyChat is chat with what trainers stumble over: notes of the system between turns, people who write twice, answers
// that come late, calls that nothing answers, arguments as objects. Not every record has all of it; some have none.
func messyChat(r *rand.Rand, rounds int) json.RawMessage {
	odd := func(n int) bool { return r.IntN(n) == 0 }
	clean := odd(4)
	rare := func(n int) bool { return !clean && odd(n) }
	list := items{object("role", "system", "content", "You fix parsers.")}
	for i := range rounds {
		if rare(7) {
			list = append(list, object("role", "system", "content", fmt.Sprintf("Note %d: be brief.", i)))
		}
		list = append(list, object("role", "user", "content", fmt.Sprintf("Question %d: ", i)+strings.Repeat("why does it fail ", r.IntN(20))))
		if rare(7) {
			list = append(list, object("role", "user", "content", fmt.Sprintf("And %d?", i)))
		}
		for k := range r.IntN(4) {
			id := fmt.Sprintf("call_%d_%d", i, k)
			var arguments any = fmt.Sprintf(`{"n": %d}`, k)
			if rare(9) {
				arguments = object("n", k)
			}
			call := object("id", id, "type", "function", "function", object("name", "read", "arguments", arguments))
			list = append(list, object("role", "assistant", "content", "I look.", "tool_calls", items{call}))
			result := object("role", "tool", "tool_call_id", id, "content", strings.Repeat("a line of the file\n", r.IntN(60)))
			switch {
			case rare(25):
				list = append(list, object("role", "user", "content", "Stop."))
			case rare(25):
				list = append(list, object("role", "system", "content", "One turn is left."), result)
			default:
				list = append(list, result)
			}
		}
		if rare(7) {
			list = append(list, object("role", "assistant", "content", fmt.Sprintf("First %d.", i)))
		}
		list = append(list, object("role", "assistant", "content", strings.Repeat("because of this ", 1+r.IntN(40))))
	}
	if rare(4) {
		list = append(list, object("role", "user", "content", "Thanks."))
	}
	return object("messages", list)
}

// Whatever comes in, what leaves compacted is what the target takes; everything else leaves byte for byte and is counted
// when the target refuses it. Compacting the output again changes nothing.
func TestTargetsTakeWhatIsCompacted(t *testing.T) {
	full, fit := []string{"--context-length", "3000", "--protect-last", "4"}, []string{"--fit", "1200", "--protect-last", "2"}
	for _, test := range []struct {
		target, dialect string
		flags           []string
	}{
		{"llamafactory", "openai", full}, {"llamafactory", "sharegpt", fit}, {"axolotl", "openai", full}, {"trl", "openai", full},
		{"torchtune", "openai", fit}, {"verl", "openai", full}, {"openai-ft", "openai", full}, {"openai", "openai", fit},
		{"anthropic", "anthropic", full}, {"mistral", "openai", full},
	} {
		t.Run(test.target+" "+test.dialect, func(t *testing.T) {
			target, _ := targets.ByName(test.target)
			dialect, _ := namedDialect(test.dialect)
			var in [][]byte
			for seed := range uint64(40) {
				raw := []byte(messyChat(rand.New(rand.NewPCG(seed, 5)), 1+int(seed)))
				conv, err := formats.DecodeAs(formats.Record{Raw: raw}, formats.OpenAI{})
				if err != nil {
					t.Fatal(err)
				}
				conv.Dialect = "openai"
				out, err := formats.Convert(conv, test.dialect)
				if err != nil {
					t.Fatal(err)
				}
				in = append(in, out.Payload)
			}
			p := newTestProcess(t)
			p.write(t, "in.jsonl", string(bytes.Join(in, []byte("\n"))))
			flags := append([]string{"--format", test.dialect, "--target", test.target, "--tokenizer", "rough", "--fail-on", "rejected", "--force"}, test.flags...)
			report := func() (r struct {
				Records struct{ Refused, Adapted int }
			}) {
				raw, err := os.ReadFile(p.Path("r.json"))
				if err != nil {
					t.Fatal(err)
				}
				mustDecode(raw, &r)
				return r
			}
			if code := p.run(append([]string{"compact", "in.jsonl", "-o", "out.jsonl", "--report", "r.json"}, flags...)...); code != 0 {
				t.Fatalf("exit code %d: %s", code, &p.stderr)
			}
			raw, err := os.ReadFile(p.Path("out.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			out := bytes.Split(raw, []byte("\n"))
			if len(out) != len(in) {
				t.Fatalf("%d records became %d", len(in), len(out))
			}
			changed, refused := 0, 0
			for i := range out {
				after, err := formats.DecodeAs(formats.Record{Raw: out[i]}, dialect)
				if err != nil {
					t.Fatal(err)
				}
				breaches := target.Check(targets.Record{Conversation: after, Payload: out[i], Parquet: true})
				switch same := bytes.Equal(in[i], out[i]); {
				case same && len(breaches) > 0:
					refused++
				case !same:
					if changed++; len(breaches) > 0 {
						t.Errorf("record %d: %s", i, breaches[0].Text)
					}
				}
			}
			r := report()
			t.Logf("%d of %d compacted, %d adapted, %d refused as they came", changed, len(in), r.Records.Adapted, refused)
			if changed < 4 || r.Records.Refused != refused {
				t.Errorf("%d changed, %d refused, the report says %d", changed, refused, r.Records.Refused)
			}
			if said := p.stderr.String(); (refused > 0) != strings.Contains(said, "refused by "+test.target+" as") {
				t.Errorf("%d refused; said:\n%s", refused, said)
			}
			if code := p.run(append([]string{"compact", "out.jsonl", "-o", "again.jsonl", "-q"}, flags...)...); code != 0 {
				t.Fatalf("exit code %d: %s", code, &p.stderr)
			}
			if again, err := os.ReadFile(p.Path("again.jsonl")); err != nil || !bytes.Equal(again, raw) {
				t.Errorf("compacting again changes it (%v)", err)
			}
		})
	}
}

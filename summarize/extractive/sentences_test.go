package extractive

import (
	"strings"
	"testing"
)

func TestSentences(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"One is done. Two is next! Three?", "One is done.|Two is next!|Three?"},
		{"See src/a.go and v1.2.3 of it. Then stop.", "See src/a.go and v1.2.3 of it.|Then stop."},
		{"Use e.g. Make or i.e. Ninja, z.B. Bazel. Done.", "Use e.g. Make or i.e. Ninja, z.B. Bazel.|Done."},
		{"Dr. Smith said no. 5 is fine.", "Dr. Smith said no. 5 is fine."},
		{"first line\nsecond line", "first line|second line"},
		{"this is a long line of a paragraph that was wrapped by the editor\nand goes on here. End.", "this is a long line of a paragraph that was wrapped by the editor\nand goes on here.|End."},
		{"- item one\n- item two.\n1. item three", "item one|item two.|item three"},
		{"before\n```go\ncode. Here.\n```\nafter", "before|after"},
		{"# Heading\n<tag>\n| a | b |\n---\ntext", "text"},
		{"必须用制表符。不要改测试！好的", "必须用制表符。|不要改测试！|好的"},
		{"He said \"stop. Now.\" and left.", "He said \"stop.|Now.\" and left."},
		{"x = 1;\n}\nreal words", "real words"},
		{"", ""},
	} {
		var got []string
		for _, s := range sentences(test.text) {
			got = append(got, s.text)
		}
		if joined := strings.Join(got, "|"); joined != test.want {
			t.Errorf("%q:\n got %q\nwant %q", test.text, joined, test.want)
		}
	}
}

func TestDemand(t *testing.T) {
	for text, want := range map[string]int{
		"You must not touch the tests.":             2,
		"Never push to main":                        2,
		"Use tabs, always":                          2,
		"I'd prefer the cheapest one":               2,
		"I prefer short names":                      2,
		"please use tabs":                           1,
		"It should be fast":                         1,
		"I don't remember the number":               1,
		"I don't want any frameworks":               2,
		"The build is red":                          0,
		"Fass die Tests niemals an":                 2,
		"Das muss schneller werden":                 2,
		"Il ne faut jamais modifier ce fichier":     2,
		"No uses nunca esa biblioteca":              2,
		"Isso deve funcionar sempre":                2,
		"Non devi mai usare il ramo principale":     2,
		"Никогда не трогай этот файл":               2,
		"必须用 Go 写":                                  2,
		"テストは変更しないでください":                            2,
		"절대 수정하지 마세요":                               2,
		"Die Farbe ist blau":                        0,
		"Le ciel est bleu":                          0,
		"keep the public interface as it is":        1,
		"Don’t use the network":                     2,
		"the musty cellar neverland onlyness bonus": 0,
	} {
		if got := demand(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestFiller(t *testing.T) {
	for text, want := range map[string]bool{
		"Let me look at the file": true, "Sure, here it is": true, "I'll now run it": true, "Perfect!": true,
		"The parser drops the zone": false, "Saturated fats": false, "Okinawa": false,
	} {
		if got := filler(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestPlanIn(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"Next steps:\n1. add a test\n2. run it\n", "add a test|run it"},
		{"## Plan\n- [x] read\n- [ ] write the fix\n- [ ] test it", "write the fix|test it"},
		{"The options are:\n- a\n- b", ""},
		{"My plan:\n- one thing", ""},
		{"Remaining:\n- outer one\n  - inner\n- outer two\n\nThat is all.", "outer one|outer two"},
		{"接下来的计划：\n1. 写测试\n2. 运行", "写测试|运行"},
		{"**下一步:**\n1. 写测试\n2. 运行", "写测试|运行"},
	} {
		var got []string
		for _, l := range planIn(said{text: test.text}) {
			got = append(got, l.text)
		}
		if joined := strings.Join(got, "|"); joined != test.want {
			t.Errorf("%q: %q, want %q", test.text, joined, test.want)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("One. Two!\n- three\n```\ncode\n```\n必须。")
	f.Add("a...b…c? 1. 2) no. 5")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range sentences(text) {
			if s.text == "" || !strings.Contains(text, s.text) {
				t.Fatalf("%q is not of %q", s.text, text)
			}
			demand(s.text)
			filler(s.text)
		}
		planIn(said{text: text})
	})
}

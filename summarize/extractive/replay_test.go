package extractive_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

// rough counts four bytes a token: good enough to compare, and without vocabularies.
func rough(text string) int { return (len(text) + 3) / 4 }

// cut is a conversation as a compactor meets it, and what came afterwards.
type cut struct {
	name   string
	req    summarize.Request
	future []*formats.Message
}

// newCut cuts messages at a part of their number (0.6: 60 %): head of at most 4 messages, a tail of about tail tokens, the middle between, the future
// after. It says false when there is no middle worth the name.
func newCut(name string, messages []*formats.Message, part float64, tail int) (cut, bool) {
	atoms := formats.Pair(messages).Atoms
	at := int(float64(len(messages)) * part)
	end := 0
	for end < len(atoms) && atoms[end].End <= at {
		end++
	}
	head := 0
	for head < end && atoms[head].End <= 4 {
		head++
	}
	from := end
	for size := 0; from > head; from-- {
		for _, m := range messages[atoms[from-1].Start:atoms[from-1].End] {
			size += sizeOf(m)
		}
		if size > tail {
			break
		}
	}
	if from <= head || end == 0 {
		return cut{}, false
	}
	c := cut{name: name, future: messages[atoms[end-1].End:]}
	tokens := 0
	for _, a := range atoms[head:from] {
		t := summarize.Turn{Messages: messages[a.Start:a.End]}
		for _, m := range t.Messages {
			t.Tokens += sizeOf(m)
		}
		tokens += t.Tokens
		c.req.Turns = append(c.req.Turns, t)
	}
	c.req.Head = messages[:atoms[head].Start]
	c.req.Tail = messages[atoms[from-1].End:atoms[end-1].End]
	c.req.From, c.req.To = atoms[head].Start, atoms[from-1].End-1
	c.req.Count = rough
	c.req.Budget = min(max(2000, min(tokens/5, 10000)), tokens/2)
	c.req.Ledger = 1200
	return c, tokens > 1500
}

func sizeOf(m *formats.Message) int { return rough(allText(m)) + 4 }

// allText is everything that a model reads in a message, decoded.
func allText(m *formats.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		switch v := p.(type) {
		case *formats.Text:
			b.WriteString(v.Text + "\n")
		case *formats.ToolCall:
			b.WriteString(summarize.ReadCall(m, v).Input + "\n")
		case *formats.ToolResult:
			b.WriteString(v.Text + "\n")
		}
	}
	return b.String()
}

func textOf(messages []*formats.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(allText(m))
	}
	return b.String()
}

func ids(text string) map[string]summarize.IdentifierKind {
	set := map[string]summarize.IdentifierKind{}
	summarize.Identifiers(text, func(id string, kind summarize.IdentifierKind) {
		if kind != summarize.Version {
			set[id] = kind
		}
	})
	return set
}

// score holds the recall metrics of quality.md for one conversation; -1 where there is nothing to recall.
type score struct {
	future, futurePath, modified, read, constraint float64
	missed                                         []string
}

func measure(c cut, summary string) score {
	middle := textOf(c.req.Messages())
	output := textOf(c.req.Head) + summary + "\n" + textOf(c.req.Tail)
	found, past := ids(output), ids(middle)
	bases := map[string]bool{}
	for id, kind := range found {
		if kind == summarize.Path {
			bases[base(id)] = true
		}
	}
	var s score
	want, have, wantPath, havePath := 0, 0, 0, 0
	seen := map[string]bool{}
	calls := 0
	for _, m := range c.future {
		for _, call := range m.Calls() {
			if calls++; calls > 30 {
				break
			}
			for id, kind := range ids(summarize.ReadCall(m, call).Input) {
				if _, ok := past[id]; !ok || seen[id] {
					continue
				}
				seen[id] = true
				_, ok := found[id]
				ok = ok || kind == summarize.Path && bases[base(id)]
				want++
				if ok {
					have++
				} else {
					s.missed = append(s.missed, id)
				}
				if kind == summarize.Path {
					wantPath++
					if ok {
						havePath++
					}
				}
			}
		}
	}
	s.future, s.futurePath = share(have, want), share(havePath, wantPath)
	written, read := map[string]bool{}, map[string]bool{}
	for _, a := range summarize.Actions(c.req.Messages()) {
		for _, p := range a.Written {
			written[p] = true
		}
		for _, p := range a.Read {
			read[p] = true
		}
	}
	s.modified, s.read = recall(written, summary), recall(read, summary)
	for p := range written {
		if !strings.Contains(summary, p) {
			s.missed = append(s.missed, "written: "+p)
		}
	}
	s.constraint = constraintRecall(c, summary)
	sort.Strings(s.missed)
	return s
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func share(have, want int) float64 {
	if want == 0 {
		return -1
	}
	return float64(have) / float64(want)
}

func recall(paths map[string]bool, summary string) float64 {
	have := 0
	for p := range paths {
		if strings.Contains(summary, p) {
			have++
		}
	}
	return share(have, len(paths))
}

var demanding = []string{"must", "never", "don't", "do not", "only", "always", "prefer"}

// constraintRecall is the share of the middle's human sentences that demand and stand in the summary, verbatim or with
// 60 % of their words of four letters and more.
func constraintRecall(c cut, summary string) float64 {
	want, have := 0, 0
	bag := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(summary)) {
		bag[strings.Trim(w, ".,;:!?\"'()*`")] = true
	}
	for _, m := range c.req.Messages() {
		if !formats.Human(m) {
			continue
		}
		for _, s := range strings.FieldsFunc(m.Text(), func(r rune) bool { return r == '\n' || r == '.' || r == '!' || r == '?' }) {
			padded := " " + strings.ToLower(s) + " "
			hit := false
			for _, d := range demanding {
				hit = hit || strings.Contains(padded, " "+d+" ")
			}
			if !hit {
				continue
			}
			want++
			words, known := 0, 0
			for _, w := range strings.Fields(strings.ToLower(s)) {
				if w = strings.Trim(w, ".,;:!?\"'()*`"); len(w) >= 4 {
					words++
					if bag[w] {
						known++
					}
				}
			}
			if strings.Contains(summary, strings.TrimSpace(s)) || words > 0 && known*10 >= words*6 {
				have++
			}
		}
	}
	return share(have, want)
}

// control is the first sentence of every message, newest messages first, up to the same size.
func control(req summarize.Request, budget int) string {
	messages := req.Messages()
	var b strings.Builder
	for i := len(messages) - 1; i >= 0; i-- {
		text := strings.TrimSpace(allText(messages[i]))
		line, _, _ := strings.Cut(text, "\n")
		if k := strings.Index(line, ". "); k > 0 {
			line = line[:k+1]
		}
		line = summarize.Clip(line, 200)
		if rough(b.String())+rough(line) > budget {
			continue
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

type mean struct{ sum, n float64 }

func (m *mean) add(v float64) {
	if v >= 0 {
		m.sum += v
		m.n++
	}
}

func (m mean) value() float64 { return m.sum / max(m.n, 1) }

var (
	everyCut = flag.Bool("every-cut", false, "cut the public transcripts at 40, 60 and 80 %, not at 60 % only")
	dump     = flag.String("dump", "", "a folder for the summaries of the public transcripts, to be read")
)

var metrics = [5]string{"future_recall", "future_path_recall", "modified_file_recall", "read_file_recall", "constraint_recall"}

// TestReplay measures summaries of real conversations against what the agents did next, and against the control.
func TestReplay(t *testing.T) {
	all := transcripts(t)
	var ours, theirs [5]mean
	for _, name := range names(all) {
		parts := []float64{0.6}
		if *everyCut {
			parts = []float64{0.4, 0.6, 0.8}
		}
		for _, part := range parts {
			tail := 8000
			if strings.HasPrefix(name, "gpt-4o") {
				tail = 1000
			}
			c, ok := newCut(fmt.Sprintf("%s@%.0f", name, part*100), all[name], part, tail)
			if !ok {
				continue
			}
			got, base := replay(t, c, *dump)
			for i := range got {
				ours[i].add(got[i])
				theirs[i].add(base[i])
			}
		}
	}
	for i, metric := range metrics {
		t.Logf("%-22s ours %.3f control %.3f (%.0f conversations)", metric, ours[i].value(), theirs[i].value(), ours[i].n)
		if ours[i].value() <= theirs[i].value() {
			t.Errorf("%s: %.3f does not beat the control's %.3f", metric, ours[i].value(), theirs[i].value())
		}
	}
}

// replay summarises one cut and measures the summary and the control of the same size.
func replay(t *testing.T, c cut, dump string) (ours, theirs [5]float64) {
	s, err := summarize.Compose(context.Background(), extractive.Summarizer{}, c.req)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	size := rough(s.Text) - summarize.FrameTokens(rough)
	if size > c.req.Budget+8 {
		t.Errorf("%s: %d tokens, budget %d", c.name, size, c.req.Budget)
	}
	got, base := measure(c, s.Text), measure(c, control(c.req, size))
	if !strings.HasPrefix(c.name, "gpt-4o") {
		none := measure(c, "")
		t.Logf("%-40s budget %5d used %5d future %.2f/%.2f modified %.2f read %.2f constraint %.2f | control %.2f/%.2f %.2f %.2f %.2f | tail alone %.2f/%.2f",
			c.name, c.req.Budget, size, got.future, got.futurePath, got.modified, got.read, got.constraint, base.future, base.futurePath, base.modified, base.read, base.constraint, none.future, none.futurePath)
	}
	if dump != "" {
		text := s.Text + "\n\n=== missed\n" + strings.Join(got.missed, "\n")
		if err := os.WriteFile(filepath.Join(dump, c.name+".txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return [5]float64{got.future, got.futurePath, got.modified, got.read, got.constraint},
		[5]float64{base.future, base.futurePath, base.modified, base.read, base.constraint}
}

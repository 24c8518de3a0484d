package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/report/quality"
)

// element is one element of a page with its attributes.
type element struct {
	name       string
	attributes map[string]string
}

var empty = regexp.MustCompile(`<(meta|link)([^>]*)>`)

var scripts = regexp.MustCompile(`(?s)(<script[^>]*>|<style>)(.*?)(</script>|</style>)`)

// parsePage reads a page as XML would (with HTML's empty elements), so that a tag which is not closed or a stray < is an
// error. Scripts and styles come apart.
func parsePage(t testing.TB, page string) (elements []element, text string, inline []string) {
	t.Helper()
	for _, m := range scripts.FindAllStringSubmatch(page, -1) {
		inline = append(inline, m[2])
	}
	page = scripts.ReplaceAllString(page, "$1$3")
	page = strings.Replace(page, "<!doctype html>", "", 1)
	decoder := xml.NewDecoder(strings.NewReader(empty.ReplaceAllString(page, "<$1$2/>")))
	decoder.Entity = xml.HTMLEntity
	var b strings.Builder
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch v := token.(type) {
		case xml.StartElement:
			e := element{v.Name.Local, map[string]string{}}
			for _, a := range v.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			elements = append(elements, e)
		case xml.CharData:
			b.Write(v)
		}
	}
	return elements, b.String(), inline
}

func htmlOf(t testing.TB, r *Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteHTML(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// fullReport has something in every part of the page.
func fullReport(rows int) Report {
	b := NewBuilder(64_000)
	n := numbers(7)
	for i := range rows {
		row := testRow(&n, i)
		row.Texts = Texts{Held: 10, Pair: func() *quality.Pair { return testPair(row.ID, 3) }}
		b.Add(row)
	}
	r := b.Report(testHeader(), testClock())
	r.Failures.RejectsFile, r.Failures.Rerun = "out/rejects.jsonl", "ctxpack compact out/rejects.jsonl -o out/again.jsonl"
	r.Summaries.Calls, r.Summaries.Cost, r.Summaries.CostSaved = 73, 18.42, 2.5
	value := 0.412
	r.Quality = &quality.Report{SchemaVersion: "1.0", Verdict: "pass", Rows: quality.RowCounts{Fired: 73, Breached: 1},
		Metrics: []quality.MetricSummary{{Metric: "saving", Rows: 73, Mean: 0.412, Low: 0.39, High: 0.43, Worst: 0.1},
			{Metric: "growth", Rows: 3, Mean: 1.2, Low: 1.1, High: 1.4, Worst: 1.6, Lower: true}},
		Gates:      []quality.GateResult{{Metric: "saving", Bound: "min", Limit: 0.3, Value: &value, Rows: 73, Pass: true}},
		Invariants: []quality.InvariantCount{{Code: "I4", Rows: 1, Example: "runs/a.jsonl:3"}}}
	return r
}

func TestHTMLStructure(t *testing.T) {
	r, older := fullReport(600), testReport(500)
	var compared bytes.Buffer
	if err := NewComparison(&older, &r).WriteHTML(&compared); err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{"alone": htmlOf(t, &r), "compared": compared.String()} {
		elements, text, inline := parsePage(t, page)
		if len(inline) != 3 {
			t.Fatalf("%s: %d scripts and styles", name, len(inline))
		}
		ids := map[string]bool{}
		counts := map[string]int{}
		for _, e := range elements {
			counts[e.name]++
			if id := e.attributes["id"]; id != "" {
				if ids[id] {
					t.Errorf("%s: id %s twice", name, id)
				}
				ids[id] = true
			}
		}
		for _, e := range elements {
			checkElement(t, name, e, ids)
		}
		if counts["h1"] != 1 || counts["main"] != 1 || counts["svg"] < 40 || counts["table"] < 12 {
			t.Errorf("%s: %v", name, counts)
		}
		for _, want := range []string{"p95", "threshold", "¼ left", "out/rejects.jsonl", "Least gained", "Slowest", "$18.42", "saving", "≥ 0.3 pass"} {
			if !strings.Contains(text, want) && !strings.Contains(page, want) {
				t.Errorf("%s: nothing says %q", name, want)
			}
		}
		if strings.Contains(text, "Compared with") != (name == "compared") {
			t.Errorf("%s: the comparison", name)
		}
	}
}

// checkElement holds an element to what keyboards, screen readers and closed networks need.
func checkElement(t *testing.T, name string, e element, ids map[string]bool) {
	t.Helper()
	for a, v := range e.attributes {
		switch {
		case strings.HasPrefix(a, "on"):
			t.Errorf("%s: %s has %s", name, e.name, a)
		case a == "src" || a == "href" && !strings.HasPrefix(v, "#") && v != "data:,":
			t.Errorf("%s: %s loads %s", name, e.name, v)
		case (a == "aria-labelledby" || a == "aria-describedby") && !ids[v]:
			t.Errorf("%s: %s is labelled by %s, which is not there", name, e.name, v)
		}
	}
	at := e.attributes
	switch e.name {
	case "svg":
		if at["aria-hidden"] != "true" && (at["role"] != "img" || at["aria-label"] == "") {
			t.Errorf("%s: a drawing that says nothing: %v", name, at)
		}
	case "th":
		if at["scope"] == "" {
			t.Errorf("%s: a head of no scope", name)
		}
	case "button":
		if at["type"] != "button" {
			t.Errorf("%s: a button of type %q", name, at["type"])
		}
	case "div":
		if at["class"] == "scroll" && (at["tabindex"] != "0" || at["role"] != "region") {
			t.Errorf("%s: an area that scrolls and cannot be reached with keys", name)
		}
	case "img", "iframe", "form", "object":
		t.Errorf("%s: an element %s", name, e.name)
	}
}

// TestHTMLIsHarmless: whatever names and texts say, the page has the same elements, and they are on it as text.
func TestHTMLIsHarmless(t *testing.T) {
	build := func(name string) Report {
		r := hostileReport(name)
		r.Excerpts = []Excerpt{{File: name, ID: name, Turns: NewTurns(testPair(name, 2), reportLimits())}}
		return r
	}
	shape := func(t testing.TB, name string) ([]string, string, []string) {
		r := build(name)
		page := htmlOf(t, &r)
		for _, c := range page {
			if !unicode.IsPrint(c) && c != '\n' && c != '\t' {
				t.Fatalf("%U in the page", c)
			}
		}
		elements, text, inline := parsePage(t, page)
		var names []string
		for _, e := range elements {
			names = append(names, e.name)
		}
		var read []Excerpt
		if err := json.Unmarshal([]byte(inline[1]), &read); err != nil || len(read) != 1 || !reflect.DeepEqual(read[0].Turns, r.Excerpts[0].Turns) {
			t.Fatalf("the excerpts are not data: %v", err)
		}
		if strings.ContainsAny(inline[1], "<>&") {
			t.Fatal("markup in the data")
		}
		return names, text, inline
	}
	want, _, style := shape(t, "name")
	check := func(t testing.TB, name string) {
		got, text, inline := shape(t, name)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q changes the elements of the page: %d, not %d", name, len(got), len(want))
		}
		if inline[0] != style[0] || inline[2] != style[2] {
			t.Errorf("%q changes style or script", name)
		}
		if shown := clip(name, 20); !strings.Contains(text, strings.TrimSuffix(shown, "…")) {
			t.Errorf("%q is nowhere on the page", shown)
		}
	}
	for _, name := range append(hostile(), `"><script>alert(1)</script>`, "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--", "]]>", "{{.}}", "'\"`") {
		check(t, name)
	}
	rapid.Check(t, func(rt *rapid.T) { check(t, "x"+rapid.StringN(0, 30, -1).Draw(rt, "name")) })
}

// A report that was read may hold anything where ctxpack writes one of a few words.
func TestHTMLOfForeignWords(t *testing.T) {
	r := fullReport(50)
	const evil = `" onload="alert(1)"><script>alert(1)</script>`
	var data bytes.Buffer
	if err := WriteJSON(&data, &r); err != nil {
		t.Fatal(err)
	}
	spelled, _ := json.Marshal(evil)
	for _, word := range []string{"summarized", "pruned", "pruning", "summarizing", "rejected", "syntax", "saving", "kept", "pass", "min", "decode"} {
		changed := strings.ReplaceAll(data.String(), `"`+word+`"`, string(spelled))
		read, err := ReadJSON(strings.NewReader(changed))
		if err != nil {
			continue // it had to be one of the words
		}
		elements, _, _ := parsePage(t, htmlOf(t, &read))
		for _, e := range elements {
			checkElement(t, word, e, map[string]bool{e.attributes["aria-labelledby"]: true})
		}
	}
}

// TestHundredThousand is a run of 100,000 conversations with texts: memory does not grow, the page stays small.
func TestHundredThousand(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	b, n := NewBuilder(64_000), numbers(11)
	raw := strings.Repeat("<b>&\u202e some text of a transcript </b>\n", 200)
	start := int64(0)
	for i := range 100_000 {
		row := testRow(&n, i)
		row.ID = fmt.Sprintf("run-%06d", i)
		text := []byte(raw) // as a record of its own would be
		row.Texts = Texts{Held: len(text), Pair: func() *quality.Pair { return testPair(string(text), 120) }}
		b.Add(row)
		if i == 20_000 {
			start = heap()
		}
	}
	if grown := heap() - start; grown > 1<<20 {
		t.Errorf("80,000 rows took %d bytes", grown)
	}
	r := b.Report(testHeader(), testClock())
	page := htmlOf(t, &r)
	var data bytes.Buffer
	if err := WriteJSON(&data, &r); err != nil {
		t.Fatal(err)
	}
	t.Logf("HTML %d KB, JSON %d KB, %d excerpts, %d cells", len(page)>>10, data.Len()>>10, len(r.Excerpts), len(r.Scatter.Cells))
	if len(page) > 5<<20 || data.Len() > 5<<20 {
		t.Errorf("HTML of %d bytes, JSON of %d", len(page), data.Len())
	}
	if len(r.Excerpts) < 10 || len(r.Scatter.Cells) < 100 || r.Scatter.Other != 0 {
		t.Errorf("%d excerpts, %d cells, %d others", len(r.Excerpts), len(r.Scatter.Cells), r.Scatter.Other)
	}
}

func TestLogAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 0, 5).Draw(t, "values")
		axis := newLogAxis(values...)
		if axis.high-axis.low < 3-1e-9 {
			t.Fatalf("%v spans too little", axis)
		}
		for _, v := range values {
			if at := axis.at(float64(v)); at < 0 || at > 1 {
				t.Fatalf("%d is at %v", v, at)
			}
		}
		labels := 0
		for _, tick := range axis.ticks(tokenName) {
			if at := axis.at(tick.value); at < 0 || at > 1 || tick.minor != (tick.label == "") {
				t.Fatalf("%+v at %v", tick, at)
			}
			if !tick.minor {
				labels++
			}
		}
		if labels < 2 || labels > 16 {
			t.Fatalf("%d labels on %v", labels, axis)
		}
	})
}

func BenchmarkHTML(b *testing.B) {
	r := fullReport(3000)
	for b.Loop() {
		if err := WriteHTML(io.Discard, &r); err != nil {
			b.Fatal(err)
		}
	}
}

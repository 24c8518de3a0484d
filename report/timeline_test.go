package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/promptcost"
	"github.com/ctxpack/ctxpack/compress/replay"
	"github.com/ctxpack/ctxpack/formats"
)

// testTimeline is a conversation of so many calls, whose window grows by step tokens a call and is compacted at threshold.
func testTimeline(id string, calls, step, threshold int) replay.Timeline {
	t := replay.Timeline{
		ID: id, Model: "gpt-4o", ContextLength: 2 * threshold, Threshold: threshold, Hygiene: threshold * 17 / 10, Usage: "counted",
		Messages: 1 + 2*calls, Segments: 1,
	}
	window, original := 500, 500
	for i := range calls {
		if window >= threshold*85/100 && window < threshold*85/100+step {
			t.Events = append(t.Events, replay.Event{Layer: replay.LayerPressure, Message: 1 + 2*i, Turn: i, Segment: t.Segments, Tokens: window, Limit: threshold * 85 / 100})
		}
		if window >= threshold {
			e := replay.Event{Layer: replay.LayerEngine, Message: 1 + 2*i, Turn: i, Segment: t.Segments, Tokens: window, Limit: threshold,
				Status: compress.Summarized, Before: window, After: window / 4, Pruned: window / 4, Summarized: window / 2, Summary: 300, From: 3, To: 2 * i}
			if len(t.Events)%5 == 3 {
				e.Layer = replay.LayerHygiene
			}
			t.Events = append(t.Events, e)
			window = e.After
			t.Segments++
		}
		t.Turns = append(t.Turns, replay.Turn{Message: 1 + 2*i, Segment: t.Segments, Prompt: window, Original: original, Completion: 40})
		s := &t.Totals
		s.Calls++
		s.Prompt += int64(window)
		s.Uncompacted += int64(original)
		s.Completion += 40
		s.Largest = max(s.Largest, window)
		window += step
		original += step
	}
	t.Totals.Compactions, t.Totals.Tokens = t.Segments-1, original
	t.Totals.Caching = replay.Caching{Compacted: testAccount(t.Totals.Prompt), Uncompacted: testAccount(t.Totals.Uncompacted)}
	return t
}

func testAccount(prompt int64) promptcost.Account {
	n := int(prompt)
	return promptcost.Account{Calls: 3, CallCost: promptcost.CallCost{
		Prompt: n, NoCaching: promptcost.Cost{Uncached: n, Equivalents: float64(n)},
		FiveMinutes: promptcost.Cost{Written: n / 10, Read: n - n/10, Equivalents: float64(n) / 5},
		OneHour:     promptcost.Cost{Written: n / 10, Read: n - n/10, Equivalents: float64(n) / 4},
	}}
}

// replayOf is a run over timelines; hostile is the name of the file they are from.
func replayOf(file string, list ...replay.Timeline) (Timeline, []TimelineRow) {
	b, timelines := NewBuilder(), NewTimelineBuilder("5m")
	var rows []TimelineRow
	for i, t := range list {
		status := compress.Untouched
		if t.Totals.Compactions > 0 {
			status = compress.Summarized
		}
		row := NewRow(formats.Record{Pos: formats.Position{File: file, Line: int64(i + 1), Index: int64(i)}}, nil, compress.Result{
			Status: status, Before: compress.Tally{Tokens: int(t.Totals.Uncompacted)}, After: compress.Tally{Tokens: int(t.Totals.Prompt)},
			Budget: compress.Budget{ContextLength: t.ContextLength, Threshold: t.Threshold}, OverLimit: t.Totals.Largest > t.ContextLength,
		})
		b.Add(row)
		rows = append(rows, NewTimelineRow(row, t))
		timelines.Add(rows[i])
	}
	b.Add(RejectRow(&formats.Fault{Pos: formats.Position{File: file, Line: 9}, Stage: formats.StageDecode, Code: "syntax", Err: errors.New("a <b> & \"c\"")}))
	header := testHeader()
	header.Command, header.Target = "replay", Target{Model: "gpt-4o", ContextLength: 16_000, Source: "gpt-4o, litellm 2026-09-01", Strategy: "full", Threshold: 8_000}
	run := b.Report(header, testClock())
	run.Failures.RejectsFile = "out/rejects.jsonl"
	return timelines.Timeline(&run, "compressor"), rows
}

func testReplay() (Timeline, []TimelineRow) {
	vain := testTimeline("vain", 30, 100, 8000)
	vain.Events = append(vain.Events, replay.Event{Layer: replay.LayerEngine, Turn: 29, Tokens: 8100, Limit: 8000, Status: compress.NoGain, Reason: "not smaller", Before: 8100, After: 8100})
	vain.Usage, vain.Totals.Reported, vain.Totals.ReportedCached = "reported", 40_000, 30_000
	return replayOf("runs/a.jsonl", testTimeline("long", 120, 700, 8000), testTimeline("short", 4, 200, 8000), vain, testTimeline("middle", 40, 500, 8000))
}

func TestTimelineGolden(t *testing.T) {
	timeline, rows := testReplay()
	for _, r := range TimelineRenderers() {
		if r.Ending == ".html" {
			continue // its structure is tested, its looks are to be looked at
		}
		var out bytes.Buffer
		if err := r.Render(&out, &timeline); err != nil {
			t.Fatal(err)
		}
		golden(t, "timeline"+r.Ending, out.Bytes())
	}
	golden(t, "timeline-ascii-120.txt", []byte(strings.Join(Screen{Columns: 120, ASCII: true}.TimelineLines(&timeline), "\n")+"\n"))
	golden(t, "timeline.json", timelineFile(t, &timeline, rows[1:2]))
}

// timelineFile is the JSON form.
func timelineFile(t testing.TB, timeline *Timeline, rows []TimelineRow) []byte {
	t.Helper()
	var out bytes.Buffer
	file := NewTimelineFile(&out)
	for _, row := range rows {
		line, err := AppendTimelineRow(nil, row)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Add(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(timeline); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The JSON form is one object with the version first, however many conversations it has, and the totals in it are those of
// the conversations in it.
func TestTimelineFileAddsUp(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		var list []replay.Timeline
		for i := range n {
			list = append(list, testTimeline(fmt.Sprint(i), 20+10*i, 600, 8000))
		}
		timeline, rows := replayOf("a.jsonl", list...)
		data := timelineFile(t, &timeline, rows)
		if !bytes.HasPrefix(data, []byte("{\n  \"schema_version\": \"1.0\",\n  \"kind\": \"timeline\",")) {
			t.Errorf("it begins with %.80s", data)
		}
		var read struct {
			Timeline
			Conversations []TimelineRow `json:"conversations"`
		}
		if err := json.Unmarshal(data, &read); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		var want TimelineTotals
		for _, c := range read.Conversations {
			want.Calls += int64(len(c.Turns))
			want.Segments += int64(c.Segments)
			for _, turn := range c.Turns {
				want.Prompt += int64(turn.Prompt)
				want.Uncompacted += int64(turn.Original)
			}
			for _, e := range c.Events {
				if e.Status.Changed() {
					want.Compactions++
				}
			}
			want.Caching.Compacted.FiveMinutes.Equivalents += c.Totals.Caching.Compacted.FiveMinutes.Equivalents
		}
		got := read.Totals
		if len(read.Conversations) != n || int(got.Conversations) != n || got.Calls != want.Calls || got.Segments != want.Segments || got.Prompt != want.Prompt ||
			got.Uncompacted != want.Uncompacted || got.Compactions != want.Compactions ||
			got.Caching.Compacted.FiveMinutes.Equivalents != want.Caching.Compacted.FiveMinutes.Equivalents {
			t.Errorf("%d conversations: the totals are %+v, those of the conversations %+v", n, got, want)
		}
		var layers int64
		for _, l := range got.Layers {
			layers += l.Compactions
		}
		if layers != got.Compactions {
			t.Errorf("%d compactions, by layer %d", got.Compactions, layers)
		}
		if _, err := ReadJSON(bytes.NewReader(data)); err == nil || !strings.Contains(err.Error(), `its kind is "timeline"`) {
			t.Errorf("read as the report of a compaction: %v", err)
		}
	}
}

// Of many conversations those with the most compactions are kept, at most 50 of them.
func TestTimelineKeepsTheMostInteresting(t *testing.T) {
	b := NewTimelineBuilder("5m")
	for i := range 3 * shownTimelines {
		tl := testTimeline(fmt.Sprint(i), 5+i%100, 700, 8000)
		b.Add(NewTimelineRow(Row{File: "a", Line: int64(i), Status: compress.Summarized}, tl))
	}
	shown := b.Timeline(&Report{}, "compressor").Shown
	if len(shown) != shownTimelines {
		t.Fatalf("%d shown", len(shown))
	}
	for i := 1; i < len(shown); i++ {
		a, c := shown[i-1].Totals, shown[i].Totals
		if a.Compactions < c.Compactions || a.Compactions == c.Compactions && a.Uncompacted < c.Uncompacted {
			t.Errorf("%d: %d compactions, %d tokens before %d, %d", i, a.Compactions, a.Uncompacted, c.Compactions, c.Uncompacted)
		}
	}
}

// A row shares nothing with what it was made of.
func TestTimelineRowIsItsOwn(t *testing.T) {
	tl := testTimeline(strings.Repeat("x", 1000), 30, 600, 8000)
	row := NewTimelineRow(Row{}, tl)
	tl.Turns[0].Prompt, tl.Events[0].Tokens = -1, -1
	if row.Turns[0].Prompt == -1 || row.Events[0].Tokens == -1 || len(row.ID) > maxName {
		t.Errorf("%d %d %d", row.Turns[0].Prompt, row.Events[0].Tokens, len(row.ID))
	}
	line, err := AppendTimelineRow(nil, NewTimelineRow(Row{}, replay.Timeline{ID: "\u202eevil\u0085"}))
	if err != nil || !bytes.Contains(line, []byte(`"turns":[],"events":[]`)) || bytes.Contains(line, []byte("\u202e")) {
		t.Errorf("%s %v", line, err)
	}
}

// The terminal summary fits its screen, whatever the run was.
func TestTimelineLinesFit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var list []replay.Timeline
		for i := range rapid.IntRange(0, 12).Draw(rt, "conversations") {
			list = append(list, testTimeline(fmt.Sprint(i), rapid.IntRange(0, 60).Draw(rt, "calls"), rapid.IntRange(0, 1<<30).Draw(rt, "step"), rapid.IntRange(1, 1<<30).Draw(rt, "threshold")))
		}
		file := rapid.SampledFrom([]string{"a.jsonl", strings.Repeat("long/", 60) + "漢字.jsonl", "\x1b[2Jx\u202e.jsonl"}).Draw(rt, "file")
		timeline, _ := replayOf(file, list...)
		for _, width := range []int{0, 60, 80, 120} {
			lines := Screen{Columns: width}.TimelineLines(&timeline)
			if len(lines) > textLines {
				rt.Fatalf("%d lines", len(lines))
			}
			for _, line := range lines {
				if columns(line) > (Screen{Columns: width}).width() {
					rt.Fatalf("%d columns: %q", columns(line), line)
				}
				if strings.ContainsAny(line, "\x1b\n\u202e") {
					rt.Fatalf("%q", line)
				}
			}
		}
	})
}

func timelineHTML(t testing.TB, timeline *Timeline) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteTimelineHTML(&out, timeline); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTimelineHTMLStructure(t *testing.T) {
	timeline, _ := testReplay()
	page := timelineHTML(t, &timeline)
	elements, text, inline := parsePage(t, page)
	if len(inline) != 1 {
		t.Fatalf("%d scripts and styles", len(inline))
	}
	ids, counts := map[string]bool{}, map[string]int{}
	for _, e := range elements {
		counts[e.name]++
		if e.name == "g" {
			counts[e.attributes["class"]]++
		}
		if e.attributes["class"] == "chart window-chart" {
			counts["chart"]++
			if label := e.attributes["aria-label"]; !strings.HasPrefix(label, "Tokens in the window at each of ") {
				t.Errorf("a chart is called %q", label)
			}
		}
		ids[e.attributes["id"]] = true
	}
	for _, e := range elements {
		checkElement(t, "timeline", e, ids)
	}
	events := map[string]int{}
	for _, c := range timeline.Shown {
		for _, e := range c.Events {
			events["event "+eventClass(e)]++
		}
	}
	for _, class := range []string{"event engine", "event hygiene", "event vain", "event pressure"} {
		if counts[class] != events[class] || events[class] == 0 {
			t.Errorf("%d of %q are drawn, there are %d", counts[class], class, events[class])
		}
	}
	if counts["script"] != 0 || counts["h1"] != 1 || counts["chart"] != 4 || counts["g"] != events["event engine"]+events["event hygiene"]+events["event vain"]+events["event pressure"] {
		t.Errorf("%v", counts)
	}
	for _, want := range []string{"Who compacted", "hygiene", "threshold 8k", "window 16k", "uncompacted up to", "What a prompt cache saves", "compaction 1 by the engine layer",
		"attempt in vain", "warning", "Usage reported.", "not smaller", "out/rejects.jsonl", "compressor"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q", want)
		}
	}
}

// Texts of files stand in the page as text only.
func TestTimelineHTMLHostile(t *testing.T) {
	const evil = `</script></style><script>alert(1)</script><img src=x onerror=alert(2)>"'&` + "\x00\u202e\x1b]0;x\a"
	tl := testTimeline(evil, 40, 600, 8000)
	tl.Model, tl.Usage = evil, evil
	tl.Events = append(tl.Events, replay.Event{Layer: evil, Turn: 39, Status: evil, Reason: evil, Before: 5, Tokens: 5})
	timeline, rows := replayOf(evil, tl)
	timeline.Header.Engine, timeline.Totals.Caching.TTL, timeline.Header.Version = evil, evil, evil
	page := timelineHTML(t, &timeline)
	elements, _, _ := parsePage(t, page)
	for _, e := range elements {
		if e.name == "script" || e.name == "img" {
			t.Errorf("an element %s", e.name)
		}
		for a := range e.attributes {
			if strings.HasPrefix(a, "on") {
				t.Errorf("an attribute %s", a)
			}
		}
	}
	var markdown bytes.Buffer
	if err := WriteTimelineMarkdown(&markdown, &timeline); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"page": page, "Markdown": markdown.String(), "JSON": string(timelineFile(t, &timeline, rows))}
	for name, text := range texts {
		if strings.ContainsAny(text, "\x00\u202e\x1b") || name != "JSON" && strings.Contains(text, "<img") {
			t.Errorf("%s holds what nobody should see", name)
		}
	}
}

// Charts are drawn of anything: one call, none, sizes of all kinds, and very many calls in few points.
func TestWindowChartOfAnything(t *testing.T) {
	for _, size := range []struct{ calls, step, threshold int }{{0, 1, 1}, {1, 0, 1000}, {2, 0, 1}, {50, 1, 1_000_000}, {50, 1 << 40, 1 << 41}, {20_000, 900, 64_000}} {
		timeline, _ := replayOf("a.jsonl", testTimeline("a", size.calls, size.step, size.threshold))
		page := timelineHTML(t, &timeline)
		parsePage(t, page)
		if size.calls > 1000 && (strings.Count(page, "<g class=") != mostEvents || !strings.Contains(page, "more are in the timeline")) {
			t.Errorf("%+v: %d events are drawn", size, strings.Count(page, "<g class="))
		}
		for _, bad := range []string{"NaN", "Inf", "e+"} {
			if strings.Contains(page, bad) {
				t.Errorf("%+v: the page says %s", size, bad)
			}
		}
		if len(page) > 1<<20 {
			t.Errorf("%+v: %d bytes", size, len(page))
		}
	}
}

func TestNiceStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most, n := rapid.Float64Range(1, 1e12).Draw(t, "most"), rapid.IntRange(1, 10).Draw(t, "n")
		if step := niceStep(most, n); most/step > float64(n)+1e-9 || step < 1 || step > 10*max(most, 1) {
			t.Fatalf("steps of %v", step)
		}
	})
}

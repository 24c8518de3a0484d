package plugin_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/enginetest"
	"github.com/ctxpack/ctxpack/compress/plugin"
	"github.com/ctxpack/ctxpack/compress/plugin/plugintest"
	"github.com/ctxpack/ctxpack/compress/replay"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

const exampleDir = "../../fixtures/plugins/context_engine/keep_ends"

// example are the options of the example plugin; the test is skipped without Python.
func example(t *testing.T) plugin.Options {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	data, err := os.ReadFile(filepath.Join(exampleDir, plugin.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, plugintest.Good)
	if o.Manifest, err = plugin.ParseManifest(data); err != nil {
		t.Fatal(err)
	}
	o.Dir = exampleDir
	return o
}

// The example of fixtures/plugins keeps the contract, whatever its settings.
func TestExamplePlugin(t *testing.T) {
	for _, settings := range []string{"", `{"keep_last": 1, "threshold": 0.75}`} {
		o := example(t)
		if settings != "" {
			o.Settings = []byte(settings)
		}
		for _, one := range enginetest.Run(context.Background(), open(t, o), enginetest.Options{Meter: o.Meter}) {
			if one.Verdict != enginetest.OK {
				t.Errorf("%s: %s: %s: %s", settings, one.Rule, one.Verdict, one.Reason)
			}
		}
	}
}

// It compacts a window again and again, whether one person spoke once or several times.
func TestExamplePluginCompactsAgain(t *testing.T) {
	o := example(t)
	o.Settings = []byte(`{"keep_last": 2}`)
	e := open(t, o)
	long := strings.Repeat("words and words ", 20)
	for _, chat := range []bool{false, true} {
		list := []string{`{"role":"system","content":"Be careful."}`, `{"role":"user","content":"Go on until it works.\n"}`}
		for i := range 30 {
			call := fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"read","arguments":"{}"}}`, i)
			list = append(list, fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[%s]}`, call),
				fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, long))
			if chat && i%4 == 0 {
				list = append(list, fmt.Sprintf(`{"role":"assistant","content":"Step %d is done."}`, i), fmt.Sprintf(`{"role":"user","content":"And then %d?"}`, i))
			}
		}
		conv, err := formats.DecodeAs(formats.Record{Raw: []byte(`{"messages":[` + strings.Join(list, ",") + `]}`)}, formats.OpenAI{})
		if err != nil {
			t.Fatal(err)
		}
		r := replay.Replay{Runner: compress.Runner{Engine: e, Meter: o.Meter}, Rough: o.Meter}
		out, err := r.Run(context.Background(), conv, compress.SessionInfo{ID: "x", ContextLength: 1000})
		if err != nil || out.Status != compress.Summarized || out.Timeline.Totals.Compactions < 3 {
			t.Errorf("chat %v: %s after %d compactions: %s %v", chat, out.Status, out.Timeline.Totals.Compactions, out.Reason, err)
		}
	}
}

// A summary that came with the record, in front of or behind the last text of a person, gives way to its own.
func TestExamplePluginReplacesForeignSummaries(t *testing.T) {
	o := example(t)
	o.Settings = []byte(`{"keep_last": 2}`)
	runner := compress.Runner{Engine: open(t, o), Meter: o.Meter}
	frame := summarize.Marker + "\nThe files were read.\n" + summarize.End
	long := strings.Repeat("words and words ", 20)
	for name, content := range map[string]string{
		"in front":          fmt.Sprintf("%q", frame+"\n\nPlease go on."),
		"behind":            fmt.Sprintf("%q", "Please go on.\n\n"+summarize.PriorEnd+"\n"+frame),
		"in front, parts":   fmt.Sprintf(`[{"type":"text","text":%q},{"type":"text","text":"Please go on."}]`, frame),
		"in front, in part": fmt.Sprintf(`[{"type":"text","text":%q}]`, frame+"\n\nPlease go on."),
	} {
		list := []string{`{"role":"user","content":"Please begin."}`, `{"role":"assistant","content":"I begin."}`, `{"role":"user","content":` + content + `}`}
		for i := range 30 {
			list = append(list, fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{}"}}]}`, i),
				fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, long))
		}
		conv, err := formats.DecodeAs(formats.Record{Raw: []byte(`{"messages":[` + strings.Join(list, ",") + `]}`)}, formats.OpenAI{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := runner.Compact(context.Background(), conv, compress.SessionInfo{ID: "x", ContextLength: 1000})
		if err != nil || r.Status != compress.Summarized {
			t.Errorf("%s: %s: %s %v", name, r.Status, r.Reason, err)
			continue
		}
		if out := string(conv.With(r.Messages).Bytes()); strings.Contains(out, "files were read") || !strings.Contains(out, "Please go on.") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

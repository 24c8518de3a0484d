package promptcache_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/promptcache"
)

// The transcripts beside the project, as they are and in Anthropic's dialect; skipped without them.
func TestRealData(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "data")
	var records [][]byte
	for _, pattern := range []string{"mini-swe-agent/*.json", "tau-bench/*.json"} {
		paths, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var list []json.RawMessage
			if json.Unmarshal(data, &list) != nil {
				list = []json.RawMessage{data}
			}
			for i := 0; i < len(list); i += 8 { // enough of them: they are alike
				records = append(records, list[i])
			}
		}
	}
	if len(records) == 0 {
		t.Skip("no ../shared/data beside the project")
	}
	for _, raw := range records {
		for _, name := range promptcache.Dialects() {
			out, err := formats.Convert(decode(t, "openai", string(raw)), name)
			if err != nil {
				t.Fatal(err)
			}
			if err := undone(name, string(out.Payload), promptcache.OneHour); err != nil {
				t.Error(err)
			}
			if _, counts := place(t, name, string(out.Payload), promptcache.FiveMinutes); counts.Placed < 2 {
				t.Errorf("%d markers in a conversation in the dialect %s", counts.Placed, name)
			}
		}
	}
}

package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
)

// A compaction item of OpenAI's is encrypted and stands for what came before it: it stays as it is, behind what stood
// before it and in front of what followed, and compacting again changes nothing.
func TestCompactionItemsStay(t *testing.T) {
	item := object("type", "compaction", "id", "cmp_1", "encrypted_content", "gAAAAABf")
	changed, summarized := 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 11))
		var record struct {
			Instructions string `json:"instructions"`
			Input        items  `json:"input"`
		}
		mustDecode(spellResponses(speak(r, 20+r.IntN(60))), &record)
		at := r.IntN(len(record.Input)/2) + 1
		for bytes.Contains(record.Input[at], []byte(`_output"`)) || bytes.Contains(record.Input[at-1], []byte(`"reasoning"`)) {
			at++ // not between a call and its answer
		}
		record.Input = slices.Insert(record.Input, at, item)
		raw, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		o := compress.Options{ContextLength: 2500 + r.IntN(4000), ProtectFirst: r.IntN(4), ProtectLast: 1 + r.IntN(6), TargetRatio: 0.1 + r.Float64()/4}
		if r.IntN(2) == 0 {
			o.Strategy, o.Window = compress.Fit, 1200+r.IntN(2000)
		}
		out, status := compactOnce(t, o, raw)
		if !status.Changed() {
			continue
		}
		if changed++; status == compress.Summarized {
			summarized++
		}
		var after struct{ Input items }
		mustDecode(out, &after)
		same := func(item json.RawMessage) func(json.RawMessage) bool {
			return func(other json.RawMessage) bool { return bytes.Equal(item, other) }
		}
		k := slices.IndexFunc(after.Input, same(item))
		if k < 0 {
			t.Fatalf("seed %d, %s: the item is gone", seed, status)
		}
		for i, before := range record.Input {
			if j := slices.IndexFunc(after.Input, same(before)); j >= 0 && i != at && (i < at) != (j < k) {
				t.Errorf("seed %d: item %d is on the other side of the compaction item", seed, i)
			}
		}
		if again, status := compactOnce(t, o, out); !bytes.Equal(again, out) {
			t.Errorf("seed %d: compacting again changes it (%s)", seed, status)
		}
	}
	if changed < 10 || summarized < 5 {
		t.Errorf("only %d changed, %d summarized", changed, summarized)
	}
}

// compactOnce compacts a record of the Responses API.
func compactOnce(t *testing.T, o compress.Options, raw []byte) ([]byte, compress.Status) {
	t.Helper()
	conv, err := formats.DecodeAs(formats.Record{Raw: raw}, formats.Responses{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := testCompressor(t, o).Compact(context.Background(), conv, 0)
	if err != nil || res.Status == compress.Failed {
		t.Fatalf("%s %s, %v", res.Status, res.Reason, err)
	}
	if !res.Status.Changed() {
		return raw, res.Status
	}
	return conv.With(res.Messages).Bytes(), res.Status
}

package cmd

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/targets"
	"github.com/ctxpack/ctxpack/report"
)

// tellTarget says in a line what --target refuses of what was written, and what --to put right.
func (run *compactRun) tellTarget(rep *report.Report) {
	if run.settings.Quiet {
		return
	}
	if text := run.compaction.mended.text(); text != "" {
		_, _ = fmt.Fprintf(run.console, "ctxpack: put right on the way to %s: %s\n", run.settings.To, text)
	}
	if n := run.compaction.unmasked.Load(); n > 0 {
		run.console.warn(fmt.Sprintf("%s a summary as a turn of the assistant's: ShareGPT has no mask for it, so a trainer learns to write it", records(n, "has", "have")))
	}
	target, ok := targets.ByName(run.settings.Target)
	if !ok {
		return
	}
	table := func(name string) bool {
		i := slices.Index(run.plan.outputs, name)
		return tableOutput(name, i < len(run.readings) && run.readings[i] != nil && run.readings[i].table != nil)
	}
	if target.Parquet && len(run.plan.outputs) > 0 && !slices.ContainsFunc(run.plan.outputs, table) {
		run.console.warn(target.Name + " reads Parquet only: ctxpack convert OUT -o OUT.parquet --to openai")
	}
	run.tellRefused(target, rep.Records.Refused, run.settings.To == "", run.plan.outputs, run.inputs)
}

// suiting counts what --target had to say to convert.
type suiting struct{ adapted, refused atomic.Int64 }

// suited adapts a converted payload to the target. What was not converted stays as it is.
func (run *convertRun) suited(rec formats.Record, conv *formats.Conversation, payload []byte, to string) ([]byte, error) {
	target, ok := targets.ByName(run.settings.Target)
	if !ok {
		return payload, nil
	}
	if conv.Spelled == "" && to == conv.Dialect {
		if refusal(target, conv, payload, rec.Pos.Index) != "" {
			run.suits.refused.Add(1)
		}
		return payload, nil
	}
	f, err := run.reader.fit(rec, payload, to, target)
	switch {
	case err != nil:
		return nil, err
	case f.refused != "":
		run.suits.refused.Add(1)
		return payload, nil
	case len(f.changes) > 0:
		run.suits.adapted.Add(1)
	}
	return f.payload, nil
}

// tellSuited says in a line each what was adapted and what the target refuses all the same.
func (run *convertRun) tellSuited() {
	target, ok := targets.ByName(run.settings.Target)
	if !ok {
		return
	}
	if n := run.suits.adapted.Load(); n > 0 {
		_, _ = fmt.Fprintf(run.console, "ctxpack: %s adapted to %s\n", recordCount(n), target.Name)
	}
	run.tellRefused(target, run.suits.refused.Load(), run.settings.To == "", run.plan.outputs, run.inputs)
}

// records spells a number of records and the verb that goes with it.
func records(n int64, one, many string) string {
	if n == 1 {
		return recordCount(n) + " " + one
	}
	return recordCount(n) + " " + many
}

// tellRefused says how many records the target refuses, and how to see which.
func (a *app) tellRefused(target targets.Target, n int64, asTheyCame bool, outputs []string, inputs []input) {
	if n == 0 {
		return
	}
	since := "whatever is done to them"
	switch {
	case asTheyCame && n == 1:
		since = "as it came in"
	case asTheyCame:
		since = "as they came in"
	case n == 1:
		since = "whatever is done to it"
	}
	name := inputs[0].name
	if len(outputs) == 1 && outputs[0] != stdStream {
		name = outputs[0]
	}
	if len(outputs) > 1 || name == stdStream {
		name = "FILE"
	} else {
		name = shellWord(name)
	}
	_, _ = fmt.Fprintf(a.console, "ctxpack: %s refused by %s %s: ctxpack validate %s --target %s lists them\n",
		records(n, "is", "are"), target.Name, since, name, target.Name)
}

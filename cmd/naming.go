package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// outputPlan says where everything of a run goes. Names are as they are shown; app.streams.Path makes them paths.
type outputPlan struct {
	outputs []string // one for each input; "-" is the standard output
	rejects string   // where rejected records go; "" when there is no place for them
	report  string   // where the report goes; "" when none is written by default
}

// planOutputs names the outputs of the inputs. output is -o as written:
//
//	""             NAME.compacted.EXT beside the input; the standard output for the standard input
//	-              the standard output
//	a directory    (it exists, ends in a slash, or there are several inputs or an input directory) the inputs' names and
//	               their paths below the directory that they have in common
//	anything else  that file, for one input
//
// Rejects and report stand beside the one output and share its name, or in the output directory as rejects.jsonl and
// report.json; for several outputs beside their inputs, in the common directory as ctxpack.rejects.jsonl and
// ctxpack.report.json. There is no default report for the standard output; a device or a pipe is treated as it is.
func (a *app) planOutputs(inputs []input, output string) (outputPlan, error) {
	var plan outputPlan
	var err error
	switch {
	case output == stdStream && len(inputs) > 1:
		plan.outputs = slices.Repeat([]string{stdStream}, len(inputs))
	case output == "" || output == stdStream:
		plan = a.planBeside(inputs, output)
	case len(inputs) > 1 || slices.ContainsFunc(inputs, func(in input) bool { return in.below }) || a.isDirectory(output):
		plan, err = a.planDirectory(inputs, output)
	default:
		plan.outputs = []string{output}
		if plan.rejects, plan.report = sidecars(output); a.isDevice(output) {
			beside := a.planBeside(inputs, stdStream)
			plan.rejects, plan.report = beside.rejects, beside.report
		}
	}
	if err != nil {
		return plan, err
	}
	return plan, a.checkDistinct(inputs, plan.outputs)
}

// isDirectory says whether -o names a directory: it ends in a slash, or it is one.
func (a *app) isDirectory(output string) bool {
	if strings.HasSuffix(output, "/") || os.IsPathSeparator(output[len(output)-1]) {
		return true
	}
	info, err := os.Stat(a.streams.Path(output))
	return err == nil && info.IsDir()
}

// isDevice says whether -o names a device or a pipe that is there. Nothing belongs beside it.
func (a *app) isDevice(output string) bool {
	info, err := os.Stat(a.streams.Path(output))
	return err == nil && !info.Mode().IsRegular()
}

// planBeside names the outputs beside the inputs, or the standard output with rejects beside the one input.
func (a *app) planBeside(inputs []input, output string) outputPlan {
	var plan outputPlan
	for _, in := range inputs {
		if in.isStdin() || output == stdStream {
			plan.outputs = append(plan.outputs, stdStream)
			continue
		}
		stem, ending := splitEnding(in.name)
		plan.outputs = append(plan.outputs, stem+".compacted"+ending)
	}
	switch {
	case len(inputs) == 1 && inputs[0].isStdin():
	case len(inputs) == 1:
		plan.rejects, plan.report = sidecars(inputs[0].name)
		if plan.outputs[0] == stdStream {
			plan.report = ""
		}
	default:
		base := a.shownPath(commonDirectory(inputs))
		plan.rejects = filepath.Join(base, "ctxpack.rejects.jsonl")
		plan.report = filepath.Join(base, "ctxpack.report.json")
	}
	return plan
}

// planDirectory names the outputs in a directory.
func (a *app) planDirectory(inputs []input, dir string) (outputPlan, error) {
	plan := outputPlan{rejects: filepath.Join(dir, "rejects.jsonl"), report: filepath.Join(dir, "report.json")}
	common := commonDirectory(inputs)
	for _, in := range inputs {
		if in.isStdin() {
			return plan, usageError(fmt.Errorf("the standard input has no name, so it cannot go into the directory %s", dir),
				"-o FILE")
		}
		rel, err := filepath.Rel(common, in.path)
		if err != nil || !filepath.IsLocal(rel) {
			rel = filepath.Base(in.path)
		}
		plan.outputs = append(plan.outputs, filepath.Join(dir, rel))
	}
	return plan, nil
}

// commonDirectory is the deepest directory that holds the bases of all inputs.
func commonDirectory(inputs []input) string {
	common := ""
	for _, in := range inputs {
		if in.isStdin() {
			continue
		}
		if common == "" {
			common = in.base
		}
		for !within(in.base, common) && common != filepath.Dir(common) {
			common = filepath.Dir(common)
		}
	}
	return common
}

// within says whether path is dir or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// checkDistinct refuses two inputs that map to one output.
func (a *app) checkDistinct(inputs []input, outputs []string) error {
	first := map[string]input{}
	for i, output := range outputs {
		if output == stdStream {
			continue
		}
		path := a.streams.Path(output)
		if other, taken := first[path]; taken {
			return usageError(fmt.Errorf("%s and %s would both become %s", other.name, inputs[i].name, output),
				"compact them one at a time, each with its own -o")
		}
		first[path] = inputs[i]
	}
	return nil
}

// splitEnding takes the ending off a file name, with that of the compression: "a.jsonl.gz" gives "a" and ".jsonl.gz".
func splitEnding(name string) (stem, ending string) {
	packed := ""
	for _, p := range packedEndings() {
		if rest, ok := cutSuffixPath(name, p); ok {
			name, packed = rest, name[len(rest):]
			break
		}
	}
	ending = filepath.Ext(name)
	return strings.TrimSuffix(name, ending), ending + packed
}

// cutSuffixPath cuts an ending off, whatever its case.
func cutSuffixPath(name, ending string) (string, bool) {
	at := len(name) - len(ending)
	if at < 0 || !strings.EqualFold(name[at:], ending) {
		return name, false
	}
	return name[:at], true
}

// sidecars are the names of the rejects and the report that belong to an output or input.
func sidecars(name string) (rejects, report string) {
	stem, _ := splitEnding(name)
	stem = strings.TrimSuffix(stem, ".compacted")
	return stem + ".rejects.jsonl", stem + ".report.json"
}

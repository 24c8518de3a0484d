package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
	"github.com/ctxpack/ctxpack/formats/jsonl"
	"github.com/ctxpack/ctxpack/formats/parquet"
	"github.com/ctxpack/ctxpack/pipeline"
)

// fileRun is what every command that writes records consists of: inputs that are read once, in order, an output for each
// of them, and a place for rejects. Outputs appear under their names together, when the run is complete.
type fileRun struct {
	*app
	settings *Settings
	inputs   []input
	alone    bool // there is one input, which the user named: what is wrong with it is a mistake of usage
	plan     outputPlan
	outputs  *outputSet
	progress progress
	rejects  *pipeline.RejectWriter

	// By input; those of an input that was not opened are nil.
	readings []*reading
	files    []*outputFile
	sinks    []formats.Sink
}

// newFileRun finds the inputs of args. plan says where their outputs go.
func (a *app) newFileRun(args []string, s *Settings, plan func([]input) (outputPlan, error)) (*fileRun, error) {
	run := &fileRun{app: a, settings: s, progress: a.newProgress(s.Progress)}
	var err error
	if run.inputs, err = a.expandInputs(args); err != nil {
		return nil, err
	}
	run.alone = len(run.inputs) == 1 && !run.inputs[0].below
	if run.plan, err = plan(run.inputs); err != nil {
		return nil, err
	}
	if s.Rejects != "" {
		run.plan.rejects = s.Rejects
	}
	run.outputs = a.newOutputSet(run.inputs, s.Force)
	run.readings = make([]*reading, len(run.inputs))
	run.files = make([]*outputFile, len(run.inputs))
	run.sinks = make([]formats.Sink, len(run.inputs))
	run.rejects = pipeline.NewRejectWriter(run.openRejects)
	return run, nil
}

// openRejects opens the file of rejects, which there is only when a record is rejected.
func (run *fileRun) openRejects() (io.WriteCloser, error) {
	if run.plan.rejects == "" {
		return nil, formats.WithHint(errors.New("there are rejected records and no place for them"), "--rejects FILE")
	}
	file, err := run.outputs.open(run.plan.rejects)
	return unclosed{file}, err
}

// unclosed keeps a file open for Commit to complete.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// pipelineInputs are the inputs for the pipeline. rows: of a Parquet file, whole rows are read and not conversations
// alone. create opens the output of input i, done completes it; where both are nil nothing is written.
func (run *fileRun) pipelineInputs(rows bool, create func(i int) (formats.Sink, error), done func(i int, c pipeline.Counts) error) []pipeline.Input {
	list := make([]pipeline.Input, len(run.inputs))
	options := run.settings.readOptions()
	options.Row = rows
	for i, in := range run.inputs {
		list[i] = pipeline.Input{
			Name: in.name,
			Open: func(context.Context) (formats.Source, error) {
				r, err := run.openInput(in, run.progress.advance, options)
				if err != nil {
					return nil, err
				}
				run.readings[i] = r
				return limited(r, run.settings), nil
			},
		}
		if create == nil {
			continue
		}
		list[i].Create = func(context.Context) (formats.Sink, error) { return create(i) }
		list[i].Done = func(c pipeline.Counts) error { return done(i, c) }
		list[i].Rejects = run.rejects
	}
	return list
}

// createByName opens the output of input i in the container that its name says.
func (run *fileRun) createByName(i int) (formats.Sink, error) {
	name := run.plan.outputs[i]
	file, err := run.outputs.open(name)
	if err != nil {
		return nil, err
	}
	run.files[i] = file
	if text := run.readings[i].otherConversations(); text != "" && !run.settings.Quiet {
		run.console.warn(text)
	}
	if tableOutput(name, false) {
		run.sinks[i], err = parquet.NewCreator(file, run.settings.To)
		return run.sinks[i], err
	}
	packed, err := codec.NewWriter(file, codec.KindByName(name))
	if err != nil {
		return nil, err
	}
	run.sinks[i] = newListSink(packed, name)
	return run.sinks[i], nil
}

// refuseTables refuses, before any work is done, Parquet outputs of no dialect.
func (run *fileRun) refuseTables() error {
	if i := slices.IndexFunc(run.plan.outputs, func(name string) bool { return tableOutput(name, false) }); i >= 0 && run.settings.To == "" {
		return usageError(fmt.Errorf("%s is to be Parquet, whose columns follow from the dialect of the conversations", run.plan.outputs[i]), "--to openai, for example")
	}
	return nil
}

// nothingOf says that input i has no output: it is a session log that was not converted, and stands in the rejects.
func (run *fileRun) nothingOf(i int, c pipeline.Counts) bool {
	lines := run.readings[i].lines
	return lines != nil && lines.Framing() == jsonl.Session && c.Changed == 0 && c.Rejected > 0 && run.files[i].Name() != stdStream
}

package cmd

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
	"github.com/ctxpack/ctxpack/formats/jsonl"
	"github.com/ctxpack/ctxpack/formats/parquet"
)

// tableEnding is the ending of Parquet files.
const tableEnding = ".parquet"

// tableOutput says whether an output of that name is to be Parquet. One whose name says nothing is what the input is.
func tableOutput(name string, input bool) bool {
	switch {
	case strings.EqualFold(filepath.Ext(name), tableEnding):
		return true
	case name != stdStream && holdsRecords(filepath.Base(name)):
		return false
	}
	return input
}

// newSink is the sink for an output of the same container. It completes packed, or leaves file open.
func (r *reading) newSink(file io.Writer, kind codec.Kind) (formats.Sink, error) {
	if r.table != nil {
		return parquet.NewSink(file, r.table.Source)
	}
	packed, err := codec.NewWriter(file, kind)
	if err != nil {
		return nil, err
	}
	return jsonl.NewSink(packed, r.lines.Framing()), nil
}

// refuseEnding refuses an output whose name promises another container.
func (r *reading) refuseEnding(output string) error {
	if isParquet := strings.EqualFold(filepath.Ext(output), tableEnding); output == stdStream || isParquet == (r.table != nil) {
		return nil
	} else if isParquet {
		return usageError(fmt.Errorf("%s is to be Parquet, but %s is JSON", output, r.in.name), "convert it: ctxpack convert IN -o OUT.parquet")
	}
	switch _, ending := splitEnding(output); strings.ToLower(ending) {
	case ".jsonl", ".json", ".ndjson", ".jsonl.gz", ".jsonl.zst":
		return usageError(fmt.Errorf("%s is to be JSON, but %s is Parquet", output, r.in.name), "convert it: ctxpack convert IN.parquet -o OUT.jsonl")
	}
	return nil
}

// storedAsIs says that the records alone do not make up the stored bytes again: a file in which nothing changed must be
// copied as it is stored.
func (r *reading) storedAsIs(outputKind codec.Kind) bool {
	if r.table != nil {
		return true
	}
	return r.kind != codec.Plain && outputKind == r.kind && !r.in.isStdin()
}

// newConvertedSink is the sink for an output of records in the dialect --to, in the container that the output's name says.
func (r *reading) newConvertedSink(file io.Writer, output string, kind codec.Kind, to string) (formats.Sink, error) {
	switch {
	case tableOutput(output, r.table != nil):
		return parquet.NewCreator(file, to)
	case r.table == nil:
		return r.newSink(file, kind)
	}
	packed, err := codec.NewWriter(file, kind)
	if err != nil {
		return nil, err
	}
	return newListSink(packed, output), nil
}

// lossy is a sink that may have no place for all that is written to it.
type lossy interface{ Lost() formats.Loss }

// lostBy is what a sink had no place for.
func lostBy(sink formats.Sink) formats.Loss {
	if l, ok := sink.(lossy); ok {
		return l.Lost()
	}
	return nil
}

// otherConversations says which columns hold conversations that are not converted; "" when there are none.
func (r *reading) otherConversations() string {
	if r.table == nil || len(r.table.Columns()) < 2 {
		return ""
	}
	columns := r.table.Columns()
	return fmt.Sprintf("%s: the conversations in the column %s are converted; those in %s are copied as they are; --column names another",
		r.in.name, columns[0], strings.Join(columns[1:], " and "))
}

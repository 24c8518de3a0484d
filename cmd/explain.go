package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
)

type explainOptions struct {
	row  string
	id   string
	key  string
	run  string
	all  bool
	json bool
}

func newExplainCommand(a *app) *cobra.Command {
	var opts explainOptions
	c := &cobra.Command{
		Use:   "explain BEFORE AFTER --row N|ID",
		Short: "What the compaction of one conversation dropped",
		Long: `Show for one conversation what was kept, pruned, summarised and removed, and every identifier, quotation and line of
a person that stood in the replaced part and is nowhere in the output, with the number of its message.`,
		Example: `  ctxpack explain runs.jsonl runs.compacted.jsonl --row 3
  ctxpack explain runs.jsonl out/runs.jsonl --row django-11099 --all
  ctxpack explain runs.jsonl runs.compacted.jsonl --row 3 --json | jq .losses.identifiers`,
		Args: cobra.ExactArgs(2),
	}
	f := c.Flags()
	f.StringVar(&opts.row, "row", "", "the conversation: `N`, its number in BEFORE from 1 on, or its id")
	f.StringVar(&opts.id, "id", "", "the conversation by its `ID`, where that is a number")
	f.StringVar(&opts.key, "key", "", "pair the records by a member they carry, such as id or info.instance_id (`PATH`)")
	f.StringVar(&opts.run, "run", "", "rows of the run (`FILE`.jsonl): pairs records where some were rejected")
	f.BoolVar(&opts.all, "all", false, "list everything that is gone, not the first of each kind")
	f.BoolVar(&opts.json, "json", false, "as JSON, complete")
	a.addSettingsFlags(c, "model", "tokenizer", "format", "column")
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		return a.runExplain(c.Context(), args[0], args[1], opts, s)
	}
	return c
}

// explanation is what explain says of one conversation.
type explanation struct {
	Before       place                `json:"before"`
	After        place                `json:"after"`
	ID           string               `json:"id,omitempty"`
	Unchanged    bool                 `json:"unchanged"`
	TokensBefore int                  `json:"tokens_before"`
	TokensAfter  int                  `json:"tokens_after"`
	Tokenizer    string               `json:"tokenizer"`
	Messages     []explainedMessage   `json:"messages"` // of before
	Breaches     []quality.Breach     `json:"breaches"`
	Metrics      map[string]float64   `json:"metrics"`
	Losses       quality.Losses       `json:"losses"`
	counts       map[quality.Fate]int // of before
	pair         *quality.Pair
}

// place is where a record stands.
type place struct {
	File  string `json:"file"`
	Line  int64  `json:"line,omitempty"`
	Index int64  `json:"index"`
	Place string `json:"place,omitempty"` // file[row].column, where a row of a table holds several records
}

func placeOf(pos formats.Position) place {
	p := place{File: pos.File, Line: pos.Line, Index: pos.Index}
	if pos.Column != "" {
		p.Place = pos.String()
	}
	return p
}

// explainedMessage is one message of the input and what became of it.
type explainedMessage struct {
	Number int    `json:"number"`
	Role   string `json:"role"`
	Fate   string `json:"fate"`
}

func (a *app) runExplain(ctx context.Context, before, after string, opts explainOptions, s *Settings) error {
	how := pairing{key: opts.key, read: s.readOptions()}
	if opts.run != "" {
		rows, err := a.readRunRows(opts.run)
		if err != nil {
			return err
		}
		how.rows = rows
	}
	named, err := namedDialect(s.Format)
	if err != nil {
		return err
	}
	reader := &conversationReader{dialects: dialects(), named: named}
	pair, err := a.findPair(ctx, before, after, how, opts, reader)
	if err != nil {
		return err
	}
	e, err := a.explain(pair, reader, s)
	if err != nil {
		return err
	}
	if opts.json {
		encoder := json.NewEncoder(a.streams.Stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(e)
	}
	text := explainText{width: a.streams.Width, all: opts.all}
	_, err = io.WriteString(a.streams.Stdout, text.draw(e))
	return err
}

// conversationReader decodes records.
type conversationReader struct {
	dialects []formats.Dialect
	named    formats.Dialect // nil: detected
}

func (r *conversationReader) decode(rec formats.Record) (*formats.Conversation, error) {
	if r.named != nil {
		return formats.DecodeAs(rec, r.named)
	}
	return formats.Decode(rec, r.dialects)
}

// findPair reads up to the conversation that was asked for.
func (a *app) findPair(ctx context.Context, before, after string, how pairing, opts explainOptions, reader *conversationReader) (found recordPair, err error) {
	number, id, err := opts.wanted()
	if err != nil {
		return found, err
	}
	pairs, err := a.openPairs(ctx, before, after, how)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, pairs.close()) }()
	seen := int64(0)
	for {
		pair, err := pairs.next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return found, err
		}
		seen++
		if id == "" && number == 0 && seen > 1 {
			return found, usageError(fmt.Errorf("%s has more than one conversation", before), "name one: --row 1, or --row ID")
		}
		switch {
		case id == "" && number == 0:
			found = pair
		case number > 0 && pair.index == number-1:
			return pair, nil
		case id != "" && hasID(reader, pair.before, id):
			return pair, nil
		}
	}
	if id == "" && number == 0 && seen == 1 {
		return found, nil
	}
	what := fmt.Sprintf("no record %d", number)
	if id != "" {
		what = fmt.Sprintf("no record with the id %q", id)
	}
	return found, usageError(fmt.Errorf("%s has %s that has a partner in %s; %d have one", before, what, after, seen),
		"rows are counted from 1 on; `ctxpack eval` lists the worst ones")
}

// wanted reads which conversation is asked for: a number from 1 on, an id, or neither.
func (o explainOptions) wanted() (number int64, id string, err error) {
	if o.id != "" {
		return 0, o.id, nil
	}
	if n, err := strconv.ParseInt(o.row, 10, 64); err == nil {
		if n < 1 {
			return 0, "", usageError(fmt.Errorf("--row %d: rows are counted from 1 on", n), "--row 1")
		}
		return n, "", nil
	}
	return 0, o.row, nil
}

func hasID(reader *conversationReader, rec formats.Record, id string) bool {
	c, err := reader.decode(rec)
	return err == nil && c.ID == id
}

// explain compares the two records.
func (a *app) explain(records recordPair, reader *conversationReader, s *Settings) (*explanation, error) {
	before, err := reader.decode(records.before)
	if err != nil {
		return nil, err
	}
	after, err := reader.decode(records.after)
	if err != nil {
		return nil, err
	}
	if !before.HasMessages() || !after.HasMessages() {
		return nil, formats.WithHint(fmt.Errorf("%s: no conversation", records.before.Pos), "--row names another one")
	}
	counter, err := a.newCounter(s)
	if err != nil {
		return nil, err
	}
	meter := &compress.Meter{Counter: counter, MediaTokens: int(s.MediaTokens)}
	pair := quality.NewPair(before.Messages, after.Messages)
	e := &explanation{
		Before: placeOf(records.before.Pos), After: placeOf(records.after.Pos), ID: before.ID,
		Unchanged: pair.Unchanged, Tokenizer: counter.Name(), pair: pair,
		TokensBefore: meter.Conversation(before), TokensAfter: meter.Conversation(after),
		Losses: pair.Losses(), counts: map[quality.Fate]int{},
	}
	e.Breaches = append(pair.Breaches(e.TokensBefore, e.TokensAfter), quality.RecordBreaches(before, after)...)
	c := quality.Case{Pair: pair, Sizes: quality.Sizes{
		Before: e.TokensBefore, After: e.TokensAfter,
		Summary: pair.SummaryTokens(counter.Count), Earlier: pair.EarlierTokens(counter.Count),
	}}
	e.Metrics = c.Measure()
	for i, m := range before.Messages {
		f := pair.Fates[i]
		e.counts[f]++
		role := m.RoleName
		if role == "" {
			role = m.Role.String()
		}
		e.Messages = append(e.Messages, explainedMessage{i, role, f.String()})
	}
	return e, nil
}

package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/report/quality"
)

type diffOptions struct {
	pick    explainOptions // row, id, key, run, all
	beside  bool
	unified bool
	color   string
	noPager bool
}

func newDiffCommand(a *app) *cobra.Command {
	var opts diffOptions
	c := &cobra.Command{
		Use:   "diff BEFORE AFTER [--row N|ID]",
		Short: "Conversations before and after, message by message, in the terminal",
		Long: `Show what a compaction did to each conversation: messages that were kept, pruned, summarised and removed, and what came
for them. Side by side on a wide terminal, one below the other on a narrow one; through $PAGER on a terminal.`,
		Example: `  ctxpack diff runs.jsonl runs.compacted.jsonl
  ctxpack diff runs.jsonl runs.compacted.jsonl --row 3 --all
  ctxpack diff runs.jsonl out/runs.jsonl -u --color never > changes.txt`,
		Args: cobra.ExactArgs(2),
	}
	f := c.Flags()
	f.StringVar(&opts.pick.row, "row", "", "one conversation only: `N`, its number in BEFORE from 1 on, or its id")
	f.StringVar(&opts.pick.id, "id", "", "one conversation by its `ID`, where that is a number")
	f.StringVar(&opts.pick.key, "key", "", "pair the records by a member they carry, such as id or info.instance_id (`PATH`)")
	f.StringVar(&opts.pick.run, "run", "", "rows of the run (`FILE`.jsonl): pairs records where some were rejected")
	f.BoolVar(&opts.pick.all, "all", false, "every message, and texts as long as they are")
	f.BoolVarP(&opts.beside, "side-by-side", "y", false, "two columns, whatever the width")
	f.BoolVarP(&opts.unified, "unified", "u", false, "one column")
	f.StringVar(&opts.color, "color", "auto", "auto, always or never (`WHEN`)")
	f.BoolVar(&opts.noPager, "no-pager", false, "write straight to the standard output")
	a.addSettingsFlags(c, "model", "tokenizer", "format", "column")
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := a.loadSettings(c.Flags())
		if err != nil {
			return err
		}
		if err := opts.check(); err != nil {
			return err
		}
		return a.runDiff(c.Context(), args[0], args[1], opts, s)
	}
	return c
}

func (o diffOptions) check() error {
	if o.beside && o.unified {
		return usageErrorf("--side-by-side and --unified exclude each other")
	}
	for _, known := range []string{"auto", "always", "never"} {
		if o.color == known {
			return nil
		}
	}
	return usageError(notOneOf(o.color, []string{"auto", "always", "never"}), "--color auto")
}

// diffRun is one run of diff.
type diffRun struct {
	*app
	opts    diffOptions
	reader  *conversationReader
	meter   *compress.Meter
	text    diffText
	shown   int
	same    int
	broken  int
	context context.Context
}

func (a *app) runDiff(ctx context.Context, before, after string, opts diffOptions, s *Settings) error {
	run := &diffRun{app: a, opts: opts, context: ctx}
	how := pairing{key: opts.pick.key, read: s.readOptions()}
	if opts.pick.run != "" {
		rows, err := a.readRunRows(opts.pick.run)
		if err != nil {
			return err
		}
		how.rows = rows
	}
	named, err := namedDialect(s.Format)
	if err != nil {
		return err
	}
	run.reader = &conversationReader{dialects: dialects(), named: named}
	counter, err := a.newCounter(s)
	if err != nil {
		return err
	}
	run.meter = &compress.Meter{Counter: counter, MediaTokens: int(s.MediaTokens)}
	run.text = newDiffText(a.streams.Width, opts, a.colours(opts.color))
	var one *recordPair
	if opts.pick.row != "" || opts.pick.id != "" {
		pair, err := a.findPair(ctx, before, after, how, opts.pick, run.reader)
		if err != nil {
			return err
		}
		one = &pair
	}
	return a.paged(ctx, opts.noPager, func(w io.Writer) error {
		out := bufio.NewWriter(a.forScreen(w))
		var err error
		if one != nil {
			err = run.pair(out, *one)
		} else {
			err = run.all(out, before, after, how)
		}
		return errors.Join(err, out.Flush())
	})
}

// all shows every pair.
func (run *diffRun) all(out *bufio.Writer, before, after string, how pairing) (err error) {
	pairs, err := run.openPairs(run.context, before, after, how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pairs.close()) }()
	for {
		pair, err := pairs.next(run.context)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := run.pair(out, pair); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, run.text.total(run.shown, run.same, run.broken))
	return err
}

// pair shows one pair. One that cannot be read is said to be so.
func (run *diffRun) pair(out io.Writer, records recordPair) error {
	old, err := run.reader.decode(records.before)
	if err != nil {
		return run.unreadable(out, records.before.Pos.String(), err)
	}
	now, err := run.reader.decode(records.after)
	if err != nil {
		return run.unreadable(out, records.after.Pos.String(), err)
	}
	p := quality.NewPair(old.Messages, now.Messages)
	if p.Unchanged {
		run.same++
		if run.opts.pick.row == "" && run.opts.pick.id == "" {
			return nil
		}
	}
	run.shown++
	head := diffHead{
		at: records.before.Pos.String(), id: old.ID, unchanged: p.Unchanged,
		tokensBefore: run.meter.Conversation(old), tokensAfter: run.meter.Conversation(now),
		messagesBefore: len(old.Messages), messagesAfter: len(now.Messages),
	}
	_, err = io.WriteString(out, run.text.draw(head, report.NewTurns(p, run.text.limits())))
	return err
}

func (run *diffRun) unreadable(out io.Writer, at string, err error) error {
	run.broken++
	_, err = fmt.Fprintf(out, "%s: cannot be read: %s\n\n", printable(at), printable(err.Error()))
	return err
}

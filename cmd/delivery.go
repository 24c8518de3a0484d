package cmd

import (
	"cmp"
	"fmt"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/targets"
)

// deliver gives the payload its last form: in the dialect of --to, and so that the target of --target takes it. A
// compacted conversation that the target would refuse, where it took the record as it came, is not written.
func (c *compaction) deliver(rec formats.Record, conv *formats.Conversation, payload []byte, res compress.Result) ([]byte, compress.Result, error) {
	if !conv.HasMessages() {
		return payload, res, nil
	}
	convert := c.settings.To != ""
	if convert {
		var err error
		if payload, err = c.converted(rec, conv, res); err != nil {
			return nil, res, err
		}
	}
	if c.settings.Target == "" || !res.Status.Changed() {
		return payload, res, nil
	}
	breach, err := c.breach(rec, conv, payload)
	if breach == "" || err != nil {
		return payload, res, err
	}
	res = res.Fail("target", fmt.Errorf("%s would refuse the compacted conversation: %s", c.settings.Target, breach))
	if convert {
		payload, err = c.converted(rec, conv, res)
		return payload, res, err
	}
	return nil, res, nil
}

// breach is what the target refuses in the payload and not in the record.
func (c *compaction) breach(rec formats.Record, conv *formats.Conversation, payload []byte) (string, error) {
	target, _ := targets.ByName(c.settings.Target) // the setting is checked
	dialect, err := namedDialect(cmp.Or(c.settings.To, conv.Spelled, conv.Dialect))
	if err != nil {
		return "", err
	}
	after, err := formats.DecodeAs(formats.Record{Pos: rec.Pos, Raw: payload}, dialect)
	if err != nil {
		return "", err
	}
	had := map[string]bool{}
	if c.settings.To == "" {
		for _, b := range target.Check(targets.Record{Conversation: conv, Payload: rec.Raw, Parquet: rec.Held != nil, Index: rec.Pos.Index}) {
			had[b.Rule] = true
		}
	}
	for _, b := range target.Check(targets.Record{Conversation: after, Payload: payload, Parquet: rec.Held != nil, Index: rec.Pos.Index}) {
		if !had[b.Rule] {
			return b.Text, nil
		}
	}
	return "", nil
}

// converted is the conversation, compacted or not, in the dialect of --to.
func (c *compaction) converted(rec formats.Record, conv *formats.Conversation, res compress.Result) ([]byte, error) {
	if res.Status.Changed() {
		conv = conv.With(res.Messages)
	}
	payload, loss, err := formats.Convert(conv, c.settings.To)
	if err != nil {
		return nil, err
	}
	c.losses.add(loss)
	if rec.Session && len(rec.Trail) == 0 {
		payload = append(payload, '\n') // the last line of the log had no end
	}
	return payload, nil
}

// verify reads an output again, in the dialect it was written in, before it may replace the record.
func (c *compaction) verify(pos formats.Position, conv *formats.Conversation, want []*formats.Message, payload []byte) error {
	dialect, err := namedDialect(cmp.Or(conv.Spelled, conv.Dialect))
	if err != nil {
		return err
	}
	got, err := formats.DecodeAs(formats.Record{Pos: pos, Raw: payload}, dialect)
	if err != nil {
		return fmt.Errorf("internal error: the output cannot be read back: %w", err)
	}
	return compress.Verify(want, got)
}

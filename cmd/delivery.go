package cmd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/targets"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/summarize"
)

// delivery is the last form of a record: in the dialect of --to, and so that the target of --target takes it.
type delivery struct {
	payload []byte // nil: the record leaves as it came
	result  compress.Result
	adapted bool   // something was changed for the target
	refused string // what the target refuses in what leaves, in its words; "" for nothing
}

// mark tells the row of the record what --target had to say.
func (d *delivery) mark(row *report.Row) { row.Adapted, row.Refused = d.adapted, d.refused }

// deliver gives a record its last form. A compacted conversation is adapted to the target; one that it refuses all the same
// is not written: the record stays as it came, or as it is converted, and has failed. Records that nothing was done to leave
// byte for byte, whatever the target says of them; that it refuses them is told.
func (c *compaction) deliver(rec formats.Record, conv *formats.Conversation, payload []byte, res compress.Result) (delivery, error) {
	d := delivery{payload: payload, result: res}
	if !conv.HasMessages() {
		return d, nil
	}
	var converted formats.Conversion
	var err error
	if c.settings.To != "" {
		if converted, err = c.converted(rec, conv, res); err != nil {
			return d, err
		}
		d.payload = converted.Payload
	}
	if err = c.suit(&d, rec, conv); err != nil {
		return d, err
	}
	if c.settings.To != "" {
		if d.result.Status != res.Status { // not the compacted conversation after all
			if converted, err = c.again(&d, rec); err != nil {
				return d, err
			}
		}
		c.losses.add(converted.Loss)
		c.mended.add(converted.Mended)
	}
	if c.learnt(conv, d.result) {
		c.unmasked.Add(1)
	}
	return d, nil
}

// learnt says that trainers learn from the summary: it is a turn of the assistant's, in ShareGPT, which has no mask, and for
// no target that has one.
func (c *compaction) learnt(conv *formats.Conversation, res compress.Result) bool {
	if res.Summary == nil || res.Summary.Role != formats.RoleAssistant {
		return false
	}
	target, _ := targets.ByName(c.settings.Target)
	dialect := cmp.Or(c.settings.To, conv.Spelled, conv.Dialect)
	return (dialect == "sharegpt" || dialect == "hermes") && !target.Masks()
}

// suit adapts what is to be written to the target.
func (c *compaction) suit(d *delivery, rec formats.Record, conv *formats.Conversation) error {
	target, ok := targets.ByName(c.settings.Target)
	if !ok || conv.Spelled != "" && c.settings.To == "" { // a session log is for no target
		return nil
	}
	if d.payload == nil {
		return c.refuse(d, rec, target)
	}
	dialect := cmp.Or(c.settings.To, conv.Spelled, conv.Dialect)
	f, err := c.fit(rec, d.payload, dialect, target)
	switch changed := d.result.Status.Changed(); {
	case err != nil:
		return err
	case f.refused == "" && changed && c.settings.To == "" && len(f.changes) > 0:
		if c.accept(d, f) {
			return nil
		}
		return c.refuse(d, rec, target)
	case f.refused == "":
		d.payload, d.adapted = f.payload, len(f.changes) > 0
		if changed {
			d.result.Actions = append(slices.Clone(d.result.Actions), actionsOf(f.changes, d.result.Messages)...)
		}
		return nil
	case !changed: // converted only: as it is
		d.refused = f.refused
		return nil
	}
	d.result = d.result.Fail("target", fmt.Errorf("%s would refuse the compacted conversation: %s", target.Name, f.refused))
	d.payload = nil
	return c.refuse(d, rec, target)
}

// accept takes over what was adapted of a compacted record. It is weighed anew, and must still be smaller than the record:
// otherwise the record leaves as it came.
func (c *compaction) accept(d *delivery, f fitting) bool {
	after := (&compress.Meter{Counter: c.counter, MediaTokens: int(c.settings.MediaTokens)}).Tally(f.conv)
	if after.Tokens >= d.result.Before.Tokens {
		d.payload = nil
		d.result.Status, d.result.After, d.result.Actions, d.result.Messages, d.result.Summary = compress.NoGain, d.result.Before, nil, nil, nil
		return false
	}
	d.payload, d.adapted, d.result.After = f.payload, true, after
	d.result.Actions = append(slices.Clone(d.result.Actions), actionsOf(f.changes, d.result.Messages)...)
	d.result.Messages = f.conv.Messages
	return true
}

// refuse says what the target has against the record as it came.
func (c *compaction) refuse(d *delivery, rec formats.Record, target targets.Target) error {
	conv, err := c.decode(rec) // the engine has used the other one up
	if err != nil {
		return err
	}
	d.refused = refusal(target, conv, rec.Raw, rec.Pos.Index)
	return nil
}

// again converts the record as it came, in place of its compacted conversation.
func (c *compaction) again(d *delivery, rec formats.Record) (formats.Conversion, error) {
	conv, err := c.decode(rec)
	if err != nil {
		return formats.Conversion{}, err
	}
	converted, err := c.converted(rec, conv, d.result)
	if err != nil {
		return converted, err
	}
	d.payload, d.refused = converted.Payload, ""
	return converted, c.suit(d, rec, conv)
}

// refusal is the first thing that the target refuses, "" for none. What it says of the container is not the record's.
func refusal(target targets.Target, conv *formats.Conversation, payload []byte, index int64) string {
	for _, b := range target.Check(targets.Record{Conversation: conv, Payload: payload, Parquet: true, Index: index}) {
		return b.Text
	}
	return ""
}

// fitting is a payload made to suit a target.
type fitting struct {
	payload []byte
	conv    *formats.Conversation // what the payload says
	changes []targets.Change
	refused string // why the target refuses it all the same
}

// fit adapts a payload of a dialect to a target. The bytes are read again before anybody may use them.
func (c *compaction) fit(rec formats.Record, payload []byte, name string, target targets.Target) (fitting, error) {
	dialect, err := namedDialect(name)
	if err != nil {
		return fitting{}, err
	}
	read := func(payload []byte) (conv *formats.Conversation, fault string) {
		conv, err := formats.DecodeAs(formats.Record{Pos: rec.Pos, Raw: payload}, dialect)
		return conv, textOf(err)
	}
	before, fault := read(payload)
	if fault != "" { // nothing was left of the conversation on the way to another dialect
		return fitting{payload: payload, refused: fault}, nil
	}
	messages, changes := target.Adapt(before, before.Messages, isSummary)
	f := fitting{payload: payload, conv: before, changes: changes}
	if len(changes) > 0 {
		f.payload = before.With(messages).Bytes()
		if f.conv, fault = read(f.payload); fault == "" {
			fault = textOf(compress.Verify(messages, f.conv))
		}
		if fault != "" {
			return fitting{payload: payload, refused: "it could not be adapted: " + fault}, nil
		}
	}
	f.refused = refusal(target, f.conv, f.payload, rec.Pos.Index)
	return f, nil
}

// textOf is what an error says, "" for none.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// isSummary says whether a message holds a summary of ctxpack's.
func isSummary(m *formats.Message) bool {
	if m.Role == formats.RoleTool && !m.Marked {
		return false
	}
	for _, p := range m.Parts {
		if t, ok := p.(*formats.Text); ok {
			if _, found := summarize.Locate(t.Text); found {
				return true
			}
		}
	}
	return false
}

// actionsOf are changes as actions on the messages that they were made of.
func actionsOf(changes []targets.Change, messages []*formats.Message) []compress.Action {
	list := make([]compress.Action, len(changes))
	for i, change := range changes {
		list[i] = compress.Action{Kind: compress.ActionKind("adapt_" + change.Kind), Message: change.Message}
		if change.Message < len(messages) {
			list[i].Message = messages[change.Message].Number
		}
	}
	return list
}

// converted is the conversation, compacted or not, in the dialect of --to.
func (c *compaction) converted(rec formats.Record, conv *formats.Conversation, res compress.Result) (formats.Conversion, error) {
	if res.Status.Changed() {
		conv = conv.With(res.Messages)
	}
	out, err := formats.Convert(conv, c.settings.To)
	if err != nil {
		return out, err
	}
	if rec.Session && len(rec.Trail) == 0 {
		out.Payload = append(out.Payload, '\n') // the last line of the log had no end
	}
	return out, nil
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

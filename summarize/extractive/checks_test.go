package extractive_test

import (
	"context"
	"testing"

	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

// copier answers a model's call with what the extractive summariser says of the request.
type copier struct {
	req   summarize.Request
	calls int
}

func (*copier) Name() string { return "copier" }

func (c *copier) Complete(ctx context.Context, _ summarize.Call) (summarize.Answer, error) {
	c.calls++
	p, err := extractive.Summarizer{}.Summarize(ctx, c.req)
	return summarize.Answer{Text: p.Text}, err
}

// What is copied from a real transcript passes the checks on models' prose: they raise no false alarm.
func TestCopiesPassTheChecks(t *testing.T) {
	all := transcripts(t)
	alarms := 0
	for _, name := range names(all) {
		messages := all[name]
		req := summarize.Request{Turns: []summarize.Turn{{Messages: messages}}, Budget: 3000, Count: rough, To: len(messages) - 1}
		c := &copier{req: req}
		m := &summarize.Model{Client: c, Model: "m", Window: 10_000_000}
		p, err := m.Summarize(context.Background(), req)
		if err != nil || c.calls > 1 || len(p.Warnings) > 0 {
			alarms++
			t.Logf("%s: %d calls, %v %v", name, c.calls, p.Warnings, err)
		}
	}
	if len(all) > 0 && alarms*20 > len(all) {
		t.Errorf("false alarms in %d of %d transcripts", alarms, len(all))
	}
}

package cmd

import (
	"errors"
	"fmt"
	"io"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report/quality"
)

// subject is the settings under which conversations are measured, and compacted in a replay. Safe for concurrent use.
type subject struct {
	settings *Settings
	reader   *conversationReader
	counter  tokens.Counter
	windows  windows
	share    float64 // of the messages, where a replay cuts; 0: where compaction fires, else quality.CutShare
	tail     int     // tokens of the protected end; 0: as the settings say
	steps    bool    // also compact several times on the way

	summaries *summaries // of a model that writes them in a replay; else nil
	opened    io.Closer  // a context engine that is the subject's own; else nil
}

func (a *app) newSubject(s *Settings, opts evalOptions) (*subject, error) {
	u := &subject{settings: s, reader: &conversationReader{dialects: dialects()}, steps: opts.cascade}
	var err error
	if u.reader.named, err = namedDialect(s.Format); err != nil {
		return nil, err
	}
	if u.counter, err = a.newCounter(s); err != nil {
		return nil, err
	}
	if u.windows, err = newWindows(s); err != nil {
		return nil, err
	}
	if opts.cut != "fire" {
		if u.share, err = parseShare(opts.cut); err != nil || u.share == 1 {
			if err == nil {
				err = errors.New("nothing would be left behind the cut")
			}
			return nil, usageError(fmt.Errorf("--cut %s: %w", opts.cut, err), "--cut 60%")
		}
	}
	if opts.tail != "" {
		n, err := parseTokens(opts.tail)
		if err != nil || n < 1 {
			return nil, usageError(fmt.Errorf("--tail %s: not a number of tokens", opts.tail), "--tail 8k")
		}
		u.tail = int(n)
	}
	if opts.replay && s.byModel() {
		u.summaries, err = a.newSummaries(s, u.counter, func(f func()) { f() })
	}
	return u, err
}

// close ends what a model's summaries needed.
func (u *subject) close() error {
	if u == nil {
		return nil
	}
	err := u.summaries.Close()
	if u.opened != nil {
		err = errors.Join(err, u.opened.Close())
	}
	return err
}

// workers is how many conversations are in work at once: those that wait for a model use no CPU.
func (u *subject) workers() int {
	if u.summaries != nil {
		return max(u.settings.Workers, u.settings.Concurrency)
	}
	return u.settings.Workers
}

// meter counts one conversation.
func (u *subject) meter() *compress.Meter {
	return &compress.Meter{Counter: u.counter, MediaTokens: int(u.settings.MediaTokens)}
}

// tokensOf counts messages without what a conversation costs beside them.
func tokensOf(m *compress.Meter, messages []*formats.Message) int {
	return m.Conversation(&formats.Conversation{Messages: messages}) - m.Conversation(&formats.Conversation{})
}

// sizes counts a pair: what both sides share is counted once.
func (u *subject) sizes(p *quality.Pair, before *formats.Conversation) quality.Sizes {
	m := u.meter()
	s := quality.Sizes{Before: m.Conversation(before)}
	s.After = s.Before
	if p.Unchanged {
		return s
	}
	var gone, come []*formats.Message
	for i, msg := range p.Before {
		if p.Fates[i] != quality.Kept {
			gone = append(gone, msg)
		}
	}
	for j, msg := range p.After {
		if p.Sources[j] != quality.Kept {
			come = append(come, msg)
		}
	}
	s.After += tokensOf(m, come) - tokensOf(m, gone)
	s.Summary, s.Earlier = p.SummaryTokens(u.counter.Count), p.EarlierTokens(u.counter.Count)
	if s.Summary > 0 {
		s.Budget = u.budget(before).Summary(tokensOf(m, p.R()))
	}
	return s
}

// budget is the arithmetic of the settings for one conversation.
func (u *subject) budget(c *formats.Conversation) compress.Budget {
	s := u.settings
	length := u.windows.of(c).tokens
	threshold := s.Threshold.Ratio
	if s.Threshold.Tokens > 0 {
		threshold = float64(s.Threshold.Tokens)
	}
	if s.Strategy == string(compress.Fit) {
		return compress.FitBudget(int(s.Fit), threshold, s.TargetRatio)
	}
	b := compress.NewBudget(length, threshold, s.TargetRatio)
	b.Cap = int(s.MaxSummaryTokens)
	return b
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/ctxpack/ctxpack/compress/models"
	"github.com/ctxpack/ctxpack/compress/tokens"
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/report"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
	"github.com/ctxpack/ctxpack/summarize/provider"
)

// assumedWindow is the context length of a summary model that nobody knows: small enough for most that are run at home.
const assumedWindow = 32_000

// thinkingTokens are set aside in the answers of models that think before they write.
const thinkingTokens = 12_000

// clientParts is what a client of models is made from.
type clientParts struct {
	base, key string
	http      func() *provider.HTTP
	now       func() time.Time

	command string // of exec:
	environ []string
	dir     string
}

// summaries is everything that a run needs to have a model write its summaries. The clients wrap each other in this
// order: cache, repetition, money, limits, breaker, provider.
type summaries struct {
	summarizer summarize.Summarizer
	stats      *summarize.Stats
	estimator  *summarize.Estimator // of a dry run
	closers    []io.Closer

	model string
	row   models.Model // of the table; without a name when the model is not known
	price summarize.Price
	cache bool
}

// newSummaries makes it. outside is handed to the summariser: what waits for the network goes through it.
func (a *app) newSummaries(s *Settings, counter tokens.Counter, outside func(func())) (*summaries, error) {
	p, err := a.chooseProvider(s)
	if err != nil {
		return nil, err
	}
	out := &summaries{stats: &summarize.Stats{}, model: p.model}
	writer := &summarize.Model{
		Model: p.model, Focus: s.Summaries.Focus, Language: s.Summaries.Language, NoRedact: !s.Summaries.Redact,
		RecordTime: s.Summaries.RecordTimeout, Outside: outside, Stats: out.stats,
	}
	if writer.Template, err = a.readTemplate(s.Summaries.Template); err != nil {
		return nil, err
	}
	if err := out.fit(a, s, writer, counter); err != nil {
		return nil, err
	}
	client := p.entry.client(p.parts)
	if c, ok := client.(io.Closer); ok {
		out.closers = append(out.closers, c)
	}
	if s.Summaries.DryRun {
		out.estimator = summarize.NewEstimator(client.Name(), counter.Count)
		client = out.estimator
	} else {
		client = out.bound(a, client, s)
	}
	if writer.Client, err = out.cached(a, s, client, writer); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	out.summarizer = writer
	if s.Summaries.Fallback == "extractive" {
		out.summarizer = summarize.Fallback{First: writer, Second: extractive.Summarizer{}}
	}
	return out, nil
}

// Close ends programs and closes the cache.
func (o *summaries) Close() error {
	if o == nil {
		return nil
	}
	var errs []error
	for _, c := range o.closers {
		errs = append(errs, c.Close())
	}
	o.closers = nil
	return errors.Join(errs...)
}

// fit finds out what fits the model's window, what it costs, and how its tokens are counted.
func (o *summaries) fit(a *app, s *Settings, w *summarize.Model, counter tokens.Counter) error {
	row, _, known := models.Builtin().With(s.Models...).Find(o.model)
	if known {
		o.row = row
		w.Window, w.Output = row.Limit(), row.MaxOutput
		o.price = summarize.Price{Input: row.Price.Input, Output: row.Price.Output, CacheRead: row.Price.CacheRead}
		if !row.Price.Known() {
			o.price = summarize.Price{}
		}
		if row.Tokenizer != "" {
			if c, err := tokens.ForFamily(row.Tokenizer); err == nil {
				counter = c
			}
		}
	}
	w.Count = careful(counter)
	if s.Summaries.ContextLength > 0 {
		w.Window = int(s.Summaries.ContextLength)
	}
	if w.Window == 0 {
		w.Window = assumedWindow
		if !s.Quiet {
			a.console.warn(fmt.Sprintf("the context length of the summary model %s is not known: 32,000 is assumed; --summary-context-length says better", o.model))
		}
	}
	if thinks().MatchString(o.model) {
		w.Think = min(thinkingTokens, w.Window/4)
	}
	if s.Summaries.MaxCost > 0 && o.price == (summarize.Price{}) && !s.Summaries.CacheOnly {
		return usageError(fmt.Errorf("--max-cost: the price of the summary model %s is not known", o.model),
			"in ctxpack.yaml: models: {"+o.model+": {input_price: 1.25, output_price: 10}}")
	}
	return nil
}

// thinks recognises models that think before they write, by their names.
func thinks() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|/)(o[1-9]($|-)|gpt-5|gpt-oss)|think|reason|-r1|qwq|magistral`)
}

// careful counts a tenth more where the counter is not exact: a prompt must never be larger than it was planned.
func careful(counter tokens.Counter) func(string) int {
	if counter.Exact() {
		return counter.Count
	}
	return func(text string) int { n := counter.Count(text); return n + n/10 }
}

// clock is the process's time for the clients' decorators.
type clock struct{ *Streams }

// Now is the time.
func (c clock) Now() time.Time { return c.Streams.Now() }

// Sleep waits.
func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	if c.Streams.Sleep != nil {
		return c.Streams.Sleep(ctx, d)
	}
	return summarize.SystemClock{}.Sleep(ctx, d)
}

// bound wraps the provider's client with everything that holds calls back or repeats them.
func (o *summaries) bound(a *app, client summarize.Client, s *Settings) summarize.Client {
	breaker := summarize.NewBreaker(client)
	limited := summarize.NewLimited(breaker, summarize.Limits{
		Concurrency: s.Concurrency, RPM: int(s.Summaries.RPM), TPM: int(s.Summaries.TPM),
		Timeout: s.Summaries.Timeout, Clock: clock{a.streams}, Stopped: breaker.Stopped(), Stats: o.stats,
	})
	priced := summarize.NewPriced(limited, o.price, s.Summaries.MaxCost, o.stats)
	return summarize.NewRetrying(priced, summarize.Retry{
		Retries: s.Summaries.MaxRetries, Jitter: rand.Float64, Clock: clock{a.streams}, Stopped: breaker.Stopped(), Stats: o.stats,
	})
}

// cached wraps the client with the cache, if there is to be one.
func (o *summaries) cached(a *app, s *Settings, client summarize.Client, w *summarize.Model) (summarize.Client, error) {
	if !s.Summaries.Cache {
		return client, nil
	}
	dir := a.cacheDir(s)
	if dir == "" {
		if s.Summaries.CacheOnly {
			return nil, usageError(errors.New("--cache-only: there is no home directory to hold a cache"), "--cache-dir DIR")
		}
		a.console.warn("there is no home directory to keep summaries in: a second run would pay for them again; --cache-dir names a place")
		return client, nil
	}
	log, err := summarize.OpenLog(a.streams.Path(dir))
	if err != nil {
		return nil, formats.WithHint(err, "--cache-dir names another place, --no-cache does without (and a second run pays again)")
	}
	o.closers = append(o.closers, log)
	mode := summarize.ReadWrite
	switch {
	case s.Summaries.DryRun:
		mode = summarize.Peek
	case s.Summaries.CacheOnly:
		mode = summarize.ReadOnly
	case s.Summaries.RetryFailed:
		mode = summarize.RetryBad
	}
	c := summarize.NewCached(client, log, mode, o.price, o.stats)
	w.Reject, o.cache = c.Reject, true
	return c, nil
}

// cacheDir is --cache-dir, else ctxpack in the user's cache directory; "" without a home.
func (a *app) cacheDir(s *Settings) string {
	if s.Summaries.CacheDir != "" {
		return s.Summaries.CacheDir
	}
	base := a.streams.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(base) {
		if a.streams.Home == "" {
			return ""
		}
		base = filepath.Join(a.streams.Home, ".cache")
	}
	return filepath.Join(base, "ctxpack")
}

// largestTemplate is the most that a template may hold, in bytes: it is part of every prompt.
const largestTemplate = 32 << 10

func (a *app) readTemplate(name string) (summarize.PromptTemplate, error) {
	if name == "" {
		return summarize.PromptTemplate{}, nil
	}
	info, err := os.Stat(a.streams.Path(name))
	if err == nil && info.Size() > largestTemplate {
		return summarize.PromptTemplate{}, usageErrorf("the template %s is larger than a template can be (32 KiB)", name)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(a.streams.Path(name))
	}
	if err != nil {
		return summarize.PromptTemplate{}, usageErrorf("cannot read the template %s: %w", name, bareError(err))
	}
	t, err := summarize.ParseTemplate(string(data))
	if err != nil {
		return t, usageError(fmt.Errorf("%s: %w", name, err), "")
	}
	return t, nil
}

// addTo puts what the calls took into the report, those for records that failed included.
func (o *summaries) addTo(rep *report.Report) {
	f := o.stats.Figures()
	t := &rep.Summaries
	t.Calls, t.Retries, t.Cached, t.Masked = f.Calls, f.Retries, f.CacheHits, f.Masked
	t.PromptTokens, t.CompletionTokens, t.CacheReadTokens = f.PromptTokens, f.CompletionTokens, f.CacheReadTokens
	t.Cost, t.CostSaved = f.Cost, f.CostSaved
}

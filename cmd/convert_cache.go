package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/formats/codec"
	"github.com/ctxpack/ctxpack/formats/promptcache"
)

// cacheMarkersFlag names the flag that puts markers for Anthropic's prompt cache into what convert writes. It is no
// setting: a file must not change what convert does without being asked.
const cacheMarkersFlag = "cache-markers"

// cacheTTLKey is the setting of their lifetime, as Hermes calls it.
const cacheTTLKey = "prompt_caching.cache_ttl"

// cacheTTLSetting is --cache-ttl.
func cacheTTLSetting() setting {
	d := choice(setting{key: cacheTTLKey, flag: "cache-ttl", def: string(promptcache.FiveMinutes), named: true,
		about: "how long the provider keeps what is marked for its prompt cache"},
		func(s *Settings) *string { return &s.CacheTTL }, promptcache.TTLs()...)
	d.hint = "--cache-ttl 5m or --cache-ttl 1h"
	return d
}

// addCacheMarkersFlag gives c the flag.
func addCacheMarkersFlag(c *cobra.Command) {
	value := &flagValue{kind: "bool"} // for the help: without a value it is on
	f := c.Flags().VarPF(value, cacheMarkersFlag, "", "mark the system message and the last three others for Anthropic's prompt cache; --cache-markers=off takes all markers out")
	f.DefValue, f.NoOptDefVal = "", "on"
	annotate(f, "Output")
}

// readCacheMarkers reads the flag into the settings and checks it against the others.
func readCacheMarkers(c *cobra.Command, s *Settings) error {
	f := c.Flags().Lookup(cacheMarkersFlag)
	text := f.Value.String()
	if text == "none" {
		text = "off"
	}
	if f.Changed {
		on, err := parseToggle(text)
		if err != nil {
			return usageError(fmt.Errorf("--%s: %w", cacheMarkersFlag, notOneOf(text, []string{"on", "off"})), "--cache-markers, or --cache-markers=off")
		}
		if s.CacheMarkers = "off"; on {
			s.CacheMarkers = "on"
		}
	}
	if s.CacheMarkers != "on" && s.Entry(cacheTTLKey).Origin.Source == SourceFlag {
		return usageError(errors.New("--cache-ttl is the lifetime of cache markers, and none are asked for"), "--cache-markers --cache-ttl "+s.CacheTTL)
	}
	if s.CacheMarkers != "" && s.To != "" {
		return usageError(promptcache.Check(s.To), cacheMarkersHint)
	}
	return nil
}

const cacheMarkersHint = "--to anthropic or --to openai"

// cacheMarks counts markers. Safe for concurrent use.
type cacheMarks struct{ placed, removed atomic.Int64 }

// checkCacheOutputs refuses outputs that would lose the markers: a column of texts has no place for parts.
func (run *convertRun) checkCacheOutputs() error {
	if run.settings.CacheMarkers != "on" || run.settings.To != "openai" {
		return nil
	}
	for _, name := range run.plan.outputs {
		if strings.EqualFold(filepath.Ext(codec.TrimExtension(name)), ".parquet") {
			return usageError(fmt.Errorf("%s: the columns of OpenAI messages in a Parquet file have no place for cache markers", name), "--to anthropic, or write JSON lines")
		}
	}
	return nil
}

// cacheLoss is loss without the markers of the input, which are set anew or unwanted.
func (run *convertRun) cacheLoss(loss formats.Loss) formats.Loss {
	if run.settings.CacheMarkers != "" {
		delete(loss, "messages[].cache_control")
	}
	return loss
}

// cacheMarked gives a converted record in dialect its markers, or takes them out, as --cache-markers says. A record in a
// dialect without a place for them is rejected.
func (run *convertRun) cacheMarked(rec formats.Record, dialect string, payload []byte) ([]byte, *formats.Fault, error) {
	if run.settings.CacheMarkers == "" {
		return payload, nil, nil
	}
	if err := promptcache.Check(dialect); err != nil {
		return nil, &formats.Fault{Pos: rec.Pos, Stage: formats.StageEncode, Code: "cache_markers", Caret: -1, Err: formats.WithHint(err, cacheMarkersHint)}, nil
	}
	d, err := namedDialect(dialect)
	if err != nil {
		return nil, nil, err
	}
	conv, err := formats.DecodeAs(formats.Record{Pos: rec.Pos, Raw: payload}, d)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: read what was written: %w", rec.Pos, err)
	}
	conv.Dialect = dialect
	var counts promptcache.Counts
	if run.settings.CacheMarkers == "on" {
		payload, counts, err = promptcache.Place(conv, promptcache.TTL(run.settings.CacheTTL))
	} else {
		payload, counts, err = promptcache.Remove(conv)
	}
	run.marks.placed.Add(int64(counts.Placed))
	run.marks.removed.Add(int64(counts.Removed))
	return payload, nil, err
}

// cacheText says what was done about markers, "" when nothing was asked for.
func (run *convertRun) cacheText() string {
	placed, removed := run.marks.placed.Load(), run.marks.removed.Load()
	switch {
	case run.settings.CacheMarkers == "":
		return ""
	case run.settings.CacheMarkers == "off":
		return fmt.Sprintf("cache markers: %d removed", removed)
	case removed > 0:
		return fmt.Sprintf("cache markers: %d placed (%s) in place of %d", placed, run.settings.CacheTTL, removed)
	}
	return fmt.Sprintf("cache markers: %d placed (%s)", placed, run.settings.CacheTTL)
}

package formats

import (
	"math"
	"strconv"
	"time"
)

// Reported is what a transcript says of the model's call that made a message: the provider's own counts, and when.
type Reported struct {
	Prompt     int // tokens of the whole prompt, those from a cache included
	Completion int
	CacheRead  int // of Prompt: read from the provider's cache
	CacheWrite int // of Prompt: written to it
	At         time.Time
}

// HasUsage says that the provider's counts are there.
func (r Reported) HasUsage() bool { return r.Prompt > 0 }

// Reported is what the record says of each message: parallel to Messages, zero where it says nothing, and for messages
// made later.
func (c *Conversation) Reported() []Reported {
	all := make([]Reported, len(c.Messages))
	list := c.inList()
	outside := len(c.Messages) - len(list)
	for i, m := range list {
		if c.reported != nil {
			if m.home > 0 {
				all[outside+i] = c.reported[m.home-1]
			}
			continue
		}
		if raw := m.Bytes(); len(raw) > 0 && raw[0] == '{' {
			all[outside+i] = reportedIn(ObjectAt(raw, Span{0, len(raw)}))
		}
	}
	return all
}

// reportedIn looks where agents put usage and time: beside the message, in ATIF's metrics, in the provider's answer as
// mini-SWE-agent keeps it, in the metadata of LangChain.
func reportedIn(o Object) Reported {
	extra := o.Object("extra")
	response := extra.Object("response")
	var r Reported
	for _, usage := range []Object{
		o.Object("usage"), o.Object("metrics"), response.Object("usage"), o.Object("usage_metadata"),
		o.Object("response_metadata").Object("token_usage"),
	} {
		if r = readUsage(usage); r.HasUsage() {
			break
		}
	}
	for _, stamp := range [][]byte{o.Raw("timestamp"), o.Raw("created_at"), extra.Raw("timestamp"), response.Raw("created")} {
		if r.At = readTime(stamp); !r.At.IsZero() {
			break
		}
	}
	return r
}

// readUsage reads the counts of any provider. OpenAI's prompt tokens (and ATIF's) include those from the cache;
// Anthropic's input tokens and pi's do not.
func readUsage(u Object) Reported {
	n := func(o Object, key string) int { return readCount(o.Raw(key)) }
	switch {
	case u.Has("prompt_tokens"):
		cached := max(n(u, "cached_tokens"), n(u.Object("prompt_tokens_details"), "cached_tokens"))
		return Reported{Prompt: n(u, "prompt_tokens"), Completion: n(u, "completion_tokens"), CacheRead: cached}
	case u.Has("cache_read_input_tokens"), u.Has("cache_creation_input_tokens"):
		read, write := n(u, "cache_read_input_tokens"), n(u, "cache_creation_input_tokens")
		return Reported{Prompt: n(u, "input_tokens") + read + write, Completion: n(u, "output_tokens"), CacheRead: read, CacheWrite: write}
	case u.Has("input_tokens"):
		cached := max(n(u, "cached_input_tokens"), n(u.Object("input_tokens_details"), "cached_tokens"))
		return Reported{Prompt: n(u, "input_tokens"), Completion: n(u, "output_tokens"), CacheRead: cached}
	case u.Has("input"):
		read, write := n(u, "cacheRead"), n(u, "cacheWrite")
		return Reported{Prompt: n(u, "input") + read + write, Completion: n(u, "output"), CacheRead: read, CacheWrite: write}
	}
	return Reported{}
}

// mostTokens is more than any call has: a larger number is no count.
const mostTokens = 1 << 40

func readCount(json []byte) int {
	f, err := strconv.ParseFloat(string(json), 64)
	if err != nil || !(f >= 0 && f < mostTokens) {
		return 0
	}
	return int(f)
}

// readTime reads RFC 3339 (the zone may be missing: then it is UTC), or seconds or milliseconds since 1970.
func readTime(json []byte) time.Time {
	if len(json) == 0 {
		return time.Time{}
	}
	if json[0] == '"' {
		text := DecodeString(json)
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UTC()
			}
		}
		return time.Time{}
	}
	const milliseconds = 1e11 // as seconds it would be the year 5138
	f, err := strconv.ParseFloat(string(json), 64)
	switch {
	case err != nil || !(f > 0 && f < 1e15):
		return time.Time{}
	case f < milliseconds:
		f *= 1000
	}
	return time.UnixMilli(int64(math.Round(f))).UTC()
}

package models

import "strings"

// bare takes everything off a lower-case name that does not belong to the model's own.
func bare(s string) string {
	fromBedrock := false
	for {
		rest, dotted, ok := cutPrefix(s)
		if !ok {
			break
		}
		s, fromBedrock = rest, fromBedrock || dotted
	}
	for {
		rest, ok := cutSuffix(s, fromBedrock)
		if !ok {
			return s
		}
		s = rest
	}
}

// cutPrefix takes one prefix off: a path segment ("openrouter/", "models/"), a known
// provider or region with a dot or colon ("us.", "anthropic.", "azure:"), "databricks-",
// or the frame of a fine-tuned model ("ft:MODEL:organisation:…"). dotted tells that it
// was the kind that Amazon Bedrock writes, whose names end in a revision.
func cutPrefix(s string) (rest string, dotted, ok bool) {
	if _, after, found := strings.Cut(s, "/"); found {
		return after, false, true
	}
	if after, found := strings.CutPrefix(s, "ft:"); found {
		model, _, _ := strings.Cut(after, ":")
		return model, false, true
	}
	if after, found := strings.CutPrefix(s, "databricks-"); found {
		return after, false, true
	}
	if i := strings.IndexAny(s, ".:"); i > 0 && isProvider(s[:i]) {
		return s[i+1:], s[i] == '.', true
	}
	return s, false, false
}

// isProvider reports whether a word before a dot or colon names who serves the model,
// or where. Before a slash every word does.
func isProvider(word string) bool {
	switch word {
	case "us", "eu", "ap", "apac", "au", "ca", "jp", "global", "us-gov",
		"anthropic", "openai", "google", "meta", "qwen", "alibaba", "deepseek", "mistral",
		"mistralai", "moonshot", "moonshotai", "xai", "x-ai", "zai", "z-ai", "minimax",
		"nous", "nousresearch", "azure", "bedrock", "vertex", "vertexai", "vertex_ai", "gemini",
		"openrouter", "ollama", "groq", "together", "fireworks", "cerebras", "litellm",
		"google-gla", "google-vertex", "google_genai", "amazon":
		return true
	}
	return false
}

// cutSuffix takes one suffix off: a bracket ("[1m]"), a variant or revision after a
// colon (":free", ":0"), a place or date after "@", a date, "-latest" and its like and,
// for names from Bedrock, the revision ("-v1").
func cutSuffix(s string, fromBedrock bool) (string, bool) {
	if strings.HasSuffix(s, "]") {
		if i := strings.LastIndexByte(s, '['); i > 0 {
			return s[:i], true
		}
	}
	if i := strings.LastIndexByte(s, '@'); i > 0 {
		return s[:i], true
	}
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		if rest, found := cutVariant(s, i); found {
			return rest, true
		}
	}
	for _, word := range [...]string{"-latest", "-preview", "-exp", "-maas", "-fp8"} {
		if rest, found := strings.CutSuffix(s, word); found && rest != "" {
			return rest, true
		}
	}
	if rest, found := cutDate(s); found {
		return rest, true
	}
	if fromBedrock {
		return cutRevision(s)
	}
	return s, false
}

// cutVariant cuts at the colon at i if a variant or a revision follows.
func cutVariant(s string, i int) (string, bool) {
	head, tail := s[:i], s[i+1:]
	switch tail {
	case "free", "thinking", "exacto", "nitro", "floor", "online", "extended", "beta",
		"cloud", "latest", "default", "preview":
		return head, true
	}
	digits := leadingDigits(tail)
	if digits == 0 || digits < len(tail) && tail[digits:] != "k" {
		return s, false
	}
	if rest, found := cutRevision(head); found {
		return rest, true
	}
	return head, true
}

// cutRevision takes off what Bedrock puts before ":0": "-v1" or "-1".
func cutRevision(s string) (string, bool) {
	i := strings.LastIndexByte(s, '-')
	if i <= 0 {
		return s, false
	}
	tail := strings.TrimPrefix(s[i+1:], "v")
	if n := leadingDigits(tail); n == 0 || n > 2 || n < len(tail) {
		return s, false
	}
	return s[:i], true
}

// cutDate takes one date off the end, in the spellings that vendors use. A digit d
// stands for any digit. Two pairs of digits are a date only after "-preview" or "-exp":
// elsewhere they are versions.
func cutDate(s string) (string, bool) {
	for _, pattern := range [...]string{
		"-dddd-dd-dd", "-dd-dddd", "-dddddddd", "-dddddd", "-dddd", "-ddd",
	} {
		if rest, found := cutPattern(s, pattern); found {
			return rest, true
		}
	}
	if rest, found := cutPattern(s, "-dd-dd"); found {
		if strings.HasSuffix(rest, "-preview") || strings.HasSuffix(rest, "-exp") {
			return rest, true
		}
	}
	return s, false
}

// cutPattern cuts a suffix that has the shape of pattern; something must remain.
func cutPattern(s, pattern string) (string, bool) {
	start := len(s) - len(pattern)
	if start <= 0 {
		return s, false
	}
	for i := range len(pattern) {
		c := s[start+i]
		if pattern[i] == 'd' && (c < '0' || c > '9') || pattern[i] != 'd' && c != pattern[i] {
			return s, false
		}
	}
	return s[:start], true
}

// leadingDigits counts the ASCII digits that s begins with.
func leadingDigits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

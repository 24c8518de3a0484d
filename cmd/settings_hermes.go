package cmd

import "strings"

// hermesKey is a key of Hermes Agent's configuration, or of its trajectory compressor's, that ctxpack understands.
type hermesKey struct {
	path   string // dotted; a last element * stands for everything below
	key    string // the setting it is another name of; "" when it has no effect here
	reason string // why it has no effect
}

// The reasons why keys have no effect.
const (
	reasonModelCalls = "no model is called; --summarizer openai, anthropic or exec:CMD would"
	reasonAlways     = "ctxpack always works so"
	reasonReport     = "the report is always written; --report names other files"
	reasonAgent      = "concerns the agent, not transcripts"
	reasonKey        = "keys come from the environment; --api-key-env names the variable"
)

// hermesKeys are the keys as Hermes' documentation and the example of its trajectory compressor name them. Those of
// Hermes that are also ours (compression.threshold and the like) are in the table of settings.
//
// protected_turns.first_system, first_human, first_gpt and first_tool are not in the table: together they say how many
// messages at the start are protected (see firstTurns).
func hermesKeys() []hermesKey {
	return []hermesKey{
		{path: "model.default", key: "model"},
		{path: "model.context_length", key: "context_length"},
		{path: "model.cache_ttl", key: cacheTTLKey},
		{path: "model.provider", reason: reasonAgent},
		{path: "model.base_url", reason: reasonAgent},
		{path: "auxiliary.compression.model", key: "compression.summary_model"},
		{path: "auxiliary.compression.provider", key: "compression.summary_provider"},
		{path: "auxiliary.compression.base_url", key: "compression.summary_base_url"},
		{path: "auxiliary.compression.context_length", key: "compression.summary_context_length"},
		{path: "auxiliary.compression.timeout", key: "timeout"},
		{path: "auxiliary.compression.api_key", reason: reasonKey},
		{path: "auxiliary.*", reason: reasonAgent},

		{path: "compression.target_max_tokens", key: "compression.fit"},
		{path: "compression.summary_target_tokens", key: "compression.max_summary_tokens"},
		{path: "protected_turns.last_n_turns", key: "compression.protect_last_n"},
		{path: "tokenizer.name", key: "tokenizer"},
		{path: "tokenizer.trust_remote_code", reason: "no code is ever loaded with a tokenizer"},
		{path: "summarization.model", key: "compression.summary_model"},
		{path: "summarization.base_url", key: "compression.summary_base_url"},
		{path: "summarization.api_key_env", key: "compression.api_key_env"},
		{path: "summarization.temperature", reason: "models are asked with their own temperature: many accept no other"},
		{path: "summarization.max_retries", key: "max_retries"},
		{path: "summarization.retry_delay", reason: "the provider says how long to wait, else the wait doubles from a second on"},
		{path: "output.add_summary_notice", key: "compression.note"},
		{path: "output.summary_notice_text", reason: "the note has a fixed text, by which it is recognised later"},
		{path: "output.output_suffix", reason: "outputs are named NAME.compacted.EXT; -o names others"},
		{path: "processing.num_workers", key: "workers"},
		{path: "processing.max_concurrent_requests", key: "concurrency"},
		{path: "processing.skip_under_target", reason: reasonAlways},
		{path: "processing.save_over_limit", reason: reasonAlways},
		{path: "processing.per_trajectory_timeout", key: "record_timeout"},
		{path: "metrics.enabled", reason: reasonReport},
		{path: "metrics.per_trajectory", reason: "--report rows.jsonl writes a row per record"},
		{path: "metrics.output_file", reason: reasonReport},

		// The other sections of the agent's config.yaml, so that it can be named with --config as it is.
		{path: "agent.*", reason: reasonAgent}, {path: "approvals.*", reason: reasonAgent},
		{path: "browser.*", reason: reasonAgent}, {path: "checkpoints.*", reason: reasonAgent},
		{path: "code_execution.*", reason: reasonAgent}, {path: "cron.*", reason: reasonAgent},
		{path: "delegation.*", reason: reasonAgent}, {path: "display.*", reason: reasonAgent},
		{path: "fallback_model.*", reason: reasonAgent}, {path: "fallback_providers.*", reason: reasonAgent},
		{path: "human_delay.*", reason: reasonAgent}, {path: "logging.*", reason: reasonAgent},
		{path: "mcp_servers.*", reason: reasonAgent}, {path: "memory.*", reason: reasonAgent},
		{path: "personalities.*", reason: reasonAgent}, {path: "platforms.*", reason: reasonAgent},
		{path: "plugins.*", reason: reasonAgent}, {path: "privacy.*", reason: reasonAgent},
		{path: "providers.*", reason: reasonAgent}, {path: "security.*", reason: reasonAgent},
		{path: "session_reset.*", reason: reasonAgent}, {path: "sessions.*", reason: reasonAgent},
		{path: "skills.*", reason: reasonAgent}, {path: "smart_model_routing.*", reason: reasonAgent},
		{path: "streaming.*", reason: reasonAgent}, {path: "stt.*", reason: reasonAgent},
		{path: "terminal.*", reason: reasonAgent}, {path: "timezone.*", reason: reasonAgent},
		{path: "toolsets.*", reason: reasonAgent}, {path: "tts.*", reason: reasonAgent},
		{path: "voice.*", reason: reasonAgent}, {path: "_config_version.*", reason: reasonAgent},
	}
}

// lookupHermes finds the entry for a dotted key; the first that matches counts.
func lookupHermes(path string) (hermesKey, bool) {
	for _, known := range hermesKeys() {
		prefix, wild := strings.CutSuffix(known.path, ".*")
		if path == prefix && (wild || known.path == path) || wild && strings.HasPrefix(path, prefix+".") {
			return known, true
		}
	}
	return hermesKey{}, false
}

// firstTurns are the keys of the trajectory compressor that protect the first message of each kind. All are true by
// default there. Their number is what --protect-first counts: trajectories begin system, human, gpt, tool.
func firstTurns() []string {
	return []string{
		"protected_turns.first_system", "protected_turns.first_human",
		"protected_turns.first_gpt", "protected_turns.first_tool",
	}
}

package summarize

import "strings"

// secretRule finds one kind of secret. Group 1 of the expression is what is masked, or the whole match where there is no
// group. One of the keywords stands in every text the expression matches, so that texts without any are not searched.
type secretRule struct {
	name     string
	keywords []string // lower case when fold is set
	fold     bool
	pattern  string
	keep     func(value string) bool        // says that a match is no secret; nil: all are
	whole    bool                           // a match may be of any length
	likely   func(text string, at int) bool // looks at what stands behind a keyword; false: there is no match around it. nil: always
	assign   bool                           // it matches at the keyword or one character before it; behind that, or the name it is part of, stands = or :
}

// secretRules are the forms of secrets that vendors document (prefixes and lengths are facts of their documentation), and
// the ways in which secrets are written down: headers, PEM blocks, URLs, assignments.
func secretRules() []secretRule {
	return []secretRule{
		{name: "pem", keywords: []string{"-----BEGIN"}, whole: true,
			pattern: `-----BEGIN [A-Z0-9 ]{2,40}-----(?:[\s\S]*?-----END [A-Z0-9 ]{2,40}-----|(?:\\n|\s|[A-Za-z0-9+/=])*)`},
		{name: "openai", keywords: []string{"sk-"}, pattern: `\b(sk-(?:ant-|or-v1-|proj-|svcacct-|admin-|lf-)?[A-Za-z0-9_\-]{16,})`},
		{name: "github", keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, pattern: `\b((?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}))`},
		{name: "gitlab", keywords: []string{"glpat-", "gldt-", "glptt-", "glrt-", "glsoat-", "glcbt-", "glagent-", "glft-", "glimt-"}, pattern: `\b(gl(?:pat|dt|ptt|rt|soat|cbt|agent|ft|imt)-[A-Za-z0-9_\-.]{20,})`},
		{name: "aws", keywords: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, pattern: `\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`},
		{name: "slack", keywords: []string{"xox", "xapp-", "hooks.slack.com"},
			pattern: `\b((?:xox[abeoprs]-[A-Za-z0-9\-]{10,}|xapp-[0-9]-[A-Za-z0-9\-]{10,}|hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/+]{20,}))`},
		{name: "google", keywords: []string{"AIza", "ya29.", "GOCSPX-"},
			pattern: `\b((?:AIza[A-Za-z0-9_\-]{35}|ya29\.[A-Za-z0-9_\-]{20,}|GOCSPX-[A-Za-z0-9_\-]{20,}))`},
		{name: "stripe", keywords: []string{"k_live_", "k_test_", "whsec_"},
			pattern: `\b((?:[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{16,}))`},
		{name: "huggingface", keywords: []string{"hf_", "api_org_"}, pattern: `\b((?:hf|api_org)_[A-Za-z0-9]{30,})`},
		{name: "package registries", keywords: []string{"npm_", "pypi-", "rubygems_", "dckr_pat_", "dop_v1_", "doo_v1_"},
			pattern: `\b((?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_\-]{40,}|rubygems_[a-f0-9]{40,}|dckr_pat_[A-Za-z0-9_\-]{20,}|do[op]_v1_[a-f0-9]{40,}))`},
		{name: "model providers", keywords: []string{"gsk_", "xai-", "r8_", "tvly-", "pplx-", "nvapi-", "fw_"},
			pattern: `\b((?:gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|tvly-[A-Za-z0-9\-]{20,}|pplx-[A-Za-z0-9]{30,}|nvapi-[A-Za-z0-9_\-]{30,}|fw_[A-Za-z0-9]{20,}))`},
		{name: "services", keywords: []string{"SG.", "shp", "sq0", "figd_", "lin_api_", "PMAK-", "NRAK-", "sntry", "AGE-SECRET-KEY-", "ATATT", "hvs.", "glsa_", "key-", "EAAA"},
			pattern: `\b((?:SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{30,}|sq0(?:csp|atp)-[A-Za-z0-9_\-]{20,}|figd_[A-Za-z0-9_\-]{30,}|lin_api_[A-Za-z0-9]{30,}|PMAK-[a-f0-9\-]{40,}|NRAK-[A-Z0-9]{20,}|sntry[su]_[A-Za-z0-9_=+/]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}|ATATT[A-Za-z0-9_\-=]{40,}|hvs\.[A-Za-z0-9_\-]{20,}|glsa_[A-Za-z0-9_]{30,}|key-[a-f0-9]{32}|EAAA[A-Za-z0-9_\-]{50,}))`},
		{name: "telegram", keywords: []string{":AA"}, pattern: `\b([0-9]{8,10}:AA[A-Za-z0-9_\-]{32,34})`},
		{name: "twilio", keywords: []string{"SK"}, pattern: `\b(SK[0-9a-f]{32})\b`},
		{name: "jwt", keywords: []string{"eyJ"}, pattern: `\b(eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,})`},
		{name: "header", assign: true, keywords: []string{"authorization"}, fold: true,
			pattern: `(?i)authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|bot|digest|negotiate|apikey|aws4-hmac-sha256)\s+)?([^\s"',;\\]{8,})`, keep: isReference},
		{name: "header key", assign: true, keywords: []string{"api-key", "auth-token", "access-token", "private-token", "vault-token"}, fold: true,
			pattern: `(?i)(?:api-key|auth-token|access-token|private-token|vault-token)["']?\s*[:=]\s*["']?([^\s"',;\\]{8,})`, keep: isReference},
		{name: "bearer", keywords: []string{"bearer "}, fold: true, pattern: `(?i)\bbearer\s+([A-Za-z0-9_\-.~+/]{16,}=*)`, keep: isWord},
		{name: "url", keywords: []string{"://"}, likely: holdsPassword, pattern: `://[^\s/:@"'<>\\]*:([^\s/@"'<>\\]{3,})@`, keep: isReference},
		{name: "query", keywords: []string{"key=", "token=", "secret=", "sig=", "signature=", "password="}, fold: true,
			pattern: `(?i)[?&](?:api[_-]?key|key|access[_-]?token|auth[_-]?token|token|client[_-]?secret|secret|sig|signature|x-amz-signature|password)=([^\s&"'<>#\\]{8,})`, keep: isReference},
		{name: "variable", assign: true, keywords: []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "PWD"},
			pattern: `[A-Z0-9_](?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PWD)(?:_[A-Z0-9]+)?["']?\s*[=:]\s*\\?["']?([^\s"',;\\]{6,})`, keep: isReference},
		{name: "bare variable", assign: true, keywords: []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD"},
			pattern: `\b(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=["']?([^\s"',;\\]{6,})`, keep: isReference},
		{name: "assignment", assign: true, likely: signFollows, keywords: assigned(), fold: true,
			pattern: `(?i)(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key|credentials?)\\?["']?\s*(?:=|:|=>|:=)\s*\\?["']([^\s"'\\]{6,})\\?["']`, keep: isReference},
		{name: "plain assignment", assign: true, likely: signFollows, keywords: assigned(), fold: true,
			pattern: `(?i)(?:password|passwd|passphrase|secret|[_-]token|api[_-]?key|access[_-]?key|secret[_-]?key)\s*[=:]\s*([A-Za-z0-9_\-+/=.!@#%^&*~]{8,})`, keep: isCode},
	}
}

func assigned() []string {
	return []string{"password", "passwd", "passphrase", "secret", "token", "api_key", "apikey", "api-key", "access_key", "accesskey",
		"access-key", "private_key", "privatekey", "private-key", "auth_key", "authkey", "auth-key", "credential"}
}

// isReference says that a value only refers to a secret, or is an example of one: $VAR, ${…}, <key>, {{…}}, your-key, xxx.
func isReference(v string) bool {
	if v == "" || strings.ContainsAny(v[:1], "$<{%([") || strings.HasPrefix(v, Masked) || strings.HasPrefix(v, "process.env") || strings.HasPrefix(v, "os.environ") {
		return true
	}
	if strings.ContainsAny(v, "()") && !strings.ContainsAny(v, "0123456789") {
		return true // a call
	}
	lower := strings.ToLower(v)
	switch strings.Trim(lower, "*x.-_") {
	case "", "none", "null", "nil", "true", "false", "undefined", "string", "required", "optional", "example", "changeme", "redacted", "masked", "hidden", "secret", "password", "token", "api_key", "apikey":
		return true
	}
	return strings.HasPrefix(lower, "your") || strings.Contains(lower, "placeholder") || strings.HasPrefix(lower, "<")
}

// isWord says that a value is an ordinary word: no digit in it.
func isWord(v string) bool { return isReference(v) || !strings.ContainsAny(v, "0123456789") }

// isCode says that an unquoted value is an expression or a word, not a secret: a secret written without quotation marks
// has letters and digits, and is not a path, a version, a number or a dotted name.
func isCode(v string) bool {
	if isReference(v) || !strings.ContainsAny(v, "0123456789") {
		return true
	}
	letters := strings.ContainsFunc(v, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	return !letters || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.Contains(v, ".") && isDotted(v) || isFileName(v)
}

// holdsPassword says whether what stands behind the :// of a URL can be a name, a colon, a password and an @.
func holdsPassword(text string, at int) bool {
	colon := false
	for ; at < len(text); at++ {
		switch c := text[at]; c {
		case '@':
			return colon
		case ':':
			colon = true
		case '/', '"', '\'', '<', '>', '\\', ' ', '\t', '\n', '\f', '\r':
			return false
		}
	}
	return false
}

// signFollows says whether an equals sign or a colon can stand behind a name that ends in a keyword, with a closing
// quotation mark between them at most: not so in token_count = 5.
func signFollows(text string, at int) bool {
	if at < len(text) && (text[at] == '_' || text[at] == '-') {
		at++
	}
	if len(text) >= at+3 && matches(text[at:at+3], "key", true) {
		at += 3
	}
	skip := func(set string) {
		if at < len(text) && strings.IndexByte(set, text[at]) >= 0 {
			at++
		}
	}
	skip("sS")
	skip("\\")
	skip("\"'")
	for at < len(text) && strings.IndexByte(" \t\n\f\r", text[at]) >= 0 {
		at++
	}
	return at < len(text) && (text[at] == '=' || text[at] == ':' || text[at] >= 0x80) // letters have other spellings there
}

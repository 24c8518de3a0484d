package summarize

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Masked stands where a secret stood.
const Masked = "[REDACTED]"

// secretRule finds one kind of secret. Group 1 of the expression is what is masked, or the whole match where there is no
// group. One of the keywords stands in every text the expression matches, so that texts without any are not searched.
type secretRule struct {
	name     string
	keywords []string // lower case when fold is set
	fold     bool
	pattern  string
	keep     func(value string) bool // says that a match is no secret; nil: all are
	whole    bool                    // a match may be of any length
	assign   bool                    // it matches at the keyword or one character before it; behind that, or the name it is part of, stands = or :
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
		{name: "stripe", keywords: []string{"_live_", "_test_", "whsec_"},
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
		{name: "url", keywords: []string{"://"}, pattern: `://[^\s/:@"'<>\\]*:([^\s/@"'<>\\]{3,})@`, keep: isReference},
		{name: "query", keywords: []string{"key=", "token=", "secret=", "sig=", "signature=", "password="}, fold: true,
			pattern: `(?i)[?&](?:api[_-]?key|key|access[_-]?token|auth[_-]?token|token|client[_-]?secret|secret|sig|signature|x-amz-signature|password)=([^\s&"'<>#\\]{8,})`, keep: isReference},
		{name: "variable", assign: true, keywords: []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "PWD"},
			pattern: `[A-Z0-9_](?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PWD)(?:_[A-Z0-9]+)?["']?\s*[=:]\s*\\?["']?([^\s"',;\\]{6,})`, keep: isReference},
		{name: "bare variable", assign: true, keywords: []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD"},
			pattern: `\b(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=["']?([^\s"',;\\]{6,})`, keep: isReference},
		{name: "assignment", assign: true, keywords: assigned(), fold: true,
			pattern: `(?i)(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key|credentials?)\\?["']?\s*(?:=|:|=>|:=)\s*\\?["']([^\s"'\\]{6,})\\?["']`, keep: isReference},
		{name: "plain assignment", assign: true, keywords: assigned(), fold: true,
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

// Redactor masks secrets. Safe for concurrent use.
type Redactor struct {
	rules  []compiledRule
	pairs  [1 << 16]uint16 // index into groups, by the first two bytes of a keyword; 0 for none
	groups [][]keyword

	// near has a bit for the hash of the first three bytes of every keyword, capitals folded: what most of a text is
	// told apart by, in a table that stays in the fastest memory.
	near [1 << 16 / 64]uint64
}

type compiledRule struct {
	secretRule
	expression *regexp.Regexp
}

// keyword is a keyword of a rule.
type keyword struct {
	text string
	rule int
}

// NewRedactor makes a redactor with all rules.
func NewRedactor() *Redactor { return redactor() }

var redactor = sync.OnceValue(func() *Redactor {
	r := &Redactor{groups: make([][]keyword, 1)}
	for i, rule := range secretRules() {
		pattern := rule.pattern
		if rule.assign {
			pattern = `\A(?s:.?)(?:` + pattern + `)`
		}
		r.rules = append(r.rules, compiledRule{rule, regexp.MustCompile(pattern)})
		for _, k := range rule.keywords {
			r.enter(k[0], k[1], keyword{k, i})
			if rule.fold {
				for _, first := range [...]byte{k[0], upperASCII(k[0])} {
					for _, second := range [...]byte{k[1], upperASCII(k[1])} {
						if first != k[0] || second != k[1] {
							r.enter(first, second, keyword{k, i})
						}
					}
				}
			}
		}
	}
	for _, g := range r.groups {
		for _, k := range g {
			r.enterNear(k.text)
		}
	}
	return r
})

// enterNear notes how a keyword begins; one of two bytes may be followed by anything.
func (r *Redactor) enterNear(text string) {
	third := []byte(text[2:min(3, len(text))])
	if len(third) == 0 {
		for c := range 256 {
			third = append(third, byte(c))
		}
	}
	for _, c := range third {
		h := threeHash(uint32(text[0]) | uint32(text[1])<<8 | uint32(c)<<16)
		r.near[h>>6] |= 1 << (h & 63)
	}
}

// threeHash is 16 bits of three bytes, whose capitals are folded (as are other characters, to the same effect: a hit is
// looked at again).
func threeHash(three uint32) uint32 { return (three | 0x202020) * 0x9E3779B1 >> 16 }

// enter notes a keyword under its first two bytes.
func (r *Redactor) enter(first, second byte, k keyword) {
	pair := int(first)<<8 | int(second)
	if r.pairs[pair] == 0 {
		r.groups = append(r.groups, nil)
		r.pairs[pair] = uint16(len(r.groups) - 1)
	}
	g := &r.groups[r.pairs[pair]]
	if !slices.Contains(*g, k) {
		*g = append(*g, k)
	}
}

// Mask gives the text with every secret masked, and how many there were. Text without secrets is returned as it is.
func (r *Redactor) Mask(text string) (string, int) {
	found := r.find(text)
	if len(found) == 0 {
		return text, 0
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.start])
		b.WriteString(Masked)
		at = f.end
	}
	b.WriteString(text[at:])
	return b.String(), len(found)
}

// Holds says whether there is a secret in the text, and by which rule.
func (r *Redactor) Holds(text string) (rule string, is bool) {
	found := r.find(text)
	if len(found) == 0 {
		return "", false
	}
	return r.rules[found[0].rule].name, true
}

// stretch is a part of a text that a rule is about.
type stretch struct{ start, end, rule int }

// find gives the secrets in the text, in order, without overlap.
func (r *Redactor) find(text string) []stretch {
	if r == nil {
		return nil
	}
	var found []stretch
	for _, w := range r.windows(text) {
		c := &r.rules[w.rule]
		for _, m := range c.expression.FindAllStringSubmatchIndex(text[w.start:w.end], -1) {
			f := stretch{w.start + m[0], w.start + m[1], w.rule}
			if len(m) >= 4 && m[2] >= 0 {
				f.start, f.end = w.start+m[2], w.start+m[3]
			}
			value := text[f.start:f.end]
			if (c.keep == nil || !c.keep(value)) && !strings.HasPrefix(value, Masked) {
				found = append(found, f)
			}
		}
	}
	return merge(found, false)
}

// Bytes around a keyword that the expression is held against.
const (
	windowBefore = 64
	windowAfter  = 160
	windowMost   = 8 << 10 // how far a word that reaches beyond the window is followed
)

// windows gives the parts of the text in which rules may match: around their keywords. One pass over the text, which
// allocates nothing where there is no keyword.
func (r *Redactor) windows(text string) []stretch {
	var all []stretch
	if len(text) < 3 {
		return nil
	}
	three := uint32(text[0])<<8 | uint32(text[1])<<16
	for i := 2; i < len(text); i++ {
		three = three>>8 | uint32(text[i])<<16
		if h := threeHash(three); r.near[h>>6]&(1<<(h&63)) != 0 {
			all = r.keywordsAt(all, text, i-2)
		}
	}
	// A rule that is anchored at its keyword needs a window for each.
	split := len(all)
	slices.SortStableFunc(all, func(a, b stretch) int {
		return cmp.Compare(r.anchored(b), r.anchored(a))
	})
	for split > 0 && r.anchored(all[split-1]) == 0 {
		split--
	}
	loose := merge(all[split:], true)
	return all[:split+len(loose)]
}

// anchored is 1 for a window of a rule that is anchored at its keyword.
func (r *Redactor) anchored(w stretch) int {
	if r.rules[w.rule].assign {
		return 1
	}
	return 0
}

// keywordsAt appends the windows of the keywords that begin at i.
func (r *Redactor) keywordsAt(all []stretch, text string, i int) []stretch {
	for _, k := range r.groups[r.pairs[int(text[i])<<8|int(text[i+1])]] {
		c := &r.rules[k.rule]
		end := i + len(k.text)
		if end > len(text) || !matches(text[i:end], k.text, c.fold) || c.assign && !assigns(text, end) {
			continue
		}
		w := stretch{max(i-windowBefore, 0), wordEnd(text, min(end+windowAfter, len(text))), k.rule}
		switch {
		case c.whole:
			w.end = len(text)
		case c.assign:
			w.start = max(i-1, 0)
		}
		all = append(all, w)
	}
	return all
}

// matches compares with a keyword; with fold, capitals of ASCII do not count (the keyword is in small letters).
func matches(text, keyword string, fold bool) bool {
	if !fold {
		return text == keyword
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != keyword[i] {
			return false
		}
	}
	return true
}

func upperASCII(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}

// merge sorts stretches and joins those that overlap: all of them, or only those of one rule.
func merge(all []stretch, byRule bool) []stretch {
	slices.SortFunc(all, func(a, b stretch) int {
		if byRule && a.rule != b.rule {
			return a.rule - b.rule
		}
		return cmp.Or(a.start-b.start, b.end-a.end)
	})
	merged := all[:0]
	for _, w := range all {
		if n := len(merged); n > 0 && w.start < merged[n-1].end && (!byRule || w.rule == merged[n-1].rule) {
			merged[n-1].end = max(merged[n-1].end, w.end)
			continue
		}
		merged = append(merged, w)
	}
	return merged
}

// assigns says whether what stands at an offset can be the rest of a name and a sign of assignment.
func assigns(text string, at int) bool {
	for end := min(at+32, len(text)); at < end; at++ {
		switch c := text[at]; {
		case c == '=' || c == ':':
			return true
		case class[c]&(lower|upper|digit|underscore) == 0 && c != '-' && c != ' ' && c != '\t' && c != '"' && c != '\'' && c != '\\':
			return false
		}
	}
	return false
}

// wordEnd moves an offset to the end of the word it stands in.
func wordEnd(text string, at int) int {
	for end := min(at+windowMost, len(text)); at < end && strings.IndexByte(" \t\r\n\"'", text[at]) < 0; {
		at++
	}
	return at
}

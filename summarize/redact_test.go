package summarize

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// secrets are made here, piece by piece, so that no scanner takes this file for a leak.
func secrets() map[string]string {
	letters := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return map[string]string{
		"openai":      "sk-" + "proj-" + letters[5:45],
		"anthropic":   "sk-" + "ant-" + "api03-" + letters[2:50],
		"openrouter":  "sk-" + "or-v1-" + strings.Repeat("0a1b", 16),
		"github":      "ghp" + "_" + letters[:36],
		"github fine": "github" + "_pat_" + letters[:40],
		"gitlab":      "glpat" + "-" + letters[10:30],
		"aws":         "AKIA" + "IOSFODNN7EXAMPLE",
		"slack":       "xoxb" + "-123456789012-" + letters[:20],
		"google":      "AIza" + letters[:35],
		"stripe":      "sk" + "_live_" + letters[:24],
		"hugging":     "hf" + "_" + letters[:34],
		"npm":         "npm" + "_" + letters[:36],
		"sendgrid":    "SG." + letters[:22] + "." + letters[:43],
		"telegram":    "123456789:AA" + letters[:33],
		"jwt":         "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0In0." + letters[:40],
		"groq":        "gsk" + "_" + letters[:40],
	}
}

func TestMaskTokens(t *testing.T) {
	r := NewRedactor()
	for name, secret := range secrets() {
		for _, text := range []string{secret, "key is " + secret + ".", `{"a":"` + secret + `"}`, "\n" + secret + "\n", "(" + secret + ")", "x=" + secret + "&y=1"} {
			masked, n := r.Mask(text)
			if n == 0 || strings.Contains(masked, secret) || !strings.Contains(masked, Masked) {
				t.Errorf("%s: %q becomes %q (%d)", name, text, masked, n)
			}
			if _, is := r.Holds(text); !is {
				t.Errorf("%s: Holds says no", name)
			}
			if again, n := r.Mask(masked); n != 0 || again != masked {
				t.Errorf("%s: masked twice: %q", name, again)
			}
		}
	}
}

func TestMaskForms(t *testing.T) {
	r := NewRedactor()
	for _, test := range []struct{ text, secret string }{
		{"Authorization: Bearer abcdef123456XYZ", "abcdef123456XYZ"},
		{`curl -H "Authorization: Basic dXNlcjpwYXNz" x`, "dXNlcjpwYXNz"},
		{`"authorization": "token 0123456789abcdef"`, "0123456789abcdef"},
		{"X-Api-Key: 9f8e7d6c5b4a3210", "9f8e7d6c5b4a3210"},
		{"postgres://app:hunter2secret@db:5432/x", "hunter2secret"},
		{"https://x.test/cb?access_token=a1b2c3d4e5f6&state=1", "a1b2c3d4e5f6"},
		{"export DATABASE_PASSWORD=hunter22", "hunter22"},
		{"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		{"API_KEY: 'abc123def456'", "abc123def456"},
		{`{"password": "correct horse"}`, ""},
		{`{"password": "correcthorse"}`, "correcthorse"},
		{`{\"api_key\": \"q1w2e3r4t5\"}`, "q1w2e3r4t5"},
		{"client_secret = \"s3cr3tv4lue\"", "s3cr3tv4lue"},
		{"password: Tr0ub4dor&3", "Tr0ub4dor&3"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabc\n-----END RSA PRIVATE KEY-----", "MIIEowIBAAKCAQEA7"},
		{`-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabc`, "MIIEowIBAAKCAQEA7"},
	} {
		masked, n := r.Mask(test.text)
		if test.secret == "" {
			continue
		}
		if n == 0 || strings.Contains(masked, test.secret) {
			t.Errorf("%q becomes %q", test.text, masked)
		}
	}
}

func TestMaskLeavesTextAlone(t *testing.T) {
	r := NewRedactor()
	for _, text := range []string{
		"", "the token count is 4096", `"max_tokens": 4096, "tokenizer": "o200k_base"`, "token = get_token(request)", "password: required",
		"API_KEY=$API_KEY", "API_KEY=${SECRETS_API_KEY}", "export TOKEN=<your-token>", "key: value", "primary_key = id", "for key, value := range m",
		"the secret of good soup is salt", "https://example.com/a?page=2&key=", "git@github.com:a/b.git", "http://localhost:8080/x@y",
		"PASSWORD=changeme", "api_key=os.environ['X']", "token: str = Field(default=None)", "bearer of bad news", "author: tester",
		"sk-learn", "task-force", "risk-assessment-of-things", "commit 9f8e7d6c5b4a32109f8e7d6c5b4a32109f8e7d6c", "password = self.password1.text",
		"SECRET_KEY = config('SECRET_KEY')", "KEY=1", "TOKEN_LIMIT = 128000",
	} {
		if masked, n := r.Mask(text); n != 0 {
			t.Errorf("%q becomes %q", text, masked)
		}
	}
}

// A secret is masked wherever it stands in an ordinary text, and the rest of the text stays.
func TestMaskAnywhere(t *testing.T) {
	r := NewRedactor()
	all := secrets()
	names := []string{"openai", "github", "aws", "slack", "jwt", "google"}
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.StringMatching(`([a-z]{1,8} ){0,20}`).Draw(t, "before")
		after := rapid.StringMatching(`( [a-z]{1,8}){0,20}`).Draw(t, "after")
		secret := all[rapid.SampledFrom(names).Draw(t, "kind")]
		masked, n := r.Mask(before + secret + after)
		if n != 1 || masked != before+Masked+after {
			t.Fatalf("%q (%d)", masked, n)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	text := strings.Repeat("12: func (s *server) handle(w http.ResponseWriter, key string) error { return s.token.check(key) }\n", 10_000)
	r := NewRedactor()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Mask(text)
	}
}

// TestKeywordsAreFound puts every keyword, in either case where that does not count, at every place of a step and at both
// ends of a text.
func TestKeywordsAreFound(t *testing.T) {
	r := NewRedactor()
	finds := func(text string, want int) bool {
		for at := 0; at < len(text); at += keywordStep {
			if at = r.keywords.next(text, at); at-1 <= want && want < at+keywordStep-1 {
				return true
			}
		}
		return false
	}
	for _, rule := range secretRules() {
		for _, text := range rule.keywords {
			spelled := []string{text}
			if rule.fold {
				spelled = append(spelled, strings.ToUpper(text), strings.ToUpper(text[:1])+text[1:], text[:1]+strings.ToUpper(text[1:]))
			}
			for _, keyword := range spelled {
				for before := range 5 {
					for _, after := range []string{"", "x", " yz", "=12345678"} {
						if whole := "~~~~~"[:before] + keyword + after; !finds(whole, before) {
							t.Errorf("%s: %q at %d of %q is passed by", rule.name, keyword, before, whole)
						}
					}
				}
			}
		}
	}
}

func TestLikely(t *testing.T) {
	tests := []struct {
		text, keyword string
		likely        func(string, int) bool
		want          bool
	}{
		{"token = x", "token", signFollows, true},
		{`{\"secret_key\" : 1}`, "secret", signFollows, true},
		{"credentials:", "credential", signFollows, true},
		{"api_key\n\t= x", "api_key", signFollows, true},
		{"token_count = 5", "token", signFollows, false},
		{"tokens and more: 1", "token", signFollows, false},
		{"token", "token", signFollows, false},
		{"https://me:pass@host", "://", holdsPassword, true},
		{"https://:pass@host", "://", holdsPassword, true},
		{"https://host:8080/x@y", "://", holdsPassword, false},
		{"https://me@host", "://", holdsPassword, false},
		{"https://host", "://", holdsPassword, false},
	}
	for _, tt := range tests {
		at := strings.Index(tt.text, tt.keyword) + len(tt.keyword)
		if got := tt.likely(tt.text, at); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
}

// thorough is the redactor without what passes text by: it looks for keywords everywhere, and holds every expression
// against each of them.
func thorough() *Redactor {
	made := NewRedactor()
	r := &Redactor{rules: slices.Clone(made.rules), keywords: made.keywords}
	for i := range r.rules {
		r.rules[i].likely = nil
	}
	for k := range r.keywords.near {
		for c := range r.keywords.near[k] {
			r.keywords.near[k][c] = ^uint64(0)
		}
	}
	return r
}

func sameSecrets(t interface{ Errorf(string, ...any) }, reference *Redactor, text string) {
	got, want := NewRedactor().find(text), reference.find(text)
	if !slices.Equal(got, want) {
		t.Errorf("%q: %v, want %v", text, got, want)
	}
}

func TestShortcutsMissNothing(t *testing.T) {
	parts := []string{" ", "\n", "=", ":", " = ", "\"", "'", "\\", "_", "-", "/", "@", "s", "key", "KEY", "://", "https://", "user", "a1b2c3d4e5f6", "ſ", "\u212a", "é"}
	for _, rule := range secretRules() {
		parts = append(parts, rule.keywords...)
	}
	for _, secret := range secrets() {
		parts = append(parts, secret)
	}
	slices.Sort(parts)
	reference := thorough()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts")
		sameSecrets(t, reference, strings.Join(list, ""))
	})
}

func FuzzMask(f *testing.F) {
	f.Add("token_count = 5, Token: 'a1b2c3d4e5' https://me:p4ssw0rd@host/ AWS_SECRET=abcdefgh1 k_test_")
	reference := thorough()
	f.Fuzz(func(t *testing.T, text string) { sameSecrets(t, reference, text) })
}

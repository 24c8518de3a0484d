package summarize

import (
	"strings"
	"testing"
)

func TestIdentifiers(t *testing.T) {
	names := map[IdentifierKind]string{Path: "path", Symbol: "symbol", Hash: "hash", Ticket: "ticket", Issue: "issue", URL: "url", Version: "version"}
	for _, test := range []struct{ text, want string }{
		{"see ./src/main.go, please", "path:src/main.go"},
		{"/etc/hosts and ~/notes.txt", "path:/etc/hosts path:~/notes.txt"},
		{"edit setup.py.", "path:setup.py"},
		{"(my-file.test.js)", "path:my-file.test.js"},
		{"and/or yes/no 24/7 TCP/IP client/server 1/2", ""},
		{"src/utils docs/ a/b", "path:src/utils"},
		{"diff --git a/x/one.py b/x/one.py\n--- a/x/one.py\n+++ b/x/one.py\n", "path:x/one.py path:x/one.py path:x/one.py path:x/one.py"},
		{"node_modules/@types/node", "path:node_modules/@types/node"},
		{"line 3 of pkg/x_test.go:123: bad", "path:pkg/x_test.go"},
		{"<br/> </div> // comment", ""},
		{"application/json", ""},
		{"修改src/a.go文件", "path:src/a.go"},
		{"parse_http_date parseDate HTTPServer __init__ MAX_SIZE", "symbol:parse_http_date symbol:parseDate symbol:HTTPServer symbol:__init__ symbol:MAX_SIZE"},
		{"self.assertEqual(x) django.db.models", "symbol:self.assertEqual symbol:django.db.models"},
		{"plain words and a_b x.y Some Words", ""},
		{"e.g. and i.e. this. That is", ""},
		{"commit 3fa9c1d and deadbeef and 1234567 and 0x7ffeab12", "hash:3fa9c1d hash:0x7ffeab12"},
		{"id 550e8400-e29b-41d4-a716-446655440000", "hash:550e8400-e29b-41d4-a716-446655440000"},
		{"fixes #123, ABC-42 and PROJ2-7; not x#5 or #0 or #abc", "issue:#123 ticket:ABC-42 ticket:PROJ2-7"},
		{"https://example.com/a_b?c=d#e. ftp://h/x", "url:https://example.com/a_b?c=d#e url:ftp://h/x"},
		{"(http://localhost:8000)", "url:http://localhost:8000"},
		{"go 1.26.0 at 10.0.0.1, 3.14", "version:1.26.0 version:10.0.0.1"},
		{`raw\nnew_name\tother_name`, "symbol:new_name symbol:other_name"},
		{"x" + strings.Repeat("_a", 40), ""},
		{"`**TimeDelta**`", "symbol:TimeDelta"},
		{"--my-flag=src/x.py", "path:src/x.py"},
		{"", ""},
	} {
		var got []string
		Identifiers(test.text, func(id string, kind IdentifierKind) { got = append(got, names[kind]+":"+id) })
		if joined := strings.Join(got, " "); joined != test.want {
			t.Errorf("%q:\n got %s\nwant %s", test.text, joined, test.want)
		}
	}
}

func FuzzIdentifiers(f *testing.F) {
	for _, seed := range []string{"see ./src/main.go #12 ABC-1 https://x.y/z", "a//b/../c.d", "--- a/x b/y", "\\nfoo_bar", "漢字/字.go", "://", "/", "-.-", "@~/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		scan(text, func(start, stop int, kind IdentifierKind) {
			if start < end || stop <= start || stop > len(text) || kind >= kinds {
				t.Fatalf("[%d, %d) of kind %d after %d in %q", start, stop, kind, end, text)
			}
			end = stop
		})
		f := files{}
		f.script(text)
		ShellFiles(text)
		CommandKey(text)
		WorthNoting(text)
	})
}

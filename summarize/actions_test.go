package summarize

import (
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

func TestShellFiles(t *testing.T) {
	for _, test := range []struct{ command, written, read string }{
		{"cat a.txt b.txt", "", "a.txt b.txt"},
		{"cat > out.py << 'EOF'\nrm -rf x > y\nEOF\ncat z.py", "out.py", "z.py"},
		{"cat <<EOF >> log.txt\nhello\nEOF", "log.txt", ""},
		{"echo hi | tee -a one.txt two.txt", "one.txt two.txt", ""},
		{"make 2>&1 > build.log", "build.log", ""},
		{"cmd 2>/dev/null &> all.log", "all.log", ""},
		{"sed -i 's/a/b/' src/x.go", "src/x.go", ""},
		{"sed -i -e 's/a/b;c/' src/x.go src/y.go", "src/x.go src/y.go", ""},
		{"sed -n '1,20p' src/x.go | head -5", "", "src/x.go"},
		{"mv old.go new.go && rm -f gone.go", "old.go new.go gone.go", ""},
		{"cp a.go b.go", "b.go", "a.go"},
		{"head -n 20 x.py; tail -5 y.py", "", "x.py y.py"},
		{"grep -rn 'open(\"x\", \"w\")' src/a.py src", "", "src/a.py"},
		{"git checkout -- src/a.py", "src/a.py", ""},
		{"git apply fix.patch", "", "fix.patch"},
		{"cd /repo && FOO=1 sudo cat ./conf.yml", "", "conf.yml"},
		{"bash -lc 'cat inner.txt > copy.txt'", "copy.txt", "inner.txt"},
		{"python3 - <<'PY'\np = 'src/a.py'\ns = open(p).read()\nopen(p, 'w').write(s)\nopen('b.txt', mode=\"a\")\nPY", "src/a.py b.txt", "src/a.py"},
		{"python -c \"from pathlib import Path; Path('x.md').write_text('hi')\"", "x.md", ""},
		{"cat *.py $FILE", "", ""},
		{"wc -l < in.txt", "", "in.txt"},
		{"curl -s http://x.y -o page.html", "page.html", ""},
		{"echo 'a > b' # > c", "", ""},
		{"if [ -f x ]; then cat y.txt; fi", "", "y.txt"},
		{"cat 'a b.txt'", "", "a b.txt"},
		{"", "", ""},
	} {
		w, r := ShellFiles(test.command)
		if got := strings.Join(w, " "); got != test.written {
			t.Errorf("%q writes %q, want %q", test.command, got, test.written)
		}
		if got := strings.Join(r, " "); got != test.read {
			t.Errorf("%q reads %q, want %q", test.command, got, test.read)
		}
	}
}

func TestReadCall(t *testing.T) {
	for _, test := range []struct {
		name, arguments string
		verb            Verb
		written, read   string
	}{
		{"read_file", `{"path":"./a.go"}`, Read, "", "a.go"},
		{"Edit", `{"file_path":"a.go","old_string":"x","new_string":"y"}`, Write, "a.go", ""},
		{"str_replace_editor", `{"command":"view","path":"/r/a.py"}`, Read, "", "/r/a.py"},
		{"str_replace_editor", `{"command":"str_replace","path":"/r/a.py","old_str":"rm x > y"}`, Write, "/r/a.py", ""},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: src/a.go\n@@\n*** Add File: b.go\n"}`, Write, "src/a.go b.go", ""},
		{"bash", `{"command":"echo x > y.txt"}`, Run, "y.txt", ""},
		{"shell", `{"command":["bash","-lc","cat z.txt"]}`, Run, "", "z.txt"},
		{"execute_code", `{"code":"open('q.csv','w')"}`, Run, "q.csv", ""},
		{"get_user_details", `{"user_id":"anna_1"}`, Look, "", ""},
		{"search_direct_flight", `{"origin":"JFK","destination":"SEA"}`, Read, "", ""},
		{"update_reservation", `{"reservation_id":"X1"}`, Other, "", ""},
		{"book_reservation", `{"user_id":"anna_1"}`, Other, "", ""},
		{"TodoWrite", `{"todos":[{"content":"x","status":"pending"}]}`, Plan, "", ""},
		{"mcp__files__delete_file", `{"path":"old.go"}`, Delete, "old.go", ""},
		{"open", `{"path":"setup.py","line_number":3}`, Read, "", "setup.py"},
		{"bash", `not json`, Run, "", ""},
		{"read_many", `{"paths":["a.go","b.go"]}`, Read, "", "a.go b.go"},
	} {
		a := ReadCall(&formats.Message{Number: 7}, &formats.ToolCall{Name: test.name, Arguments: test.arguments})
		if a.Verb != test.verb || strings.Join(a.Written, " ") != test.written || strings.Join(a.Read, " ") != test.read || a.Number != 7 {
			t.Errorf("%s %s: verb %d written %q read %q", test.name, test.arguments, a.Verb, a.Written, a.Read)
		}
	}
}

func TestEditorWithoutPath(t *testing.T) {
	messages := call(2, "edit", `{"search":"a","replace":"b"}`, "[File: /r/x.py]\n1:b\n(Open file: /r/x.py)\n(Current directory: /r)\nbash-$")
	if a := Actions(messages); len(a) != 1 || strings.Join(a[0].Written, " ") != "/r/x.py" {
		t.Errorf("%+v", a)
	}
}

func TestReadOutcome(t *testing.T) {
	for _, test := range []struct {
		name, raw   string
		isError     bool
		ran         bool
		exit, error string
		failed      bool
	}{
		{"returncode", "<returncode>0</returncode>\n<output>\nerror: none\n</output>", false, true, "0", "", false},
		{"failed", "<returncode>2</returncode>\n<output>\nx\nmake: *** No rule: Error: stop\n</output>", false, true, "2", "make: *** No rule: Error: stop", true},
		{"envelope", `{"output":"a\nValueError: bad\n","exit_code":1,"error":null}`, false, true, "1", "ValueError: bad", true},
		{"traceback", "Traceback (most recent call last):\n  File \"x\"\nKeyError: 'a'\nduring\nTypeError: second", false, true, "", "TypeError: second", true},
		{"pipe hides it", "<returncode>0</returncode>\n<output>\n/usr/bin/python: No module named pytest\n</output>", false, true, "0", "/usr/bin/python: No module named pytest", true},
		{"source code", "12: raise ValueError('x')\n    except KeyError:\n", false, true, "", "", false},
		{"a file about errors", "# Errors\nerror: this is documented", false, false, "", "", false},
		{"a reader that failed", "Error: no such file a.go", false, false, "", "Error: no such file a.go", true},
		{"marked", "boom", true, false, "", "boom", true},
		{"codex", "Process exited with code 127\nbash: foo: command not found", false, true, "127", "bash: foo: command not found", true},
		{"ok", "fine", false, true, "", "", false},
	} {
		o := ReadOutcome(test.raw, Unwrap(test.raw), test.isError, test.ran)
		if o.Exit != test.exit || o.Error != test.error || o.Failed != test.failed {
			t.Errorf("%s: %+v", test.name, o)
		}
	}
}

func TestCommandKey(t *testing.T) {
	key := CommandKey("pytest tests/test_x.py")
	for _, same := range []string{"cd /r && python -m pytest tests/test_x.py -xvs 2>&1 | tail -5", "python3 -m pytest tests/test_x.py -k"} {
		if got := CommandKey(same); got != key {
			t.Errorf("%q has key %q, want %q", same, got, key)
		}
	}
	if CommandKey("pytest tests/test_y.py") == key {
		t.Error("another test has the same key")
	}
}

func TestWorthNoting(t *testing.T) {
	for command, want := range map[string]bool{
		"ls -la": false, "cd x && cat y | head": false, "grep -rn a .": false, "git status": false, "sed -n 1p x": false, "echo $PATH": false,
		"make": true, "git commit -m x": true, "sed -i s/a/b/ x.go": true, "pytest": true, "cd x && npm test": true, "echo a > b": true,
	} {
		if got := WorthNoting(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		line string
		n    int
		want string
	}{{"short", 10, "short"}, {"two words here", 12, "two words…"}, {"漢字漢字漢字", 12, "漢字漢…"}, {"abc", 3, "abc"}} {
		if got := Clip(test.line, test.n); got != test.want || len(got) > test.n {
			t.Errorf("%q at %d: %q", test.line, test.n, got)
		}
	}
}

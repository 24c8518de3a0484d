package cmd

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctxpack/ctxpack/fixtures/synth"
)

// scriptCommands are the commands that scripts have beside testscript's own:
//
//	exits CODE COMMAND ARG...  runs a command and checks its exit code
//	json FILE PATH WANT        the value at PATH (see valueAt) is WANT, as compact JSON; "absent" for none
//	rows FILE NAME WANT...     the member NAME of every line of a file of JSON objects, one after the other; "-" for none
//	samejson A B MEMBER...     two JSON files are equal but for the members named, at the top
//	sametree A B               every file below A stands below B too, with the same bytes
//	restore REJECTS FILE       writes the records of a rejects file, a line each
//	tidy                       nothing temporary is left anywhere
//	generate FILE RECORDS SEED TOKENS [DIALECT [CONTAINER]]   writes synthetic conversations
//	longline FILE              writes a line of 20 MB between two small ones
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	commands := map[string]func(*testscript.TestScript, []string){
		"json": checkJSON, "rows": checkRows, "samejson": checkSameJSON, "sametree": checkSameTree,
		"restore": restoreRejects, "tidy": checkTidy, "generate": generate, "longline": longLine, "exits": checkExit,
	}
	table := map[string]func(*testscript.TestScript, bool, []string){}
	for name, run := range commands {
		table[name] = func(ts *testscript.TestScript, negated bool, args []string) {
			if negated {
				ts.Fatalf("%s cannot be negated", name)
			}
			run(ts, args)
		}
	}
	return table
}

func need(ts *testscript.TestScript, args []string, least int, usage string) {
	if len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

func checkExit(ts *testscript.TestScript, args []string) {
	need(ts, args, 2, "exits CODE COMMAND ARG...")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func checkJSON(ts *testscript.TestScript, args []string) {
	need(ts, args, 3, "json FILE PATH WANT")
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &value))
	got := "absent"
	if found, ok := valueAt(value, args[1]); ok {
		got = compactJSON(found)
	}
	if got != args[2] {
		ts.Fatalf("%s: %s is %s, want %s", args[0], args[1], got, args[2])
	}
}

// valueAt follows a path: the names of members, the indexes of elements, or name=text for the first element whose member
// has that text, separated by dots. "#" at the end is the number of elements.
func valueAt(value any, path string) (any, bool) {
	for _, step := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			member, ok := v[step]
			if !ok {
				return nil, false
			}
			value = member
		case []any:
			if step == "#" {
				return len(v), true
			}
			i, err := strconv.Atoi(step)
			if name, text, ok := strings.Cut(step, "="); ok {
				i = slices.IndexFunc(v, func(e any) bool { m, _ := e.(map[string]any); return compactJSON(m[name]) == text })
			} else if err != nil {
				return nil, false
			}
			if i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

func compactJSON(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return strings.Trim(strings.TrimSpace(text.String()), `"`)
}

func checkRows(ts *testscript.TestScript, args []string) {
	need(ts, args, 3, "rows FILE NAME WANT...")
	var got []string
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var row any
		ts.Check(json.Unmarshal([]byte(line), &row))
		value, ok := valueAt(row, args[1])
		if !ok {
			value = "-"
		}
		got = append(got, compactJSON(value))
	}
	if !slices.Equal(got, args[2:]) {
		ts.Fatalf("%s of %s: %q, want %q", args[1], args[0], got, args[2:])
	}
}

func checkSameJSON(ts *testscript.TestScript, args []string) {
	need(ts, args, 2, "samejson A B MEMBER...")
	var files [2]map[string]any
	for i := range files {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[i])), &files[i]))
		for _, member := range args[2:] {
			if _, ok := files[i][member]; !ok {
				ts.Fatalf("%s has no %s", args[i], member)
			}
			delete(files[i], member)
		}
	}
	for member := range files[0] {
		if !reflect.DeepEqual(files[0][member], files[1][member]) {
			ts.Fatalf("%s differs:\n%s\n%s", member, compactJSON(files[0][member]), compactJSON(files[1][member]))
		}
	}
	if len(files[0]) != len(files[1]) {
		ts.Fatalf("%s and %s have different members", args[0], args[1])
	}
}

func checkSameTree(ts *testscript.TestScript, args []string) {
	need(ts, args, 2, "sametree A B")
	a, b := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	compared := 0
	ts.Check(filepath.WalkDir(a, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(a, path)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(b, rel))
		if err == nil && !bytes.Equal(got, want) {
			err = fmt.Errorf("%s differs", rel)
		}
		compared++
		return err
	}))
	if compared == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
}

func restoreRejects(ts *testscript.TestScript, args []string) {
	need(ts, args, 2, "restore REJECTS FILE")
	var all []byte
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var reject struct {
			Raw    *string `json:"raw"`
			Base64 *string `json:"raw_base64"`
		}
		ts.Check(json.Unmarshal([]byte(line), &reject))
		switch {
		case reject.Raw != nil && reject.Base64 == nil:
			all = append(all, *reject.Raw...)
		case reject.Base64 != nil && reject.Raw == nil:
			raw, err := base64.StdEncoding.DecodeString(*reject.Base64)
			ts.Check(err)
			all = append(all, raw...)
		default:
			ts.Fatalf("neither raw nor raw_base64, or both: %s", line)
		}
		all = append(all, '\n')
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), all, 0o666))
}

func checkTidy(ts *testscript.TestScript, _ []string) {
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(entry.Name(), ".ctxpack-") {
			err = fmt.Errorf("%s is left over", path)
		}
		return err
	}))
}

func generate(ts *testscript.TestScript, args []string) {
	need(ts, args, 4, "generate FILE RECORDS SEED TOKENS [DIALECT [CONTAINER]]")
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(args[i+1])
		ts.Check(err)
		numbers[i] = n
	}
	o := synth.FileOptions{Records: numbers[0], Seed: uint64(numbers[1])}
	o.Tokens = numbers[2]
	if len(args) > 4 {
		o.Dialect = args[4]
	}
	if len(args) > 5 {
		o.Container = args[5]
	}
	writeSynth(ts, args[0], o)
}

func longLine(ts *testscript.TestScript, args []string) {
	need(ts, args, 1, "longline FILE")
	writeSynth(ts, args[0], synth.FileOptions{Kind: synth.LongLine})
}

func writeSynth(ts *testscript.TestScript, name string, o synth.FileOptions) {
	file, err := os.Create(ts.MkAbs(name))
	ts.Check(err)
	_, err = synth.Write(file, o)
	ts.Check(errors.Join(err, file.Close()))
}

package summarize

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func openLog(t interface{ Fatal(...any) }, dir string) *Log {
	l, err := OpenLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func keyOf(s string) Key { return sha256.Sum256([]byte(s)) }

func TestLogKeeps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	l := openLog(t, dir)
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			if err := l.Put(keyOf(fmt.Sprint(i)), bytes.Repeat([]byte{byte(i)}, i)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	check := func(l *Log) {
		t.Helper()
		for i := range 200 {
			value, ok, err := l.Get(keyOf(fmt.Sprint(i)))
			if err != nil || !ok || !bytes.Equal(value, bytes.Repeat([]byte{byte(i)}, i)) {
				t.Fatalf("%d: %v %v %d bytes", i, ok, err, len(value))
			}
		}
	}
	check(l)
	other := openLog(t, dir) // another process: the first file is locked
	check(other)
	if err := other.Put(keyOf("other"), []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Close(), other.Close()); err != nil {
		t.Fatal(err)
	}
	l = openLog(t, dir)
	check(l)
	if _, ok, _ := l.Get(keyOf("other")); !ok || l.Len() != 201 {
		t.Errorf("%d values", l.Len())
	}
	_ = l.Close()
}

// However a file ends, what was whole stays, the rest is cut, and more can be written.
func TestLogTornTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "ctxpack-log")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		n := rapid.IntRange(0, 6).Draw(t, "values")
		l := openLog(t, dir)
		ends := []int64{int64(len(logMagic))}
		for i := range n {
			if err := l.Put(keyOf(fmt.Sprint(i)), bytes.Repeat([]byte("v"), 10*i)); err != nil {
				t.Fatal(err)
			}
			ends = append(ends, ends[i]+logHeader64+int64(10*i))
		}
		_ = l.Close()
		name := filepath.Join(dir, "answers-0.log")
		data, err := os.ReadFile(name)
		if err != nil || int64(len(data)) != ends[n] {
			t.Fatalf("%v, %d bytes, want %d", err, len(data), ends[n])
		}
		cut := rapid.IntRange(0, len(data)).Draw(t, "cut")
		data = append(data[:cut:cut], rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "garbage")...)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		whole := 0
		for whole < n && ends[whole+1] <= int64(cut) {
			whole++
		}
		l = openLog(t, dir)
		for i := range whole {
			if value, ok, err := l.Get(keyOf(fmt.Sprint(i))); err != nil || !ok || len(value) != 10*i {
				t.Fatalf("value %d of %d is gone: %v %v", i, whole, ok, err)
			}
		}
		if err := l.Put(keyOf("new"), []byte("new")); err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		l = openLog(t, dir)
		if value, ok, _ := l.Get(keyOf("new")); !ok || string(value) != "new" {
			t.Fatal("what was written behind a torn tail is gone")
		}
		_ = l.Close()
	})
}

func FuzzLog(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte(logMagic))
	f.Add([]byte(logMagic + "\x05\x00\x00\x00aaaa"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "answers-0.log"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		l := openLog(t, dir)
		if err := l.Put(keyOf("k"), []byte("v")); err != nil {
			t.Fatal(err)
		}
		if v, ok, err := l.Get(keyOf("k")); err != nil || !ok || string(v) != "v" {
			t.Fatalf("%q %v %v", v, ok, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// scripted is a client that answers as it is told to, and counts.
type scripted struct {
	calls  atomic.Int64
	answer func(n int64, call Call) (Answer, error)
}

func (*scripted) Name() string { return "scripted" }

func (s *scripted) Complete(_ context.Context, call Call) (Answer, error) {
	return s.answer(s.calls.Add(1), call)
}

func TestCached(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir)
	defer func() { _ = l.Close() }()
	inner := &scripted{answer: func(n int64, call Call) (Answer, error) {
		time.Sleep(5 * time.Millisecond)
		if call.Prompt == "bad" {
			return Answer{}, &CallError{Class: Refused, Code: "refused", Message: "no"}
		}
		return Answer{Text: "t" + call.Prompt, Model: "m", Tokens: Usage{Prompt: 7, Completion: 3}}, nil
	}}
	stats := &Stats{}
	price := Price{Input: 1, Output: 2}
	c := NewCached(inner, l, ReadWrite, price, stats)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if a, err := c.Complete(context.Background(), Call{Prompt: "x"}); err != nil || a.Text != "tx" {
				t.Errorf("%+v %v", a, err)
			}
		})
	}
	group.Wait()
	if n := inner.calls.Load(); n != 1 || stats.Figures().CacheHits != 19 {
		t.Errorf("%d calls, %d hits", n, stats.Figures().CacheHits)
	}
	if a, err := c.Complete(context.Background(), Call{Prompt: "x"}); err != nil || !a.Cached || a.Tokens != (Usage{}) || a.Model != "m" {
		t.Errorf("%+v %v", a, err)
	}
	for range 2 {
		if _, err := c.Complete(context.Background(), Call{Prompt: "bad"}); err == nil {
			t.Error("a failure was kept")
		}
	}
	if n := inner.calls.Load(); n != 3 {
		t.Errorf("%d calls", n)
	}
	only := NewCached(inner, l, ReadOnly, price, stats)
	_, err := only.Complete(context.Background(), Call{Prompt: "new"})
	var fatal *FatalError
	if !errors.As(err, &fatal) || !errors.Is(err, ErrCacheMiss) {
		t.Errorf("a miss: %v", err)
	}
	if err := c.Reject(Call{Prompt: "x"}); err != nil {
		t.Fatal(err)
	}
	if a, _ := c.Complete(context.Background(), Call{Prompt: "x"}); !a.Cached {
		t.Error("a refused answer is asked for again without being told to")
	}
	again := NewCached(inner, l, RetryBad, price, stats)
	if a, _ := again.Complete(context.Background(), Call{Prompt: "x"}); a.Cached {
		t.Error("a refused answer is not asked for again")
	}
	if KeyOf("a", Call{Prompt: "b"}) == KeyOf("a", Call{Prompt: "b", MaxTokens: 1}) || KeyOf("a", Call{Model: "bc"}) == KeyOf("ab", Call{Model: "c"}) {
		t.Error("different calls have one key")
	}
}

// After RetryBad brought a good answer, an ordinary run must take the new one.
func TestRetriedAnswerReplaces(t *testing.T) {
	l := openLog(t, t.TempDir())
	defer func() { _ = l.Close() }()
	inner := &scripted{answer: func(n int64, _ Call) (Answer, error) { return Answer{Text: fmt.Sprint(n)}, nil }}
	c := NewCached(inner, l, ReadWrite, Price{}, nil)
	ctx := context.Background()
	if a, err := c.Complete(ctx, Call{}); err != nil || a.Text != "1" {
		t.Fatal(a, err)
	}
	_ = c.Reject(Call{})
	if a, err := NewCached(inner, l, RetryBad, Price{}, nil).Complete(ctx, Call{}); err != nil || a.Text != "2" {
		t.Fatal(a, err)
	}
	if a, err := c.Complete(ctx, Call{}); err != nil || a.Text != "2" {
		t.Error(a, err)
	}
	if a, err := NewCached(inner, l, RetryBad, Price{}, nil).Complete(ctx, Call{}); err != nil || a.Text != "2" || !a.Cached {
		t.Errorf("an answer that was accepted is asked for again: %+v %v", a, err)
	}
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// counting yields 0, 1, 2 … up to n, then end.
func counting(n int, end error) func(context.Context) (int, error) {
	i := 0
	return func(context.Context) (int, error) {
		if i == n {
			return 0, end
		}
		i++
		return i - 1, nil
	}
}

func TestInOrder(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name    string
		end     error
		fails   int // item whose work fails, -1 for none
		refused int // item that take refuses, -1 for none
		want    error
		taken   int
	}{
		{"all", io.EOF, -1, -1, nil, 100},
		{"the source breaks", broken, -1, -1, broken, 100},
		{"work fails", io.EOF, 40, -1, broken, 40},
		{"take refuses", io.EOF, -1, 30, broken, 30},
	}
	for _, workers := range []int{1, 2, 8} {
		for _, test := range tests {
			t.Run(fmt.Sprint(test.name, " ", workers), func(t *testing.T) {
				var busy, most atomic.Int64
				var got []int
				work := func(_ context.Context, i int) (int, error) {
					most.Store(max(most.Load(), busy.Add(1)))
					defer busy.Add(-1)
					time.Sleep(time.Duration(i*7%5) * 100 * time.Microsecond)
					if i == test.fails {
						return 0, broken
					}
					return i, nil
				}
				take := func(i int) error {
					if i == test.refused {
						return broken
					}
					got = append(got, i)
					return nil
				}
				err := inOrder(t.Context(), workers, counting(100, test.end), work, take)
				if !errors.Is(err, test.want) || len(got) != test.taken || !slices.IsSorted(got) {
					t.Errorf("error %v, want %v; taken %v", err, test.want, got)
				}
				if n := most.Load(); n > int64(workers) {
					t.Errorf("%d at once", n)
				}
			})
		}
	}
}

// TestInOrderEndsWhenCancelled: with the cause, whatever was under way.
func TestInOrderEndsWhenCancelled(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	endless := func(context.Context) (int, error) { return 1, nil }
	n := 0
	err := inOrder(ctx, 4, endless, func(_ context.Context, i int) (int, error) { return i, nil }, func(int) error {
		if n++; n == 50 {
			cancel(stop)
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

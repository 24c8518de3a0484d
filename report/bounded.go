package report

import (
	"cmp"
	"slices"
)

// How much the builder keeps and how much a report lists.
const (
	maxDistinct = 10_000 // distinct names counted one by one; later ones go to "other"
	maxKinds    = 100    // kinds of failures, action kinds
	listed      = 50     // tools, models, dialects, role names
	worstRows   = 10
)

// bounded holds one V for each distinct key, up to limit keys. Keys first met after that share one V (other), so memory
// is bounded, what stands under a key is exact, and nothing is lost from the total. The zero value is not usable.
type bounded[K comparable, V any] struct {
	limit int
	at    map[K]*V
	other V
	full  bool // other was used
}

func newBounded[K comparable, V any](limit int) bounded[K, V] {
	return bounded[K, V]{limit: limit, at: map[K]*V{}}
}

// of gives the value of a key, to be added to.
func (b *bounded[K, V]) of(key K) *V {
	if v, ok := b.at[key]; ok {
		return v
	}
	if len(b.at) >= b.limit {
		b.full = true
		return &b.other
	}
	v := new(V)
	b.at[key] = v
	return v
}

// sorted lists at most n entries in the order of compare and hands the others to rest.
func (b *bounded[K, V]) sorted(n int, compare func(aKey K, a *V, bKey K, b *V) int, rest func(*V)) []K {
	keys := make([]K, 0, len(b.at))
	for k := range b.at {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y K) int { return compare(x, b.at[x], y, b.at[y]) })
	if len(keys) > n {
		for _, k := range keys[n:] {
			rest(b.at[k])
		}
		keys = keys[:n]
	}
	rest(&b.other)
	return keys
}

// nameDetail is the key of counts.
type nameDetail struct{ name, detail string }

type nameCounts struct {
	bounded[nameDetail, int64]
}

func newNameCounts(limit int) nameCounts { return nameCounts{newBounded[nameDetail, int64](limit)} }

func (c *nameCounts) add(name, detail string, n int64) { *c.of(nameDetail{name, detail}) += n }

// counts lists the most frequent names.
func (c *nameCounts) counts(n int) Counts {
	out := Counts{Distinct: len(c.at), Capped: c.full, List: []Count{}}
	keys := c.sorted(n, func(aKey nameDetail, a *int64, bKey nameDetail, b *int64) int {
		return cmp.Or(cmp.Compare(*b, *a), cmp.Compare(aKey.name, bKey.name), cmp.Compare(aKey.detail, bKey.detail))
	}, func(v *int64) { out.Other += *v })
	for _, k := range keys {
		out.List = append(out.List, Count{k.name, k.detail, *c.at[k]})
	}
	return out
}

// toolCounts adds up results by tool.
type toolCounts struct {
	bounded[string, ToolTotal]
}

func newToolCounts() toolCounts { return toolCounts{newBounded[string, ToolTotal](maxDistinct)} }

// tools lists the largest tools before compaction.
func (c *toolCounts) tools(n int) Tools {
	out := Tools{Distinct: len(c.at), Capped: c.full, List: []ToolTotal{}}
	keys := c.sorted(n, func(aKey string, a *ToolTotal, bKey string, b *ToolTotal) int {
		return cmp.Or(cmp.Compare(b.TokensBefore, a.TokensBefore), cmp.Compare(b.TokensAfter, a.TokensAfter),
			cmp.Compare(aKey, bKey))
	}, func(v *ToolTotal) { out.Other.add(*v) })
	for _, k := range keys {
		t := *c.at[k]
		t.Name = k
		out.List = append(out.List, t)
	}
	return out
}

// top keeps the first n values in the order of before; values that are equal stay in the order in which they came.
type top[V any] struct {
	n      int
	before func(a, b *V) bool
	list   []V
}

// add takes v in when it belongs to the first n.
func (t *top[V]) add(v V) {
	if len(t.list) == t.n && !t.before(&v, &t.list[t.n-1]) {
		return
	}
	i := len(t.list)
	for i > 0 && t.before(&v, &t.list[i-1]) {
		i--
	}
	if len(t.list) == t.n {
		t.list = t.list[:t.n-1]
	}
	t.list = slices.Insert(t.list, i, v)
}

// all gives a copy of the list, never nil.
func (t *top[V]) all() []V { return append([]V{}, t.list...) }

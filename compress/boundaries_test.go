package compress

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
)

// layout spells a conversation in letters: s system, u human, n notice, a assistant, o unknown role; a digit is an
// assistant message with so many calls followed by their results. Every message weighs ten tokens.
func layout(spec string) ([]slot, []formats.Atom) {
	var slots []slot
	var atoms []formats.Atom
	add := func(roles ...formats.Role) {
		start := len(slots)
		for _, r := range roles {
			slots = append(slots, slot{role: r, tokens: 10, human: r == formats.RoleUser})
		}
		atoms = append(atoms, formats.Atom{Start: start, End: len(slots)})
	}
	for _, c := range spec {
		switch c {
		case 's':
			add(formats.RoleSystem)
		case 'u':
			add(formats.RoleUser)
		case 'n':
			add(formats.RoleUser)
			slots[len(slots)-1].human = false
		case 'a':
			add(formats.RoleAssistant)
		case 'o':
			add(formats.RoleOther)
		default:
			roles := []formats.Role{formats.RoleAssistant}
			for range int(c - '0') {
				roles = append(roles, formats.RoleTool)
			}
			add(roles...)
		}
	}
	return slots, atoms
}

func TestCut(t *testing.T) {
	r := strings.Repeat
	tests := []struct {
		name        string
		spec        string
		first, last int
		tokens      int
		want        [3]int // head, tail, anchor
	}{
		{"empty", "", 3, 20, 100, [3]int{0, 0, -1}},
		{"only a system message", "s", 3, 20, 100, [3]int{1, 1, -1}},
		{"system and user", "su", 3, 20, 100, [3]int{2, 2, -1}},
		// The documentation's 45 messages: a head of 0–3 (three messages, widened to the atom), a tail of 20.
		{"documentation", "su" + r("1", 21) + "a", 3, 20, 0, [3]int{4, 24, -1}},
		{"head stops at protect-first", "suau" + r("1", 20), 3, 4, 0, [3]int{3, 40, 3}},
		{"head of a two-call group", "su2" + r("1", 20), 3, 4, 0, [3]int{5, 41, -1}},
		{"head without protection keeps the leading systems", "ssu" + r("1", 20), 0, 4, 0, [3]int{2, 39, 2}},
		{"head without a system message", "u" + r("1", 20), 3, 4, 0, [3]int{3, 37, -1}},
		{"no head at all", "u" + r("1", 20), 0, 4, 0, [3]int{0, 37, 0}},
		{"tail by tokens", "su" + r("1", 20), 3, 2, 85, [3]int{4, 34, -1}},
		{"tail exactly full", "su" + r("1", 20), 3, 2, 80, [3]int{4, 34, -1}},
		{"tail one token short", "su" + r("1", 20), 3, 2, 79, [3]int{4, 36, -1}},
		{"tail never cuts an atom", "su" + r("1", 20) + "3", 3, 2, 0, [3]int{4, 42, -1}},
		{"everything fits the tail", "su" + r("1", 20), 3, 20, 10_000, [3]int{4, 4, -1}},
		{"anchor in the middle", "su" + r("1", 10) + "u" + r("1", 20), 3, 4, 0, [3]int{4, 59, 22}},
		{"anchor at the head's edge", "suu" + r("1", 20), 3, 4, 0, [3]int{3, 39, -1}},
		{"a last user message that is a notice", "su" + r("1", 10) + "n" + r("1", 10), 3, 4, 0, [3]int{4, 39, -1}},
		// The re-stated message would meet the notice that begins the tail: the tail takes one more atom.
		{"notice first in the tail", "su1u" + r("1", 10) + "n1a", 3, 4, 0, [3]int{4, 23, 4}},
		{"the walk stops at the head", "su1", 3, 20, 10_000, [3]int{4, 4, -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			slots, atoms := layout(tt.spec)
			b := cut(slots, atoms, tt.first, tt.last, tt.tokens)
			if got := [3]int{b.head, b.tail, b.anchor}; got != tt.want {
				t.Errorf("cut(%q, first %d, last %d, tokens %d) = %v, want %v", tt.spec, tt.first, tt.last, tt.tokens, got, tt.want)
			}
		})
	}
}

func TestPlacementTable(t *testing.T) {
	const none = formats.RoleOther
	const user, assistant, tool = formats.RoleUser, formats.RoleAssistant, formats.RoleTool
	tests := []struct {
		head, next formats.Role
		want       placing
	}{
		{assistant, assistant, ownUser},
		{assistant, user, mergeFront},
		{user, user, ownAssistant},
		{user, assistant, appendHead},
		{tool, user, ownAssistant},
		{tool, assistant, retreat},
		{none, user, mergeFront},
		{none, assistant, ownUser},
		// Nothing follows: the other side's turn.
		{assistant, none, ownUser},
		{user, none, ownAssistant},
		{tool, none, ownAssistant},
		{none, none, ownUser},
	}
	for _, tt := range tests {
		if got := place(tt.head, tt.next); got != tt.want {
			t.Errorf("place(%s, %s) = %d, want %d", tt.head, tt.next, got, tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	tests := []struct {
		spec string
		head int
		want int
	}{
		{"su1", 4, 2},
		{"s1", 3, 1},
		{"sn1", 4, 1},
		{"su1u1", 7, 5},
		{"1", 2, 0},
	}
	for _, tt := range tests {
		slots, atoms := layout(tt.spec)
		if got := shorten(slots, atoms, tt.head); got != tt.want {
			t.Errorf("shorten(%q, %d) = %d, want %d", tt.spec, tt.head, got, tt.want)
		}
	}
}

func TestBudgetTable(t *testing.T) {
	tests := []struct{ context, threshold, tail, most int }{
		{32_000, 16_000, 3_200, 1_600},
		{64_000, 32_000, 6_400, 3_200},
		{128_000, 64_000, 12_800, 6_400},
		{200_000, 100_000, 20_000, 10_000},
		{1_000_000, 500_000, 100_000, 12_000},
	}
	for _, tt := range tests {
		b := NewBudget(tt.context, DefaultThreshold, DefaultTargetRatio)
		if b.Threshold != tt.threshold || b.Tail != tt.tail || b.MaxSummary != tt.most {
			t.Errorf("context %d: got %+v, want %+v", tt.context, b, tt)
		}
	}
	if b := NewBudget(200_000, 64_000, 0.2); b.Threshold != 64_000 || b.Tail != 12_800 {
		t.Errorf("a threshold in tokens: %+v", b)
	}
	if b := FitBudget(64_000, 0.5, 0.2); b.Threshold != 64_000 || b.Tail != 12_800 || b.MaxSummary != 6_400 {
		t.Errorf("fit 64,000: %+v", b)
	}
}

func TestSummaryBudget(t *testing.T) {
	b := NewBudget(200_000, 0.5, 0.2)
	tests := []struct{ middle, want int }{
		{0, 0},
		{1_000, 500},   // never longer than half of what it replaces
		{4_000, 2_000}, // the minimum
		{5_000, 2_000},
		{20_000, 4_000},  // a fifth
		{50_000, 10_000}, // 5 % of the context length
		{500_000, 10_000},
	}
	for _, tt := range tests {
		if got := b.Summary(tt.middle); got != tt.want {
			t.Errorf("Summary(%d) = %d, want %d", tt.middle, got, tt.want)
		}
	}
	// On a small window the minimum beats the maximum.
	if got := NewBudget(8_000, 0.5, 0.2).Summary(10_000); got != 2_000 {
		t.Errorf("small window: %d", got)
	}
}

func TestOptionsValidate(t *testing.T) {
	ok := Options{}.WithDefaults()
	if err := ok.Validate(); err != nil {
		t.Fatal(err)
	}
	for i, bad := range []func(*Options){
		func(o *Options) { o.Threshold = -1 },
		func(o *Options) { o.ProtectLast = -1 },
		func(o *Options) { o.Strategy = "half" },
		func(o *Options) { o.Strategy = Fit },
		func(o *Options) { o.ContextLength = -5 },
	} {
		o := ok
		bad(&o)
		if o.Validate() == nil {
			t.Errorf("case %d: %+v passed", i, o)
		}
	}
}

// Every layout of up to eight atoms keeps the promises of cut, whatever the settings.
func TestCutKeepsItsPromises(t *testing.T) {
	const letters = "suna123o"
	n := 0
	var walk func(spec string)
	walk = func(spec string) {
		for _, first := range []int{0, 3} {
			for _, last := range []int{1, 4} {
				for _, tokens := range []int{0, 35, 1000} {
					slots, atoms := layout(spec)
					b := cut(slots, atoms, first, last, tokens)
					if err := promise(slots, atoms, b, first, last, tokens); err != nil {
						t.Fatalf("cut(%q, %d, %d, %d) = %+v: %v", spec, first, last, tokens, b, err)
					}
					n++
				}
			}
		}
		if len(spec) < 5 {
			for _, l := range letters {
				walk(spec + string(l))
			}
		}
	}
	walk("")
	if n < 100_000 {
		t.Fatalf("only %d layouts", n)
	}
}

func promise(slots []slot, atoms []formats.Atom, b bounds, first, last, tokens int) error {
	edge := map[int]bool{0: true, len(slots): true}
	for _, a := range atoms {
		edge[a.Start] = true
	}
	switch {
	case b.head > b.tail || b.head < 0 || b.tail > len(slots):
		return fmt.Errorf("out of order")
	case !edge[b.head] || !edge[b.tail]:
		return fmt.Errorf("a boundary inside an atom")
	case b.head < leadingSystem(slots) || b.head < min(first, len(slots)):
		return fmt.Errorf("head too short")
	case b.tail > b.head && len(slots)-b.tail < min(last, len(slots)-b.head):
		return fmt.Errorf("tail too short")
	}
	if h := lastHuman(slots); (h >= b.head && h < b.tail) != (b.anchor >= 0) || b.anchor >= 0 && b.anchor != h {
		return fmt.Errorf("wrong anchor")
	}
	_ = tokens
	return nil
}

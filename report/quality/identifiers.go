package quality

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Region is a set of places in which a text was found.
type Region uint8

// The regions.
const (
	InM Region = 1 << iota // the original messages
	InR                    // the replaced region
	InS                    // what stands in its place
	InC                    // the output
	InF                    // the inputs of future calls
)

// wanted is a set of identifiers and where each of them was found. Looking in a text costs one pass over it and keeps
// nothing of it.
type wanted struct {
	ids   map[string]*finding
	bases map[string]*baseName
}

// finding is one identifier.
type finding struct {
	id   string
	kind summarize.IdentifierKind
	in   Region
	last int // index of the last message of R it stands in
	uses int // messages of R it stands in
}

// baseName is what is known of the last part of a path: where it was seen, and whether it names one file only.
type baseName struct {
	longest string
	shared  bool // two paths with this name that cannot be the same file
	in      Region
}

func newWanted() *wanted {
	return &wanted{ids: map[string]*finding{}, bases: map[string]*baseName{}}
}

// add wants the identifiers of a text, found in region to begin with. Versions are not identifiers.
func (w *wanted) add(text string, region Region) {
	summarize.Identifiers(text, func(id string, kind summarize.IdentifierKind) {
		if kind != summarize.Version {
			w.want(id, kind).in |= region
		}
	})
}

func (w *wanted) want(id string, kind summarize.IdentifierKind) *finding {
	f := w.ids[id]
	if f == nil {
		f = &finding{id: strings.Clone(id), kind: kind, last: -1}
		w.ids[f.id] = f
		if kind == summarize.Path {
			if name := base(f.id); w.bases[name] == nil {
				w.bases[name] = &baseName{}
			}
		}
	}
	return f
}

// look marks what of the wanted stands in a text.
func (w *wanted) look(text string, region Region) {
	w.scan(text, func(f *finding) { f.in |= region }, region)
	if p := plain(text); len(p) != len(text) {
		w.scan(p, func(f *finding) { f.in |= region }, region)
	}
}

// scan calls yield for every wanted identifier of the text: whole, and for a path also those that are its end.
func (w *wanted) scan(text string, yield func(*finding), region Region) {
	if len(w.ids) == 0 {
		return
	}
	summarize.Identifiers(text, func(id string, kind summarize.IdentifierKind) {
		if f := w.ids[id]; f != nil {
			yield(f)
		}
		if kind != summarize.Path {
			return
		}
		for rest := id; ; {
			i := strings.IndexByte(rest, '/')
			if i < 0 {
				break
			}
			rest = rest[i+1:]
			if f := w.ids[rest]; f != nil && f.kind == summarize.Path {
				yield(f)
			}
		}
		if b := w.bases[base(id)]; b != nil {
			b.in |= region
			b.see(id)
		}
	})
}

// see notes a path that ends in the name.
func (b *baseName) see(path string) {
	path = strings.TrimPrefix(path, "/")
	switch {
	case b.shared || strings.HasSuffix(b.longest, path) && (len(b.longest) == len(path) || b.longest[len(b.longest)-len(path)-1] == '/'):
	case b.longest == "" || strings.HasSuffix(path, "/"+b.longest):
		b.longest = strings.Clone(path)
	default:
		b.shared = true
	}
}

// has says whether f was found in a region. Paths match whole, as the end of a longer path, or else by their base name
// when all paths with that name can be the same file.
func (w *wanted) has(f *finding, region Region) bool {
	if f.in&region != 0 {
		return true
	}
	if f.kind != summarize.Path {
		return false
	}
	b := w.bases[base(f.id)]
	return b.in&region != 0 && !b.shared
}

// sorted gives the findings for which is says yes, by identifier.
func (w *wanted) sorted(is func(*finding) bool) []*finding {
	var list []*finding
	for _, f := range w.ids {
		if is(f) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *finding) int { return cmp.Compare(a.id, b.id) })
	return list
}

// lookAt looks in everything that is read in a message.
func (w *wanted) lookAt(m *formats.Message, region Region) {
	eachText(m, func(text string) { w.look(text, region) })
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// mentions says whether a text names a file: the path as it is between characters that cannot be part of it, or else by
// its base name where that is enough (see has). It serves paths that no rule for identifiers recognises, such as those
// with spaces.
func mentions(text, path string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], path)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(path)
		if !inName(text, i-1) && (end == len(text) || !inName(text, end) || text[end] == '.' && !inName(text, end+1)) {
			return true
		}
		from = i + 1
	}
}

// inName says whether the byte at i could belong to a file's name. A slash before a path makes it the end of another.
func inName(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
